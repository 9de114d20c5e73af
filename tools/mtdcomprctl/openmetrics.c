// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "openmetrics.h"

/* Convert nanoseconds of the statistics to seconds, KiB to bytes. */
enum scale { PLAIN, NANO, KIBI };

/* A line of the statistics; the label's value if its family has a label. */
struct sample {
	const char *key;
	const char *value;
};

#define SAMPLES 6

struct family {
	const char *name;		/* without the prefix "mtdcompr_" */
	const char *unit;		/* suffix of the name, or NULL */
	const char *help;
	bool counter;
	unsigned char scale;		/* an enum scale; a byte, for small static builds */
	const char *label;		/* NULL: a single sample without a label of its own */
	struct sample samples[SAMPLES];
};

static const struct family families[] = {
	{ "size_bytes", "bytes", "Exported size of the device.", false, PLAIN, NULL,
	  { { "size_bytes", NULL } } },
	{ "media_size_bytes", "bytes", "Space for data on the media.", false, PLAIN, NULL,
	  { { "media_bytes", NULL } } },
	{ "pages", NULL, "Pages held, by how they are stored.", false, PLAIN, "kind",
	  { { "pages_compressed", "compressed" }, { "pages_raw", "incompressible" },
	    { "pages_filled", "filled" }, { "pages_lost", "lost" } } },
	{ "page_size_bytes", "bytes", "Size of a page.", false, PLAIN, NULL,
	  { { "page_bytes", NULL } } },
	{ "media_used_bytes", "bytes", "Space in use on the media, by what it is for.", false,
	  PLAIN, "use",
	  { { "compressed_bytes", "data" }, { "header_bytes", "headers" },
	    { "padding_bytes", "rounding" } } },
	{ "media_free_bytes", "bytes", "Free space on the media.", false, PLAIN, NULL,
	  { { "media_free_bytes", NULL } } },
	{ "media_free_largest_bytes", "bytes", "The largest piece of the free space.", false,
	  PLAIN, NULL, { { "free_largest_bytes", NULL } } },
	{ "fragments", NULL, "Pieces of pages on the media.", false, PLAIN, NULL,
	  { { "fragments", NULL } } },
	{ "page_writes", NULL, "Page writes, failed ones included.", true, PLAIN, NULL,
	  { { "page_writes", NULL } } },
	{ "page_reads", NULL, "Page reads, failed ones included.", true, PLAIN, NULL,
	  { { "page_reads", NULL } } },
	{ "page_erases", NULL, "Pages forgotten by erase, discard or free swap slots.", true,
	  PLAIN, NULL, { { "page_erases", NULL } } },
	{ "write_mean_seconds", "seconds", "Mean time of a page write since the attach.", false,
	  NANO, NULL, { { "write_avg_ns", NULL } } },
	{ "read_mean_seconds", "seconds", "Mean time of a page read since the attach.", false,
	  NANO, NULL, { { "read_avg_ns", NULL } } },
	{ "write_bound_seconds", "seconds",
	  "What a part of the page writes took at most, to the next power of two.", false, NANO,
	  "part", { { "write_p50_ns", "0.5" }, { "write_p90_ns", "0.9" },
		    { "write_p99_ns", "0.99" }, { "write_p999_ns", "0.999" } } },
	{ "read_bound_seconds", "seconds",
	  "What a part of the page reads took at most, to the next power of two.", false, NANO,
	  "part", { { "read_p50_ns", "0.5" }, { "read_p90_ns", "0.9" },
		    { "read_p99_ns", "0.99" }, { "read_p999_ns", "0.999" } } },
	{ "compress_bytes_per_second", NULL, "Speed of the compressor, by what goes in.", false,
	  KIBI, NULL, { { "compress_kib_per_s", NULL } } },
	{ "decompress_bytes_per_second", NULL, "Speed of the decompressor, by what comes out.",
	  false, KIBI, NULL, { { "decompress_kib_per_s", NULL } } },
	{ "media_written_bytes", "bytes", "Bytes written to the media.", true, PLAIN, NULL,
	  { { "media_written_bytes", NULL } } },
	{ "media_read_bytes", "bytes", "Bytes read from the media.", true, PLAIN, NULL,
	  { { "media_read_bytes", NULL } } },
	{ "wear_region_size_bytes", "bytes", "Size of a region that writes are counted in.", false,
	  PLAIN, NULL, { { "wear_region_bytes", NULL } } },
	{ "wear_region_written_bytes", "bytes",
	  "Bytes written to a region since the attach: the least, the mean, the most.", false,
	  PLAIN, "of", { { "wear_min_bytes", "least" }, { "wear_mean_bytes", "mean" },
			 { "wear_max_bytes", "most" } } },
	{ "wear_block_erases", NULL,
	  "Erases of an eraseblock of a log in its life: the least, the mean, the most.", false,
	  PLAIN, "of", { { "erases_least", "least" }, { "erases_mean", "mean" },
			 { "erases_most", "most" } } },
	{ "block_erases", NULL, "Erases of eraseblocks.", true, PLAIN, NULL,
	  { { "block_erases", NULL } } },
	{ "blocks", NULL, "Eraseblocks of flash.", false, PLAIN, "kind",
	  { { "blocks", "used" }, { "blocks_bad", "bad" }, { "blocks_spare", "spare" } } },
	{ "log_bytes", "bytes", "Bytes programmed into a log, by why.", true, PLAIN, "why",
	  { { "log_host_bytes", "written" }, { "log_moved_bytes", "moved" },
	    { "log_padding_bytes", "wasted" } } },
	{ "refused", NULL, "Page writes refused because the media were full.", true, PLAIN, NULL,
	  { { "err_full", NULL } } },
	{ "errors", NULL, "Errors of the media and in the data.", true, PLAIN, "kind",
	  { { "err_checksum", "checksum" }, { "err_decompress", "decompress" },
	    { "err_media_read", "media_read" }, { "err_media_write", "media_write" },
	    { "err_gone", "gone" } } },
	{ "memory_bytes", "bytes", "Main memory of the device.", false, PLAIN, "use",
	  { { "metadata_bytes", "tables" }, { "buffer_bytes", "buffers" } } },
};

