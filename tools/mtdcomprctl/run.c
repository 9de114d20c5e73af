// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run.h"

/* Of execvp(): shells have the same. */
#define STATUS_NONE 127

static void child(char *const argv[])
{
	static const char *const environment[] = { "PATH=/usr/sbin:/sbin:/usr/bin:/bin", NULL };
	int fd = open("/dev/null", O_RDWR);

	if (fd >= 0) {
		dup2(fd, STDIN_FILENO);
		dup2(fd, STDOUT_FILENO);
	}
	/* Not in everybody's path. */
	environ = (char **)environment;
	execvp(argv[0], argv);
	_exit(STATUS_NONE);
}

/**
 * run_program() - run a program of the system's, without what it prints on its standard output
 * @argv: its name, and its arguments up to NULL
 *
 * Return: 0; -ENOENT, if there is no such program; -EIO, if it has failed, which it has said on
 * standard error; or another negative errno.
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
