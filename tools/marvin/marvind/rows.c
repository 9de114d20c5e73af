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
	unsigned long long objects, kib, given, out;
	char name[32], background[8], all[24], lazy[24], gone[24];
	int pid;

	if (sscanf(line,
		   "process: pid=%d name=%31s objects=%llu kib=%llu given_kib=%llu out_kib=%llu "
		   "background=%7s",
		   &pid, name, &objects, &kib, &given, &out, background) != 7)
		return;
	printf("%8d %-16s %8llu %9s %9s %9s %s\n", pid, name, objects, mib(kib, all, sizeof(all)),
	       mib(given, lazy, sizeof(lazy)), mib(out, gone, sizeof(gone)), background);
}

/**
 * rows_print() - an answer of marvind
 * @request: what was asked; a list has a line for each program
 * @text: the answer
 */
void rows_print(const char *request, char *text)
{
	char *line, *rest;

	if (strcmp(request, "list")) {
		fputs(text, stdout);
		return;
	}
	printf("%8s %-16s %8s %9s %9s %9s %s\n", "PID", "NAME", "OBJECTS", "MIB", "GIVEN", "OUT",
	       "BACKGROUND");
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		print_row(line);
}
