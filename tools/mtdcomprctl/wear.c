// SPDX-License-Identifier: GPL-2.0

#include "human.h"
#include "wear.h"

/* Characters of a full bar. */
#define WIDTH 50

/* A bar; its length is in hundredths of rewrites or erases. */
struct bar {
	const char *label;
	uint64_t times;
};

static void print_bar(FILE *out, const struct bar *bar, uint64_t full)
{
	uint64_t length = human_share(WIDTH, bar->times, full);
	char text[HUMAN_TEXT];
	unsigned int i;

	/* Print at least one character unless the value is 0. */
	if (!length && bar->times)
		length = 1;
	fprintf(out, "  %-5s |", bar->label);
	for (i = 0; i < WIDTH; i++)
		putc(i < length ? '#' : ' ', out);
	fprintf(out, "| %s\n", human_ratio(bar->times, 100, text));
}

/* The bars and their unit. */
struct picture {
	struct bar bars[3];
	unsigned int n;
	const char *what;
};

/* times() - mean rewrites of a region, in hundredths */
static uint64_t times(const struct device *device, const char *key)
{
	return human_share(100, figure(device->text, key),
			   figure(device->text, "wear_region_bytes"));
}

static void fill(struct picture *picture, const struct device *device)
{
	if (figure_is(device->text, "store", "log")) {
		*picture = (struct picture) { {
			{ "least", figure(device->text, "erases_least") * 100 },
			{ "mean", figure(device->text, "erases_mean") * 100 },
			{ "most", figure(device->text, "erases_most") * 100 } }, 3,
			"erases of a block, in its life" };
	} else if (figure(device->text, "cache")) {
		*picture = (struct picture) { { { "mean", figure_wear(device->text) } }, 1,
			"erases of a block since the attach; none is counted by itself" };
	} else {
		*picture = (struct picture) { {
			{ "least", times(device, "wear_min_bytes") },
			{ "mean", times(device, "wear_mean_bytes") },
			{ "most", times(device, "wear_max_bytes") } }, 3,
			"rewrites of a region since the attach" };
	}
}

static void print_blocks(FILE *out, const struct device *device)
{
	uint64_t blocks = figure(device->text, "blocks"), bad = figure(device->text, "blocks_bad");

	if (!blocks)
		return;
	fprintf(out, "  %llu blocks in use, %llu spare, %llu bad of which %llu since the attach\n",
		(unsigned long long)blocks,
		(unsigned long long)figure(device->text, "blocks_spare"), (unsigned long long)bad,
		(unsigned long long)figure(device->text, "blocks_retired"));
}

static void print_used_up(FILE *out, uint64_t most, uint64_t endurance)
{
	uint64_t part = human_share(1000000, most, endurance * 100);

	fprintf(out, "  most is %llu.%04llu %% of %llu, which the media bear\n",
		(unsigned long long)(part / 10000), (unsigned long long)(part % 10000),
		(unsigned long long)endurance);
}

/**
 * wear_print() - print how worn the media are, and how evenly
 * @out: the output stream
 * @device: the device
 * @endurance: rewrites or erases that the data sheet promises, the full bar; 0: unknown
 */
void wear_print(FILE *out, const struct device *device, uint64_t endurance)
{
	char file[DEVICE_FILE], size[HUMAN_TEXT], region[HUMAN_TEXT], lower[128];
	uint64_t blocks = figure(device->text, "blocks"), most;
	struct picture picture;
	unsigned int i;

	fill(&picture, device);
	most = picture.bars[picture.n - 1].times;
	figure_word(device->text, "lower_name", lower, sizeof(lower));
	fprintf(out, "%s on \"%s\": %s in %llu %s of %s\n", device_file(device, file), lower,
		human_size(figure(device->text, "media_bytes"), size),
		(unsigned long long)(blocks ? blocks : figure(device->text, "wear_regions")),
		blocks ? "blocks" : "regions",
		human_size(figure(device->text, blocks ? "block_bytes" : "wear_region_bytes"),
			   region));
	fprintf(out, "  %s\n", picture.what);
	for (i = 0; i < picture.n; i++)
		print_bar(out, &picture.bars[i], endurance ? endurance * 100 : most);
	if (picture.n == 3)
		fprintf(out, "  most / mean: %s; 1 is even\n",
			human_ratio(most, picture.bars[1].times, size));
	print_blocks(out, device);
	if (endurance)
		print_used_up(out, most, endurance);
}
