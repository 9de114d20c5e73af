// SPDX-License-Identifier: GPL-2.0
/*
 * The only file that calls the MTD below.
 *
 * It owns the holds: the references to the MTDs that our devices are on. It must never look
 * at the stored bytes, and never use an MTD after its removal. dev.c gets, examines and puts
 * the MTD; the stores and ebcache.c read, write and erase it.
 *
 * Calls run during reclaim: in a task that swaps a page out, or in a worker that this task
 * waits for. The MTD's driver may allocate memory: block2mtd fills the page cache, nandsim
 * allocates the pages of its chip. If that allocation entered reclaim, reclaim would wait for
 * swap-out, and swap-out for us. So a call sets
 *
 * - PF_MEMALLOC: the allocation does not reclaim, but may use the reserves;
 * - PF_MEMALLOC_NOIO: if a driver drops PF_MEMALLOC, its reclaim starts no I/O;
 * - PF_LOCAL_THROTTLE: a writer to the page cache (block2mtd) waits only if its own disk falls
 *   behind. Otherwise it waits while much of the free memory is dirty, that is, nearly always
 *   during reclaim. Loop devices do the same.
 *
 * mtdblock without an I/O scheduler calls us inside submit_bio(). A bio that block2mtd submits
 * there goes to current->bio_list, and starts when the outer submit_bio() returns. block2mtd
 * waits for it, inside our call, so it would wait for ever. A call hides the list: the bio
 * starts at once.
 *
 * A reference keeps the module of the MTD's driver, but not the MTD: a driver can be unbound,
 * a partition deleted. Before that, the MTD core calls our notifier and waits for it. The
 * notifier ends the hold, and later requests fail with ENODEV.
 *
 * Get and put take the hold's lock. All other functions are called with it held, while the MTD
 * is there; those that call the MTD may sleep.
 *
 * lower_ubi.c makes an MTD of a UBI volume, known to this file only; gluebi makes a registered
 * one. On both, a worker erases (lower_eraser.c), because UBI's erase may wait for us.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/mtd/mtd.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/string.h>

#include "lower.h"
#include "lower_eraser.h"
#include "lower_point.h"
#include "lower_ubi.h"
#include "opts.h"

/* A guess: the reserves fill up again within 200 ms, and a page fault can wait as long. */
#define ENOMEM_TRIES	10U
#define ENOMEM_WAIT_MS	20U

/* More reads after an error that the ECC can't correct; a guess. */
#define ECC_TRIES	2U

/* All holds but those on volumes; protected by mtd_table_mutex. */
static LIST_HEAD(holds);

/* The state of current before a call, for call_leave(). */
struct call_scope {
	struct bio_list *bio_list;
	unsigned int flags;
	unsigned int noreclaim;
	unsigned int noio;
};

static struct call_scope call_enter(void)
{
	struct call_scope scope;

	scope.bio_list = current->bio_list;
	current->bio_list = NULL;
	scope.flags = current->flags;
	current->flags |= PF_LOCAL_THROTTLE;
	scope.noio = memalloc_noio_save();
	scope.noreclaim = memalloc_noreclaim_save();
	return scope;
}

static void call_leave(struct call_scope scope)
{
	memalloc_noreclaim_restore(scope.noreclaim);
	memalloc_noio_restore(scope.noio);
	current_restore_flags(scope.flags, PF_LOCAL_THROTTLE);
	current->bio_list = scope.bio_list;
}

/* Call the MTD: @call is a function of the MTD core that returns an int. */
#define call_lower(call) ({				\
	struct call_scope scope = call_enter();		\
	int ret = (call);				\
							\
	call_leave(scope);				\
	ret;						\
})

/* If a page can't be swapped in, the kernel kills its process. So do not fail at once. */
static bool wait_for_memory(unsigned int *tries)
{
	if (!*tries)
		return false;
	--*tries;
	msleep(ENOMEM_WAIT_MS);
	return true;
}

static int call_erase(struct mtd_info *mtd, u64 offset, u32 bytes)
{
	struct erase_info instr = { .addr = offset, .len = bytes };

	return call_lower(mtd_erase(mtd, &instr));
}

