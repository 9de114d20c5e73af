// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "images.h"
#include "record.h"
#include "run.h"
#include "sys.h"

/* A signal just before a sleep is seen after it: let it be a short one. */
#define NAP_US 500000

struct run {
	const struct model *model;
	const struct inferopt *options;
	struct images images;
	uint64_t *classes;		/* what each image gave at first */
	uint64_t *latencies;
	size_t done;
	size_t room;			/* of @latencies */
	uint64_t begin_us;
	FILE *out;			/* or NULL */
};

static atomic_int stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static void sleep_until(uint64_t due_us)
{
	uint64_t now = sys_now_us();

	while (!stopped && now < due_us) {
		uint64_t until = due_us - now > NAP_US ? now + NAP_US : due_us;
		struct timespec at;

		at.tv_sec = (time_t)(until / 1000000);
		at.tv_nsec = (long)(until % 1000000) * 1000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		now = sys_now_us();
	}
}

static uint64_t rss_kib(void)
{
	unsigned long long pages;
	char text[128];

	if (sys_read("/proc/self/statm", text, sizeof(text)) < 0 ||
	    sscanf(text, "%*u %llu", &pages) != 1)
		return 0;
	return pages * (sys_page_size() / 1024);
}

/* One image, with all that is measured. */
static int measure(struct run *run, const char *path, struct record *record)
{
	struct rusage before, after;
	int err;

	getrusage(RUSAGE_SELF, &before);
	record->begin_us = sys_now_us();
	if (!record->due_us)
		record->due_us = record->begin_us;
	err = run->model->classify(path, &record->class);
	record->end_us = sys_now_us();
	getrusage(RUSAGE_SELF, &after);
	record->major_faults = (uint64_t)(after.ru_majflt - before.ru_majflt);
	record->minor_faults = (uint64_t)(after.ru_minflt - before.ru_minflt);
	record->rss_kib = rss_kib();
	return err;
}

static int write_record(struct run *run, const struct record *record)
{
	char line[1024];

	if (!run->out)
		return 0;
	if (record_line(record, line, sizeof(line)) || fputs(line, run->out) < 0 ||
	    fflush(run->out)) {
		warn("cannot write to %s", run->options->out);
		return -ENOSPC;
	}
	return 0;
}

static int keep_latency(struct run *run, uint64_t latency)
{
	if (run->done == run->room) {
		size_t room = run->room + 4096;
		uint64_t *latencies = realloc(run->latencies, room * sizeof(*latencies));

		if (!latencies) {
			warnx("no memory for more latencies");
			return -ENOMEM;
		}
		run->latencies = latencies;
		run->room = room;
	}
	run->latencies[run->done++] = latency;
	return 0;
}

static int check_class(struct run *run, size_t image, const struct record *record)
{
	if (run->done < run->images.n)
		run->classes[image] = record->class;
	if (run->classes[image] == record->class)
		return 0;
	warnx("wrong result: %s gives %016llx and gave %016llx before", record->image,
	      (unsigned long long)record->class, (unsigned long long)run->classes[image]);
	return -EBADMSG;
}

static int next_image(struct run *run)
{
	uint64_t period = run->options->period_us;
	size_t image = run->done % run->images.n;
	struct record record = { .image = run->images.names[image] };
	char path[4096];
	int err, n;

	n = snprintf(path, sizeof(path), "%s/%s", run->images.directory, record.image);
	if (n < 0 || (size_t)n >= sizeof(path)) {
		warnx("the path of %s is too long", record.image);
		return -ENAMETOOLONG;
	}
	if (period) {
		record.due_us = run->begin_us + run->done * period;
		sleep_until(record.due_us);
		if (stopped)
			return 0;
	}
	err = measure(run, path, &record);
	if (!err)
		err = check_class(run, image, &record);
	if (!err || err == -EBADMSG)
		err = write_record(run, &record) ? -ENOSPC : err;
	return err ? err : keep_latency(run, record.end_us - record.begin_us);
}

static bool over(const struct run *run)
{
	const struct inferopt *options = run->options;

	if (options->duration_us && sys_now_us() - run->begin_us >= options->duration_us)
		return true;
	if (options->count)
		return run->done >= options->count;
	return !options->duration_us && run->done >= run->images.n;
}

static int all_images(struct run *run)
{
	int err = 0;

	run->begin_us = sys_now_us();
	while (!err && !stopped && !over(run)) {
		err = next_image(run);
		if (run->options->corrupt && run->done == run->images.n)
			run->model->corrupt();
	}
	return err;
}

static int begin(struct run *run)
{
	const char *out = run->options->out;

	if (images_list(&run->images, run->options->images))
		return -ENOENT;
	run->classes = calloc(run->images.n, sizeof(*run->classes));
	if (!run->classes) {
		warnx("no memory for that many images");
		return -ENOMEM;
	}
	if (run->model->load(run->options))
		return -EINVAL;
	if (!out)
		return 0;
	run->out = strcmp(out, "-") ? fopen(out, "we") : stdout;
	if (!run->out || fputs(RECORD_HEADER, run->out) < 0 || fflush(run->out)) {
		warn("cannot write to %s", out);
		return -ENOSPC;
	}
	return 0;
}

static void summary(struct run *run)
{
	static const unsigned int percents[] = { 50, 95, 98, 99 };
	FILE *to = run->out == stdout ? stderr : stdout;
	unsigned long long latency;
	size_t i;

	fprintf(to, "images %zu", run->done);
	record_sort(run->latencies, run->done);
	for (i = 0; run->done && i <= 4; i++) {
		latency = record_percentile(run->latencies, run->done, i < 4 ? percents[i] : 100);
		if (i < 4)
			fprintf(to, " p%u", percents[i]);
		else
			fprintf(to, " max");
		fprintf(to, " %llu.%03llu", latency / 1000, latency % 1000);
	}
	fprintf(to, " ms\n");
}

/**
 * run_model() - give a network all images
 * @model: the network
 * @options: how
 *
 * Return: the status of the program.
 */
int run_model(const struct model *model, const struct inferopt *options)
{
	struct run all = { .model = model, .options = options };
	int err;

	catch_signals();
	err = begin(&all);
	if (!err) {
		err = all_images(&all);
		summary(&all);
	}
	if (all.out && all.out != stdout && fclose(all.out) && !err) {
		warn("cannot write to %s", options->out);
		err = -ENOSPC;
	}
	if (fflush(stdout) && !err) {
		warn("cannot write to standard output");
		err = -ENOSPC;
	}
	free(all.latencies);
	free(all.classes);
	images_free(&all.images);
	if (err == -EBADMSG)
		return STATUS_WRONG;
	return err ? STATUS_FAILED : 0;
}
