// SPDX-License-Identifier: GPL-2.0
/*
 * "pattern": accesses memory as a configuration of masim says, phase after phase. A phase chooses
 * one of its patterns by chance, does some accesses, and chooses again. It ends by time or, with
 * --passes, when a fixed number of accesses is done: then the time is what is measured.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "access.h"
#include "loads.h"
#include "patcfg.h"
#include "patout.h"
#include "region.h"
#include "sys.h"
#include "work.h"

/*
 * Accesses between two choices, and between two looks at the clock. masim does 131072, and each of
 * them may wait for swap: phases would last longer than they should.
 */
#define PIECE 256U

#define TEXT_SIZE 1048576U

struct run {
	const struct loadopt *options;
	struct regions regions;
	struct accesses accesses;
	struct work work;
	struct patout out;
	struct sequence chance;
	uint64_t end_us;		/* of all; that of @work may be that of a phase */
	struct access patterns[PATCFG_PATTERNS];
};

static struct patcfg cfg;
static struct run run;

static int read_text(const char *name, char *text)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && size < TEXT_SIZE) {
		n = read(fd, text + size, TEXT_SIZE - size);
		size += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		warn("cannot read %s", name);
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return STATUS_FAILED;
	if (size == TEXT_SIZE || memchr(text, 0, size)) {
		warnx("%s is no text, or larger than 1 MiB: give a configuration of masim", name);
		return STATUS_USAGE;
	}
	text[size] = '\0';
	return 0;
}

/* The configuration, as the options want it. */
static int read_cfg(const struct loadopt *options)
{
	const struct patopt *pattern = &options->pattern;
	static char text[TEXT_SIZE];
	struct patcfg_error error;
	int status = read_text(options->files[0], text);

	if (status)
		return status;
	if (patcfg_parse(&cfg, text, &error)) {
		warnx("%s:%u: %s", options->files[0], error.line, error.text);
		return STATUS_USAGE;
	}
	if (pattern->skip >= cfg.nphases) {
		warnx("--skip %llu: %s has %u phases: give less", (unsigned long long)pattern->skip,
		      options->files[0], cfg.nphases);
		return STATUS_USAGE;
	}
	patcfg_scale(&cfg, (unsigned int)pattern->size_percent,
		     (unsigned int)pattern->time_percent, sys_page_size());
	return 0;
}

static void begin_patterns(const struct patcfg_phase *phase)
{
	bool read_only = run.options->touch == TOUCH_READ;
	unsigned int i;

	for (i = 0; i < phase->npatterns; i++) {
		const struct patcfg_pattern *pattern = &phase->patterns[i];

		run.patterns[i] = (struct access){
			.region = &run.regions.regions[pattern->region],
			.random = pattern->random,
			.mode = read_only ? PATCFG_READ : pattern->mode,
			.stride = pattern->stride,
		};
	}
}

static struct access *choose(const struct patcfg_phase *phase)
{
	uint64_t number = sequence_next(&run.chance) % phase->probability;
	unsigned int i;

	for (i = 0; number >= phase->patterns[i].probability; i++)
		number -= phase->patterns[i].probability;
	return &run.patterns[i];
}

/* Of progress and rate: an access stands for all bytes up to the next one, or for its page. */
static uint64_t bytes_of(const struct access *access)
{
	return access->stride && access->stride < run.regions.page ? access->stride :
	       run.regions.page;
}

/* How many accesses a phase has; UINT64_MAX, if it ends by time. */
static uint64_t limit_of(uint64_t pass)
{
	uint64_t passes = run.options->pattern.passes;

	return passes && pass <= UINT64_MAX / passes ? pass * passes : UINT64_MAX;
}

static int access_phase(const struct patcfg_phase *phase, struct patout_phase *told)
{
	uint64_t left = limit_of(told->pass);
	bool more = true;

	while (left && more) {
		struct access *access = choose(phase);
		unsigned int n = left < PIECE ? (unsigned int)left : PIECE;

		if (access_some(&run.accesses, access, n))
			return -EBADMSG;
		told->accesses += n;
		left -= n;
		more = work_step(&run.work, n * bytes_of(access));
	}
	return 0;
}

