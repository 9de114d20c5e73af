// SPDX-License-Identifier: GPL-2.0
/*
 * Threads do random operations on objects that they share, against a plain model, while their
 * memory is taken back in all ways at once: by the library (marvin_drop(), marvin_background()), by
 * the program (madvise()), and by another process (process_madvise(): MADV_PAGEOUT and MADV_COLD).
 * Children of fork() read their copies, write to them and save them, while the parent goes on (but
 * not with ASan). Afterwards the same with a store that fails: EIO, no room, a file that another
 * program cuts and overwrites. A use has the right bytes, or it is SIGBUS; and never SIGBUS with a
 * store that works.
 *
 * OPS= says how many operations for each road (QUICK: 200,000; else 10,000,000), ROAD= which one
 * (wp, signal, none), THREADS= (4), STORE= the directory of the stores (/var/tmp/). For an
 * unprivileged user no other process takes memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "harness.h"
#include "marvin.h"

/* Newer than the headers of Debian 12, or of older ones. */
#ifndef MADV_COLD
#define MADV_COLD 20
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif

#define SPACE (256U << 20)
#define OBJECTS 6000U
#define THREADS_MOST 16U
/* Most operations use objects of a window, which moves after so many; the others grow old. */
#define WINDOW 64U
#define WINDOW_OPS 2000U
#define TICK_MS 5U
/* Processes whose memory the other process takes: this one, and children. */
#define TARGETS 32U
/* Objects that a child checks. */
#define CHILD_OBJECTS 24U
#define CHILDREN 2U
#define CHILD_ROUNDS 10U
/*
 * GCC 12's ASan does not hold the locks of its allocator over fork(): a child waits for ever for
 * the lock that another thread had, which is starting or ending.
 */
#ifdef __SANITIZE_ADDRESS__
#define CAN_FORK false
#else
#define CAN_FORK true
#endif
/* A generation more has a store more; the last one has none. */
#define GENERATIONS 5U
/* So many ticks without a use, and a page is saved and given. */
#define TICKS 6U
#define NO_WORD SIZE_MAX
/* ThreadSanitizer's handler blocks all signals, and siglongjmp() has to undo that. */
#ifdef __SANITIZE_THREAD__
#define SAVE_MASK 1
#else
#define SAVE_MASK 0
#endif

/* The model of an object: a seed for each half (0: all zeroes), and one word that is different. */
struct object {
	pthread_rwlock_t lock;
	uint8_t *at;			/* NULL: no object */
	size_t bytes;
	uint64_t seed[2];
	size_t word;			/* the one that is different; NO_WORD: none */
	uint64_t value;			/* and its value */
	unsigned int pins;		/* atomic */
	bool broken;			/* a page was lost during a write */
};

/* The store works; it fails; others write to it, and then children have none of their own. */
enum kind { TAKEN, FAILING, HARMED };
static const unsigned int tenths[] = { 5, 2, 3 };	/* of all operations */

struct worker {
	pthread_t thread;
	uint64_t state;			/* of random numbers */
	uint64_t ops, lost, forks;
	int err;			/* of marvin_pin() */
	struct object *pinned;
	int file;			/* for system calls */
	pid_t children[CHILDREN];
};

/* Shared with other processes. */
struct shared {
	_Atomic uintptr_t space;
	_Atomic bool end;
	_Atomic pid_t targets[TARGETS];
	_Atomic uint64_t taken;		/* times */
	_Atomic uint64_t wrong, bad_pins, bad_children, children, child_lost, child_saved;
	_Atomic bool failing;		/* a use may be SIGBUS, and a call may fail */
};

static struct object objects[OBJECTS];
static struct worker workers[THREADS_MOST];
static struct marvin *heap;
static struct shared *shared;
static struct marvin_info info;
static uint64_t ops_each;
static _Atomic bool end;		/* of this case */
static _Atomic unsigned int eio;	/* one of so many uses of the store fails; 0: none */
static _Thread_local sigjmp_buf *jump;

