// SPDX-License-Identifier: GPL-2.0
/*
 * Objects against a plain model: random sizes, reads, writes, pins, ticks, frees; the kernel drops
 * what it was given by MADV_FREE, all of it, or pages by chance, or nothing, by a shim for
 * madvise().
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "harness.h"
#include "marvin.h"
#include "objects.h"
#include "../brake.h"
#include "../heap.h"
#include "../shortage.h"
#include "../swapped.h"

int __real_madvise(void *addr, size_t bytes, int advice);
int __wrap_madvise(void *addr, size_t bytes, int advice);

/* What the kernel drops of memory that was given to it: percent of the pages. */
static unsigned int drop_percent = 100;
static uint64_t drop_state = 1;

int __wrap_madvise(void *addr, size_t bytes, int advice)
{
	size_t at, page = (size_t)sysconf(_SC_PAGESIZE);

	if (advice != MADV_FREE)
		return __real_madvise(addr, bytes, advice);
	for (at = 0; at < bytes; at += page)
		if (next_random(&drop_state) % 100 < drop_percent)
			__real_madvise((char *)addr + at, page, MADV_DONTNEED);
	return 0;
}

/* What happens in the middle of saving, of reading, of forgetting, once. */
static void (*in_write)(void), (*in_read)(void), (*in_forget)(void);
/* An offset that cannot be written, nor read, and why. */
static off_t bad_at = -1;
static int bad_errno = EIO;

static void do_once(void (**what)(void))
{
	void (*call)(void) = *what;

	*what = NULL;
	if (call)
		call();
}

ssize_t __real_pwrite64(int fd, const void *data, size_t bytes, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t bytes, off_t at);

ssize_t __wrap_pwrite64(int fd, const void *data, size_t bytes, off_t at)
{
	do_once(&in_write);
	if (bad_at >= at && bad_at < at + (off_t)bytes) {
		errno = bad_errno;
		return -1;
	}
	return __real_pwrite64(fd, data, bytes, at);
}

ssize_t __real_pread64(int fd, void *data, size_t bytes, off_t at);
ssize_t __wrap_pread64(int fd, void *data, size_t bytes, off_t at);

ssize_t __wrap_pread64(int fd, void *data, size_t bytes, off_t at)
{
	do_once(&in_read);
	if (bad_at >= at && bad_at < at + (off_t)bytes) {
		errno = bad_errno;
		return -1;
	}
	return __real_pread64(fd, data, bytes, at);
}

int __real_fallocate64(int fd, int mode, off_t at, off_t bytes);
int __wrap_fallocate64(int fd, int mode, off_t at, off_t bytes);

int __wrap_fallocate64(int fd, int mode, off_t at, off_t bytes)
{
	do_once(&in_forget);
	return __real_fallocate64(fd, mode, at, bytes);
}

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

/* How far the clock is ahead, until somebody sets it. */
static time_t ahead_s;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	int ret = __real_clock_gettime(clock, now);

	now->tv_sec += clock == CLOCK_REALTIME ? ahead_s : 0;
	return ret;
}

int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

/* At least so long is a nap: a tick of a kernel without precise timers. */
static long nap_ns;

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	struct timespec longer = *time;

	if (!longer.tv_sec && longer.tv_nsec < nap_ns)
		longer.tv_nsec = nap_ns;
	return __real_nanosleep(&longer, left);
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* From now on the kernel orders no memory. */
static _Atomic bool no_membarrier;

long __wrap_syscall(long number, ...)
{
	long a[3];
	va_list args;
	int i;

	va_start(args, number);
	for (i = 0; i < 3; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_membarrier && no_membarrier) {
		errno = EPERM;
		return -1;
	}
	return __real_syscall(number, a[0], a[1], a[2]);
}

bool __real_swapped(int fd, const void *data, size_t pages, size_t page);
bool __wrap_swapped(int fd, const void *data, size_t pages, size_t page);

/* Objects that begin in this memory are in the swap. */
static const uint8_t *out_from, *out_to;

bool __wrap_swapped(int fd, const void *data, size_t pages, size_t page)
{
	const uint8_t *at = data;

	return __real_swapped(fd, data, pages, page) || (at >= out_from && at < out_to);
}

enum shortage __wrap_shortage(void);

/* So many more looks find that hardly any memory is left. */
static _Atomic int dire_looks;

