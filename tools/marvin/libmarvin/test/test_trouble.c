// SPDX-License-Identifier: GPL-2.0
/*
 * Troubles that must not harm a program: a slow store, a full one, one that fails or that others
 * change; limits of the process; children; signals, cancelled threads, closed descriptors.
 */
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "heaps.h"
#include "../load.h"

/* Newer than the headers of older systems. */
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#ifdef __SANITIZE_THREAD__
#define IS_TSAN true
#else
#define IS_TSAN false
#endif
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SLOWER 20U
#else
#define SLOWER 1U
#endif

int __real_mincore(void *at, size_t bytes, unsigned char *there);
int __wrap_mincore(void *at, size_t bytes, unsigned char *there);

/* The kernel says of a page in the swap that it is not in memory. */
static _Atomic bool swapped;

int __wrap_mincore(void *at, size_t bytes, unsigned char *there)
{
	int ret = __real_mincore(at, bytes, there);

	if (swapped)
		memset(there, 0, (bytes + page_bytes() - 1) / page_bytes());
	return ret;
}

void *__real_mmap64(void *at, size_t bytes, int how, int flags, int fd, off_t from);
void *__wrap_mmap64(void *at, size_t bytes, int how, int flags, int fd, off_t from);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg);

/* As with a limit for addresses, under which a sanitizer cannot live. */
static _Atomic bool no_memory;

void *__wrap_mmap64(void *at, size_t bytes, int how, int flags, int fd, off_t from)
{
	if (no_memory && !(flags & MAP_FIXED)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return __real_mmap64(at, bytes, how, flags, fd, from);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg)
{
	return no_memory ? EAGAIN : __real_pthread_create(thread, attr, run, arg);
}

int __real_epoll_create1(int flags);
int __wrap_epoll_create1(int flags);
int __real_epoll_wait(int fd, struct epoll_event *events, int most, int ms);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int ms);

/* A filter of system calls forbids them. */
static _Atomic bool no_epoll, no_epoll_wait;

int __wrap_epoll_create1(int flags)
{
	if (!no_epoll)
		return __real_epoll_create1(flags);
	errno = EPERM;
	return -1;
}

int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int ms)
{
	if (!no_epoll_wait)
		return __real_epoll_wait(fd, events, most, ms);
	errno = ENOSYS;
	return -1;
}

static void open_gate(void)
{
	gate_closed = false;
	expect_eq(gave_up, 0);
	gave_up = 0;
}

#define READERS 8U
#define OBJECT (1U << 20)

struct reader {
	pthread_t thread;
	uint8_t *object;
	bool right;
};

static void *read_object(void *arg)
{
	struct reader *reader = arg;

	reader->right = check(reader->object, 10, 1);
	return NULL;
}

/* All wait for the store but this thread, which makes objects and uses pages that are there. */
static void test_slow_reads(void)
{
	struct reader readers[READERS];
	uint8_t *here;
	unsigned int i;

	begin();
	for (i = 0; i < READERS; i++)
		readers[i].object = make(OBJECT, 1);
	here = make(OBJECT, 1);
	away();
	expect(check(here, OBJECT, 1));
	gate_closed = true;
	for (i = 0; i < READERS; i++)
		pthread_create(&readers[i].thread, NULL, read_object, &readers[i]);
	expect(wait_at_gate(4));
	/* Pages that are there, to be read and to be written. */
	expect(check(here, OBJECT, 1));
	fill(here, OBJECT, 2);
	for (i = 0; i < 50; i++)
		make(5000, i);
	make(OBJECT, 3);
	marvin_free(heap, here);
	expect(is_zeroes(marvin_new(heap, OBJECT), OBJECT));
	stats();
	expect(at_gate >= 4);
	open_gate();
	for (i = 0; i < READERS; i++) {
		pthread_join(readers[i].thread, NULL);
		expect(readers[i].right);
	}
	expect_eq(stats().lost, 0);
	end();
}
ON_ROADS(test_slow_reads)

static void *tick_once(void *arg)
{
	marvin_tick(heap, 60000);
	return arg;
}

