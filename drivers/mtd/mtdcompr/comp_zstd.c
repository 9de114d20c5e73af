// SPDX-License-Identifier: GPL-2.0
/*
 * Zstandard: the best ratio, quicker to decompress than zlib, with the largest memory. Called
 * through comp.c; allocates only at the attach.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/zstd.h>

#include "comp.h"

struct zstd_ctx {
	zstd_parameters params;
	zstd_cctx *cctx;
	zstd_dctx *dctx;
	void *cmem;
	void *dmem;
	size_t cbytes;
	size_t dbytes;
};

static void zstd_destroy(void *data)
{
	struct zstd_ctx *ctx = data;

	/* They have plaintext. */
	kvfree_sensitive(ctx->dmem, ctx->dbytes);
	kvfree_sensitive(ctx->cmem, ctx->cbytes);
	kfree(ctx);
}

static void *zstd_create(int level, u32 page_bytes, size_t *memory_bytes)
{
	struct zstd_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);

	if (!ctx)
		return ERR_PTR(-ENOMEM);
	ctx->params = zstd_get_params(level, page_bytes);
	ctx->cbytes = zstd_cctx_workspace_bound(&ctx->params.cParams);
	ctx->dbytes = zstd_dctx_workspace_bound();
	ctx->cmem = vzalloc(ctx->cbytes);
	ctx->dmem = vzalloc(ctx->dbytes);
	if (ctx->cmem && ctx->dmem) {
		ctx->cctx = zstd_init_cctx(ctx->cmem, ctx->cbytes);
		ctx->dctx = zstd_init_dctx(ctx->dmem, ctx->dbytes);
	}
	if (!ctx->cctx || !ctx->dctx) {
		zstd_destroy(ctx);
		return ERR_PTR(-ENOMEM);
	}
	*memory_bytes = sizeof(*ctx) + ctx->cbytes + ctx->dbytes;
	return ctx;
}

static int zstd_compress(void *data, const void *src, u32 src_bytes, void *dst, u32 dst_bytes)
{
	struct zstd_ctx *ctx = data;
	size_t len = zstd_compress_cctx(ctx->cctx, dst, dst_bytes, src, src_bytes, &ctx->params);

	return zstd_is_error(len) ? -E2BIG : len;
}

static int zstd_decompress(void *data, const void *src, u32 src_bytes, void *dst, u32 dst_bytes)
{
	struct zstd_ctx *ctx = data;
	size_t len = zstd_decompress_dctx(ctx->dctx, dst, dst_bytes, src, src_bytes);

	return zstd_is_error(len) ? -EBADMSG : len;
}

const struct mtdc_comp_ops mtdc_comp_zstd = {
	.name = "zstd",
	.level_min = 1,
	.level_max = 22,	/* ZSTD_maxCLevel(); get_params() reduces it to a page */
	.level_default = 1,
	.create = zstd_create,
	.destroy = zstd_destroy,
	.compress = zstd_compress,
	.decompress = zstd_decompress,
};
