// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session.h"

#define DEFAULT_STORE "/var/tmp/"

static struct {
	pthread_mutex_t lock;
	unsigned int states;
	char *store;			/* the heap needs its name as long as it is open */
	_Atomic bool open;
} session = { .lock = PTHREAD_MUTEX_INITIALIZER };

/**
 * session_join() - a Lua state that loads the module
 */
void session_join(void)
{
	pthread_mutex_lock(&session.lock);
	session.states++;
	pthread_mutex_unlock(&session.lock);
}

/**
 * session_leave() - a Lua state that is closed, and has no objects
 */
void session_leave(void)
{
	pthread_mutex_lock(&session.lock);
	if (!--session.states && session.open) {
		marvin_close();
		free(session.store);
		session.store = NULL;
		session.open = false;
	}
	pthread_mutex_unlock(&session.lock);
}

static int open_locked(const struct marvin_options *options)
{
	struct marvin_options own = *options;
	char *store = NULL;
	int err;

	if (session.open)
		return -EBUSY;
	if (options->store) {
		store = strdup(options->store);
		if (!store)
			return -ENOMEM;
	}
	own.store = store;
	err = marvin_open(&own);
	if (err) {
		free(store);
		return err;
	}
	session.store = store;
	session.open = true;
	return 0;
}

/*
 * default_store() - NULL, if there shall be none. A setuid program does not take a path from its
 * caller: it has rights there that the caller does not have.
 */
static const char *default_store(void)
{
	const char *store = secure_getenv("MARVIN_STORE");

	if (!store)
		return DEFAULT_STORE;
	return *store ? store : NULL;
}

/**
 * session_open() - by the program
 * @options: as for marvin_open(); a store of "" is the default one
 *
 * Return: 0; -EALREADY: it is open; or an error of marvin_open().
 */
int session_open(const struct marvin_options *options)
{
	struct marvin_options own = *options;
	int err;

	if (own.store && !*own.store)
		own.store = default_store();
	pthread_mutex_lock(&session.lock);
	err = session.open ? -EALREADY : open_locked(&own);
	pthread_mutex_unlock(&session.lock);
	return err;
}

/**
 * session_need() - before an object is made
 *
 * A program that did not ask for a store runs without one.
 *
 * Return: 0, or an error of marvin_open().
 */
int session_need(void)
{
	struct marvin_options options = { .store = default_store() };
	int err = 0;

	if (session.open)
		return 0;
	pthread_mutex_lock(&session.lock);
	if (!session.open)
		err = open_locked(&options);
	if (err && options.store) {
		fprintf(stderr, "marvin: %s: %s: objects stay in memory\n", options.store,
			strerror(-err));
		options.store = NULL;
		err = open_locked(&options);
	}
	pthread_mutex_unlock(&session.lock);
	return err;
}
