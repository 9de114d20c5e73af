/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Swap-outs of watched processes: how often each page went out, and when. There is one monitor in
 * a program, for one thread.
 */
#ifndef PROSWAPD_MONITOR_H
#define PROSWAPD_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "proc.h"

/* Twice as many as programs have places; swapouts.bpf.c has the same number. */
#define MONITOR_WATCHED 32

/* The best one first. */
enum monitor_kind {
	MONITOR_BPF,			/* a program in the kernel counts */
	MONITOR_PAGEMAP,		/* we compare page tables from poll to poll */
	MONITOR_KINDS
};

struct monitor_record;

/* Times are microseconds of CLOCK_MONOTONIC. */
struct monitor_page {
	pid_t tgid;			/* its process */
	uint64_t vpn;			/* address by the size of a page */
	uint32_t count;			/* swap-outs */
	uint64_t mean_us;		/* between two; 0 with count 1 */
	uint64_t gap_us;		/* between the last two; 0 with count 1 */
	uint64_t last_us;		/* the last one */
};

typedef void (*monitor_fn)(const struct monitor_page *page, void *arg);

int monitor_open(int kind, unsigned int every, char *why, size_t size);
enum monitor_kind monitor_kind(void);
const char *monitor_name(enum monitor_kind kind);
int monitor_watch(struct proc_id id);
void monitor_unwatch(pid_t tgid);
void monitor_sleeps(pid_t tgid, bool sleeps);
void monitor_poll(void);
void monitor_each(pid_t tgid, monitor_fn fn, void *arg);
void monitor_record_page(const struct monitor_record *record, uint64_t vpn, uint64_t now_us,
			 struct monitor_page *page);
void monitor_forget(pid_t tgid);
void monitor_close(void);
bool monitor_check(int wanted);

#endif
