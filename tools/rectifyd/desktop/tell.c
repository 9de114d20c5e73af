// SPDX-License-Identifier: GPL-2.0
/*
 * The main loop of both programs. They tell the daemon by its socket or by a command, or only print
 * lines. An error that repeats at each switch is printed once.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "control.h"
#include "daemon.h"
#include "sys.h"
#include "tell.h"
#include "version.h"

/* Of --command, at most. */
#define TELL_WORDS 32
#define TELL_TEXT 1024

enum {
	OPTION_COMMAND = 256,
	OPTION_PRINT,
	OPTION_MAP,
};

static struct options options;

static struct {
	char *words[TELL_WORDS + 3];	/* of the command, then the request and NULL */
	unsigned int n;			/* words of the command; 0: no command */
	char text[TELL_TEXT];		/* of the command */
	struct front_request request;	/* the last one */
	int running;			/* pidfd of the running command, or -1 */
	pid_t pid;			/* of the command */
	bool lost;			/* no daemon answered, and that was printed */
	char refusal[160];		/* the last refusal that was printed */
} tell = { .running = -1 };

static bool set_group(const char *text)
{
	if (text[0] != '/')
		warnx("-p %s: give a control group, such as /apps", text);
	options.group = text;
	return text[0] == '/';
}

static bool set_option(const struct watcher *watcher, int option, const char *text,
		       const char *word)
{
	switch (option) {
	case 's':
		options.socket = text;
		return true;
	case OPTION_COMMAND:
		options.command = text;
		return true;
	case OPTION_PRINT:
		options.print = true;
		return true;
	case 'p':
		if (watcher->groups)
			return set_group(text);
		word = "-p";
		break;
	case OPTION_MAP:
		if (watcher->maps)
			return name_add_map(&options.maps, text);
		word = "--map";
		break;
	case 'h':
	case 'V':
		if (option == 'h')
			fputs(watcher->usage, stdout);
		else
			printf("%s " VERSION "\n", program_invocation_short_name);
		exit(fflush(stdout) ? STATUS_FAILED : 0);
	}
	warnx("%s: no such option, or its value is missing: see %s -h", word,
	      program_invocation_short_name);
	return false;
}

/* is_complete() - at most one way to tell the daemon, and no word after the options */
static bool is_complete(const char *word)
{
	if (word) {
		warnx("\"%s\": it takes options only; see %s -h", word,
		      program_invocation_short_name);
		return false;
	}
	if ((options.socket ? 1 : 0) + (options.command ? 1 : 0) + options.print > 1) {
		warnx("-s, --command and --print: give one of them");
		return false;
	}
	return true;
}

/* parse_line() - false: the error was printed. -h and -V end the program. */
static bool parse_line(const struct watcher *watcher, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "command", required_argument, NULL, OPTION_COMMAND },
		{ "print", no_argument, NULL, OPTION_PRINT },
		{ "map", required_argument, NULL, OPTION_MAP },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	options.group = "";
	opterr = 0;
	while ((option = getopt_long(argc, argv, "s:p:hV", longs, NULL)) != -1)
		if (!set_option(watcher, option, optarg, argv[optind - 1]))
			return false;
	if (!is_complete(argv[optind]))
		return false;
	if (!options.socket)
		options.socket = DAEMON_SOCKET("rectifyd");
	return true;
}

/* parse_command() - split --command into words; false: the error was printed */
static bool parse_command(void)
{
	char *word, *rest;

	if (!options.command)
		return true;
	if (strlen(options.command) >= sizeof(tell.text)) {
		warnx("--command: it is too long: give less than %d characters", TELL_TEXT);
		return false;
	}
	strcpy(tell.text, options.command);
	word = strtok_r(tell.text, " \t\n", &rest);
	for (; word && tell.n <= TELL_WORDS; word = strtok_r(NULL, " \t\n", &rest))
		tell.words[tell.n++] = word;
	if (tell.n && tell.n <= TELL_WORDS)
		return true;
	warnx("--command: %s: give from 1 to %d words", tell.n ? "too many words" : "no command",
	      TELL_WORDS);
	return false;
}

/* say_lost() - print that no daemon answers, once until one does; returns FRONT_NOBODY */
static enum front_answer say_lost(const char *what, const char *why)
{
	if (!tell.lost)
		warnx("%s: %s; the next try is at the next switch", what, why);
	tell.lost = true;
	return FRONT_NOBODY;
}

static enum front_answer answered(void)
{
	if (tell.lost)
		warnx("%s answers again", tell.n ? tell.words[0] : "rectifyd");
	tell.lost = false;
	return FRONT_DONE;
}

/* say_refused() - print the daemon's error, unless it is the same again; returns FRONT_REFUSED */
static enum front_answer say_refused(const char *why)
{
	char text[sizeof(tell.refusal)];

	answered();
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(why, "\n"), why);
	if (strcmp(text, tell.refusal))
		warnx("rectifyd: %s", text);
	strcpy(tell.refusal, text);
	return FRONT_REFUSED;
}