enum shortage __wrap_shortage(void)
{
	return dire_looks > 0 && dire_looks-- > 0 ? SHORTAGE_DIRE : SHORTAGE_NONE;
}

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);

/* Of the store when it was nobody's any more. */
static off_t unlocked_bytes = -1;

int __wrap_flock(int fd, int operation)
{
	struct stat st;

	if (operation == LOCK_UN && !fstat(fd, &st) && st.st_size > unlocked_bytes)
		unlocked_bytes = st.st_size;
	return __real_flock(fd, operation);
}

static char path[64];
static char said[256];
static unsigned int said_n;

static void say(const char *text)
{
	snprintf(said, sizeof(said), "%s", text);
	said_n++;
}

static struct marvin_options options(void)
{
	struct marvin_options options = { .store = path, .space = 32 << 20, .objects = 4000,
					  .no_thread = true, .say = say };

	said[0] = '\0';
	said_n = 0;
	return options;
}

static void begin(const char *dir)
{
	struct marvin_options opts = options();

	snprintf(path, sizeof(path), "%s/marvin.%d", dir, getpid());
	expect_eq(marvin_open(&opts), 0);
}

static void end(void)
{
	expect_eq(marvin_close(), 0);
	unlink(path);
}

static void test_life(void)
{
	struct marvin_stats stats;
	marvin_ref ref;

	begin("/var/tmp");
	ref = make(100000, 3);
	expect(check(ref, 3));
	ticks(3);
	marvin_stats(&stats);
	expect_eq(stats.saved, 0);
	ticks(1);
	marvin_stats(&stats);
	expect_eq(stats.saved, 1);
	expect_eq(stats.lazy, 1);
	expect(check(ref, 3));
	marvin_stats(&stats);
	expect_eq(stats.loaded, 1);
	/* It was only read: there is nothing to save. */
	ticks(6);
	marvin_stats(&stats);
	expect_eq(stats.saved, 1);
	expect_eq(stats.lazy, 2);
	marvin_enter();
	fill(marvin_write(ref), ref->bytes, 4);
	marvin_leave();
	ticks(6);
	expect(check(ref, 4));
	marvin_stats(&stats);
	expect_eq(stats.saved, 2);
	marvin_free(ref);
	marvin_stats(&stats);
	expect_eq(stats.objects, 0);
	expect_eq(stats.bytes, 0);
	end();
}

static void test_not_dropped(void)
{
	struct marvin_stats stats;
	marvin_ref ref;

	drop_percent = 0;
	begin("/var/tmp");
	ref = make(100000, 3);
	ticks(4);
	expect(check(ref, 3));
	marvin_stats(&stats);
	expect_eq(stats.claimed, 1);
	expect_eq(stats.loaded, 0);
	ticks(4);
	expect_eq(marvin_drop(1), 100000 / 4096 * 4096 + 4096);
	expect(check(ref, 3));
	marvin_stats(&stats);
	expect_eq(stats.loaded, 1);
	end();
	drop_percent = 100;
}

/* in_swap() - an object is there, or none */
static void in_swap(marvin_ref ref)
{
	out_from = ref ? ref->data : NULL;
	out_to = out_from + (ref ? ref->bytes : 0);
}

/* What the kernel has put into the swap is not brought back for being saved. */
static void test_swapped(size_t bytes)
{
	struct marvin_stats stats;
	marvin_ref refs[3];
	unsigned int i;

	begin("/var/tmp");
	for (i = 0; i < 3; i++)
		refs[i] = make(bytes, i);
	in_swap(refs[1]);
	ticks(6);
	marvin_stats(&stats);
	expect_eq(stats.saved, 2);
	expect_eq(stats.lazy, 2);
	in_swap(NULL);
	ticks(4);
	marvin_stats(&stats);
	expect_eq(stats.saved, 3);
	for (i = 0; i < 3; i++)
		expect(check(refs[i], i));
	end();
}

static void test_swapped_small(void)
{
	test_swapped(9000);
}

static void test_swapped_large(void)
{
	test_swapped(3 << 20);
}

static void test_swapped_flags(void)
{
	const uint64_t out = 1ULL << 62, here = 1ULL << 63;
	const uint64_t flags[] = { out, here, 0, out, out };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = swapped_open();
	uint8_t *memory = aligned_alloc(page, 4 * page);

	expect(!swapped_most(flags, 0));
	expect(swapped_most(flags, 1));
	expect(!swapped_most(flags, 2));
	expect(!swapped_most(flags, 4));
	expect(swapped_most(flags, 5));
	memset(memory, 1, 4 * page);
	expect(!swapped(fd, memory, 4, page));
	expect(!swapped(-1, memory, 4, page));
	free(memory);
	if (fd >= 0)
		close(fd);
}

