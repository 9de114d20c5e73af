// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "files.h"
#include "fork.h"
#include "load.h"
#include "save.h"
#include "shortage.h"
#include "worker.h"

/* A tick saves for so long, then the next one goes on. */
#define BUDGET_MS 2000U
/* While memory is short: a page that is young cannot be taken, and a new program is all young. */
#define SHORT_MS 1000U
/* Memory that a road without help of the kernel gives up at a time, while it is short. */
#define SHORT_BYTES (4U << 20)
#define STACK_BYTES (256U << 10)

static uint32_t minimum(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

/* tick() - one at a time, without cancellation */
static int tick(struct marvin *heap, uint32_t budget_ms, bool all)
{
	int err, state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&heap->worker.tick);
	fork_look(heap);
	err = save_tick(heap, heap_now_ms() + budget_ms, all);
	pthread_mutex_unlock(&heap->worker.tick);
	pthread_setcancelstate(state, NULL);
	return err;
}

/**
 * marvin_tick() - pages grow older; some are saved, and given to the kernel
 * @heap: the heap
 * @budget_ms: nothing more is saved after that
 *
 * The heap's thread does this by itself, if the heap has one.
 *
 * Context: sleeps for I/O.
 *
 * Return: 0; -EROFS: this heap saves nothing: it has no store, or is a child's without one;
 * -EAGAIN: the time was over before all pages were looked at; -EBADF: the program has closed the
 * store's descriptor, and only the heap's thread has it; -ENOSPC: the store is full; or another
 * error of the store, which was said. Pages that could not be saved stay in memory.
 */
int marvin_tick(struct marvin *heap, uint32_t budget_ms)
{
	return tick(heap, budget_ms, false);
}

static bool wake(struct marvin *heap)
{
	return bell_ring(&heap->worker.wake, atomic_load(&heap->worker.keeper));
}

/* hurry() - save all and take it; a failed page is tried again at each look */
static void hurry(struct marvin *heap)
{
	int err;

	do {
		err = tick(heap, BUDGET_MS, true);
	} while (err == -EAGAIN && heap->worker.hurry && !heap->worker.end);
	if (!err || err == -EROFS)
		heap->worker.hurry = false;
}

/**
 * marvin_background() - is the program in the background?
 * @heap: the heap
 * @background: if it goes there, all is saved, and its memory is taken; ticks are rare afterwards
 *
 * Context: sleeps for I/O.
 *
 * Return: 0; or an error as of marvin_tick(): pages that could not be saved are tried again.
 */
int marvin_background(struct marvin *heap, bool background)
{
	int err = 0;

	heap->worker.background = background;
	heap->worker.hurry = background;
	if (background) {
		do {
			err = tick(heap, BUDGET_MS, true);
		} while (err == -EAGAIN);
		if (!err || err == -EROFS)
			heap->worker.hurry = false;
	}
	wake(heap);
	return err;
}

/**
 * marvin_drop() - take memory that is saved and not in use, now
 * @heap: the heap
 * @bytes: about as many
 *
 * Context: does no I/O.
 *
 * Return: bytes that were given up. The kernel may have had some of them already.
 */
uint64_t marvin_drop(struct marvin *heap, uint64_t bytes)
{
	return heap->stores.saves ? save_drop(heap, bytes) : 0;
}

/**
 * marvin_fetch() - have all pages in memory, as for a program that comes to the foreground
 * @heap: the heap
 *
 * Context: sleeps for I/O.
 *
 * Return: 0, or the first error; the others are there nevertheless.
 */
int marvin_fetch(struct marvin *heap)
{
	return load_range(heap, 0, heap->high);
}

static bool tell(struct marvin *heap, uint64_t seq)
{
	struct marvin_stats stats = MARVIN_STATS;

	marvin_stats(heap, &stats);
	return register_tell(&heap->worker.registration, seq, &stats);
}

/* report() - after a tick, which may be the program's own, and to a marvind that is new */
static void report(struct marvin *heap)
{
	uint64_t ticks = atomic_load(&heap->counts[COUNT_TICKS]);
	struct worker *worker = &heap->worker;

	if ((ticks != worker->told || register_is_new(&worker->registration)) && tell(heap, 0))
		worker->told = ticks;
}

/* obey() - do marvind's requests */
static void obey(struct marvin *heap)
{
	struct worker *worker = &heap->worker;
	enum request request;
	uint64_t seq, bytes;

	while ((request = register_read(&worker->registration, &seq, &bytes)) != REQUEST_NONE) {
		if (request == REQUEST_BG) {
			worker->background = true;
			worker->hurry = true;
			hurry(heap);
		} else if (request == REQUEST_FG) {
			worker->background = false;
			worker->hurry = false;
		} else if (request == REQUEST_DROP) {
			marvin_drop(heap, bytes);
		} else {
			marvin_fetch(heap);
		}
		/* A pending request is answered when it is done. */
		if (request != REQUEST_BG || !worker->hurry)
			tell(heap, seq);
		else
			worker->pending = seq;
	}
}

