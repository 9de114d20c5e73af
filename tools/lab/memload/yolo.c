// SPDX-License-Identifier: GPL-2.0
/*
 * infer-yolo: infer with a network of darknet, as YOLOv3. The library ends the program itself, with
 * a message, if it cannot read something.
 */
#include <darknet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cfg.h"
#include "checksum.h"
#include "images.h"
#include "run.h"
#include "sequence.h"

#define CFG_SIZE 65536

static network *net;

static int fail(const char *what, const char *path)
{
	int error = errno ? errno : EIO;

	warn("cannot %s %s", what, path);
	return -error;
}

static int read_text(const char *path, char *buf, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t n;

	if (!file)
		return fail("open", path);
	n = fread(buf, 1, size - 1, file);
	buf[n] = '\0';
	if (ferror(file) || !feof(file)) {
		errno = ferror(file) ? EIO : EFBIG;
		fail("read", path);
		fclose(file);
		return -EIO;
	}
	fclose(file);
	return 0;
}

/* A file of the network with another input, for the time that the library reads it. */
static int make_cfg(const char *path, unsigned int side, char *copy)
{
	static char text[CFG_SIZE], changed[CFG_SIZE];
	size_t len;
	int fd, err = read_text(path, text, sizeof(text));

	if (err)
		return err;
	err = cfg_set_side(text, side, changed, sizeof(changed));
	if (err) {
		warnx("%s: no width and height that --side could set", path);
		return err;
	}
	fd = mkstemp(copy);
	if (fd < 0)
		return fail("make", copy);
	len = strlen(changed);
	errno = ENOSPC;
	if (write(fd, changed, len) != (ssize_t)len)
		err = fail("write", copy);
	close(fd);
	if (err)
		unlink(copy);
	return err;
}

/* The library takes names that it does not change as if it would. */
static int load_net(const struct inferopt *options, const char *weights)
{
	char copy[] = "/tmp/infer-yolo.XXXXXX";
	int err;

	if (access(options->cfg, R_OK))
		return fail("open", options->cfg);
	if (weights && access(weights, R_OK))
		return fail("open", weights);
	if (!options->side) {
		net = load_network((char *)options->cfg, (char *)weights, 0);
		return 0;
	}
	err = make_cfg(options->cfg, options->side, copy);
	if (err)
		return err;
	net = load_network(copy, (char *)weights, 0);
	unlink(copy);
	return 0;
}

static int load(const struct inferopt *options)
{
	int err = load_net(options, options->weights);

	if (!err)
		set_batch_network(net, 1);
	return err;
}

/* What the last layer gives, and all others that find objects. */
static int classify(const char *path, uint64_t *class)
{
	image picture = load_image_color((char *)path, 0, 0);
	image input = letterbox_image(picture, net->w, net->h);
	int i;

	network_predict(net, input.data);
	*class = CHECKSUM_BEGIN;
	for (i = 0; i < net->n; i++)
		if (i == net->n - 1 || net->layers[i].type == YOLO)
			*class = checksum_bytes(*class, net->layers[i].output,
						(size_t)net->layers[i].outputs * sizeof(float));
	free_image(picture);
	free_image(input);
	return 0;
}

static void corrupt(void)
{
	int i;

	for (i = 0; i < net->n; i++)
		if (net->layers[i].type == CONVOLUTIONAL)
			net->layers[i].weights[0] += 1;
}

/* Numbers around @middle, which @spread says how far they are from. */
static void fill(struct sequence *sequence, float *numbers, int n, float middle, float spread)
{
	int i;

	for (i = 0; numbers && i < n; i++) {
		float number = (float)(sequence_next(sequence) >> 40) / (float)(1 << 24);

		numbers[i] = middle + spread * (2 * number - 1);
	}
}

static void fill_layer(struct sequence *sequence, const layer *layer)
{
	if (layer->type != CONVOLUTIONAL)
		return;
	fill(sequence, layer->biases, layer->n, 0, 0.1f);
	if (layer->batch_normalize) {
		fill(sequence, layer->scales, layer->n, 1, 0.1f);
		fill(sequence, layer->rolling_mean, layer->n, 0, 0.1f);
		fill(sequence, layer->rolling_variance, layer->n, 1, 0.1f);
	}
	fill(sequence, layer->weights, layer->nweights, 0, 0.05f);
}

static int make_weights(const struct inferopt *options)
{
	struct sequence sequence;
	int i, err = load_net(options, NULL);

	if (err)
		return err;
	if (access(options->make_weights, F_OK) == 0 && access(options->make_weights, W_OK))
		return fail("write", options->make_weights);
	sequence_begin(&sequence, options->seed, 0, 0);
	for (i = 0; i < net->n; i++)
		fill_layer(&sequence, &net->layers[i]);
	*net->seen = 0;
	save_weights(net, (char *)options->make_weights);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct model model = { load, classify, corrupt };
	struct inferopt options;
	int status = inferopt_parse(&options, true, argc, argv);

	if (status)
		return status;
	if (options.make_weights && make_weights(&options))
		return STATUS_FAILED;
	if (options.make_images && images_make(options.make_images,
					       options.count ? options.count : 20, options.seed))
		return STATUS_FAILED;
	if (options.make_weights || options.make_images)
		return 0;
	return run_model(&model, &options);
}