/* The end of @mtd in its master; with SLC emulation, mtd->size is half of part.size. */
static u64 end_in_master(struct mtd_info *mtd)
{
	return mtd_get_master_ofs(mtd, mtd_is_partition(mtd) ? mtd->part.size : mtd->size);
}

static bool share_media(struct mtd_info *a, struct mtd_info *b)
{
	return mtd_get_master(a) == mtd_get_master(b) &&
		mtd_get_master_ofs(a, 0) < end_in_master(b) &&
		mtd_get_master_ofs(b, 0) < end_in_master(a);
}

static int begin_use(struct mtdc_lower *lower, struct mtd_info *mtd)
{
	if (mtd->type == MTD_UBIVOLUME) {
		lower->eraser = mtdc_eraser_create(call_erase);
		if (!lower->eraser)
			return -ENOMEM;
	}
	lower->media = mtdc_point_begin(mtd);
	mutex_lock(lower->lock);
	lower->mtd = mtd;
	mutex_unlock(lower->lock);
	return 0;
}

/* When this returns, no request of ours is inside the MTD. */
static void end_use(struct mtdc_lower *lower)
{
	struct mtd_info *mtd = lower->mtd;

	mutex_lock(lower->lock);
	lower->mtd = NULL;
	mutex_unlock(lower->lock);
	mtdc_point_end(mtd, lower->media);
	lower->media = NULL;
	mtdc_eraser_destroy(lower->eraser);
	lower->eraser = NULL;
}

static int hold(struct mtdc_lower *lower, struct mtd_info *mtd)
{
	struct mtdc_lower *other;
	int err;

	lockdep_assert_held(&mtd_table_mutex);
	/*
	 * A partition that was deleted while open stays in the MTD core's table until its last
	 * user closes it. Our notifier has had its call, and gets none if the master goes.
	 */
	if (mtd_is_partition(mtd) && list_empty(&mtd->part.node))
		return -ENODEV;
	list_for_each_entry(other, &holds, node)
		if (share_media(other->mtd, mtd))
			return -EBUSY;
	err = __get_mtd_device(mtd);
	if (err)
		return err;
	err = begin_use(lower, mtd);
	if (err) {
		__put_mtd_device(mtd);
		return err;
	}
	list_add(&lower->node, &holds);
	return 0;
}

static void let_go(struct mtdc_lower *lower)
{
	struct mtd_info *mtd = lower->mtd;

	lockdep_assert_held(&mtd_table_mutex);
	end_use(lower);
	list_del(&lower->node);
	__put_mtd_device(mtd);
}

static void ignore_add(struct mtd_info *mtd)
{
}

static void watch_remove(struct mtd_info *mtd)
{
	struct mtdc_lower *lower;

	list_for_each_entry(lower, &holds, node) {
		if (lower->mtd == mtd) {
			pr_err("MTD %d \"%s\" has gone\n", mtd->index, mtd->name);
			let_go(lower);
			mutex_lock(lower->lock);
			if (lower->gone)
				lower->gone(lower);
			mutex_unlock(lower->lock);
			return;
		}
	}
}

static struct mtd_notifier watch = {
	.add = ignore_add,
	.remove = watch_remove,
};

/**
 * mtdc_lower_init() - start to watch for MTDs that go
 *
 * Context: may sleep, takes mtd_table_mutex.
 */
void mtdc_lower_init(void)
{
	register_mtd_user(&watch);
}

/**
 * mtdc_lower_exit() - stop watching; no hold is left
 *
 * Context: may sleep, takes mtd_table_mutex.
 */
void mtdc_lower_exit(void)
{
	unregister_mtd_user(&watch);
}