/* left_ms() - until the next tick. If the last one took longer, the next one follows at once */
static uint32_t left_ms(struct marvin *heap, uint64_t since_ms, enum shortage how)
{
	uint32_t every = heap->worker.background ? heap->options.background_ms :
						   heap->options.foreground_ms;
	uint64_t passed = heap_now_ms() - since_ms;

	if (every > SHORT_MS && how != SHORTAGE_NONE)
		every = SHORT_MS;
	return passed < every ? every - (uint32_t)passed : 0;
}

/* look() - each second, or when something came */
static void look(struct marvin *heap, uint64_t *since_ms)
{
	struct worker *worker = &heap->worker;
	enum shortage how = shortage();

	register_try(&worker->registration);
	obey(heap);
	if (worker->hurry)
		hurry(heap);
	if (worker->pending && !worker->hurry) {
		tell(heap, worker->pending);
		worker->pending = 0;
	}
	if (!left_ms(heap, *since_ms, how)) {
		*since_ms = heap_now_ms();
		tick(heap, BUDGET_MS, false);
	}
	report(heap);
	if (how != SHORTAGE_NONE && !heap->road.ops->lazy)
		save_drop(heap, SHORT_BYTES);
}

/* own_files() - descriptors that the program cannot close */
static void own_files(struct marvin *heap)
{
	int fds[ROAD_KEEP + 5];

	memcpy(fds, heap->road.keep, sizeof(heap->road.keep));
	fds[ROAD_KEEP] = heap->worker.wake.in;
	fds[ROAD_KEEP + 1] = heap->worker.wake.out;
	fds[ROAD_KEEP + 2] = heap->road.fd;
	/* By these it is seen that the road's descriptors are there, see road_is_there(). */
	fds[ROAD_KEEP + 3] = heap->road.stop.in;
	fds[ROAD_KEEP + 4] = heap->road.stop.out;
	if (!files_keep(fds, ROAD_KEEP + 5))
		return;
	heap->worker.keeper = gettid();
	/* The road has no threads that keep the stores. */
	if (!heap->road.ops->lazy)
		heap->road.keeper = gettid();
}

static void *work(void *arg)
{
	struct marvin *heap = arg;
	struct worker *worker = &heap->worker;
	uint64_t since_ms = heap_now_ms();
	struct pollfd fds[2];

	own_files(heap);
	sem_post(&worker->ready);
	while (!worker->end) {
		look(heap, &since_ms);
		fds[0] = (struct pollfd){ .fd = worker->wake.in, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = register_fd(&worker->registration),
					  .events = POLLIN };
		if (poll(fds, 2, (int)minimum(SHORT_MS, left_ms(heap, since_ms, SHORTAGE_NONE))) <
		    0 && errno != EINTR)
			break;
		if (fds[0].revents)
			bell_answer(&worker->wake);
	}
	register_end(&worker->registration);
	return NULL;
}

/* start() - signals are the program's */
static int start(struct marvin *heap)
{
	struct worker *worker = &heap->worker;
	pthread_attr_t attr;
	sigset_t every, before;
	int err;

	if (heap->options.no_thread || !heap->stores.saves)
		return 0;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	sem_init(&worker->ready, 0, 0);
	err = pthread_create(&worker->thread, &attr, work, heap);
	/* The program may close all descriptors as soon as it has the heap. */
	while (!err && sem_wait(&worker->ready) && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	worker->runs = !err;
	return -err;
}

static void say_waiting(void *arg)
{
	struct marvin *heap = arg;

	if (heap_is_due(heap, SAID_WAITING))
		heap_say(heap, "memory is short: new objects wait until others are saved");
}

/**
 * worker_begin() - start the thread of a heap
 * @heap: the heap, whose other parts are there
 *
 * Return: 0, or a negative errno.
 */
int worker_begin(struct marvin *heap)
{
	struct worker *worker = &heap->worker;
	int err;

	pthread_mutex_init(&worker->tick, NULL);
	brake_begin(&heap->brake, &heap->counts[COUNT_GAVE], say_waiting, heap);
	register_begin(&worker->registration,
		       heap->options.name ? heap->options.name : program_invocation_short_name,
		       heap->space, heap->road.bytes, heap->page_bytes);
	worker->bounce = mmap(NULL, save_bytes(heap), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	err = bell_begin(&worker->wake);
	if (worker->bounce == MAP_FAILED)
		err = -ENOMEM;
	if (!err)
		err = start(heap);
	if (err)
		worker_end(heap);
	return err;
}

/**
 * worker_forked() - in a child
 * @heap: the heap
 */
void worker_forked(struct marvin *heap)
{
	struct worker *worker = &heap->worker;

	pthread_mutex_init(&worker->tick, NULL);
	register_forked(&worker->registration);
	worker->runs = false;
	worker->keeper = 0;
	worker->hurry = false;
	worker->pending = 0;
	bell_end(&worker->wake);
	if (bell_begin(&worker->wake) || start(heap))
		heap_say(heap, "the child has no thread: only marvin_tick() saves");
}

/**
 * worker_end() - before the heap is closed
 * @heap: the heap
 */
void worker_end(struct marvin *heap)
{
	struct worker *worker = &heap->worker;

	worker->end = true;
	wake(heap);
	if (worker->runs)
		pthread_join(worker->thread, NULL);
	register_end(&worker->registration);
	bell_end(&worker->wake);
	munmap(worker->bounce, save_bytes(heap));
}
