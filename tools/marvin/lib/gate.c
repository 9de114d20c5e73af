// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "gate.h"
#include "heap.h"

/* A thread that is inside for longer keeps the saver from its work: it tries again later. */
#define PATIENCE_NS 10000000U

__thread struct marvin_thread marvin_thread;

/* 1: shut; 2: threads order memory themselves, as the kernel does not; both may be. */
uint32_t marvin_gate;
#define SHUT 1U
#define FENCED 2U

/* Protects the list of threads; held while the gate is shut. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct marvin_thread *threads;
static pthread_key_t key;
static bool key_made;

static void forget(void *arg)
{
	struct marvin_thread **at, *thread = arg;

	pthread_mutex_lock(&lock);
	for (at = &threads; *at; at = &(*at)->next) {
		if (*at == thread) {
			*at = thread->next;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	/*
	 * Another destructor of this thread may use an object still; and it was inside if it was
	 * cancelled there.
	 */
	thread->inside = 0;
	thread->known = false;
}

static void make_key(void)
{
	key_made = !pthread_key_create(&key, forget);
}

static void make_known(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	/* Also of a thread that is inside before the heap is open. Without one it could not end. */
	pthread_once(&once, make_key);
	if (!key_made || pthread_setspecific(key, &marvin_thread))
		abort();
	pthread_mutex_lock(&lock);
	marvin_thread.next = threads;
	threads = &marvin_thread;
	pthread_mutex_unlock(&lock);
	marvin_thread.known = true;
}

static void set_inside(uint32_t inside)
{
	__atomic_store_n(&marvin_thread.inside, inside, __ATOMIC_SEQ_CST);
}

/**
 * marvin_wait_for_gate() - the slow part of marvin_enter()
 */
void marvin_wait_for_gate(void)
{
	uint32_t gate;

	if (!marvin_thread.known) {
		set_inside(0);
		make_known();
		set_inside(1);
	}
	for (;;) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		gate = __atomic_load_n(&marvin_gate, __ATOMIC_SEQ_CST);
		if (!(gate & SHUT))
			return;
		set_inside(0);
		/* The saver has the lock while the gate is shut. */
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		set_inside(1);
	}
}

/*
 * barrier() - what each thread has stored before is seen, and it sees what was stored before;
 * false: the kernel has changed its mind, as by a filter for system calls. Threads order memory
 * themselves from then on; those that did not see it yet will have by the next time, which is long
 * after
 */
static bool barrier(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&marvin_gate, __ATOMIC_SEQ_CST) & FENCED ||
	    !syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0))
		return true;
	__atomic_fetch_or(&marvin_gate, FENCED, __ATOMIC_SEQ_CST);
	return false;
}

/**
 * gate_begin() - once in a process
 */
void gate_begin(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0))
		__atomic_fetch_or(&marvin_gate, FENCED, __ATOMIC_SEQ_CST);
}

static bool somebody_inside(void)
{
	struct marvin_thread *thread;

	for (thread = threads; thread; thread = thread->next)
		if (__atomic_load_n(&thread->inside, __ATOMIC_ACQUIRE))
			return true;
	return false;
}

/**
 * gate_shut() - keep threads out
 *
 * Context: the caller is outside.
 *
 * Return: true, and nobody is inside until gate_open(); false, if somebody stays in for too long.
 */
bool gate_shut(void)
{
	const struct timespec nap = { 0, 50000 };
	uint64_t since_ns;

	pthread_mutex_lock(&lock);
	__atomic_fetch_or(&marvin_gate, SHUT, __ATOMIC_SEQ_CST);
	if (!barrier()) {
		gate_open();
		return false;
	}
	since_ns = heap_now_ns();
	while (somebody_inside()) {
		if (heap_now_ns() - since_ns >= PATIENCE_NS) {
			gate_open();
			return false;
		}
		nanosleep(&nap, NULL);
	}
	return true;
}

/**
 * gate_open() - let them in
 */
void gate_open(void)
{
	__atomic_fetch_and(&marvin_gate, ~SHUT, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&lock);
}

/**
 * gate_lock() - before a fork: the list of threads does not change
 */
void gate_lock(void)
{
	pthread_mutex_lock(&lock);
}

/**
 * gate_unlock() - after it, in the parent
 */
void gate_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/**
 * gate_forked() - after it, in the child, which has but one thread
 */
void gate_forked(void)
{
	threads = marvin_thread.known ? &marvin_thread : NULL;
	marvin_thread.next = NULL;
	pthread_mutex_unlock(&lock);
}
