// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "choose.h"
#include "human.h"
#include "report.h"
#include "table.h"

enum kind {
	KIND_NUMBER, KIND_SIZE, KIND_PAGES, KIND_TIME, KIND_SPEED,
	KIND_YESNO,			/* no if the value is "none" or 0, else yes */
	KIND_OTHER,
};

/* Selects the devices that have a line. */
enum when { ALWAYS, SWAPPED, INPLACE, BLOCKS, LOG, CACHE };

struct line {
	const char *label;		/* a heading if help is NULL */
	const char *help;
	enum kind kind;
	const char *key;
	/* For KIND_OTHER. */
	void (*fill)(const struct device *device, bool bytes, char *value);
	enum when when;
};

static void size_text(uint64_t value, bool bytes, char *text)
{
	if (bytes)
		human_number(value, text);
	else
		human_size(value, text);
}

static void fill_slots(const struct device *device, bool bytes, char *value)
{
	size_text(device->swap.used_kib << 10, bytes, value);
}

static void fill_ratio(const struct device *device, bool bytes, char *value)
{
	(void)bytes;
	human_ratio(figure_stored(device->text), figure(device->text, "media_used_bytes"), value);
}

static void fill_advice(const struct device *device, bool bytes, char *value)
{
	uint64_t used = figure(device->text, "media_used_bytes");

	(void)bytes;
	if (!used)
		snprintf(value, HUMAN_TEXT, "-");
	else
		human_number(choose_ratio(figure_stored(device->text), used), value);
}

static void fill_pieces(const struct device *device, bool bytes, char *value)
{
	uint64_t pages = figure(device->text, "pages_compressed") +
			 figure(device->text, "pages_raw");

	(void)bytes;
	human_percent(figure(device->text, "chain_1"), pages, value);
}

static void fill_wear(const struct device *device, bool bytes, char *value)
{
	(void)bytes;
	human_ratio(figure_wear(device->text), 100, value);
}

static void fill_evenness(const struct device *device, bool bytes, char *value)
{
	(void)bytes;
	human_ratio(figure(device->text, "wear_max_bytes"),
		    figure(device->text, "wear_mean_bytes"), value);
}

static void fill_factor(const struct device *device, bool bytes, char *value)
{
	uint64_t host = figure(device->text, "log_host_bytes");

	(void)bytes;
	human_ratio(host + figure(device->text, "log_moved_bytes") +
		    figure(device->text, "log_padding_bytes"), host, value);
}

#define HEADING(label, when)	{ label, NULL, KIND_NUMBER, NULL, NULL, when }
#define NUMBER(key, label, help) { label, help, KIND_NUMBER, key, NULL, ALWAYS }
#define SIZE(key, label, help)	{ label, help, KIND_SIZE, key, NULL, ALWAYS }
#define PAGES(key, label, help)	{ label, help, KIND_PAGES, key, NULL, ALWAYS }
#define TIME(key, label, help)	{ label, help, KIND_TIME, key, NULL, ALWAYS }
#define SPEED(key, label, help)	{ label, help, KIND_SPEED, key, NULL, ALWAYS }

