// SPDX-License-Identifier: GPL-2.0
/*
 * The block device /dev/mtdcompr<N>, which swap should use.
 *
 * This file owns the disk, its two queues of bios and the freed swap slots. It turns bios into
 * calls of the page buffers, under store.lock. dev.c adds and removes the disk; the block layer
 * and the swap code call the rest.
 *
 * On memory submit_bio() does the I/O itself. Other media have drivers with locks. A task that
 * holds such a lock and allocates memory may swap out, so submit_bio() must never take a lock
 * of a driver below: workers write to such media, and read from them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/freezer.h>
#include <linux/highmem.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/numa.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/swap.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "dev.h"
#include "front_blk.h"

/* Pages that are forgotten, or zeroed, before store.lock is given up. A guess. */
#define FORGET_BATCH	256U

/*
 * A submitter waits while this many pages wait for the worker. Without a bound all of the memory
 * comes under writeback to slow flash, and the OOM killer runs (guest test swapubi). With fewer
 * than the SWAP_CLUSTER_MAX pages that reclaim takes off its list at a time, most pages are
 * written before reclaim puts them back, so it does not find them at the list's end, and swaps out
 * others instead. block-device.rst has figures for half and twice of this.
 *
 * A page counts until it is written. It stays under writeback until its bio ends, which may have
 * 31 more pages, or a huge page.
 */
#define QUEUED_MAX	(2 * SWAP_CLUSTER_MAX)

/*
 * A submitter may hold the chip's lock that the worker needs. So it stops waiting when no page was
 * written for 10 s: longer than any flash takes for one.
 */
#define STUCK_AFTER	(10 * HZ)

/* The freezer does not wake waiting submitters, so they look for it this often. */
#define LOOK_AFTER	(HZ / 2)

/* The most that bi_size can hold: kernels before 6.12 do not cut larger requests. */
#define MAX_SECTORS	(round_down(UINT_MAX, PAGE_SIZE) >> SECTOR_SHIFT)

/* A process that exits frees thousands of slots at once: collect them for this long. */
#define FREE_DELAY	(HZ / 20)

static struct mtdc_dev *dev_of(const struct gendisk *disk)
{
	return disk->private_data;
}

static void forget(struct mtdc_dev *dev, u32 page)
{
	lockdep_assert_held(&dev->store.lock);
	/* No user waits for this, so do not count an error if the media are gone. */
	if (!dev->store.lower.mtd)
		return;
	mtdc_pagebuf_erase(&dev->pagebuf, page, 1);
	dev->store.stats.slots_freed++;
}

/* Forget up to @max pages of freed slots. Are there more? */
static bool forget_freed(struct mtdc_dev *dev, unsigned int max)
{
	lockdep_assert_held(&dev->store.lock);
	while (max--) {
		u32 page = mtdc_slots_take(&dev->blk.slots);

		if (page == MTDC_SLOTS_NONE)
			return false;
		forget(dev, page);
	}
	return true;
}

static void forget_all_freed(struct mtdc_dev *dev)
{
	bool more;

	do {
		mutex_lock(&dev->store.lock);
		more = forget_freed(dev, FORGET_BATCH);
		mutex_unlock(&dev->store.lock);
		cond_resched();
	} while (more);
}

static void free_work(struct work_struct *work)
{
	struct mtdc_blk *blk = container_of(to_delayed_work(work), struct mtdc_blk, free_work);

	forget_all_freed(container_of(blk, struct mtdc_dev, blk));
}

/* Called with spin locks held. */
static void blk_slot_free(struct block_device *bdev, unsigned long slot)
{
	struct mtdc_blk *blk = &dev_of(bdev->bd_disk)->blk;

	/* Slots count from where the swap begins. */
	slot += get_start_sect(bdev) >> (PAGE_SHIFT - SECTOR_SHIFT);
	if (mtdc_slots_note(&blk->slots, slot) && !delayed_work_pending(&blk->free_work))
		schedule_delayed_work(&blk->free_work, FREE_DELAY);
}

