// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "reclaim.h"

#ifndef F_GET_SEALS
#define F_GET_SEALS 1034
#define F_SEAL_SHRINK 2
#define F_SEAL_GROW 4
#endif

/* Entries that are copied at a time. */
#define CHUNK 512U
/* Objects that are locked at a time; and pages of them, unless a single one has more. */
#define BATCH 128U
#define BATCH_PAGES 1024U
/* Of a range: one call does not take long. */
#define CALL_BYTES (32ULL << 20)

/*
 * Objects do not lie over each other: together they have no more pages than the space, but for
 * those that were freed and made anew while the entries were looked at. A table that says so would
 * have this process work without end.
 */
#define PASS_SPACES 4U

struct batch {
	uint32_t n;
	uint64_t pages;
	struct { uint32_t nr; size_t bytes; } objects[BATCH];
	size_t ranges_n;
	struct iovec ranges[BATCH];
	uint64_t until_us;
	bool late;			/* the time was over before the last call, */
	uint32_t left;			/* and this was the first object that was not finished */
};

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/**
 * reclaim_shape() - look at the head of a table
 * @head: a copy of it, which does not change
 * @bytes: of the table as a whole
 * @shape: filled in
 *
 * PURE.
 *
 * Return: 0; -EPROTO: a table of another version, or none at all; -EINVAL: its numbers cannot be.
 */
int reclaim_shape(const struct marvin_table *head, uint64_t bytes, struct reclaim_shape *shape)
{
	uint64_t space_bytes, end;

	if (head->magic != TABLE_MAGIC || head->entry_bytes != sizeof(struct marvin_entry))
		return -EPROTO;
	if (!head->objects || head->objects > RECLAIM_OBJECTS ||
	    bytes < sizeof(*head) + head->objects * sizeof(struct marvin_entry))
		return -EINVAL;
	/* Of another size than this machine's it is no page. */
	if (head->page_bytes != (uint64_t)sysconf(_SC_PAGESIZE) || !head->space_pages ||
	    head->space_pages > UINT32_MAX || head->space % head->page_bytes)
		return -EINVAL;
	if (__builtin_mul_overflow(head->space_pages, head->page_bytes, &space_bytes) ||
	    __builtin_add_overflow(head->space, space_bytes, &end) || end > SIZE_MAX)
		return -EINVAL;
	shape->objects = head->objects;
	shape->page_bytes = head->page_bytes;
	shape->space = head->space;
	shape->space_pages = head->space_pages;
	return 0;
}

/**
 * reclaim_wants() - may an object be taken back?
 * @word: of its entry
 *
 * PURE.
 */
bool reclaim_wants(uint32_t word)
{
	return (word & (ENTRY_OCCUPIED | ENTRY_LAZY | ENTRY_RESIDENT)) ==
		       (ENTRY_OCCUPIED | ENTRY_LAZY | ENTRY_RESIDENT) &&
	       !(word & (ENTRY_LOCK | ENTRY_DIRTY | ENTRY_BUSY | ENTRY_BROKEN | ENTRY_PINS));
}

/**
 * reclaim_unlocked() - the word after the object was taken back
 * @word: before
 * @taken: it was; else it stays as it was before
 *
 * PURE. A lock that the program has taken away is no one's: nothing changes.
 */
uint32_t reclaim_unlocked(uint32_t word, bool taken)
{
	if (!(word & ENTRY_LOCK))
		return word;
	return word & ~(ENTRY_LOCK | (taken ? ENTRY_RESIDENT : 0));
}

/**
 * reclaim_range() - where an object is
 * @shape: of its table
 * @page: where its entry says that it begins
 * @pages: how many it says that it has
 * @range: filled in
 *
 * PURE.
 *
 * Return: false, if that cannot be.
 */
bool reclaim_range(const struct reclaim_shape *shape, uint32_t page, uint32_t pages,
		   struct iovec *range)
{
	if (!pages || page >= shape->space_pages || pages > shape->space_pages - page)
		return false;
	range->iov_base = (void *)(uintptr_t)(shape->space + (uint64_t)page * shape->page_bytes);
	range->iov_len = (size_t)pages * shape->page_bytes;
	return true;
}

