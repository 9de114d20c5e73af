// SPDX-License-Identifier: GPL-2.0
/*
 * Opens and closes files at the same time: `openers TIMES FILE...`, with a process for each FILE.
 * Exit status 1 if an open failed.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_times(const char *path, unsigned long times)
{
	while (times--) {
		int fd = open(path, O_RDONLY);

		if (fd < 0) {
			perror(path);
			return 1;
		}
		close(fd);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int i, status, bad = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: openers TIMES FILE...\n");
		return 2;
	}
	for (i = 2; i < argc; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 2;
		if (!pid)
			_exit(open_times(argv[i], strtoul(argv[1], NULL, 0)));
	}
	while (wait(&status) > 0)
		bad |= status;
	return bad ? 1 : 0;
}
