// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "appfile.h"
#include "sys.h"

#define PATH 4096

struct file {
	const struct contents *contents;
	uint64_t number;		/* of its first page */
	uint64_t pages;
	uint8_t *page;			/* a buffer */
	char path[PATH];
	char part[PATH + 8];		/* its name, as long as it is not a whole one */
};

static int fail(const char *what, const char *path)
{
	int error = errno ? errno : EIO;

	warn("cannot %s %s", what, path);
	return -error;
}

/**
 * appfile_contents() - the rule of all contents
 * @contents: the rule
 * @options: what it follows from
 */
void appfile_contents(struct contents *contents, const struct appopt *options)
{
	contents->seed = options->seed;
	contents->percent = options->percent;
	contents->page = (size_t)sys_page_size();
}

/**
 * appfile_path() - where a file is
 * @options: the directory
 * @nr: the app's number, or APPFILE_SHARED
 * @path: the path
 * @size: of @path in bytes
 *
 * Return: 0; -ENAMETOOLONG, and this was said.
 */
int appfile_path(const struct appopt *options, unsigned int nr, char *path, size_t size)
{
	int n;

	if (nr == APPFILE_SHARED)
		n = snprintf(path, size, "%s/shared", options->dir);
	else
		n = snprintf(path, size, "%s/app%u", options->dir, nr);
	if (n >= 0 && (size_t)n < size)
		return 0;
	warnx("--dir: the name of the directory is too long");
	return -ENAMETOOLONG;
}

/* One that cannot be read is no right one: if it cannot be made either, that says why. */
static bool is_right(const struct file *file)
{
	size_t page = file->contents->page;
	int fd = open(file->path, O_RDONLY | O_CLOEXEC);
	struct contents_wrong wrong;
	struct stat st;
	uint64_t nr;
	bool right = fd >= 0 && !fstat(fd, &st) && (uint64_t)st.st_size == file->pages * page;

	for (nr = 0; nr < file->pages && right; nr++)
		right = read(fd, file->page, page) == (ssize_t)page &&
			!contents_check(file->contents, file->number + nr, 0, 0, file->page,
					&wrong);
	if (fd >= 0)
		close(fd);
	return right;
}

/* All of it is in the storage before the run, or the run would wait for that. */
static int write_contents(const struct file *file, int fd)
{
	size_t page = file->contents->page;
	uint64_t nr;

	for (nr = 0; nr < file->pages; nr++) {
		contents_fill(file->contents, file->number + nr, 0, 0, file->page);
		errno = ENOSPC;
		if (write(fd, file->page, page) != (ssize_t)page)
			return fail("write", file->part);
	}
	return fsync(fd) ? fail("write", file->part) : 0;
}

/* Under another name first, so that a file that is there is a whole one. */
static int make(struct file *file)
{
	int fd, err;

	snprintf(file->part, sizeof(file->part), "%s.part", file->path);
	fd = open(file->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return fail("make", file->part);
	err = write_contents(file, fd);
	if (close(fd) && !err)
		err = fail("write", file->part);
	if (!err && rename(file->part, file->path))
		err = fail("make", file->path);
	if (err)
		unlink(file->part);
	return err;
}

/* Returns 0, 1 when it was made, or a negative errno. */
static int prepare_one(const struct appopt *options, struct file *file, unsigned int nr)
{
	uint64_t size = nr == APPFILE_SHARED ? options->shared : options->file;
	int err;

	file->number = APPFILE_NUMBER(nr);
	file->pages = size / file->contents->page;
	if (!size)
		return 0;
	err = appfile_path(options, nr, file->path, sizeof(file->path));
	if (err)
		return err;
	if (is_right(file))
		return 0;
	err = make(file);
	return err ? err : 1;
}

static int prepare_all(const struct appopt *options, struct file *file)
{
	int ret = prepare_one(options, file, APPFILE_SHARED), made = 0;
	unsigned int nr;

	for (nr = 0; nr < options->apps && ret >= 0; nr++) {
		made += ret;
		ret = prepare_one(options, file, nr);
	}
	return ret < 0 ? ret : made + ret;
}

/**
 * appfile_prepare() - make the files that are not there, or are other ones
 * @options: the files
 *
 * Return: how many were made; or a negative errno, and the reason was said.
 */
int appfile_prepare(const struct appopt *options)
{
	struct contents contents;
	struct file *file;
	int ret;

	if (!options->file && !options->shared)
		return 0;
	if (mkdir(options->dir, 0755) && errno != EEXIST)
		return fail("make", options->dir);
	appfile_contents(&contents, options);
	file = calloc(1, sizeof(*file));
	if (file)
		file->page = malloc(contents.page);
	if (file && file->page) {
		file->contents = &contents;
		ret = prepare_all(options, file);
	} else {
		ret = fail("make", options->dir);
	}
	if (file)
		free(file->page);
	free(file);
	return ret;
}
