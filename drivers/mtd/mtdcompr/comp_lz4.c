// SPDX-License-Identifier: GPL-2.0
/*
 * LZ4: the quickest both ways, with the lowest ratio. Called through comp.c; allocates only at
 * the attach.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/lz4.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "comp.h"

struct lz4_ctx {
	int acceleration;
	u8 work[LZ4_MEM_COMPRESS] __aligned(8);
};

static void *lz4_create(int level, u32 page_bytes, size_t *memory_bytes)
{
	struct lz4_ctx *ctx = kvmalloc(sizeof(*ctx), GFP_KERNEL);

	if (!ctx)
		return ERR_PTR(-ENOMEM);
	ctx->acceleration = level;
	*memory_bytes = sizeof(*ctx);
	return ctx;
}

static void lz4_destroy(void *ctx)
{
	kvfree(ctx);
}

/*
 * The buffer is long enough for any page, so that the compressor skips the checks for its end,
 * which are 7 % of the instructions.
 */
static u32 lz4_bound(u32 page_bytes)
{
	return LZ4_compressBound(page_bytes);
}

static int lz4_compress(void *data, const void *src, u32 src_bytes, void *dst, u32 dst_bytes)
{
	struct lz4_ctx *ctx = data;
	u32 len = LZ4_compress_fast(src, dst, src_bytes,
				    LZ4_compressBound(src_bytes),
				    ctx->acceleration, ctx->work);

	return len && len <= dst_bytes ? len : -E2BIG;
}

static int lz4_decompress(void *ctx, const void *src, u32 src_bytes, void *dst, u32 dst_bytes)
{
	int len = LZ4_decompress_safe(src, dst, src_bytes, dst_bytes);

	return len >= 0 ? len : -EBADMSG;
}

const struct mtdc_comp_ops mtdc_comp_lz4 = {
	.name = "lz4",
	.level_min = 1,		/* acceleration: higher is quicker and worse */
	.level_max = 64,
	.level_default = 1,
	.create = lz4_create,
	.destroy = lz4_destroy,
	.bound = lz4_bound,
	.compress = lz4_compress,
	.decompress = lz4_decompress,
};
