// SPDX-License-Identifier: GPL-2.0
/*
 * A program closes all descriptors that it does not know, opens files of its own with their
 * numbers, and goes on, as daemons do: on each road, and in a child, too. All bytes come back, no
 * file of the program's is written to, and none is closed.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "marvin.h"

#define BYTES (1U << 20)
#define FILES 40
#define SECONDS 60

static bool right;

static void expect(bool is, const char *what)
{
	if (!is)
		printf("# not so: %s\n", what);
	right = right && is;
}

/* own_file() - with a few bytes, that must stay */
static void own_file(int want)
{
	char path[] = "/tmp/marvin-closed.XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	expect(fd >= 0 && write(fd, "mine", 4) == 4, "a file of the program's own");
	if (fd != want) {
		dup2(fd, want);
		close(fd);
	}
}

static void look_at_files(void)
{
	struct stat st;
	int fd, bad = 0;

	for (fd = 3; fd < FILES; fd++)
		bad += fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size != 4;
	expect(!bad, "the program's files are open, and as they were");
}

static void save(struct marvin *heap)
{
	struct marvin_stats stats = MARVIN_STATS;
	int tries;

	/* The road of signals gives nothing by itself. */
	for (tries = 0; tries < 1000; tries++) {
		marvin_stats(heap, &stats);
		if (!stats.unsaved)
			break;
		usleep(10000);
	}
	usleep(200000);
	expect(marvin_drop(heap, SIZE_MAX) >= BYTES, "memory is dropped");
}

static void look_at(struct marvin *heap, const unsigned char *at, bool pin)
{
	size_t i, bad = 0;

	if (pin)
		expect(!marvin_pin(heap, at, BYTES), "a pin");
	for (i = 0; i < BYTES; i++)
		bad += at[i] != (unsigned char)(i / 1000);
	expect(!bad, "bytes are right");
	if (pin)
		marvin_unpin(heap, at, BYTES);
}

/* in_child() - of a program whose files they are; it has a child, too */
static bool in_child(struct marvin *heap, const unsigned char *at, int depth)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		alarm(SECONDS);
		look_at_files();
		if (depth)
			expect(in_child(heap, at, depth - 1), "a child's child");
		look_at(heap, at, depth);
		look_at_files();
		fflush(stdout);
		_exit(!right);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

/* play() - in a process of its own, for it closes everything */
static void play(enum marvin_road road, bool forks)
{
	struct marvin_options options = MARVIN_OPTIONS;
	struct marvin *heap;
	unsigned char *at;
	size_t i;
	int fd;

	alarm(SECONDS);
	right = true;
	options.store = getenv("STORE") ? getenv("STORE") : "/var/tmp/";
	options.road = road;
	options.foreground_ms = 20;
	if (marvin_open(&heap, &options))
		_exit(77);
	at = marvin_new(heap, BYTES);
	for (i = 0; at && i < BYTES; i++)
		at[i] = (unsigned char)(i / 1000);
	expect(at, "an object");
	save(heap);
	for (fd = 3; fd < 256; fd++)
		close(fd);
	for (fd = 3; fd < FILES; fd++)
		own_file(fd);
	if (forks)
		expect(in_child(heap, at, 1), "a child");
	look_at(heap, at, false);
	expect(!marvin_background(heap, false), "the foreground");
	look_at_files();
	expect(!marvin_close(heap), "the end of the heap");
	look_at_files();
	fflush(stdout);
	_exit(!right);
}

/*
 * A child of clone(), which runs no function at a fork, must not read zeroes where pages are
 * missing: it has no such memory
 */
static void clone_one(enum marvin_road road)
{
	struct marvin_options options = MARVIN_OPTIONS;
	struct marvin *heap;
	volatile unsigned char *at;
	int pid, status;

	alarm(SECONDS);
	options.store = getenv("STORE") ? getenv("STORE") : "/var/tmp/";
	options.road = road;
	if (marvin_open(&heap, &options))
		_exit(77);
	at = marvin_new(heap, BYTES);
	at[BYTES / 2] = 7;
	marvin_background(heap, true);
	pid = (int)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		_exit(at[BYTES / 2] == 7 ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	_exit((WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) || !status ? 0 : 1);
}

/* result() - of a process; one without this road is skipped */
static int result(int *number, pid_t pid, enum marvin_road road, const char *what)
{
	bool skipped, good;
	int status;

	waitpid(pid, &status, 0);
	skipped = status == 77 << 8;
	good = skipped || !status;
	printf("%sok %d - road %s: %s%s\n", good ? "" : "not ", ++*number, marvin_road_name(road),
	       what, skipped ? " # SKIP no such road here" : "");
	return !good;
}

int main(void)
{
	static const enum marvin_road roads[] = { MARVIN_ROAD_WP, MARVIN_ROAD_SIGNAL };
	static const char *const what[] = {
		"a program closes all descriptors", "a program closes all descriptors, and forks",
		"a child of clone()",
	};
	int number = 0, failed = 0, k;
	unsigned int i;

	for (i = 0; i < 2; i++)
		for (k = 0; k < 3; k++) {
			pid_t pid;

			fflush(stdout);
			pid = fork();
			if (!pid && k == 2)
				clone_one(roads[i]);
			if (!pid)
				play(roads[i], k);
			failed += result(&number, pid, roads[i], what[k]);
		}
	printf("1..%d\n", number);
	return !!failed;
}
