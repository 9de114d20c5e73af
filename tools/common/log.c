// SPDX-License-Identifier: GPL-2.0
/* Log lines of a daemon, on standard error or to the system's log. Nothing is allocated. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "log.h"
#include "sys.h"

/* syslog()'s facility for daemons. */
#define FACILITY (3 << 3)

/* Lines in 30 s; the others are counted. Users can cause lines, but not fill the log: guesses. */
#define LINES 300
#define SECONDS 30
/* With the newline. */
#define LINE_BYTES 1024

static struct {
	const char *name;
	enum log_level level;
	int socket;
	bool connected;			/* to /dev/log */
	bool prefix;			/* the journal wants "<6>" before each line */
	time_t since;			/* when it was counted from */
	unsigned int lines;
	unsigned int left_out;
} out = { .name = "policy", .level = LOG_LEVEL_INFO, .socket = -1 };

/* connect_log() - also to the socket of a log daemon that has been started again */
static int connect_log(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/dev/log", sys_root());
	out.connected = !connect(out.socket, (struct sockaddr *)&addr, sizeof(addr));
	return out.connected ? 0 : -errno;
}

/**
 * log_open() - say where log lines go
 * @name: the program's, at the beginning of each line
 * @to_system: to /dev/log, not to standard error. syslog() would allocate memory.
 *
 * Return: 0, or a negative errno without a /dev/log: until it comes lines go to standard error.
 */
int log_open(const char *name, bool to_system, enum log_level level)
{
	out.name = name;
	out.level = level;
	out.prefix = !!getenv("JOURNAL_STREAM");
	if (!to_system)
		return 0;
	out.socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return out.socket < 0 ? -errno : connect_log();
}

/** log_level() - another last level that is logged */
void log_level(enum log_level level)
{
	out.level = level;
}

/** log_fd() - the socket of the system's log; negative without */
int log_fd(void)
{
	return out.socket;
}

static bool send_line(const char *line, size_t n)
{
	if (send(out.socket, line, n, MSG_NOSIGNAL) >= 0)
		return true;
	/* Its queue is full. */
	if (errno == EAGAIN)
		return false;
	return !connect_log() && send(out.socket, line, n, MSG_NOSIGNAL) >= 0;
}

static void put_line(enum log_level level, const char *text)
{
	char line[LINE_BYTES], head[64];
	size_t n;

	if (out.socket >= 0 && !out.connected)
		connect_log();
	if (out.connected)
		snprintf(head, sizeof(head), "<%d>%s[%d]: ", FACILITY | (int)level, out.name,
			 getpid());
	else if (out.prefix)
		snprintf(head, sizeof(head), "<%d>", (int)level);
	else
		snprintf(head, sizeof(head), "%s: ", out.name);
	snprintf(line, sizeof(line) - 1, "%s%s", head, text);
	n = strlen(line);
	if (out.connected && send_line(line, n))
		return;
	line[n++] = '\n';
	if (write(STDERR_FILENO, line, n) < 0)
		return;
}

/* is_too_much() - has this line to be left out? Never at debug */
static bool is_too_much(void)
{
	char text[64];
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec - out.since >= SECONDS) {
		snprintf(text, sizeof(text), "%u lines were left out in %d seconds", out.left_out,
			 SECONDS);
		if (out.left_out)
			put_line(LOG_LEVEL_WARN, text);
		out.since = now.tv_sec;
		out.lines = 0;
		out.left_out = 0;
	}
	if (out.level >= LOG_LEVEL_DEBUG || ++out.lines <= LINES)
		return false;
	out.left_out++;
	return true;
}

/**
 * log_line() - write one line, without a newline in @format
 *
 * A line that does not fit is cut. A line that cannot be written is lost: the daemon goes on. After
 * LINES in SECONDS the rest of these seconds' lines are counted only.
 */
void log_line(enum log_level level, const char *format, ...)
{
	char text[LINE_BYTES];
	va_list args;

	if (level > out.level || is_too_much())
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_line(level, text);
}
