// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "control.h"
#include "sys.h"
#include "tell.h"

extern char **environ;

/**
 * tell_begin() - take the command apart, if there is one
 * @tell: filled in
 * @options: of the command line; they have to stay
 *
 * Return: 0; -EINVAL, if it is no command: that was said.
 */
int tell_begin(struct tell *tell, const struct options *options)
{
	char *word, *rest;

	memset(tell, 0, sizeof(*tell));
	tell->options = options;
	tell->running = -1;
	if (!options->command)
		return 0;
	if (strlen(options->command) >= sizeof(tell->text)) {
		warnx("--command: it is too long: give less than %d characters", TELL_TEXT);
		return -EINVAL;
	}
	strcpy(tell->text, options->command);
	word = strtok_r(tell->text, " \t\n", &rest);
	for (; word && tell->n <= TELL_WORDS; word = strtok_r(NULL, " \t\n", &rest))
		tell->words[tell->n++] = word;
	if (tell->n && tell->n <= TELL_WORDS)
		return 0;
	warnx("--command: %s: give from 1 to %d words", tell->n ? "too many words" : "no command",
	      TELL_WORDS);
	return -EINVAL;
}

/* Returns FRONT_NOBODY, which is said once, until somebody answers again. */
static enum front_answer lose(struct tell *tell, const char *what, const char *why)
{
	if (!tell->lost)
		warnx("%s: %s; the next try is at the next switch", what, why);
	tell->lost = true;
	return FRONT_NOBODY;
}

static enum front_answer find(struct tell *tell)
{
	if (tell->lost)
		warnx("%s answers again", tell->n ? tell->words[0] : "rectifyd");
	tell->lost = false;
	return FRONT_DONE;
}

/* Returns FRONT_REFUSED. The same words again are of the same app: they are said once. */
static enum front_answer refuse(struct tell *tell, const char *why)
{
	char text[sizeof(tell->refusal)];

	find(tell);
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(why, "\n"), why);
	if (strcmp(text, tell->refusal))
		warnx("rectifyd: %s", text);
	strcpy(tell->refusal, text);
	return FRONT_REFUSED;
}

static enum front_answer ask(struct tell *tell)
{
	const char *path = tell->options->socket;
	char request[CONTROL_REQUEST], reply[CONTROL_REPLY];
	int err;

	snprintf(request, sizeof(request), "%s %s", tell->request.verb, tell->request.name);
	err = control_ask(path, request, reply, sizeof(reply));
	if (err == -EACCES || err == -EPERM)
		return lose(tell, path, "it is root's: see --command");
	if (err)
		return lose(tell, path, err == -ECONNREFUSED || err == -ENOENT ?
					"no rectifyd answers" : strerror(-err));
	if (!strncmp(reply, "ok\n", 3))
		return find(tell);
	/* A socket that others may open, too, but answers root alone. */
	if (!strncmp(reply, "error the socket is root's", 26))
		return lose(tell, path, "it is root's: see --command");
	return refuse(tell, strncmp(reply, "error ", 6) ? reply : reply + 6);
}

/* start() - a process of the command; what it reads is nobody's */
static int start(struct tell *tell)
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawnp(&tell->pid, tell->words[0], &actions, NULL, tell->words,
				     environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Returns 1: it runs; 0: @answer. */
static int run(struct tell *tell, enum front_answer *answer)
{
	int error;

	tell->words[tell->n] = (char *)tell->request.verb;
	tell->words[tell->n + 1] = tell->request.name;
	tell->words[tell->n + 2] = NULL;
	error = start(tell);
	if (error) {
		*answer = lose(tell, tell->words[0], strerror(error));
		return 0;
	}
	tell->running = sys_pidfd_open(tell->pid);
	if (tell->running >= 0)
		return 1;
	/* A kernel that is older than rectifyd wants: then it is waited for. */
	*answer = tell_end(tell);
	return 0;
}

/**
 * tell_send() - tell it
 * @tell: how
 * @request: what; nothing is running
 * @answer: to it
 *
 * Return: 0; 1: there is no answer yet, but tell_end() has it when @tell->running is readable; or
 * a negative errno, if standard output takes nothing: that was said.
 */
int tell_send(struct tell *tell, const struct front_request *request, enum front_answer *answer)
{
	tell->request = *request;
	if (tell->n)
		return run(tell, answer);
	if (!tell->options->print) {
		*answer = ask(tell);
		return 0;
	}
	*answer = FRONT_DONE;
	if (printf("%s %s\n", request->verb, request->name) > 0 && !fflush(stdout))
		return 0;
	warn("cannot write to standard output");
	return -EIO;
}

/**
 * tell_end() - the command has ended; if not, it is waited for
 * @tell: how it was told
 *
 * Return: its answer.
 */
enum front_answer tell_end(struct tell *tell)
{
	char why[64];
	int status = 0;

	if (tell->running >= 0)
		close(tell->running);
	tell->running = -1;
	while (waitpid(tell->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!status)
		return find(tell);
	if (WIFSIGNALED(status))
		snprintf(why, sizeof(why), "ended by signal %d", WTERMSIG(status));
	else
		snprintf(why, sizeof(why), "status %d", WEXITSTATUS(status));
	/* Whether the daemon is not there, or knows no such app: the command has said it. */
	lose(tell, tell->words[0], why);
	return FRONT_REFUSED;
}
