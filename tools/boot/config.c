// SPDX-License-Identifier: GPL-2.0
/*
 * Parse the sections [mtdcomprN] of a file. A wrong line is skipped; if it may have named the
 * media, its device becomes doubtful. If it may have been options, its device is refused: without
 * crypt=on the pages could be plain, on media where nobody expects them.
 */
#include <stdio.h>
#include <string.h>
#include "config.h"
#include "ini.h"
#include "key.h"

struct reader {
	struct config *config;
	const char *path;
	struct config_device *device;	/* NULL: outside our sections */
};

static void say(const struct reader *reader, const struct ini_line *line, const char *reason)
{
	char message[CONFIG_MESSAGE];

	snprintf(message, sizeof(message), "%.120s:%u: %.60s: %s; the line is left out",
		 reader->path, line->number, line->text, reason);
	reader->config->say(message);
}

/* may_be_options() - may a wrong line be options, perhaps with a mistyped key? */
static bool may_be_options(const struct ini_line *line)
{
	if (line->kind == INI_KEY && !key_may_be_options(line->key))
		return false;
	return strcasestr(line->text, "option") || strcasestr(line->text, "crypt") ||
	       strcasestr(line->text, "wipe");
}

/* refuse() - note the first wrong line that may be options, for the message */
static void refuse(struct reader *reader, const struct ini_line *line, const char *reason)
{
	char *refused = reader->device ? reader->device->refused : reader->config->refused;

	if (!refused[0])
		snprintf(refused, CONFIG_MESSAGE, "%.120s:%u: %.60s: %s; correct the line",
			 reader->path, line->number, line->text, reason);
}

/* leave_out() - skip a wrong line of a section */
static void leave_out(struct reader *reader, const struct ini_line *line, const char *reason)
{
	if (may_be_options(line))
		refuse(reader, line, reason);
	else
		say(reader, line, reason);
}

/* replaced() - a later options= makes up for the wrong line */
static void replaced(struct reader *reader)
{
	char message[CONFIG_MESSAGE];

	if (!reader->device->refused[0])
		return;
	snprintf(message, sizeof(message), "%.360s; a later one replaces it",
		 reader->device->refused);
	reader->config->say(message);
	reader->device->refused[0] = '\0';
}

/**
 * config_device() - find the device of a section or add it
 * @config: all devices
 * @number: N of [mtdcomprN]
 *
 * Return: the device, or NULL if the table is full. The pointer is valid until the next addition.
 */
struct config_device *config_device(struct config *config, unsigned int number)
{
	unsigned int i;

	/* Sorted by number. */
	for (i = 0; i < config->n && config->of[i].number < number; i++)
		;
	if (i < config->n && config->of[i].number == number)
		return &config->of[i];
	if (config->n == MTDCOMPR_DEVICES_MAX)
		return NULL;
	memmove(&config->of[i + 1], &config->of[i],
		(config->n - i) * sizeof(config->of[0]));
	config->n++;
	config->of[i] = (struct config_device){
		.number = number,
		.ram = config->ram,
		.priority = CONFIG_PRIORITY,
		.limit = CONFIG_NO_LIMIT,
	};
	return &config->of[i];
}

/* section_number() - parse N of "mtdcomprN" */
static bool section_number(const char *name, unsigned int *number)
{
	char again[16];

	if (sscanf(name, "mtdcompr%3u", number) != 1)
		return false;
	/* Refuses trailing characters and leading zeros. */
	snprintf(again, sizeof(again), "mtdcompr%u", *number);
	return !strcmp(name, again);
}

static void heading(struct reader *reader, const struct ini_line *line)
{
	unsigned int number;
	bool ours = section_number(line->section, &number);

	reader->device = ours ? config_device(reader->config, number) : NULL;
	if (!ours)
		say(reader, line, "not a section [mtdcomprN], N from 0 to 999");
	else if (!reader->device)
		say(reader, line, "there are 32 devices already");
	else
		snprintf(reader->device->source, CONFIG_MORE, "%s", reader->path);
}

/* doubt() - the skipped line may have named the media of this device, or of any device */
static void doubt(struct reader *reader)
{
	if (reader->device)
		reader->device->doubtful = true;
	else
		reader->config->doubtful = true;
}

/* outside() - a line in no section [mtdcomprN] */
static void outside(struct reader *reader, const struct ini_line *line)
{
	if (!line->section)
		say(reader, line, "it is in no section; [mtdcompr0] comes first");
	doubt(reader);
	if (may_be_options(line))
		refuse(reader, line, "in no section [mtdcomprN], so it may be for each");
}

static void assignment(struct reader *reader, const struct ini_line *line)
{
	const char *why = "not KEY = VALUE";

	if (line->kind == INI_KEY)
		key_set(reader->device, line->key, line->value, &why);
	else
		doubt(reader);
	if (why)
		leave_out(reader, line, why);
	else if (key_may_be_options(line->key))
		replaced(reader);
}

static int take_line(const struct ini_line *line, void *arg)
{
	struct reader *reader = arg;

	if (line->kind == INI_HEADING) {
		heading(reader, line);
	} else if (line->kind == INI_BROKEN) {
		reader->device = NULL;
		say(reader, line, "\"]\" is missing, and what follows belongs to no section");
	} else if (line->kind == INI_LONG) {
		leave_out(reader, line, "longer than 511 bytes");
		doubt(reader);
	} else if (!reader->device) {
		outside(reader, line);
	} else {
		assignment(reader, line);
	}
	return 0;
}

/**
 * config_text() - parse a file; it overrides earlier files
 * @config: the devices; the caller has set ram and say
 * @path: path of the file, for messages
 * @text: its contents
 *
 * A wrong line is skipped with a message. If it may have named the media, its device becomes
 * doubtful; below a wrong heading all devices do. If it may be options, the message is in refused,
 * for the caller to print.
 */
void config_text(struct config *config, const char *path, const char *text)
{
	struct reader reader = { .config = config, .path = path };

	ini_read(text, false, take_line, &reader);
}
