// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run.h"

/* Exit status if execvp() fails, the same as in shells. */
#define STATUS_NONE 127

static void child(char *const argv[])
{
	static const char *const environment[] = { "PATH=/usr/sbin:/sbin:/usr/bin:/bin", NULL };
	int fd = open("/dev/null", O_RDWR);

	if (fd >= 0) {
		dup2(fd, STDIN_FILENO);
		dup2(fd, STDOUT_FILENO);
	}
	/* A user's PATH may lack /sbin. */
	environ = (char **)environment;
	execvp(argv[0], argv);
	_exit(STATUS_NONE);
}

/**
 * run_program() - run a program of the system; discard its standard output
 * @argv: its name and arguments, NULL at the end
 *
 * Return: 0; -ENOENT if the program is missing; -EIO if it failed (its message went to standard
 * error); or another negative errno.
 */
int run_program(char *const argv[])
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		child(argv);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NONE)
		return -ENOENT;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}
