// SPDX-License-Identifier: GPL-2.0
/*
 * "pattern": accesses memory as a configuration of masim says, phase after phase, and checks all
 * of it. A phase chooses one of its lines at random, does some accesses, and chooses again. It
 * ends after a time or, with --passes, after a fixed number of accesses, to measure their time.
 *
 * A page has contents that follow from its number and, at its end, a stamp: the number, and how
 * often the page was written since. An access checks the stamp and writes the next one; the end
 * checks all bytes.
 *
 * The configuration is text in masim's format (the memory access simulator of SeongJae Park), as
 * far as the experiments need it. Lines that begin with "#" are comments. Empty lines separate
 * paragraphs. The first paragraph has the regions of memory, one a line; each other one is a
 * phase:
 *
 *	NAME, LENGTH				in bytes
 *
 *	NAME
 *	TIME					in milliseconds
 *	REGION, RANDOM, STRIDE, PROBABILITY	and more of these
 *
 * If RANDOM is not 0, each access goes to any byte of the region, else STRIDE bytes after the one
 * before. PROBABILITY is how often this line is chosen, compared with the other lines of the
 * phase.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "contents.h"
#include "loads.h"
#include "options.h"
#include "sequence.h"
#include "sys.h"
#include "work.h"

/*
 * Accesses between two choices and between two readings of the clock. masim does 131072, but each
 * may wait for swap, so phases would last too long.
 */
#define PIECE 256U

#define TEXT_MOST 1048576U

#define REGIONS	64
#define PHASES	256
#define LINES	8		/* lines of a phase, at most */
#define NAME	64		/* bytes, with the terminating 0 */

/*
 * Limits: a length whose sum over 64 regions fits, a year, and a sum of probabilities.
 */
#define LENGTH		(UINT64_C(1) << 50)
#define TIME_MS		(UINT64_C(366) * 86400 * 1000)
#define PROBABILITY	UINT64_C(1000000000)

/* Stride that determines the accesses in a pass of random accesses without a stride. */
#define RANDOM_STRIDE 4096

#define HEADER	"round,phase,begin_s,seconds,accesses,passes,majflt,minflt\n"
#define LINE	"%llu,%s,%llu.%06llu,%llu.%06llu,%llu,%.3f,%llu,%llu\n"

struct stamp {
	unsigned long long number;
	unsigned long long writes;
};

struct region {
	char name[NAME];
	uint64_t length;		/* bytes */
	unsigned long long first;	/* number of its first page */
	size_t pages;
	uint8_t *map;
	unsigned long long *writes;	/* number of writes of each page, for its stamp */
};

struct line {
	struct region *region;
	bool random;
	uint64_t stride;
	uint64_t probability;
	size_t at;			/* next byte of sequential accesses */
};

struct phase {
	char name[NAME];
	uint64_t time_ms;
	uint64_t probability;		/* sum over its lines; 0: a pause */
	unsigned int n;
	struct line lines[LINES];
};

static uint64_t passes, rounds, repeat = 1, skip;
static bool corrupt;
static const char *out_name;

static const struct option_row rows[] = {
	{ "passes", OPTION_NUMBER, &passes, 1, OPTION_MANY,
	  "a phase ends after so many passes over its regions, not by time" },
	{ "work", OPTION_NUMBER, &rounds, 0, OPTION_MANY, "rounds of arithmetic after an access" },
	{ "repeat", OPTION_NUMBER, &repeat, 1, OPTION_MANY, "run all phases so often (1)" },
	{ "skip", OPTION_NUMBER, &skip, 0, PHASES - 1,
	  "run the first phases only once, and do not count them (0)" },
	{ "out", OPTION_TEXT, &out_name, 0, 0, "CSV: a line for each phase" },
	{ "corrupt-test", OPTION_FLAG, &corrupt, 0, 0, "for tests: make an error" },
	{ 0 },
};

static struct region regions[REGIONS];
static struct phase phases[PHASES];
static unsigned int nregions, nphases;
static size_t page, contents_size;	/* bytes of a page, with and without its stamp */
static struct sequence chance, places;
static uint64_t result;			/* so that the compiler keeps the computation */
static unsigned long long all_accesses, all_us;	/* of phases that count */
static FILE *out;

