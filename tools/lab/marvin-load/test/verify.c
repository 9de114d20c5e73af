// SPDX-License-Identifier: GPL-2.0
/*
 * A program that knows all of its bytes and checks them at each use. In each round, its threads
 * (--threads) use another sixteenth of the objects: read, write, remake, resize, pin. With --fork a
 * child checks some of the other objects against their state at the fork.
 *
 * After --rounds or SIGTERM it checks all objects and prints its counters. SIGUSR1 makes it free
 * half of its objects.
 *
 * VERIFY_BREAK=N changes byte N of the first object, to test the check.
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "heapkind.h"
#include "loads.h"
#include "tracked.h"

/* A round uses one of PARTS parts of the objects; */
#define PARTS 16
/* uses per thread and round; */
#define USES 16
/* every FORK_ROUNDS-th round forks a child, which checks one of FORK_PARTS objects. */
#define FORK_ROUNDS 4
#define FORK_PARTS 16
#define LATE_ROUNDS 8
/* A round lasts for at least that many ticks, unless they stop. */
#define ROUND_TICKS 2
#define LATE_US 5000000U

/* In memory shared with the children. */
struct counts {
	_Atomic uint64_t checked, written, unreadable, lost;
	_Atomic uint64_t forked;	/* found right by a child */
};

static struct {
	const struct load_options *options;
	struct tracked *objects;
	uint32_t made;
	uint32_t n;			/* remaining objects */
	uint32_t first, used;		/* of this round */
	sigset_t signals;
	pthread_barrier_t barrier;
	bool saves;			/* there are ticks */
	bool end;
	pid_t child;			/* the running child, or 0 */
	struct counts *counts;
} verify;

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*state >> 33);
}

static void tell(const char *what, bool wrong)
{
	const struct counts *c = verify.counts;
	struct marvin_stats s = MARVIN_STATS;

	if (heapkind_heap())
		marvin_stats(heapkind_heap(), &s);
	printf("%s verify %s objects %u checked %llu written %llu kib %llu unsaved %llu saved %llu "
	       "given %llu dropped %llu loads %llu full %llu store_errors %llu unreadable %llu "
	       "lost %llu forked %llu wrong %d\n",
	       verify.options->name, what, verify.n,
	       (unsigned long long)c->checked, (unsigned long long)c->written,
	       (unsigned long long)s.bytes >> 10, (unsigned long long)s.unsaved >> 10,
	       (unsigned long long)s.saved >> 10, (unsigned long long)s.given >> 10,
	       (unsigned long long)s.dropped >> 10, (unsigned long long)s.loads,
	       (unsigned long long)s.full, (unsigned long long)s.store_errors,
	       (unsigned long long)c->unreadable, (unsigned long long)c->lost,
	       (unsigned long long)c->forked, wrong);
	fflush(stdout);
}

/* tell_heap() - print how libmarvin uses the machine */
static void tell_heap(void)
{
	struct marvin_info info = MARVIN_INFO;

	if (!heapkind_heap() || marvin_info(heapkind_heap(), &info))
		return;
	verify.saves = info.saves;
	printf("%s verify road %s system_calls %d saves %d\n", verify.options->name,
	       marvin_road_name(info.road), info.system_calls, info.saves);
}

/* judge() - continue, or end the process, parent or child */
static void judge(enum tracked_result result)
{
	switch (result) {
	case TRACKED_RIGHT:
		return;
	case TRACKED_UNREADABLE:
	case TRACKED_LOST:
		if (verify.options->lossy)
			return;
		warnx("%s: an object is lost", verify.options->name);
		tell("end", false);
		_exit(STATUS_LOST);
	case TRACKED_NO_MEMORY:
		warnx("%s: no memory", verify.options->name);
		_exit(STATUS_FAILED);
	default:
		tell("end", true);
		_exit(STATUS_WRONG);
	}
}

/* change() - a use that takes the lock to write; @dice: 0 to 99 */
static enum tracked_result change(struct tracked *object, uint32_t dice, uint32_t arg)
{
	static const struct { uint32_t below; enum tracked_use use; } uses[] = {
		{ 50, TRACKED_WRITE }, { 62, TRACKED_MARK }, { 72, TRACKED_REMAKE },
		{ 80, TRACKED_RESIZE }, { 88, TRACKED_PIN }, { 94, TRACKED_TRANSFER },
		{ 100, TRACKED_HINT },
	};
	unsigned int i = 0;

	while (dice >= uses[i].below)
		i++;
	return tracked_use(object, uses[i].use, arg);
}

