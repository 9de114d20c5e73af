// SPDX-License-Identifier: GPL-2.0
/*
 * The network's layers, weights and convolutions.
 */
#include <errno.h>
#include <string.h>
#include "net.h"

/* Channels of the last layers, whose pictures have one point. */
#define DEEP 512U

/* Largest absolute value of a weight. */
#define WEIGHT 2047

/* Bits of the numbers between layers, without sign. */
#define NUMBER_BITS 7

/**
 * net_make_weights() - make the next weights of a sequence
 * @sequence: the sequence
 * @weights: buffer
 * @n: how many
 */
void net_make_weights(struct sequence *sequence, int16_t *weights, size_t n)
{
	while (n--) {
		int number = (int)(sequence_next(sequence) >> 32 & (2 * WEIGHT + 1));

		*weights++ = (int16_t)(number - WEIGHT);
	}
}

static size_t weights_of(const struct layer *layer)
{
	return (size_t)layer->in * layer->out * layer->kernel * layer->kernel;
}

static void add_layer(struct net *net, const struct layer *layer)
{
	struct layer *new = &net->layers[net->nlayers++];

	*new = *layer;
	new->side_out = (new->side_in + 2 * new->pad - new->kernel) / new->stride + 1;
	net->nweights += weights_of(new);
}

/**
 * net_plan() - plan the layers of a network
 * @net: the network
 * @nweights: limit of its weights; it gets a few less
 *
 * Return: 0; -EINVAL for too few weights; -E2BIG for too many.
 */
int net_plan(struct net *net, size_t nweights)
{
	static const struct layer front[] = {
		{ NET_CHANNELS, 16, 3, 2, 1, NET_SIDE, 0 },
		{ 16, 32, 3, 2, 1, 16, 0 },
		{ 32, 64, 3, 2, 1, 8, 0 },
		{ 64, 256, 2, 2, 0, 4, 0 },
		{ 256, DEEP, 2, 2, 0, 2, 0 },
	};
	struct layer deep = { DEEP, DEEP, 1, 1, 0, 1, 0 };
	size_t i;

	memset(net, 0, sizeof(*net));
	for (i = 0; i < sizeof(front) / sizeof(front[0]); i++)
		add_layer(net, &front[i]);
	if (nweights < net->nweights + DEEP)
		return -EINVAL;
	while (nweights - net->nweights >= 2 * weights_of(&deep)) {
		if (net->nlayers == NET_LAYERS - 1)
			return -E2BIG;
		add_layer(net, &deep);
	}
	deep.out = (unsigned int)((nweights - net->nweights) / DEEP);
	add_layer(net, &deep);
	return 0;
}

/*
 * Computes the numbers of the next layer: 7 bits, never zero, so that every weight affects the
 * result. As in YOLO, negative numbers become smaller.
 */
static void activate(const int32_t *sums, size_t n, int16_t *numbers)
{
	uint32_t bits = 0;
	unsigned int shift = 0;
	size_t i;

	for (i = 0; i < n; i++)
		bits |= (uint32_t)(sums[i] < 0 ? ~sums[i] : sums[i]);
	while (bits >> shift >= 1U << NUMBER_BITS)
		shift++;
	for (i = 0; i < n; i++) {
		int32_t number = sums[i] >> shift;

		if (number < 0)
			number /= 8;
		numbers[i] = (int16_t)(number ? number : 1);
	}
}

/* Reduces the image to sums. Each byte is in a sum, and the sums are in the result. */
static uint64_t input(const uint8_t *image, size_t size, int32_t *sums)
{
	const size_t n = NET_CHANNELS * NET_SIDE * NET_SIDE;
	uint64_t result = CHECKSUM_BEGIN;
	size_t i, at, end;

	for (i = 0, at = 0; i < n; i++) {
		uint32_t sum = 1;

		/* Depends on the place, so that exchanged bytes change the result. */
		for (end = (size_t)((uint64_t)size * (i + 1) / n); at < end; at++)
			sum = sum * 31 + image[at];
		result = checksum_add(result, sum);
		sums[i] = (int32_t)(sum & 0xffff) - 0x8000;
	}
	return result;
}

/* Computes a point of a picture. Sums wrap around if weights are too large. */
static int32_t point(const struct layer *layer, const int16_t *weights, const int16_t *numbers,
		     unsigned int x, unsigned int y)
{
	unsigned int side = layer->side_in, channel, i, j, row, column;
	uint32_t sum = 0;

	for (channel = 0; channel < layer->in; channel++, numbers += side * side) {
		for (j = 0; j < layer->kernel; j++) {
			row = y * layer->stride + j - layer->pad;
			for (i = 0; i < layer->kernel; i++, weights++) {
				column = x * layer->stride + i - layer->pad;
				/* Unsigned, so a place before the edge is a very large number. */
				if (row < side && column < side)
					sum += (uint32_t)(*weights * numbers[row * side + column]);
			}
		}
	}
	return (int32_t)sum;
}

/* The same for pictures of one point, where nearly all weights are. */
static int32_t deep_point(const struct layer *layer, const int16_t *weights,
			  const int16_t *numbers)
{
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; i < layer->in; i++)
		sum += (uint32_t)(weights[i] * numbers[i]);
	return (int32_t)sum;
}

static void convolve(const struct layer *layer, const int16_t *weights, const int16_t *numbers,
		     int32_t *sums)
{
	size_t each = weights_of(layer) / layer->out;
	unsigned int out, x, y;

	for (out = 0; out < layer->out; out++, weights += each) {
		if (layer->side_in == 1) {
			*sums++ = deep_point(layer, weights, numbers);
			continue;
		}
		for (y = 0; y < layer->side_out; y++)
			for (x = 0; x < layer->side_out; x++)
				*sums++ = point(layer, weights, numbers, x, y);
	}
}

/**
 * net_run() - run the network on an image
 * @net: the network
 * @weights: its weights
 * @image: the image, any bytes
 * @size: how many
 * @scratch: overwritten
 *
 * Return: a checksum of the results of all layers.
 */
uint64_t net_run(const struct net *net, const int16_t *weights, const uint8_t *image, size_t size,
		 struct net_scratch *scratch)
{
	uint64_t result = input(image, size, scratch->sums);
	unsigned int nr;
	size_t i, n;

	activate(scratch->sums, NET_CHANNELS * NET_SIDE * NET_SIDE, scratch->numbers[0]);
	for (nr = 0; nr < net->nlayers; nr++) {
		const struct layer *layer = &net->layers[nr];

		convolve(layer, weights, scratch->numbers[nr % 2], scratch->sums);
		weights += weights_of(layer);
		n = (size_t)layer->out * layer->side_out * layer->side_out;
		for (i = 0; i < n; i++)
			result = checksum_add(result, (uint32_t)scratch->sums[i]);
		activate(scratch->sums, n, scratch->numbers[(nr + 1) % 2]);
	}
	return result;
}