/* Is current writing the image of a hibernation (not reclaiming memory for it)? */
static bool is_image_writer(void)
{
	return (current->flags & (PF_SUSPEND_TASK | PF_MEMALLOC)) == PF_SUSPEND_TASK;
}

static int blk_open(struct gendisk *disk, blk_mode_t mode)
{
	struct mtdc_dev *dev = dev_of(disk);
	int err;

	if (mode & BLK_OPEN_WRITE && is_image_writer()) {
		pr_notice_ratelimited("%s: no hibernation to %s: after power-on the image could not be found\n",
				      dev->name, disk->disk_name);
		return -EOPNOTSUPP;
	}
	err = mtdc_users_enter_blk(&dev->users, mode & BLK_OPEN_WRITE);
	if (err == -EBUSY)
		pr_notice_ratelimited("%s: %s can't be opened for writing: its MTD is open\n",
				      dev->name, disk->disk_name);
	return err;
}

static void blk_release(struct gendisk *disk)
{
	struct mtdc_dev *dev = dev_of(disk);

	/* The next user may write through the MTD, which does not look at freed slots. */
	forget_all_freed(dev);
	mtdc_users_leave_blk(&dev->users);
}

/* If a whole page finds no space, forget pages of freed slots and try again. */
static int write_whole(struct mtdc_dev *dev, u64 to, const u8 *from)
{
	struct mtdc_store *store = &dev->store;
	size_t done = 0;
	int err;

	for (;;) {
		store->page.may_retry = atomic_read(&dev->blk.slots.noted);
		err = mtdc_pagebuf_write(&dev->pagebuf, to, PAGE_SIZE, from,
					 &done);
		if (err != -ENOSPC || (!store->page.may_retry &&
				       !atomic_read(&dev->blk.slots.noted)))
			break;
		forget_freed(dev, FORGET_BATCH);
	}
	store->page.may_retry = false;
	return err;
}

static int write_bytes(struct mtdc_dev *dev, u64 to, u32 bytes, const u8 *from)
{
	size_t done = 0;

	lockdep_assert_held(&dev->store.lock);
	if (mtdc_slots_take_page(&dev->blk.slots, to >> PAGE_SHIFT))
		forget(dev, to >> PAGE_SHIFT);
	if (bytes == PAGE_SIZE)
		return write_whole(dev, to, from);
	/* A refused piece drops the pieces before it, so it cannot be tried again. */
	while (forget_freed(dev, FORGET_BATCH))
		;
	return mtdc_pagebuf_write(&dev->pagebuf, to, bytes, from, &done);
}

static int read_bytes(struct mtdc_dev *dev, u64 at, u32 bytes, u8 *data)
{
	size_t done = 0;

	return mtdc_pagebuf_read(&dev->pagebuf, at, bytes, data, &done);
}

static int transfer_locked(struct mtdc_dev *dev, u64 at, u32 bytes, u8 *data, bool write)
{
	int err;

	mutex_lock(&dev->store.lock);
	if (write)
		err = write_bytes(dev, at, bytes, data);
	else
		err = read_bytes(dev, at, bytes, data);
	mutex_unlock(&dev->store.lock);
	return err;
}

/* Compress the page before taking store.lock. */
static int write_page(struct mtdc_dev *dev, struct mtdc_scratch *scratch, u64 at, u8 *data)
{
	struct mtdc_store *store = &dev->store;
	int err;

	mtdc_store_prepare(store, scratch, at >> PAGE_SHIFT, data);
	mutex_lock(&store->lock);
	store->page.prepared = scratch;
	err = write_bytes(dev, at, PAGE_SIZE, data);
	store->page.prepared = NULL;
	mutex_unlock(&store->lock);
	return err;
}

