// SPDX-License-Identifier: GPL-2.0
/*
 * "file-once" and "file-loop": use files through maps, as the programs in appendix G of the thesis
 * do. G.1 reads a file once. G.2 writes files through private maps: that reads each page into the
 * page cache and makes an anonymous copy of it; here it is done again and again, with new maps.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "contents.h"
#include "loads.h"
#include "sys.h"
#include "work.h"

struct file {
	const char *name;
	uint64_t number;		/* of its first page */
	int fd;
	size_t size;			/* bytes */
	uint8_t *map;			/* or NULL */
};

struct files {
	const struct loadopt *options;
	struct contents contents;
	struct work work;
	struct file *files;
	size_t nfiles;
	uint64_t sum;			/* of all bytes that were read, so that they are */
};

static int fail(const struct file *file, const char *what)
{
	int error = errno ? errno : EIO;

	warn("cannot %s %s", what, file->name);
	return -error;
}

static int write_contents(const struct files *all, const struct file *file, int fd)
{
	size_t page = all->contents.page;
	uint8_t *buf = malloc(page);
	uint64_t nr, n = all->options->make / page;
	int err = 0;

	if (!buf)
		return fail(file, "make");
	for (nr = 0; nr < n && !err; nr++) {
		contents_fill(&all->contents, file->number + nr, 0, 0, buf);
		errno = ENOSPC;
		if (write(fd, buf, page) != (ssize_t)page)
			err = fail(file, "write");
	}
	free(buf);
	return err;
}

/* Under another name first, so that a file that is there is a whole one. */
static int make_file(const struct files *all, const struct file *file)
{
	char part[4096];
	int fd, err, n = snprintf(part, sizeof(part), "%s.part", file->name);

	if (n < 0 || (size_t)n >= sizeof(part)) {
		errno = ENAMETOOLONG;
		return fail(file, "make");
	}
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return fail(file, "make");
	err = write_contents(all, file, fd);
	if (close(fd) && !err)
		err = fail(file, "write");
	if (!err && rename(part, file->name))
		err = fail(file, "make");
	if (err)
		unlink(part);
	return err;
}

/* For tests: another byte in the middle. */
static int spoil(const struct file *file)
{
	off_t at = (off_t)(file->size / 2);
	uint8_t byte;

	if (pread(file->fd, &byte, 1, at) != 1)
		return fail(file, "read");
	byte ^= 0x10;
	if (pwrite(file->fd, &byte, 1, at) != 1)
		return fail(file, "write");
	return 0;
}

