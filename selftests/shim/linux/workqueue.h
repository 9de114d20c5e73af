/* SPDX-License-Identifier: GPL-2.0 */
/* A workqueue with a thread of its own, for one work. */
#ifndef SHIM_LINUX_WORKQUEUE_H
#define SHIM_LINUX_WORKQUEUE_H

#include <pthread.h>
#include <stdlib.h>
#include <linux/types.h>

#define WQ_MEM_RECLAIM	1
#define WQ_UNBOUND	2

struct workqueue_struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct work_struct *next;
	bool ends;
};

struct work_struct {
	void (*func)(struct work_struct *work);
};

#define INIT_WORK(work, function)	((work)->func = (function))

static inline void *shim_worker(void *data)
{
	struct workqueue_struct *wq = data;

	pthread_mutex_lock(&wq->lock);
	while (wq->next || !wq->ends) {
		struct work_struct *work = wq->next;

		if (!work) {
			pthread_cond_wait(&wq->changed, &wq->lock);
			continue;
		}
		wq->next = NULL;
		pthread_mutex_unlock(&wq->lock);
		work->func(work);
		pthread_mutex_lock(&wq->lock);
	}
	pthread_mutex_unlock(&wq->lock);
	return NULL;
}

static inline struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags,
						       int max_active)
{
	struct workqueue_struct *wq = calloc(1, sizeof(*wq));

	(void)name;
	(void)flags;
	(void)max_active;
	if (!wq)
		return NULL;
	pthread_mutex_init(&wq->lock, NULL);
	pthread_cond_init(&wq->changed, NULL);
	if (pthread_create(&wq->thread, NULL, shim_worker, wq)) {
		free(wq);
		return NULL;
	}
	return wq;
}

static inline bool queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	bool queued;

	pthread_mutex_lock(&wq->lock);
	queued = !wq->next;
	wq->next = work;
	pthread_cond_broadcast(&wq->changed);
	pthread_mutex_unlock(&wq->lock);
	return queued;
}

static inline void destroy_workqueue(struct workqueue_struct *wq)
{
	pthread_mutex_lock(&wq->lock);
	wq->ends = true;
	pthread_cond_broadcast(&wq->changed);
	pthread_mutex_unlock(&wq->lock);
	pthread_join(wq->thread, NULL);
	free(wq);
}

#endif
