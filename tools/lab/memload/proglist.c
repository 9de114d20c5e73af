// SPDX-License-Identifier: GPL-2.0

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "parse.h"
#include "proglist.h"

#define BLANKS " \t"

__attribute__((format(printf, 2, 3))) static int wrong(struct proglist_error *error,
						       const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

/* It is the name of a directory, too, and a word of a request. */
static bool is_name(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr(i ? "._-" : "_", text[i]))
			return false;
	return length && length < PROGLIST_NAME;
}

static bool is_known(const struct proglist *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!strcmp(list->entries[i].name, name))
			return true;
	return false;
}

static int parse_line(struct proglist *list, const char *line, size_t length,
		      struct proglist_error *error)
{
	struct proglist_entry *entry = &list->entries[list->n];
	size_t name = strcspn(line, BLANKS "\n"), gap = strspn(line + name, BLANKS);
	size_t command = length - name - gap;

	if (list->n == PROGLIST_MOST)
		return wrong(error, "more than %u programs: give less", PROGLIST_MOST);
	if (!is_name(line, name))
		return wrong(error, "\"%.*s\": give a name of 1 to %u letters, digits, . _ and -",
			     name < 20 ? (int)name : 20, line, PROGLIST_NAME - 1);
	if (!command)
		return wrong(error, "no command: give it after the name");
	if (command >= PROGLIST_COMMAND)
		return wrong(error, "the command is too long: give less than %u characters",
			     PROGLIST_COMMAND);
	snprintf(entry->name, sizeof(entry->name), "%.*s", (int)name, line);
	if (is_known(list, entry->name))
		return wrong(error, "\"%s\" is there already: give another name", entry->name);
	snprintf(entry->command, sizeof(entry->command), "%.*s", (int)command, line + name + gap);
	list->n++;
	return 0;
}

/**
 * proglist_parse() - read a list of programs
 * @list: the list
 * @text: the text; empty lines, and those that begin with "#", have no program
 * @error: what is wrong
 *
 * Return: 0; -EINVAL, if the text is wrong.
 */
int proglist_parse(struct proglist *list, const char *text, struct proglist_error *error)
{
	size_t length;
	int ret;

	list->n = 0;
	error->line = 0;
	for (; text && *text; text = parse_next_line(text)) {
		error->line++;
		length = strcspn(text, "\n");
		ret = length && *text != '#' ? parse_line(list, text, length, error) : 0;
		if (ret)
			return ret;
	}
	return list->n ? 0 : wrong(error, "no program: give a name and a command in a line");
}
