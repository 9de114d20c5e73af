// SPDX-License-Identifier: GPL-2.0
/*
 * The processes of the apps: their list, start, questions and answers, and page faults.
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "options.h"
#include "program.h"
#include "sys.h"

#define BLANKS " \t"

/* A name is also a directory's name and a word of a request. */
static bool is_name(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr(i ? "._-" : "_", text[i]))
			return false;
	return length && length < PROGRAM_NAME;
}

/* Returns NULL, or an error message. */
static const char *parse_line(struct program *programs, unsigned int n, char *line)
{
	size_t name = strcspn(line, BLANKS);
	char *command = line + name + strspn(line + name, BLANKS);
	unsigned int i;

	if (n == APPS_MOST)
		return "more than 32 programs";
	if (!is_name(line, name))
		return "give a name of 1 to 15 letters, digits, . _ and -";
	if (!*command || strlen(command) >= PROGRAM_COMMAND)
		return "give a command after the name, of less than 512 characters";
	line[name] = '\0';
	for (i = 0; i < n; i++)
		if (!strcmp(programs[i].name, line))
			return "that name is there already";
	strcpy(programs[n].name, line);
	strcpy(programs[n].command, command);
	return NULL;
}

/**
 * programs_read() - read a list of programs: a name and a command in each line
 * @programs: the programs, APPS_MOST at most
 * @name: name of the file; it may have empty lines and lines that begin with "#"
 *
 * Ends the program with a message if the list is wrong.
 *
 * Return: number of programs.
 */
unsigned int programs_read(struct program *programs, const char *name)
{
	static char text[APPS_MOST * 600];
	ssize_t size = sys_read(name, text, sizeof(text));
	unsigned int n = 0, nr = 0;
	char *line, *rest = text;
	const char *wrong;

	if (size < 0)
		errx(STATUS_FAILED, "cannot read %s: %s", name, strerror((int)-size));
	while ((line = strsep(&rest, "\n"))) {
		nr++;
		if (!*line || *line == '#')
			continue;
		wrong = parse_line(programs, n, line);
		if (wrong)
			errx(STATUS_USAGE, "%s:%u: %s", name, nr, wrong);
		n++;
	}
	if (!n)
		errx(STATUS_USAGE, "%s: no program: give a name and a command in a line", name);
	return n;
}

/**
 * program_enter_group() - move this process to a control group; make the group if needed
 * @dir: directory of the parent group; NULL: do nothing
 * @name: name of the group
 *
 * Context: call it before allocating memory, which stays charged to its first group.
 *
 * Return: 0, or a negative errno after an error message.
 */
int program_enter_group(const char *dir, const char *name)
{
	char path[4096];
	int fd;

	if (!dir)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (mkdir(path, 0755) && errno != EEXIST) {
		warn("%s: cannot make the group %s", name, path);
		return -EIO;
	}
	snprintf(path, sizeof(path), "%s/%s/cgroup.procs", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	/* 0 means the writing process. */
	if (fd < 0 || write(fd, "0", 1) != 1) {
		warn("%s: cannot enter the group by %s", name, path);
		return -EIO;
	}
	close(fd);
	return 0;
}

/**
 * program_exec() - execute the program
 * @program: the program
 *
 * Return: exit status if it can't be started.
 */
int program_exec(const struct program *program)
{
	char command[sizeof("exec ") + PROGRAM_COMMAND];

	/* A group of its own, so that its children can be killed with it. */
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	snprintf(command, sizeof(command), "exec %s", program->command);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	warn("%s: cannot start /bin/sh", program->name);
	return STATUS_FAILED;
}

/* Zero if /proc has no numbers. */
static struct faults faults_of(pid_t pid)
{
	unsigned long long minor = 0, major = 0;
	char path[32], text[1024];
	const char *rest;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	sys_read(path, text, sizeof(text));
	/* The name may have brackets in it. */
	rest = strrchr(text, ')');
	if (!rest || sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu", &minor,
			    &major) != 2)
		return (struct faults){ 0 };
	return (struct faults){ major, minor };
}

static int found_wrong(const struct program *program, const char *what)
{
	warnx("wrong data: %s: %s", program->name, what);
	return -EBADMSG;
}

/**
 * program_ask() - bring the program to the front
 * @program: the program
 *
 * Return: 0; -EPIPE if it has ended; -EBADMSG after a message if it has answered already.
 */
int program_ask(struct program *program)
{
	struct pollfd early = { .fd = program->answers, .events = POLLIN };

	if (poll(&early, 1, 0) == 1 && early.revents & POLLIN)
		return found_wrong(program, "it answered when nobody had asked");
	program->faults = faults_of(program->pid);
	program->asked = true;
	return write(program->commands, APP_VISIT, strlen(APP_VISIT)) < 0 ? -EPIPE : 0;
}

/**
 * program_leave() - send a synthetic app to the background
 * @program: the program; if it has ended, the next visit notices
 */
void program_leave(struct program *program)
{
	if (program->pid && !*program->command &&
	    write(program->commands, APP_LEAVE, strlen(APP_LEAVE)) < 0)
		warnx("%s has ended", program->name);
}

/* Handles an answer: count faults since the question, compare it with the first answer. */
static int judge_answer(struct program *program)
{
	struct faults now = faults_of(program->pid), *before = &program->faults;

	program->asked = false;
	if (!*program->line)
		return found_wrong(program, "its answer is an empty line");
	if (now.major < before->major || now.minor < before->minor)
		*before = now;
	*before = (struct faults){ now.major - before->major, now.minor - before->minor };
	if (!*program->first)
		strcpy(program->first, program->line);
	if (!strcmp(program->first, program->line))
		return 0;
	warnx("wrong data: %s answered \"%.40s\" instead of \"%.40s\"", program->name,
	      program->line, program->first);
	return -EBADMSG;
}

/**
 * program_read() - read a part of an answer; the first answer means that the program is ready
 * @program: the program, with a readable pipe
 *
 * Return: 0; -EAGAIN for an incomplete line; -EPIPE if it has ended; -EBADMSG after a message if
 * the answer differs from the first one or is too long.
 */
int program_read(struct program *program)
{
	char *line = program->line, *end;
	ssize_t n = read(program->answers, line + program->length, PROGRAM_LINE - program->length);

	if (n <= 0)
		return -EPIPE;
	program->length += (size_t)n;
	end = memchr(line, '\n', program->length);
	if (!end && program->length < PROGRAM_LINE)
		return -EAGAIN;
	if (!end)
		return found_wrong(program, "its answer is too long a line");
	if (end + 1 != line + program->length)
		return found_wrong(program, "it answered more than one line");
	*end = '\0';
	program->length = 0;
	return program->asked ? judge_answer(program) : 0;
}

/**
 * program_hang_up() - close its pipes, which ends a synthetic app
 * @program: the program
 */
void program_hang_up(struct program *program)
{
	if (program->commands >= 0)
		close(program->commands);
	if (program->answers >= 0)
		close(program->answers);
	program->commands = -1;
	program->answers = -1;
}

/**
 * program_kill_group() - kill all processes of a program; does nothing for a synthetic app
 * @program: the program
 */
void program_kill_group(const struct program *program)
{
	if (*program->command)
		kill(-program->pid, SIGKILL);
}
