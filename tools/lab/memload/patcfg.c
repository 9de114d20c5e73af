// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "patcfg.h"

/* Limits of numbers: a year, and what 64 probabilities may be to fit into 64 bits together. */
#define TIME_MS		(UINT64_C(366) * 86400 * 1000)
#define PROBABILITY	UINT64_C(1000000000)

/* Random accesses whose stride is 0: as many to a pass as if it were this. */
#define RANDOM_STRIDE	4096

/* A message shows so much of a text. */
#define SHOWN 60

#define PATTERN_FORM \
	"give REGION, RANDOMNESS, STRIDE, PROBABILITY and perhaps MODE, or an empty line first"

/* What the next line has to be. */
enum place {
	PLACE_REGION,
	PLACE_PHASE,
	PLACE_TIME,
	PLACE_PATTERN,
};

struct parser {
	struct patcfg *cfg;
	struct patcfg_error *error;
	unsigned int line;
	enum place place;
};

/* Some characters of the text. */
struct part {
	const char *at;
	size_t len;
};

__attribute__((format(printf, 2, 3)))
static int fail(struct parser *parser, const char *format, ...)
{
	va_list args;

	parser->error->line = parser->line;
	va_start(args, format);
	vsnprintf(parser->error->text, sizeof(parser->error->text), format, args);
	va_end(args);
	return -EINVAL;
}

static int shown(const struct part *part)
{
	return part->len < SHOWN ? (int)part->len : SHOWN;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct part trim(const char *at, size_t len)
{
	while (len && is_space(at[0])) {
		at++;
		len--;
	}
	while (len && is_space(at[len - 1]))
		len--;
	return (struct part){ at, len };
}

/* The parts between commas; returns how many there are, which may be more than @max. */
static unsigned int split(const struct part *line, struct part *fields, unsigned int max)
{
	const char *at = line->at, *end = at + line->len;
	unsigned int n = 0;

	for (;;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma ? comma : end;

		if (n < max)
			fields[n] = trim(at, (size_t)(stop - at));
		n++;
		if (!comma)
			return n;
		at = comma + 1;
	}
}

/* masim takes the number and leaves the rest alone: a comment there is right in both programs. */
static bool whole(const struct part *part, uint64_t *value, uint64_t max)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < part->len && part->at[i] >= '0' && part->at[i] <= '9'; i++) {
		n = n * 10 + (unsigned int)(part->at[i] - '0');
		if (n > max)
			return false;
	}
	if (i == 0)
		return false;
	*value = n;
	if (i < part->len && !is_space(part->at[i]))
		return false;
	while (i < part->len && is_space(part->at[i]))
		i++;
	return i == part->len || part->at[i] == '#';
}

static struct part first_word(const struct part *part)
{
	size_t len = 0;

	while (len < part->len && !is_space(part->at[len]))
		len++;
	return (struct part){ part->at, len };
}

static bool is(const struct part *part, const char *text)
{
	return part->len == strlen(text) && memcmp(part->at, text, part->len) == 0;
}

static bool copy(char *to, size_t size, const struct part *part)
{
	if (part->len >= size)
		return false;
	memcpy(to, part->at, part->len);
	to[part->len] = '\0';
	return true;
}

static bool find_region(const struct patcfg *cfg, const struct part *name, unsigned int *nr)
{
	for (*nr = 0; *nr < cfg->nregions; ++*nr)
		if (is(name, cfg->regions[*nr].name))
			return true;
	return false;
}

static int region_file(struct parser *parser, struct patcfg_region *region,
		       const struct part *field)
{
	struct part file = first_word(field);

	region->file[0] = '\0';
	if (is(&file, "none"))
		return 0;
	if (!file.len)
		return fail(parser, "region \"%s\": no file: give one, or none", region->name);
	if (!copy(region->file, sizeof(region->file), &file))
		return fail(parser, "region \"%s\": the file's name has more than %d characters",
			    region->name, PATCFG_FILE - 1);
	return 0;
}