/* Decompress the page after giving store.lock up. */
static int read_page(struct mtdc_dev *dev, struct mtdc_scratch *scratch, u64 at, u8 *data)
{
	struct mtdc_store *store = &dev->store;
	u32 page = at >> PAGE_SHIFT;
	bool fetched;
	int err = 0;

	mutex_lock(&store->lock);
	fetched = mtdc_pagebuf_fetch(&dev->pagebuf, scratch, page);
	if (!fetched)
		err = read_bytes(dev, at, PAGE_SIZE, data);
	mutex_unlock(&store->lock);
	if (fetched)
		err = mtdc_store_finish(store, scratch, page, data);
	return err == -EBADMSG ? transfer_locked(dev, at, PAGE_SIZE, data, false) : err;
}

/* A whole page, on memory, with several CPUs. */
static int transfer_beside(struct mtdc_dev *dev, u64 at, u8 *data, bool write)
{
	struct mtdc_scratch *scratch = mtdc_scratch_get(&dev->store.scratches);
	int err;

	if (write)
		err = write_page(dev, scratch, at, data);
	else
		err = read_page(dev, scratch, at, data);
	mtdc_scratch_put(scratch);
	return err;
}

static u8 *map_page(struct page *page)
{
	/* The flags may tell where a page is. The kernel changes other bits of them meanwhile. */
	return data_race(kmap_local_page(page));
}

/* @bytes are within one page of the device, and within one page of memory. */
static int transfer(struct mtdc_dev *dev, u64 at, u32 bytes, struct page *page, u32 offset,
		    bool write)
{
	u8 *data = map_page(page);
	int err;

	if (write)
		flush_dcache_page(page);
	/* A whole page of both, so @offset is 0. */
	if (bytes == PAGE_SIZE && dev->store.scratches.n)
		err = transfer_beside(dev, at, data, write);
	else
		err = transfer_locked(dev, at, bytes, data + offset, write);
	kunmap_local(data);
	if (!write)
		flush_dcache_page(page);
	return err;
}

/* With O_DIRECT a piece of memory may lie across two pages of the device. */
static int transfer_piece(struct mtdc_dev *dev, u64 at, const struct bio_vec *bv, bool write)
{
	u32 done = 0;
	int err = 0;

	while (!err && done < bv->bv_len) {
		u32 bytes = min_t(u32, bv->bv_len - done, PAGE_SIZE - offset_in_page(at + done));

		err = transfer(dev, at + done, bytes, bv->bv_page, bv->bv_offset + done, write);
		done += bytes;
	}
	return err;
}

static int forget_pages(struct mtdc_dev *dev, u32 first, u32 n)
{
	int err;

	mutex_lock(&dev->store.lock);
	err = mtdc_pagebuf_erase(&dev->pagebuf, first, n);
	mutex_unlock(&dev->store.lock);
	return err;
}

static int zero_pages(struct mtdc_dev *dev, u32 first, u32 n)
{
	const u8 *zeroes = page_address(ZERO_PAGE(0));
	int err = 0;

	mutex_lock(&dev->store.lock);
	for (; n && !err; n--, first++)
		err = write_bytes(dev, (u64)first << PAGE_SHIFT, PAGE_SIZE, zeroes);
	mutex_unlock(&dev->store.lock);
	return err;
}

/* A bio may have half a page though blocks are pages: a striped disk of small chunks cuts them. */
static int for_pages(struct mtdc_dev *dev, const struct bio *bio,
		     int (*what)(struct mtdc_dev *dev, u32 first, u32 n))
{
	u32 page = bio->bi_iter.bi_sector >> (PAGE_SHIFT - SECTOR_SHIFT);
	u32 end = page + (bio->bi_iter.bi_size >> PAGE_SHIFT);
	int err = 0;

	if ((bio->bi_iter.bi_sector | bio_sectors(bio)) & ((PAGE_SIZE >> SECTOR_SHIFT) - 1))
		return -EOPNOTSUPP;
	while (!err && page < end) {
		u32 n = min(end - page, FORGET_BATCH);

		err = what(dev, page, n);
		page += n;
		cond_resched();
	}
	return err;
}

