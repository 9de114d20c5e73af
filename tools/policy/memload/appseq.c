// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "appseq.h"
#include "parse.h"

/* A number that is as long as its line. */
static bool number(const char *line, unsigned int apps, uint8_t *app)
{
	size_t length = strcspn(line, "\n");
	uint64_t value;

	if (length != strspn(line, "0123456789") || parse_decimal(line, 0, &value) || value >= apps)
		return false;
	*app = (uint8_t)value;
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
		if (!number(text, apps, &sequence->apps[sequence->n])) {
			snprintf(error->text, sizeof(error->text),
				 "\"%.*s\": give the number of an app, from 0 to %u", shown(text),
				 text, apps - 1);
			return -EINVAL;
		}
		sequence->n++;
	}
	if (sequence->n)
		return 0;
	snprintf(error->text, sizeof(error->text), "no line: give the number of an app in each");
	return -EINVAL;
}
