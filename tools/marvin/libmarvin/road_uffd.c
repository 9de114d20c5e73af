// SPDX-License-Identifier: GPL-2.0
/*
 * By userfaultfd: a missing page, and a write to a protected one, are messages that a thread of the
 * heap reads; it puts the page in place, and the program's thread goes on.
 *
 * Write protection is synchronous. The kernel's asynchronous one (Linux 6.7) would save the
 * message, but lets a write through between the look at a page and MADV_FREE, which forgets that
 * the page is dirty: then the kernel may drop a page that differs from its copy (test/page.pml
 * finds it).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "files.h"
#include "road.h"
#include "store.h"

/* Newer than the headers of Debian 12. */
#ifndef USERFAULTFD_IOC_NEW
#define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00)
#endif
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef UFFD_FEATURE_POISON
#define UFFD_FEATURE_POISON (1 << 14)
struct uffdio_poison {
	struct uffdio_range range;
	uint64_t mode;
	int64_t updated;
};
#define UFFDIO_POISON _IOWR(0xAA, 0x08, struct uffdio_poison)
#endif

#define STACK_BYTES (256U << 10)
/* A huge page is 0.2 % of it. */
#define HUGE_MEMORY (1ULL << 30)

/* new_fd() - with the kernel's own faults if this process may have them */
static int new_fd(bool *system_calls)
{
	int flags = O_CLOEXEC | O_NONBLOCK, fd = -1;
	int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);

	if (device >= 0) {
		fd = ioctl(device, USERFAULTFD_IOC_NEW, flags);
		close(device);
	}
	if (fd < 0)
		fd = (int)syscall(SYS_userfaultfd, flags);
	*system_calls = fd >= 0;
	if (fd < 0)
		fd = (int)syscall(SYS_userfaultfd, flags | UFFD_USER_MODE_ONLY);
	return store_above_stdio(fd);
}

/* features_of() - which features there are: to be asked of a descriptor of its own */
static uint64_t features_of(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	bool system_calls;
	int fd = new_fd(&system_calls);

	if (fd < 0)
		return 0;
	if (ioctl(fd, UFFDIO_API, &api))
		api.features = 0;
	close(fd);
	return api.features;
}

static int enlist(struct road *road, uint8_t *at, size_t bytes)
{
	struct uffdio_register range = {
		.range = { (uintptr_t)at, bytes },
		.mode = UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP,
	};
	const uint64_t needed = 1ULL << _UFFDIO_WRITEPROTECT | 1ULL << _UFFDIO_COPY |
				1ULL << _UFFDIO_ZEROPAGE;

	if (ioctl(road->fd, UFFDIO_REGISTER, &range))
		return -errno;
	return (range.ioctls & needed) == needed ? 0 : -EOPNOTSUPP;
}

static int open_fd(struct road *road)
{
	struct uffdio_api api = { .api = UFFD_API };

	api.features = features_of() & (UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_POISON);
	if (!(api.features & UFFD_FEATURE_PAGEFAULT_FLAG_WP))
		return -EOPNOTSUPP;
	road->features = api.features;
	road->fd = new_fd(&road->system_calls);
	if (road->fd < 0 || ioctl(road->fd, UFFDIO_API, &api))
		return -errno;
	return enlist(road, road->space, road->bytes);
}

/* own_files() - descriptors that the program cannot close */
static void own_files(struct road *road)
{
	int fds[ROAD_KEEP + 4];

	memcpy(fds, road->keep, sizeof(road->keep));
	fds[ROAD_KEEP] = road->fd;
	fds[ROAD_KEEP + 1] = road->stop.in;
	fds[ROAD_KEEP + 2] = road->bell;
	fds[ROAD_KEEP + 3] = road->stop.out;
	if (files_keep(fds, ROAD_KEEP + 4))
		road->keeper = gettid();
}

enum event { EVENT_FAULT, EVENT_BELL, EVENT_STOP };

static int watch(int poll, int fd, enum event what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = what };

	/* Of several threads the kernel wakes one. */
	if (what != EVENT_STOP)
		event.events |= EPOLLEXCLUSIVE;
	return epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
}

static int open_poll(const struct road *road)
{
	int poll = store_above_stdio(epoll_create1(EPOLL_CLOEXEC));
	struct epoll_event event;

	/* A filter of system calls may forbid to wait. */
	if (poll >= 0 && !watch(poll, road->fd, EVENT_FAULT) &&
	    !watch(poll, road->bell, EVENT_BELL) && !watch(poll, road->stop.in, EVENT_STOP) &&
	    (epoll_wait(poll, &event, 1, 0) >= 0 || errno == EINTR))
		return poll;
	if (poll >= 0)
		close(poll);
	return -1;
}