static int flush(struct mtdc_dev *dev)
{
	int err;

	mutex_lock(&dev->store.lock);
	err = mtdc_pagebuf_sync(&dev->pagebuf);
	mutex_unlock(&dev->store.lock);
	return err;
}

static int transfer_next(struct mtdc_dev *dev, struct mtdc_blk_job *job)
{
	struct bio_vec bv = bio_iter_iovec(job->bio, job->rest);
	int err;

	err = transfer_piece(dev, job->at, &bv, op_is_write(bio_op(job->bio)));
	bio_advance_iter(job->bio, &job->rest, bv.bv_len);
	/* A piece need not be whole sectors, so @rest cannot tell this. */
	job->at += bv.bv_len;
	return err;
}

static int do_next(struct mtdc_dev *dev, struct mtdc_blk_job *job)
{
	switch (bio_op(job->bio)) {
	case REQ_OP_READ:
	case REQ_OP_WRITE:
		return transfer_next(dev, job);
	case REQ_OP_DISCARD:
		job->rest.bi_size = 0;
		return for_pages(dev, job->bio, forget_pages);
	case REQ_OP_WRITE_ZEROES:
		job->rest.bi_size = 0;
		return for_pages(dev, job->bio, zero_pages);
	default:
		return -EOPNOTSUPP;
	}
}

/* Does the bio write whole pages, without a flush? */
static bool is_page_write(const struct bio *bio)
{
	struct bvec_iter iter;
	struct bio_vec bv;

	if (bio_op(bio) != REQ_OP_WRITE || bio->bi_opf & (REQ_PREFLUSH | REQ_FUA))
		return false;
	bio_for_each_segment(bv, bio, iter)
		if (bv.bv_len != PAGE_SIZE)
			return false;
	return true;
}

static bool may_be_refused(struct mtdc_dev *dev, const struct bio *bio)
{
	/* An old answer does no harm: screen_pages() asks again under store.lock. */
	if (likely(!data_race(mtdc_backoff_pending(&dev->store.backoff))))
		return false;
	return is_page_write(bio) && !atomic_read(&dev->blk.slots.noted);
}

/*
 * Check all pages of a bio before the first one is written. If one is refused, the kernel writes
 * all of them again, and the pages before it would have been stored in vain.
 */
static int screen_pages(struct mtdc_dev *dev, const struct bio *bio)
{
	struct bvec_iter iter;
	struct bio_vec bv;
	int err = 0;

	/* Without media the write has to fail, but not for lack of space. */
	if (!dev->store.lower.mtd)
		return 0;
	bio_for_each_segment(bv, bio, iter) {
		u8 *data = map_page(bv.bv_page);

		flush_dcache_page(bv.bv_page);
		err = mtdc_store_screen(&dev->store, data + bv.bv_offset, PAGE_SIZE);
		kunmap_local(data);
		if (err)
			break;
	}
	return err;
}

/* On full media, is this bio refused without a try? */
static int screen(struct mtdc_dev *dev, const struct bio *bio, bool may_wait)
{
	int err;

	if (likely(!may_be_refused(dev, bio)))
		return 0;
	if (may_wait)
		mutex_lock(&dev->store.lock);
	else if (!mutex_trylock(&dev->store.lock))
		return 0;
	err = screen_pages(dev, bio);
	mutex_unlock(&dev->store.lock);
	return err;
}

static int begin(struct mtdc_dev *dev, struct mtdc_blk_job *job, struct bio *bio)
{
	int err = 0;

	job->bio = bio;
	job->rest = bio->bi_iter;
	job->at = (u64)bio->bi_iter.bi_sector << SECTOR_SHIFT;
	job->start = bio_start_io_acct(bio);
	if (bio->bi_opf & REQ_PREFLUSH)
		err = flush(dev);
	/* A file system that is mounted read-only may write all the same. */
	if (!err && job->rest.bi_size && op_is_write(bio_op(bio)))
		err = mtdc_users_blk_writes(&dev->users);
	return err ? err : screen(dev, bio, true);
}

