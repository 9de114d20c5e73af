// SPDX-License-Identifier: GPL-2.0
/*
 * By mprotect() and SIGSEGV: the thread that uses a page handles its own fault. The library puts
 * the bytes of a page in place through /proc/self/mem, while no thread may use the page.
 *
 * From 6.12 on a kernel may allow that to debuggers only (CONFIG_PROC_MEM_FORCE_PTRACE). There the
 * library fills other pages, and moves them into place by mremap(). Pages that were moved stay a
 * mapping of their own, so this is the second choice.
 *
 * The kernel does not tell of a page that it dropped, so the library leaves no page to it: it takes
 * given pages itself, at once, when memory is short or the program is in the background.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include "road.h"
#include "store.h"

/*
 * Each page may become a mapping of its own, and a process may have 65,530 mappings. So a heap has
 * at most this many pages, however large they are, and a process this many heaps with this road.
 */
#define PAGES 16384U
#define ROADS 3U
/* The allocator's largest page. A larger space is cut to so many of them: 1 GiB. */
#define PAGE_MOST (64U << 10)
/* Of a road's features: it may write to its protected memory by /proc/self/mem. */
#define WRITES_MEM 1U

static struct road *_Atomic roads[ROADS];
static struct sigaction before;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* of the two */
static bool installed;
/* For a process that gets no more memory: one thread at a time waits for the store. */
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t signal_page(uint64_t bytes)
{
	size_t page = road_page(bytes);

	while (bytes / page > PAGES && page < PAGE_MOST)
		page *= 2;
	return page;
}

static struct road *road_of(const uint8_t *at)
{
	struct road *road;
	unsigned int i;

	for (i = 0; i < ROADS; i++) {
		road = atomic_load(&roads[i]);
		if (road && at >= road->space && at < road->space + road->bytes)
			return road;
	}
	return NULL;
}

/* pass_on() - a fault that is not ours, to the handler that there was before */
static void pass_on(int signal_nr, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	sigset_t mask;

	/* With the signals blocked that it expects to be. */
	sigorset(&mask, &interrupted->uc_sigmask, &before.sa_mask);
	if (!(before.sa_flags & SA_NODEFER))
		sigaddset(&mask, signal_nr);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(signal_nr, info, context);
		return;
	}
	if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(signal_nr);
		return;
	}
	/* The instruction is done once more, and the program ends. */
	signal(signal_nr, SIG_DFL);
}

/* load() - a thread that is cancelled meanwhile would leave a page behind that others wait for */
static void load(struct road *road, uint32_t page)
{
	size_t bytes = road_window(road) * road->page;
	void *buffer;
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer != MAP_FAILED) {
		road->calls.missing(road->calls.arg, page, buffer);
		munmap(buffer, bytes);
	} else {
		pthread_mutex_lock(&spare_lock);
		road->calls.missing(road->calls.arg, page, road->spare);
		pthread_mutex_unlock(&spare_lock);
	}
	pthread_setcancelstate(state, NULL);
}

static void on_fault(int signal_nr, siginfo_t *info, void *context)
{
	struct road *road = road_of(info->si_addr);
	int error = errno;
	uint32_t page;

	if (!road || info->si_code != SEGV_ACCERR) {
		pass_on(signal_nr, info, context);
		return;
	}
	page = (uint32_t)((size_t)((uint8_t *)info->si_addr - road->space) / road->page);
	if (!road->calls.missing(road->calls.arg, page, NULL))
		load(road, page);
	errno = error;
}

static int install(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_RESTART };

	if (installed)
		return 0;
	/* A handler of another signal may use the page that is being loaded, and wait for ever. */
	sigfillset(&action.sa_mask);
	if (sigaction(SIGSEGV, &action, &before))
		return -errno;
	installed = true;
	return 0;
}

/*
 * open_mem() - for one write: a descriptor that stays could be closed by the program, and its
 * number be another file's, which then would be written to
 */
static int open_mem(void)
{
	return store_above_stdio(open("/proc/self/mem", O_RDWR | O_CLOEXEC));
}

/* try_mem() - does this kernel let a process write to its own protected memory? */
static int try_mem(struct road *road)
{
	char byte = 0;
	int fd = open_mem();

	if (mprotect(road->space, road->page, PROT_NONE)) {
		close(fd);
		return -errno;
	}
	road->features = fd >= 0 &&
			 pwrite(fd, &byte, 1, (off_t)(uintptr_t)road->space) == 1 ? WRITES_MEM : 0;
	if (fd >= 0)
		close(fd);
	if (madvise(road->space, road->page, MADV_DONTNEED) ||
	    mprotect(road->space, road->page, PROT_READ | PROT_WRITE))
		return -errno;
	return 0;
}

static void unmake(struct road *road)
{
	if (road->spare && road->spare != MAP_FAILED)
		munmap(road->spare, road_window(road) * road->page);
	road->spare = NULL;
}

