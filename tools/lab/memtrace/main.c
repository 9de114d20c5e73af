// SPDX-License-Identifier: GPL-2.0
/*
 * memtrace: figures of memory as lines in time.
 *
 * It samples what the kernel tells at equal distances in time and writes a line for each sample.
 * What is sampled is the matter of a source (source.h); this file knows the loop only.
 */
#include <string.h>
#include <sys/mman.h>
#include "source.h"
#include "sys.h"
#include "ticks.h"

/**
 * source_find() - a command by its name
 * @name: the name
 *
 * Return: the command, or NULL.
 */
const struct source *source_find(const char *name)
{
	static const struct source *const sources[] = {
		&source_proc, &source_sys, &source_psi, &source_pagetype, &source_cache,
		&source_bio,
	};
	size_t i;

	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (strcmp(sources[i]->name, name) == 0)
			return sources[i];
	return NULL;
}

/* Is it over, by time? The tick is that of the next sample. */
static bool over(const struct options *options, uint64_t tick)
{
	uint64_t last = options->duration_us / options->interval_us;

	if (!options->duration_us)
		return false;
	if (last == 0)
		last = 1;
	return options->source->deltas ? tick > last : tick >= last;
}

static int sample_all(const struct options *options, struct out *out, struct target *target)
{
	const struct source *source = options->source;
	struct ticks ticks;
	int ret;

	ticks_begin(&ticks, options->interval_us);
	if (source->deltas && !ticks_wait(&ticks))
		return 0;
	while (!over(options, ticks.nr) && !ticks_stopped()) {
		if (source->of_process && !target_alive(target))
			return 0;
		out_sample(out, sys_now_us());
		ret = source->sample(out, target);
		if (ret)
			return ret == SOURCE_ENDED ? 0 : ret;
		ret = out_flush(out);
		if (ret)
			return ret;
		if (options->count && out->sample >= options->count)
			return 0;
		if (!ticks_wait(&ticks))
			return 0;
	}
	return 0;
}

/* What the source has begun is undone, whatever happens here. */
static int run(const struct options *options)
{
	const struct source *source = options->source;
	struct target target = { 0 };
	struct out out;
	int ret;

	if (source->of_process && target_find(&target, options->pid, options->comm))
		return STATUS_FAILED;
	ret = source->open ? source->open(options) : 0;
	if (!ret) {
		ret = out_open(&out, options->output, options->json, source->columns,
			       source->ncolumns);
		if (!ret)
			ret = sample_all(options, &out, &target);
		if (out.file && out_close(&out))
			ret = -1;
	}
	if (source->close)
		source->close();
	return ret ? STATUS_FAILED : 0;
}

int main(int argc, char **argv)
{
	struct options options;
	int status = options_parse(&options, argc, argv);

	if (status)
		return status;
	ticks_catch_signals();
	/* What watches a shortage of memory should not wait for its own. It may be refused. */
	mlockall(MCL_CURRENT);
	return run(&options);
}
