// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "group.h"
#include "loadopt.h"
#include "program.h"
#include "sys.h"

#define VISIT "visit\n"

/**
 * program_run() - be the program
 * @entry: its name and command
 * @group: the directory of the control group that its own one is in, or NULL
 * @commands: where they come from
 * @answers: where to
 *
 * To be called in a new process. As an app does, it answers when it has begun.
 *
 * Return: the status of the process; not, if the program could be started.
 */
int program_run(const struct proglist_entry *entry, const char *group, int commands, int answers)
{
	char command[sizeof("exec ") + PROGLIST_COMMAND];

	/* Its other processes end with it. */
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	if (group_enter(group, entry->name))
		return STATUS_FAILED;
	snprintf(command, sizeof(command), "exec %s", entry->command);
	if (write(answers, "\n", 1) == 1 && dup2(commands, STDIN_FILENO) >= 0 &&
	    dup2(answers, STDOUT_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	warn("%s: cannot start /bin/sh", entry->name);
	return STATUS_FAILED;
}

/**
 * program_begun() - a process was started for it
 * @program: the program
 */
void program_begun(struct program *program)
{
	program->asked = false;
	program->length = 0;
}

/* The faults of a process, of which there are none where nobody can tell. */
static struct app_answer faults_of(pid_t pid)
{
	struct app_answer faults = { 0 };
	unsigned long long minor, major;
	char path[32], text[1024];
	const char *rest;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (sys_read(path, text, sizeof(text)) <= 0)
		return faults;
	/* The name may have brackets in it. */
	rest = strrchr(text, ')');
	if (rest && sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu", &minor,
			   &major) == 2) {
		faults.minor_faults = minor;
		faults.major_faults = major;
	}
	return faults;
}

static struct app_answer faults_since(const struct app_answer *before, pid_t pid)
{
	struct app_answer faults = faults_of(pid);

	if (faults.minor_faults < before->minor_faults ||
	    faults.major_faults < before->major_faults)
		return (struct app_answer){ 0 };
	faults.minor_faults -= before->minor_faults;
	faults.major_faults -= before->major_faults;
	return faults;
}

static int found_wrong(const struct program *program, const char *what)
{
	warnx("wrong data: %s: %s", program->entry->name, what);
	return -EBADMSG;
}

/**
 * program_ask() - it comes to the front
 * @program: the program
 * @pid: its process
 * @commands: pipe to it
 * @answers: pipe from it
 *
 * Return: 0; -EPIPE, if it has ended; -EBADMSG, if it has answered already, which was said.
 */
int program_ask(struct program *program, pid_t pid, int commands, int answers)
{
	struct pollfd early = { .fd = answers, .events = POLLIN };

	if (poll(&early, 1, 0) == 1 && early.revents & POLLIN)
		return found_wrong(program, "it answered when nobody had asked");
	program->before = faults_of(pid);
	program->asked = true;
	return write(commands, VISIT, strlen(VISIT)) == (ssize_t)strlen(VISIT) ? 0 : -EPIPE;
}

static int compare(struct program *program)
{
	if (!program->answered) {
		strcpy(program->first, program->line);
		program->answered = true;
	}
	if (!strcmp(program->first, program->line))
		return 0;
	warnx("wrong data: %s answered \"%.40s\" instead of \"%.40s\"", program->entry->name,
	      program->line, program->first);
	return -EBADMSG;
}

/**
 * program_read() - read what has come of an answer
 * @program: the program
 * @pid: its process
 * @answers: pipe from it, which can be read
 * @answer: if it is complete: faults since the question
 *
 * Return: 0; -EAGAIN, if there will be more; -EPIPE, if it has ended; -EBADMSG, if it is not the
 * same answer as before, or none at all, which was said.
 */
int program_read(struct program *program, pid_t pid, int answers, struct app_answer *answer)
{
	char *line = program->line, *end;
	ssize_t n = read(answers, line + program->length, sizeof(program->line) - program->length);

	if (n <= 0)
		return -EPIPE;
	program->length += (size_t)n;
	end = memchr(line, '\n', program->length);
	if (!end && program->length < sizeof(program->line))
		return -EAGAIN;
	if (!end)
		return found_wrong(program, "its answer is too long a line");
	if (end + 1 != line + program->length)
		return found_wrong(program, "it answered more than one line");
	*end = '\0';
	program->length = 0;
	if (!program->asked)
		return 0;
	program->asked = false;
	*answer = faults_since(&program->before, pid);
	return compare(program);
}

/**
 * program_kill_rest() - end the other processes of a program
 * @pid: its first one, which has just ended, or is being ended
 */
void program_kill_rest(pid_t pid)
{
	kill(-pid, SIGKILL);
}
