/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inside of the monitor: what monitor_bpf.c and monitor_pagemap.c have to offer. A slot is the
 * place that a watched process has in the monitor.
 */
#ifndef PROSWAPD_MONITOR_BACKEND_H
#define PROSWAPD_MONITOR_BACKEND_H

#include "monitor.h"
#include "monitor_record.h"

/* Called for each record. */
typedef void (*monitor_record_fn)(unsigned int slot, uint64_t vpn,
				  const struct monitor_record *record, void *arg);

/**
 * struct monitor_backend - a way to see swap-outs
 * @open: begin, with room for so many pages; one page in @every is enough, where that saves time;
 *	0, or a negative errno with the reason in @why
 * @close: undo open(), also an open() that failed
 * @watch: record a process from now on; 0 or a negative errno
 * @unwatch: the end of that; drop its records
 * @forget: drop its records, but record on
 * @poll: take news of the kernel; processes whose slot has @sleeps have none
 * @each: call @fn for each page of all processes
 */
struct monitor_backend {
	int (*open)(uint32_t pages, unsigned int every, char *why, size_t size);
	void (*close)(void);
	int (*watch)(unsigned int slot, struct proc_id id);
	void (*unwatch)(unsigned int slot, pid_t tgid);
	void (*forget)(unsigned int slot);
	void (*poll)(const bool *sleeps);
	void (*each)(monitor_record_fn fn, void *arg);
};

#ifdef HAVE_LIBBPF
extern const struct monitor_backend monitor_bpf;
#endif
extern const struct monitor_backend monitor_pagemap;

#endif
