/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A way to see swap-outs. A slot is the place that a watched process has in the monitor.
 */
#ifndef PROSWAPD_MONITOR_BACKEND_H
#define PROSWAPD_MONITOR_BACKEND_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "monitor_record.h"
#include "proc.h"

/**
 * struct monitor_backend - a way to see swap-outs
 * @name: in the configuration
 * @open: begin, with room for so many pages; 0, or a negative errno with the reason in @why
 * @close: undo all that open() did; also after an open() that failed
 * @watch: record a process from now on; 0 or a negative errno
 * @unwatch: the end of that; its records go
 * @forget: its records go, but it is recorded on
 * @poll: take what there is to take; 0 or a negative errno
 * @each: call @fn for each page of all processes; how many, or a negative errno
 */
struct monitor_backend {
	const char *name;
	int (*open)(uint32_t pages, char *why, size_t size);
	void (*close)(void);
	int (*watch)(unsigned int slot, struct proc_id id);
	void (*unwatch)(unsigned int slot, pid_t tgid);
	void (*forget)(unsigned int slot, pid_t tgid);
	int (*poll)(void);
	int (*each)(monitor_record_fn fn, void *arg);
};

#ifdef HAVE_LIBBPF
extern const struct monitor_backend monitor_bpf;
#endif
extern const struct monitor_backend monitor_kprobe;
extern const struct monitor_backend monitor_pagemap;

/* One of so many pages is recorded, where it saves time. */
unsigned int monitor_every(void);

/* Does the process of a slot sleep, so that nothing of it has to be looked at? */
bool monitor_slot_sleeps(unsigned int slot);

#endif