static void end(struct mtdc_dev *dev, struct mtdc_blk_job *job, int err)
{
	struct bio *bio = job->bio;

	job->bio = NULL;
	if (!err && bio->bi_opf & REQ_FUA)
		err = flush(dev);
	bio_end_io_acct(bio, job->start);
	/* Keep the error of a chained bio that failed before. */
	if (err)
		bio->bi_status = errno_to_blk_status(err);
	bio_endio(bio);
}

/* Begin @next, if there is one, and do the next piece of @job. */
static void step(struct mtdc_dev *dev, struct mtdc_blk_job *job, struct bio *next)
{
	int err = next ? begin(dev, job, next) : 0;

	if (!err && job->rest.bi_size)
		err = do_next(dev, job);
	if (err)
		job->rest.bi_size = 0;
	if (!job->rest.bi_size)
		end(dev, job, err);
}

static void carry_out(struct mtdc_dev *dev, struct bio *bio)
{
	struct mtdc_blk_job job;

	step(dev, &job, bio);
	while (job.bio) {
		/* A bio of huge pages may have hundreds of MiB. */
		cond_resched();
		step(dev, &job, NULL);
	}
}

/* How much the bio adds to mtdc_blk.queued: a huge page is swapped out by one bio. */
static unsigned int pages_of(const struct bio *bio)
{
	if (bio_op(bio) != REQ_OP_WRITE)
		return 1;
	return max(bio->bi_iter.bi_size >> PAGE_SHIFT, 1U);
}

/* The worker of the writes has done a step: wake submitters if that gives room. */
static void progress(struct mtdc_blk *blk)
{
	struct mtdc_blk_job *job = &blk->writes.job;
	unsigned int left = job->rest.bi_size >> PAGE_SHIFT;
	unsigned int room = job->room - left;

	job->room = left;
	spin_lock(&blk->queue_lock);
	blk->progress = jiffies;
	blk->queued -= room;
	spin_unlock(&blk->queue_lock);
	if (room)
		wake_up(&blk->room);
}

/*
 * Do one page, or one bio without pages. The freezer waits for work that has begun, a bio may have
 * hundreds of pages, and slow flash takes seconds for one.
 */
static void queue_work_fn(struct work_struct *work)
{
	struct mtdc_blk_queue *queue = container_of(work, struct mtdc_blk_queue, work);
	spinlock_t *lock = &queue->dev->blk.queue_lock;
	struct bio *next = NULL;
	bool more;

	spin_lock(lock);
	if (!queue->job.bio)
		next = bio_list_pop(&queue->bios);
	more = !bio_list_empty(&queue->bios);
	spin_unlock(lock);
	if (next)
		queue->job.room = pages_of(next);
	if (next || queue->job.bio) {
		step(queue->dev, &queue->job, next);
		if (queue == &queue->dev->blk.writes)
			progress(&queue->dev->blk);
	}
	if (more || queue->job.bio)
		queue_work(queue->wq, work);
}

/*
 * Writes stop when kernel threads are frozen, so these must not wait for room. Programs are frozen
 * earlier, while the worker still writes: they wait as ever.
 */
static bool is_freezing(void)
{
	return current->flags & PF_KTHREAD && freezing(current);
}

static bool take_room(struct mtdc_blk *blk, unsigned int pages)
{
	bool room;

	spin_lock(&blk->queue_lock);
	room = blk->queued < QUEUED_MAX || is_freezing() ||
		time_after(jiffies, blk->progress + STUCK_AFTER);
	if (room && !blk->queued)
		blk->progress = jiffies;
	if (room)
		blk->queued += pages;
	spin_unlock(&blk->queue_lock);
	return room;
}