/* A program may write to a page while it is being saved. */
static void test_slow_writes(void)
{
	unsigned int round;
	pthread_t saver;
	uint8_t *object;

	begin();
	gate_lets_reads = true;
	object = make(OBJECT, 1);
	ticks(2);
	for (round = 0; round < 3; round++) {
		gate_closed = true;
		marvin_cold(heap, object, OBJECT);
		pthread_create(&saver, NULL, tick_once, NULL);
		expect(wait_at_gate(1));
		fill(object, OBJECT, round + 5);
		make(5000, 1);
		marvin_free(heap, make(OBJECT, 2));
		expect(at_gate >= 1);
		open_gate();
		pthread_join(saver, NULL);
		expect(check(object, OBJECT, round + 5));
		ticks(TICKS * 8);
		marvin_drop(heap, UINT64_MAX);
		expect(check(object, OBJECT, round + 5));
		fill(object, OBJECT, round);
	}
	gate_lets_reads = false;
	end();
}
ON_ROADS(test_slow_writes)

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* time_of() - of many objects that come and go, with those that there are already */
static uint64_t time_of(size_t bytes)
{
	uint64_t since = cpu_ns();
	unsigned int i;

	for (i = 0; i < 20000; i++)
		marvin_free(heap, marvin_new(heap, bytes));
	return cpu_ns() - since;
}

/* A heap that is nearly full takes no longer than an empty one to find room. */
static void test_full_space(void)
{
	static uint8_t *objects[200000];
	uint64_t empty, full;
	unsigned int n, i;
	size_t bytes;

	begin();
	for (bytes = 100; bytes <= 10000; bytes *= 100) {
		empty = time_of(bytes);
		for (n = 0; n < ARRAY_SIZE(objects); n++) {
			objects[n] = marvin_new(heap, bytes);
			if (!objects[n])
				break;
		}
		for (i = 0; i < n; i += 1 + n / 50)
			marvin_free(heap, objects[i]);
		full = time_of(bytes);
		tap_note("%zu bytes, %u objects: %llu us, empty %llu us", bytes, n,
			 (unsigned long long)full / 1000, (unsigned long long)empty / 1000);
		expect(full < 5 * empty);
		for (i = 0; i < n; i++)
			if (i % (1 + n / 50))
				marvin_free(heap, objects[i]);
		expect_eq(stats().objects, 0);
	}
	end();
}
ON_ROADS(test_full_space)

