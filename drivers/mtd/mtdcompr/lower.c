// SPDX-License-Identifier: GPL-2.0
/*
 * The only file that calls the MTD below.
 *
 * It knows how to get hold of an MTD, whether it has to be erased, and what
 * its return codes mean. It does not know what is stored there.
 *
 * Every call runs in the swap-out path, that is, while memory is reclaimed, or
 * in a worker that reclaim waits for; and the driver below may allocate memory
 * (block2mtd fills the page cache, nandsim allocates the pages of its chip).
 * If that allocation entered reclaim, it would wait for swap-out, which waits
 * for us. So calls are made with PF_MEMALLOC, where an allocation does not
 * reclaim but takes from the reserves that are kept for writers like us, and
 * as GFP_NOIO, for what strips PF_MEMALLOC on its way.
 *
 * A driver that writes to the page cache (block2mtd) is made to wait while much of it is
 * dirty. Much is a share of what is free, which is next to nothing when memory is being
 * reclaimed; and kswapd, which would change that, waits with us for each page. So calls
 * are made with PF_LOCAL_THROTTLE, as loop devices do their I/O: what counts is only
 * whether the device below falls behind.
 *
 * They may also run within submit_bio() of the block device above, where there is
 * no I/O scheduler. What a driver below submits there (block2mtd does) is put on
 * the list of that call, to be carried out when it returns; and as its driver
 * waits for it, that is never. So the list is out of sight meanwhile.
 *
 * The MTD is held by a reference, which keeps its module in the kernel. It may
 * go nevertheless: its driver can be unbound, a partition can be deleted. The
 * MTD core tells its notifiers first and waits for them, so that is where the
 * hold ends; after that every use is refused.
 *
 * A UBI volume is held as an MTD that nobody else knows (lower_ubi.c), which does not
 * go; or as the one that gluebi makes of it. Its erases are done by a worker, who is
 * not waited for without end, as UBI may wait for us (lower_eraser.c).
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
#include "lower_ubi.h"
#include "opts.h"

/* How often and how long to wait where the lower driver got no memory. */
#define ENOMEM_TRIES	10U
#define ENOMEM_WAIT_MS	20U

/* What the ECC could not correct may be right the next time. */
#define ECC_TRIES	2U

/* All holds; protected by mtd_table_mutex, as only notifiers touch it. */
static LIST_HEAD(holds);

/* Serialises visits to the table of MTDs, and protects the visitor. */
static DEFINE_MUTEX(visit_lock);

static struct {
	struct mtdc_lower *lower;
	const char *which;
	u32 number;
	bool by_number;
	bool getting;
	int err;
} visitor;

/* What to restore after a call. */
struct call_scope {
	struct bio_list *bio_list;
	unsigned int flags;
	unsigned int noreclaim;
	unsigned int noio;
};

static struct call_scope call_scope_enter(void)
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

static void call_scope_leave(struct call_scope scope)
{
	memalloc_noreclaim_restore(scope.noreclaim);
	memalloc_noio_restore(scope.noio);
	current_restore_flags(scope.flags, PF_LOCAL_THROTTLE);
	current->bio_list = scope.bio_list;
}

/*
 * The reserves are for all who reclaim, and may be empty for the moment. A
 * page that can't be swapped in for that would cost its process its life.
 */
static bool wait_for_memory(unsigned int *tries)
{
	if (!*tries)
		return false;
	--*tries;
	msleep(ENOMEM_WAIT_MS);
	return true;
}

static u64 offset_in_master(const struct mtd_info *mtd)
{
	u64 offset = 0;

	for (; mtd->parent; mtd = mtd->parent)
		offset += mtd->part.offset;
	return offset;
}

static bool share_media(struct mtd_info *a, struct mtd_info *b)
{
	u64 from_a = offset_in_master(a);
	u64 from_b = offset_in_master(b);

	return mtd_get_master(a) == mtd_get_master(b) &&
		from_a < from_b + b->size && from_b < from_a + a->size;
}

