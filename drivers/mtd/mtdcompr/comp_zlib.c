// SPDX-License-Identifier: GPL-2.0
/*
 * zlib's deflate, as in the paper: slow, with a good ratio. Called through comp.c; allocates
 * only at the attach.
 *
 * Raw deflate, because zlib's header and Adler-32 take 6 bytes a page, and a fragment has a
 * checksum already.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/zlib.h>

#include "comp.h"

struct zlib_ctx {
	z_stream deflate;
	z_stream inflate;
	int deflate_bytes;
	int inflate_bytes;
};

static void zlib_destroy(void *data)
{
	struct zlib_ctx *ctx = data;

	/* Their windows have plaintext. */
	kvfree_sensitive(ctx->inflate.workspace, ctx->inflate_bytes);
	kvfree_sensitive(ctx->deflate.workspace, ctx->deflate_bytes);
	kfree(ctx);
}

static void *zlib_create(int level, u32 page_bytes, size_t *memory_bytes)
{
	/* A power of two; deflate needs the page and 262 bytes. */
	int wbits = min(ilog2(page_bytes) + 1, MAX_WBITS);
	struct zlib_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);

	if (!ctx)
		return ERR_PTR(-ENOMEM);
	ctx->deflate_bytes = zlib_deflate_workspacesize(-wbits, DEF_MEM_LEVEL);
	ctx->inflate_bytes = zlib_inflate_workspacesize();
	ctx->deflate.workspace = vzalloc(ctx->deflate_bytes);
	ctx->inflate.workspace = vzalloc(ctx->inflate_bytes);
	if (!ctx->deflate.workspace || !ctx->inflate.workspace ||
	    zlib_deflateInit2(&ctx->deflate, level, Z_DEFLATED, -wbits,
			      DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK ||
	    zlib_inflateInit2(&ctx->inflate, -wbits) != Z_OK) {
		zlib_destroy(ctx);
		return ERR_PTR(-ENOMEM);
	}
	*memory_bytes = sizeof(*ctx) + ctx->deflate_bytes + ctx->inflate_bytes;
	return ctx;
}

static int zlib_compress(void *data, const void *src, u32 src_bytes, void *dst, u32 dst_bytes)
{
	struct zlib_ctx *ctx = data;

	if (zlib_deflateReset(&ctx->deflate) != Z_OK)
		return -E2BIG;
	ctx->deflate.next_in = src;
	ctx->deflate.avail_in = src_bytes;
	ctx->deflate.next_out = dst;
	ctx->deflate.avail_out = dst_bytes;
	if (zlib_deflate(&ctx->deflate, Z_FINISH) != Z_STREAM_END)
		return -E2BIG;
	return ctx->deflate.total_out;
}

static int zlib_decompress(void *data, const void *src, u32 src_bytes, void *dst, u32 dst_bytes)
{
	struct zlib_ctx *ctx = data;

	if (zlib_inflateReset(&ctx->inflate) != Z_OK)
		return -EBADMSG;
	ctx->inflate.next_in = src;
	ctx->inflate.avail_in = src_bytes;
	ctx->inflate.next_out = dst;
	ctx->inflate.avail_out = dst_bytes;
	if (zlib_inflate(&ctx->inflate, Z_FINISH) != Z_STREAM_END)
		return -EBADMSG;
	return ctx->inflate.total_out;
}

const struct mtdc_comp_ops mtdc_comp_zlib = {
	.name = "zlib",
	.level_min = Z_BEST_SPEED,
	.level_max = Z_BEST_COMPRESSION,
	.level_default = Z_BEST_SPEED,
	.create = zlib_create,
	.destroy = zlib_destroy,
	.compress = zlib_compress,
	.decompress = zlib_decompress,
};