static enum front_answer ask_socket(void)
{
	const char *path = options.socket;
	char request[CONTROL_REQUEST], reply[CONTROL_REPLY];
	int err;

	snprintf(request, sizeof(request), "%s %s", tell.request.verb, tell.request.name);
	err = control_ask(path, request, reply, sizeof(reply));
	if (err == -EACCES || err == -EPERM)
		return say_lost(path, "it is root's: see --command");
	if (err)
		return say_lost(path, err == -ECONNREFUSED || err == -ENOENT ?
					"no rectifyd answers" : strerror(-err));
	if (!strncmp(reply, "ok\n", 3))
		return answered();
	/* Other users may open the socket, but the daemon serves root only. */
	if (!strncmp(reply, "error the socket is root's", 26))
		return say_lost(path, "it is root's: see --command");
	return say_refused(strncmp(reply, "error ", 6) ? reply : reply + 6);
}

/* end_command() - wait for the command; returns its answer */
static enum front_answer end_command(void)
{
	char why[64];
	int status = 0;

	if (tell.running >= 0)
		close(tell.running);
	tell.running = -1;
	while (waitpid(tell.pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!status)
		return answered();
	if (WIFSIGNALED(status))
		snprintf(why, sizeof(why), "ended by signal %d", WTERMSIG(status));
	else
		snprintf(why, sizeof(why), "status %d", WEXITSTATUS(status));
	/* The command has printed the reason: no daemon, or an unknown app. */
	say_lost(tell.words[0], why);
	return FRONT_REFUSED;
}

/* start_command() - with an empty standard input; returns an errno */
static int start_command(void)
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawnp(&tell.pid, tell.words[0], &actions, NULL, tell.words,
				     environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* run_command() - 1: the command runs; 0: it has ended with @answer */
static int run_command(enum front_answer *answer)
{
	int error;

	tell.words[tell.n] = (char *)tell.request.verb;
	tell.words[tell.n + 1] = tell.request.name;
	tell.words[tell.n + 2] = NULL;
	error = start_command();
	if (error) {
		*answer = say_lost(tell.words[0], strerror(error));
		return 0;
	}
	tell.running = sys_pidfd_open(tell.pid);
	if (tell.running >= 0)
		return 1;
	/* The kernel has no pidfd_open(), which is from Linux 5.3: wait here. */
	*answer = end_command();
	return 0;
}

/*
 * send_request() - 0: @answer; 1: end_command() has the answer when tell.running is readable;
 * negative errno: cannot write to standard output, which was printed
 */
static int send_request(const struct front_request *request, enum front_answer *answer)
{
	tell.request = *request;
	if (tell.n)
		return run_command(answer);
	if (!options.print) {
		*answer = ask_socket();
		return 0;
	}
	*answer = FRONT_DONE;
	if (printf("%s %s\n", request->verb, request->name) > 0 && !fflush(stdout))
		return 0;
	warn("cannot write to standard output");
	return -EIO;
}

/* send_due() - send all due requests; returns ms to wait, or -1; sets @status to end the program */
static int send_due(struct front *front, int *status)
{
	struct front_request request;
	enum front_answer answer;
	int wait_ms, err;

	/* While a command runs the front may change; only the newest state is sent after it. */
	while (tell.running < 0) {
		wait_ms = front_next(front, sys_now_us() / 1000, &request);
		if (wait_ms)
			return wait_ms;
		err = send_request(&request, &answer);
		if (err < 0)
			*status = STATUS_FAILED;
		if (err)
			return -1;
		front_answer(front, &request, answer);
	}
	return -1;
}

/* watch_display() - run until the display is gone; returns the exit status */
static int watch_display(const struct watcher *watcher, int fd)
{
	struct front front = { .want = "" };
	char name[FRONT_NAME];
	int wait_ms, status = 0;

	for (;;) {
		struct pollfd fds[2] = { { .fd = fd, .events = POLLIN } };

		if (!watcher->take(name))
			return STATUS_FAILED;
		front_event(&front, name, sys_now_us() / 1000);
		wait_ms = send_due(&front, &status);
		if (status)
			return status;
		fds[1].fd = tell.running;
		fds[1].events = POLLIN;
		if (poll(fds, 2, wait_ms) < 0 && errno != EINTR) {
			warn("cannot wait");
			return STATUS_FAILED;
		}
		if (fds[1].revents)
			front_answer(&front, &tell.request, end_command());
	}
}

/**
 * tell_main() - main() of both programs; runs until the display is gone
 * @watcher: the display
 * @argc: as of main()
 * @argv: as of main()
 *
 * Return: the exit status.
 */
int tell_main(const struct watcher *watcher, int argc, char **argv)
{
	int fd, status = STATUS_FAILED;

	if (!parse_line(watcher, argc, argv) || !parse_command())
		return STATUS_USAGE;
	fd = watcher->connect(&options);
	if (fd >= 0)
		status = watch_display(watcher, fd);
	watcher->disconnect();
	return status;
}
