// SPDX-License-Identifier: GPL-2.0
/*
 * libmarvin-malloc.so, for LD_PRELOAD: large allocations of a program that knows nothing of
 * libmarvin come from a heap of it, all others from the C library. Variables of the environment:
 *
 *	MARVIN_STORE		the store (/var/tmp/)
 *	MARVIN_MALLOC_MIN	an allocation of so many bytes or more is large (65536)
 *	MARVIN_VERBOSE		say on standard error what the library does
 *	MARVIN_MALLOC_DROP_MS	for tests: save and take memory at random, all the time
 *
 * The first large allocation opens the heap. There is a heap only where the library handles the
 * kernel's own page faults, too: the program passes its memory to system calls without
 * marvin_pin().
 *
 * The library's own threads, and the program's threads while they are in the library or in a fork,
 * have "inside" set, and get memory of the C library. So an allocation never waits for a lock that
 * its own thread has.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>
#include "marvin.h"

#define EXPORT __attribute__((visibility("default")))
/* A smaller object shares too much of its pages with neighbours, which are used at other times. */
#define LEAST_BYTES 65536U
/*
 * The space of the heap: the working set fits into the memory, the other objects are in the store.
 */
#define SPACE_OF_MEMORY 4U
#define SPACE_MOST (sizeof(void *) > 4 ? 1ULL << 40 : 512ULL << 20)
#define ALIGN_MALLOC 16U
#define ALIGN_MOST (1U << 20)
#define STACK_BYTES (256U << 10)
/* For dlsym(), which allocates before the C library's malloc() is known. */
#define ARENA_BYTES 16384U
/* Objects that a fork's handlers free: far more than any has. */
#define LATE 64U
/* Ticks without a write until a page is saved and given */
#define AGED 7U

enum state { STATE_NEW, STATE_OPENING, STATE_OPEN, STATE_NONE };

static struct {
	void *(*malloc)(size_t bytes);
	void *(*calloc)(size_t n, size_t bytes);
	void *(*realloc)(void *at, size_t bytes);
	void (*free)(void *at);
	int (*posix_memalign)(void **at, size_t align, size_t bytes);
	void *(*aligned_alloc)(size_t align, size_t bytes);
	void *(*memalign)(size_t align, size_t bytes);
	size_t (*malloc_usable_size)(void *at);
	bool known;
} libc;

static struct {
	struct marvin *heap;		/* if state is STATE_OPEN */
	_Atomic int state;
	_Atomic size_t least;		/* a large allocation; SIZE_MAX: none is large */
	pid_t pid;			/* of the process that may open the heap; 0: none may */
	uint32_t drop_ms;
	bool verbose;
} own = { .least = LEAST_BYTES };

/* Set while this thread may not use the heap. */
static __thread unsigned int inside __attribute__((tls_model("initial-exec")));
static __thread unsigned int late_n __attribute__((tls_model("initial-exec")));
static __thread void *late[LATE] __attribute__((tls_model("initial-exec")));

static struct {
	_Alignas(16) unsigned char bytes[ARENA_BYTES];
	size_t used;
} arena;

/* arena_take() - by the only thread that there is; zeroes; never freed */
static void *arena_take(size_t bytes)
{
	size_t at = arena.used;

	if (bytes > ARENA_BYTES || at + bytes > ARENA_BYTES)
		return NULL;
	arena.used = (at + bytes + 15) / 16 * 16;
	return arena.bytes + at;
}

static bool arena_owns(const void *at)
{
	return (uintptr_t)at - (uintptr_t)arena.bytes < ARENA_BYTES;
}

static void look_up(void *to, const char *name)
{
	void *at = dlsym(RTLD_NEXT, name);

	/* ISO C has no other way from an object's address to a function's. */
	memcpy(to, &at, sizeof(at));
}

