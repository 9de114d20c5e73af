/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compressors.
 */
#ifndef MTDC_COMP_H
#define MTDC_COMP_H

#include <linux/kconfig.h>
#include <linux/types.h>

/**
 * struct mtdc_comp_ops - a compressor of the kernel's libraries
 * @name: its name in comp=
 * @level_min: lowest level
 * @level_max: highest level
 * @level_default: default level
 * @create: allocate the working memory for pages of @page_bytes, return it or an ERR_PTR; may
 *	sleep; NULL if the compressor needs none
 * @destroy: free it
 * @bound: size of the buffer that @compress needs, in bytes, because it may write beyond
 *	@dst_bytes; NULL if it does not
 * @compress: compress a page; return the length, or -E2BIG if that is over @dst_bytes;
 *	allocates nothing; NULL to store all pages raw
 * @decompress: decompress a page; return the length, at most @dst_bytes, or -EBADMSG for
 *	data that are not valid; allocates nothing
 */
struct mtdc_comp_ops {
	const char *name;
	int level_min;
	int level_max;
	int level_default;
	void *(*create)(int level, u32 page_bytes, size_t *memory_bytes);
	void (*destroy)(void *ctx);
	u32 (*bound)(u32 page_bytes);
	int (*compress)(void *ctx, const void *src, u32 src_bytes, void *dst, u32 dst_bytes);
	int (*decompress)(void *ctx, const void *src, u32 src_bytes, void *dst, u32 dst_bytes);
};

/**
 * struct mtdc_comp - a compressor in use by one device; the caller serialises
 * @ops: its functions
 * @ctx: its working memory
 * @level: its level
 * @memory_bytes: size of @ctx
 */
struct mtdc_comp {
	const struct mtdc_comp_ops *ops;
	void *ctx;
	int level;
	size_t memory_bytes;
};

int mtdc_comp_find(const char *name, const struct mtdc_comp_ops **ops);
int mtdc_comp_create(struct mtdc_comp *comp, const struct mtdc_comp_ops *ops,
		     int level, u32 page_bytes);
void mtdc_comp_destroy(struct mtdc_comp *comp);
u32 mtdc_comp_bound(const struct mtdc_comp *comp, u32 page_bytes);

extern const struct mtdc_comp_ops mtdc_comp_lz4;
extern const struct mtdc_comp_ops mtdc_comp_lzo;
extern const struct mtdc_comp_ops mtdc_comp_zlib;
extern const struct mtdc_comp_ops mtdc_comp_zstd;

#endif /* MTDC_COMP_H */
