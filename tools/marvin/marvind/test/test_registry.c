// SPDX-License-Identifier: GPL-2.0
/*
 * Files of programs, while the kernel has no descriptor or no memory for who looks at them; and who
 * is not touched any more. The program is a child, which does nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness.h"
#include "../engine.h"
#include "../registry.h"

#define PAGE ((u64)sysconf(_SC_PAGESIZE))

/* The errno with which each call fails from now on; 0: it works. */
static int openat_errno, readlink_errno, stat_errno, open_errno;
static u64 advised;

int __real_openat(int dir, const char *name, int flags, ...);
int __wrap_openat(int dir, const char *name, int flags, ...);

int __wrap_openat(int dir, const char *name, int flags, ...)
{
	errno = openat_errno;
	return openat_errno ? -1 : __real_openat(dir, name, flags);
}

ssize_t __real_readlink(const char *path, char *text, size_t size);
ssize_t __wrap_readlink(const char *path, char *text, size_t size);

ssize_t __wrap_readlink(const char *path, char *text, size_t size)
{
	errno = readlink_errno;
	return readlink_errno ? -1 : __real_readlink(path, text, size);
}

int __real_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st);

int __wrap_stat(const char *path, struct stat *st)
{
	errno = stat_errno;
	return stat_errno ? -1 : __real_stat(path, st);
}

int __real_sys_each_entry(const char *path, int (*fn)(const char *name, void *arg), void *arg);
int __wrap_sys_each_entry(const char *path, int (*fn)(const char *name, void *arg), void *arg);

int __wrap_sys_each_entry(const char *path, int (*fn)(const char *name, void *arg), void *arg)
{
	return open_errno ? -open_errno : __real_sys_each_entry(path, fn, arg);
}

ssize_t __wrap_sys_process_madvise(int pidfd, const struct iovec *ranges, size_t n, int advice);

ssize_t __wrap_sys_process_madvise(int pidfd, const struct iovec *ranges, size_t n, int advice)
{
	ssize_t bytes = 0;
	size_t i;

	for (i = 0; i < n; i++)
		bytes += ranges[i].iov_len;
	advised += bytes;
	return bytes;
}

static struct config config;
static char dir[64], file[96];
static int table_fd;
static struct marvin_table *table;
static pid_t child;

/* make_table() - of one object, which may be taken back */
static void make_table(void)
{
	size_t bytes = sizeof(*table) + sizeof(struct marvin_entry);
	struct marvin_entry *entry;

	table_fd = memfd_create("marvin", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	expect(table_fd >= 0 && !ftruncate(table_fd, bytes));
	fcntl(table_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	table = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, table_fd, 0);
	entry = (struct marvin_entry *)(table + 1);
	table->magic = TABLE_MAGIC;
	table->entry_bytes = sizeof(*entry);
	table->objects = 1;
	table->page_bytes = PAGE;
	table->space = 0x10000000;
	table->space_pages = 1;
	entry->word = ENTRY_OCCUPIED | ENTRY_LAZY | ENTRY_RESIDENT;
	entry->pages = 1;
}

static void write_file(void)
{
	FILE *f = fopen(file, "w");

	expect(f && fprintf(f, "%d\n", table_fd) > 0 && !fclose(f));
}

static void make_child(void)
{
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	snprintf(file, sizeof(file), "%s/%d", dir, (int)child);
	write_file();
}

static void begin(void)
{
	char message[CONF_MESSAGE];

	strcpy(dir, "/tmp/marvind-run.XXXXXX");
	expect(!!mkdtemp(dir));
	setenv("MARVIN_RUN", dir, 1);
	config_default(&config);
	config.mode = MODE_TOLD;
	expect_eq(config_check(&config, message), 0);
	make_table();
	make_child();
	advised = 0;
	expect_eq(engine_begin(&config, false), 0);
	registry_look(&config.never, 1);
}

static void end_child(void)
{
	kill(child, SIGKILL);
	expect_eq(waitpid(child, NULL, 0), child);
}

static void end(void)
{
	engine_end();
	end_child();
	unlink(file);
	expect_eq(rmdir(dir), 0);
	munmap(table, sizeof(*table) + sizeof(struct marvin_entry));
	close(table_fd);
}

static bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static void forget(void)
{
	struct program *program = registry_find(child);

	if (expect(!!program))
		registry_drop(program);
}

/* look() - while something fails, and again when it does not. Is the program as it was? */
static bool look(int *what, int why)
{
	struct program *program = registry_find(child);
	bool known, stays;

	*what = why;
	registry_look(&config.never, 2);
	known = registry_find(child) == program;
	*what = 0;
	stays = is_there(file);
	registry_look(&config.never, 3);
	return known && stays && registry_find(child);
}

static void test_known(void)
{
	begin();
	expect(!!registry_find(child));
	expect(look(&openat_errno, EMFILE));
	expect(look(&openat_errno, ENOMEM));
	expect(look(&readlink_errno, ENOMEM));
	expect(look(&readlink_errno, EACCES));
	expect(look(&open_errno, EMFILE));
	expect_eq(atomic_load(&table->reclaimer), getpid());
	/* It takes its file away. */
	unlink(file);
	registry_look(&config.never, 4);
	expect(!registry_find(child));
	end();
}

static void test_new(void)
{
	static const struct { int *what, why; } rows[] = {
		{ &openat_errno, EMFILE }, { &stat_errno, ENOMEM }, { &stat_errno, EACCES },
		{ &readlink_errno, ENOMEM }, { &open_errno, EMFILE },
	};
	unsigned int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		forget();
		if (!expect(look(rows[i].what, rows[i].why)))
			tap_note("row %u", i);
	}
	end();
}