/* A stub of an object that nobody uses may be in the swap: a tick does not write to it. */
static void test_untouched(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct marvin_stub *stub = aligned_alloc(page, page);

	begin("/var/tmp");
	expect_eq(marvin_init(stub, 9000), 0);
	ticks(6);
	expect_eq(mprotect(stub, page, PROT_READ), 0);
	ticks(6);
	expect_eq(mprotect(stub, page, PROT_READ | PROT_WRITE), 0);
	marvin_fini(stub);
	free(stub);
	end();
}

static void test_directory(void)
{
	struct marvin_options opts = options();
	struct marvin_stats stats;
	marvin_ref ref;

	opts.store = "/var/tmp/";
	expect_eq(marvin_open(&opts), 0);
	ref = make(8192, 1);
	ticks(5);
	expect(check(ref, 1));
	marvin_stats(&stats);
	expect_eq(stats.loaded, 1);
	expect_eq(marvin_close(), 0);
}

static void test_errors(void)
{
	struct marvin_options opts = options(), bad = opts;
	marvin_ref ref;

	expect(!marvin_new(10) && errno == EINVAL);
	bad.store = "/dev/null";
	expect_eq(marvin_open(&bad), -EINVAL);
	bad.store = "/nonexistent/file";
	expect_eq(marvin_open(&bad), -ENOENT);
	begin("/var/tmp");
	expect_eq(marvin_open(&opts), -EBUSY);
	expect(!marvin_new(0) && errno == EINVAL);
	/* Too large for the space: it stays in memory. */
	ref = make(33 << 20, 1);
	expect(strstr(said, "stay in memory") || ref->bytes > 32 << 20);
	ticks(5);
	expect(check(ref, 1));
	marvin_free(ref);
	marvin_enter();
	expect_eq(marvin_tick(1), -EDEADLK);
	marvin_leave();
	end();
	expect_eq(marvin_close(), -EINVAL);
}

static void test_damage(void)
{
	struct marvin_stats stats;
	marvin_ref good, bad;
	int fd;

	begin("/var/tmp");
	bad = make(8192, 1);
	good = make(8192, 2);
	ticks(5);
	fd = open(path, O_RDWR);
	expect_eq(pwrite(fd, "x", 1, marvin_heap.store.head + 5), 1);
	close(fd);
	marvin_enter();
	errno = 0;
	expect(!marvin_read(bad) && errno == EBADMSG);
	expect(!marvin_write(bad) && errno == EBADMSG);
	marvin_leave();
	expect(!marvin_pin(bad, false) && errno == EBADMSG);
	expect(strstr(said, "other bytes") != NULL);
	expect_eq(marvin_fetch(), -EBADMSG);
	marvin_stats(&stats);
	expect_eq(stats.broken, 1);
	expect(check(good, 2));
	marvin_free(bad);
	marvin_free(good);
	/* A store that has become shorter. */
	bad = make(8192, 1);
	ticks(5);
	expect_eq(truncate(path, 0), 0);
	marvin_enter();
	expect(!marvin_read(bad) && errno == EIO);
	marvin_leave();
	end();
}

static void test_pins(void)
{
	struct marvin_stats stats;
	uint8_t *bytes;
	marvin_ref ref;

	begin("/var/tmp");
	ref = make(8192, 1);
	bytes = marvin_pin(ref, true);
	ticks(8);
	marvin_stats(&stats);
	expect_eq(stats.saved, 0);
	fill(bytes, 8192, 2);
	marvin_unpin(ref);
	ticks(8);
	marvin_stats(&stats);
	expect_eq(stats.saved, 1);
	expect(check(ref, 2));
	end();
}

static marvin_ref small, large, other;
static uint8_t *pinned;

static void pin_large(void)
{
	pinned = marvin_pin(large, true);
}

/* A large object was found to be saved; before it is, it is pinned to be written. */
static void test_pinned_late(void)
{
	begin("/var/tmp");
	small = make(4096, 1);
	large = make(3 << 20, 2);
	ticks(3);
	in_write = pin_large;
	ticks(1);
	expect(pinned != NULL);
	fill(pinned, large->bytes, 3);
	marvin_unpin(large);
	ticks(8);
	expect(check(large, 3));
	expect(check(small, 1));
	end();
}

