// SPDX-License-Identifier: GPL-2.0
/*
 * LZO1X-1: quick and small, in nearly every embedded kernel. Called through comp.c; allocates
 * only at the attach.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/lzo.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "comp.h"

static void *lzo_create(int level, u32 page_bytes, size_t *memory_bytes)
{
	void *ctx = kvmalloc(LZO1X_1_MEM_COMPRESS, GFP_KERNEL);

	*memory_bytes = LZO1X_1_MEM_COMPRESS;
	return ctx ?: ERR_PTR(-ENOMEM);
}

static void lzo_destroy(void *ctx)
{
	kvfree(ctx);
}

/* The compressor does not know the length of the buffer. */
static u32 lzo_bound(u32 page_bytes)
{
	return lzo1x_worst_compress(page_bytes);
}

static int lzo_compress(void *ctx, const void *src, u32 src_bytes, void *dst, u32 dst_bytes)
{
	size_t len = lzo1x_worst_compress(src_bytes);

	if (lzo1x_1_compress(src, src_bytes, dst, &len, ctx) != LZO_E_OK ||
	    len > dst_bytes)
		return -E2BIG;
	return len;
}

static int lzo_decompress(void *ctx, const void *src, u32 src_bytes, void *dst, u32 dst_bytes)
{
	size_t len = dst_bytes;

	if (lzo1x_decompress_safe(src, src_bytes, dst, &len) != LZO_E_OK)
		return -EBADMSG;
	return len;
}

const struct mtdc_comp_ops mtdc_comp_lzo = {
	.name = "lzo",
	.create = lzo_create,
	.destroy = lzo_destroy,
	.bound = lzo_bound,
	.compress = lzo_compress,
	.decompress = lzo_decompress,
};
