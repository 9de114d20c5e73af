/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that wait for each other. No time passes: who waits for so long only does so
 * until the program has no patience left.
 */
#ifndef SHIM_LINUX_WAIT_H
#define SHIM_LINUX_WAIT_H

#include <pthread.h>
#include <linux/types.h>

typedef struct {
	pthread_mutex_t lock;
	pthread_cond_t woken;
} wait_queue_head_t;

/* The program's own: is there patience? It is about to sleep; it is about to wake others. */
extern bool shim_patience;
void shim_sleep(void);
void shim_wake(void);

static inline void init_waitqueue_head(wait_queue_head_t *wq)
{
	pthread_mutex_init(&wq->lock, NULL);
	pthread_cond_init(&wq->woken, NULL);
}

static inline void wake_up(wait_queue_head_t *wq)
{
	shim_wake();
	pthread_mutex_lock(&wq->lock);
	pthread_cond_broadcast(&wq->woken);
	pthread_mutex_unlock(&wq->lock);
}

#define wait_event_timeout(wq, condition, timeout) ({			\
	bool is_so;							\
									\
	(void)(timeout);						\
	pthread_mutex_lock(&(wq).lock);					\
	while (!(is_so = (condition)) && shim_patience) {		\
		shim_sleep();						\
		pthread_cond_wait(&(wq).woken, &(wq).lock);		\
	}								\
	pthread_mutex_unlock(&(wq).lock);				\
	is_so;								\
})

#endif
