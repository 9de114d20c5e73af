/* SPDX-License-Identifier: GPL-2.0 */
/* Before 5.16, the functions have the names of the user-space library. */
#ifndef MTDC_COMPAT_LINUX_ZSTD_H
#define MTDC_COMPAT_LINUX_ZSTD_H

#include <linux/version.h>
#include_next <linux/zstd.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)

typedef ZSTD_parameters zstd_parameters;
typedef ZSTD_compressionParameters zstd_compression_parameters;
typedef ZSTD_CCtx zstd_cctx;
typedef ZSTD_DCtx zstd_dctx;

static inline unsigned int zstd_is_error(size_t code)
{
	return ZSTD_isError(code);
}

static inline zstd_parameters zstd_get_params(int level,
					      unsigned long long src_bytes)
{
	return ZSTD_getParams(level, src_bytes, 0);
}

static inline size_t
zstd_cctx_workspace_bound(const zstd_compression_parameters *params)
{
	return ZSTD_CCtxWorkspaceBound(*params);
}

static inline zstd_cctx *zstd_init_cctx(void *workspace, size_t bytes)
{
	return ZSTD_initCCtx(workspace, bytes);
}

static inline size_t zstd_compress_cctx(zstd_cctx *cctx, void *dst,
					size_t dst_bytes, const void *src,
					size_t src_bytes,
					const zstd_parameters *params)
{
	return ZSTD_compressCCtx(cctx, dst, dst_bytes, src, src_bytes, *params);
}

static inline size_t zstd_dctx_workspace_bound(void)
{
	return ZSTD_DCtxWorkspaceBound();
}

static inline zstd_dctx *zstd_init_dctx(void *workspace, size_t bytes)
{
	return ZSTD_initDCtx(workspace, bytes);
}

static inline size_t zstd_decompress_dctx(zstd_dctx *dctx, void *dst,
					  size_t dst_bytes, const void *src,
					  size_t src_bytes)
{
	return ZSTD_decompressDCtx(dctx, dst, dst_bytes, src, src_bytes);
}

#endif

#endif /* MTDC_COMPAT_LINUX_ZSTD_H */