/* mtd_table_mutex is held throughout, so the MTD can't go between lookup and hold. */
static int get_mtd(struct mtdc_lower *lower, const char *which)
{
	struct mtd_info *mtd;
	int err = -ENODEV;
	bool by_number;
	u32 number;

	by_number = mtdc_opts_is_number(which, &number);
	mutex_lock(&mtd_table_mutex);
	for (mtd = __mtd_next_device(0); mtd && err == -ENODEV;
	     mtd = __mtd_next_device(mtd->index + 1))
		if (by_number ? mtd->index == number : mtd->name && !strcmp(mtd->name, which))
			err = hold(lower, mtd);
	mutex_unlock(&mtd_table_mutex);
	return err;
}

static int get_volume(struct mtdc_lower *lower, const char *which, const char **reason)
{
	int err = mtdc_lower_ubi_open(which, &lower->volume, reason);

	if (err)
		return err;
	err = begin_use(lower, lower->volume);
	if (err) {
		*reason = "not enough memory";
		mtdc_lower_ubi_close(lower->volume);
		lower->volume = NULL;
	}
	return err;
}

/**
 * mtdc_lower_get() - hold an MTD or a UBI volume
 * @lower: the hold, zeroed
 * @owners_lock: the lock that the caller holds whenever it uses @lower
 * @which: number or name of the MTD; if no MTD has this name, UBI's name of a volume
 * @reason: set to the reason of an error, in words
 *
 * Context: may sleep, takes mtd_table_mutex and @owners_lock.
 * Return: 0; -ENODEV if no MTD has this name, -EBUSY if its media are in use by one of our
 * devices, -EROFS for a volume that can't be written, -ENOMEM, or the error of its driver.
 */
int mtdc_lower_get(struct mtdc_lower *lower, struct mutex *owners_lock,
		   const char *which, const char **reason)
{
	int err;

	lower->lock = owners_lock;
	err = get_mtd(lower, which);
	switch (err) {
	case 0:
		return 0;
	case -ENODEV:
		*reason = "no such MTD";
		return get_volume(lower, which, reason);
	case -EBUSY:
		*reason = "a device is on this MTD, or on part of it, already";
		return err;
	case -ENOMEM:
		*reason = "not enough memory";
		return err;
	default:
		*reason = "its driver refuses to open it";
		return err;
	}
}

/**
 * mtdc_lower_put() - let go of an MTD, unless it has gone
 * @lower: the hold
 *
 * Context: may sleep, takes mtd_table_mutex and the hold's lock.
 */
void mtdc_lower_put(struct mtdc_lower *lower)
{
	if (lower->volume) {
		end_use(lower);
		mtdc_lower_ubi_close(lower->volume);
		lower->volume = NULL;
	} else {
		mutex_lock(&mtd_table_mutex);
		if (lower->mtd)
			let_go(lower);
		mutex_unlock(&mtd_table_mutex);
	}
}

/**
 * mtdc_lower_is_ubi() - is it a UBI volume?
 * @lower: the hold
 *
 * UBI levels wear, scrubs, and replaces eraseblocks that go bad.
 *
 * Return: true if it is.
 */
bool mtdc_lower_is_ubi(const struct mtdc_lower *lower)
{
	lockdep_assert_held(lower->lock);
	return lower->mtd->type == MTD_UBIVOLUME;
}

/**
 * mtdc_lower_needs_erase() - does it need an erase before a rewrite?
 * @lower: the hold
 *
 * Return: true if it does.
 */
bool mtdc_lower_needs_erase(const struct mtdc_lower *lower)
{
	lockdep_assert_held(lower->lock);
	return !(lower->mtd->flags & MTD_NO_ERASE);
}

/**
 * mtdc_lower_is_memory() - is it memory that the processor addresses?
 * @lower: the hold
 *
 * Such a driver has _point and does not sleep. The type does not tell: a disk behind
 * block2mtd is RAM, too.
 *
 * Return: true if it is.
 */
bool mtdc_lower_is_memory(const struct mtdc_lower *lower)
{
	const struct mtd_info *master = mtd_get_master(lower->mtd);

	return master->_point && !mtdc_lower_needs_erase(lower);
}

/**
 * mtdc_lower_is_volatile() - does it lose its contents without power?
 * @lower: the hold
 *
 * Drivers give the type RAM also to a PCM, to RAM with a battery, and to a disk (block2mtd).
 *
 * Return: true if it may.
 */