ssize_t __real_pread64(int fd, void *to, size_t bytes, off64_t at);
ssize_t __real_pwrite64(int fd, const void *from, size_t bytes, off64_t at);
ssize_t __wrap_pread64(int fd, void *to, size_t bytes, off64_t at);
ssize_t __wrap_pwrite64(int fd, const void *from, size_t bytes, off64_t at);

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t below(uint64_t *state, uint64_t n)
{
	return (next_random(state) >> 11) % n;
}

static void nap(unsigned int us)
{
	const struct timespec time = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&time, NULL);
}

/* fails() - does the store fail this time? */
static bool fails(void)
{
	static _Atomic uint64_t count;
	unsigned int one_of = eio;

	return one_of && atomic_fetch_add(&count, 1) % one_of == 0;
}

ssize_t __wrap_pread64(int fd, void *to, size_t bytes, off64_t at)
{
	if (fails()) {
		errno = EIO;
		return -1;
	}
	return __real_pread64(fd, to, bytes, at);
}

ssize_t __wrap_pwrite64(int fd, const void *from, size_t bytes, off64_t at)
{
	if (fails()) {
		errno = EIO;
		return -1;
	}
	return __real_pwrite64(fd, from, bytes, at);
}

/* on_lost() - SIGBUS: a page is lost. It ends the process if no test expects it */
static void on_lost(int signal_nr)
{
	static const char text[] = "# SIGBUS in a thread of the library\n";

	if (jump)
		siglongjmp(*jump, 1);
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(4);
	_exit(3);
}

/* guarded() - do something that uses an object; false: a page was lost */
static bool guarded(void (*what)(struct worker *, struct object *), struct worker *self,
		    struct object *object)
{
	sigjmp_buf here;

	if (sigsetjmp(here, SAVE_MASK)) {
		jump = NULL;
		self->lost++;
		return false;
	}
	jump = &here;
	what(self, object);
	jump = NULL;
	return true;
}

/* wrong() - the one thing that may not be */
static void wrong(const struct object *object, const char *what, size_t byte)
{
	if (!atomic_fetch_add(&shared->wrong, 1))
		printf("# process %d: wrong %s: object of %zu at %p, byte %zu\n", (int)getpid(),
		       what, object->bytes, (void *)object->at, byte);
}

/* Contents. */

static uint64_t word_of(uint64_t seed, size_t i)
{
	return seed ? seed + i * 0x9e3779b97f4a7c15ULL : 0;
}

/* half() - where a half begins, in words. Bytes of less than a word belong to the second */
static size_t half(const struct object *object, unsigned int which)
{
	return object->bytes / 8 * which / 2;
}

/* check_words() - from one to another */
static void check_words(const struct object *object, size_t from, size_t to, uint64_t seed)
{
	const uint64_t *words = (const uint64_t *)object->at;
	uint64_t bad = 0;
	size_t i;

	for (i = from; i < to; i++)
		bad |= words[i] ^ word_of(seed, i);
	for (i = from; bad && i < to; i++) {
		if (words[i] == word_of(seed, i))
			continue;
		wrong(object, words[i] ? "word" : "word, zeroes", i * 8);
		return;
	}
}

static void check(struct worker *self, struct object *object)
{
	size_t i, from, to;
	unsigned int which;

	for (which = 0; which < 2; which++) {
		from = half(object, which);
		to = half(object, which + 1);
		if (object->word >= from && object->word < to) {
			check_words(object, from, object->word, object->seed[which]);
			if (((uint64_t *)object->at)[object->word] != object->value)
				wrong(object, "word alone", object->word * 8);
			from = object->word + 1;
		}
		check_words(object, from, to, object->seed[which]);
	}
	for (i = object->bytes / 8 * 8; i < object->bytes; i++)
		if (object->at[i] != (uint8_t)(object->seed[1] >> i % 8 * 8))
			wrong(object, "byte", i);
}

static void fill_half(struct object *object, unsigned int which, uint64_t seed)
{
	uint64_t *words = (uint64_t *)object->at;
	size_t i, from = half(object, which), to = half(object, which + 1);

	object->seed[which] = seed;
	if (object->word >= from && object->word < to)
		object->word = NO_WORD;
	for (i = from; i < to; i++)
		words[i] = word_of(seed, i);
	for (i = object->bytes / 8 * 8; which && i < object->bytes; i++)
		object->at[i] = (uint8_t)(seed >> i % 8 * 8);
}

