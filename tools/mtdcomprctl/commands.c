// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "attach.h"
#include "commands.h"
#include "medium.h"
#include "openmetrics.h"
#include "report.h"
#include "suggest.h"
#include "sys.h"
#include "top.h"
#include "wear.h"

static struct devices devices;
static struct media mtds;

/* load_devices() - read all devices; false after an error message */
static bool load_devices(void)
{
	int err = devices_read(&devices);

	if (err)
		warnx("/proc/%s: %s", MTDCOMPR_PROC_DIR, strerror(-err));
	return !err;
}

static const struct device *wanted(const char *what)
{
	const struct device *device = devices_find(&devices, what);

	if (!device && !device_loaded())
		warnx("%s: no such device: the module mtdcompr is not loaded", what);
	else if (!device)
		warnx("%s: no such device: 'mtdcomprctl' lists those that there are", what);
	return device;
}

/* choose() - keep the devices that the words name; without words keep all */
static bool choose(const struct options *options)
{
	static struct devices chosen;
	int i;

	if (!load_devices())
		return false;
	for (i = 0; i < options->words && i < MTDCOMPR_DEVICES_MAX; i++) {
		const struct device *device = wanted(options->word[i]);

		if (!device)
			return false;
		chosen.of[chosen.n++] = *device;
	}
	if (chosen.n)
		devices = chosen;
	return true;
}

static int run_list(struct options *options)
{
	const struct columns *columns = &options->form.columns;
	/* Static, because the machine may be out of memory. */
	static struct cell cells[MTDCOMPR_DEVICES_MAX * COLUMN_MAX];
	struct table_head heads[COLUMN_MAX];
	struct table table = {
		.name = "mtdcomprdevices",
		.form = options->form.json ? TABLE_JSON :
			options->form.raw ? TABLE_RAW : TABLE_PLAIN,
		.noheadings = options->form.noheadings,
		.heads = heads,
		.columns = columns->n,
		.cells = cells,
	};
	unsigned int i;

	if (!choose(options))
		return STATUS_FAILED;
	columns_head(columns, heads);
	for (i = 0; i < devices.n; i++)
		columns_row(columns, &devices.of[i], options->form.bytes,
			    cells + (size_t)i * columns->n);
	table.rows = devices.n;
	table_print(stdout, &table);
	return 0;
}

static int run_stats(struct options *options)
{
	unsigned int i;

	if (!choose(options))
		return STATUS_FAILED;
	if (options->form.openmetrics) {
		openmetrics_print(stdout, &devices);
		return 0;
	}
	if (options->form.json)
		fputs("{\n   \"mtdcomprstats\": [", stdout);
	for (i = 0; i < devices.n; i++) {
		if (options->form.json) {
			report_json(stdout, &devices.of[i], !i);
			continue;
		}
		if (i)
			putchar('\n');
		report_print(stdout, &devices.of[i], options->form.bytes);
	}
	if (options->form.json)
		puts("\n   ]\n}");
	return 0;
}

static int run_top(struct options *options)
{
	return choose(options) && top_run(&devices, options) ? 0 : STATUS_FAILED;
}

static int run_wear(struct options *options)
{
	unsigned int i;

	if (!choose(options))
		return STATUS_FAILED;
	for (i = 0; i < devices.n; i++) {
		if (i)
			putchar('\n');
		wear_print(stdout, &devices.of[i], options->endurance);
	}
	return 0;
}

/* hold_signals() - block signals between two steps that belong together */
static void hold_signals(bool hold)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

/*
 * media_name() - translate a path in /dev, or "mtd3" unless an MTD has that name, to a number for
 * the module
 */
static const char *media_name(const char *what)
{
	const struct medium *medium;
	static char text[16];
	uint64_t number;

	if (device_number(what, "/dev/mtd", &number))
		return what + strlen("/dev/mtd");
	if (!device_number(what, "mtd", &number) || media_read(&mtds, &devices))
		return what;
	medium = media_find(&mtds, what);
	if (!medium)
		return what;
	snprintf(text, sizeof(text), "%u", medium->mtd);
	return text;
}

/* find_media() - the best free media; NULL after an error message */
static const struct medium *find_media(void)
{
	const struct medium *medium;

	if (!load_devices())
		return NULL;
	if (media_read(&mtds, &devices)) {
		warnx("there are no MTDs: /sys/class/mtd is not there");
		return NULL;
	}
	medium = media_choose(&mtds, &devices);
	if (!medium)
		warnx("no media are free: 'mtdcomprctl suggest' says why, for each MTD");
	return medium;
}

/* wanted_media() - the named media, or with -f the best; NULL after an error message */
static const char *wanted_media(const struct options *options)
{
	const struct medium *medium;
	static char number[16];

	if (!options->find)
		return options->word[0];
	medium = find_media();
	if (!medium)
		return NULL;
	snprintf(number, sizeof(number), "%u", medium->mtd);
	return number;
}