static const struct line lines[] = {
	HEADING("pages", ALWAYS),
	PAGES("pages_total", "promised", "what the device may hold"),
	PAGES("pages_stored", "held", "compressed, incompressible and of one word"),
	{ "swap slots", "in use, by /proc/swaps; some may not be written yet",
	  KIND_OTHER, NULL, fill_slots, SWAPPED },
	PAGES("pages_compressed", "compressed", ""),
	PAGES("pages_raw", "incompressible", "stored as they are"),
	PAGES("pages_filled", "of one word", "zeros, most often; they take no media"),
	PAGES("pages_lost", "lost", "cannot be read until they are written again"),
	HEADING("media", ALWAYS),
	SIZE("media_bytes", "size", "for data"),
	SIZE("media_used_bytes", "in use", "now: data, headers and rounding"),
	SIZE("compressed_bytes", "  data", "what compression has left of the pages"),
	SIZE("header_bytes", "  headers", "with checksums or tags"),
	SIZE("padding_bytes", "  rounding", "up to units of space"),
	SIZE("media_free_bytes", "free", ""),
	SIZE("free_largest_bytes", "largest piece", "of what is free"),
	{ "held / in use", "pages of one word included", KIND_OTHER, NULL, fill_ratio, ALWAYS },
	{ "ratio= to choose", "so that device and media get full together, less a tenth",
	  KIND_OTHER, NULL, fill_advice, ALWAYS },
	{ "in one piece", "the part of the pages that is not split", KIND_OTHER, NULL,
	  fill_pieces, ALWAYS },
	{ "encrypted", "on the media, by keys in main memory", KIND_YESNO, "crypt", NULL,
	  ALWAYS },
	{ "wiped", "zeros go over what is freed", KIND_YESNO, "wipe", NULL, INPLACE },
	HEADING("speed", ALWAYS),
	NUMBER("page_writes", "page writes", ""),
	TIME("write_avg_ns", "  mean", "compression, encryption, writing"),
	TIME("write_p50_ns", "  half of them", "took at most that, to the next power of two"),
	TIME("write_p99_ns", "  99 %", ""),
	NUMBER("page_reads", "page reads", ""),
	TIME("read_avg_ns", "  mean", "reading, checking, decompression"),
	TIME("read_p50_ns", "  half of them", ""),
	TIME("read_p99_ns", "  99 %", ""),
	SPEED("compress_kib_per_s", "compressor", "by what goes in"),
	SPEED("decompress_kib_per_s", "decompressor", "by what comes out"),
	HEADING("wear", ALWAYS),
	SIZE("media_written_bytes", "written", "to the media since the attach"),
	{ "most worn part", "how often it was rewritten since the attach", KIND_OTHER, NULL,
	  fill_wear, INPLACE },
	{ "most / mean", "1 is even; RAM does not wear", KIND_OTHER, NULL, fill_evenness,
	  INPLACE },
	{ "mean erases", "of a block since the attach", KIND_OTHER, NULL, fill_wear, CACHE },
	{ "erases, least", "of a block, earlier attaches included", KIND_NUMBER, "erases_least",
	  NULL, LOG },
	{ "erases, mean", "", KIND_NUMBER, "erases_mean", NULL, LOG },
	{ "erases, most", "", KIND_NUMBER, "erases_most", NULL, LOG },
	{ "programmed", "for each byte that was written", KIND_OTHER, NULL, fill_factor, LOG },
	{ "bad blocks", "marked so, or given up since the attach", KIND_NUMBER, "blocks_bad",
	  NULL, BLOCKS },
	{ "spare blocks", "that are left", KIND_NUMBER, "blocks_spare", NULL, BLOCKS },
	HEADING("errors", ALWAYS),
	NUMBER("err_full", "refused", "writes for which the media had no room; nothing is lost"),
	NUMBER("err_checksum", "checksum or tag", "not what had been written: look at the media"),
	NUMBER("err_decompress", "decompressor", "a bug, or bad memory"),
	NUMBER("err_media_read", "media, reads", "failed"),
	NUMBER("err_media_write", "media, writes", "failed"),
	NUMBER("err_gone", "gone", "requests after the MTD below had gone"),
	HEADING("main memory", ALWAYS),
	SIZE("metadata_bytes", "tables", "constant"),
	SIZE("buffer_bytes", "buffers", "constant"),
};

static bool is_when(const struct device *device, enum when when)
{
	bool log = figure_is(device->text, "store", "log"), cache = figure(device->text, "cache");

	switch (when) {
	case SWAPPED:
		return device->swapped;
	case INPLACE:
		return !log && !cache;
	case BLOCKS:
		return log || cache;
	case LOG:
		return log;
	case CACHE:
		return cache;
	default:
		return true;
	}
}

