/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A directory of images.
 */
#ifndef MEMLOAD_IMAGES_H
#define MEMLOAD_IMAGES_H

#include <stddef.h>
#include <stdint.h>

struct images {
	const char *directory;
	char **names;			/* in their order */
	size_t n;
};

/* An image in memory. The buffer is kept for the next one. */
struct image {
	uint8_t *bytes;
	size_t size;
	size_t room;
};

int images_list(struct images *images, const char *directory);
void images_free(struct images *images);
int images_make(const char *directory, uint64_t n, uint64_t seed);
int images_read(const char *path, struct image *image);

#endif