static void fill(struct worker *self, struct object *object)
{
	uint64_t halves = below(&self->state, 3) + 1;
	unsigned int which;

	for (which = 0; which < 2; which++)
		if (halves & 1U << which)
			fill_half(object, which, next_random(&self->state) | 1);
}

/* poke() - one word alone: the others of its page have to be right afterwards */
static void poke(struct worker *self, struct object *object)
{
	uint64_t *words = (uint64_t *)object->at;

	if (object->bytes < 8)
		return;
	if (object->word != NO_WORD)
		words[object->word] = word_of(object->seed[object->word >= half(object, 1)],
					      object->word);
	object->word = (size_t)below(&self->state, object->bytes / 8);
	object->value = next_random(&self->state);
	words[object->word] = object->value;
}

/* Objects, with their lock. */

/* some_bytes() - small ones most of the time, which share pages */
static size_t some_bytes(uint64_t *state)
{
	uint64_t chance = below(state, 100);
	uint64_t most = chance < 60 ? 256 : chance < 85 ? 4096 : chance < 99 ? 32768 : 262144;

	return 1 + (size_t)below(state, most);
}

/* make() - it reads as zeroes */
static void make(struct worker *self, struct object *object)
{
	object->at = NULL;
	object->broken = false;
	object->bytes = some_bytes(&self->state);
	object->seed[0] = 0;
	object->seed[1] = 0;
	object->word = NO_WORD;
	object->at = marvin_new(heap, object->bytes);
	if (!object->at)
		return;
	check(self, object);
	fill(self, object);
}

static void unmake(struct object *object)
{
	marvin_free(heap, object->at);
	object->at = NULL;
}

static void resize(struct worker *self, struct object *object)
{
	size_t bytes = some_bytes(&self->state), usable = marvin_size(heap, object->at), i;
	/* Without the pins, which other threads change. */
	struct object old = {
		.at = object->at, .bytes = object->bytes, .word = object->word,
		.seed = { object->seed[0], object->seed[1] }, .value = object->value,
	};
	uint8_t *at;

	if (usable < object->bytes || marvin_size(heap, object->at + 8))
		wrong(object, "size", 0);
	if (object->bytes > bytes) {
		check(self, object);
		fill_half(object, 0, 0);
		fill_half(object, 1, 0);
		old.seed[0] = 0;
		old.seed[1] = 0;
		old.word = object->word;
	}
	at = marvin_resize(heap, object->at, bytes);
	if (!at)
		return;
	/* The old bytes, and zeroes. */
	old.at = at;
	object->at = at;
	if (old.bytes <= bytes)
		check(self, &old);
	object->bytes = bytes;
	for (i = old.bytes > bytes ? 0 : usable; i < bytes; i++)
		if (at[i])
			wrong(object, "byte of a new part", i);
	object->word = NO_WORD;
	fill_half(object, 0, next_random(&self->state));
	fill_half(object, 1, next_random(&self->state));
}

/* use_calls() - the kernel reads an object; @pinned: it has to */
static void use_calls(struct worker *self, struct object *object, bool pinned)
{
	size_t bytes = object->bytes < 8192 ? object->bytes : 8192;
	uint8_t copy[8192];
	ssize_t done = __real_pwrite64(self->file, object->at, bytes, 0);

	if (done < 0 && errno == EFAULT && ((!pinned && !info.system_calls) || shared->failing))
		return;
	if (done < 0 || __real_pread64(self->file, copy, (size_t)done, 0) != done ||
	    memcmp(copy, object->at, (size_t)done))
		wrong(object, pinned ? "call, pinned" : "call", 0);
}

static void call(struct worker *self, struct object *object)
{
	use_calls(self, object, false);
	check(self, object);
}

static void unpin(struct worker *self)
{
	if (!self->pinned)
		return;
	marvin_unpin(heap, self->pinned->at, self->pinned->bytes);
	__atomic_fetch_sub(&self->pinned->pins, 1, __ATOMIC_RELAXED);
	self->pinned = NULL;
}

static void use_pinned(struct worker *self, struct object *object)
{
	use_calls(self, object, true);
	check(self, object);
}

