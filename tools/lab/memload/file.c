// SPDX-License-Identifier: GPL-2.0
/*
 * "file-once" and "file-loop": use files through private maps, as the programs in appendix G of
 * the thesis do. G.1 reads each byte once. G.2 writes, which reads each page into the page cache
 * and makes an anonymous copy of it; file-loop repeats this.
 */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "contents.h"
#include "loads.h"
#include "options.h"
#include "sys.h"
#include "work.h"

struct file {
	const char *name;
	size_t size;			/* bytes */
	uint8_t *map;			/* or NULL */
};

static bool once, keep;
static struct work work;
static uint64_t sum;			/* sum of all bytes, so that the compiler keeps the reads */

static const struct option_row rows[] = {
	{ "keep", OPTION_FLAG, &keep, 0, 0, "file-loop: keep the maps from pass to pass" },
	{ "seconds", OPTION_SECONDS, &work.duration_us, 1, OPTION_MANY, "end after them" },
	{ "progress", OPTION_TEXT, &work.name, 0, 0, "file: a line each half second" },
	{ 0 },
};

static void map_file(struct file *file)
{
	int fd = open(file->name, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err(STATUS_FAILED, "cannot open %s", file->name);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		errx(STATUS_FAILED, "%s: give a file that is not empty", file->name);
	file->size = (size_t)st.st_size;
	file->map = mmap(NULL, file->size, PROT_READ | (once ? 0 : PROT_WRITE), MAP_PRIVATE, fd, 0);
	if (file->map == MAP_FAILED)
		err(STATUS_FAILED, "cannot map %s", file->name);
	close(fd);
}

static void touch_page(uint8_t *at, size_t bytes, size_t nr, bool whole)
{
	size_t i;

	if (once)
		for (i = 0; i < bytes; i++)
			sum += at[i];
	else if (whole)
		contents_fill(at, bytes, nr, 0);
	else
		memset(at, 1, bytes);
}

/* Returns false when the load has to end. */
static bool touch_file(const struct file *file)
{
	size_t page = (size_t)sys_page_size(), n = (file->size + page - 1) / page, nr, left;

	for (nr = 0; nr < n; nr++) {
		left = file->size - nr * page;
		touch_page(file->map + nr * page, left < page ? left : page, nr, left >= page);
		if ((nr % WORK_PIECE == WORK_PIECE - 1 || nr == n - 1) &&
		    !work_step(&work, (nr % WORK_PIECE + 1) * page))
			return false;
	}
	return true;
}

/* The files stay mapped until the end of the pass or, with --keep, of the program. */
static bool pass(struct file *files, size_t n)
{
	bool goes_on = true;
	size_t i;

	for (i = 0; i < n && goes_on; i++) {
		if (!files[i].map)
			map_file(&files[i]);
		goes_on = touch_file(&files[i]);
	}
	for (i = 0; i < n && goes_on && !keep; i++) {
		munmap(files[i].map, files[i].size);
		files[i].map = NULL;
	}
	work.passes += goes_on;
	return goes_on;
}

/**
 * load_files() - use files
 * @argc: number of arguments
 * @argv: name of the load, its options, and names of files
 *
 * Return: exit status.
 */
int load_files(int argc, char **argv)
{
	int at = options_parse("usage: memload file-once|file-loop [OPTION...] FILE...\n"
			       "Reads each byte of the files once; or writes them through private maps, again and again.\n\n",
			       rows, argc, argv), i;
	struct file *files = calloc((size_t)(argc - at), sizeof(*files));

	if (at == argc)
		errx(STATUS_USAGE, "no file: name one or more");
	if (!files)
		err(STATUS_FAILED, "cannot begin");
	for (i = at; i < argc; i++)
		files[i - at].name = argv[i];
	once = !strcmp(argv[0], "file-once");
	work_begin(&work);
	while (pass(files, (size_t)(argc - at)) && !once)
		;
	free(files);
	return work_end(&work);
}
