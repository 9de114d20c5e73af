// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <string.h>
#include "rows.h"

/* mib() - with one decimal */
static const char *mib(unsigned long long kib, char *text, size_t size)
{
	snprintf(text, size, "%llu.%llu", kib / 1024, kib % 1024 * 10 / 1024);
	return text;
}

static void print_row(const char *line)
{
	unsigned long long objects, kib, unsaved, saved, given;
	char name[32], background[8], pending[8], words[4][24];
	int pid;

	if (sscanf(line,
		   "process: pid=%d name=%31s objects=%llu kib=%llu unsaved_kib=%llu "
		   "saved_kib=%llu given_kib=%llu loads=%*u background=%7s pending=%7s",
		   &pid, name, &objects, &kib, &unsaved, &saved, &given, background, pending) != 9)
		return;
	printf("%8d %-16s %8llu %9s %9s %9s %9s %s\n", pid, name, objects,
	       mib(kib, words[0], sizeof(words[0])), mib(unsaved, words[1], sizeof(words[1])),
	       mib(saved, words[2], sizeof(words[2])), mib(given, words[3], sizeof(words[3])),
	       strcmp(pending, "yes") ? background : "pending");
}

/**
 * rows_print() - an answer of marvind
 * @request: the question; a list has a line for each heap
 * @text: the answer
 */
void rows_print(const char *request, char *text)
{
	char *line, *rest;

	if (strcmp(request, "list")) {
		fputs(text, stdout);
		return;
	}
	printf("%8s %-16s %8s %9s %9s %9s %9s %s\n", "PID", "NAME", "OBJECTS", "MIB", "UNSAVED",
	       "SAVED", "GIVEN", "BACKGROUND");
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		print_row(line);
}
