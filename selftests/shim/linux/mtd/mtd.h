/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MTD_MTD_H
#define SHIM_LINUX_MTD_MTD_H

#include <sys/types.h>

#include <linux/errno.h>
#include <linux/types.h>

#define MTD_UBIVOLUME	7
#define MTD_WRITEABLE	0x400

struct erase_info {
	u64 addr;
	u64 len;
};

struct mtd_info {
	int index;
	const char *name;
	u8 type;
	u32 flags;
	u64 size;
	u32 erasesize;
	u32 writesize;
	u32 writebufsize;
	int (*_read)(struct mtd_info *mtd, loff_t from, size_t len, size_t *retlen, u_char *buf);
	int (*_write)(struct mtd_info *mtd, loff_t to, size_t len, size_t *retlen,
		      const u_char *buf);
	int (*_erase)(struct mtd_info *mtd, struct erase_info *instr);
	void (*_sync)(struct mtd_info *mtd);
};

static inline bool mtd_is_eccerr(int err)
{
	return err == -EBADMSG;
}

#endif