/* replace() - replace a lost object, unless another thread already has */
static void replace(struct tracked *object)
{
	enum tracked_result result;

	pthread_rwlock_wrlock(&object->lock);
	result = tracked_use(object, TRACKED_CHECK, 0);
	if (result == TRACKED_LOST) {
		verify.counts->lost++;
		result = tracked_use(object, TRACKED_REMAKE, 0);
	}
	pthread_rwlock_unlock(&object->lock);
	judge(result);
}

static void use(struct tracked *object, uint64_t *random)
{
	uint32_t dice = next_random(random) % 200;
	enum tracked_result result;

	if (dice >= 100) {
		pthread_rwlock_rdlock(&object->lock);
		result = tracked_use(object, TRACKED_CHECK, 0);
		verify.counts->checked++;
	} else {
		pthread_rwlock_wrlock(&object->lock);
		result = change(object, dice, next_random(random) % 3000);
		verify.counts->written++;
	}
	pthread_rwlock_unlock(&object->lock);
	judge(result);
	if (result == TRACKED_UNREADABLE)
		verify.counts->unreadable++;
	else if (result == TRACKED_LOST)
		replace(object);
}

static void *work(void *arg)
{
	uint64_t random = verify.options->seed * 1000ULL + (uintptr_t)arg;
	uint32_t i;

	for (;;) {
		pthread_barrier_wait(&verify.barrier);
		if (verify.end)
			return NULL;
		for (i = 0; i < USES; i++)
			use(&verify.objects[(verify.first + next_random(&random) % verify.used) %
					    verify.n], &random);
		pthread_barrier_wait(&verify.barrier);
	}
}

/* child_saves() - does a tick in the child save, or fail with -EROFS if the child may not save? */
static bool child_saves(void)
{
	struct marvin_info info = MARVIN_INFO;
	struct marvin *heap = heapkind_heap();

	return !heap || (!marvin_info(heap, &info) &&
			 marvin_tick(heap, 1000) == (info.saves ? 0 : -EROFS));
}

/* in_child() - check objects that no thread used during the fork */
static void in_child(uint64_t random, bool late)
{
	uint32_t i, nr, n = verify.n / FORK_PARTS;
	enum tracked_result result;
	struct tracked *object;

	/* Wait, so that the parent changes some meanwhile. */
	if (late)
		usleep(verify.options->interval_ms * LATE_ROUNDS * 1000U);
	for (i = 0; i < n; i++) {
		nr = verify.first + verify.used + next_random(&random) % (verify.n - verify.used);
		object = &verify.objects[nr % verify.n];
		result = tracked_use(object, TRACKED_CHECK, 0);
		verify.counts->forked += result == TRACKED_RIGHT;
		if (result == TRACKED_RIGHT && i % 4 == 0)
			result = tracked_use(object, i % 8 ? TRACKED_WRITE : TRACKED_REMAKE, 0);
		if (result == TRACKED_RIGHT)
			result = tracked_use(object, TRACKED_CHECK, 0);
		judge(result);
	}
	_exit(child_saves() ? STATUS_RIGHT : STATUS_FAILED);
}

/* child_ended() - has the child ended? If it failed, end this process, too */
static bool child_ended(bool wait)
{
	int status;
	pid_t pid;

	if (!verify.child)
		return true;
	pid = waitpid(verify.child, &status, wait ? 0 : WNOHANG);
	if (!pid)
		return false;
	if (pid < 0)
		err(STATUS_FAILED, "waitpid");
	verify.child = 0;
	if (status) {
		warnx("%s: a child has failed", verify.options->name);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_FAILED);
	}
	return true;
}

/* fork_once() - fork while the threads work; every second child runs on beside them */
static void fork_once(uint32_t round, uint64_t random)
{
	bool late = round / FORK_ROUNDS % 2;

	if (!child_ended(false))
		return;
	verify.child = fork();
	if (verify.child < 0)
		err(STATUS_FAILED, "fork");
	if (!verify.child)
		in_child(random, late);
	if (!late)
		child_ended(true);
}

/* free_half() - free half of the objects; others may use the room */
static void free_half(void)
{
	while (verify.n > 1 && verify.n > verify.made / 2)
		tracked_drop(&verify.objects[--verify.n]);
}

/* wait_ms() - wait for a time or a signal; returns the signal, or 0 */
static int wait_ms(uint64_t ms)
{
	const struct timespec time = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };
	int number = sigtimedwait(&verify.signals, NULL, &time);

	return number < 0 ? 0 : number;
}

static void play(uint32_t round, uint64_t *random)
{
	verify.used = verify.n < PARTS ? 1 : verify.n / PARTS;
	verify.first = next_random(random) % verify.n;
	pthread_barrier_wait(&verify.barrier);
	if (verify.options->fork && round % FORK_ROUNDS == 0 && verify.n > verify.used)
		fork_once(round, *random);
	pthread_barrier_wait(&verify.barrier);
}