/* learn() - the C library's functions; false: this is a call by dlsym() itself */
static bool learn(void)
{
	static bool begun;

	if (libc.known)
		return true;
	if (begun)
		return false;
	begun = true;
	look_up(&libc.calloc, "calloc");
	look_up(&libc.realloc, "realloc");
	look_up(&libc.free, "free");
	look_up(&libc.posix_memalign, "posix_memalign");
	look_up(&libc.aligned_alloc, "aligned_alloc");
	look_up(&libc.memalign, "memalign");
	look_up(&libc.malloc_usable_size, "malloc_usable_size");
	look_up(&libc.malloc, "malloc");
	if (!libc.malloc || !libc.calloc || !libc.realloc || !libc.free)
		abort();
	libc.known = true;
	return true;
}

static void say(const char *text)
{
	if (own.verbose)
		dprintf(STDERR_FILENO, "marvin: %s\n", text);
}

static size_t number_of(const char *name, size_t without)
{
	const char *text = secure_getenv(name);
	unsigned long long value;
	char *end;

	if (!text || !*text)
		return without;
	value = strtoull(text, &end, 10);
	return *end || value > SIZE_MAX ? without : (size_t)value;
}

static void before_fork(void)
{
	inside++;
}

/* after_fork() - now free the objects that handlers have freed meanwhile */
static void after_fork(void)
{
	inside--;
	while (late_n)
		free(late[--late_n]);
}

/* disturb() - for tests: save and take memory, or fetch it, again and again */
static void *disturb(void *arg)
{
	struct timespec nap = { own.drop_ms / 1000, own.drop_ms % 1000 * 1000000L };
	uint64_t random = (uint64_t)getpid();

	uint32_t i;

	(void)arg;
	for (;;) {
		nanosleep(&nap, NULL);
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		switch (random >> 60) {
		case 0:
		case 1:
			for (i = 0; i < AGED; i++)
				marvin_tick(own.heap, own.drop_ms);
			marvin_drop(own.heap, SIZE_MAX);
			break;
		case 2:
			marvin_fetch(own.heap);
			break;
		default:
			marvin_drop(own.heap, random >> 40);
		}
	}
	return NULL;
}

static void start_disturbing(void)
{
	sigset_t every, before;
	pthread_attr_t attr;
	pthread_t thread;

	if (!own.drop_ms)
		return;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	if (pthread_create(&thread, &attr, disturb, NULL))
		say("no thread for MARVIN_MALLOC_DROP_MS");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
}

static void in_child(void)
{
	start_disturbing();
	after_fork();
}

/* in_any_child() - before or after the heap is open */
static void in_any_child(void)
{
	own.pid = getpid();
	/* Another thread was opening it, and is not here. */
	if (own.state == STATE_OPENING)
		own.state = STATE_NONE;
}

static uint64_t space_bytes(void)
{
	struct sysinfo info;
	uint64_t bytes = 1ULL << 30;

	if (!sysinfo(&info))
		bytes = (uint64_t)info.totalram * info.mem_unit * SPACE_OF_MEMORY;
	return bytes < SPACE_MOST ? bytes : SPACE_MOST;
}

/* open_heap() - NULL: the program goes on without */
static struct marvin *open_heap(void)
{
	struct marvin_options options = MARVIN_OPTIONS;
	struct marvin_info info = MARVIN_INFO;
	const char *store = secure_getenv("MARVIN_STORE");
	struct marvin *heap;
	char text[128];
	int err;

	options.store = store && *store ? store : "/var/tmp/";
	options.space = space_bytes();
	options.say = say;
	options.foreground_ms = own.drop_ms;
	options.background_ms = own.drop_ms;
	err = marvin_open(&heap, &options);
	if (err) {
		snprintf(text, sizeof(text), "no heap: %s", strerror(-err));
		say(text);
		return NULL;
	}
	marvin_info(heap, &info);
	if (info.saves && info.system_calls)
		return heap;
	say(info.saves ? "plain memory: the kernel's own page faults cannot be handled here" :
			 "plain memory: nothing can be saved here");
	marvin_close(heap);
	return NULL;
}