/* value_text() - @text: the value as it is in the statistics; replaced by that for people */
static void value_text(const struct line *line, const struct device *device, bool bytes,
		       char *text)
{
	uint64_t value = figure(device->text, line->key);
	size_t len;

	if (line->kind == KIND_SIZE) {
		size_text(value, bytes, text);
	} else if (line->kind == KIND_PAGES) {
		size_text(value * figure(device->text, "page_bytes"), bytes, text);
	} else if (line->kind == KIND_YESNO) {
		strcpy(text, strcmp(text, "none") && strcmp(text, "0") ? "yes" : "no");
	} else if (line->kind == KIND_TIME && !bytes) {
		human_time(value, text);
	} else if (line->kind == KIND_SPEED && !bytes) {
		human_size(value << 10, text);
		len = strlen(text);
		snprintf(text + len, HUMAN_TEXT - len, "/s");
	} else {
		human_number(value, text);
	}
}

static void print_line(FILE *out, const struct line *line, const struct device *device,
		       bool bytes)
{
	char value[HUMAN_TEXT];

	if (!is_when(device, line->when))
		return;
	if (!line->help) {
		fprintf(out, "%s\n", line->label);
		return;
	}
	/* An older module lacks this line. */
	if (line->kind != KIND_OTHER &&
	    !figure_word(device->text, line->key, value, sizeof(value)))
		return;
	if (line->kind == KIND_OTHER)
		line->fill(device, bytes, value);
	else
		value_text(line, device, bytes, value);
	fprintf(out, "  %-18s %12s%s%s\n", line->label, value, *line->help ? "  " : "",
		line->help);
}

/**
 * report_state() - explain a state and what to do
 * @state: the state in the statistics
 *
 * Return: the text, or "" if the state needs no explanation.
 */
const char *report_state(const char *state)
{
	static const struct {
		const char *state;
		const char *text;
	} states[] = {
		{ "full", "the last page was refused: choose a smaller ratio, or more media" },
		{ "few", "more blocks are bad than were spare: choose a smaller size" },
		{ "worn", "nothing can be written any more: swap off, and replace the flash" },
		{ "failing", "no block takes data: the chip, its bus or its power" },
		{ "gone", "the MTD below has gone: swap off, detach, and attach again" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (!strcmp(states[i].state, state))
			return states[i].text;
	return "";
}

/**
 * report_print() - print the figures that a user needs, explained
 * @out: the output stream
 * @device: the device
 * @bytes: print bytes, nanoseconds and KiB per second, without units
 */
void report_print(FILE *out, const struct device *device, bool bytes)
{
	char file[DEVICE_FILE], lower[128], comp[16], store[16], state[16];
	unsigned int i;

	figure_word(device->text, "lower_name", lower, sizeof(lower));
	figure_word(device->text, "comp", comp, sizeof(comp));
	figure_word(device->text, "store", store, sizeof(store));
	figure_word(device->text, "state", state, sizeof(state));
	fprintf(out, "%s: MTD %llu \"%s\" on \"%s\", %s at level %llu, %s, state %s\n",
		device_file(device, file), (unsigned long long)device->mtd, device->name, lower,
		comp, (unsigned long long)figure(device->text, "level"), store, state);
	if (*report_state(state))
		fprintf(out, "%s: %s\n", state, report_state(state));
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		print_line(out, &lines[i], device, bytes);
}

struct json {
	FILE *out;
	const char *text;
	bool first;
};

static bool json_line(const char *key, const char *value, void *arg)
{
	struct json *json = arg;
	uint64_t number;

	fputs(json->first ? "\n         " : ",\n         ", json->out);
	json->first = false;
	table_json_text(json->out, key);
	fputs(": ", json->out);
	/* A name may look like a number: quote it always. */
	if ((parse_key(json->text, key, &number) && strspn(value, "0123456789") == strlen(value) &&
	     strcmp(key, "name") && strcmp(key, "lower_name")) || !strcmp(value, "-1"))
		fputs(value, json->out);
	else
		table_json_text(json->out, value);
	return true;
}

/**
 * report_json() - print all statistics as a JSON object with the keys of /proc
 * @out: the output stream
 * @device: the device
 * @first: this is the first object of the list
 */
void report_json(FILE *out, const struct device *device, bool first)
{
	struct json json = { out, device->text, true };

	fputs(first ? "\n      {" : ",\n      {", out);
	figure_each(device->text, json_line, &json);
	fputs("\n      }", out);
}