/* spoil() - change the byte that VERIFY_BREAK names */
static void spoil(void)
{
	const char *at = getenv("VERIFY_BREAK");

	if (at)
		judge(tracked_use(&verify.objects[0], TRACKED_SPOIL,
				  (uint32_t)strtoul(at, NULL, 10)));
}

static uint64_t ticks(void)
{
	struct marvin_stats stats = MARVIN_STATS;

	if (heapkind_heap())
		marvin_stats(heapkind_heap(), &stats);
	return stats.ticks;
}

/* drop() - take memory back, up to --drop KiB */
static void drop(uint64_t *random)
{
	if (verify.options->drop_kib && heapkind_heap())
		marvin_drop(heapkind_heap(),
			    1024ULL * (next_random(random) % verify.options->drop_kib + 1));
}

/*
 * pause_until() - wait for the next round or a signal; returns the signal. Also waits for the
 * ticks of a slow saver, because unsaved memory can't be taken back.
 */
static int pause_until(uint64_t next_us, uint64_t until_ticks)
{
	uint64_t now_us = load_now_us(), end_us = now_us + LATE_US;
	int number = wait_ms(next_us > now_us ? (next_us - now_us) / 1000 : 0);

	while (!number && verify.saves && ticks() < until_ticks && load_now_us() < end_us)
		number = wait_ms(10);
	return number;
}

static void rounds(void)
{
	const struct load_options *options = verify.options;
	uint64_t random = options->seed, begin_ticks, begin_us;
	uint32_t round;
	int number = 0;
	char text[32];

	for (round = 1; number != SIGTERM && (!options->rounds || round <= options->rounds);
	     round++) {
		begin_us = load_now_us();
		begin_ticks = ticks();
		play(round, &random);
		drop(&random);
		number = pause_until(begin_us + options->interval_ms * 1000ULL,
				     begin_ticks + ROUND_TICKS);
		if (number == SIGUSR1)
			free_half();
		snprintf(text, sizeof(text), "round %u", round);
		tell(text, false);
	}
}

/* sweep() - check all objects */
static void sweep(void)
{
	uint32_t nr, unreadable = 0, lost = 0;
	enum tracked_result result;

	for (nr = 0; nr < verify.n; nr++) {
		result = tracked_use(&verify.objects[nr], TRACKED_CHECK, 0);
		/* Try again, because pinning in tracked_use() has reread a lost page. */
		if (result == TRACKED_UNREADABLE)
			result = tracked_use(&verify.objects[nr], TRACKED_CHECK, 0);
		/* The object is incomplete because the store failed during a write. */
		if (!verify.objects[nr].whole)
			result = tracked_use(&verify.objects[nr], TRACKED_REMAKE, 0);
		verify.counts->checked++;
		unreadable += result == TRACKED_UNREADABLE;
		lost += result == TRACKED_LOST;
		judge(result);
	}
	printf("%s verify swept %u unreadable %u lost %u\n", verify.options->name, verify.n,
	       unreadable, lost);
}

/* make_all() - make objects of --mib together */
static int make_all(void)
{
	uint64_t bytes = (uint64_t)verify.options->mib << 20, made = 0;

	for (; made < bytes; made += tracked_held(verify.made), verify.made++)
		;
	verify.objects = calloc(verify.made, sizeof(*verify.objects));
	for (; verify.objects && verify.n < verify.made; verify.n++)
		if (tracked_make(&verify.objects[verify.n], verify.n) != TRACKED_RIGHT)
			break;
	if (verify.n == verify.made)
		return 0;
	warnx("%s: no memory for %u MiB", verify.options->name, (unsigned int)verify.options->mib);
	return -ENOMEM;
}

static int begin(const struct load_options *options)
{
	verify.options = options;
	verify.counts = mmap(NULL, sizeof(*verify.counts), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (verify.counts == MAP_FAILED || heapkind_open(options))
		return -ENOMEM;
	tracked_begin(options->lossy);
	sigemptyset(&verify.signals);
	sigaddset(&verify.signals, SIGTERM);
	sigaddset(&verify.signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &verify.signals, NULL);
	return make_all();
}

int verify_run(const struct load_options *options)
{
	uint32_t n = options->threads, i;
	pthread_t threads[LOAD_THREADS];

	if (begin(options))
		return STATUS_FAILED;
	spoil();
	tell_heap();
	tell("begins", false);
	pthread_barrier_init(&verify.barrier, NULL, n + 1);
	for (i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i))
			errx(STATUS_FAILED, "thread %u could not be started", i);
	rounds();
	child_ended(true);
	verify.end = true;
	pthread_barrier_wait(&verify.barrier);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	sweep();
	tell("end", false);
	heapkind_close();
	return STATUS_RIGHT;
}
