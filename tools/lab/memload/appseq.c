// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "appseq.h"
#include "parse.h"

/* A day: no user stays longer in an app. */
#define LONGEST_MS 86400000

/* A number that is as long as its word, which it returns the end of; or NULL. */
static const char *number(const char *word, uint64_t *value)
{
	size_t length = strspn(word, "0123456789");

	return length && !parse_decimal(word, 0, value) ? word + length : NULL;
}

static bool parse_line(const char *line, unsigned int apps, uint8_t *app, uint32_t *stay_ms)
{
	uint64_t nr, ms = APPSEQ_NO_TIME;
	const char *end = number(line, &nr);

	if (end && *end == ' ') {
		end = number(end + 1, &ms);
		if (ms > LONGEST_MS)
			return false;
	}
	if (!end || (*end && *end != '\n') || nr >= apps)
		return false;
	*app = (uint8_t)nr;
	*stay_ms = (uint32_t)ms;
	return true;
}

/* Characters of a line that a message has room for. */
static int shown(const char *line)
{
	size_t length = strcspn(line, "\n");

	return length < 40 ? (int)length : 40;
}

/**
 * appseq_parse() - read a sequence
 * @sequence: the sequence
 * @text: the text
 * @apps: how many there are, at most 256
 * @error: what is wrong
 *
 * Return: 0; -EINVAL, if the text is wrong.
 */
int appseq_parse(struct appseq *sequence, const char *text, unsigned int apps,
		 struct appseq_error *error)
{
	sequence->n = 0;
	error->line = 0;
	for (; text && *text; text = parse_next_line(text)) {
		error->line++;
		if (sequence->n == APPSEQ_MOST) {
			snprintf(error->text, sizeof(error->text), "more than %u lines: give less",
				 APPSEQ_MOST);
			return -EINVAL;
		}
		if (!parse_line(text, apps, &sequence->apps[sequence->n],
				&sequence->stay_ms[sequence->n])) {
			snprintf(error->text, sizeof(error->text),
				 "\"%.*s\": give the number of an app, from 0 to %u, and perhaps ms",
				 shown(text), text, apps - 1);
			return -EINVAL;
		}
		sequence->n++;
	}
	if (sequence->n)
		return 0;
	snprintf(error->text, sizeof(error->text), "no line: give the number of an app in each");
	return -EINVAL;
}