/* Kind of the next line. */
enum place { PLACE_REGION, PLACE_PHASE, PLACE_TIME, PLACE_LINE };

/* A name must fit and be a valid CSV field. */
static bool set_name(char *to, const char *name, size_t length)
{
	if (!length || length >= NAME || memchr(name, '"', length))
		return false;
	memcpy(to, name, length);
	to[length] = '\0';
	return true;
}

static struct region *find_region(const char *name, size_t length)
{
	struct region *region;

	for (region = regions; region < regions + nregions; region++)
		if (strlen(region->name) == length && !memcmp(region->name, name, length))
			return region;
	return NULL;
}

static const char *add_region(const char *text)
{
	struct region *region = &regions[nregions];
	size_t name = strcspn(text, ",");
	int end = -1;

	if (nregions == REGIONS)
		return "more than 64 regions";
	if (find_region(text, name))
		return "that region is there already";
	if (!set_name(region->name, text, name) ||
	    sscanf(text + name, ", %" SCNu64 " %n", &region->length, &end) != 1 || end < 0 ||
	    text[name + (size_t)end] || !region->length || region->length > LENGTH)
		return "give a region: NAME, LENGTH";
	nregions++;
	return NULL;
}

static const char *add_phase(const char *text)
{
	struct phase *phase = &phases[nphases];

	if (nphases == PHASES)
		return "more than 256 phases";
	if (strchr(text, ',') || !set_name(phase->name, text, strlen(text)))
		return "give the name of a phase: less than 64 characters, without comma";
	phase->n = 0;
	phase->probability = 0;
	nphases++;
	return NULL;
}

static const char *set_time(struct phase *phase, const char *text)
{
	int end = -1;

	if (sscanf(text, "%" SCNu64 " %n", &phase->time_ms, &end) != 1 || end < 0 || text[end] ||
	    phase->time_ms > TIME_MS)
		return "give the time of the phase in milliseconds";
	return NULL;
}

static const char *add_line(struct phase *phase, const char *text)
{
	struct line *line = &phase->lines[phase->n];
	size_t name = strcspn(text, ",");
	unsigned int random;
	int end = -1;

	if (phase->n == LINES)
		return "more than 8 lines in a phase";
	line->region = find_region(text, name);
	if (!line->region)
		return "no such region";
	if (sscanf(text + name, ", %u , %" SCNu64 " , %" SCNu64 " %n", &random, &line->stride,
		   &line->probability, &end) != 3 || end < 0 || text[name + (size_t)end] ||
	    line->stride > LENGTH || line->probability > PROBABILITY)
		return "give REGION, RANDOM, STRIDE, PROBABILITY, or an empty line before a phase";
	line->random = random;
	phase->probability += line->probability;
	phase->n++;
	return NULL;
}

static const char *parse_line(const char *text, enum place *place)
{
	struct phase *phase = nphases ? &phases[nphases - 1] : NULL;
	enum place was = *place;

	if (!*text) {
		if (was == PLACE_TIME || (was == PLACE_LINE && !phase->n))
			return "a phase ends without a time or an access";
		if (nregions)
			*place = PLACE_PHASE;
		return NULL;
	}
	*place = was == PLACE_PHASE ? PLACE_TIME : was == PLACE_TIME ? PLACE_LINE : was;
	switch (was) {
	case PLACE_REGION:
		return add_region(text);
	case PLACE_PHASE:
		return add_phase(text);
	case PLACE_TIME:
		return set_time(phase, text);
	default:
		return add_line(phase, text);
	}
}

/* Returns NULL, or an error message and the number of the wrong line. */
static const char *masim_parse(char *text, unsigned int *line)
{
	enum place place = PLACE_REGION;
	const char *wrong = NULL;
	char *end;

	for (*line = 1; text && !wrong; ++*line) {
		end = strchr(text, '\n');
		if (end)
			*end++ = '\0';
		if (*text != '#')
			wrong = parse_line(text, &place);
		text = end;
	}
	--*line;
	if (!wrong)
		wrong = parse_line("", &place);
	if (!wrong && !nphases)
		wrong = "no phase";
	return wrong;
}