static void call_pin(struct worker *self, struct object *object)
{
	self->err = marvin_pin(heap, object->at, object->bytes);
}

/* try_pin() - it returns an error if a page is lost, and is never SIGBUS itself */
static int try_pin(struct worker *self, struct object *object)
{
	if (guarded(call_pin, self, object))
		return self->err;
	atomic_fetch_add(&shared->bad_pins, 1);
	return -EIO;
}

static void pin(struct worker *self, struct object *object)
{
	if (try_pin(self, object)) {
		if (!shared->failing)
			wrong(object, "pin", 0);
		return;
	}
	unpin(self);
	self->pinned = object;
	__atomic_fetch_add(&object->pins, 1, __ATOMIC_RELAXED);
	guarded(use_pinned, self, object);
}

/* have() - a part in memory, or out of it */
static void have(struct worker *self, struct object *object)
{
	size_t from = (size_t)below(&self->state, object->bytes);
	size_t bytes = (size_t)below(&self->state, object->bytes - from + 1);
	int err;

	if (below(&self->state, 2)) {
		err = marvin_prefetch(heap, object->at + from, bytes);
		if (err && !shared->failing)
			wrong(object, "prefetch", 0);
	} else if (marvin_cold(heap, object->at + from, bytes)) {
		wrong(object, "cold", 0);
	}
}

/* Children. */

/* await() - the end of a child */
static void await(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !status)
		return;
	printf("# child %d: status %#x\n", (int)pid, status);
	atomic_fetch_add(&shared->bad_children, 1);
}

static bool as_target(bool in)
{
	pid_t self = getpid(), want;
	unsigned int i;

	for (i = 0; i < TARGETS; i++) {
		want = in ? 0 : self;
		if (atomic_compare_exchange_strong(&shared->targets[i], &want, in ? self : 0))
			return true;
	}
	return false;
}

static void start_child(struct worker *self, struct object *const *of, unsigned int n,
			unsigned int generation);

/* live() - a child: it has the same objects, and changes nothing in the parent */
static void live(struct worker *self, struct object *const *of, unsigned int n,
		 unsigned int generation)
{
	struct marvin_stats stats = MARVIN_STATS;
	unsigned int i, round;

	as_target(true);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	atomic_fetch_add(&shared->children, 1);
	for (round = 0; round < CHILD_ROUNDS; round++) {
		for (i = 0; i < n; i++) {
			if (of[i]->at && !guarded(check, self, of[i]))
				of[i]->at = NULL;
			if (of[i]->at && below(&self->state, 4) == 0 &&
			    !guarded(below(&self->state, 2) ? fill : poke, self, of[i]))
				of[i]->at = NULL;
		}
		if (below(&self->state, 4) == 0)
			marvin_background(heap, true);
		if (round == CHILD_ROUNDS / 2 && generation < GENERATIONS &&
		    below(&self->state, 3) == 0)
			start_child(self, of, n, generation + 1);
		marvin_drop(heap, UINT64_MAX);
		nap(1000 + (unsigned int)below(&self->state, 5000));
	}
	if (self->children[0] > 0)
		await(self->children[0]);
	marvin_stats(heap, &stats);
	atomic_fetch_add(&shared->child_lost, self->lost);
	atomic_fetch_add(&shared->child_saved, stats.written);
	as_target(false);
	_exit(0);
}

/* start_child() - the caller has the locks of the objects, so that they are whole */
static void start_child(struct worker *self, struct object *const *of, unsigned int n,
			unsigned int generation)
{
	unsigned int i;
	pid_t pid;

	for (i = 0; i < CHILDREN - 1 && self->children[i]; i++)
		;
	if (generation == 1 && self->children[i]) {
		await(self->children[i]);
		self->children[i] = 0;
	}
	pid = fork();
	if (pid) {
		self->children[generation == 1 ? i : 0] = pid > 0 ? pid : 0;
		return;
	}
	memset(self->children, 0, sizeof(self->children));
	self->lost = 0;
	self->state ^= (uint64_t)getpid() << 32;
	live(self, of, n, generation);
}

