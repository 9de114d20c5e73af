/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The option string that attaches a device.
 */
#ifndef MTDC_OPTS_H
#define MTDC_OPTS_H

#include <linux/types.h>

#include "inplace_freelist.h"

#define MTDC_OPT_NAME_MAX	64U	/* bytes of a name, with its NUL */
#define MTDC_LEVEL_DEFAULT	INT_MIN	/* the backend's own choice */
#define MTDC_WEARLEVEL_DEFAULT	U32_MAX	/* as the media are */

/**
 * enum mtdc_store_kind - how pages are kept
 * @MTDC_STORE_AUTO: as the media are best used
 * @MTDC_STORE_INPLACE: rewritten in place
 * @MTDC_STORE_LOG: appended to a log
 */
enum mtdc_store_kind {
	MTDC_STORE_AUTO,
	MTDC_STORE_INPLACE,
	MTDC_STORE_LOG
};

/* Whether what is asked of the block device is done at once. */
enum mtdc_sync {
	MTDC_SYNC_AUTO,
	MTDC_SYNC_NO,
	MTDC_SYNC_YES
};

/**
 * struct mtdc_opts - a parsed option string
 * @mtd: number or name of the lower MTD
 * @comp: name of the compressor, empty for the default
 * @name: name of the new device, empty for the default
 * @size: exported size in bytes, 0 if it follows from @ratio
 * @ratio: exported size in percent of the media, 0 for the default
 * @level: compression level or MTDC_LEVEL_DEFAULT
 * @policy: allocation policy
 * @store: how pages are kept
 * @spread: bound of the difference of erase counts, 0 for the default
 * @wearlevel: page writes for each page that is moved for even wear, 0 if none is, or
 *	MTDC_WEARLEVEL_DEFAULT
 * @cache: use the eraseblock cache
 * @sync: is the kernel to swap in at once, and alone?
 */
struct mtdc_opts {
	char mtd[MTDC_OPT_NAME_MAX];
	char comp[MTDC_OPT_NAME_MAX];
	char name[MTDC_OPT_NAME_MAX];
	u64 size;
	u32 ratio;
	int level;
	enum mtdc_alloc_policy policy;
	enum mtdc_store_kind store;
	u32 spread;
	u32 wearlevel;
	bool cache;
	enum mtdc_sync sync;
};

int mtdc_opts_parse(struct mtdc_opts *opts, const char *text,
		    const char **reason);
bool mtdc_opts_is_number(const char *text, u32 *number);
const char *mtdc_opts_policy_name(enum mtdc_alloc_policy policy);

#endif /* MTDC_OPTS_H */