static void replace_large(void)
{
	marvin_free(large);
	other = make(4096, 5);
	large = make(2 << 20, 6);
}

/* The same; it is freed, and others get its entry and its place. */
static void test_replaced_late(void)
{
	begin("/var/tmp");
	small = make(4096, 1);
	large = make(3 << 20, 2);
	ticks(3);
	in_write = replace_large;
	ticks(9);
	expect(check(other, 5));
	expect(check(large, 6));
	expect(check(small, 1));
	end();
}

/* A stub that has outlived the heap is no object of the next one. */
static void test_outlived(void)
{
	marvin_ref old, new;

	begin("/var/tmp");
	old = make(8192, 1);
	expect_eq(marvin_close(), 0);
	begin("/var/tmp");
	new = make(8192, 2);
	marvin_enter();
	errno = 0;
	expect(!marvin_read(old) && errno == EINVAL);
	marvin_leave();
	marvin_free(old);
	expect(check(new, 2));
	end();
}

static int child(marvin_ref there, marvin_ref out, marvin_ref changed)
{
	if (!check(there, 1) || !check(out, 2))
		return 1;
	marvin_enter();
	fill(marvin_write(there), there->bytes, 9);
	marvin_leave();
	ticks(8);
	if (!check(there, 9))
		return 2;
	/* The parent has changed it, and its place in the store: other bytes would be wrong. */
	sleep(1);
	marvin_enter();
	if (marvin_read(changed) || errno != ESTALE)
		return 3;
	marvin_leave();
	return marvin_close() ? 4 : 0;
}

static void test_fork(void)
{
	marvin_ref there, out, changed;
	int status;
	pid_t pid;

	begin("/var/tmp");
	there = make(100000, 1);
	out = make(8192, 2);
	changed = make(8192, 3);
	ticks(6);
	expect(check(there, 1));
	pid = fork();
	if (!pid)
		_exit(child(there, out, changed));
	marvin_enter();
	fill(marvin_write(changed), 8192, 4);
	marvin_leave();
	ticks(6);
	expect_eq(waitpid(pid, &status, 0), pid);
	expect_eq(status, 0);
	expect(check(there, 1));
	expect(check(out, 2));
	expect(check(changed, 4));
	end();
}

static void *be_known(void *arg)
{
	marvin_enter();
	marvin_leave();
	pthread_barrier_wait(arg);
	pthread_barrier_wait(arg);
	return arg;
}

/* ThreadSanitizer allows a child none, if its parent has some. */
#ifdef __SANITIZE_THREAD__
#define CHILD_THREADS false
#else
#define CHILD_THREADS true
#endif

/* closed_child() - a thread of its own has the memory of one of the parent's */
static int closed_child(void)
{
	const struct marvin_options opts = { .store = "/var/tmp/", .no_thread = true };
	pthread_barrier_t barrier;
	pthread_t thread;
	marvin_ref ref;

	/* A saver that waits for a thread that is not there does so for ever. */
	alarm(20);
	pthread_barrier_init(&barrier, NULL, 2);
	if (marvin_open(&opts))
		return 1;
	ref = make(8192, 1);
	if (CHILD_THREADS) {
		pthread_create(&thread, NULL, be_known, &barrier);
		pthread_barrier_wait(&barrier);
	}
	ticks(6);
	if (!check(ref, 1))
		return 2;
	if (CHILD_THREADS) {
		pthread_barrier_wait(&barrier);
		pthread_join(thread, NULL);
	}
	return marvin_close() ? 3 : 0;
}

/* The threads of the parent are not the child's, also when there is no heap. */
static void test_fork_closed(void)
{
	pthread_barrier_t barrier;
	pthread_t thread;
	int status;
	pid_t pid;

	begin("/var/tmp");
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, be_known, &barrier);
	pthread_barrier_wait(&barrier);
	end();
	pid = fork();
	if (!pid)
		_exit(closed_child());
	expect_eq(waitpid(pid, &status, 0), pid);
	expect_eq(status, 0);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&barrier);
}