static void beget(struct worker *self)
{
	struct object *of[CHILD_OBJECTS];
	unsigned int n = 0, i;

	for (i = 0; i < CHILD_OBJECTS; i++) {
		struct object *object = &objects[below(&self->state, OBJECTS)];

		if (pthread_rwlock_trywrlock(&object->lock))
			continue;
		if (object->at && !object->broken)
			of[n++] = object;
		else
			pthread_rwlock_unlock(&object->lock);
	}
	if (n)
		start_child(self, of, n, 1);
	self->forks++;
	for (i = 0; i < n; i++)
		pthread_rwlock_unlock(&of[i]->lock);
}

/* Workers. */

/* remake() - an object in place of one that is not there, or is broken */
static void remake(struct worker *self, struct object *object)
{
	if (object->at)
		unmake(object);
	if (!guarded(make, self, object) && object->at)
		unmake(object);
}

/* change() - with the object for this thread alone */
static void change(struct worker *self, struct object *object, uint64_t what)
{
	/* If it is pinned by another thread, it has to stay, and to be as large as it is. */
	bool held = __atomic_load_n(&object->pins, __ATOMIC_RELAXED) != 0, good = false;

	if (!object->at || (object->broken && !held))
		remake(self, object);
	if (!object->at || object->broken)
		return;
	if (what < 25)
		good = guarded(fill, self, object);
	else if (what < 35)
		good = guarded(poke, self, object);
	else if (held)
		good = guarded(check, self, object);
	else if (what < 40)
		good = guarded(resize, self, object);
	object->broken = !good && held;
	if (!good && !held)
		remake(self, object);
}

/* recover() - a page was lost, perhaps for now only. After a pin the bytes are right */
static void recover(struct worker *self, struct object *object)
{
	if (try_pin(self, object))
		return;
	guarded(check, self, object);
	marvin_unpin(heap, object->at, object->bytes);
}

static void look(struct worker *self, struct object *object, uint64_t what)
{
	if (!object->at || object->broken)
		return;
	if (what < 45)
		pin(self, object);
	else if (what < 50)
		have(self, object);
	else if (!guarded(what < 53 ? call : check, self, object))
		recover(self, object);
}

static void step(struct worker *self, uint32_t window)
{
	uint64_t what = below(&self->state, 100);
	struct object *object = &objects[(window + below(&self->state, WINDOW)) % OBJECTS];

	if (what < 41) {
		if (pthread_rwlock_trywrlock(&object->lock))
			return;
		change(self, object, what);
	} else {
		if (pthread_rwlock_tryrdlock(&object->lock))
			return;
		look(self, object, what);
	}
	pthread_rwlock_unlock(&object->lock);
	self->ops++;
}

static void *work(void *arg)
{
	struct worker *self = arg;
	/* Each forks so often. */
	uint64_t forks = ops_each / 8 < 10000 ? ops_each / 8 + 1 : 10000;
	uint32_t window = 0;
	unsigned int i;
	uint64_t n;

	for (n = 0; self->ops < ops_each; n++) {
		if (n % WINDOW_OPS == 0)
			window = (uint32_t)below(&self->state, OBJECTS);
		step(self, window);
		if (CAN_FORK && below(&self->state, forks) == 0)
			beget(self);
	}
	unpin(self);
	for (i = 0; i < CHILDREN; i++) {
		if (self->children[i] > 0)
			await(self->children[i]);
		self->children[i] = 0;
	}
	return NULL;
}

/* Threads that take memory. */

static void *take(void *arg)
{
	uint64_t state = tap.seed * 2 + 1;
	struct marvin_stats stats = MARVIN_STATS;

	while (!end) {
		uint64_t what = below(&state, 64);

		if (what < 16)
			marvin_drop(heap, below(&state, 16 << 20));
		else if (what < 32)
			marvin_tick(heap, 5);
		else if (what < 34)
			marvin_background(heap, true);
		else if (what < 36)
			marvin_background(heap, false);
		else if (what < 50)
			madvise((void *)shared->space, SPACE, MADV_PAGEOUT);
		else if (what < 54)
			madvise((void *)shared->space, SPACE, MADV_COLD);
		else if (what == 54 && marvin_fetch(heap) && !shared->failing)
			wrong(&objects[0], "fetch", 0);
		else if (what == 55)
			marvin_stats(heap, &stats);
		nap((unsigned int)below(&state, 4000));
	}
	return arg;
}