static uint64_t resident(void)
{
	unsigned long all = 0, here = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%lu %lu", &all, &here) != 2)
		here = 0;
	if (file)
		fclose(file);
	return here * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Ten pages of 1 GiB take neither memory, nor a store, nor time for 1 GiB. */
static void test_sparse(void)
{
	struct marvin_options with = options();
	uint64_t before, spent;
	unsigned int i;
	uint8_t *object;
	struct stat st;

	if (sizeof(void *) == 4)
		return;
	with.space = 2ULL << 30;
	begin_with(with);
	before = resident();
	spent = cpu_ns();
	object = marvin_new(heap, 1U << 30);
	for (i = 0; i < 10; i++)
		object[i * 100000000ULL] = (uint8_t)(i + 1);
	ticks(TICKS);
	spent = cpu_ns() - spent;
	tap_note("%s: %llu KiB, %llu ms", marvin_road_name(road),
		 (unsigned long long)(resident() - before) / 1024,
		 (unsigned long long)spent / 1000000);
	/* Page tables, and what a page of this road has around the byte. */
	expect(IS_TSAN || resident() - before < 10 * page_bytes() + (1 << 20));
	expect(IS_TSAN || spent < 100000000ULL * SLOWER);
	expect(!stat(path, &st));
	expect((uint64_t)st.st_blocks * 512 <= 12 * page_bytes());
	marvin_drop(heap, UINT64_MAX);
	for (i = 0; i < 10; i++)
		expect_eq(object[i * 100000000ULL], i + 1);
	marvin_free(heap, object);
	ticks(1);
	expect(!stat(path, &st));
	expect((uint64_t)st.st_blocks * 512 <= 2 * 4096);
	end();
}
ON_ROADS(test_sparse)

/* is_said() - a thread that waits for a page may go on before something is said */
static bool is_said(unsigned int n)
{
	unsigned int ms;

	for (ms = 0; said_n < n && ms < 5000; ms += 10)
		sleep_ms(10);
	return said_n == n;
}

/* In a large space the pages of the road by signals are large. */
static void test_large_space(void)
{
	struct marvin_options with = options();
	uint8_t *object;

	if (sizeof(void *) == 4)
		return;
	with.space = 64ULL << 30;
	begin_with(with);
	object = make(OBJECT, 1);
	expect_eq(marvin_background(heap, true), 0);
	expect(stats().written >= OBJECT);
	expect(check(object, OBJECT, 1));
	expect(stats().loads > 0);
	end();
}
ON_ROADS(test_large_space)

static void put_store(const uint8_t *page, const void *bytes, size_t n)
{
	int fd = open(path, O_RDWR);
	off_t at = (off_t)(heap->stores.layers[0].head + (size_t)(page - heap->space));

	expect_eq(pwrite(fd, bytes, n, at), n);
	close(fd);
}

/* Another program writes to a page of the store: it is an error there, and nowhere else. */
static void test_overwritten(void)
{
	uint8_t *object, *page, *right;
	size_t bytes;

	begin();
	bytes = page_bytes();
	object = make(10 * bytes, 1);
	page = page_in(object, 3);
	right = test_alloc(bytes);
	memcpy(right, page, bytes);
	away();
	put_store(page, "other bytes", 11);
	expect(check(object, (size_t)(page - object), 1));
	expect(is_bus(page));
	expect(is_bus(page + bytes - 1));
	expect(!is_bus(page + bytes));
	expect(is_said(1));
	expect(strstr(said, "other bytes") != NULL);
	expect_eq(marvin_pin(heap, page, 1), -EBADMSG);
	expect_eq(marvin_prefetch(heap, object, 10 * bytes), -EBADMSG);
	expect_eq(marvin_fetch(heap), -EBADMSG);
	expect(is_bus(page));
	expect_eq(heap->pages[page_nr(page)].pins, 0);
	expect(stats().lost > 0);
	ticks(TICKS);
	marvin_drop(heap, UINT64_MAX);
	expect(is_bus(page));
	/* As it was again. */
	put_store(page, right, bytes);
	expect_eq(marvin_pin(heap, page, 1), 0);
	expect(check(object, 10 * bytes, 1));
	fill(object, 10 * bytes, 2);
	marvin_unpin(heap, page, 1);
	ticks(TICKS * 8);
	marvin_drop(heap, UINT64_MAX);
	expect(check(object, 10 * bytes, 2));
	/* A lost page whose object is freed is like any other afterwards. */
	ticks(TICKS);
	marvin_drop(heap, UINT64_MAX);
	put_store(page, "other bytes", 11);
	expect(is_bus(page));
	marvin_free(heap, object);
	object = make(10 * bytes, 3);
	away();
	expect(check(object, 10 * bytes, 3));
	free(right);
	end();
}
ON_ROADS(test_overwritten)

/* New objects are made beside those in a page that is lost, and where one was. */
static void test_beside(void)
{
	uint8_t *objects[64], *new;
	unsigned int i, n = 0;
	size_t bytes;

	begin();
	bytes = page_bytes() / 16;
	for (i = 0; i < 64; i++)
		objects[i] = make(bytes, i);
	away();
	for (i = 0; i < 64; i++)
		put_store(objects[i], "x", 1);
	for (i = 0; i < 64; i++)
		n += is_bus(objects[i]);
	expect(n >= 60);
	for (i = 0; i < 64; i += 2)
		marvin_free(heap, objects[i]);
	for (i = 0; i < 64; i += 2) {
		new = marvin_new(heap, bytes);
		expect(new && is_zeroes(new, bytes));
		objects[i] = new;
	}
	expect_eq(stats().objects, 64);
	for (i = 0; i < 64; i++)
		marvin_free(heap, objects[i]);
	expect_eq(stats().objects, 0);
	expect_eq(stats().bytes, 0);
	for (i = 0; i < 64; i++)
		objects[i] = make(bytes, i);
	away();
	for (i = 0; i < 64; i++)
		expect(check(objects[i], bytes, i));
	end();
}
ON_ROADS(test_beside)

static void test_truncated(void)
{
	unsigned int i, n = 0;
	uint8_t *gone, *here;
	size_t bytes;

	begin();
	bytes = page_bytes();
	gone = make(20 * bytes, 1);
	away();
	here = make(10 * bytes, 2);
	expect_eq(truncate(path, 0), 0);
	for (i = 0; i < 18; i++)
		n += is_bus(page_in(gone, i));
	expect_eq(n, 18);
	/* The library says it in one line for all pages. */
	expect(is_said(1));
	expect(marvin_pin(heap, page_in(gone, 0), 1) < 0);
	expect(check(here, 10 * bytes, 2));
	away();
	expect(check(here, 10 * bytes, 2));
	marvin_free(heap, gone);
	gone = make(20 * bytes, 3);
	away();
	expect(check(gone, 20 * bytes, 3));
	end();
}
ON_ROADS(test_truncated)

static void test_read_errors(void)
{
	uint8_t *object, *page;
	size_t bytes;

	begin();
	bytes = page_bytes();
	object = make(10 * bytes, 1);
	page = page_in(object, 3);
	away();
	read_errno = EIO;
	expect(is_bus(page));
	/* The message of a fault may be handled after the page was lost: it stays lost. */
	expect(load_missing(heap, (uint32_t)((size_t)(page - heap->space) / bytes), NULL));
	expect(is_bus(page));
	expect_eq(marvin_pin(heap, page, bytes), -EIO);
	expect(strstr(said, "cannot be read") != NULL);
	read_errno = 0;
	expect(!is_bus(page + bytes) && !is_bus(page - 1));
	expect(is_bus(page));
	expect_eq(marvin_pin(heap, page, bytes), 0);
	marvin_unpin(heap, page, bytes);
	expect(check(object, 10 * bytes, 1));
	end();
}
ON_ROADS(test_read_errors)

static void test_write_errors(void)
{
	static const int errors[] = { EIO, ENOSPC, EDQUOT, EFBIG };
	uint8_t *object;
	unsigned int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		object = make(100000, i);
		ticks(2);
		write_errno = errors[i];
		expect_eq(marvin_tick(heap, 10000), errors[i] == EIO ? -EIO : -ENOSPC);
		expect_eq(marvin_background(heap, true), errors[i] == EIO ? -EIO : -ENOSPC);
		marvin_drop(heap, UINT64_MAX);
		/* It may be written as before, too. */
		expect(check(object, 100000, i));
		fill(object, 100000, i + 1);
		write_errno = 0;
		expect_eq(marvin_background(heap, true), 0);
		expect(check(object, 100000, i + 1));
		marvin_background(heap, false);
	}
	/* Each kind is said once. */
	expect_eq(said_n, 2);
	expect(stats().store_errors > 0 && stats().full > 0);
	ticks(1);
	end();
}
ON_ROADS(test_write_errors)