/* A phase that accesses nothing is a pause. */
static int pause_phase(void)
{
	if (!run.options->pattern.passes)
		work_hold(&run.work);
	return 0;
}

/* Returns 0, 1 when the end has come, or a negative errno. */
static int run_phase(const struct patcfg_phase *phase, uint64_t round)
{
	struct patout_phase told = { .name = phase->name, .round = round };
	struct rusage before, after;
	int ret;

	told.pass = patcfg_pass(&cfg, phase);
	begin_patterns(phase);
	told.begin_us = sys_now_us();
	if (patout_mark(&run.out, phase->name, told.begin_us))
		return -EIO;
	if (!run.options->pattern.passes && told.begin_us + phase->time_ms * 1000 < run.end_us)
		run.work.end_us = told.begin_us + phase->time_ms * 1000;
	getrusage(RUSAGE_SELF, &before);
	ret = phase->probability ? access_phase(phase, &told) : pause_phase();
	getrusage(RUSAGE_SELF, &after);
	told.end_us = sys_now_us();
	run.work.end_us = run.end_us;
	told.major_faults = (uint64_t)(after.ru_majflt - before.ru_majflt);
	told.minor_faults = (uint64_t)(after.ru_minflt - before.ru_minflt);
	if (patout_phase(&run.out, &told) && !ret)
		ret = -EIO;
	return ret ? ret : work_stopped() || told.end_us >= run.end_us;
}

/* Phases that are skipped are those of round 0. */
static int all_rounds(void)
{
	unsigned int skip = (unsigned int)run.options->pattern.skip, i;
	uint64_t round;
	int ret = 0;

	for (i = 0; i < skip && !ret; i++)
		ret = run_phase(&cfg.phases[i], 0);
	for (round = 1; round <= run.options->pattern.repeat && !ret; round++) {
		for (i = skip; i < cfg.nphases && !ret; i++)
			ret = run_phase(&cfg.phases[i], round);
		run.work.passes += ret ? 0 : 1;
	}
	return ret;
}

/* Returns 0, 1 when the end has come, or a negative errno. */
static int run_all(void)
{
	int ret = !work_sleep(&run.work, run.work.begin_us + run.options->delay_us);

	if (!ret)
		ret = regions_fill(&run.regions, &run.work);
	if (ret)
		return ret;
	if (run.options->corrupt)
		regions_corrupt(&run.regions);
	ret = all_rounds();
	if (ret >= 0 && run.options->verify)
		ret = regions_check(&run.regions);
	return ret;
}

/* Nothing has to be told, where nothing was begun. */
static int begin(void)
{
	const struct loadopt *options = run.options;

	if (regions_begin(&run.regions, &cfg, options) ||
	    patout_begin(&run.out, &options->pattern) || work_begin(&run.work, options))
		return -EIO;
	run.end_us = run.work.end_us;
	run.accesses.regions = &run.regions;
	run.accesses.rounds = options->pattern.rounds;
	sequence_begin(&run.accesses.sequence, options->seed, 1, UINT64_MAX);
	sequence_begin(&run.chance, options->seed, 2, UINT64_MAX);
	return 0;
}

/**
 * load_pattern() - access memory in a pattern
 * @options: how
 *
 * Return: the status of the program.
 */
int load_pattern(const struct loadopt *options)
{
	int ret, status = read_cfg(options);

	if (status)
		return status;
	run.options = options;
	ret = begin();
	if (!ret) {
		ret = run_all();
		if (patout_end(&run.out) && ret >= 0)
			ret = -EIO;
		if (work_close(&run.work) && ret >= 0)
			ret = -EIO;
	}
	regions_end(&run.regions);
	if (ret == -EBADMSG)
		return STATUS_WRONG;
	return ret < 0 ? STATUS_FAILED : 0;
}
