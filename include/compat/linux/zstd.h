/* SPDX-License-Identifier: GPL-2.0 */
/* Before 5.16, the functions have the names of the user-space library. */
#ifndef MTDC_COMPAT_LINUX_ZSTD_H
#define MTDC_COMPAT_LINUX_ZSTD_H

#include <linux/version.h>
#include_next <linux/zstd.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)

#define zstd_parameters		ZSTD_parameters
#define zstd_cctx		ZSTD_CCtx
#define zstd_dctx		ZSTD_DCtx
#define zstd_is_error		ZSTD_isError
#define zstd_init_cctx		ZSTD_initCCtx
#define zstd_init_dctx		ZSTD_initDCtx
#define zstd_dctx_workspace_bound	ZSTD_DCtxWorkspaceBound
#define zstd_decompress_dctx	ZSTD_decompressDCtx

/* These three have other arguments. */
#define zstd_get_params(level, bytes)	ZSTD_getParams(level, bytes, 0)
#define zstd_cctx_workspace_bound(params)	ZSTD_CCtxWorkspaceBound(*(params))
#define zstd_compress_cctx(cctx, dst, dst_bytes, src, src_bytes, params)	\
	ZSTD_compressCCtx(cctx, dst, dst_bytes, src, src_bytes, *(params))

#endif

#endif /* MTDC_COMPAT_LINUX_ZSTD_H */
