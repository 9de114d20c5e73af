/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The MTD below.
 */
#ifndef MTDC_LOWER_H
#define MTDC_LOWER_H

#include <linux/list.h>
#include <linux/types.h>

struct mtd_info;
struct mtdc_eraser;
struct mutex;

/**
 * struct mtdc_lower - a hold on the MTD below
 * @mtd: (L) the MTD, or NULL after it has gone
 * @lock: (I) the owner's lock, held during each use of @mtd
 * @node: (T) entry in the list of all holds; not for @volume
 * @media: (I) the media in the address space, to be read while @mtd is there, or NULL
 * @gone: (L) what to do when the MTD has gone, with @lock held, or NULL
 * @volume: (I) the MTD that stands for a UBI volume, if the hold is on a volume
 * @eraser: (I) the worker that erases, if the MTD is a UBI volume
 *
 * I: constant while held. L: @lock; without @volume, @mtd changes under mtd_table_mutex and
 * @lock. T: mtd_table_mutex.
 */
struct mtdc_lower {
	struct mtd_info *mtd;
	struct mutex *lock;	/* the owner's */
	struct list_head node;
	const u8 *media;
	void (*gone)(struct mtdc_lower *lower);
	struct mtd_info *volume;
	struct mtdc_eraser *eraser;
};

/**
 * struct mtdc_flash - properties of an MTD
 * @bytes: its size
 * @block_bytes: size of an eraseblock
 * @write_bytes: unit of writing
 * @subpage_bytes: smallest unit that can be programmed
 * @buffer_bytes: preferred size of a write
 * @bad_blocks: eraseblocks can be bad
 * @managed: UBI levels wear, scrubs, and replaces bad eraseblocks
 */
struct mtdc_flash {
	u64 bytes;
	u32 block_bytes;
	u32 write_bytes;
	u32 subpage_bytes;
	u32 buffer_bytes;
	bool bad_blocks;
	bool managed;
};

void mtdc_lower_init(void);
void mtdc_lower_exit(void);
int mtdc_lower_get(struct mtdc_lower *lower, struct mutex *owners_lock,
		   const char *which, const char **reason);
void mtdc_lower_put(struct mtdc_lower *lower);
bool mtdc_lower_is_ubi(const struct mtdc_lower *lower);
bool mtdc_lower_needs_erase(const struct mtdc_lower *lower);
bool mtdc_lower_is_memory(const struct mtdc_lower *lower);
bool mtdc_lower_is_volatile(const struct mtdc_lower *lower);
bool mtdc_lower_wears(const struct mtdc_lower *lower);
int mtdc_lower_suits(const struct mtdc_lower *lower, bool erased, const char **reason);
void mtdc_lower_describe(const struct mtdc_lower *lower, struct mtdc_flash *flash);
int mtdc_lower_read(struct mtdc_lower *lower, u64 offset, void *to, u32 bytes, bool *flips);
int mtdc_lower_write(struct mtdc_lower *lower, u64 offset, const void *from, u32 bytes);
int mtdc_lower_erase(struct mtdc_lower *lower, u64 offset, u32 bytes);
int mtdc_lower_is_bad(struct mtdc_lower *lower, u64 offset);
bool mtdc_lower_is_locked(const struct mtdc_lower *lower, u64 offset, u64 bytes);
void mtdc_lower_mark_bad(struct mtdc_lower *lower, u64 offset);
void mtdc_lower_sync(struct mtdc_lower *lower);

#endif /* MTDC_LOWER_H */