static int open_file(const struct files *all, struct file *file)
{
	const struct loadopt *options = all->options;
	bool writes = options->touch == TOUCH_SHARED || options->corrupt;
	struct stat st;
	int err;

	if (options->make && access(file->name, F_OK)) {
		err = make_file(all, file);
		if (err)
			return err;
	}
	file->fd = open(file->name, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (file->fd < 0) {
		warn("cannot open %s%s", file->name,
		     errno == ENOENT ? "; --make SIZE makes it" : "");
		return -ENOENT;
	}
	if (fstat(file->fd, &st))
		return fail(file, "look at");
	if (!S_ISREG(st.st_mode) || !st.st_size) {
		warnx("%s: give a file that is not empty", file->name);
		return -EINVAL;
	}
	file->size = (size_t)st.st_size;
	return options->corrupt ? spoil(file) : 0;
}

static int map_file(const struct files *all, struct file *file)
{
	bool once = all->options->load == LOAD_FILE_ONCE;
	enum touch touch = all->options->touch;
	int prot = once || touch == TOUCH_READ ? PROT_READ : PROT_READ | PROT_WRITE;
	void *map = mmap(NULL, file->size, prot,
			 touch == TOUCH_SHARED ? MAP_SHARED : MAP_PRIVATE, file->fd, 0);

	if (map == MAP_FAILED)
		return fail(file, "map");
	file->map = map;
	return 0;
}

static uint64_t sum_of(const uint8_t *at, size_t n)
{
	uint64_t sum = 0;

	while (n--)
		sum += *at++;
	return sum;
}

/* The last page of a file may be a part of one, whose contents nothing is known of. */
static int touch_page(struct files *all, const struct file *file, size_t nr)
{
	size_t page = all->contents.page, left = file->size - nr * page;
	uint8_t *at = file->map + nr * page;
	struct contents_wrong wrong;

	if (all->options->verify && left >= page &&
	    contents_check(&all->contents, file->number + nr, 0, 0, at, &wrong)) {
		warnx("wrong data in %s: page %zu, byte %zu: %#04x instead of %#04x", file->name,
		      nr, wrong.byte, wrong.got, wrong.want);
		return -EBADMSG;
	}
	if (all->options->load == LOAD_FILE_ONCE || all->options->touch == TOUCH_READ)
		all->sum += sum_of(at, left < page ? left : page);
	else if (left >= page)
		contents_fill(&all->contents, file->number + nr, 0, 0, at);
	else
		memset(at, 1, left);
	return 0;
}

/* Returns 0, 1 when the end has come, or a negative errno. */
static int touch_file(struct files *all, const struct file *file)
{
	size_t page = all->contents.page, n = (file->size + page - 1) / page, nr;

	for (nr = 0; nr < n; nr++) {
		if (touch_page(all, file, nr))
			return -EBADMSG;
		if ((nr % WORK_PIECE == WORK_PIECE - 1 || nr == n - 1) &&
		    !work_step(&all->work, (nr % WORK_PIECE + 1) * page))
			return 1;
	}
	return 0;
}

static void unmap_all(struct files *all)
{
	size_t i;

	for (i = 0; i < all->nfiles; i++) {
		if (all->files[i].map)
			munmap(all->files[i].map, all->files[i].size);
		all->files[i].map = NULL;
	}
}

/* Each file stays mapped until all have been touched, or for ever. */
static int pass(struct files *all)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < all->nfiles && !ret; i++) {
		if (!all->files[i].map)
			ret = map_file(all, &all->files[i]);
		if (!ret)
			ret = touch_file(all, &all->files[i]);
	}
	if (all->options->touch != TOUCH_KEEP)
		unmap_all(all);
	if (!ret)
		all->work.passes++;
	return ret;
}

static int open_all(struct files *all)
{
	size_t i;
	int err;

	all->nfiles = (size_t)all->options->nfiles;
	all->files = calloc(all->nfiles, sizeof(*all->files));
	if (!all->files) {
		warn("cannot begin");
		return -ENOMEM;
	}
	for (i = 0; i < all->nfiles; i++)
		all->files[i].fd = -1;
	for (i = 0; i < all->nfiles; i++) {
		all->files[i].name = all->options->files[i];
		all->files[i].number = (uint64_t)i << 32;
		err = open_file(all, &all->files[i]);
		if (err)
			return err;
	}
	return 0;
}

static void close_all(struct files *all)
{
	size_t i;

	for (i = 0; all->files && i < all->nfiles; i++)
		if (all->files[i].fd >= 0)
			close(all->files[i].fd);
	free(all->files);
}

/* Returns 0, 1 when the end has come, or a negative errno. */
static int run(struct files *all)
{
	const struct loadopt *options = all->options;
	int ret = !work_sleep(&all->work, all->work.begin_us + options->delay_us);

	while (!ret) {
		ret = pass(all);
		if (options->load == LOAD_FILE_ONCE)
			break;
	}
	unmap_all(all);
	if (work_end(&all->work) && ret >= 0)
		return -ENOSPC;
	return ret;
}

/**
 * load_files() - use files
 * @options: how
 *
 * Return: the status of the program.
 */
int load_files(const struct loadopt *options)
{
	struct files all = { .options = options };
	int ret = -EINVAL;

	all.contents.seed = options->seed;
	all.contents.percent = options->percent;
	all.contents.page = (size_t)sys_page_size();
	if (!open_all(&all) && !work_begin(&all.work, options))
		ret = run(&all);
	close_all(&all);
	if (ret >= 0)
		return 0;
	return ret == -EBADMSG ? STATUS_WRONG : STATUS_FAILED;
}