/* Objects side by side are written at once: one that cannot be is not the others' harm. */
static void test_one_fails(void)
{
	struct marvin_stats stats;
	marvin_ref refs[8];
	unsigned int i;

	begin("/var/tmp");
	for (i = 0; i < 8; i++)
		refs[i] = make(8192, i);
	bad_at = marvin_heap.store.head + 3 * 8192 + 4096;
	ticks(5);
	marvin_stats(&stats);
	expect_eq(stats.saved, 7);
	expect_eq(stats.lazy, 7);
	expect(stats.store_errors > 0);
	expect(strstr(said, "could not be saved") != NULL);
	/* It is said once, not at each tick. */
	said[0] = '\0';
	ticks(5);
	expect_eq(said[0], '\0');
	for (i = 0; i < 8; i++)
		expect(check(refs[i], i));
	bad_at = -1;
	ticks(5);
	marvin_stats(&stats);
	expect_eq(stats.saved, 8);
	for (i = 0; i < 8; i++)
		expect(check(refs[i], i));
	end();
}

/* A store that is full and fails by turns says each once, and once that it cannot be read. */
static void test_said(void)
{
	marvin_ref ref;
	unsigned int i;

	begin("/var/tmp");
	ref = make(8192, 1);
	bad_at = marvin_heap.store.head;
	for (i = 0; i < 12; i++) {
		bad_errno = i % 2 ? ENOSPC : EIO;
		ticks(1);
	}
	bad_errno = EIO;
	expect_eq(said_n, 2);
	expect(check(ref, 1));
	bad_at = -1;
	ticks(5);
	bad_at = marvin_heap.store.head;
	for (i = 0; i < 5; i++)
		expect(!check(ref, 1));
	expect_eq(said_n, 3);
	expect(strstr(said, "cannot be read") != NULL);
	bad_at = -1;
	expect(check(ref, 1));
	end();
}

static bool was_free;

/* While the store forgets a place, it is another object's. */
static void make_there(void)
{
	was_free = !pthread_mutex_trylock(&marvin_heap.lock);
	if (!was_free)
		return;
	pthread_mutex_unlock(&marvin_heap.lock);
	other = make(8192, 7);
}

static void test_forget(void)
{
	begin("/var/tmp");
	other = make(8192, 1);
	ticks(5);
	marvin_free(other);
	other = NULL;
	was_free = false;
	in_forget = make_there;
	ticks(1);
	expect(was_free);
	expect(other && marvin_heap.entries[0].page == 0 && check(other, 7));
	ticks(5);
	expect(heap_word(0) & ENTRY_LAZY);
	expect(other && check(other, 7));
	unlocked_bytes = -1;
	end();
	expect_eq(unlocked_bytes, 0);
}

static void cancel_self(void)
{
	pthread_cancel(pthread_self());
}

static pthread_key_t late;
static bool late_known;

/* What runs at the end of a thread may use objects, too, and is seen by the saver. */
static void use_late(void *arg)
{
	marvin_enter();
	late_known = marvin_thread.known && marvin_thread.inside == 1 && marvin_read(arg);
	marvin_leave();
}

static void *use_cancelled(void *arg)
{
	pthread_setspecific(late, arg);
	marvin_enter();
	marvin_read(arg);
	pthread_testcancel();
	marvin_leave();
	return arg;
}

/* A thread that is cancelled leaves no lock behind, and nobody waits for it. */
static void test_cancel(void)
{
	pthread_t thread;
	void *result = NULL;
	bool was_open;

	begin("/var/tmp");
	other = make(8192, 1);
	ticks(5);
	in_read = cancel_self;
	late_known = false;
	pthread_key_create(&late, use_late);
	pthread_create(&thread, NULL, use_cancelled, other);
	pthread_join(thread, &result);
	pthread_key_delete(late);
	expect(result == PTHREAD_CANCELED);
	expect(late_known);
	was_open = !pthread_mutex_trylock(&marvin_heap.lock);
	expect(was_open);
	pthread_mutex_unlock(&marvin_heap.lock);
	expect(check(other, 1));
	ticks(5);
	expect(check(other, 1));
	end();
}

/* The clock is an hour ahead when the thread looks how long to nap; then somebody sets it. */
static void test_clock(void)
{
	struct marvin_options opts = options();
	struct marvin_stats stats;
	unsigned int tries = 100;

	opts.no_thread = false;
	opts.foreground_ms = 50;
	ahead_s = 3600;
	snprintf(path, sizeof(path), "/var/tmp/marvin.%d", getpid());
	expect_eq(marvin_open(&opts), 0);
	do {
		usleep(50000);
		marvin_stats(&stats);
	} while (stats.ticks < 2 && --tries);
	expect(stats.ticks >= 2);
	end();
	ahead_s = 0;
}

