// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "control.h"
#include "hook.h"

extern char **environ;

/* The command runs with the signals that this program began with. */
static int prepare_spawn(struct hook *hook)
{
	sigset_t set;
	int error = posix_spawn_file_actions_init(&hook->actions);

	if (!error)
		error = posix_spawnattr_init(&hook->attributes);
	/* What it prints is no part of the CSV. */
	if (!error)
		error = posix_spawn_file_actions_adddup2(&hook->actions, STDERR_FILENO,
							 STDOUT_FILENO);
	if (error) {
		warnx("cannot prepare the hook: %s", strerror(error));
		return -error;
	}
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&hook->attributes, &set);
	sigaddset(&set, SIGPIPE);
	posix_spawnattr_setsigdefault(&hook->attributes, &set);
	posix_spawnattr_setflags(&hook->attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	return 0;
}

/**
 * hook_begin() - divide a command into words
 * @hook: the hook
 * @command: the command, or "unix:" and the path of a socket; NULL: there is none
 *
 * Return: 0; -EINVAL, if it is no command, or another negative errno; the reason was said.
 */
int hook_begin(struct hook *hook, const char *command)
{
	unsigned int n = 0;
	char *word, *rest;

	memset(hook, 0, sizeof(*hook));
	if (!command)
		return 0;
	if (!strncmp(command, "unix:", 5)) {
		hook->socket = command + 5;
		return 0;
	}
	if (strlen(command) >= sizeof(hook->text)) {
		warnx("--hook: the command is too long: give less than %d characters", HOOK_TEXT);
		return -EINVAL;
	}
	strcpy(hook->text, command);
	for (word = strtok_r(hook->text, " \t\n", &rest); word && n <= HOOK_WORDS; n++) {
		hook->words[n] = word;
		word = strtok_r(NULL, " \t\n", &rest);
	}
	if (!n || n > HOOK_WORDS) {
		warnx("--hook: %s: give from 1 to %d words", n ? "too many words" : "no command",
		      HOOK_WORDS);
		return -EINVAL;
	}
	hook->words[n] = "fg";
	hook->words[n + 1] = hook->app;
	return prepare_spawn(hook);
}

/* Only the first failure is said: there may be as many as switches. */
static void fault(struct hook *hook, const char *how)
{
	if (!hook->failures++)
		warnx("the hook \"%s\" failed for %s: %s",
		      hook->socket ? hook->socket : hook->words[0], hook->app, how);
}

static void judge(struct hook *hook, int status)
{
	char how[32];

	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "signal %d", WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "status %d", WEXITSTATUS(status));
	if (status)
		fault(hook, how);
}

/* Returns 0; -EINTR, if a signal ends all: then nothing is left of the command. */
static int wait_for(struct watch *watch, pid_t pid, int *status)
{
	while (waitpid(pid, status, WNOHANG) != pid) {
		if (watch_wait(watch, -1, UINT64_MAX) == WATCH_END) {
			kill(pid, SIGKILL);
			waitpid(pid, status, 0);
			return -EINTR;
		}
	}
	return 0;
}

/* tell() - by the socket; who listens there answers soon */
static void tell(struct hook *hook)
{
	char request[32], reply[CONTROL_REPLY];
	int err;

	snprintf(request, sizeof(request), "fg %s", hook->app);
	err = control_ask(hook->socket, request, reply, sizeof(reply));
	if (err)
		fault(hook, strerror(-err));
	else if (strncmp(reply, "ok\n", 3))
		fault(hook, reply);
}

/**
 * hook_run() - run the command and wait for its end
 * @hook: the hook
 * @watch: takes the end of children that are other ones, too
 * @app: the name of the one that comes to the front
 *
 * Return: 0, also if it failed, which is counted; -EINTR, if a signal ends all.
 */
int hook_run(struct hook *hook, struct watch *watch, const char *app)
{
	int error, status;
	pid_t pid;

	snprintf(hook->app, sizeof(hook->app), "%s", app);
	if (hook->socket)
		tell(hook);
	if (!hook->words[0])
		return 0;
	error = posix_spawnp(&pid, hook->words[0], &hook->actions, &hook->attributes, hook->words,
			     environ);
	if (error) {
		fault(hook, strerror(error));
		return 0;
	}
	if (wait_for(watch, pid, &status))
		return -EINTR;
	judge(hook, status);
	return 0;
}

/**
 * hook_end() - give back what was taken
 * @hook: the hook
 */
void hook_end(struct hook *hook)
{
	if (!hook->words[0])
		return;
	posix_spawn_file_actions_destroy(&hook->actions);
	posix_spawnattr_destroy(&hook->attributes);
}
