// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <string.h>
#include "config.h"
#include "expr.h"
#include "key.h"
#include "parse.h"

#define LINE 512

/*
 * The files are not read by inih, which says nothing of a section without keys, joins indented
 * lines to the one before, cuts long ones, and takes the keys below a broken heading for those of
 * the section before.
 */
struct reader {
	struct config *config;
	const char *path;
	unsigned int line;
	struct config_device *device;	/* NULL: not in a section of ours */
	bool outside;			/* before the first heading */
};

static void say(const struct reader *reader, const char *line, const char *reason)
{
	char message[CONFIG_MESSAGE];

	snprintf(message, sizeof(message), "%.120s:%u: %.60s: %s; the line is left out",
		 reader->path, reader->line, line, reason);
	reader->config->say(message);
}

/* The sections are in the order of their numbers. */
static unsigned int place(const struct config *config, unsigned int number)
{
	unsigned int i;

	for (i = 0; i < config->n && config->of[i].number < number; i++)
		;
	return i;
}

/**
 * config_device() - the device of a section, which is added if there is none
 * @config: all of them
 * @number: that of [mtdcomprN]
 *
 * Return: the device, or NULL: there are MTDCOMPR_DEVICES_MAX. It moves when another is added.
 */
struct config_device *config_device(struct config *config, unsigned int number)
{
	unsigned int i = place(config, number);

	if (i < config->n && config->of[i].number == number)
		return &config->of[i];
	if (config->n == MTDCOMPR_DEVICES_MAX)
		return NULL;
	memmove(&config->of[i + 1], &config->of[i],
		(config->n - i) * sizeof(config->of[0]));
	config->n++;
	config->of[i] = (struct config_device){
		.number = number,
		.priority = CONFIG_PRIORITY,
		.limit = CONFIG_NO_LIMIT,
	};
	return &config->of[i];
}

/* section_number() - N of "mtdcomprN" with nothing behind it */
static bool section_number(const char *name, unsigned int *number)
{
	static const char ours[] = "mtdcompr";
	const char *digits = name + sizeof(ours) - 1;
	uint64_t value;

	if (strncmp(name, ours, sizeof(ours) - 1))
		return false;
	if (strspn(digits, "0123456789") != strlen(digits) || strlen(digits) > 3 ||
	    (digits[0] == '0' && digits[1]) || parse_decimal(digits, 0, &value))
		return false;
	*number = (unsigned int)value;
	return true;
}

static void heading(struct reader *reader, char *line)
{
	size_t len = strlen(line);
	unsigned int number;

	reader->outside = false;
	reader->device = NULL;
	if (line[len - 1] != ']') {
		say(reader, line, "\"]\" is missing, and what follows belongs to no section");
		return;
	}
	line[len - 1] = '\0';
	if (!section_number(line + 1, &number)) {
		say(reader, line + 1, "not a section [mtdcomprN], N from 0 to 999");
		return;
	}
	reader->device = config_device(reader->config, number);
	if (!reader->device) {
		say(reader, line + 1, "there are 32 devices already");
		return;
	}
	snprintf(reader->device->source, sizeof(reader->device->source), "%s", reader->path);
}

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r");
	len = strlen(text);
	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	text[len] = '\0';
	return text;
}

/* doubt() - the line that is left out may have named the media of this device, or of any */
static void doubt(struct reader *reader)
{
	if (reader->device)
		reader->device->doubtful = true;
	else
		reader->config->doubtful = true;
}

static void assignment(struct reader *reader, char *line)
{
	char *equals = strchr(line, '='), whole[LINE];
	const char *why = NULL;

	if (reader->outside)
		say(reader, line, "it is in no section; [mtdcompr0] comes first");
	if (!reader->device) {
		doubt(reader);
		return;
	}
	if (!equals) {
		say(reader, line, "not KEY = VALUE");
		doubt(reader);
		return;
	}
	snprintf(whole, sizeof(whole), "%s", line);
	*equals = '\0';
	key_set(reader->device, reader->config->ram, trim(line), trim(equals + 1), &why);
	if (why)
		say(reader, whole, why);
}

static void one_line(struct reader *reader, const char *start, size_t len)
{
	char line[LINE], *text;

	if (len >= sizeof(line)) {
		snprintf(line, sizeof(line), "%.20s...", start);
		say(reader, line, "longer than 511 bytes");
		doubt(reader);
		return;
	}
	memcpy(line, start, len);
	line[len] = '\0';
	text = trim(line);
	if (!*text || *text == '#' || *text == ';')
		return;
	if (*text == '[')
		heading(reader, text);
	else
		assignment(reader, text);
}

/**
 * config_text() - what a file says, on top of what was said before
 * @config: the devices; its ram and say are set
 * @path: of the file, for messages
 * @text: its contents
 *
 * A line that is wrong is left out, with a message. Where it may have been meant to name the media
 * the device is doubtful; outside of a section that is right, all of them are.
 */
void config_text(struct config *config, const char *path, const char *text)
{
	struct reader reader = { .config = config, .path = path, .outside = true };
	size_t len;

	/* U+FEFF, with which editors of other systems begin a file. */
	if (!strncmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		reader.line++;
		one_line(&reader, text, len);
	}
}
