// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "background.h"

/* The first layers: lines with gaps are closed in them. */
#define STEADY 2U

/* Brightness by which a point must have changed. */
#define MOTION (24 * 128)

/**
 * background_begin() - make room for a model
 * @background: the model
 * @size: of it in bytes; it has at least four layers
 * @points: of a frame
 *
 * Return: 0; -ENOMEM.
 */
int background_begin(struct background *background, size_t size, size_t points)
{
	size_t each = points * sizeof(int16_t);
	size_t n = size / each > 6 ? size / each - 2 : 4;

	memset(background, 0, sizeof(*background));
	background->layers = malloc(n * each);
	background->frame = malloc(each);
	background->moved = malloc(each);
	if (!background->layers || !background->frame || !background->moved)
		return -ENOMEM;
	background->n = n;
	background->points = points;
	return 0;
}

static void follow(const int16_t *restrict before, int16_t *restrict layer,
		   int16_t *restrict moved, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		int16_t difference = (int16_t)(before[i] - layer[i]);
		int16_t far = (int16_t)(difference < 0 ? -difference : difference);

		layer[i] = (int16_t)(layer[i] + (difference >> 1));
		moved[i] = moved[i] > far ? moved[i] : far;
	}
}

/**
 * background_add() - a new frame
 * @background: the model
 * @grey: how bright its points are
 */
void background_add(struct background *background, const uint8_t *grey)
{
	size_t i, points = background->points;
	const int16_t *before = background->frame;
	int16_t *layer = background->layers;

	for (i = 0; i < points; i++)
		background->frame[i] = (int16_t)(grey[i] * 128);
	memset(background->moved, 0, points * sizeof(*background->moved));
	for (i = 0; i < background->n; i++, layer += points) {
		if (!background->begun)
			memcpy(layer, background->frame, points * sizeof(*layer));
		follow(before, layer, background->moved, points);
		before = layer;
	}
	background->begun = 1;
}

/**
 * background_steady() - the frame with what was bright shortly before
 * @background: the model
 * @grey: how bright the points are
 */
void background_steady(const struct background *background, uint8_t *grey)
{
	const int16_t *recent = background->layers + (STEADY - 1) * background->points;
	size_t i;

	for (i = 0; i < background->points; i++) {
		int16_t now = background->frame[i];

		grey[i] = (uint8_t)((now > recent[i] ? now : recent[i]) >> 7);
	}
}

/**
 * background_motion() - how much of the scene has moved
 * @background: the model
 *
 * Return: per mille of the points.
 */
uint32_t background_motion(const struct background *background)
{
	size_t i, n = 0;

	for (i = 0; i < background->points; i++)
		n += background->moved[i] > MOTION;
	return (uint32_t)(n * 1000 / background->points);
}

/**
 * background_sum() - a sum of the last layer, where in the end all passes through
 * @background: the model
 *
 * Return: the sum.
 */
uint32_t background_sum(const struct background *background)
{
	const int16_t *last = background->layers + (background->n - 1) * background->points;
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i < background->points; i++)
		sum = sum * 31 + (uint16_t)last[i];
	return sum;
}
