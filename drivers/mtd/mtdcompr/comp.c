// SPDX-License-Identifier: GPL-2.0
/*
 * The list of compressors.
 *
 * This file owns the names and the default of comp=. It must never use a level that a
 * compressor does not have. dev.c looks a compressor up, store.c and store_scratch.c create
 * one and call its functions.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "comp.h"
#include "opts.h"

/* Stores every page raw. */
static const struct mtdc_comp_ops comp_none = {
	.name = "none",
};

/* The default is the first one that is built in. */
static const struct {
	const char *name;
	const struct mtdc_comp_ops *ops;
} backends[] = {
	{ "lz4", IS_ENABLED(CONFIG_MTDCOMPR_LZ4) ? &mtdc_comp_lz4 : NULL },
	{ "lzo", IS_ENABLED(CONFIG_MTDCOMPR_LZO) ? &mtdc_comp_lzo : NULL },
	{ "zlib", IS_ENABLED(CONFIG_MTDCOMPR_ZLIB) ? &mtdc_comp_zlib : NULL },
	{ "zstd", IS_ENABLED(CONFIG_MTDCOMPR_ZSTD) ? &mtdc_comp_zstd : NULL },
	{ "none", &comp_none },
};

/**
 * mtdc_comp_find() - look a compressor up
 * @name: its name, empty for the default
 * @ops: set to the compressor
 *
 * Return: 0; -EINVAL for an unknown name, -EOPNOTSUPP if this build lacks it.
 */
int mtdc_comp_find(const char *name, const struct mtdc_comp_ops **ops)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(backends); i++) {
		if (*name && strcmp(name, backends[i].name))
			continue;
		if (backends[i].ops) {
			*ops = backends[i].ops;
			return 0;
		}
		if (*name)
			return -EOPNOTSUPP;
	}
	return -EINVAL;
}

/**
 * mtdc_comp_create() - allocate the working memory of a compressor
 * @comp: set to the compressor
 * @ops: its functions
 * @level: its level, or MTDC_LEVEL_DEFAULT
 * @page_bytes: length of a page
 *
 * Context: may sleep.
 * Return: 0; -ERANGE for a level that it does not have, -ENOMEM.
 */
int mtdc_comp_create(struct mtdc_comp *comp, const struct mtdc_comp_ops *ops,
		     int level, u32 page_bytes)
{
	if (level == MTDC_LEVEL_DEFAULT)
		level = ops->level_default;
	if (level < ops->level_min || level > ops->level_max)
		return -ERANGE;
	comp->ops = ops;
	comp->level = level;
	comp->ctx = NULL;
	comp->memory_bytes = 0;
	if (ops->create)
		comp->ctx = ops->create(level, page_bytes, &comp->memory_bytes);
	return PTR_ERR_OR_ZERO(comp->ctx);
}

/**
 * mtdc_comp_destroy() - free the working memory
 * @comp: the compressor
 *
 * Context: may sleep.
 */
void mtdc_comp_destroy(struct mtdc_comp *comp)
{
	if (comp->ops->destroy)
		comp->ops->destroy(comp->ctx);
}

/**
 * mtdc_comp_bound() - size of the buffer for a compressed page
 * @comp: the compressor
 * @page_bytes: length of the page
 *
 * Return: bytes; at least @page_bytes, because the buffer holds raw pages, too.
 */
u32 mtdc_comp_bound(const struct mtdc_comp *comp, u32 page_bytes)
{
	return comp->ops->bound ? comp->ops->bound(page_bytes) : page_bytes;
}