/* A page that was written after it was given; the kernel puts it into the swap; the store fails. */
static void test_newer_in_swap(void)
{
	uint8_t *object, *page;
	size_t bytes;

	begin();
	bytes = page_bytes();
	object = make(10 * bytes, 1);
	page = page_in(object, 3);
	ticks(TICKS);
	fill(object, 10 * bytes, 2);
	swapped = true;
	read_errno = EIO;
	marvin_pin(heap, page, bytes);
	marvin_prefetch(heap, object, 10 * bytes);
	read_errno = 0;
	expect_eq(marvin_pin(heap, page, bytes), 0);
	expect_eq(marvin_prefetch(heap, object, 10 * bytes), 0);
	swapped = false;
	expect(check(object, 10 * bytes, 2));
	end();
}
ON_ROADS(test_newer_in_swap)

static int over_file_limit(void)
{
	struct rlimit limit = { 100000, 100000 };
	uint8_t *object;
	sigset_t pending;
	int i;

	signal(SIGXFSZ, SIG_DFL);
	begin();
	object = make(OBJECT, 1);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		return 1;
	for (i = 0; i < 2; i++)
		marvin_tick(heap, 10000);
	if (marvin_tick(heap, 10000) != -ENOSPC || marvin_background(heap, true) != -ENOSPC)
		return 2;
	if (!check(object, OBJECT, 1) || strstr(said, "full") == NULL)
		return 3;
	sigpending(&pending);
	if (sigismember(&pending, SIGXFSZ))
		return 4;
	return marvin_close(heap) ? 5 : 0;
}

/* A limit for files ends no program. */
static void test_file_limit(void)
{
	expect_eq(in_child(over_file_limit), 0);
	unlink(path);
}
ON_ROADS(test_file_limit)

static uint8_t *shared;

static int use_in_child(void)
{
	uint8_t *object;

	/* Right bytes, or none: a child that cannot have the heap is told so. */
	object = marvin_new(heap, 100);
	if (road == MARVIN_ROAD_SIGNAL)
		return object && is_zeroes(object, 100) ? 0 : 1;
	if (object || errno != ENOMEM || marvin_pin(heap, shared, 100) != -EINVAL)
		return 2;
	return marvin_tick(heap, 1000) == -EROFS && !marvin_close(heap) ? 0 : 3;
}

static int read_in_child(void)
{
	/* A sanitizer's handler would say more than a status. */
	if (road == MARVIN_ROAD_WP)
		signal(SIGSEGV, SIG_DFL);
	if (is_zeroes(shared, 100))
		return 1;
	return check(shared, OBJECT, 1) ? 0 : 2;
}

/* After a fork without free addresses the parent goes on, and the child sees no zeroes. */
static void test_address_limit(void)
{
	begin();
	shared = make(OBJECT, 1);
	away();
	no_memory = true;
	expect_eq(in_child(read_in_child), road == MARVIN_ROAD_WP ? -SIGSEGV : 0);
	expect_eq(in_child(use_in_child), 0);
	/* The parent itself needs no addresses to have a page back. */
	expect(check(shared, OBJECT, 1));
	away();
	no_memory = false;
	expect(check(shared, OBJECT, 1));
	expect_eq(stats().lost, 0);
	end();
}
ON_ROADS(test_address_limit)