/* Called with mtd_table_mutex held. */
static int hold(struct mtdc_lower *lower, struct mtd_info *mtd)
{
	struct mtdc_lower *other;
	int err;

	/*
	 * A partition that was deleted while it was open stays in the table of
	 * MTDs until it is closed, but its notifiers have been told: nobody
	 * would tell us that its master goes.
	 */
	if (mtd_is_partition(mtd) && list_empty(&mtd->part.node))
		return -ENODEV;
	list_for_each_entry(other, &holds, node)
		if (share_media(other->mtd, mtd))
			return -EBUSY;
	err = __get_mtd_device(mtd);
	if (err)
		return err;
	mutex_lock(lower->lock);
	lower->mtd = mtd;
	mutex_unlock(lower->lock);
	list_add(&lower->node, &holds);
	return 0;
}

/* Called with mtd_table_mutex held. */
static void let_go(struct mtdc_lower *lower)
{
	struct mtd_info *mtd = lower->mtd;

	/* Whoever is inside the MTD comes out before it may go. */
	mutex_lock(lower->lock);
	lower->mtd = NULL;
	mutex_unlock(lower->lock);
	list_del(&lower->node);
	if (lower->eraser)
		mtdc_eraser_wait(lower->eraser);
	__put_mtd_device(mtd);
}

static void ignore(struct mtd_info *mtd)
{
}

/* The MTD core waits for this before the MTD goes. */
static void watch_remove(struct mtd_info *mtd)
{
	struct mtdc_lower *lower, *next;

	list_for_each_entry_safe(lower, next, &holds, node) {
		if (lower->mtd == mtd) {
			pr_err("MTD %d \"%s\" has gone\n", mtd->index,
			       mtd->name);
			let_go(lower);
		}
	}
}

static struct mtd_notifier watch = {
	.add = ignore,
	.remove = watch_remove,
};

static void visit_add(struct mtd_info *mtd)
{
	bool wanted;

	if (!visitor.getting || visitor.err != -ENODEV)
		return;
	if (visitor.by_number)
		wanted = mtd->index == visitor.number;
	else
		wanted = mtd->name && !strcmp(mtd->name, visitor.which);
	if (wanted)
		visitor.err = hold(visitor.lower, mtd);
}

static void visit_remove(struct mtd_info *mtd)
{
	if (!visitor.getting && visitor.lower->mtd == mtd)
		let_go(visitor.lower);
}

/*
 * visit() - get or let go of an MTD with mtd_table_mutex held
 *
 * The mutex is private to the MTD core, but a notifier is called under it for
 * each MTD there is when it is registered, and again when it is unregistered.
 * So no MTD comes or goes between being found and being held.
 */
static void visit(void)
{
	static struct mtd_notifier notifier = {
		.add = visit_add,
		.remove = visit_remove,
	};

	lockdep_assert_held(&visit_lock);
	register_mtd_user(&notifier);
	unregister_mtd_user(&notifier);
}

/**
 * mtdc_lower_init() - begin to watch MTDs go
 *
 * Context: process, may sleep, takes mtd_table_mutex.
 */
void mtdc_lower_init(void)
{
	register_mtd_user(&watch);
}

/**
 * mtdc_lower_exit() - end it
 *
 * Context: process, may sleep, takes mtd_table_mutex. Nothing is held.
 */
void mtdc_lower_exit(void)
{
	unregister_mtd_user(&watch);
}

static int call_erase(struct mtd_info *mtd, u64 offset, u32 bytes)
{
	struct erase_info instr = { .addr = offset, .len = bytes };
	struct call_scope scope = call_scope_enter();
	int err = mtd_erase(mtd, &instr);

	call_scope_leave(scope);
	return err;
}

static const char *why_not_held(int err)
{
	switch (err) {
	case -ENODEV:
		return "no such MTD";
	case -EBUSY:
		return "a device is on this MTD, or on part of it, already";
	default:
		return "its driver refuses to open it";
	}
}