/* strange() - another process: for targets that are of this space */
static void strange(void)
{
	uint64_t state = tap.seed * 2 + 1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!shared->end) {
		pid_t pid = shared->targets[below(&state, TARGETS)];
		struct iovec all = { (void *)shared->space, SPACE };
		int how = below(&state, 4) ? MADV_PAGEOUT : MADV_COLD, fd;

		fd = pid && shared->space ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
		if (fd >= 0 && syscall(SYS_process_madvise, fd, &all, 1UL, how, 0U) > 0)
			atomic_fetch_add(&shared->taken, 1);
		if (fd >= 0)
			close(fd);
		nap(pid ? 500 : 20);
	}
	_exit(0);
}

/* overwrite() - pages of the store with others of it, or with anything */
static void overwrite(int fd, uint64_t *state)
{
	uint8_t page[4096];
	unsigned int i;
	off64_t size = lseek64(fd, 0, SEEK_END) / 4096;

	if (size < 1)
		return;
	for (i = 0; i < 20; i++) {
		if (below(state, 2) == 0 ||
		    __real_pread64(fd, page, sizeof(page),
				   (off64_t)below(state, (uint64_t)size) * 4096) < 0)
			memset(page, (int)below(state, 256), sizeof(page));
		if (__real_pwrite64(fd, page, sizeof(page),
				    (off64_t)below(state, (uint64_t)size) * 4096) < 0)
			return;
	}
}

/* limit() - of the size of a file: the store has no room behind it */
static void limit(rlim_t bytes)
{
	struct rlimit now;

	getrlimit(RLIMIT_FSIZE, &now);
	now.rlim_cur = bytes < now.rlim_max ? bytes : now.rlim_max;
	setrlimit(RLIMIT_FSIZE, &now);
}

/* harm() - accidents of a store; @arg: its path, or the path of its directory */
static void *harm(void *arg)
{
	uint64_t state = tap.seed * 2 + 1;
	int fd = open(arg, O_RDWR | O_CLOEXEC);

	while (!end) {
		switch (below(&state, 8)) {
		case 0:
			eio = 2 + (unsigned int)below(&state, 30);
			break;
		case 1:
			eio = 1;
			break;
		case 2:
			limit(1 << 20);
			break;
		case 3:
			if (fd >= 0)
				overwrite(fd, &state);
			break;
		case 4:
			if (fd >= 0 && ftruncate64(fd, (off64_t)below(&state, 16 << 20)))
				eio = 0;
			break;
		default:
			eio = 0;
			limit(RLIM_INFINITY);
		}
		nap(5000 + (unsigned int)below(&state, 20000));
	}
	eio = 0;
	limit(RLIM_INFINITY);
	if (fd >= 0)
		close(fd);
	return arg;
}

/*
 * ThreadSanitizer cannot know this: a page is protected before the saver copies it, a handler's
 * thread begins with a fault of a thread that has the heap, and a pin writes the same bytes again.
 * And it takes mmap() for a write to the page. The library maps a page that is lost (road_hole), or
 * is tried again (map, wp_cure), while no thread may use it; the page table orders the next use.
 */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "race:^copy$\nrace:^map_pages$\nrace:^marvin_pin$\n"
	       "race:^road_hole$\nrace:^map$\nrace:^wp_cure$\n";
}

/* A child may have threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}

/* The cases. */

static void quiet(const char *text)
{
}

static bool begin(enum marvin_road road, const char *store)
{
	struct marvin_options options = MARVIN_OPTIONS;
	unsigned int i;
	int err;

	options.space = SPACE;
	options.road = road;
	options.store = road == MARVIN_ROAD_NONE ? NULL : store;
	options.foreground_ms = TICK_MS;
	options.background_ms = TICK_MS;
	options.say = quiet;
	err = marvin_open(&heap, &options);
	if (err) {
		expect_eq(err, -EOPNOTSUPP);
		tap_note("%s does not work here", marvin_road_name(road));
		return false;
	}
	info = (struct marvin_info)MARVIN_INFO;
	marvin_info(heap, &info);
	expect_eq(info.road, road);
	for (i = 0; i < OBJECTS; i++)
		objects[i] = (struct object){ .lock = PTHREAD_RWLOCK_INITIALIZER };
	return true;
}