static int print_made(const struct device *made)
{
	char file[DEVICE_FILE];

	puts(device_file(made, file));
	return 0;
}

static int run_attach(struct options *options)
{
	const char *media = wanted_media(options);
	struct device made;

	if (!media)
		return STATUS_FAILED;
	options->spec.media = media_name(media);
	return attach(&options->spec, &made) ? print_made(&made) : STATUS_FAILED;
}

/* run_find() - like zramctl --find: name a free MTD; with a size, attach to it */
static int run_find(struct options *options)
{
	const struct medium *medium;

	if (options->spec.size || options->spec.ratio)
		return run_attach(options);
	medium = find_media();
	if (!medium)
		return STATUS_FAILED;
	printf("mtd%u %s\n", medium->mtd, medium->name);
	return 0;
}

static int run_detach(struct options *options)
{
	int i, status = 0;

	if (!load_devices())
		return STATUS_FAILED;
	for (i = 0; i < options->words; i++) {
		const struct device *device = wanted(options->word[i]);

		if (!device || !detach(device))
			status = STATUS_FAILED;
	}
	return status;
}

/* swap_on_media() - attach to these media and start swap there */
static int swap_on_media(struct options *options, const char *media)
{
	struct device made;

	options->spec.media = media_name(media);
	if (!attach(&options->spec, &made))
		return STATUS_FAILED;
	if (swap_on(&made, &options->swap))
		return print_made(&made);
	/* Undo the attach. */
	detach(&made);
	return STATUS_FAILED;
}

/* swap_on_word() - start swap on the named device, or on a new one if the word names media */
static int swap_on_word(struct options *options, const char *word)
{
	const struct device *there = devices_find(&devices, word);

	/* A number always names media, never a device. */
	if (!there || strspn(word, "0123456789") == strlen(word))
		return swap_on_media(options, word);
	if (!options_fit(options, "pCD", "a device that is attached already") ||
	    !swap_on(there, &options->swap))
		return STATUS_FAILED;
	return print_made(there);
}

/* is_real() - refuse below a prefix (tests): nothing there can be swapped on */
static bool is_real(const char *command)
{
	if (*sys_root())
		warnx("%s: it does not go with --sysroot", command);
	return !*sys_root();
}

static int run_swap_on(struct options *options)
{
	const char *word;
	int status;

	if (!is_real("swap on") || !load_devices())
		return STATUS_FAILED;
	word = wanted_media(options);
	if (!word)
		return STATUS_FAILED;
	hold_signals(true);
	status = swap_on_word(options, word);
	hold_signals(false);
	return status;
}

static int run_swap_off(struct options *options)
{
	int i, status = 0;

	if (!is_real("swap off") || !load_devices())
		return STATUS_FAILED;
	for (i = 0; i < options->words; i++) {
		const struct device *device = wanted(options->word[i]);

		if (device && !device->swapped)
			warnx("%s: there is no swap on it", options->word[i]);
		if (!device || !device->swapped || !swap_off(device) ||
		    (!options->keep && !detach(device)))
			status = STATUS_FAILED;
	}
	return status;
}

static int run_suggest(struct options *options)
{
	int status;

	if (!load_devices())
		return STATUS_FAILED;
	hold_signals(true);
	status = suggest(&devices, options) ? 0 : STATUS_FAILED;
	hold_signals(false);
	return status;
}

static const struct command commands[] = {
	{ "list", "bJnoRL", run_list, 0, MTDCOMPR_DEVICES_MAX },
	{ "attach", "aslABOf", run_attach, 1, 1 },
	{ "detach", "", run_detach, 1, MTDCOMPR_DEVICES_MAX },
	{ "swap on", "aslABOpCDf", run_swap_on, 1, 1 },
	{ "swap off", "E", run_swap_off, 1, MTDCOMPR_DEVICES_MAX },
	{ "stats", "bJF", run_stats, 0, MTDCOMPR_DEVICES_MAX },
	{ "top", "bJnRdG", run_top, 0, MTDCOMPR_DEVICES_MAX },
	{ "wear", "K", run_wear, 0, MTDCOMPR_DEVICES_MAX },
	{ "suggest", "bJnRmHI", run_suggest, 0, 0 },
	{ "--find", "aslABOf", run_find, 0, 0 },
	{ "--reset", "r", run_detach, 1, MTDCOMPR_DEVICES_MAX },
};

/**
 * names_device() - does a word name a device?
 * @word: of the command line
 */
bool names_device(const char *word)
{
	return !devices_read(&devices) && devices_find(&devices, word);
}

/**
 * command_by_name() - look up a command
 * @name: "list", "swap on", "--find" and so on
 *
 * Return: the command, or NULL.
 */
const struct command *command_by_name(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}
