// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "crew.h"
#include "stage.h"

const char *const stage_names[STAGES] = { "lane", "detect", "plan", "steer" };

/* Pipes by what goes through them, and their ends. */
enum {
	TO_LANE,
	TO_DETECT,
	LANES,
	OBJECTS,
	PLANS,
	COMMANDS,
	PIPES,
};

#define OUT_OF 0
#define INTO 1

/* The ends become 0, 1 and 3 of the child; they must not be one of these before. */
static int make_pipes(int pipes[PIPES][2])
{
	int i, end, low[2];

	for (i = 0; i < PIPES; i++) {
		if (pipe2(low, O_CLOEXEC)) {
			warn("cannot make a pipe");
			return -EMFILE;
		}
		for (end = 0; end < 2; end++) {
			pipes[i][end] = fcntl(low[end], F_DUPFD_CLOEXEC, STAGE_OBJECTS_FD + 1);
			close(low[end]);
			if (pipes[i][end] < 0) {
				warn("cannot make a pipe");
				return -EMFILE;
			}
		}
	}
	return 0;
}

static int start(struct crew_member *member, const char *directory, int in, int out, int objects)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/%s", directory, member->program);

	if (n < 0 || (size_t)n >= sizeof(path)) {
		warnx("the path of %s is too long", member->program);
		return -ENAMETOOLONG;
	}
	member->pid = fork();
	if (member->pid < 0) {
		warn("%s cannot begin", path);
		return -EAGAIN;
	}
	if (member->pid)
		return 0;
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	if (objects >= 0)
		dup2(objects, STAGE_OBJECTS_FD);
	execv(path, (char *const *)member->arguments);
	warn("cannot run %s", path);
	_exit(127);
}

static int start_all(struct crew *crew, const char *directory, int pipes[PIPES][2])
{
	struct crew_member *members = crew->members;
	int err = start(&members[STAGE_LANE], directory, pipes[TO_LANE][OUT_OF],
			pipes[LANES][INTO], -1);

	if (!err)
		err = start(&members[STAGE_DETECT], directory, pipes[TO_DETECT][OUT_OF],
			    pipes[OBJECTS][INTO], -1);
	if (!err)
		err = start(&members[STAGE_PLAN], directory, pipes[LANES][OUT_OF],
			    pipes[PLANS][INTO], pipes[OBJECTS][OUT_OF]);
	if (!err)
		err = start(&members[STAGE_STEER], directory, pipes[PLANS][OUT_OF],
			    pipes[COMMANDS][INTO], -1);
	return err;
}

/**
 * crew_start() - start the stages
 * @crew: the stages, with their programs and arguments
 * @directory: where their programs are
 *
 * Return: 0; or a negative errno, and the reason was said. End the crew in either case.
 */
int crew_start(struct crew *crew, const char *directory)
{
	int pipes[PIPES][2], i, end, err;

	memset(pipes, 0xff, sizeof(pipes));
	signal(SIGPIPE, SIG_IGN);
	err = make_pipes(pipes);
	if (!err)
		err = start_all(crew, directory, pipes);
	crew->frames[0] = pipes[TO_LANE][INTO];
	crew->frames[1] = pipes[TO_DETECT][INTO];
	crew->commands = pipes[COMMANDS][OUT_OF];
	for (i = 0; i < PIPES; i++)
		for (end = 0; end < 2; end++)
			if (pipes[i][end] >= 0 && pipes[i][end] != crew->frames[0] &&
			    pipes[i][end] != crew->frames[1] && pipes[i][end] != crew->commands)
				close(pipes[i][end]);
	return err;
}

/* Says what is wrong with the end of a stage, if anything. */
static bool ended_well(const struct crew_member *member, enum stage stage)
{
	int status = member->status;

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (WIFSIGNALED(status))
		warnx("the stage \"%s\" (process %d) was killed by signal %d (%s)",
		      stage_names[stage], (int)member->pid, WTERMSIG(status),
		      strsignal(WTERMSIG(status)));
	else
		warnx("the stage \"%s\" (process %d) ended with status %d", stage_names[stage],
		      (int)member->pid, WEXITSTATUS(status));
	return false;
}

/**
 * crew_end() - let the stages end, by closing their pipes, and wait for them
 * @crew: the stages
 *
 * Return: 0; -ECHILD, if one ended badly, and which one was said.
 */
int crew_end(struct crew *crew)
{
	int fds[] = { crew->frames[0], crew->frames[1], crew->commands }, i, err = 0;

	for (i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	for (i = 0; i < STAGES; i++) {
		struct crew_member *member = &crew->members[i];

		if (member->pid <= 0)
			continue;
		while (waitpid(member->pid, &member->status, 0) < 0 && errno == EINTR)
			;
		if (!ended_well(member, (enum stage)i))
			err = -ECHILD;
	}
	return err;
}