/* find_space() - for those who take memory: where its first object is, in whole steps of 1 MiB */
static void find_space(void)
{
	uintptr_t at = (uintptr_t)marvin_new(heap, 1);

	while (marvin_owns(heap, (void *)(at - 1)))
		at -= at % info.page ? at % info.page : info.page;
	shared->space = at;
}

static void run(unsigned int threads)
{
	unsigned int i;

	for (i = 0; i < threads; i++) {
		workers[i] = (struct worker){ .state = (tap.seed + i) * 0x9e3779b97f4a7c15ULL | 1 };
		workers[i].file = memfd_create("soak", MFD_CLOEXEC);
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		close(workers[i].file);
	}
}

/* finish() - a last look at all objects, with a store that works */
static void finish(enum marvin_road road, unsigned int threads, enum kind kind)
{
	struct marvin_stats stats = MARVIN_STATS;
	struct worker total = { 0 };
	unsigned int i;

	for (i = 0; i < OBJECTS; i++)
		if (objects[i].at && !objects[i].broken)
			guarded(check, &total, &objects[i]);
	for (i = 0; i < threads; i++) {
		total.ops += workers[i].ops;
		total.lost += workers[i].lost;
		total.forks += workers[i].forks;
	}
	expect_eq(marvin_stats(heap, &stats), 0);
	tap_note("%llu operations, %llu forks, %llu SIGBUS; loads %llu, traps %llu, saved %llu MiB",
		 (u64)total.ops, (u64)total.forks, (u64)total.lost, (u64)stats.loads,
		 (u64)stats.write_traps, (u64)stats.written >> 20);
	tap_note("given %llu MiB, dropped %llu MiB; taken %llu times", (u64)stats.gave >> 20,
		 (u64)stats.dropped >> 20, (u64)shared->taken);
	tap_note("children: saved %llu MiB, %llu SIGBUS", (u64)shared->child_saved >> 20,
		 (u64)shared->child_lost);
	tap_note("lost %llu, store errors %llu, full %llu", (u64)stats.lost,
		 (u64)stats.store_errors, (u64)stats.full);
	expect_eq(shared->wrong, 0);
	expect_eq(shared->bad_pins, 0);
	expect_eq(shared->bad_children, 0);
	expect(road == MARVIN_ROAD_NONE || stats.loads);
	if (kind == TAKEN)
		expect_eq(total.lost + shared->child_lost + stats.lost + stats.store_errors, 0);
	else
		/* A short run may meet neither. */
		expect(ops_each < 10000 || (stats.store_errors + stats.full && stats.lost));
}

static bool is_wanted(enum marvin_road road)
{
	const char *only = getenv("ROAD");

	return !only || !*only || !strcmp(only, marvin_road_name(road));
}

static const char *stores(void)
{
	const char *store = getenv("STORE");

	return store && *store ? store : "/var/tmp/";
}

static void soak(enum marvin_road road, enum kind kind)
{
	unsigned int threads = (unsigned int)tap_env("THREADS", 4);
	pthread_t taker, vandal;
	char path[4096];

	if (!is_wanted(road))
		return;
	ops_each = tap.ops * tenths[kind] / 10 / threads + 1;
	snprintf(path, sizeof(path), kind == HARMED ? "%s/soak.%d" : "%s/", stores(),
		 (int)getpid());
	if (!begin(road, path))
		return;
	end = false;
	shared->wrong = 0;
	shared->bad_pins = 0;
	shared->bad_children = 0;
	shared->taken = 0;
	shared->child_lost = 0;
	shared->child_saved = 0;
	shared->failing = kind != TAKEN;
	find_space();
	as_target(true);
	pthread_create(&taker, NULL, take, NULL);
	if (kind != TAKEN)
		pthread_create(&vandal, NULL, harm, path);
	run(threads);
	end = true;
	pthread_join(taker, NULL);
	if (kind != TAKEN)
		pthread_join(vandal, NULL);
	finish(road, threads, kind);
	shared->space = 0;
	as_target(false);
	expect_eq(marvin_close(heap), 0);
	if (kind == HARMED)
		unlink(path);
}

