// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "images.h"
#include "sequence.h"
#include "sys.h"

static int fail(const char *what, const char *path)
{
	int error = errno ? errno : EIO;

	warn("cannot %s %s", what, path);
	return -error;
}

static int add_name(const char *name, void *arg)
{
	struct images *images = arg;
	char **names;

	if (name[0] == '.')
		return 0;
	names = realloc(images->names, (images->n + 1) * sizeof(*names));
	if (!names)
		return -ENOMEM;
	images->names = names;
	names[images->n] = strdup(name);
	if (!names[images->n])
		return -ENOMEM;
	images->n++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/**
 * images_list() - the images of a directory: all files whose names do not begin with a dot
 * @images: the images; free them in either case
 * @directory: the directory
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int images_list(struct images *images, const char *directory)
{
	int err;

	memset(images, 0, sizeof(*images));
	images->directory = directory;
	err = sys_each_entry(directory, add_name, images);
	if (err) {
		warnx("cannot read the directory %s: %s", directory, strerror(-err));
		return err;
	}
	if (!images->n) {
		warnx("%s: no images in it; --make-images makes some", directory);
		return -ENOENT;
	}
	qsort(images->names, images->n, sizeof(images->names[0]), compare);
	return 0;
}

/**
 * images_free() - forget the names
 * @images: the images
 */
void images_free(struct images *images)
{
	while (images->n)
		free(images->names[--images->n]);
	free(images->names);
	images->names = NULL;
}

/* A PPM of 100 to 200 KB: three bytes for each point. */
static int make_image(const char *path, uint64_t nr, uint64_t seed)
{
	struct sequence sequence;
	unsigned int width = 256, height;
	uint8_t line[3 * 256];
	FILE *file = fopen(path, "we");
	int bad;

	if (!file)
		return fail("make", path);
	sequence_begin(&sequence, seed, nr, 1);
	height = 131 + (unsigned int)(sequence_next(&sequence) >> 32) % 129;
	bad = fprintf(file, "P6\n%u %u\n255\n", width, height) < 0;
	for (; height && !bad; height--) {
		sequence_bytes(&sequence, line, sizeof(line));
		bad = fwrite(line, sizeof(line), 1, file) != 1;
	}
	if (fclose(file) || bad)
		return fail("write", path);
	return 0;
}

/**
 * images_make() - make a directory of images
 * @directory: the directory, which may be there
 * @n: how many; those that have their names are overwritten
 * @seed: from which they follow
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int images_make(const char *directory, uint64_t n, uint64_t seed)
{
	char path[4096];
	uint64_t nr;
	int err = 0, len;

	if (mkdir(directory, 0755) && errno != EEXIST)
		return fail("make", directory);
	for (nr = 0; nr < n && !err; nr++) {
		len = snprintf(path, sizeof(path), "%s/%06llu.ppm", directory,
			       (unsigned long long)nr);
		if (len < 0 || (size_t)len >= sizeof(path)) {
			errno = ENAMETOOLONG;
			return fail("make", directory);
		}
		err = make_image(path, nr, seed);
	}
	return err;
}

static int make_room(struct image *image, size_t size)
{
	uint8_t *bytes;

	if (size <= image->room)
		return 0;
	bytes = realloc(image->bytes, size);
	if (!bytes)
		return -ENOMEM;
	image->bytes = bytes;
	image->room = size;
	return 0;
}

/**
 * images_read() - read an image
 * @path: the file
 * @image: the image
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int images_read(const char *path, struct image *image)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st;
	ssize_t n = 1;

	if (fd < 0)
		return fail("open", path);
	image->size = 0;
	if (fstat(fd, &st) || make_room(image, (size_t)st.st_size + 1))
		err = fail("read", path);
	while (!err && n) {
		n = read(fd, image->bytes + image->size, image->room - image->size);
		if (n < 0 && errno != EINTR)
			err = fail("read", path);
		else if (n > 0)
			image->size += (size_t)n;
	}
	close(fd);
	return err;
}
