/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The programs that have a place, with the state of each; and the contest of other programs for a
 * place.
 */
#ifndef PROSWAPD_PROGRAMS_H
#define PROSWAPD_PROGRAMS_H

#include "chunks.h"
#include "config.h"
#include "layout.h"
#include "periods.h"
#include "proc.h"

/* Places. Each takes 176 KiB for its chunks, as far as these are used. */
#define PROGRAMS 16
/* Places that one user gets per scan at most, so that a user cannot keep others out. */
#define CONTEST_OF_USER (PROGRAMS / 2)
/* Records of earlier scans, by process id modulo this: 16 KiB, a guess. */
#define CONTEST_SEEN 1024

/* The latest activity of a process. Times are milliseconds after the start of the daemon. */
struct activity {
	uint64_t user;			/* clock ticks of user time */
	uint64_t ran;			/* clock ticks of user and system time */
	uint64_t faults;		/* major faults: pages came from the swap, or from files */
	uint32_t placed_ms;		/* since when it could have shown a period */
	uint32_t ran_ms;		/* when it last ran, */
	uint32_t swapped_ms;		/* and had major faults; at first placed_ms */
};

struct program {
	struct proc_id id;		/* pid 0: the place is free */
	char name[16];
	uid_t user;
	unsigned int slot;		/* its number */
	unsigned int domain;		/* number of the memory that it shares with others */
	uint32_t layout_ms;		/* when the layout was read */
	struct layout layout;
	struct chunk *chunks;		/* LAYOUT_CHUNKS */
	struct rhythm rhythm;
	struct window window;
	struct period gaps;		/* times between its swap-outs, */
	bool learns;			/* if its period is looked for */
	struct period_found found;	/* the period in them */
	uint32_t came;			/* pages that came in, in the last look */
	uint64_t pushed;		/* pages, since the beginning */
	uint64_t fetched;
	uint64_t again;			/* pages that were pushed out too early */
	struct activity activity;
	enum rhythm_change change;	/* at this look, for the log */
};

void programs_scan(const struct config *config, uint32_t now_ms, bool all);
/* @program: a pointer; the body may drop it. */
#define for_each_program(program) \
	for (program = programs_next(NULL); program; program = programs_next(program))

struct program *programs_next(const struct program *program);
struct program *programs_find(pid_t pid);
unsigned int programs_count(void);
unsigned int programs_waiting(void);
int program_look(struct program *program, uint32_t now_ms);
uint64_t program_worked(struct program *program, uint32_t now_ms);
void program_drop(struct program *program);
void programs_forget(void);

/* The rules for giving up a place. PURE. */
void activity_begin(struct activity *activity, const struct proc_stat *stat, uint32_t now_ms,
		    bool swaps);
uint64_t activity_take(struct activity *activity, const struct proc_stat *stat, uint32_t now_ms);
bool activity_sleeps(const struct activity *activity, uint32_t now_ms, uint32_t period_ms);
bool activity_yields(const struct activity *activity, uint32_t now_ms, bool periodic);

/*
 * The order of the processes that wait for a place: those with major faults since the last scan
 * come first. Among these, the ones that were never tried, or longest ago, then those with the most
 * faults.
 */
struct contest_entry {
	pid_t pid;
	uint64_t start;
	uid_t user;			/* set by the caller */
	uint32_t tried_ms;		/* when it lost a place, or got none; 0: never */
	uint32_t score;
	bool of_late;			/* the score counts since the last scan */
};

struct contest {
	unsigned int n;
	unsigned int waiting;		/* processes with major faults since the last scan */
	struct contest_entry best[PROGRAMS];
};

void contest_reset(void);
void contest_news(struct contest_entry *entry, const struct proc_stat *stat, uint64_t did);
void contest_add(struct contest *contest, const struct contest_entry *entry);
void contest_tried(pid_t pid, uint64_t start, uint32_t now_ms);

#endif