/* What says that the program is none is believed. */
static void test_none(void)
{
	static const struct { int *what, why; } rows[] = {
		{ &readlink_errno, ENOENT }, { &stat_errno, ENOENT }, { &stat_errno, ESRCH },
		{ &openat_errno, ELOOP }, { &openat_errno, ENXIO },
	};
	unsigned int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		forget();
		*rows[i].what = rows[i].why;
		registry_look(&config.never, 2);
		*rows[i].what = 0;
		if (!expect(!registry_find(child) && !is_there(file)))
			tap_note("row %u", i);
		write_file();
		registry_look(&config.never, 3);
		expect(!!registry_find(child));
	}
	end_child();
	registry_look(&config.never, 4);
	expect(!registry_find(child) && !is_there(file));
	make_child();
	end();
}

static void make_socket(const char *path)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	expect_eq(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	close(fd);
}

static void test_useless(void)
{
	const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
	char path[4][96];
	unsigned int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(path); i++)
		snprintf(path[i], sizeof(path[i]), "%s/%u", dir, i + 1);
	expect_eq(symlink("/etc/passwd", path[0]), 0);
	make_socket(path[1]);
	/* Two that are not written yet; one will never be. */
	expect_eq(mkfifo(path[2], 0644), 0);
	expect_eq(utimensat(AT_FDCWD, path[2], old, 0), 0);
	close(open(path[3], O_CREAT | O_WRONLY, 0644));
	registry_look(&config.never, 2);
	for (i = 0; i < 3; i++)
		expect(!is_there(path[i]));
	expect(is_there(path[3]));
	unlink(path[3]);
	expect(!!registry_find(child));
	end();
}

/* "bg" has begun, and then the configuration says that this program is never touched. */
static void test_never(void)
{
	char message[CONF_MESSAGE];
	uint64_t taken;

	begin();
	expect_eq(engine_back(&config, child, 2, false, &taken), 0);
	expect_eq(taken, PAGE);
	expect_eq(advised, PAGE);
	((struct marvin_entry *)(table + 1))->word |= ENTRY_RESIDENT;
	registry_find(child)->pending = true;
	expect_eq(conf_set_option(config_keys, &config, "programs.never_name=test_registry",
				  message), 0);
	registry_never(&config.never);
	expect(engine_step(&config, 3, false) > 0);
	expect_eq(advised, PAGE);
	expect(!registry_find(child)->pending);
	end();
}

static const struct tap_case cases[] = {
	{ "a program that is known cannot be looked at", test_known },
	{ "a new one cannot be looked at", test_new },
	{ "a program that is none", test_none },
	{ "files that are no program's", test_useless },
	{ "a program is never touched from now on", test_never },
};

int main(int argc, char **argv)
{
	return tap_main("registry", cases, ARRAY_SIZE(cases), argc, argv);
}