/* make_mib() - an object of so much; returns how long that took, ms */
static unsigned int make_mib(size_t mib)
{
	uint64_t since_ns = heap_now_ns();
	marvin_ref ref = marvin_new(mib << 20);

	expect(ref);
	since_ns = heap_now_ns() - since_ns;
	marvin_free(ref);
	return (unsigned int)(since_ns / 1000000);
}

/* Who makes objects waits while hardly any memory is left, but not for ever, nor in vain. */
static void test_brake(void)
{
	struct marvin_options opts = options();
	unsigned int i;

	begin("/var/tmp");
	dire_looks = 5;
	make_mib(1);
	expect_eq(dire_looks, 5);
	end();
	opts.no_thread = false;
	/* So quick a saver does not look itself. */
	opts.foreground_ms = 1000;
	snprintf(path, sizeof(path), "/var/tmp/marvin.%d", getpid());
	expect_eq(marvin_open(&opts), 0);
	dire_looks = 0;
	make_mib(1);
	dire_looks = 5;
	marvin_free(marvin_new(8192));
	expect_eq(dire_looks, 5);
	expect(make_mib(1) >= 5 * 20);
	expect_eq(dire_looks, 0);
	dire_looks = 5;
	marvin_enter();
	make_mib(1);
	marvin_leave();
	expect_eq(dire_looks, 5);
	/* An object that is freed takes no memory, so nobody looks. */
	for (i = 0; i < 300; i++)
		marvin_free(marvin_new(16384));
	expect_eq(dire_looks, 5);
	dire_looks = 1000000;
	brake_limit_ms = 400;
	expect(make_mib(1) >= 250);
	/* That was in vain, and nothing has been saved since. */
	expect(make_mib(1) < 100);
	dire_looks = 0;
	brake_limit_ms = 5000;
	end();
}

static void test_shortage(void)
{
	static const char text[] = "MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable: %u kB\n"
				   "SwapTotal: 500 kB\nSwapFree: %u kB\n";
	static const struct { unsigned int available, swap; enum shortage want; } rows[] = {
		{ 1000, 0, SHORTAGE_NONE }, { 250, 0, SHORTAGE_NONE }, { 249, 0, SHORTAGE_SHORT },
		{ 100, 0, SHORTAGE_SHORT }, { 99, 0, SHORTAGE_DIRE }, { 0, 0, SHORTAGE_DIRE },
		{ 99, 1, SHORTAGE_SHORT }, { 0, 99, SHORTAGE_DIRE }, { 0, 100, SHORTAGE_SHORT },
	};
	char meminfo[256];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(meminfo, sizeof(meminfo), text, rows[i].available, rows[i].swap);
		expect_eq(shortage_in(meminfo), rows[i].want);
	}
	/* 16 GiB have not run out with one left. */
	expect_eq(shortage_in("MemTotal: 16777216 kB\nMemAvailable: 1048576 kB\n"),
		  SHORTAGE_SHORT);
	expect_eq(shortage_in("MemTotal: 16777216 kB\nMemAvailable: 32767 kB\n"), SHORTAGE_DIRE);
	/* A text without a figure, an old kernel, and a system without swap */
	expect_eq(shortage_in(""), SHORTAGE_NONE);
	expect_eq(shortage_in("MemTotal: 1000 kB\nMemFree: 1 kB\n"), SHORTAGE_NONE);
	expect_eq(shortage_in("MemTotal: 1000 kB\nMemAvailable: 99 kB\n"), SHORTAGE_DIRE);
}

/* ticks_in() - how many the thread does, after the one that it is in */
static uint64_t ticks_in(unsigned int ms)
{
	_Atomic uint64_t *ticks = &marvin_heap.table->counts[COUNT_TICKS];
	uint64_t before;

	usleep(200000);
	before = atomic_load(ticks);
	usleep(ms * 1000);
	return atomic_load(ticks) - before;
}