static int signal_begin(struct road *road)
{
	struct road *none = NULL;
	int err = try_mem(road), i;

	road->system_calls = false;
	/* The rest of the addresses stays mapped, and unused. */
	if (road->bytes / PAGE_MOST > PAGES)
		road->bytes = (size_t)PAGES * PAGE_MOST;
	road->spare = mmap(NULL, road_window(road) * road->page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!err && road->spare == MAP_FAILED)
		err = -ENOMEM;
	if (!err) {
		pthread_mutex_lock(&lock);
		err = install();
		for (i = 0; !err && i < (int)ROADS; i++, none = NULL)
			if (atomic_compare_exchange_strong(&roads[i], &none, road))
				break;
		if (!err && i == ROADS)
			err = -EMFILE;
		pthread_mutex_unlock(&lock);
	}
	if (err) {
		mprotect(road->space, road->page, PROT_READ | PROT_WRITE);
		unmake(road);
	}
	return err;
}

static void signal_end(struct road *road)
{
	struct road *self;
	unsigned int i;

	for (i = 0; i < ROADS; i++) {
		self = road;
		atomic_compare_exchange_strong(&roads[i], &self, NULL);
	}
	unmake(road);
}

static int signal_forked(struct road *road)
{
	(void)road;
	pthread_mutex_init(&spare_lock, NULL);
	return 0;
}

static int protect(uint8_t *at, size_t bytes, int how)
{
	return mprotect(at, bytes, how) ? -errno : 0;
}

static int signal_protect(struct road *road, uint8_t *at, size_t bytes)
{
	(void)road;
	return protect(at, bytes, PROT_READ);
}

static int signal_unprotect(struct road *road, uint8_t *at, size_t bytes)
{
	(void)road;
	return protect(at, bytes, PROT_READ | PROT_WRITE);
}

static int signal_give(struct road *road, uint8_t *at, size_t bytes, bool now)
{
	int err;

	(void)road;
	if (!now)
		return -EOPNOTSUPP;
	err = protect(at, bytes, PROT_NONE);
	if (err)
		return err;
	if (!madvise(at, bytes, MADV_DONTNEED))
		return 0;
	err = -errno;
	protect(at, bytes, PROT_READ);
	return err;
}

static uint8_t *map(uint8_t *at, size_t bytes, int how, int flags)
{
	uint8_t *new = mmap(at, bytes, how, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1,
			    0);

	if (new != MAP_FAILED)
		madvise(new, bytes, MADV_NOHUGEPAGE);
	return new;
}

/* move_in() - for other threads one step: a page that may not be used, then the new one */
static ssize_t move_in(uint8_t *at, const void *from, size_t bytes)
{
	uint8_t *new = map(NULL, bytes, PROT_READ | PROT_WRITE, 0);
	int err;

	if (new == MAP_FAILED)
		return -errno;
	memcpy(new, from, bytes);
	if (!mprotect(new, bytes, PROT_READ) &&
	    mremap(new, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at) != MAP_FAILED)
		return (ssize_t)bytes;
	err = -errno;
	munmap(new, bytes);
	/* If it failed between the two, nothing else may get these addresses. */
	new = map(at, bytes, PROT_NONE, MAP_FIXED_NOREPLACE);
	if (new != MAP_FAILED && new != at)
		munmap(new, bytes);
	return err;
}

static ssize_t signal_put(struct road *road, uint8_t *at, const void *from, size_t bytes)
{
	int fd = road->features & WRITES_MEM ? open_mem() : -1, err;
	ssize_t done;

	if (fd < 0)
		return move_in(at, from, bytes);
	done = pwrite(fd, from, bytes, (off_t)(uintptr_t)at);
	err = errno;
	close(fd);
	errno = err;
	if (done < (ssize_t)road->page)
		return done < 0 ? -errno : -EIO;
	done -= done % (ssize_t)road->page;
	err = protect(at, (size_t)done, PROT_READ);
	return err ? err : done;
}

static ssize_t signal_zero(struct road *road, uint8_t *at, size_t bytes)
{
	int err = signal_unprotect(road, at, bytes);

	return err ? err : (ssize_t)bytes;
}

static int signal_discard(struct road *road, uint8_t *at, size_t bytes)
{
	int err = madvise(at, bytes, MADV_DONTNEED) ? -errno : 0;
	int ret = signal_unprotect(road, at, bytes);

	return err ? err : ret;
}

static void signal_cure(struct road *road, uint8_t *at)
{
	map(at, road->page, PROT_NONE, MAP_FIXED);
}

static void signal_wake(struct road *road, uint8_t *at, size_t bytes)
{
	(void)road;
	(void)at;
	(void)bytes;
}

const struct road_ops road_signal = {
	.road = MARVIN_ROAD_SIGNAL, .forks_protected = true, .page = signal_page,
	.begin = signal_begin, .end = signal_end, .forked = signal_forked,
	.protect = signal_protect, .unprotect = signal_unprotect, .give = signal_give,
	.put = signal_put, .zero = signal_zero, .discard = signal_discard, .poison = road_hole,
	.cure = signal_cure, .wake = signal_wake,
};