static int to_child[2], to_parent[2];

static void tell(int fd)
{
	expect_eq(write(fd, "x", 1), 1);
}

static bool hear(int fd)
{
	char byte;

	return read(fd, &byte, 1) == 1;
}

/* old_bytes() - a child, while the parent goes on; it needs all that the parent had saved */
static int old_bytes(void)
{
	struct marvin_info info = MARVIN_INFO;
	uint64_t written = stats().written;
	bool saves;
	uint8_t *own;
	int err;

	marvin_info(heap, &info);
	saves = info.saves;
	tell(to_parent[1]);
	if (!hear(to_child[0]) || !check(shared, OBJECT, 1))
		return 1;
	fill(shared, OBJECT, 7);
	own = make(OBJECT, 8);
	err = marvin_tick(heap, 10000);
	/* Never 0 while it saves nothing. */
	if (err != (saves ? 0 : -EROFS))
		return 2;
	if (marvin_background(heap, true) != (saves ? 0 : -EROFS))
		return 3;
	if ((stats().written > written) != saves)
		return 6;
	if (!check(shared, OBJECT, 7) || !check(own, OBJECT, 8) || stats().lost)
		return 4;
	return marvin_close(heap) ? 5 : 0;
}

static void fork_with(const char *store)
{
	struct marvin_options with = options();
	uint8_t *other;
	int status;
	pid_t pid;

	with.store = store;
	begin_with(with);
	expect(!pipe(to_child) && !pipe(to_parent));
	shared = make(OBJECT, 1);
	other = make(OBJECT, 4);
	away();
	pid = fork();
	if (!pid)
		_exit(old_bytes());
	expect(hear(to_parent[0]));
	/* The parent writes, saves, frees, forgets. */
	fill(shared, OBJECT, 2);
	marvin_free(heap, other);
	expect_eq(marvin_background(heap, true), 0);
	other = make(OBJECT, 5);
	ticks(TICKS * 8);
	expect_eq(marvin_background(heap, true), 0);
	expect(check(shared, OBJECT, 2));
	expect(check(other, OBJECT, 5));
	tell(to_child[1]);
	expect_eq(waitpid(pid, &status, 0), pid);
	expect_eq(status, 0);
	expect(check(shared, OBJECT, 2));
	/* The places are the parent's again. */
	ticks(TICKS * 8);
	marvin_drop(heap, UINT64_MAX);
	expect_eq(stats().unsaved, 0);
	expect(check(shared, OBJECT, 2));
	expect(check(other, OBJECT, 5));
	close(to_child[0]);
	close(to_child[1]);
	close(to_parent[0]);
	close(to_parent[1]);
	expect_eq(stats().lost, 0);
	end();
}

/* can_fork() - ThreadSanitizer takes a child's threads for the parent's */
static bool can_fork(void)
{
	return !IS_TSAN || road != MARVIN_ROAD_WP;
}

static void test_fork(void)
{
	if (!can_fork())
		return;
	fork_with("/var/tmp/");
	fork_with(path);
}
ON_ROADS(test_fork)

static int grandchild(void)
{
	int i;

	if (!check(shared, OBJECT, 1))
		return 1;
	fill(shared + OBJECT / 2, OBJECT / 2, 3);
	away();
	for (i = 0; i < 2; i++)
		if (!check(shared, OBJECT / 2, 1) || !check(shared + OBJECT / 2, OBJECT / 2, 3))
			return 2;
	return stats().lost ? 3 : 0;
}

static int child_of_child(void)
{
	int status;

	fill(shared, OBJECT / 2, 1);
	away();
	status = in_child(grandchild);
	if (status)
		return 10 + status;
	return check(shared, OBJECT, 1) ? 0 : 1;
}

/* Each generation has a store, and reads the stores of its ancestors. */
static void test_generations(void)
{
	struct marvin_options with = options();

	if (!can_fork())
		return;
	with.store = "/var/tmp/";
	begin_with(with);
	shared = make(OBJECT, 1);
	away();
	expect_eq(in_child(child_of_child), 0);
	expect(check(shared, OBJECT, 1));
	end();
}
ON_ROADS(test_generations)

static pid_t relative;

/* fork_in_save() - the child has pages that are being saved, and has no copy of them */
static void fork_in_save(void)
{
	relative = fork();
	if (relative)
		return;
	/* The kernel takes pages that it thinks are lazy. */
	if (!hear(to_child[0]) ||
	    madvise(page_in(shared, 0), OBJECT / 2 / page_bytes() * page_bytes(), MADV_PAGEOUT))
		_exit(2);
	_exit(check(shared, OBJECT, 1) ? 0 : 1);
}