/* In the background ticks are rare, but not after a marvind that died and is not started anew. */
static void test_background(void)
{
	struct marvin_options opts = options();
	pid_t child = fork();

	if (!child)
		_exit(0);
	expect_eq(waitpid(child, NULL, 0), child);
	opts.no_thread = false;
	opts.foreground_ms = 50;
	opts.background_ms = 60000;
	snprintf(path, sizeof(path), "/var/tmp/marvin.%d", getpid());
	expect_eq(marvin_open(&opts), 0);
	expect(ticks_in(2000) > 1);
	atomic_store(&marvin_heap.table->reclaimer, (uint32_t)getpid());
	atomic_store(&marvin_heap.table->background, 1);
	expect_eq(ticks_in(500), 0);
	/* It has died: that is seen within a second. */
	atomic_store(&marvin_heap.table->reclaimer, (uint32_t)child);
	expect(ticks_in(2000) > 1);
	/* One is started anew, and ends; it says nothing of the foreground. */
	atomic_store(&marvin_heap.table->reclaimer, (uint32_t)getpid());
	expect_eq(ticks_in(500), 0);
	atomic_store(&marvin_heap.table->reclaimer, 0);
	expect(ticks_in(2000) > 1);
	end();
}

static _Atomic bool stop;

static void *ticker(void *arg)
{
	while (!stop) {
		marvin_tick(100);
		marvin_drop(100000);
		usleep(500);
	}
	return arg;
}

static void *stay_inside(void *arg)
{
	marvin_enter();
	usleep(1500000);
	marvin_leave();
	return arg;
}

/* Naps of 20 ms: nobody is kept out for long because another thread stays inside. */
static void test_long_naps(void)
{
	uint64_t since_ns, longest_ns = 0;
	pthread_t thread, tick;
	unsigned int i;

	begin("/var/tmp");
	other = make(8192, 1);
	nap_ns = 20000000;
	stop = false;
	pthread_create(&thread, NULL, stay_inside, NULL);
	usleep(100000);
	pthread_create(&tick, NULL, ticker, NULL);
	for (i = 0; i < 50; i++) {
		usleep(10000);
		since_ns = heap_now_ns();
		marvin_enter();
		marvin_leave();
		since_ns = heap_now_ns() - since_ns;
		longest_ns = since_ns > longest_ns ? since_ns : longest_ns;
	}
	stop = true;
	pthread_join(thread, NULL);
	pthread_join(tick, NULL);
	nap_ns = 0;
	tap_note("%llu ms at most", (unsigned long long)longest_ns / 1000000);
	expect(longest_ns < 700000000);
	end();
}

#define OBJECTS 300

static void random_work(uint64_t seed, unsigned int steps)
{
	static struct { marvin_ref ref; uint64_t seed; } model[OBJECTS];
	static const size_t sizes[] = { 1, 100, 2048, 4076, 4096, 4097, 30000, 200000, 3000000 };
	uint64_t state = seed, wrong = 0;
	unsigned int step, i;

	for (step = 0; step < steps; step++) {
		i = next_random(&state) % OBJECTS;
		if (!model[i].ref) {
			size_t bytes = sizes[next_random(&state) % (i % 40 ? 8 : 9)];

			model[i].seed = step;
			model[i].ref = make(bytes, step);
			continue;
		}
		switch (next_random(&state) % 16) {
		case 0:
			marvin_free(model[i].ref);
			model[i].ref = NULL;
			break;
		case 1: case 2: case 3:
			marvin_enter();
			fill(marvin_write(model[i].ref), model[i].ref->bytes, step);
			marvin_leave();
			model[i].seed = step;
			break;
		case 4:
			drop_percent = (unsigned int)(next_random(&state) % 3) * 50;
			marvin_tick(1000);
			break;
		case 5:
			marvin_drop(next_random(&state) % 1000000);
			break;
		default:
			wrong += !check(model[i].ref, model[i].seed);
		}
	}
	for (i = 0; i < OBJECTS; i++) {
		wrong += model[i].ref && !check(model[i].ref, model[i].seed);
		marvin_free(model[i].ref);
		model[i].ref = NULL;
	}
	expect_eq(wrong, 0);
	drop_percent = 100;
}

static void test_random(void)
{
	struct marvin_stats stats;

	begin("/var/tmp");
	random_work(1, getenv("QUICK") ? 5000 : 30000);
	marvin_stats(&stats);
	tap_note("saved %llu, given %llu, still there %llu, read %llu",
		 (unsigned long long)stats.saved, (unsigned long long)stats.lazy,
		 (unsigned long long)stats.claimed, (unsigned long long)stats.loaded);
	expect(stats.loaded > 100);
	expect_eq(stats.objects, 0);
	end();
}