static int get_mtd(struct mtdc_lower *lower, const char *which,
		   const char **reason)
{
	int err;

	mutex_lock(&visit_lock);
	visitor.lower = lower;
	visitor.getting = true;
	visitor.which = which;
	visitor.by_number = mtdc_opts_is_number(which, &visitor.number);
	visitor.err = -ENODEV;
	visit();
	err = visitor.err;
	mutex_unlock(&visit_lock);
	*reason = why_not_held(err);
	return err;
}

static int get_volume(struct mtdc_lower *lower, const char *which,
		      const char **reason)
{
	int err = mtdc_lower_ubi_open(which, &lower->volume, reason);

	if (err)
		return err;
	mutex_lock(lower->lock);
	lower->mtd = lower->volume;
	mutex_unlock(lower->lock);
	return 0;
}

/* Have a worker erase, if what is held is a UBI volume. */
static int employ_eraser(struct mtdc_lower *lower)
{
	struct mtdc_eraser *eraser;
	bool wanted;

	mutex_lock(lower->lock);
	wanted = lower->mtd && mtdc_lower_is_ubi(lower);
	mutex_unlock(lower->lock);
	if (!wanted)
		return 0;
	eraser = mtdc_eraser_create(call_erase);
	if (!eraser)
		return -ENOMEM;
	mutex_lock(lower->lock);
	lower->eraser = eraser;
	mutex_unlock(lower->lock);
	return 0;
}

/**
 * mtdc_lower_get() - get hold of an MTD, or of a UBI volume
 * @lower: the hold, zeroed
 * @owners_lock: what the caller holds whenever it uses @lower
 * @which: number or name of the MTD; or UBI's name of the volume, unless there is
 *	an MTD of that name
 * @reason: why not
 *
 * Context: process, may sleep, takes mtd_table_mutex and
 * @owners_lock.
 * Return: 0; -ENODEV if there is no such MTD, -EBUSY if its media are held
 * already, -EROFS for a volume that can't be written, -ENOMEM, or the error of
 * its driver.
 */
int mtdc_lower_get(struct mtdc_lower *lower, struct mutex *owners_lock,
		   const char *which, const char **reason)
{
	int err;

	lower->lock = owners_lock;
	err = get_mtd(lower, which, reason);
	if (err == -ENODEV)
		err = get_volume(lower, which, reason);
	if (err)
		return err;
	err = employ_eraser(lower);
	if (err) {
		*reason = "not enough memory";
		mtdc_lower_put(lower);
	}
	return err;
}

static void put_mtd(struct mtdc_lower *lower)
{
	mutex_lock(&visit_lock);
	visitor.lower = lower;
	visitor.getting = false;
	visit();
	mutex_unlock(&visit_lock);
}

static void put_volume(struct mtdc_lower *lower)
{
	mutex_lock(lower->lock);
	lower->mtd = NULL;
	mutex_unlock(lower->lock);
	if (lower->eraser)
		mtdc_eraser_wait(lower->eraser);
	mtdc_lower_ubi_close(lower->volume);
	lower->volume = NULL;
}

/**
 * mtdc_lower_put() - let go of an MTD, unless it has gone
 * @lower: the hold
 *
 * Context: process, may sleep, takes mtd_table_mutex and the hold's lock.
 */
void mtdc_lower_put(struct mtdc_lower *lower)
{
	if (lower->volume)
		put_volume(lower);
	else
		put_mtd(lower);
	mtdc_eraser_destroy(lower->eraser);
	lower->eraser = NULL;
}

/**
 * mtdc_lower_is_ubi() - is it a UBI volume?
 * @lower: the hold
 *
 * UBI levels wear, scrubs, and replaces eraseblocks that go bad.
 *
 * Context: any, the hold's lock held, the MTD is there.
 * Return: true if it is.
 */
bool mtdc_lower_is_ubi(const struct mtdc_lower *lower)
{
	lockdep_assert_held(lower->lock);
	return lower->mtd->type == MTD_UBIVOLUME;
}

/**
 * mtdc_lower_needs_erase() - has this MTD to be erased before it is rewritten?
 * @lower: the hold
 *
 * Context: any, the hold's lock held, the MTD is there.
 * Return: true if it has.
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
 * Then its driver has no reason to sleep. By its type alone it may as well be a disk
 * (block2mtd).
 *
 * Context: process, the owner's lock held.
 * Return: true if it is.
 */