/* next_fault() - wait for a fault. Returns EVENT_BELL if there may be a job instead */
static enum event next_fault(const struct road *road, int poll, struct uffd_msg *fault)
{
	struct epoll_event event;
	uint64_t count;

	for (;;) {
		if (epoll_wait(poll, &event, 1, -1) != 1)
			continue;
		if (event.data.u32 == EVENT_STOP)
			return EVENT_STOP;
		if (event.data.u32 == EVENT_BELL) {
			if (read(road->bell, &count, sizeof(count)) == sizeof(count))
				return EVENT_BELL;
		} else if (read(road->fd, fault, sizeof(*fault)) == sizeof(*fault) &&
			   fault->event == UFFD_EVENT_PAGEFAULT) {
			return EVENT_FAULT;
		}
	}
}

static void wp_wake(struct road *road, uint8_t *at, size_t bytes)
{
	struct uffdio_range range = { (uintptr_t)at, bytes };

	ioctl(road->fd, UFFDIO_WAKE, &range);
}

static bool push(struct road_queue *queue, uint32_t page, bool ahead)
{
	uint32_t at = (queue->first + queue->n) % ROAD_QUEUE;

	if (queue->n == ROAD_QUEUE)
		return false;
	queue->jobs[at].page = page;
	queue->jobs[at].ahead = ahead;
	queue->n++;
	return true;
}

/* pop() - the next job; with the lock. false: the queue is empty */
static bool pop(struct road_queue *queue, uint32_t *page, bool *ahead)
{
	if (!queue->n)
		return false;
	*page = queue->jobs[queue->first].page;
	*ahead = queue->jobs[queue->first].ahead;
	queue->first = (queue->first + 1) % ROAD_QUEUE;
	queue->n--;
	return true;
}

/*
 * take_buffer() - a thread needs one to wait for the store; with the lock. There is one less than
 * threads, because writes need a thread that does not wait. Returns ROAD_THREADS if none is free
 */
static uint32_t take_buffer(struct road *road)
{
	uint32_t i;

	for (i = 0; i + 1 < road->threads_n; i++) {
		if (road->queue.loading & 1U << i)
			continue;
		road->queue.loading |= 1U << i;
		return i;
	}
	return ROAD_THREADS;
}

/* begin_load() - take a buffer; or queue the page for a thread that has one, and return false */
static bool begin_load(struct road *road, uint32_t page, uint32_t *buffer)
{
	struct road_queue *queue = &road->queue;

	pthread_mutex_lock(&queue->lock);
	*buffer = take_buffer(road);
	if (*buffer == ROAD_THREADS && !push(queue, page, false))
		wp_wake(road, road->space + page * road->page, road->page);
	pthread_mutex_unlock(&queue->lock);
	return *buffer < ROAD_THREADS;
}

/* begin_job() - the same, for a job of the queue, if there is one */
static bool begin_job(struct road *road, uint32_t *page, bool *ahead, uint32_t *buffer)
{
	struct road_queue *queue = &road->queue;
	bool begins;

	pthread_mutex_lock(&queue->lock);
	*buffer = take_buffer(road);
	begins = *buffer < ROAD_THREADS && pop(queue, page, ahead);
	if (*buffer < ROAD_THREADS && !begins)
		queue->loading &= ~(1U << *buffer);
	pthread_mutex_unlock(&queue->lock);
	return begins;
}

/* next_job() - while there is one the thread keeps its buffer */
static bool next_job(struct road *road, uint32_t *page, bool *ahead, uint32_t buffer)
{
	bool more;

	pthread_mutex_lock(&road->queue.lock);
	more = pop(&road->queue, page, ahead);
	if (!more)
		road->queue.loading &= ~(1U << buffer);
	pthread_mutex_unlock(&road->queue.lock);
	return more;
}

/* wp_ahead() - a job that no thread waits for: it is left out if no thread is free */
static void wp_ahead(struct road *road, uint32_t page)
{
	struct road_queue *queue = &road->queue;
	uint64_t one = 1;
	bool rings;

	pthread_mutex_lock(&queue->lock);
	rings = __builtin_popcount(queue->loading) + queue->n + 1 < road->threads_n &&
		push(queue, page, true);
	pthread_mutex_unlock(&queue->lock);
	if (rings && write(road->bell, &one, sizeof(one)) != sizeof(one))
		return;
}

