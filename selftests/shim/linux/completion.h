/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completions between threads. No time passes: a wait with a limit ends when the program sets
 * shim_patience to false before it.
 */
#ifndef SHIM_LINUX_COMPLETION_H
#define SHIM_LINUX_COMPLETION_H

#include <pthread.h>
#include <linux/types.h>

struct completion {
	pthread_mutex_t lock;
	pthread_cond_t woken;
	bool done;
};

/* The program's own: is there patience? A thread is about to sleep, or to wake others. */
extern bool shim_patience;
void shim_sleep(void);
void shim_wake(void);

static inline void init_completion(struct completion *x)
{
	pthread_mutex_init(&x->lock, NULL);
	pthread_cond_init(&x->woken, NULL);
	x->done = false;
}

static inline void reinit_completion(struct completion *x)
{
	pthread_mutex_lock(&x->lock);
	x->done = false;
	pthread_mutex_unlock(&x->lock);
}

static inline bool completion_done(struct completion *x)
{
	bool done;

	pthread_mutex_lock(&x->lock);
	done = x->done;
	pthread_mutex_unlock(&x->lock);
	return done;
}

/*
 * The kernel's wakes with the lock held. A sleeper may wake for another reason, too. It calls
 * shim_sleep() before it sleeps, with the lock held, so that no wake-up comes between.
 */
static inline void complete_all(struct completion *x)
{
	pthread_mutex_lock(&x->lock);
	x->done = true;
	pthread_mutex_unlock(&x->lock);
	shim_wake();
	pthread_mutex_lock(&x->lock);
	pthread_cond_broadcast(&x->woken);
	pthread_mutex_unlock(&x->lock);
}

static inline unsigned long wait_for_completion_timeout(struct completion *x, unsigned long timeout)
{
	bool done;

	pthread_mutex_lock(&x->lock);
	while (!x->done && shim_patience) {
		shim_sleep();
		pthread_cond_wait(&x->woken, &x->lock);
	}
	done = x->done;
	pthread_mutex_unlock(&x->lock);
	return done ? timeout : 0;
}

#endif