/*
 * The saver reads memory that another child has, too; so the kernel copies it, and takes the new
 * pages for clean. A child that gets them keeps its bytes, though the parent gives its share.
 */
static void test_relatives(void)
{
	int status = -1;
	pid_t first;

	begin();
	expect(!pipe(to_child));
	shared = make(OBJECT, 1);
	first = fork();
	if (!first) {
		pause();
		_exit(0);
	}
	relative = 0;
	in_write = fork_in_save;
	away();
	expect(relative > 0);
	tell(to_child[1]);
	expect_eq(waitpid(relative, &status, 0), relative);
	expect_eq(status, 0);
	expect(check(shared, OBJECT, 1));
	kill(first, SIGKILL);
	expect_eq(waitpid(first, NULL, 0), first);
	/* Alone again, it leaves its memory to the kernel. */
	fill(shared, OBJECT, 2);
	ticks(TICKS * 8);
	if (road == MARVIN_ROAD_WP)
		expect(stats().given >= OBJECT / 2);
	expect(check(shared, OBJECT, 2));
	close(to_child[0]);
	close(to_child[1]);
	end();
}
ON_ROADS(test_relatives)

static int reads_late(void)
{
	tell(to_parent[1]);
	return hear(to_child[0]) && check(shared, OBJECT, 1) ? 0 : 1;
}

/* The parent closes the heap; the store is the child's as long as it lives. */
static void test_closed_by_parent(void)
{
	struct marvin_options with = options();
	struct marvin *other;
	int status;
	pid_t pid;

	if (!can_fork())
		return;
	begin_with(with);
	expect(!pipe(to_child) && !pipe(to_parent));
	shared = make(OBJECT, 1);
	away();
	pid = fork();
	if (!pid)
		_exit(reads_late());
	expect(hear(to_parent[0]));
	expect_eq(marvin_close(heap), 0);
	expect_eq(marvin_open(&other, &with), -EBUSY);
	tell(to_child[1]);
	expect_eq(waitpid(pid, &status, 0), pid);
	expect_eq(status, 0);
	if (expect_eq(marvin_open(&other, &with), 0))
		marvin_close(other);
	close(to_child[0]);
	close(to_child[1]);
	close(to_parent[0]);
	close(to_parent[1]);
	unlink(path);
}
ON_ROADS(test_closed_by_parent)

static int without_files(bool thread)
{
	struct marvin_options with = options();
	uint8_t *object, *other;
	int fd, i, files[40];
	struct stat st;
	char document[80];

	with.no_thread = !thread;
	with.foreground_ms = 10;
	begin_with(with);
	object = make(OBJECT, 1);
	other = make(OBJECT, 2);
	away();
	for (fd = 3; fd < 200; fd++)
		close(fd);
	/* A document gets the numbers that the library had. */
	snprintf(document, sizeof(document), "%s.document", path);
	for (i = 0; i < (int)ARRAY_SIZE(files); i++) {
		files[i] = open(document, O_RDWR | O_CREAT | O_APPEND, 0600);
		if (i)
			unlink(document);
	}
	if (write(files[0], "precious", 8) != 8)
		return 1;
	/* Right bytes, or an error: here of a use. */
	if (road == MARVIN_ROAD_WP && !check(object, OBJECT, 1))
		return 2;
	if (road == MARVIN_ROAD_SIGNAL && !is_bus(object) && !check(object, 10, 1))
		return 2;
	if (road == MARVIN_ROAD_WP) {
		fill(object, OBJECT, 3);
		marvin_pin(heap, other, OBJECT);
		if (!check(other, OBJECT, 2) || !check(object, OBJECT, 3))
			return 3;
	}
	ticks(TICKS * 2);
	marvin_background(heap, true);
	sleep_ms(thread ? 200 : 0);
	if (road == MARVIN_ROAD_WP && !check(object, OBJECT, 3))
		return 4;
	marvin_close(heap);
	for (i = 0; i < (int)ARRAY_SIZE(files); i++)
		if (!fstat(files[i], &st) && i < 1 && st.st_size != 8)
			return 5;
	return 0;
}

static int without_files_or_thread(void)
{
	return without_files(false);
}

static int without_files_with_thread(void)
{
	return without_files(true);
}

/* A daemon closes all descriptors that it does not know, and goes on. */
static void test_closed(void)
{
	/* There the library's threads share the descriptors: see files.c. */
	if (IS_TSAN)
		return;
	expect_eq(in_child(without_files_with_thread), 0);
	expect_eq(in_child(without_files_or_thread), 0);
}
ON_ROADS(test_closed)

#define RING 24U
static uint8_t *ring[RING];
static _Atomic unsigned int handled, handled_wrong;

