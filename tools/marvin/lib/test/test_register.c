// SPDX-License-Identifier: GPL-2.0
/*
 * The file by which marvind learns of a program, and what marvind asks of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness.h"
#include "marvin.h"
#include "../heap.h"

int __real_madvise(void *addr, size_t bytes, int advice);
int __wrap_madvise(void *addr, size_t bytes, int advice);

int __wrap_madvise(void *addr, size_t bytes, int advice)
{
	return __real_madvise(addr, bytes, advice == MADV_FREE ? MADV_DONTNEED : advice);
}

static char dir[64], file[96];

static void make_dir(void)
{
	strcpy(dir, "/tmp/marvin-run.XXXXXX");
	expect(!!mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/%d", dir, getpid());
	setenv("MARVIN_RUN", dir, 1);
}

static void remove_dir(void)
{
	expect_eq(rmdir(dir), 0);
}

static int begin(bool no_thread)
{
	struct marvin_options options = { .store = "/var/tmp/", .space = 8 << 20, .objects = 100,
					  .no_thread = no_thread, .foreground_ms = 60000 };

	return marvin_open(&options);
}

static bool is_there(void)
{
	struct stat st;

	return !lstat(file, &st);
}

/* says() - the number in the file; -1: none */
static int says(void)
{
	char text[32] = "", expected[32];
	FILE *f = fopen(file, "r");
	int fd = -1;

	if (f) {
		if (fgets(text, sizeof(text), f))
			fd = atoi(text);
		fclose(f);
	}
	snprintf(expected, sizeof(expected), "%d\n", fd);
	return strcmp(text, expected) ? -1 : fd;
}

static void test_file(void)
{
	struct stat st;
	mode_t mask = umask(077);

	make_dir();
	expect_eq(begin(true), 0);
	umask(mask);
	expect_eq(says(), marvin_heap.table_fd);
	expect_eq(stat(file, &st), 0);
	expect_eq(st.st_mode, S_IFREG | 0644);
	expect_eq(marvin_close(), 0);
	expect(!is_there());
	remove_dir();
}

static void test_without(void)
{
	make_dir();
	remove_dir();
	expect_eq(begin(true), 0);
	marvin_tick(10);
	expect(!is_there());
	/* marvind begins later than the program. */
	expect_eq(mkdir(dir, 0755), 0);
	marvin_tick(10);
	expect_eq(says(), marvin_heap.table_fd);
	expect_eq(marvin_close(), 0);
	remove_dir();
	setenv("MARVIN_RUN", "relative/../nowhere", 1);
	expect_eq(begin(true), 0);
	expect_eq(marvin_close(), 0);
}

/* Once a tick the program looks whether marvind, or a new /run, has taken it away. */
static void test_removed(void)
{
	struct stat before, after;

	make_dir();
	expect_eq(begin(true), 0);
	expect_eq(stat(file, &before), 0);
	marvin_tick(10);
	expect_eq(stat(file, &after), 0);
	expect_eq(after.st_ino, before.st_ino);
	expect_eq(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
	expect_eq(unlink(file), 0);
	marvin_tick(10);
	expect_eq(says(), marvin_heap.table_fd);
	/* The directory, too, and it comes later. */
	expect_eq(unlink(file), 0);
	remove_dir();
	marvin_tick(10);
	expect_eq(mkdir(dir, 0755), 0);
	marvin_tick(10);
	expect_eq(says(), marvin_heap.table_fd);
	expect_eq(marvin_close(), 0);
	expect(!is_there());
	remove_dir();
}

static void test_left(void)
{
	char target[96];
	int fd;

	make_dir();
	/* Of an earlier process of the same id. */
	fd = open(file, O_CREAT | O_WRONLY, 0600);
	expect_eq(write(fd, "12345678\n", 9), 9);
	close(fd);
	expect_eq(begin(true), 0);
	expect_eq(says(), marvin_heap.table_fd);
	expect_eq(marvin_close(), 0);
	/* A link is replaced, not followed. */
	snprintf(target, sizeof(target), "%s/target", dir);
	expect_eq(symlink(target, file), 0);
	expect_eq(begin(true), 0);
	expect(access(target, F_OK) && errno == ENOENT);
	expect_eq(marvin_close(), 0);
	/* What cannot be replaced is no error. */
	expect_eq(mkdir(file, 0755), 0);
	expect_eq(begin(true), 0);
	marvin_tick(10);
	expect_eq(marvin_close(), 0);
	expect_eq(rmdir(file), 0);
	remove_dir();
}

static void test_fork(void)
{
	int status;
	pid_t pid;

	make_dir();
	expect_eq(begin(true), 0);
	pid = fork();
	if (!pid) {
		char path[96];

		marvin_tick(10);
		snprintf(path, sizeof(path), "%s/%d", dir, getpid());
		_exit(marvin_close() || !access(path, F_OK));
	}
	expect_eq(waitpid(pid, &status, 0), pid);
	expect_eq(status, 0);
	expect_eq(says(), marvin_heap.table_fd);
	expect_eq(marvin_close(), 0);
	remove_dir();
}

static marvin_ref given(void)
{
	marvin_ref ref = marvin_new(100000);
	unsigned int i;

	marvin_enter();
	memset(marvin_write(ref), 5, 100000);
	marvin_leave();
	for (i = 0; i < 5; i++)
		marvin_tick(1000);
	expect(heap_word(0) & ENTRY_LAZY);
	return ref;
}

static void test_fetch(void)
{
	struct marvin_stats stats;

	make_dir();
	expect_eq(begin(true), 0);
	given();
	atomic_store(&marvin_heap.table->request, REQUEST_FETCH);
	marvin_tick(10);
	marvin_stats(&stats);
	expect_eq(stats.loaded, 1);
	expect_eq(atomic_load(&marvin_heap.table->request), 0);
	/* What is not known is not done, and not there any more. */
	atomic_store(&marvin_heap.table->request, 0x80000000U);
	marvin_tick(10);
	expect_eq(atomic_load(&marvin_heap.table->request), 0);
	expect_eq(marvin_close(), 0);
	remove_dir();
}

/* The thread looks in its nap, too, which takes a minute here. */
static void test_thread(void)
{
	struct marvin_stats stats;
	unsigned int tries = 100;

	make_dir();
	expect_eq(begin(false), 0);
	given();
	atomic_store(&marvin_heap.table->request, REQUEST_FETCH);
	do {
		usleep(100000);
		marvin_stats(&stats);
	} while (!stats.loaded && --tries);
	expect_eq(stats.loaded, 1);
	expect_eq(marvin_close(), 0);
	remove_dir();
}

static const struct tap_case cases[] = {
	{ "the file", test_file },
	{ "no directory", test_without },
	{ "the file is removed", test_removed },
	{ "what was left there", test_left },
	{ "a fork", test_fork },
	{ "a request", test_fetch },
	{ "a request while the thread naps", test_thread },
};

int main(int argc, char **argv)
{
	return tap_main("register", cases, ARRAY_SIZE(cases), argc, argv);
}