static const char *const states[] = { "ok", "full", "few", "worn", "failing", "gone" };

/* label_text() - print a label's value, within quotes */
static void label_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		/* OpenMetrics demands UTF-8; a name may be anything. */
		else if ((unsigned char)*text >= 0x80)
			putc('?', out);
		else
			putc(*text, out);
	}
}

/* label_of() - a device's disk, or its name without a disk */
static const char *label_of(const struct device *device)
{
	return device->disk[0] ? device->disk : device->name;
}

/* head() - print the lines before the samples of a family */
static void head(FILE *out, const char *name, const char *type, const char *unit,
		 const char *help)
{
	fprintf(out, "# TYPE mtdcompr_%s %s\n", name, type);
	if (unit)
		fprintf(out, "# UNIT mtdcompr_%s %s\n", name, unit);
	fprintf(out, "# HELP mtdcompr_%s %s\n", name, help);
}

static void value_text(FILE *out, enum scale scale, uint64_t value)
{
	if (scale == NANO)
		fprintf(out, "%llu.%09llu\n", (unsigned long long)(value / 1000000000),
			(unsigned long long)(value % 1000000000));
	else
		fprintf(out, "%llu\n",
			(unsigned long long)(scale == KIBI ? value << 10 : value));
}

static void print_samples(FILE *out, const struct family *family, const struct device *device)
{
	const struct sample *sample = family->samples;

	for (; sample < family->samples + SAMPLES && sample->key; sample++) {
		if (!figure_there(device->text, sample->key))
			continue;
		fprintf(out, "mtdcompr_%s%s{device=\"%s\"", family->name,
			family->counter ? "_total" : "", label_of(device));
		if (family->label)
			fprintf(out, ",%s=\"%s\"", family->label, sample->value);
		fputs("} ", out);
		value_text(out, family->scale, figure(device->text, sample->key));
	}
}

static void info_label(FILE *out, const char *label, const struct device *device,
		       const char *key)
{
	char value[128];

	/* An older module lacks some. */
	if (!figure_word(device->text, key, value, sizeof(value)))
		return;
	fprintf(out, ",%s=\"", label);
	label_text(out, value);
	putc('"', out);
}

/* A gauge of value 1 instead of the type "info", which the older format refuses. */
static void print_info(FILE *out, const struct devices *devices)
{
	unsigned int i;

	head(out, "device_info", "gauge", NULL, "What the device is.");
	for (i = 0; i < devices->n; i++) {
		const struct device *device = &devices->of[i];

		fprintf(out, "mtdcompr_device_info{device=\"%s\"", label_of(device));
		info_label(out, "name", device, "name");
		info_label(out, "media", device, "lower_name");
		info_label(out, "algorithm", device, "comp");
		info_label(out, "level", device, "level");
		info_label(out, "store", device, "store");
		info_label(out, "crypt", device, "crypt");
		info_label(out, "wipe", device, "wipe");
		fprintf(out, ",swap=\"%s\"} 1\n", device->swapped ? "on" : "off");
	}
}

static void print_states(FILE *out, const struct devices *devices)
{
	unsigned int i, j;

	head(out, "state", "gauge", NULL, "1 for the state that the device is in, else 0.");
	for (i = 0; i < devices->n; i++)
		for (j = 0; j < sizeof(states) / sizeof(states[0]); j++)
			fprintf(out, "mtdcompr_state{device=\"%s\",state=\"%s\"} %d\n",
				label_of(&devices->of[i]), states[j],
				figure_is(devices->of[i].text, "state", states[j]));
}

static void print_slots(FILE *out, const struct devices *devices)
{
	unsigned int i;

	head(out, "swap_slots_used_bytes", "gauge", "bytes",
	     "Swap slots in use, as in /proc/swaps.");
	for (i = 0; i < devices->n; i++)
		if (devices->of[i].swapped)
			fprintf(out, "mtdcompr_swap_slots_used_bytes{device=\"%s\"} %llu\n",
				label_of(&devices->of[i]),
				(unsigned long long)devices->of[i].swap.used_kib << 10);
}

/**
 * openmetrics_print() - print all figures of all devices
 * @out: the output stream
 * @devices: the devices; without any, print the end mark alone
 */
void openmetrics_print(FILE *out, const struct devices *devices)
{
	const struct family *family = families;
	unsigned int i;

	if (devices->n) {
		print_info(out, devices);
		print_states(out, devices);
		print_slots(out, devices);
		for (; family < families + sizeof(families) / sizeof(families[0]); family++) {
			head(out, family->name, family->counter ? "counter" : "gauge",
			     family->unit, family->help);
			for (i = 0; i < devices->n; i++)
				print_samples(out, family, &devices->of[i]);
		}
	}
	fputs("# EOF\n", out);
}
