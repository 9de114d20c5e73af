/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame of a daemon: its command line, the background, the list of what has to be undone, its
 * guardian, signals and the control socket. What it does is its own.
 */
#ifndef POLICY_FRAME_H
#define POLICY_FRAME_H

#include <stdbool.h>
#include <stdint.h>
#include "conf.h"

#define FRAME_SETTINGS 64

/* A daemon's name, help and files. */
struct frame_names {
	const char *name;		/* "latd" */
	const char *control;		/* the program that talks to it: "latdctl" */
	const char *usage;
	const char *config;		/* read where it is there and nobody names another */
	const char *socket;
	const char *state;
	const char *mode_key;		/* of -m: "latd.mode=" */
	const char *who_key;		/* of -p: "protect.name=" */
};

/* From the command line; the configuration is read anew by SIGHUP. */
struct frame_options {
	const char *config_path;	/* NULL: the usual one, if it is there */
	const char *socket_path;
	const char *state_path;
	const char *settings[FRAME_SETTINGS];	/* of -o, in their order, over what the file says */
	unsigned int n_settings;
	bool foreground;
	bool dry_run;
	bool once;
	bool check;
};

int frame_parse(const struct frame_names *names, int argc, char **argv,
		struct frame_options *options);
int frame_configure(const struct frame_names *names, const struct frame_options *options,
		    const struct conf_key *keys, void *values, char *message);
int frame_refuse(const struct frame_names *names, const struct frame_options *options);

/* The descriptors of one that runs; negative without. */
struct frame {
	int end;			/* where the parent waits */
	int signals;
	int control;
};

int frame_open(struct frame *frame, const struct frame_names *names,
	       const struct frame_options *options);
void frame_settle(struct frame *frame);
void frame_close(struct frame *frame, const struct frame_options *options);

enum frame_event {
	FRAME_NOTHING,
	FRAME_RELOAD,
	FRAME_END,
};

enum frame_event frame_event(const struct frame *frame);

/* What a daemon does that waits for signals, requests, the time, and perhaps one thing more. */
struct frame_work {
	uint32_t (*step)(void *arg);	/* returns milliseconds until the next one */
	bool (*reload)(void *arg);	/* false: it has to end */
	void (*answer)(char *request, char *reply, void *arg);
	void *arg;
	int fd;				/* that one: polled for POLLIN where there is @ready */
	void (*ready)(void *arg);
};

void frame_loop(const struct frame *frame, const struct frame_work *work);

#endif