static void load_all(struct road *road, uint32_t page, bool ahead, uint32_t buffer)
{
	void *at = road->queue.buffers + buffer * ROAD_WINDOW_BYTES;

	do {
		if (ahead)
			road->calls.ahead(road->calls.arg, page, at);
		else
			road->calls.missing(road->calls.arg, page, at);
	} while (next_job(road, &page, &ahead, buffer));
}

/* serve() - a thread that handles faults */
static void *serve(void *arg)
{
	struct road *road = arg;
	struct uffd_msg fault;
	uint32_t page, buffer;
	bool ahead = false;
	enum event event;
	int poll;

	own_files(road);
	poll = open_poll(road);
	if (poll < 0)
		road->queue.failed++;
	sem_post(&road->queue.ready);
	if (poll < 0)
		return NULL;
	while ((event = next_fault(road, poll, &fault)) != EVENT_STOP) {
		if (event == EVENT_BELL) {
			if (begin_job(road, &page, &ahead, &buffer))
				load_all(road, page, ahead, buffer);
			continue;
		}
		page = (uint32_t)((fault.arg.pagefault.address - (uintptr_t)road->space) /
				  road->page);
		if (fault.arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WP)
			road->calls.write(road->calls.arg, page);
		else if (!road->calls.missing(road->calls.arg, page, NULL) &&
			 begin_load(road, page, &buffer))
			load_all(road, page, false, buffer);
	}
	close(poll);
	return NULL;
}

/*
 * map_buffers() - a machine with memory enough has them in one huge page: direct I/O to 128 single
 * pages takes twice as long
 */
static int map_buffers(struct road_queue *queue)
{
	const size_t bytes = (ROAD_THREADS - 1) * ROAD_WINDOW_BYTES;
	uint8_t *at = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	size_t skip = -(uintptr_t)at & (bytes - 1);

	queue->buffers = NULL;
	if (at == MAP_FAILED)
		return -ENOMEM;
	if (skip)
		munmap(at, skip);
	munmap(at + skip + bytes, bytes - skip);
	queue->buffers = at + skip;
	if ((uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) >= HUGE_MEMORY)
		madvise(queue->buffers, bytes, MADV_HUGEPAGE);
	return 0;
}

static void stop_threads(struct road *road)
{
	uint32_t i;

	/* Without the descriptor they cannot be told, and stay. */
	if (road->threads_n && !bell_ring(&road->stop, atomic_load(&road->keeper)))
		return;
	/* Threads that still work look at their number. */
	for (i = 0; i < road->threads_n; i++)
		pthread_join(road->threads[i], NULL);
	road->threads_n = 0;
}

/* wait_for() - a thread: the program may close all descriptors as soon as it has the heap */
static void wait_for(sem_t *ready)
{
	while (sem_wait(ready) && errno == EINTR)
		;
}

/* start_threads() - with fewer the road works, too; signals are the program's */
static int start_threads(struct road *road)
{
	pthread_attr_t attr;
	sigset_t all, before;
	uint32_t i;
	int err;

	pthread_mutex_init(&road->queue.lock, NULL);
	sem_init(&road->queue.ready, 0, 0);
	road->queue.failed = 0;
	road->queue.loading = 0;
	road->queue.n = 0;
	road->threads_n = 0;
	err = bell_begin(&road->stop);
	if (err)
		return err;
	road->bell = store_above_stdio(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE));
	if (road->bell < 0)
		return -errno;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	/* A thread that is there already waits until their number is known. */
	pthread_mutex_lock(&road->queue.lock);
	do {
		err = pthread_create(&road->threads[road->threads_n], &attr, serve, road);
		road->threads_n += !err;
	} while (!err && road->threads_n < ROAD_THREADS);
	pthread_mutex_unlock(&road->queue.lock);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	for (i = 0; i < road->threads_n; i++)
		wait_for(&road->queue.ready);
	/* At least one to load pages, and one for writes. */
	if (road->threads_n < 2)
		return -err;
	return road->queue.failed ? -EOPNOTSUPP : 0;
}

static void close_fds(struct road *road)
{
	/* If the program has closed the one, it has closed all. */
	if (road->stop.out < 0 || bell_is_there(&road->stop)) {
		if (road->fd >= 0)
			close(road->fd);
		if (road->bell >= 0)
			close(road->bell);
	}
	bell_end(&road->stop);
	road->fd = -1;
	road->bell = -1;
}

static void wp_end(struct road *road)
{
	stop_threads(road);
	close_fds(road);
	if (road->queue.buffers)
		munmap(road->queue.buffers, (ROAD_THREADS - 1) * ROAD_WINDOW_BYTES);
	road->queue.buffers = NULL;
}

static int wp_begin(struct road *road)
{
	int err = open_fd(road);

	if (!err && !road->queue.buffers)
		err = map_buffers(&road->queue);
	if (!err)
		err = start_threads(road);
	if (err)
		wp_end(road);
	return err;
}