bool mtdc_lower_is_memory(const struct mtdc_lower *lower)
{
	const struct mtd_info *master = mtd_get_master(lower->mtd);

	lockdep_assert_held(lower->lock);
	return master->_point && lower->mtd->flags & MTD_NO_ERASE;
}

/**
 * mtdc_lower_is_volatile() - does it lose its contents with the power?
 * @lower: the hold
 *
 * What its driver calls RAM. It may be a PCM, have a battery, or be a disk (block2mtd),
 * which no driver says.
 *
 * Context: any, the hold's lock held, the MTD is there.
 * Return: true if it may.
 */
bool mtdc_lower_is_volatile(const struct mtdc_lower *lower)
{
	lockdep_assert_held(lower->lock);
	return lower->mtd->type == MTD_RAM;
}

/**
 * mtdc_lower_wears() - is wear to be levelled by us?
 * @lower: the hold
 *
 * What is RAM to its driver may be a PCM nevertheless.
 *
 * Context: any, the hold's lock held, the MTD is there.
 * Return: false if the media are RAM, or UBI does it.
 */
bool mtdc_lower_wears(const struct mtdc_lower *lower)
{
	lockdep_assert_held(lower->lock);
	return !mtdc_lower_is_volatile(lower) && !mtdc_lower_is_ubi(lower);
}

/**
 * mtdc_lower_suits() - can pages be stored on this MTD?
 * @lower: the hold
 * @erased: will it be erased block by block?
 * @reason: why not
 *
 * Context: process, may sleep, the hold's lock held, the MTD is there.
 * Return: 0; -EROFS if it is read-only or locked, -EOPNOTSUPP if it needs
 * erasing and will not be erased, -EINVAL if it would be erased for nothing.
 */
