// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include "picture.h"

/* The next number of a header, after blanks and comments; @at goes behind it. 0: there is none. */
static unsigned int header_number(const uint8_t *bytes, size_t size, size_t *at)
{
	unsigned int number = 0;

	while (*at < size && (bytes[*at] <= ' ' || bytes[*at] == '#')) {
		if (bytes[*at] == '#')
			while (*at < size && bytes[*at] != '\n')
				++*at;
		else
			++*at;
	}
	while (*at < size && bytes[*at] >= '0' && bytes[*at] <= '9' && number <= PICTURE_SIDE_MAX)
		number = number * 10 + bytes[(*at)++] - '0';
	return number;
}

/**
 * picture_parse() - read a PPM (P6) with a byte for each colour
 * @bytes: the file
 * @size: of it
 * @picture: the picture, which is in @bytes
 *
 * Return: 0; -EINVAL.
 */
int picture_parse(const uint8_t *bytes, size_t size, struct picture *picture)
{
	size_t at = 2;

	if (size < 2 || bytes[0] != 'P' || bytes[1] != '6')
		return -EINVAL;
	picture->width = header_number(bytes, size, &at);
	picture->height = header_number(bytes, size, &at);
	if (!picture->width || picture->width > PICTURE_SIDE_MAX || !picture->height ||
	    picture->height > PICTURE_SIDE_MAX || header_number(bytes, size, &at) != 255)
		return -EINVAL;
	at++;
	if (at > size || size - at < (size_t)3 * picture->width * picture->height)
		return -EINVAL;
	picture->points = bytes + at;
	return 0;
}

/**
 * picture_grey() - how bright the points are
 * @picture: the picture
 * @grey: a byte for each point
 */
void picture_grey(const struct picture *picture, uint8_t *grey)
{
	size_t i, n = (size_t)picture->width * picture->height;
	const uint8_t *at = picture->points;

	for (i = 0; i < n; i++, at += 3)
		grey[i] = (uint8_t)((77 * at[0] + 150 * at[1] + 29 * at[2]) >> 8);
}

/* A point between four, by the two parts of its place that are behind the dot. */
static uint8_t between(const struct picture *from, uint64_t x, uint64_t y, unsigned int colour)
{
	uint64_t left = x >> 8, top = y >> 8, fx = x & 255, fy = y & 255;
	uint64_t right = left + 1 < from->width ? left + 1 : left;
	uint64_t below = top + 1 < from->height ? top + 1 : top;
	const uint8_t *upper = from->points + 3 * top * from->width + colour;
	const uint8_t *lower = from->points + 3 * below * from->width + colour;
	uint64_t above = upper[3 * left] * (256 - fx) + upper[3 * right] * fx;
	uint64_t under = lower[3 * left] * (256 - fx) + lower[3 * right] * fx;

	return (uint8_t)((above * (256 - fy) + under * fy) >> 16);
}

/* The mean of a few places of the part of the picture that becomes one point. */
static uint8_t mean(const struct picture *from, const struct window *part, unsigned int colour)
{
	uint64_t sum = 0, n = (part->width >> 8) + 1, i, j;

	for (j = 0; j < n; j++)
		for (i = 0; i < n; i++)
			sum += between(from, part->x + part->width * i / n,
				       part->y + part->height * j / n, colour);
	return (uint8_t)(sum / (n * n));
}

/**
 * picture_window() - a part of a picture, as large as another
 * @from: the picture
 * @window: the part; it must be in the picture
 * @width: of the new picture
 * @height: of it
 * @points: of it, three bytes each
 */
void picture_window(const struct picture *from, const struct window *window, unsigned int width,
		    unsigned int height, uint8_t *points)
{
	struct window part = { .width = window->width / width, .height = window->height / height };
	unsigned int x, y, colour;

	for (y = 0; y < height; y++) {
		for (x = 0; x < width; x++) {
			part.x = window->x + window->width * x / width;
			part.y = window->y + window->height * y / height;
			for (colour = 0; colour < 3; colour++)
				*points++ = mean(from, &part, colour);
		}
	}
}

/**
 * picture_write() - make a file of a picture
 * @path: the file
 * @picture: the picture
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int picture_write(const char *path, const struct picture *picture)
{
	size_t size = (size_t)3 * picture->width * picture->height;
	FILE *file = fopen(path, "we");
	int bad;

	if (!file) {
		warn("cannot make %s", path);
		return -EIO;
	}
	bad = fprintf(file, "P6\n%u %u\n255\n", picture->width, picture->height) < 0 ||
	      fwrite(picture->points, size, 1, file) != 1;
	if (fclose(file) || bad) {
		warn("cannot write %s", path);
		return -EIO;
	}
	return 0;
}
