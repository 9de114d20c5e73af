/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers for the suites of the daemons: a temporary directory (the tree) as the root for sys.h,
 * and cases in a process of their own.
 */
#ifndef TREE_H
#define TREE_H

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "harness.h"
#include "sys.h"

/* A case that takes longer is ended, also on a busy machine. */
#define CHILD_SECONDS 60

static char tree[128];

static inline int tree_rm_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static inline void tree_remove(void)
{
	if (tree[0])
		nftw(tree, tree_rm_one, 16, FTW_DEPTH | FTW_PHYS);
	tree[0] = '\0';
	sys_set_root("");
}

/* tree_make() - make an empty tree, and remove the last one */
static inline void tree_make(void)
{
	const char *tmp = getenv("TMPDIR");

	tree_remove();
	snprintf(tree, sizeof(tree), "%.100s/policy-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(tree)) {
		printf("Bail out! no temporary directory: %s\n", tree);
		exit(1);
	}
	sys_set_root(tree);
}

/* tree_path() - the real path of a file of the tree; two results are valid at a time */
static inline const char *tree_path(const char *path)
{
	static char full[2][2048];
	static unsigned int turn;

	turn = !turn;
	snprintf(full[turn], sizeof(full[turn]), "%s%s", tree, path);
	return full[turn];
}

static inline void tree_mkdir(const char *path)
{
	char full[2048], *at;

	snprintf(full, sizeof(full), "%s%s", tree, path);
	for (at = full + strlen(tree) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(full, 0755);
		*at = '/';
	}
	mkdir(full, 0755);
}

static inline void tree_put_bytes(const char *path, const void *data, size_t bytes)
{
	char parent[1024];
	FILE *file;

	snprintf(parent, sizeof(parent), "%s", path);
	*strrchr(parent, '/') = '\0';
	tree_mkdir(parent);
	file = fopen(tree_path(path), "w");
	if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file)) {
		printf("Bail out! %s cannot be written\n", path);
		exit(1);
	}
}

/* tree_put() - write a file, and make its directories */
static inline void tree_put(const char *path, const char *text)
{
	tree_put_bytes(path, text, strlen(text));
}

static inline bool tree_holds(const char *path, const char *want, const char *file, int line)
{
	char got[512] = "";
	FILE *in = fopen(tree_path(path), "r");
	size_t n = in ? fread(got, 1, sizeof(got) - 1, in) : 0;

	got[n] = '\0';
	if (in)
		fclose(in);
	if (in && !strcmp(got, want))
		return true;
	tap.bad++;
	tap_note("%s:%d: %s holds \"%s\" instead of \"%s\"", file, line, path,
		 in ? got : "(no file)", want);
	return false;
}

#define expect_file(path, want) tree_holds(path, want, __FILE__, __LINE__)

static inline bool tap_expect_text(const char *got, const char *want, const char *file, int line)
{
	if (!strcmp(got, want))
		return true;
	tap.bad++;
	tap_note("%s:%d: \"%s\" instead of \"%s\"", file, line, got, want);
	return false;
}

#define expect_text(got, want) tap_expect_text(got, want, __FILE__, __LINE__)

static inline void sleep_ms(unsigned int ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

static inline u64 now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

/* in_child() - run a part of a case in another process; its failures count here, too */
static inline void in_child(void (*fn)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		alarm(CHILD_SECONDS);
		tap.bad = 0;
		fn();
		fflush(NULL);
		_exit(tap.bad ? 1 : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
		tap.bad++;
		tap_note("the process of this case was ended by a signal");
	} else if (WEXITSTATUS(status)) {
		tap.bad++;
		/* With status 1 the child has printed its failures. */
		if (WEXITSTATUS(status) != 1)
			tap_note("the process of this case ended with status %d",
				 WEXITSTATUS(status));
	}
}

/* QUICK= in the environment leaves the long random parts out. */
static inline bool quick(void)
{
	return tap_env("QUICK", 0) != 0;
}

#endif /* TREE_H */
