// SPDX-License-Identifier: GPL-2.0
/*
 * memload-test: tests of what can be tested without processes, as TAP.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "proglist.h"

static struct proglist list;
static struct proglist_error error;
static int number, failures;

static void result(bool good, const char *what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++number, what);
	failures += !good;
}

static bool is(size_t i, const char *name, const char *command)
{
	return !strcmp(list.entries[i].name, name) && !strcmp(list.entries[i].command, command);
}

static bool refused(const char *text, unsigned int line, const char *why)
{
	bool good = proglist_parse(&list, text, &error) && error.line == line &&
		    strstr(error.text, why);

	if (!good)
		printf("# line %u: %s\n", error.line, error.text);
	return good;
}

static void test_good(void)
{
	result(!proglist_parse(&list, "a b\n", &error) && list.n == 1 && is(0, "a", "b"),
	       "proglist: a program");
	result(!proglist_parse(&list, "# c d\n\nmail \t sh -c 'a  b' \n_2.x-Y\tx", &error) &&
	       list.n == 2 && is(0, "mail", "sh -c 'a  b' ") && is(1, "_2.x-Y", "x"),
	       "proglist: comments, blanks, and a line without an end");
	result(!proglist_parse(&list, "a b\nc d\n", &error) &&
	       !proglist_parse(&list, "a b\n", &error) && list.n == 1,
	       "proglist: nothing is left of the list before");
	result(!proglist_parse(&list, "a2345678901234b x", &error) && list.n == 1,
	       "proglist: the longest name");
}

static void test_bad(void)
{
	result(refused("", 0, "no program") && refused("\n# a b\n", 2, "no program"),
	       "proglist: no program");
	result(refused("a b\nc\n", 2, "no command") && refused("c  ", 1, "no command"),
	       "proglist: no command");
	result(refused("a b\n\na c\n", 3, "\"a\" is there already"), "proglist: a name twice");
	result(refused("a/b c", 1, "\"a/b\": give a name of 1 to 15") &&
	       refused(" a b", 1, "\"\"") && refused(".. b", 1, "\"..\"") &&
	       refused("-a b", 1, "\"-a\"") && refused("\xc3\xa4 b", 1, "give a name"),
	       "proglist: no name of a group");
	result(refused("a23456789012345b x", 1, "\"a23456789012345b\""),
	       "proglist: a name that is too long");
}

static void test_limits(void)
{
	static char text[PROGLIST_MOST * 8 + PROGLIST_COMMAND * 2];
	size_t length = 0;
	unsigned int i;

	for (i = 0; i < PROGLIST_MOST; i++)
		length += (size_t)sprintf(text + length, "p%u x\n", i);
	result(!proglist_parse(&list, text, &error) && list.n == PROGLIST_MOST,
	       "proglist: as many as there may be");
	strcpy(text + length, "q x\n");
	result(refused(text, PROGLIST_MOST + 1, "more than 32 programs"), "proglist: one more");
	memset(text, 'x', sizeof(text) - 1);
	text[1] = ' ';
	text[2 + PROGLIST_COMMAND - 1] = '\0';
	result(!proglist_parse(&list, text, &error) &&
	       strlen(list.entries[0].command) == PROGLIST_COMMAND - 1,
	       "proglist: the longest command");
	text[2 + PROGLIST_COMMAND - 1] = 'x';
	text[2 + PROGLIST_COMMAND] = '\0';
	result(refused(text, 1, "the command is too long"), "proglist: a longer one");
}

int main(void)
{
	test_good();
	test_bad();
	test_limits();
	printf("1..%d\n", number);
	return failures != 0;
}