bool mtdc_lower_is_volatile(const struct mtdc_lower *lower)
{
	lockdep_assert_held(lower->lock);
	return lower->mtd->type == MTD_RAM;
}

/**
 * mtdc_lower_wears() - do we have to level its wear?
 * @lower: the hold
 *
 * Return: false for RAM (a PCM, if its driver calls it RAM), and for UBI, which levels wear.
 */
bool mtdc_lower_wears(const struct mtdc_lower *lower)
{
	return !mtdc_lower_is_volatile(lower) && !mtdc_lower_is_ubi(lower);
}

/**
 * mtdc_lower_suits() - can pages be stored on this MTD?
 * @lower: the hold
 * @erased: the user has asked for store=log or cache=1, which erase
 * @reason: set to the reason of an error, in words
 *
 * Return: 0; -EROFS if it is read-only or locked, -EOPNOTSUPP if it needs an erase and
 * @erased is false, -EINVAL if it needs none and @erased is true.
 */
int mtdc_lower_suits(const struct mtdc_lower *lower, bool erased, const char **reason)
{
	const struct mtd_info *mtd = lower->mtd;

	lockdep_assert_held(lower->lock);
	if (!(mtd->flags & MTD_WRITEABLE)) {
		*reason = "it is read-only";
		return -EROFS;
	}
	/* With erases, the scan asks for each eraseblock. */
	if (!erased && mtdc_lower_is_locked(lower, 0, mtd->size)) {
		*reason = "it is locked, see flash_unlock";
		return -EROFS;
	}
	if (erased && !mtdc_lower_needs_erase(lower)) {
		*reason = "it need not be erased, leave out cache=1 and store=log";
		return -EINVAL;
	}
	if (!erased && mtdc_lower_needs_erase(lower)) {
		*reason = "it has to be erased before a rewrite, which store=log or cache=1 does";
		return -EOPNOTSUPP;
	}
	return 0;
}

/**
 * mtdc_lower_describe() - tell the properties of the MTD
 * @lower: the hold
 * @flash: set to the properties
 */
void mtdc_lower_describe(const struct mtdc_lower *lower, struct mtdc_flash *flash)
{
	const struct mtd_info *mtd = lower->mtd;

	lockdep_assert_held(lower->lock);
	flash->bytes = mtd->size;
	flash->block_bytes = mtd->erasesize;
	flash->write_bytes = mtd->writesize;
	flash->subpage_bytes = mtd->writesize >> mtd->subpage_sft;
	flash->buffer_bytes = mtd->writebufsize;
	flash->bad_blocks = mtd_can_have_bb(mtd);
	flash->managed = mtdc_lower_is_ubi(lower);
}

/* Is the worker still erasing there, though we have stopped waiting for it? */
static bool is_erasing(const struct mtdc_lower *lower, u64 offset, u32 bytes)
{
	return lower->eraser && mtdc_eraser_is_at(lower->eraser, offset, bytes);
}

/**
 * mtdc_lower_read() - read from the media
 * @lower: the hold
 * @offset: offset in the MTD, in bytes
 * @to: destination
 * @bytes: number of bytes
 * @flips: set to true if the ECC has corrected so many bits that the block needs scrubbing;
 *	or NULL. The read succeeds
 *
 * Return: 0; -EBADMSG if the ECC can't correct the data, which are in @to nevertheless;
 * -EBUSY during an erase that takes too long; -EIO after a short read, or another error of
 * the MTD.
 */
int mtdc_lower_read(struct mtdc_lower *lower, u64 offset, void *to, u32 bytes, bool *flips)
{
	unsigned int tries = ENOMEM_TRIES;
	unsigned int again = ECC_TRIES;
	size_t done = 0;
	int err;

	if (is_erasing(lower, offset, bytes))
		return -EBUSY;
	do {
		err = call_lower(mtd_read(lower->mtd, offset, bytes, &done, to));
	} while ((err == -ENOMEM && wait_for_memory(&tries)) ||
		 (mtd_is_eccerr(err) && again--));
	if (mtd_is_bitflip(err)) {
		err = 0;
		if (flips)
			*flips = true;
	}
	return !err && done != bytes ? -EIO : err;
}