static void open_once(void)
{
	int expected = STATE_NEW, err = errno;
	struct marvin *heap;

	/* A child of vfork() has the parent's memory, and may not start its threads. */
	if (getpid() != own.pid ||
	    !atomic_compare_exchange_strong(&own.state, &expected, STATE_OPENING))
		return;
	inside++;
	heap = open_heap();
	/* After the library's own: first before a fork, last after it. */
	if (heap && pthread_atfork(before_fork, after_fork, in_child)) {
		marvin_close(heap);
		heap = NULL;
	}
	own.heap = heap;
	if (!heap)
		own.least = SIZE_MAX;
	own.state = heap ? STATE_OPEN : STATE_NONE;
	if (heap)
		start_disturbing();
	inside--;
	errno = err;
}

/* heap_for() - NULL: an allocation of so many bytes is the C library's */
static struct marvin *heap_for(size_t bytes)
{
	if (bytes < own.least || inside)
		return NULL;
	if (own.state == STATE_NEW)
		open_once();
	return own.state == STATE_OPEN ? own.heap : NULL;
}

/* owner() - the heap, if it has the object */
static struct marvin *owner(const void *at)
{
	return own.state == STATE_OPEN && marvin_owns(own.heap, at) ? own.heap : NULL;
}

__attribute__((constructor)) static void begin(void)
{
	learn();
	own.verbose = secure_getenv("MARVIN_VERBOSE");
	own.drop_ms = (uint32_t)number_of("MARVIN_MALLOC_DROP_MS", 0);
	own.least = number_of("MARVIN_MALLOC_MIN", LEAST_BYTES);
	if (!getauxval(AT_SECURE) && !pthread_atfork(NULL, NULL, in_any_child))
		own.pid = getpid();
}

/* end() - print counters at the end of the program */
__attribute__((destructor)) static void end(void)
{
	struct marvin_stats stats = MARVIN_STATS;
	char text[160];

	if (!own.verbose || own.state != STATE_OPEN)
		return;
	inside++;
	marvin_stats(own.heap, &stats);
	snprintf(text, sizeof(text), "%d ends: objects %llu, KiB %llu, saved %llu, dropped %llu, "
		 "loaded %llu", (int)getpid(), (unsigned long long)stats.objects,
		 (unsigned long long)stats.bytes >> 10, (unsigned long long)stats.written >> 10,
		 (unsigned long long)stats.dropped >> 10, (unsigned long long)stats.loaded >> 10);
	say(text);
	inside--;
}

/* take() - from the heap; NULL: it has none */
static void *take(struct marvin *heap, size_t bytes, size_t align)
{
	int err = errno;
	void *at;

	inside++;
	at = align > ALIGN_MALLOC ? marvin_new_aligned(heap, bytes, align) :
				    marvin_new(heap, bytes);
	inside--;
	/* The C library is asked then. */
	errno = err;
	return at;
}

static void give(struct marvin *heap, void *at)
{
	int err = errno;

	/* In a fork. An object that has no room in the list is never freed. */
	if (inside) {
		if (late_n < LATE)
			late[late_n++] = at;
		return;
	}
	inside++;
	marvin_free(heap, at);
	inside--;
	errno = err;
}

EXPORT void *malloc(size_t bytes)
{
	struct marvin *heap = heap_for(bytes);
	void *at = heap ? take(heap, bytes, 0) : NULL;

	if (at)
		return at;
	return learn() ? libc.malloc(bytes) : arena_take(bytes);
}

EXPORT void *calloc(size_t n, size_t each)
{
	struct marvin *heap;
	size_t bytes;
	void *at;

	if (!__builtin_mul_overflow(n, each, &bytes)) {
		heap = heap_for(bytes);
		at = heap ? take(heap, bytes, 0) : NULL;
		if (at)
			return at;
	}
	return learn() ? libc.calloc(n, each) : arena_take(n * each);
}