int mtdc_lower_suits(const struct mtdc_lower *lower, bool erased,
		     const char **reason)
{
	const struct mtd_info *mtd = lower->mtd;

	lockdep_assert_held(lower->lock);
	if (!(mtd->flags & MTD_WRITEABLE)) {
		*reason = "it is read-only";
		return -EROFS;
	}
	/* Otherwise it is asked of each block by itself. */
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
 * mtdc_lower_describe() - say what the MTD is like
 * @lower: the hold
 * @flash: what is to be filled in
 *
 * Context: process, the hold's lock held, the MTD is there.
 */
void mtdc_lower_describe(const struct mtdc_lower *lower,
			 struct mtdc_flash *flash)
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

/* What is there, while it is erased, is nobody's business. */
static bool is_erasing(const struct mtdc_lower *lower, u64 offset, u32 bytes)
{
	return lower->eraser && mtdc_eraser_is_at(lower->eraser, offset, bytes);
}

/**
 * mtdc_lower_read() - read from the media
 * @lower: the hold; the MTD is there
 * @offset: where, in bytes
 * @to: where to
 * @bytes: how much
 * @flips: set if more bits than is healthy had flipped, and were corrected;
 *	may be NULL. That is no error: the data are right
 *
 * Context: may sleep, the hold's lock held.
 * Return: 0, or a negative error; -EBADMSG if the ECC can't correct what was
 * read nevertheless, a short read is -EIO.
 */
int mtdc_lower_read(struct mtdc_lower *lower, u64 offset, void *to, u32 bytes,
		    bool *flips)
{
	unsigned int tries = ENOMEM_TRIES;
	unsigned int again = ECC_TRIES;
	size_t done = 0;
	int err;

	if (is_erasing(lower, offset, bytes))
		return -EBUSY;
	do {
		struct call_scope scope = call_scope_enter();

		err = mtd_read(lower->mtd, offset, bytes, &done, to);
		call_scope_leave(scope);
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
 * @lower: the hold; the MTD is there
 * @offset: where, in bytes
 * @from: where from
 * @bytes: how much
 *
 * Context: may sleep, the hold's lock held.
 * Return: 0, or a negative error; a short write is -EIO.
 */
int mtdc_lower_write(struct mtdc_lower *lower, u64 offset, const void *from,
		     u32 bytes)
{
	unsigned int tries = ENOMEM_TRIES;
	size_t all = 0;
	int err;

	if (is_erasing(lower, offset, bytes))
		return -EBUSY;
	do {
		struct call_scope scope = call_scope_enter();
		size_t done = 0;

		/* On from where it stopped: flash takes nothing twice. */
		err = mtd_write(lower->mtd, offset + all, bytes - all, &done,
				from + all);
		call_scope_leave(scope);
		all += done;
		/* A block of flash may be many writes to its driver. */
		if (done)
			tries = ENOMEM_TRIES;
	} while (err == -ENOMEM && wait_for_memory(&tries));
	return !err && all != bytes ? -EIO : err;
}

/**
 * mtdc_lower_erase() - erase a part of the media
 * @lower: the hold; the MTD is there
 * @offset: where, in bytes; the start of an eraseblock
 * @bytes: how much, whole eraseblocks
 *
 * Context: may sleep, the hold's lock held.
 * Return: 0, or a negative error; -ENOMEM if UBI takes too long.
 */
int mtdc_lower_erase(struct mtdc_lower *lower, u64 offset, u32 bytes)
{
	unsigned int tries = ENOMEM_TRIES;
	int err;

	do {
		err = lower->eraser ?
			mtdc_eraser_erase(lower->eraser, lower->mtd, offset,
					  bytes) :
			call_erase(lower->mtd, offset, bytes);
	} while (err == -ENOMEM && wait_for_memory(&tries));
	/* It wants memory, from us, so that no eraseblock is to blame. */
	return lower->eraser && err == -EBUSY ? -ENOMEM : err;
}

/**
 * mtdc_lower_is_bad() - is this eraseblock marked bad?
 * @lower: the hold; the MTD is there
 * @offset: where it begins, in bytes
 *
 * Context: may sleep, the hold's lock held.
 * Return: 1 if it is, 0 if not or if the MTD has no bad blocks, or a negative
 * error.
 */
int mtdc_lower_is_bad(struct mtdc_lower *lower, u64 offset)
{
	struct call_scope scope = call_scope_enter();
	int bad = mtd_block_isbad(lower->mtd, offset);

	call_scope_leave(scope);
	return bad > 0 ? 1 : bad;
}

/**
 * mtdc_lower_is_locked() - is a part of the media locked?
 * @lower: the hold; the MTD is there
 * @offset: where it begins, in bytes
 * @bytes: its length
 *
 * Not all drivers report writes to what is locked as failed.
 *
 * Context: may sleep, the hold's lock held.
 * Return: true if it is; false if not, or if the MTD can't tell.
 */
bool mtdc_lower_is_locked(const struct mtdc_lower *lower, u64 offset, u64 bytes)
{
	struct call_scope scope = call_scope_enter();
	bool locked = mtd_is_locked(lower->mtd, offset, bytes) > 0;

	call_scope_leave(scope);
	return locked;
}

/**
 * mtdc_lower_mark_bad() - mark an eraseblock bad, where the MTD can
 * @lower: the hold; the MTD is there
 * @offset: where it begins, in bytes
 *
 * Context: may sleep, the hold's lock held.
 */
void mtdc_lower_mark_bad(struct mtdc_lower *lower, u64 offset)
{
	struct call_scope scope = call_scope_enter();
	int err = 0;

	if (mtd_can_have_bb(lower->mtd))
		err = mtd_block_markbad(lower->mtd, offset);
	call_scope_leave(scope);
	if (err)
		pr_warn("MTD %d: the eraseblock at %#llx can't be marked bad: %d\n",
			lower->mtd->index, offset, err);
}

/**
 * mtdc_lower_sync() - have the MTD finish what it was given
 * @lower: the hold; the MTD is there
 *
 * Context: may sleep, the hold's lock held.
 */
void mtdc_lower_sync(struct mtdc_lower *lower)
{
	struct call_scope scope = call_scope_enter();

	mtd_sync(lower->mtd);
	call_scope_leave(scope);
}
