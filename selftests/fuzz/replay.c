// SPDX-License-Identifier: GPL-2.0
/*
 * Replaces libFuzzer: run each named file once, and print their number. If a file ends the run,
 * print its name.
 */
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

static const char *now;

static void say_which(int sig)
{
	static const char what[] = "replay: this one was the end: ";

	/* Only write() is safe in a signal handler. */
	if (write(2, what, sizeof(what) - 1) < 0 || write(2, now, strlen(now)) < 0 ||
	    write(2, "\n", 1) < 0)
		_exit(2);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void run(const char *name)
{
	struct stat info;
	FILE *file = fopen(name, "rb");
	u8 *data;

	if (!file || fstat(fileno(file), &info))
		fuzz_die("can't read %s", name);
	data = malloc(info.st_size ? info.st_size : 1);
	if (!data || fread(data, 1, info.st_size, file) != (size_t)info.st_size)
		fuzz_die("can't read %s", name);
	fclose(file);
	now = name;
	fuzz_one(data, info.st_size);
	free(data);
}

int main(int argc, char **argv)
{
	int i;

	/* The sanitizers abort, too. */
	signal(SIGABRT, say_which);
	for (i = 1; i < argc; i++)
		run(argv[i]);
	printf("%d\n", argc - 1);
	return 0;
}
