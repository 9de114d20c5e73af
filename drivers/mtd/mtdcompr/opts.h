/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The option string that attaches a device.
 *
 * All functions may be called in any context.
 */
#ifndef MTDC_OPTS_H
#define MTDC_OPTS_H

#include <linux/types.h>

#include "inplace_freelist.h"

#define MTDC_OPT_NAME_MAX	64U	/* bytes of a name, with its NUL */
#define MTDC_LEVEL_DEFAULT	INT_MIN	/* the backend's own choice */
#define MTDC_WEARLEVEL_DEFAULT	U32_MAX	/* depends on the media */

/**
 * enum mtdc_store_kind - how the store keeps pages
 * @MTDC_STORE_AUTO: a log on media that have to be erased, otherwise in place
 * @MTDC_STORE_INPLACE: rewritten in place
 * @MTDC_STORE_LOG: appended to a log
 */
enum mtdc_store_kind {
	MTDC_STORE_AUTO,
	MTDC_STORE_INPLACE,
	MTDC_STORE_LOG
};

/**
 * enum mtdc_crypt - whether pages are encrypted
 * @MTDC_CRYPT_AUTO: if the media keep them without power
 * @MTDC_CRYPT_ON: yes
 * @MTDC_CRYPT_OFF: no
 */
enum mtdc_crypt {
	MTDC_CRYPT_AUTO,
	MTDC_CRYPT_ON,
	MTDC_CRYPT_OFF
};

/* The option sync=: whether to tell the kernel that the block device is synchronous. */
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
 * @store: how the store keeps pages
 * @spread: bound for the difference of erase counts, 0 for the default
 * @wearlevel: page writes for each page that is moved for even wear, 0 for no moves, or
 *	MTDC_WEARLEVEL_DEFAULT
 * @cache: use the eraseblock cache
 * @crypt: whether pages are encrypted
 * @wipe: overwrite freed pages
 * @sync: whether the kernel swaps in synchronously, without readahead
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
	enum mtdc_crypt crypt;
	bool wipe;
	enum mtdc_sync sync;
};

int mtdc_opts_parse(struct mtdc_opts *opts, const char *text, const char **reason);
bool mtdc_opts_is_number(const char *text, u32 *number);
const char *mtdc_opts_policy_name(enum mtdc_alloc_policy policy);

#endif /* MTDC_OPTS_H */
