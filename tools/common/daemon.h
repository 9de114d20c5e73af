/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A daemon is data: its name, its keys, and its functions for the begin, each look and the end.
 * All daemons share the rest: the command line, the configuration and its reload, the background,
 * the list of changes to undo, the guardian, systemd, one poll loop, the control socket.
 */
#ifndef COMMON_DAEMON_H
#define COMMON_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "conf.h"
#include "probe.h"
#include "run.h"
#include "verb.h"

/* The usual control socket of a daemon. */
#define DAEMON_SOCKET(name) "/run/" name ".sock"
/* A daemon has at most this number of descriptors of its own. */
#define DAEMON_EVENTS 4

/* A descriptor that a daemon waits for beside signals and its control socket. */
struct daemon_event {
	int (*fd)(const struct daemon_run *run);	/* negative: none now */
	short events;				/* of poll() */
	/* Returns milliseconds within which a look has to follow. NULL: it follows at once. */
	uint32_t (*ready)(const struct daemon_run *run);
};

/* Texts of the help; each is one or more lines. */
struct daemon_help {
	const char *who;		/* "-p NAME    protect the programs of this name, too" */
	const char *state;		/* "-S STATE   what has to be undone" */
	const char *once;
	const char *dry_run;
};

struct daemon {
	const char *name;		/* "latd" */
	const char *control;		/* the program that talks to it: "latdctl" */
	const char *who_key;		/* of -p: "protect.name=" */
	struct daemon_help help;
	const struct conf_key *keys;	/* with "mode" and "log" in the section @name */
	size_t config_size;		/* of its struct config in bytes */
	void *state;			/* for the functions and the verbs; or NULL */
	const struct control_verb *verbs;	/* of the control socket; "status" is one */
	const struct probe *probes;	/* --check asks these */
	const struct daemon_event *events;	/* the last one has no fd(); or NULL */

	/* 0; -EDESTADDRREQ, if it names no program; -EINVAL. @message is CONF_MESSAGE bytes. */
	int (*verify)(void *config, char *message);
	/* Why it cannot begin on this kernel, or NULL; for all if this is NULL itself. */
	const char *(*refuse)(const void *config);
	/* --once: look once; 0, after which the status is printed, or a negative errno. */
	int (*once)(const struct daemon_run *run);
	/* 0, or a negative errno, which was logged. */
	int (*begin)(const struct daemon_run *run);
	/* Looks, decides and acts; returns milliseconds until the next look. */
	uint32_t (*look)(const struct daemon_run *run);
	/* The configuration is another one than @old: 0, or why the daemon has to end. */
	int (*reload)(const struct daemon_run *run, const void *old);
	/* Also after a begin() that failed. Then the changes in the list of undo.h are undone. */
	void (*end)(const struct daemon_run *run);
	/* In the guardian of a daemon that died, before and after the undo; or NULL. */
	void (*clean_first)(void);
	void (*clean)(void);
};

int daemon_main(const struct daemon *daemon, int argc, char **argv);

#endif
