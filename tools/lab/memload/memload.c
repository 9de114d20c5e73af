// SPDX-License-Identifier: GPL-2.0
/*
 * memload: loads on memory.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include "loads.h"
#include "options.h"

static const char usage[] =
	"usage: memload anon [OPTION...]\n"
	"       memload file-once|file-loop [OPTION...] FILE...\n"
	"       memload pattern [OPTION...] FILE\n"
	"       memload apps [OPTION...]\n"
	"memload LOAD -h shows the options. \n"
	"Exit status: 0 right; 1 an error; 2 wrong usage; 3 wrong bytes.\n";

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} loads[] = {
	{ "anon", load_anon }, { "file-once", load_files }, { "file-loop", load_files },
	{ "pattern", load_pattern }, { "apps", load_apps },
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")))
		return fputs(usage, stdout) < 0 || fflush(stdout) ? STATUS_FAILED : 0;
	for (i = 0; argc > 1 && i < sizeof(loads) / sizeof(loads[0]); i++)
		if (!strcmp(argv[1], loads[i].name))
			return loads[i].run(argc - 1, argv + 1);
	errx(STATUS_USAGE, "give a load: anon, file-once, file-loop, pattern or apps");
}