/* The handler uses missing pages, whatever the thread just does. */
static void on_alarm(int signal_nr)
{
	unsigned int i = handled++ % RING;
	int error = errno;

	(void)signal_nr;
	handled_wrong += ring[i][5000] != byte_of(5000, i);
	ring[i][6000]++;
	errno = error;
}

static void test_signals(void)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART }, before;
	struct itimerval timer = { { 0, 1500 }, { 0, 1500 } }, off = { { 0, 0 }, { 0, 0 } };
	uint64_t until;
	unsigned int i;

	/* There a handler runs when it suits the sanitizer, blocked or not. */
	if (IS_TSAN)
		return;
	begin();
	for (i = 0; i < RING; i++)
		ring[i] = make(70000, i);
	away();
	handled = 0;
	handled_wrong = 0;
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (until = now_ms() + 3000; now_ms() < until; ) {
		marvin_free(heap, make(50000, 1));
		ticks(2);
		marvin_cold(heap, ring[0], 70000);
		marvin_drop(heap, UINT64_MAX);
		stats();
		for (i = 0; i < RING; i++) {
			handled_wrong += ring[i][30000] != byte_of(30000, i);
			handled_wrong += !!marvin_prefetch(heap, ring[i], 20000);
		}
	}
	setitimer(ITIMER_REAL, &off, NULL);
	sigaction(SIGALRM, &before, NULL);
	tap_note("%u signals", handled);
	expect(handled > 20);
	expect_eq(handled_wrong, 0);
	expect_eq(stats().lost, 0);
	end();
}
ON_ROADS(test_signals)

static void *read_all(void *arg)
{
	volatile uint8_t sum = 0;
	uint8_t *object = arg;
	size_t i;

	for (i = 0; i < OBJECT; i += 100)
		sum = (uint8_t)(sum + object[i]);
	pthread_testcancel();
	return NULL;
}

static void *pin_all(void *arg)
{
	if (!marvin_pin(heap, arg, OBJECT))
		marvin_unpin(heap, arg, OBJECT);
	pthread_testcancel();
	return NULL;
}

/* A thread is cancelled while it waits for the store: other threads get the page. */
static void cancel_in(void *(*run)(void *))
{
	pthread_t thread;
	uint8_t *object;
	void *result;

	begin();
	object = make(OBJECT, 1);
	away();
	gate_closed = true;
	pthread_create(&thread, NULL, run, object);
	expect(wait_at_gate(1));
	pthread_cancel(thread);
	sleep_ms(50);
	open_gate();
	pthread_join(thread, &result);
	expect(result == PTHREAD_CANCELED);
	expect(check(object, OBJECT, 1));
	marvin_free(heap, object);
	make(OBJECT, 2);
	away();
	end();
}

static void test_cancel(void)
{
	cancel_in(read_all);
	cancel_in(pin_all);
}
ON_ROADS(test_cancel)

static void *make_and_free(void *arg)
{
	uint8_t *object;

	for (;;) {
		object = marvin_new(heap, 20000);
		object[100] = 1;
		marvin_free(heap, object);
		marvin_free(heap, marvin_resize(heap, marvin_new(heap, 100), 3000));
		marvin_tick(heap, 100);
		marvin_background(heap, true);
		pthread_testcancel();
	}
	return arg;
}

