// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <getopt.h>
#include <string.h>
#include "inferopt.h"
#include "parse.h"

#define VERSION "1.0"

static const char help[] =
"usage: infer --weights FILE --images DIR [OPTION...]\n"
"       infer-yolo --cfg CFG --weights FILE --images DIR [OPTION...]\n"
"Finds objects in images, and tells how long it takes.\n"
"\n"
"  --count N      images in all; else each one once\n"
"  --period MS    an image every MS milliseconds; else one after the other\n"
"  --seconds S    end after that time\n"
"  --out FILE     a line of CSV for each image; - is standard output\n"
"  --map HOW      the weights: private or shared map, or anon memory (infer)\n"
"  --side N       of the network's input instead of the cfg's (infer-yolo)\n"
"\n"
"  --make-weights FILE   makes weights: --size SIZE (24M), for infer-yolo --cfg CFG\n"
"  --make-images DIR     makes images: --count N (20)\n"
"  --seed N       of what is made (1)\n"
"  -h             this                   -V            the version\n";

enum {
	OPTION_WEIGHTS = 256,
	OPTION_IMAGES,
	OPTION_CFG,
	OPTION_MAKE_WEIGHTS,
	OPTION_MAKE_IMAGES,
	OPTION_OUT,
	OPTION_COUNT,
	OPTION_PERIOD,
	OPTION_SECONDS,
	OPTION_SIZE,
	OPTION_SEED,
	OPTION_SIDE,
	OPTION_MAP,
	OPTION_CORRUPT,
};

static const struct option long_options[] = {
	{ "weights", required_argument, NULL, OPTION_WEIGHTS },
	{ "images", required_argument, NULL, OPTION_IMAGES },
	{ "cfg", required_argument, NULL, OPTION_CFG },
	{ "darknet", required_argument, NULL, OPTION_CFG },
	{ "make-weights", required_argument, NULL, OPTION_MAKE_WEIGHTS },
	{ "make-images", required_argument, NULL, OPTION_MAKE_IMAGES },
	{ "out", required_argument, NULL, OPTION_OUT },
	{ "count", required_argument, NULL, OPTION_COUNT },
	{ "period", required_argument, NULL, OPTION_PERIOD },
	{ "seconds", required_argument, NULL, OPTION_SECONDS },
	{ "size", required_argument, NULL, OPTION_SIZE },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "side", required_argument, NULL, OPTION_SIDE },
	{ "map", required_argument, NULL, OPTION_MAP },
	{ "corrupt-test", no_argument, NULL, OPTION_CORRUPT },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static bool set_side(unsigned int *side, const char *text)
{
	uint64_t value;

	if (parse_decimal(text, 0, &value) == 0 && value >= 32 && value <= 4096 &&
	    value % 32 == 0) {
		*side = (unsigned int)value;
		return true;
	}
	warnx("--side %s: give a multiple of 32, from 32 to 4096", text);
	return false;
}

static bool set_map(enum weights_map *map, const char *text)
{
	static const char *const names[] = {
		[WEIGHTS_PRIVATE] = "private", [WEIGHTS_SHARED] = "shared",
		[WEIGHTS_ANON] = "anon",
	};
	unsigned int choice;

	if (!option_choice(&choice, "--map", text, names, WEIGHTS_ANON + 1))
		return false;
	*map = (enum weights_map)choice;
	return true;
}

static bool set_option(struct inferopt *options, int option, const char *text)
{
	switch (option) {
	case OPTION_WEIGHTS:
		return option_text(&options->weights, text);
	case OPTION_IMAGES:
		return option_text(&options->images, text);
	case OPTION_CFG:
		return option_text(&options->cfg, text);
	case OPTION_MAKE_WEIGHTS:
		return option_text(&options->make_weights, text);
	case OPTION_MAKE_IMAGES:
		return option_text(&options->make_images, text);
	case OPTION_OUT:
		return option_text(&options->out, text);
	case OPTION_COUNT:
		return option_number(&options->count, "--count", text, 0, 1, 100000000);
	case OPTION_PERIOD:
		return option_number(&options->period_us, "--period", text, 3, 1, OPTION_YEAR_US);
	case OPTION_SECONDS:
		return option_seconds(&options->duration_us, "--seconds", text, 1);
	case OPTION_SIZE:
		return option_size(&options->size, "--size", text, 0, UINT64_C(2) << 30);
	case OPTION_SEED:
		return option_number(&options->seed, "--seed", text, 0, 0, UINT64_MAX);
	case OPTION_SIDE:
		return set_side(&options->side, text);
	case OPTION_MAP:
		return set_map(&options->map, text);
	case OPTION_CORRUPT:
		return option_flag(&options->corrupt);
	case 'h':
		option_show(help);
	case 'V':
		option_show("infer " VERSION "\n");
	}
	return option_unknown(text);
}

static bool complete(const struct inferopt *options, bool darknet)
{
	if (!darknet && (options->cfg || options->side)) {
		warnx("--darknet, --cfg and --side: use infer-yolo, made where darknet is");
		return false;
	}
	if (darknet && !options->cfg && !options->make_images) {
		warnx("no network: give its file with --cfg");
		return false;
	}
	if (options->make_weights || options->make_images) {
		if (!options->weights && !options->images && !options->out)
			return true;
		warnx("--make-weights and --make-images only make: run it once more to use them");
		return false;
	}
	if (!options->weights || !options->images) {
		warnx("no %s", options->weights ? "images: give a directory with --images" :
		      "weights: give a file with --weights, or make one with --make-weights");
		return false;
	}
	return true;
}

/**
 * inferopt_parse() - read the command line
 * @options: what it says
 * @darknet: the program is infer-yolo
 * @argc: as that of main()
 * @argv: as that of main()
 *
 * Ends the program for -h and -V.
 *
 * Return: 0, or STATUS_USAGE, and what is wrong was said.
 */
int inferopt_parse(struct inferopt *options, bool darknet, int argc, char **argv)
{
	int option;

	memset(options, 0, sizeof(*options));
	options->size = UINT64_C(24) << 20;
	options->seed = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "hV", long_options, NULL)) != -1)
		if (!set_option(options, option, option == '?' ? argv[optind - 1] : optarg))
			return STATUS_USAGE;
	if (optind < argc) {
		warnx("\"%s\" is no option: see -h", argv[optind]);
		return STATUS_USAGE;
	}
	return complete(options, darknet) ? 0 : STATUS_USAGE;
}