static void wp(void)
{
	soak(MARVIN_ROAD_WP, TAKEN);
}

static void wp_fails(void)
{
	soak(MARVIN_ROAD_WP, FAILING);
}

static void wp_harmed(void)
{
	soak(MARVIN_ROAD_WP, HARMED);
}

static void by_signal(void)
{
	soak(MARVIN_ROAD_SIGNAL, TAKEN);
}

static void by_signal_fails(void)
{
	soak(MARVIN_ROAD_SIGNAL, FAILING);
}

static void by_signal_harmed(void)
{
	soak(MARVIN_ROAD_SIGNAL, HARMED);
}

static void none(void)
{
	soak(MARVIN_ROAD_NONE, TAKEN);
}

/*
 * One thread loads an object for another one. The two know only by relaxed atomics whose turn it
 * is, so that ThreadSanitizer sees no order between what they do.
 */
enum turn { TO_LOSE, TO_USE_LOST, TO_LOAD, TO_USE };
static _Atomic enum turn turn;
static int load_errs[2];

static void await_turn(enum turn mine)
{
	while (atomic_load_explicit(&turn, memory_order_relaxed) != mine)
		nap(100);
}

static void next_turn(void)
{
	atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
}

static void *load_twice(void *arg)
{
	struct object *object = arg;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		await_turn(i ? TO_LOAD : TO_LOSE);
		eio = !i;
		load_errs[i] = marvin_prefetch(heap, object->at, object->bytes);
		next_turn();
	}
	return arg;
}

/* others_load() - the pages that another thread loses and loads are used without a lock of its */
static void others_load(enum marvin_road road)
{
	struct worker self = { .state = tap.seed | 1 };
	struct object *object = &objects[0];
	pthread_t loader;
	unsigned int i;

	if (!is_wanted(road) || !begin(road, stores()))
		return;
	shared->wrong = 0;
	object->bytes = 16 * info.page;
	object->word = NO_WORD;
	object->at = marvin_new(heap, object->bytes);
	fill_half(object, 0, next_random(&self.state));
	fill_half(object, 1, next_random(&self.state));
	/* The ticks save it and give it. */
	for (i = 0; i < TICKS; i++)
		marvin_tick(heap, 10000);
	marvin_drop(heap, UINT64_MAX);
	turn = TO_LOSE;
	pthread_create(&loader, NULL, load_twice, object);
	await_turn(TO_USE_LOST);
	expect(!guarded(check, &self, object));
	next_turn();
	await_turn(TO_USE);
	expect(guarded(check, &self, object));
	pthread_join(loader, NULL);
	expect_eq(load_errs[0], -EIO);
	expect_eq(load_errs[1], 0);
	expect_eq(shared->wrong, 0);
	expect_eq(marvin_close(heap), 0);
}

static void wp_others_load(void)
{
	others_load(MARVIN_ROAD_WP);
}

static void by_signal_others_load(void)
{
	others_load(MARVIN_ROAD_SIGNAL);
}

static const struct tap_case cases[] = {
	{ "wp: memory is taken", wp },
	{ "wp: the store fails", wp_fails },
	{ "wp: others write to the store", wp_harmed },
	{ "signal: memory is taken", by_signal },
	{ "signal: the store fails", by_signal_fails },
	{ "signal: others write to the store", by_signal_harmed },
	{ "none", none },
	{ "wp: another thread loses pages, and loads them", wp_others_load },
	{ "signal: another thread loses pages, and loads them", by_signal_others_load },
};

int main(int argc, char **argv)
{
	struct sigaction lost = { .sa_handler = on_lost, .sa_flags = SA_NODEFER };
	pid_t stranger;
	int status;

	if (!getenv("OPS"))
		setenv("OPS", getenv("QUICK") ? "200000" : "10000000", 1);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	tap.seed = tap_env("SEED", 1);
	stranger = fork();
	if (!stranger)
		strange();
	sigaction(SIGBUS, &lost, NULL);
	signal(SIGXFSZ, SIG_IGN);
	status = tap_main("soak", cases, ARRAY_SIZE(cases), argc, argv);
	shared->end = true;
	waitpid(stranger, NULL, 0);
	return status;
}