static struct marvin_entry *entries(const struct reclaim *reclaim)
{
	return (struct marvin_entry *)(reclaim->table + 1);
}

/* read_at() - a touch of a hole would make a page there, at the expense of this process */
static int read_at(int fd, void *to, size_t bytes, size_t at)
{
	ssize_t n = pread(fd, to, bytes, (off_t)at);

	return n < 0 ? -errno : (size_t)n == bytes ? 0 : -EIO;
}

/* look() - is it memory that nobody can make smaller, and a table? */
static int look(struct reclaim *reclaim, int fd)
{
	int seals = fcntl(fd, F_GET_SEALS), err;
	struct marvin_table head;
	struct stat st;

	if (seals < 0 || (seals & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW))
		return -EPROTO;
	if (fstat(fd, &st))
		return -errno;
	if (st.st_size < (off_t)sizeof(head))
		return -EPROTO;
	err = read_at(fd, &head, sizeof(head), 0);
	if (!err)
		err = reclaim_shape(&head, (uint64_t)st.st_size, &reclaim->shape);
	reclaim->bytes = sizeof(head) + reclaim->shape.objects * sizeof(struct marvin_entry);
	return err;
}

/**
 * reclaim_open() - begin with a table
 * @reclaim: filled in
 * @fd: of the table, which reclaim_close() closes; if this fails it is closed already
 * @advise: has the kernel drop pages of the program
 * @arg: for @advise
 *
 * Return: 0; -EPROTO: a table of another version, or none at all; -EINVAL: its numbers cannot be;
 * or another negative errno.
 */