static void queue(struct mtdc_dev *dev, struct bio *bio)
{
	bool write = op_is_write(bio_op(bio));
	struct mtdc_blk *blk = &dev->blk;
	struct mtdc_blk_queue *queue = write ? &blk->writes : &blk->reads;

	/*
	 * Full media refuse pages by the thousand, and each would cost two context switches. Do not
	 * wait for the lock: its holder may wait for this task.
	 */
	if (screen(dev, bio, false)) {
		bio_end_io_acct(bio, bio_start_io_acct(bio));
		bio->bi_status = BLK_STS_NOSPC;
		bio_endio(bio);
		return;
	}
	while (write && !wait_event_timeout(blk->room, take_room(blk, pages_of(bio)), LOOK_AFTER))
		;
	spin_lock(&blk->queue_lock);
	bio_list_add(&queue->bios, bio);
	spin_unlock(&blk->queue_lock);
	queue_work(queue->wq, &queue->work);
}

static void blk_submit_bio(struct bio *bio)
{
	struct mtdc_dev *dev = dev_of(bio_gendisk(bio));

	/*
	 * A program that hibernates opens the disk before it freezes the others. On flash it
	 * would wait forever, as the worker of the writes is frozen.
	 */
	if (op_is_write(bio_op(bio)) && is_image_writer())
		bio_io_error(bio);
	else if (dev->blk.memory)
		carry_out(dev, bio);
	else
		queue(dev, bio);
}

/*
 * Kernels up to 6.2 swap a page without a bio, and after an error try again with one. They do
 * not check @sector, which a damaged file system may have put anywhere.
 */
static int __maybe_unused blk_rw_page(struct gendisk *disk, sector_t sector, struct page *page,
				      bool write)
{
	struct mtdc_dev *dev = dev_of(disk);
	int err;

	/* The capacity is whole pages. */
	if (sector & ((PAGE_SIZE >> SECTOR_SHIFT) - 1) || sector >= get_capacity(disk))
		return -EINVAL;
	err = write ? mtdc_users_blk_writes(&dev->users) : 0;
	return err ? err : transfer(dev, (u64)sector << SECTOR_SHIFT, PAGE_SIZE, page, 0, write);
}

COMPAT_BLK_OPS(blk_open, blk_release, blk_submit_bio, blk_rw_page)

static const struct block_device_operations blk_ops = {
	.owner = THIS_MODULE,
	.open = COMPAT_BLK_OP(blk_open),
	.release = COMPAT_BLK_OP(blk_release),
	.submit_bio = COMPAT_BLK_OP(blk_submit_bio),
	.swap_slot_free_notify = blk_slot_free,
};

/* Up to 6.2 a kernel swaps in synchronously if there is rw_page(). */
static const struct block_device_operations blk_sync_ops = {
	.owner = THIS_MODULE,
	.open = COMPAT_BLK_OP(blk_open),
	.release = COMPAT_BLK_OP(blk_release),
	.submit_bio = COMPAT_BLK_OP(blk_submit_bio),
	.swap_slot_free_notify = blk_slot_free,
	COMPAT_BLK_RW_PAGE(blk_rw_page)
};

static void set_limits(const struct mtdc_blk *blk, struct queue_limits *limits)
{
	limits->logical_block_size = PAGE_SIZE;
	limits->physical_block_size = PAGE_SIZE;
	limits->io_min = PAGE_SIZE;
	limits->io_opt = PAGE_SIZE;
	limits->discard_granularity = PAGE_SIZE;
	limits->max_hw_discard_sectors = MAX_SECTORS;
	limits->max_write_zeroes_sectors = MAX_SECTORS;
	/* A page is compressed where it is: it must not change meanwhile. */
	limits->features = BLK_FEAT_STABLE_WRITES;
	/* A flush writes the eraseblock cache, or the pages of the log that fill no unit yet. */
	if (!blk->memory)
		limits->features |= BLK_FEAT_WRITE_CACHE;
	if (blk->sync)
		limits->features |= BLK_FEAT_SYNCHRONOUS;
}