EXPORT void free(void *at)
{
	struct marvin *heap = owner(at);

	if (heap)
		give(heap, at);
	else if (!arena_owns(at) && learn())
		libc.free(at);
}

EXPORT void free_sized(void *at, size_t bytes)
{
	(void)bytes;
	free(at);
}

EXPORT void free_aligned_sized(void *at, size_t align, size_t bytes)
{
	(void)align;
	(void)bytes;
	free(at);
}

EXPORT size_t malloc_usable_size(void *at)
{
	struct marvin *heap = owner(at);
	size_t bytes;

	if (!heap)
		return !arena_owns(at) && learn() && libc.malloc_usable_size ?
			libc.malloc_usable_size(at) : 0;
	inside++;
	bytes = marvin_size(heap, at);
	inside--;
	return bytes;
}

/* move() - an object of @old bytes to new memory of the kind that suits its new size */
static void *move(void *at, size_t old, size_t bytes)
{
	void *new = malloc(bytes);

	if (!new)
		return NULL;
	memcpy(new, at, old < bytes ? old : bytes);
	free(at);
	return new;
}

static void *resize(struct marvin *heap, void *at, size_t bytes)
{
	size_t old = malloc_usable_size(at);
	void *new;

	if (bytes < own.least)
		return move(at, old, bytes);
	inside++;
	new = marvin_resize(heap, at, bytes);
	inside--;
	return new ? new : move(at, old, bytes);
}

EXPORT void *realloc(void *at, size_t bytes)
{
	struct marvin *heap = owner(at);

	if (!at)
		return malloc(bytes);
	if (heap && !bytes) {
		free(at);
		return NULL;
	}
	/* In a fork the heap's locks may be this thread's. */
	if (heap && inside) {
		errno = ENOMEM;
		return NULL;
	}
	if (heap)
		return resize(heap, at, bytes);
	if (arena_owns(at))
		return move(at, (size_t)(arena.bytes + ARENA_BYTES - (unsigned char *)at) < bytes ?
				(size_t)(arena.bytes + ARENA_BYTES - (unsigned char *)at) : bytes,
			    bytes);
	if (!learn())
		return NULL;
	if (bytes >= own.least && heap_for(bytes) && libc.malloc_usable_size)
		return move(at, libc.malloc_usable_size(at), bytes);
	return libc.realloc(at, bytes);
}

EXPORT void *reallocarray(void *at, size_t n, size_t each)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, each, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(at, bytes);
}

/* take_aligned() - NULL: the C library is asked, also about an alignment that is none */
static void *take_aligned(size_t align, size_t bytes)
{
	struct marvin *heap = NULL;

	if (align && !(align & (align - 1)) && align <= ALIGN_MOST)
		heap = heap_for(bytes);
	return heap ? take(heap, bytes, align) : NULL;
}

EXPORT int posix_memalign(void **to, size_t align, size_t bytes)
{
	void *at = align % sizeof(void *) ? NULL : take_aligned(align, bytes);

	if (!at)
		return learn() ? libc.posix_memalign(to, align, bytes) : ENOMEM;
	*to = at;
	return 0;
}

EXPORT void *aligned_alloc(size_t align, size_t bytes)
{
	void *at = take_aligned(align, bytes);

	return at || !learn() ? at : libc.aligned_alloc(align, bytes);
}

EXPORT void *memalign(size_t align, size_t bytes)
{
	void *at = take_aligned(align, bytes);

	return at || !learn() ? at : libc.memalign(align, bytes);
}

/* The threads of the library and of this file never use the heap. */
struct start {
	void *(*run)(void *arg);
	void *arg;
};

static void *run_inside(void *arg)
{
	struct start start = *(struct start *)arg;

	free(arg);
	inside = 1;
	return start.run(start.arg);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg)
{
	struct start *start = libc.malloc(sizeof(*start));
	int err;

	if (!start)
		return EAGAIN;
	*start = (struct start){ run, arg };
	err = __real_pthread_create(thread, attr, run_inside, start);
	if (err)
		free(start);
	return err;
}