int reclaim_open(struct reclaim *reclaim, int fd, reclaim_advise advise, void *arg)
{
	int err;
	void *at;

	memset(reclaim, 0, sizeof(*reclaim));
	err = look(reclaim, fd);
	if (!err) {
		at = mmap(NULL, reclaim->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		err = at == MAP_FAILED ? -errno : 0;
	}
	if (err) {
		close(fd);
		return err;
	}
	/* Of a daemon that keeps its own memory: the program's may be swapped. */
	munlock(at, reclaim->bytes);
	reclaim->fd = fd;
	reclaim->table = at;
	reclaim->advise = advise;
	reclaim->arg = arg;
	return 0;
}

/**
 * reclaim_close() - the end
 * @reclaim: of reclaim_open(), or closed
 */
void reclaim_close(struct reclaim *reclaim)
{
	if (!reclaim->table)
		return;
	munmap(reclaim->table, reclaim->bytes);
	close(reclaim->fd);
	reclaim->table = NULL;
}

/* chunk() - a copy of some entries; returns how many, 0 at the end, or a negative errno */
static int chunk(const struct reclaim *reclaim, uint32_t nr, struct marvin_entry *copy)
{
	uint32_t n = reclaim->shape.objects - nr;
	int err;

	if (nr >= reclaim->shape.objects)
		return 0;
	n = n < CHUNK ? n : CHUNK;
	err = read_at(reclaim->fd, copy, n * sizeof(*copy),
		      sizeof(struct marvin_table) + nr * sizeof(*copy));
	return err ? err : (int)n;
}

static void add(const struct reclaim_shape *shape, const struct marvin_entry *entry,
		struct reclaim_sum *sum)
{
	uint32_t word = atomic_load_explicit(&entry->word, memory_order_relaxed);
	struct iovec range;

	if (!(word & ENTRY_OCCUPIED) || !reclaim_range(shape, entry->page, entry->pages, &range))
		return;
	sum->objects++;
	sum->pages += entry->pages;
	if (word & ENTRY_LAZY && word & ENTRY_RESIDENT)
		sum->given += entry->pages;
	else if (word & ENTRY_LAZY)
		sum->out += entry->pages;
}

/**
 * reclaim_count() - how much there is of what
 * @reclaim: of reclaim_open()
 * @sum: filled in
 *
 * Return: 0, or a negative errno.
 */
int reclaim_count(const struct reclaim *reclaim, struct reclaim_sum *sum)
{
	struct marvin_entry copy[CHUNK];
	uint32_t nr = 0;
	int n, i;

	memset(sum, 0, sizeof(*sum));
	while ((n = chunk(reclaim, nr, copy)) > 0) {
		for (i = 0; i < n; i++)
			add(&reclaim->shape, &copy[i], sum);
		nr += (uint32_t)n;
	}
	return n;
}

static void unlock(const struct reclaim *reclaim, uint32_t nr, bool taken)
{
	_Atomic uint32_t *word = &entries(reclaim)[nr].word;
	uint32_t old = atomic_load(word);

	/* A few tries: a program may change its word without end. It takes away the lock then. */
	for (int tries = 0; tries < 100; tries++)
		if (atomic_compare_exchange_weak(word, &old, reclaim_unlocked(old, taken)))
			return;
}

/* lock() - an object, if it is still as it was found */
static bool lock(const struct reclaim *reclaim, uint32_t nr, uint32_t word)
{
	return atomic_compare_exchange_strong(&entries(reclaim)[nr].word, &word, word | ENTRY_LOCK);
}

/* gather() - an object that was locked; what touches the last one is put together with it */
static void gather(struct batch *batch, uint32_t nr, const struct iovec *range, uint32_t page_bytes)
{
	struct iovec *last = batch->ranges_n ? &batch->ranges[batch->ranges_n - 1] : NULL;

	batch->objects[batch->n].nr = nr;
	batch->objects[batch->n++].bytes = range->iov_len;
	batch->pages += range->iov_len / page_bytes;
	/* As numbers: these are no addresses of this process, and may be 0. */
	if (last && (uintptr_t)last->iov_base + last->iov_len == (uintptr_t)range->iov_base)
		last->iov_len += range->iov_len;
	else
		batch->ranges[batch->ranges_n++] = *range;
}

/* take_one() - into the batch. -EBADMSG: it cannot be where it says */
static int take_one(struct reclaim *reclaim, uint32_t nr, uint32_t word, struct batch *batch)
{
	const volatile struct marvin_entry *entry = &entries(reclaim)[nr];
	struct iovec range;

	if (!lock(reclaim, nr, word))
		return 0;
	/* Only now they stay: before, another one could have been made in its place. */
	if (!reclaim_range(&reclaim->shape, entry->page, entry->pages, &range)) {
		unlock(reclaim, nr, false);
		return -EBADMSG;
	}
	gather(batch, nr, &range, reclaim->shape.page_bytes);
	return 0;
}

/* advise() - in calls that do not take long. Returns the bytes from the first one on */
static ssize_t advise(const struct reclaim *reclaim, struct batch *batch)
{
	struct iovec *ranges = batch->ranges;
	size_t n = batch->ranges_n, i;
	ssize_t done = 0, ret;

	for (i = 0; i < n && ranges[i].iov_len <= CALL_BYTES; i++)
		;
	if (i == n)
		return reclaim->advise(ranges, n, reclaim->arg);
	for (i = 0; i < n; i++) {
		size_t at, len;

		for (at = 0; at < ranges[i].iov_len; at += len) {
			struct iovec part = { (void *)((uintptr_t)ranges[i].iov_base + at), 0 };

			/* A program may say that one object has all of the space. */
			batch->late = done && now_us() >= batch->until_us;
			if (batch->late)
				return done;
			len = ranges[i].iov_len - at;
			len = len < CALL_BYTES ? len : CALL_BYTES;
			part.iov_len = len;
			ret = reclaim->advise(&part, 1, reclaim->arg);
			if (ret < 0 && !done)
				return ret;
			if (ret > 0)
				done += ret;
			if (ret < (ssize_t)len)
				return done;
		}
	}
	return done;
}

/* finish() - have the kernel drop the batch, and unlock it. Returns bytes, or a negative errno */
static int64_t finish(const struct reclaim *reclaim, struct batch *batch)
{
	ssize_t done = batch->n ? advise(reclaim, batch) : 0;
	size_t at = 0;
	uint32_t i, taken = 0;

	if (batch->n)
		batch->left = batch->objects[0].nr;
	for (i = 0; i < batch->n; i++) {
		bool all;

		at += batch->objects[i].bytes;
		all = done > 0 && at <= (size_t)done;
		unlock(reclaim, batch->objects[i].nr, all);
		if (all)
			batch->left = batch->objects[i].nr + 1;
		taken += all;
	}
	if (taken)
		atomic_fetch_add(&reclaim->table->counts[COUNT_DROPPED], taken);
	memset(batch, 0, offsetof(struct batch, objects));
	batch->ranges_n = 0;
	return done;
}

static bool is_full(const struct batch *batch)
{
	return batch->n == BATCH || batch->pages >= BATCH_PAGES;
}

/*
 * look_at() - one entry, of which there is a copy. A lock that is found is nobody's: this reclaimer
 * had none when the copy was made, or of entries before; one that died has left it.
 */
static int look_at(struct reclaim *reclaim, uint32_t nr, const struct marvin_entry *copy,
		   struct batch *batch)
{
	uint32_t word = atomic_load_explicit(&copy->word, memory_order_relaxed);

	if (word & ENTRY_OCCUPIED && word & ENTRY_LOCK && word & ENTRY_LAZY) {
		unlock(reclaim, nr, false);
		word &= ~ENTRY_LOCK;
	}
	return reclaim_wants(word) ? take_one(reclaim, nr, word, batch) : 0;
}

/* settle() - a batch. 0, or a negative errno */
static int settle(struct reclaim *reclaim, struct batch *batch, uint64_t *taken)
{
	uint64_t pages = batch->pages;
	int64_t done = finish(reclaim, batch);

	if (done < 0)
		return (int)done;
	*taken += (uint64_t)done;
	reclaim->pages += pages;
	return reclaim->pages / PASS_SPACES > reclaim->shape.space_pages ? -EBADMSG : 0;
}

/**
 * reclaim_take() - take back objects that were given to the kernel
 * @reclaim: of reclaim_open()
 * @bytes: about as many
 * @until_us: of CLOCK_MONOTONIC; nothing more is begun after that
 *
 * It goes on where the last call ended. reclaim->next is 0 afterwards if it came to the last entry.
 * An object that takes longer than a whole call stays.
 *
 * Return: the bytes; -EBADMSG: the table is wrong; -ESRCH: the program has ended; -EPERM; or
 * another negative errno of @advise.
 */
int64_t reclaim_take(struct reclaim *reclaim, uint64_t bytes, uint64_t until_us)
{
	struct marvin_entry copy[CHUNK];
	struct batch batch = { .until_us = until_us };
	uint64_t taken = 0;
	uint32_t nr = reclaim->next;
	int n, i, err = 0, ret;

	while (!err && taken < bytes && now_us() < until_us &&
	       (n = chunk(reclaim, nr, copy)) != 0) {
		err = n < 0 ? n : 0;
		for (i = 0; !err && i < n && taken < bytes && now_us() < until_us; i++) {
			err = look_at(reclaim, nr++, &copy[i], &batch);
			if (!err && (is_full(&batch) || taken + batch.pages *
				     reclaim->shape.page_bytes >= bytes))
				err = settle(reclaim, &batch, &taken);
		}
	}
	/* Whatever comes, no lock stays. */
	ret = settle(reclaim, &batch, &taken);
	if (batch.late)
		nr = batch.left > reclaim->next ? batch.left : batch.left + 1;
	reclaim->next = nr < reclaim->shape.objects ? nr : 0;
	reclaim->pages = reclaim->next ? reclaim->pages : 0;
	return err ? err : ret ? ret : (int64_t)taken;
}
