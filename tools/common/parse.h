/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parsers of the kernel's files. They return 0 or -EINVAL, or whether it is so, unless they say
 * more.
 */
#ifndef COMMON_PARSE_H
#define COMMON_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A line of a pressure file. Averages are percent times 100; total is microseconds. */
struct psi_line {
	unsigned int avg10;
	unsigned int avg60;
	unsigned int avg300;
	uint64_t total;
};

/* A pressure file. The one for the processor has no "full" before Linux 5.13: then it is zero. */
struct psi {
	struct psi_line some;
	struct psi_line full;
};

/* Fields of /proc/PID/stat. */
struct proc_stat {
	pid_t pid;
	char comm[64];
	char state;
	pid_t ppid;
	unsigned int flags;
	uint64_t majflt;
	uint64_t utime;			/* clock ticks */
	uint64_t stime;			/* clock ticks */
	uint64_t threads;		/* with the first one, also if that has ended */
	uint64_t start;			/* clock ticks since boot; with the id it names a process */
	uint64_t vsize;			/* bytes */
	uint64_t rss;			/* pages */
	uint64_t stack;			/* where it begins; 0 where the kernel does not say */
};

/* Of proc_stat.flags: a thread of the kernel. PF_KTHREAD there. */
#define PROC_KTHREAD 0x00200000

/* A line of /proc/swaps. */
struct swap_line {
	char name[128];
	uint64_t size_kib;
	uint64_t used_kib;
	int priority;
};

/* The first line of an entry of /proc/PID/smaps, or a line of /proc/PID/maps. */
struct map_line {
	uint64_t start;
	uint64_t end;
	char perms[5];
	uint64_t offset;
	uint64_t inode;
	const char *name;		/* into the text, up to the end of its line; may be empty */
	size_t name_len;
};

/* A line of /proc/PID/mounts, or what of it is needed. */
struct mount_line {
	char point[512];
	char type[32];
};

int parse_psi(const char *text, struct psi *psi);
bool parse_key(const char *text, const char *key, uint64_t *value);
int parse_proc_stat(const char *text, struct proc_stat *stat);
bool parse_has_ended(const struct proc_stat *stat);
int parse_users(const char *text, uid_t uids[4]);
int parse_cgroup(const char *text, char *path, size_t size);
const char *parse_swap(const char *text, struct swap_line *swap);
int parse_map(const char *line, struct map_line *map);
int parse_mount(const char *line, struct mount_line *mount);
int parse_size(const char *text, uint64_t *bytes);
int parse_decimal(const char *text, unsigned int scale, uint64_t *value);
const char *parse_next_line(const char *text);
bool parse_ends_with(const char *text, const char *end);

#endif
