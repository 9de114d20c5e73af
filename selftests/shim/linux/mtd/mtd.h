/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of MTDs and of the MTD core that the driver uses; fuzz/mtdcore.c is the core. */
#ifndef SHIM_LINUX_MTD_MTD_H
#define SHIM_LINUX_MTD_MTD_H

#include <sys/types.h>

#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define MTD_RAM			1
#define MTD_NORFLASH		3
#define MTD_NANDFLASH		4
#define MTD_UBIVOLUME		7
#define MTD_WRITEABLE		0x400
#define MTD_BIT_WRITEABLE	0x800
#define MTD_NO_ERASE		0x1000
#define MTD_CAP_RAM		(MTD_WRITEABLE | MTD_BIT_WRITEABLE | MTD_NO_ERASE)

struct module;

struct erase_info {
	u64 addr;
	u64 len;
	u64 fail_addr;
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
	unsigned int subpage_sft;
	struct module *owner;
	void *priv;
	struct mtd_info *parent;
	struct {
		struct list_head node;
		u64 offset;
		u64 size;
	} part;
	int usecount;
	int (*_point)(struct mtd_info *mtd, loff_t from, size_t len, size_t *retlen,
		      void **virt, unsigned long *phys);
	int (*_read)(struct mtd_info *mtd, loff_t from, size_t len, size_t *retlen,
		     u_char *buf);
	int (*_write)(struct mtd_info *mtd, loff_t to, size_t len, size_t *retlen,
		      const u_char *buf);
	int (*_erase)(struct mtd_info *mtd, struct erase_info *instr);
	void (*_sync)(struct mtd_info *mtd);
	int (*_block_isbad)(struct mtd_info *mtd, loff_t at);
	int (*_block_markbad)(struct mtd_info *mtd, loff_t at);
	int (*_is_locked)(struct mtd_info *mtd, loff_t at, u64 len);
	int (*_get_device)(struct mtd_info *mtd);
	void (*_put_device)(struct mtd_info *mtd);
};

struct mtd_notifier {
	void (*add)(struct mtd_info *mtd);
	void (*remove)(struct mtd_info *mtd);
};

struct mtd_partition;
struct mtd_part_parser_data;

extern struct mutex mtd_table_mutex;

void register_mtd_user(struct mtd_notifier *user);
int unregister_mtd_user(struct mtd_notifier *user);
struct mtd_info *__mtd_next_device(int i);
int __get_mtd_device(struct mtd_info *mtd);
void __put_mtd_device(struct mtd_info *mtd);
struct mtd_info *get_mtd_device_nm(const char *name);
void put_mtd_device(struct mtd_info *mtd);
int mtd_device_parse_register(struct mtd_info *mtd, const char * const *types,
			      struct mtd_part_parser_data *data,
			      const struct mtd_partition *parts, int n);
int mtd_device_unregister(struct mtd_info *mtd);
int mtd_read(struct mtd_info *mtd, loff_t from, size_t len, size_t *retlen, u_char *buf);
int mtd_write(struct mtd_info *mtd, loff_t to, size_t len, size_t *retlen,
	      const u_char *buf);
int mtd_erase(struct mtd_info *mtd, struct erase_info *instr);
int mtd_block_isbad(struct mtd_info *mtd, loff_t at);
int mtd_block_markbad(struct mtd_info *mtd, loff_t at);
int mtd_is_locked(struct mtd_info *mtd, loff_t at, u64 len);
void mtd_sync(struct mtd_info *mtd);

static inline struct mtd_info *mtd_get_master(struct mtd_info *mtd)
{
	while (mtd->parent)
		mtd = mtd->parent;
	return mtd;
}

static inline u64 mtd_get_master_ofs(struct mtd_info *mtd, u64 at)
{
	for (; mtd->parent; mtd = mtd->parent)
		at += mtd->part.offset;
	return at;
}

static inline bool mtd_is_partition(const struct mtd_info *mtd)
{
	return mtd->parent;
}

static inline bool mtd_can_have_bb(const struct mtd_info *mtd)
{
	return mtd->_block_isbad;
}

static inline bool mtd_is_bitflip(int err)
{
	return err == -EUCLEAN;
}

static inline bool mtd_is_eccerr(int err)
{
	return err == -EBADMSG;
}

/* As a kernel with a kref has it, see include/compat/linux/mtd/mtd.h. */
#define compat_mtd_settle_users(mtd, n)	do { } while (0)

#endif