static void test_cancel_calls(void)
{
	unsigned int i;
	pthread_t thread;
	uint8_t *object;

	begin();
	object = make(OBJECT, 1);
	for (i = 0; i < 30; i++) {
		pthread_create(&thread, NULL, make_and_free, NULL);
		sleep_ms(i % 10);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	marvin_free(heap, make(20000, 2));
	away();
	expect(check(object, OBJECT, 1));
	expect(stats().objects <= 1 + 30);
	end();
}
ON_ROADS(test_cancel_calls)

static int heard_in(void)
{
	struct marvin_options with = options();
	char text[256] = "";
	int fds[2];
	unsigned int tries = 500;

	if (pipe(fds) || dup2(fds[1], STDERR_FILENO) < 0)
		return 1;
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	with.say = NULL;
	with.no_thread = false;
	with.foreground_ms = 10;
	begin_with(with);
	write_errno = EIO;
	make(OBJECT, 1);
	while (read(fds[0], text, sizeof(text) - 1) <= 0 && --tries)
		sleep_ms(20);
	write_errno = 0;
	marvin_close(heap);
	return strstr(text, "marvin: the store") ? 0 : 2;
}

/* A message of a library thread comes to the program's standard error. */
static void test_said(void)
{
	expect_eq(in_child(heard_in), 0);
	unlink(path);
}
ON_ROADS(test_said)

/* Memory that is locked cannot be discarded: its next owner sees zeroes nevertheless. */
static void test_locked(void)
{
	uint8_t *object;
	unsigned int i;

	begin();
	for (i = 0; i < 3; i++) {
		object = make(OBJECT, 1);
		if (mlock(object, OBJECT)) {
			tap_note("no memory can be locked");
			end();
			return;
		}
		ticks(TICKS);
		marvin_background(heap, true);
		expect(check(object, OBJECT, 1));
		marvin_free(heap, object);
		object = marvin_new(heap, OBJECT);
		expect(is_zeroes(object, OBJECT));
		fill(object, OBJECT, 2);
		marvin_background(heap, true);
		expect(check(object, OBJECT, 2));
		munlock(heap->space, 32 << 20);
		away();
		expect(check(object, OBJECT, 2));
		marvin_free(heap, object);
	}
	end();
}
ON_ROADS(test_locked)

/*
 * alike() - a page that has the same XXH3 with its own secret for each @n: half of two words meets
 * a zero of the secret, so that only the sum of their other halves counts
 */
static void alike(uint8_t *page, uint32_t n)
{
	uint64_t words[2];
	unsigned int i;

	memcpy(words, XXH3_kSecret, sizeof(words));
	words[0] = (uint64_t)(1000 + n) << 32 | (uint32_t)words[0];
	words[1] = (uint64_t)(2000 - n) << 32 | (uint32_t)words[1];
	/* Each stripe of 64 bytes has the secret from 8 bytes further on. */
	for (i = 0; i < 2; i++)
		memcpy(page + 64 * i, &words[i], sizeof(words[i]));
}

/* An attacker chooses the bytes of a page: a read returns the last write. */
static void test_alike(void)
{
	uint8_t *object, *page, *last;

	begin();
	object = make(10 * page_bytes(), 1);
	page = page_in(object, 3);
	last = test_alloc(page_bytes());
	alike(page, 1);
	memcpy(last, page, page_bytes());
	away();
	alike(last, 2);
	expect(XXH3_64bits(last, page_bytes()) == XXH3_64bits(page, page_bytes()));
	memcpy(page, last, page_bytes());
	away();
	expect(!memcmp(page, last, page_bytes()));
	free(last);
	end();
}
ON_ROADS(test_alike)

/*
 * Where epoll is forbidden there is another road, or an error, and no thread that ends the program.
 */
static void test_filter(void)
{
	static _Atomic bool *const which[] = { &no_epoll, &no_epoll_wait };
	struct marvin_options with;
	uint8_t *object;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(which); i++) {
		*which[i] = true;
		with = options();
		with.road = MARVIN_ROAD_WP;
		expect(marvin_open(&heap, &with) < 0);
		begin();
		expect(heap->road.ops->road != MARVIN_ROAD_WP);
		object = make(OBJECT, 1);
		away();
		expect(check(object, OBJECT, 1));
		end();
		*which[i] = false;
	}
}

static const struct tap_case cases[] = {
	{ "a store that is slow to read", test_slow_reads_on_roads },
	{ "a store that is slow to write", test_slow_writes_on_roads },
	{ "a space that is nearly full", test_full_space_on_roads },
	{ "a sparse object", test_sparse_on_roads },
	{ "a large space", test_large_space_on_roads },
	{ "a store that is overwritten", test_overwritten_on_roads },
	{ "new objects in pages that are lost", test_beside_on_roads },
	{ "a store that is truncated", test_truncated_on_roads },
	{ "errors of reading", test_read_errors_on_roads },
	{ "errors of writing", test_write_errors_on_roads },
	{ "newer bytes in the swap", test_newer_in_swap_on_roads },
	{ "a limit for files", test_file_limit_on_roads },
	{ "a limit for addresses", test_address_limit_on_roads },
	{ "a fork", test_fork_on_roads },
	{ "generations", test_generations_on_roads },
	{ "relatives", test_relatives_on_roads },
	{ "a parent that closes the heap", test_closed_by_parent_on_roads },
	{ "descriptors that are closed", test_closed_on_roads },
	{ "signals", test_signals_on_roads },
	{ "a thread that is cancelled in a fault", test_cancel_on_roads },
	{ "a thread that is cancelled in a call", test_cancel_calls_on_roads },
	{ "what is said", test_said_on_roads },
	{ "locked memory", test_locked_on_roads },
	{ "bytes that others choose", test_alike_on_roads },
	{ "system calls that are forbidden", test_filter },
};

int main(int argc, char **argv)
{
	return tap_main("trouble", cases, ARRAY_SIZE(cases), argc, argv);
}
