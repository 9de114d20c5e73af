// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "age.h"
#include "gate.h"
#include "heap.h"
#include "register.h"
#include "saver.h"
#include "shortage.h"
#include "swapped.h"

#define heap marvin_heap

#ifndef MADV_FREE
#define MADV_FREE 8
#endif

/* Looked at while the gate is shut: some tens of microseconds. */
#define LOOK 4096U
/* Written at a time. */
#define BATCH 256U
#define BOUNCE (1U << 20)
#define BUDGET_MS 1000U
/* The gate could not be shut: again after so long. */
#define AGAIN_NS 50000000L
/* So often the thread looks for a wish of marvind's, and whether memory is short; */
#define LOOK_MS 1000U
/* from tick to tick, while it is. */
#define SHORT_MS 1000U

struct item {
	uint32_t nr;
	size_t at;			/* in the bounce buffer */
	uint64_t hash;
	int err;
};

static struct {
	pthread_mutex_t tick;		/* one tick at a time */
	pthread_mutex_t lock;		/* of wake and end */
	pthread_cond_t wake;
	bool end;
	bool runs;
	pthread_t thread;
	uint8_t *bounce;		/* a copy of what is written, which stays */
	struct item items[BATCH];
	uint32_t n;
	size_t used;
	uint32_t next;			/* entry, to be saved */
	bool beyond;			/* some are beyond the store's end */
	int pagemap;			/* of this tick, or -1 */
	uint32_t looked;		/* at the swap, for objects, while the gate is shut */
	uint32_t saved;			/* of those that were tried last */
} saver = {
	.tick = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

static uint64_t now_ms(void)
{
	return heap_now_ns() / 1000000;
}

static bool is_ending(void)
{
	bool end;

	pthread_mutex_lock(&saver.lock);
	end = saver.end;
	pthread_mutex_unlock(&saver.lock);
	return end;
}

/* shut() - false, if the saver ends before anyone could be kept out */
static bool shut(void)
{
	const struct timespec nap = { 0, AGAIN_NS };

	/* Somebody stays inside: the others are not to be kept out for the whole time. */
	while (!gate_shut()) {
		if (is_ending())
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

/* change() - of a word, in which the reclaimer's lock may come and go meanwhile */
static void change(uint32_t nr, uint32_t (*to)(uint32_t word))
{
	_Atomic uint32_t *word = &heap.entries[nr].word;
	uint32_t old = atomic_load(word);

	while (!atomic_compare_exchange_weak(word, &old, to(old)))
		;
}

static void age(void)
{
	uint32_t nr = 0, end;

	while (nr < heap.high && shut()) {
		for (end = nr + LOOK; nr < end && nr < heap.high; nr++)
			if (heap_word(nr) & ENTRY_OCCUPIED) {
				/* A stub that nobody used is not touched: it may be in the swap. */
				if (heap_word(nr) & ENTRY_READ)
					heap_slow(nr, true);
				change(nr, age_shift);
			}
		gate_open();
	}
}

static bool is_to_be_saved(uint32_t word)
{
	return (word & (ENTRY_OCCUPIED | ENTRY_DIRTY)) == (ENTRY_OCCUPIED | ENTRY_DIRTY) &&
	       !(word & (ENTRY_PINS | ENTRY_BROKEN | ENTRY_BUSY | ENTRY_LAZY)) &&
	       age_settled(word);
}

/* has_place() - a device may be smaller than the space */
static bool has_place(uint32_t nr)
{
	uint64_t end = (heap.entries[nr].page + (uint64_t)heap.entries[nr].pages) * heap.page;

	if (end <= heap.store.bytes)
		return true;
	saver.beyond = true;
	return false;
}

/*
 * is_there() - an object that the kernel has put into the swap stays there: to save it would bring
 * it back, and write it twice
 */
static bool is_there(uint32_t nr)
{
	saver.looked++;
	return !swapped(saver.pagemap, heap_data(nr), heap.entries[nr].pages, heap.page);
}

static bool is_to_be_given(uint32_t word)
{
	return (word & ENTRY_OCCUPIED) &&
	       !(word & (ENTRY_DIRTY | ENTRY_PINS | ENTRY_BROKEN | ENTRY_BUSY | ENTRY_LAZY)) &&
	       age_cold(word);
}

static uint32_t to_busy(uint32_t word)
{
	return (word & ~ENTRY_DIRTY) | ENTRY_BUSY;
}

static uint32_t to_lazy(uint32_t word)
{
	return word | ENTRY_LAZY;
}

/* copy() - the next objects that are to be saved; the gate is shut. Returns where to go on */
static uint32_t copy(uint32_t nr)
{
	uint32_t end = nr + LOOK;

	saver.n = 0;
	saver.used = 0;
	saver.looked = 0;
	for (; nr < heap.high && nr < end && saver.looked < BATCH; nr++) {
		if (!is_to_be_saved(heap_word(nr)) || heap_bytes(nr) > BOUNCE || !has_place(nr) ||
		    !is_there(nr))
			continue;
		if (heap_bytes(nr) > BOUNCE - saver.used)
			break;
		saver.items[saver.n++] = (struct item){ .nr = nr, .at = saver.used };
		memcpy(saver.bounce + saver.used, heap_data(nr), heap_bytes(nr));
		saver.used += heap_bytes(nr);
		change(nr, to_busy);
		heap_slow(nr, false);
	}
	return nr;
}

/* write_run() - items that are side by side */
static int write_run(const struct item *from, const struct item *last)
{
	uint64_t at = heap.entries[from->nr].page * (uint64_t)heap.page;

	return store_write(&heap.store, at, saver.bounce + from->at,
			   last->at + heap_bytes(last->nr) - from->at);
}

/*
 * write_items() - objects side by side are written at once. If that fails, each by itself: one of
 * them is not the others' harm. A store that takes long to fail is not asked for each of them
 */
static void write_items(uint64_t until_ms)
{
	uint32_t i = 0, from;

	while (i < saver.n) {
		uint32_t next = heap.entries[saver.items[i].nr].page;
		bool again;
		int err;

		for (from = i; i < saver.n && heap.entries[saver.items[i].nr].page == next; i++) {
			struct item *item = &saver.items[i];

			item->hash = heap_hash(saver.bounce + item->at, heap_bytes(item->nr));
			next += heap.entries[item->nr].pages;
		}
		err = write_run(&saver.items[from], &saver.items[i - 1]);
		again = err && i - from > 1;
		for (; from < i; from++) {
			struct item *item = &saver.items[from];

			item->err = again && now_ms() < until_ms ? write_run(item, item) : err;
		}
	}
}

/* settle() - of an object that was written: the gate is shut, or it is inside with the lock */
static void settle(const struct item *item)
{
	struct marvin_entry *entry = &heap.entries[item->nr];
	uint32_t word = heap_word(item->nr), page;

	/* What is in the store belongs to it, or to nobody. */
	for (page = entry->page; page < entry->page + entry->pages; page++)
		heap.stale.bits[page / 64] &= ~(1ULL << (page % 64));
	entry->hash = item->hash;
	atomic_fetch_and(&entry->word, ~ENTRY_BUSY);
	if (word & ENTRY_DEAD) {
		heap_release(item->nr);
	} else if (item->err) {
		atomic_fetch_or(&entry->word, ENTRY_DIRTY);
		heap_count(item->err == -ENOSPC ? COUNT_FULL : COUNT_STORE_ERRORS, 1);
	} else if (!(word & ENTRY_DIRTY)) {
		heap_count(COUNT_SAVED, 1);
		heap_count(COUNT_SAVED_BYTES, (int64_t)heap_bytes(item->nr));
	}
}

static int settle_items(void)
{
	uint32_t i;
	int err = 0;

	if (!shut())
		return -ESHUTDOWN;
	pthread_mutex_lock(&heap.lock);
	for (i = 0; i < saver.n; i++) {
		settle(&saver.items[i]);
		err = err ? err : saver.items[i].err;
		saver.saved += !saver.items[i].err;
	}
	pthread_mutex_unlock(&heap.lock);
	gate_open();
	return err;
}

/* save_large() - an object that is larger than the buffer, in parts; it may change between them */
static int save_large(uint32_t nr)
{
	struct item *item = &saver.items[0];
	size_t bytes = 1, at, n;
	XXH3_state_t state;
	bool gone = false;

	saver.n = 1;
	*item = (struct item){ .nr = nr };
	XXH3_64bits_reset(&state);
	for (at = 0; at < bytes && !item->err && !gone; at += n) {
		if (!shut())
			return -ESHUTDOWN;
		/* Since it was found it may have been pinned, or freed, and be another one now. */
		if (!at && !is_to_be_saved(heap_word(nr))) {
			gate_open();
			return 0;
		}
		if (!at) {
			bytes = heap_bytes(nr);
			change(nr, to_busy);
			heap_slow(nr, false);
		}
		n = bytes - at < BOUNCE ? bytes - at : BOUNCE;
		gone = heap_word(nr) & (ENTRY_DIRTY | ENTRY_DEAD);
		if (!gone)
			memcpy(saver.bounce, heap_data(nr) + at, n);
		gate_open();
		if (gone)
			break;
		XXH3_64bits_update(&state, saver.bounce, n);
		item->err = store_write(&heap.store, heap.entries[nr].page * (uint64_t)heap.page +
					at, saver.bounce, n);
	}
	item->hash = XXH3_64bits_digest(&state);
	item->hash = item->hash ? item->hash : 1;
	return settle_items();
}

static void tell(int err)
{
	if (!err || err == -ESHUTDOWN || !heap_is_due(err == -ENOSPC ? SAID_FULL : SAID_UNSAVED))
		return;
	if (err == -ENOSPC)
		heap_say("the store is full: what does not fit stays in memory");
	else
		heap_say("the store: %s: objects that could not be saved stay in memory",
			 strerror(-err));
}

/* save_batch() - from entry *@nr on, and move it on */
static int save_batch(uint32_t *nr, uint64_t until_ms)
{
	uint32_t large = UINT32_MAX, next;
	int err, ret = 0;

	saver.saved = 0;
	if (!shut())
		return -ESHUTDOWN;
	next = copy(*nr);
	for (; large == UINT32_MAX && *nr < next; ++*nr)
		if (is_to_be_saved(heap_word(*nr)) && heap_bytes(*nr) > BOUNCE && has_place(*nr) &&
		    is_there(*nr))
			large = *nr;
	/* A large one is saved by itself, and what follows is looked at again. */
	if (large == UINT32_MAX)
		*nr = next;
	gate_open();
	write_items(until_ms);
	err = saver.n ? settle_items() : 0;
	if (large != UINT32_MAX && err != -ESHUTDOWN)
		ret = save_large(large);
	return ret == -ESHUTDOWN || !err ? ret : err;
}

/*
 * save_from() - entries up to @end, as far as the time goes; *@nr is where it got to. It ends where
 * nothing can be saved. Returns 0, or the first error
 */
static int save_from(uint32_t *nr, uint32_t end, uint64_t until_ms)
{
	int err = 0, ret = 0;

	while ((!ret || saver.saved) && *nr < end && now_ms() < until_ms) {
		ret = save_batch(nr, until_ms);
		err = err ? err : ret;
	}
	return err;
}

/* save() - beginning where it ended the last time: what fails is not always the first */
static int save(uint64_t until_ms)
{
	uint32_t nr = saver.next < heap.high ? saver.next : 0, first = nr;
	int err = save_from(&nr, heap.high, until_ms), ret;

	if (err != -ESHUTDOWN && nr >= heap.high) {
		nr = 0;
		ret = save_from(&nr, first, until_ms);
		err = err ? err : ret;
	}
	saver.next = nr;
	if (!err && saver.beyond)
		err = -ENOSPC;
	saver.beyond = false;
	tell(err);
	return err;
}

/* give_batch() - to the kernel, from entry *@nr on, and move it on; false: the saver ends */
static bool give_batch(uint32_t *nr)
{
	uint32_t end = *nr + LOOK, i;

	if (!shut())
		return false;
	/* Whoever comes in and wants one of them waits for the lock until the kernel has them. */
	pthread_mutex_lock(&heap.lock);
	for (saver.n = 0; *nr < heap.high && *nr < end && saver.n < BATCH; ++*nr) {
		if (!is_to_be_given(heap_word(*nr)))
			continue;
		change(*nr, to_lazy);
		heap_slow(*nr, true);
		saver.items[saver.n++].nr = *nr;
	}
	gate_open();
	for (i = 0; i < saver.n; i++) {
		uint32_t at = saver.items[i].nr;

		/* A kernel that cannot is no harm: they are found whole. */
		madvise(heap_data(at), heap_bytes(at), MADV_FREE);
		heap_count(COUNT_LAZY, 1);
	}
	pthread_mutex_unlock(&heap.lock);
	return true;
}

/*
 * forget() - the store forgets what is not needed, a run of pages at a time. Nobody waits for it:
 * the pages may be another object's meanwhile, but nothing is saved there before this tick is over.
 */
static void forget(void)
{
	uint32_t page, pages = 0, next = 0;

	do {
		pthread_mutex_lock(&heap.lock);
		page = slots_run(&heap.stale, next, &pages);
		if (page != SLOTS_NONE)
			slots_give(&heap.stale, page, pages);
		pthread_mutex_unlock(&heap.lock);
		if (page == SLOTS_NONE)
			break;
		next = page + pages;
		store_forget(&heap.store, page * (uint64_t)heap.page, pages * (uint64_t)heap.page);
	} while (!is_ending());
}

/* obey() - do what marvind wants of the program */
static void obey(void)
{
	if (atomic_load(&heap.table->request) &&
	    atomic_exchange(&heap.table->request, 0) & REQUEST_FETCH)
		marvin_fetch();
}

/* tick() - one at a time */
static int tick(uint32_t budget_ms)
{
	uint32_t nr = 0;
	int err = 0;

	pthread_mutex_lock(&saver.tick);
	register_try();
	obey();
	age();
	heap_count(COUNT_TICKS, 1);
	if (heap.store.fd >= 0) {
		saver.pagemap = swapped_open();
		err = save(now_ms() + budget_ms);
		while (nr < heap.high && give_batch(&nr))
			;
		forget();
		madvise(saver.bounce, BOUNCE, MADV_DONTNEED);
		if (saver.pagemap >= 0)
			close(saver.pagemap);
	}
	pthread_mutex_unlock(&saver.tick);
	return err == -ESHUTDOWN ? 0 : err;
}

/**
 * marvin_tick() - objects grow older; some are saved, and given to the kernel
 * @budget_ms: saving begins nothing more after so much
 *
 * The thread of the heap does this by itself, unless there is none.
 *
 * Context: outside; sleeps for I/O, and until nobody is inside for a moment.
 *
 * Return: 0; -EINVAL: the heap is not open; -EDEADLK: the caller is inside; -ENOSPC: the store is
 * full; or another error of the store, which was said. What could not be saved stays in memory.
 */
int marvin_tick(uint32_t budget_ms)
{
	int err, state;

	if (!heap.table)
		return -EINVAL;
	if (heap.forked)
		return 0;
	if (marvin_thread.inside)
		return -EDEADLK;
	/* Who is cancelled would keep the locks. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	err = tick(budget_ms);
	pthread_setcancelstate(state, NULL);
	return err;
}

/**
 * marvin_drop() - take back what was given to the kernel, now
 * @bytes: about as many
 *
 * Context: outside; does no I/O.
 *
 * Return: the bytes that are free now.
 */
uint64_t marvin_drop(uint64_t bytes)
{
	uint64_t dropped = 0;
	uint32_t nr, word;
	int state;

	/* The copies are the parent's, who may change them. */
	if (!heap.table || heap.store.fd < 0 || heap.forked)
		return 0;
	marvin_enter();
	state = heap_lock();
	for (nr = 0; nr < heap.high && dropped < bytes; nr++) {
		word = heap_word(nr);
		if (!(word & ENTRY_LAZY) || !(word & ENTRY_RESIDENT) ||
		    word & (ENTRY_LOCK | ENTRY_BROKEN) ||
		    !atomic_compare_exchange_strong(&heap.entries[nr].word, &word,
						    word & ~ENTRY_RESIDENT))
			continue;
		/* Locked memory stays. */
		if (madvise(heap_data(nr), heap_bytes(nr), MADV_DONTNEED)) {
			atomic_fetch_or(&heap.entries[nr].word, ENTRY_RESIDENT);
			continue;
		}
		heap_count(COUNT_DROPPED, 1);
		dropped += heap_bytes(nr);
	}
	heap_unlock(state);
	marvin_leave();
	return dropped;
}

/**
 * marvin_fetch() - bring all objects back, as for a program that comes to the foreground
 *
 * Context: outside; sleeps for I/O.
 *
 * Return: 0, or the first error; the others are there nevertheless.
 */
int marvin_fetch(void)
{
	uint32_t nr, word;
	int err = 0, ret, state;

	for (nr = 0; heap.table && nr < heap.high; nr++) {
		marvin_enter();
		state = heap_lock();
		word = heap_word(nr);
		if (word & ENTRY_BROKEN)
			ret = -EBADMSG;
		else
			ret = word & ENTRY_LAZY ? heap_bring_back(nr) : 0;
		heap_unlock(state);
		marvin_leave();
		err = err ? err : ret;
	}
	return err;
}

/* nap() - for a while; false: it ends */
static bool nap(uint32_t ms)
{
	struct timespec until;
	bool end;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	pthread_mutex_lock(&saver.lock);
	if (!saver.end)
		pthread_cond_timedwait(&saver.wake, &saver.lock, &until);
	end = saver.end;
	pthread_mutex_unlock(&saver.lock);
	return !end;
}

/* is_background() - as long as the one who said it is there to say something else */
static bool is_background(void)
{
	return atomic_load(&heap.table->background) &&
	       heap_has_reclaimer(atomic_load(&heap.table->reclaimer));
}

/*
 * left_ms() - until the next tick, which marvind may put off, or want sooner. The time counts from
 * the beginning of the last one: if that took longer, the next one follows without a pause.
 */
static uint32_t left_ms(uint64_t since_ms)
{
	uint32_t every = is_background() ? heap.options.background_ms :
					   heap.options.foreground_ms;
	uint64_t passed = now_ms() - since_ms;

	/* What is young cannot be taken back, and an app that was just started is all young. */
	if (every > SHORT_MS && shortage() != SHORTAGE_NONE)
		every = SHORT_MS;
	return passed < every ? every - (uint32_t)passed : 0;
}

/* wait_for_tick() - and do meanwhile what marvind wants; false: it ends */
static bool wait_for_tick(uint64_t since_ms)
{
	uint32_t ms;

	while ((ms = left_ms(since_ms))) {
		if (!nap(ms > LOOK_MS ? LOOK_MS : ms))
			return false;
		obey();
	}
	return !is_ending();
}

static void *work(void *arg)
{
	uint64_t begun_ms = now_ms();

	while (wait_for_tick(begun_ms)) {
		begun_ms = now_ms();
		marvin_tick(BUDGET_MS);
	}
	return arg;
}

/* begin_wake() - a nap is not longer or shorter because the clock is set */
static void begin_wake(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&saver.wake, &attr);
	pthread_condattr_destroy(&attr);
}

/* start_thread() - signals are the program's */
static int start_thread(void)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&saver.thread, NULL, work, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	saver.runs = !err;
	return -err;
}

/**
 * saver_begin() - of a heap that is open
 *
 * Return: 0, or a negative errno.
 */
int saver_begin(void)
{
	int err;

	saver.end = false;
	saver.next = 0;
	begin_wake();
	saver.bounce = mmap(NULL, BOUNCE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (saver.bounce == MAP_FAILED)
		return -ENOMEM;
	err = heap.options.no_thread || heap.store.fd < 0 ? 0 : start_thread();
	if (err)
		munmap(saver.bounce, BOUNCE);
	return err;
}

/**
 * saver_forked() - in the child, which has no such thread
 */
void saver_forked(void)
{
	pthread_mutex_init(&saver.tick, NULL);
	pthread_mutex_init(&saver.lock, NULL);
	begin_wake();
	saver.runs = false;
}

/**
 * saver_end() - before it is closed
 */
void saver_end(void)
{
	pthread_mutex_lock(&saver.lock);
	saver.end = true;
	pthread_cond_signal(&saver.wake);
	pthread_mutex_unlock(&saver.lock);
	if (saver.runs)
		pthread_join(saver.thread, NULL);
	saver.runs = false;
	pthread_cond_destroy(&saver.wake);
	munmap(saver.bounce, BOUNCE);
}