/* wp_forked() - a child's memory is known to no userfaultfd, and it has none of the threads */
static int wp_forked(struct road *road)
{
	close_fds(road);
	road->threads_n = 0;
	return wp_begin(road);
}

/* set() - a range over a page that is a hole is not one mapping: page by page then */
static int set(struct road *road, uint8_t *at, size_t bytes, uint64_t mode)
{
	struct uffdio_writeprotect range = { .range = { (uintptr_t)at, bytes }, .mode = mode };
	int err = 0, one;
	size_t done;

	do {
		if (!ioctl(road->fd, UFFDIO_WRITEPROTECT, &range))
			return 0;
	} while (errno == EAGAIN || errno == EINTR);
	if (bytes <= road->page)
		return -errno;
	for (done = 0; done < bytes; done += road->page) {
		one = set(road, at + done, road->page, mode);
		err = err ? err : one;
	}
	return err;
}

static int wp_protect(struct road *road, uint8_t *at, size_t bytes)
{
	return set(road, at, bytes, UFFDIO_WRITEPROTECT_MODE_WP);
}

static int wp_unprotect(struct road *road, uint8_t *at, size_t bytes)
{
	return set(road, at, bytes, 0);
}

static int wp_give(struct road *road, uint8_t *at, size_t bytes, bool now)
{
	(void)road;
	return madvise(at, bytes, now ? MADV_DONTNEED : MADV_FREE) ? -errno : 0;
}

static ssize_t wp_put(struct road *road, uint8_t *at, const void *from, size_t bytes)
{
	struct uffdio_copy copy = {
		.dst = (uintptr_t)at, .src = (uintptr_t)from, .len = bytes,
		.mode = UFFDIO_COPY_MODE_WP,
	};

	while (ioctl(road->fd, UFFDIO_COPY, &copy)) {
		if (copy.copy > 0)
			return (ssize_t)copy.copy;
		if (errno == EEXIST)
			return 0;
		/* A page that was lost is a mapping of its own: page by page then. */
		if (errno == ENOENT && copy.len > road->page)
			copy.len = road->page;
		else if (errno != EAGAIN && errno != EINTR)
			return -errno;
		copy.copy = 0;
	}
	return (ssize_t)copy.len;
}

static ssize_t wp_zero(struct road *road, uint8_t *at, size_t bytes)
{
	struct uffdio_zeropage zero = { .range = { (uintptr_t)at, bytes } };

	while (ioctl(road->fd, UFFDIO_ZEROPAGE, &zero)) {
		if (zero.zeropage > 0)
			return (ssize_t)zero.zeropage;
		if (errno == EEXIST)
			return 0;
		if (errno == ENOENT && zero.range.len > road->page)
			zero.range.len = road->page;
		else if (errno != EAGAIN && errno != EINTR)
			return -errno;
		zero.zeropage = 0;
	}
	return (ssize_t)zero.range.len;
}

static int wp_discard(struct road *road, uint8_t *at, size_t bytes)
{
	(void)road;
	return madvise(at, bytes, MADV_DONTNEED) ? -errno : 0;
}

static void wp_poison(struct road *road, uint8_t *at)
{
	struct uffdio_poison poison = { .range = { (uintptr_t)at, road->page } };

	if (!(road->features & UFFD_FEATURE_POISON) || (ioctl(road->fd, UFFDIO_POISON, &poison) &&
							errno != EEXIST))
		road_hole(road, at);
	wp_wake(road, at, road->page);
}

/* wp_cure() - until the page is registered again a use is SIGSEGV, because it would see zeroes */
static void wp_cure(struct road *road, uint8_t *at)
{
	if (road->features & UFFD_FEATURE_POISON && !madvise(at, road->page, MADV_DONTNEED))
		return;
	if (mmap(at, road->page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
		 -1, 0) == MAP_FAILED)
		return;
	madvise(at, road->page, MADV_NOHUGEPAGE);
	if (!enlist(road, at, road->page))
		mprotect(at, road->page, PROT_READ | PROT_WRITE);
}

const struct road_ops road_wp = {
	.road = MARVIN_ROAD_WP, .traps_new = true, .lazy = true, .page = road_page,
	.begin = wp_begin, .end = wp_end, .forked = wp_forked, .protect = wp_protect,
	.unprotect = wp_unprotect, .give = wp_give, .put = wp_put, .zero = wp_zero,
	.discard = wp_discard, .poison = wp_poison, .cure = wp_cure,
	.wake = wp_wake, .ahead = wp_ahead,
};