/**
 * mtdc_lower_write() - write to the media
 * @lower: the hold
 * @offset: offset in the MTD, in bytes
 * @from: source
 * @bytes: number of bytes
 *
 * Return: 0; -EBUSY during an erase that takes too long, -EIO after a short write, or another
 * error of the MTD.
 */
int mtdc_lower_write(struct mtdc_lower *lower, u64 offset, const void *from, u32 bytes)
{
	unsigned int tries = ENOMEM_TRIES;
	size_t all = 0;
	int err;

	if (is_erasing(lower, offset, bytes))
		return -EBUSY;
	do {
		size_t done = 0;

		/* Continue after the last written byte: flash can't be programmed twice. */
		err = call_lower(mtd_write(lower->mtd, offset + all, bytes - all, &done,
					   from + all));
		all += done;
		/* The driver may write an eraseblock in many steps, each with an allocation. */
		if (done)
			tries = ENOMEM_TRIES;
	} while (err == -ENOMEM && wait_for_memory(&tries));
	return !err && all != bytes ? -EIO : err;
}

/**
 * mtdc_lower_erase() - erase eraseblocks
 * @lower: the hold
 * @offset: offset of the first eraseblock in the MTD, in bytes
 * @bytes: number of bytes, a multiple of the size of an eraseblock
 *
 * Return: 0; -ENOMEM if UBI takes too long, or another error of the MTD.
 */
int mtdc_lower_erase(struct mtdc_lower *lower, u64 offset, u32 bytes)
{
	unsigned int tries = ENOMEM_TRIES;
	int err;

	do {
		err = lower->eraser ?
			mtdc_eraser_erase(lower->eraser, lower->mtd, offset, bytes) :
			call_erase(lower->mtd, offset, bytes);
	} while (err == -ENOMEM && wait_for_memory(&tries));
	/* UBI waits for memory; the eraseblock has not failed, as any other error would say. */
	return lower->eraser && err == -EBUSY ? -ENOMEM : err;
}

/**
 * mtdc_lower_is_bad() - is this eraseblock marked bad?
 * @lower: the hold
 * @offset: offset of the eraseblock in the MTD, in bytes
 *
 * Return: over 0 if it is, 0 if not or if the MTD has no bad blocks, or a negative error.
 */
int mtdc_lower_is_bad(struct mtdc_lower *lower, u64 offset)
{
	return call_lower(mtd_block_isbad(lower->mtd, offset));
}

/**
 * mtdc_lower_is_locked() - is a part of the media locked?
 * @lower: the hold
 * @offset: offset in the MTD, in bytes
 * @bytes: number of bytes
 *
 * A write does not tell: some drivers report success for a locked block.
 *
 * Return: true if it is; false if not, or if the MTD can't tell.
 */
bool mtdc_lower_is_locked(const struct mtdc_lower *lower, u64 offset, u64 bytes)
{
	return call_lower(mtd_is_locked(lower->mtd, offset, bytes)) > 0;
}

/**
 * mtdc_lower_mark_bad() - mark an eraseblock bad, if the MTD supports that
 * @lower: the hold
 * @offset: offset of the eraseblock in the MTD, in bytes
 */
void mtdc_lower_mark_bad(struct mtdc_lower *lower, u64 offset)
{
	int err;

	if (!mtd_can_have_bb(lower->mtd))
		return;
	err = call_lower(mtd_block_markbad(lower->mtd, offset));
	if (err)
		pr_warn("MTD %d: the eraseblock at %#llx can't be marked bad: %d\n",
			lower->mtd->index, offset, err);
}

/**
 * mtdc_lower_sync() - wait until the MTD's driver has written everything
 * @lower: the hold
 */
void mtdc_lower_sync(struct mtdc_lower *lower)
{
	struct call_scope scope = call_enter();

	mtd_sync(lower->mtd);
	call_leave(scope);
}