/* Threads of the program, the saver, and ticks as fast as it goes. */
struct worker {
	pthread_t thread;
	uint64_t wrong;
	uint64_t seed;
};

static unsigned int worker_steps = 20000;

/* is_enough() - did an object come back from the store? On a slow disk, later */
static bool is_enough(void)
{
	struct marvin_stats stats;

	marvin_stats(&stats);
	return stats.loaded > 0;
}

static void *worker(void *arg)
{
	struct worker *self = arg;
	struct { marvin_ref ref; uint64_t seed; } mine[40];
	uint64_t state = self->seed;
	unsigned int i, step, steps = worker_steps;

	for (i = 0; i < 40; i++) {
		mine[i].ref = make(i % 4 ? 4096 : 70000, i);
		mine[i].seed = i;
	}
	for (step = 0; step < steps || (step < 50 * steps && !is_enough()); step++) {
		i = next_random(&state) % (step % 1000 < 500 ? 40 : 8);
		if (next_random(&state) % 4 == 0) {
			marvin_enter();
			fill(marvin_write(mine[i].ref), mine[i].ref->bytes, step);
			marvin_leave();
			mine[i].seed = step;
		} else {
			self->wrong += !check(mine[i].ref, mine[i].seed);
		}
		if (step % 50 == 0)
			usleep(100);
	}
	for (i = 0; i < 40; i++) {
		self->wrong += !check(mine[i].ref, mine[i].seed);
		marvin_free(mine[i].ref);
	}
	return NULL;
}

static void test_threads(void)
{
	struct worker workers[4] = { { .seed = 1 }, { .seed = 2 }, { .seed = 3 }, { .seed = 4 } };
	struct marvin_stats stats;
	pthread_t tick;
	unsigned int i;

	begin("/var/tmp");
	stop = false;
	pthread_create(&tick, NULL, ticker, NULL);
	for (i = 0; i < 4; i++)
		pthread_create(&workers[i].thread, NULL, worker, &workers[i]);
	for (i = 0; i < 4; i++) {
		pthread_join(workers[i].thread, NULL);
		expect_eq(workers[i].wrong, 0);
	}
	stop = true;
	pthread_join(tick, NULL);
	marvin_stats(&stats);
	tap_note("ticks %llu, saved %llu, read %llu", (unsigned long long)stats.ticks,
		 (unsigned long long)stats.saved, (unsigned long long)stats.loaded);
	expect(stats.loaded > 0);
	end();
}

/* A filter for system calls forbids membarrier() after the heap was opened. */
static void test_fenced(void)
{
	no_membarrier = true;
	worker_steps /= 4;
	test_threads();
	worker_steps *= 4;
	no_membarrier = false;
	__atomic_fetch_and(&marvin_gate, ~2U, __ATOMIC_SEQ_CST);
}

static const struct tap_case cases[] = {
	{ "the life of an object", test_life },
	{ "memory that the kernel did not want", test_not_dropped },
	{ "objects in the swap", test_swapped_small },
	{ "large objects in the swap", test_swapped_large },
	{ "what pagemap says", test_swapped_flags },
	{ "stubs that nobody uses", test_untouched },
	{ "a store without a name", test_directory },
	{ "what cannot be", test_errors },
	{ "a store that is damaged", test_damage },
	{ "pins", test_pins },
	{ "a large object is pinned while it is about to be saved", test_pinned_late },
	{ "a large object is replaced while it is about to be saved", test_replaced_late },
	{ "a stub that has outlived the heap", test_outlived },
	{ "a fork", test_fork },
	{ "a fork while there is no heap", test_fork_closed },
	{ "one object that cannot be saved", test_one_fails },
	{ "errors that come again and again", test_said },
	{ "a place that is taken while the store forgets it", test_forget },
	{ "a thread is cancelled", test_cancel },
	{ "the clock is set", test_clock },
	{ "hardly any memory is left", test_brake },
	{ "how short memory is", test_shortage },
	{ "the background", test_background },
	{ "naps that take long", test_long_naps },
	{ "random use, and a kernel that drops by chance", test_random },
	{ "threads", test_threads },
	{ "threads that order memory themselves", test_fenced },
};

int main(int argc, char **argv)
{
	return tap_main("heap", cases, ARRAY_SIZE(cases), argc, argv);
}