static int region_line(struct parser *parser, const struct part *line)
{
	struct patcfg *cfg = parser->cfg;
	struct patcfg_region *region = &cfg->regions[cfg->nregions];
	unsigned int n, other;
	struct part fields[3];
	int err = 0;

	n = split(line, fields, 3);
	if (n != 2 && n != 3)
		return fail(parser, "region \"%.*s\": give NAME, LENGTH or NAME, LENGTH, FILE",
			    shown(line), line->at);
	if (cfg->nregions == PATCFG_REGIONS)
		return fail(parser, "more than %d regions: leave some out", PATCFG_REGIONS);
	if (!fields[0].len || fields[0].len >= PATCFG_NAME)
		return fail(parser, "a region's name: give 1 to %d characters", PATCFG_NAME - 1);
	if (find_region(cfg, &fields[0], &other))
		return fail(parser, "region \"%s\" is there already: give another name",
			    cfg->regions[other].name);
	copy(region->name, sizeof(region->name), &fields[0]);
	if (!whole(&fields[1], &region->length, PATCFG_LENGTH) || !region->length)
		return fail(parser, "region \"%s\": length \"%.*s\": give digits only, 1 to %llu",
			    region->name, shown(&fields[1]), fields[1].at,
			    (unsigned long long)PATCFG_LENGTH);
	region->file[0] = '\0';
	if (n == 3)
		err = region_file(parser, region, &fields[2]);
	cfg->nregions++;
	return err;
}

static int phase_line(struct parser *parser, const struct part *line)
{
	struct patcfg *cfg = parser->cfg;
	struct patcfg_phase *phase = &cfg->phases[cfg->nphases];

	if (cfg->nphases == PATCFG_PHASES)
		return fail(parser, "more than %d phases: leave some out", PATCFG_PHASES);
	if (!copy(phase->name, sizeof(phase->name), line))
		return fail(parser, "phase \"%.*s...\": give a name of 1 to %d characters", SHOWN,
			    line->at, PATCFG_NAME - 1);
	phase->npatterns = 0;
	phase->probability = 0;
	cfg->nphases++;
	parser->place = PLACE_TIME;
	return 0;
}

static struct patcfg_phase *this_phase(const struct parser *parser)
{
	return &parser->cfg->phases[parser->cfg->nphases - 1];
}

static int time_line(struct parser *parser, const struct part *line)
{
	struct patcfg_phase *phase = this_phase(parser);

	if (!whole(line, &phase->time_ms, TIME_MS))
		return fail(parser, "phase \"%s\": time \"%.*s\": give milliseconds, digits only",
			    phase->name, shown(line), line->at);
	parser->place = PLACE_PATTERN;
	return 0;
}

static int pattern_mode(struct parser *parser, const char *phase, const struct part *field,
			enum patcfg_mode *mode)
{
	struct part word = first_word(field);

	if (is(&word, "wo"))
		*mode = PATCFG_WRITE;
	else if (is(&word, "ro"))
		*mode = PATCFG_READ;
	else if (is(&word, "rw"))
		*mode = PATCFG_BOTH;
	else
		return fail(parser, "phase \"%s\": mode \"%.*s\": give ro, wo or rw", phase,
			    shown(&word), word.at);
	return 0;
}

static int pattern_numbers(struct parser *parser, const char *phase, const struct part *fields,
			   struct patcfg_pattern *pattern)
{
	static const char *const names[] = { "randomness", "stride", "probability" };
	static const uint64_t limits[] = { PROBABILITY, PATCFG_LENGTH, PROBABILITY };
	uint64_t numbers[3];
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (!whole(&fields[i], &numbers[i], limits[i]))
			return fail(parser, "phase \"%s\": %s \"%.*s\": give digits, 0 to %llu",
				    phase, names[i], shown(&fields[i]), fields[i].at,
				    (unsigned long long)limits[i]);
	pattern->random = numbers[0];
	pattern->stride = numbers[1];
	pattern->probability = numbers[2];
	return 0;
}

static int pattern_line(struct parser *parser, const struct part *line)
{
	struct patcfg_phase *phase = this_phase(parser);
	struct patcfg_pattern *pattern = &phase->patterns[phase->npatterns];
	struct part fields[5];
	unsigned int n;
	int err;

	n = split(line, fields, 5);
	if (n != 4 && n != 5)
		return fail(parser, "phase \"%s\": %s", phase->name, PATTERN_FORM);
	if (phase->npatterns == PATCFG_PATTERNS)
		return fail(parser, "phase \"%s\": more than %d patterns: leave some out",
			    phase->name, PATCFG_PATTERNS);
	if (!find_region(parser->cfg, &fields[0], &pattern->region))
		return fail(parser, "phase \"%s\": no region \"%.*s\": give one of those above",
			    phase->name, shown(&fields[0]), fields[0].at);
	err = pattern_numbers(parser, phase->name, &fields[1], pattern);
	pattern->mode = PATCFG_WRITE;
	if (!err && n == 5)
		err = pattern_mode(parser, phase->name, &fields[4], &pattern->mode);
	phase->probability += err ? 0 : pattern->probability;
	phase->npatterns++;
	return err;
}