/* Accesses of a pass: the number of strides, summed over regions that it can choose. */
static uint64_t masim_pass(const struct phase *phase)
{
	const struct line *line;
	uint64_t accesses = 0, stride, length;

	for (line = phase->lines; line < phase->lines + phase->n; line++) {
		length = line->region->length;
		stride = line->stride ? line->stride : line->random ? RANDOM_STRIDE : length;
		if (line->probability)
			accesses += (length + stride - 1) / stride;
	}
	return accesses;
}

static uint8_t *page_of(const struct region *region, size_t nr)
{
	return region->map + nr * page;
}

static struct stamp *stamp_of(const struct region *region, size_t nr)
{
	return (struct stamp *)(void *)(page_of(region, nr) + contents_size);
}

static void fill_region(struct region *region, uint64_t first)
{
	size_t nr;

	region->first = first;
	region->pages = (size_t)((region->length + page - 1) / page);
	errno = ENOMEM;
	region->map = region->length > PTRDIFF_MAX - page ? MAP_FAILED :
		      mmap(NULL, region->pages * page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (region->map != MAP_FAILED)
		region->writes = calloc(region->pages, sizeof(*region->writes));
	if (!region->writes)
		err(STATUS_FAILED, "region \"%s\": no memory", region->name);
	for (nr = 0; nr < region->pages && !work_stopped(); nr++) {
		contents_fill(page_of(region, nr), contents_size, first + nr, 0);
		stamp_of(region, nr)->number = first + nr;
	}
}

/* Pages are numbered through all regions. */
static void fill_regions(void)
{
	uint64_t first = 0;
	unsigned int i;

	for (i = 0; i < nregions; i++) {
		fill_region(&regions[i], first);
		first += regions[i].pages;
	}
	if (corrupt) {
		page_of(&regions[0], regions[0].pages / 2)[7] ^= 0x10;
		stamp_of(&regions[i - 1], regions[i - 1].pages / 2)->number ^= 0x10;
	}
}

static void check_stamp(const struct region *region, size_t nr)
{
	const struct stamp stamp = *stamp_of(region, nr);

	if (stamp.number != region->first + nr || stamp.writes != region->writes[nr])
		errx(STATUS_WRONG, "wrong data: region \"%s\", page %zu: its stamp is %llu.%llu instead of %llu.%llu",
		     region->name, nr, stamp.number, stamp.writes, region->first + nr,
		     region->writes[nr]);
}

/* Stops at a signal, because the program has to end soon. */
static void check_regions(void)
{
	const struct region *region;
	struct contents_wrong wrong;
	size_t nr;

	for (region = regions; region < regions + nregions; region++)
		for (nr = 0; nr < region->pages && !work_stopped(); nr++) {
			if (!contents_check(page_of(region, nr), contents_size, region->first + nr,
					    0, &wrong))
				errx(STATUS_WRONG, "wrong data: region \"%s\", page %zu, byte %zu: %#04x instead of %#04x",
				     region->name, nr, wrong.byte, wrong.got, wrong.want);
			check_stamp(region, nr);
		}
}

/* A random number below @limit; the first way is many times as fast on 32 bits. */
static size_t below(size_t limit)
{
	uint64_t number = sequence_next(&places);

	if (limit <= UINT32_MAX)
		return (size_t)((number >> 32) * limit >> 32);
	return (size_t)(number % limit);
}

static size_t next_byte(struct line *line)
{
	size_t byte = line->at, size = (size_t)line->region->length;

	if (line->random)
		return below(size);
	line->at = line->stride < size - byte ? byte + (size_t)line->stride : 0;
	return byte;
}

static uint64_t compute(uint64_t number)
{
	uint64_t left;

	for (left = rounds; left; left--) {
		number ^= number >> 29;
		number = number * UINT64_C(0xd6e8feb86659fd93) + 1;
	}
	return number;
}

/* Atomic loads and stores cost the same, and the compiler can't drop them. */
static void access_some(struct line *line, unsigned int n)
{
	struct region *region = line->region;

	while (n--) {
		size_t byte = next_byte(line), nr = byte / page;

		result += __atomic_load_n(region->map + byte, __ATOMIC_RELAXED);
		check_stamp(region, nr);
		stamp_of(region, nr)->writes = ++region->writes[nr];
		result = compute(result);
	}
}

static struct line *choose(struct phase *phase)
{
	uint64_t number = sequence_next(&chance) % phase->probability;
	struct line *line = phase->lines;

	for (; number >= line->probability; line++)
		number -= line->probability;
	return line;
}

/* Returns the number of accesses. A phase without accesses is a pause. */
static uint64_t run_lines(struct phase *phase, uint64_t pass, uint64_t end_us)
{
	uint64_t done = 0, limit = UINT64_MAX;
	unsigned int i, n;

	if (passes && pass <= UINT64_MAX / passes)
		limit = pass * passes;
	for (i = 0; i < phase->n; i++)
		phase->lines[i].at = 0;
	if (!phase->probability && !passes)
		work_sleep_until(end_us);
	while (phase->probability && done < limit && !work_stopped()) {
		n = limit - done < PIECE ? (unsigned int)(limit - done) : PIECE;
		access_some(choose(phase), n);
		done += n;
		if (!passes && sys_now_us() >= end_us)
			break;
	}
	return done;
}

/* Round 0 does not count. */
static void run_phase(struct phase *phase, uint64_t round)
{
	uint64_t pass = masim_pass(phase), begin_us = sys_now_us(), us, accesses;
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	accesses = run_lines(phase, pass, begin_us + phase->time_ms * 1000);
	getrusage(RUSAGE_SELF, &after);
	us = sys_now_us() - begin_us;
	if (round) {
		all_accesses += accesses;
		all_us += us;
	}
	if (!out)
		return;
	fprintf(out, LINE, (unsigned long long)round, phase->name,
		(unsigned long long)begin_us / 1000000, (unsigned long long)begin_us % 1000000,
		(unsigned long long)us / 1000000, (unsigned long long)us % 1000000,
		(unsigned long long)accesses, pass ? (double)accesses / (double)pass : 0,
		(unsigned long long)(after.ru_majflt - before.ru_majflt),
		(unsigned long long)(after.ru_minflt - before.ru_minflt));
	work_written(out, out_name);
}

static void run_phases(void)
{
	uint64_t round;
	unsigned int i;

	for (i = 0; i < skip && !work_stopped(); i++)
		run_phase(&phases[i], 0);
	for (round = 1; round <= repeat && !work_stopped(); round++)
		for (i = (unsigned int)skip; i < nphases && !work_stopped(); i++)
			run_phase(&phases[i], round);
}

static void read_masim(const char *name)
{
	static char text[TEXT_MOST];
	ssize_t size = sys_read(name, text, sizeof(text));
	const char *wrong;
	unsigned int line;

	if (size < 0)
		errx(STATUS_FAILED, "cannot read %s: %s", name, strerror((int)-size));
	wrong = masim_parse(text, &line);
	if (wrong)
		errx(STATUS_USAGE, "%s:%u: %s", name, line, wrong);
	if (skip >= nphases)
		errx(STATUS_USAGE, "--skip: %s has only %u phases", name, nphases);
}

/**
 * load_pattern() - access memory in a pattern
 * @argc: number of arguments
 * @argv: name of the load, its options, and a configuration of masim
 *
 * Return: exit status.
 */
int load_pattern(int argc, char **argv)
{
	int at = options_parse("usage: memload pattern [OPTION...] FILE\n"
			       "Accesses memory as FILE says, which is a configuration of \n\n",
			       rows, argc, argv);
	double seconds;

	if (at != argc - 1)
		errx(STATUS_USAGE, "pattern takes one file, a configuration of masim");
	read_masim(argv[at]);
	page = (size_t)sys_page_size();
	contents_size = page - sizeof(struct stamp);
	sequence_begin(&places, 1, 1, SEQUENCE_CHANCE);
	sequence_begin(&chance, 1, 2, SEQUENCE_CHANCE);
	out = work_open(out_name, HEADER);
	work_catch_signals();
	fill_regions();
	run_phases();
	check_regions();
	seconds = (double)all_us / 1e6;
	printf("%llu accesses, %.6f s, %.0f accesses/s\n", all_accesses, seconds,
	       all_us ? (double)all_accesses / seconds : 0);
	work_written(stdout, "standard output");
	return 0;
}