/**
 * mtdc_blk_add() - add the disk
 * @dev: the device, complete otherwise
 *
 * Return: 0, or the error of the block layer.
 */
int mtdc_blk_add(struct mtdc_dev *dev)
{
	struct queue_limits limits = { };
	struct gendisk *disk;
	int err;

	set_limits(&dev->blk, &limits);
	disk = blk_alloc_disk(&limits, NUMA_NO_NODE);
	if (IS_ERR(disk))
		return PTR_ERR(disk);
	strscpy(disk->disk_name, dev->blk.name, sizeof(disk->disk_name));
	disk->fops = dev->blk.sync ? &blk_sync_ops : &blk_ops;
	disk->flags |= GENHD_FL_NO_PART;
	disk->private_data = dev;
	set_capacity(disk, dev->store.geo.size_bytes >> SECTOR_SHIFT);
	err = add_disk(disk);
	if (err) {
		put_disk(disk);
		return err;
	}
	WRITE_ONCE(dev->blk.disk, disk);
	return 0;
}

/**
 * mtdc_blk_remove() - take the disk away, if there is one
 * @dev: the device, closed by mtdc_users_close()
 */
void mtdc_blk_remove(struct mtdc_dev *dev)
{
	if (!dev->blk.disk)
		return;
	del_gendisk(dev->blk.disk);
	put_disk(dev->blk.disk);
	dev->blk.disk = NULL;
	cancel_delayed_work_sync(&dev->blk.free_work);
}

static int create_queue(struct mtdc_dev *dev, struct mtdc_blk_queue *queue, unsigned int flags)
{
	queue->dev = dev;
	bio_list_init(&queue->bios);
	INIT_WORK(&queue->work, queue_work_fn);
	queue->wq = alloc_workqueue("%s%s", WQ_MEM_RECLAIM | WQ_UNBOUND | flags, 1,
				    dev->blk.name, queue == &dev->blk.reads ? "r" : "w");
	return queue->wq ? 0 : -ENOMEM;
}

static void destroy_queue(struct mtdc_blk_queue *queue)
{
	if (queue->wq)
		destroy_workqueue(queue->wq);
}

/**
 * mtdc_blk_create() - allocate for the block device
 * @dev: the device, its store created, and its @blk.memory set
 *
 * Return: 0 or -ENOMEM.
 */
int mtdc_blk_create(struct mtdc_dev *dev)
{
	struct mtdc_blk *blk = &dev->blk;
	u32 pages = dev->store.geo.size_bytes >> PAGE_SHIFT;
	void *memory;

	snprintf(blk->name, sizeof(blk->name), "mtdcompr%u", dev->nr);
	spin_lock_init(&blk->queue_lock);
	init_waitqueue_head(&blk->room);
	INIT_DELAYED_WORK(&blk->free_work, free_work);
	/* Rather no device than an OOM kill. */
	memory = __vmalloc(mtdc_slots_memory(pages),
			   GFP_KERNEL | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!memory)
		return -ENOMEM;
	mtdc_slots_init(&blk->slots, memory, pages);
	if (blk->memory)
		return 0;
	/*
	 * Writes stop with the freezer. The flash must not be programmed when its controller is
	 * suspended, nor when our tables are in the image of a hibernation. (UBI may still finish
	 * an erase that takes more than 10 s.) Reads go on: the kernel may need a page that is
	 * swapped out.
	 */
	if (create_queue(dev, &blk->writes, WQ_FREEZABLE) || create_queue(dev, &blk->reads, 0)) {
		mtdc_blk_destroy(dev);
		return -ENOMEM;
	}
	return 0;
}

/**
 * mtdc_blk_destroy() - free what mtdc_blk_create() has allocated
 * @dev: the device, its disk removed
 */
void mtdc_blk_destroy(struct mtdc_dev *dev)
{
	destroy_queue(&dev->blk.reads);
	destroy_queue(&dev->blk.writes);
	vfree(dev->blk.slots.bits);
}
