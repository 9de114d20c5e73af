// SPDX-License-Identifier: GPL-2.0
/*
 * The one reader of INI files. Each line stands for itself: an indented line does not continue the
 * line before, and a line that is too long is not cut. A heading counts also without keys below it.
 * Keys below a broken heading do not belong to the section before.
 */
#include <stdio.h>
#include <string.h>
#include "ini.h"

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

/* cut_comment() - it begins with a ";" that has a blank before it */
static void cut_comment(char *text)
{
	char *at;

	for (at = strchr(text, ';'); at; at = strchr(at + 1, ';')) {
		if (at > text && strchr(" \t", at[-1])) {
			*at = '\0';
			return;
		}
	}
}

/* parse() - say what a line is that has more than blanks and comments; @section may change */
static void parse(struct ini_line *line, char *text, char *section, bool relaxed)
{
	size_t len = strlen(text);
	char *separator;

	if (text[0] == '[') {
		line->kind = text[len - 1] == ']' ? INI_HEADING : INI_BROKEN;
		text[len - 1] = '\0';
		strcpy(section, line->kind == INI_HEADING ? text + 1 : "");
		line->section = section;
		return;
	}
	separator = strpbrk(text, relaxed ? "=:" : "=");
	line->kind = separator ? INI_KEY : INI_BARE;
	if (!separator)
		return;
	*separator = '\0';
	line->key = trim(text);
	line->value = trim(separator + 1);
}

/**
 * ini_read() - read a text line by line
 * @text: the contents of a file
 * @relaxed: also take ":" for "=", and " ;" as the start of a comment behind a value or heading
 * @take: gets each line but empty ones and comments; if it returns anything but 0, reading ends
 * @arg: for @take
 *
 * Return: 0, or what @take returned.
 */
int ini_read(const char *text, bool relaxed, int (*take)(const struct ini_line *line, void *arg),
	     void *arg)
{
	char whole[INI_LINE], parts[INI_LINE], section[INI_LINE] = "";
	struct ini_line line = { .number = 0 };
	size_t len;
	int err = 0;

	/* Editors of other systems begin a file with U+FEFF. */
	if (!strncmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	for (; *text && !err; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		line.number++;
		snprintf(whole, sizeof(whole), "%.*s", (int)len, text);
		line.text = trim(whole);
		if (len >= INI_LINE) {
			line.kind = INI_LONG;
		} else if (!*line.text || strchr("#;", *line.text)) {
			continue;
		} else {
			strcpy(parts, line.text);
			if (relaxed)
				cut_comment(parts);
			parse(&line, trim(parts), section, relaxed);
		}
		err = take(&line, arg);
	}
	return err;
}