/* An empty line, or the end of the text. Several are as one. */
static int paragraph_end(struct parser *parser)
{
	switch (parser->place) {
	case PLACE_REGION:
		if (parser->cfg->nregions)
			parser->place = PLACE_PHASE;
		return 0;
	case PLACE_PHASE:
		return 0;
	case PLACE_TIME:
		return fail(parser, "phase \"%s\" ends without a time: give milliseconds",
			    this_phase(parser)->name);
	case PLACE_PATTERN:
		if (!this_phase(parser)->npatterns)
			return fail(parser, "phase \"%s\" ends without a pattern: give one",
				    this_phase(parser)->name);
		parser->place = PLACE_PHASE;
	}
	return 0;
}

static int any_line(struct parser *parser, const struct part *line)
{
	if (!line->len)
		return paragraph_end(parser);
	switch (parser->place) {
	case PLACE_REGION:
		return region_line(parser, line);
	case PLACE_PHASE:
		return phase_line(parser, line);
	case PLACE_TIME:
		return time_line(parser, line);
	case PLACE_PATTERN:
		break;
	}
	return pattern_line(parser, line);
}

/**
 * patcfg_parse() - read a pattern
 * @cfg: what it says
 * @text: the text
 * @error: what is wrong with it
 *
 * Return: 0, or -EINVAL and @error.
 */
int patcfg_parse(struct patcfg *cfg, const char *text, struct patcfg_error *error)
{
	struct parser parser = { .cfg = cfg, .error = error };
	int err = 0;

	cfg->nregions = 0;
	cfg->nphases = 0;
	while (*text && !err) {
		size_t len = strcspn(text, "\n");
		struct part line = trim(text, len);

		parser.line++;
		if (*text != '#')
			err = any_line(&parser, &line);
		text += len + (text[len] == '\n');
	}
	if (!err)
		err = paragraph_end(&parser);
	if (!err && !cfg->nregions)
		err = fail(&parser, "no region: give NAME, LENGTH in the first paragraph");
	if (!err && !cfg->nphases)
		err = fail(&parser, "no phase: give name, time and patterns after an empty line");
	return err;
}

static uint64_t divide_up(uint64_t value, uint64_t by)
{
	return (value + by - 1) / by;
}

/**
 * patcfg_scale() - make regions and times larger or smaller
 * @cfg: the pattern
 * @size_percent: of its length that a region has then: 1 to PATCFG_PERCENT; with 100 it stays as it
 *	is, else it is a whole number of pages
 * @time_percent: of its time that a phase lasts then
 * @page: size of a page
 */
void patcfg_scale(struct patcfg *cfg, unsigned int size_percent, unsigned int time_percent,
		  uint64_t page)
{
	unsigned int i;

	for (i = 0; i < cfg->nregions && size_percent != 100; i++) {
		uint64_t *length = &cfg->regions[i].length;

		*length = divide_up(divide_up(*length * size_percent, 100), page) * page;
	}
	for (i = 0; i < cfg->nphases; i++)
		cfg->phases[i].time_ms = cfg->phases[i].time_ms * time_percent / 100;
}

static uint64_t pass_of(const struct patcfg_pattern *pattern, uint64_t length)
{
	if (pattern->stride)
		return divide_up(length, pattern->stride);
	return pattern->random ? divide_up(length, RANDOM_STRIDE) : 1;
}

/**
 * patcfg_pass() - a pass of a phase over its regions
 * @cfg: the pattern
 * @phase: the phase
 *
 * Return: how many accesses it takes: to each region that the phase can choose, as many as its
 * length has strides.
 */
uint64_t patcfg_pass(const struct patcfg *cfg, const struct patcfg_phase *phase)
{
	uint64_t accesses = 0;
	unsigned int i;

	for (i = 0; i < phase->npatterns; i++) {
		const struct patcfg_pattern *pattern = &phase->patterns[i];

		if (pattern->probability)
			accesses += pass_of(pattern, cfg->regions[pattern->region].length);
	}
	return accesses;
}
