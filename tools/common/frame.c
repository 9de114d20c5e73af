// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "control.h"
#include "frame.h"
#include "guard.h"
#include "log.h"
#include "sys.h"
#include "undo.h"
#include "version.h"

/* The guardian of a daemon that has died needs less than that. */
#define LOCK_TRIES 20
#define LOCK_WAIT_US 100000

enum { OPT_CHECK = 256, OPT_ONCE, OPT_DRY_RUN };

static const struct option long_options[] = {
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "once", no_argument, NULL, OPT_ONCE },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "config", required_argument, NULL, 'c' },
	{ "mode", required_argument, NULL, 'm' },
	{ "program", required_argument, NULL, 'p' },
	{ "protect", required_argument, NULL, 'p' },
	{ "option", required_argument, NULL, 'o' },
	{ "foreground", no_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static int add_setting(struct frame_options *options, const char *key, const char *value)
{
	char *text = NULL;

	if (options->n_settings == FRAME_SETTINGS || asprintf(&text, "%s%s", key, value) < 0)
		return -ENOMEM;
	options->settings[options->n_settings++] = text;
	return 0;
}

/* take() - one option; 0, -ENOMEM, or an exit status and one more */
static int take(const struct frame_names *names, struct frame_options *options, int c)
{
	switch (c) {
	case 'c':
		options->config_path = optarg;
		return 0;
	case 'm':
		return add_setting(options, names->mode_key, optarg);
	case 'p':
		return add_setting(options, names->who_key, optarg);
	case 'o':
		return add_setting(options, "", optarg);
	case 's':
		options->socket_path = optarg;
		return 0;
	case 'S':
		options->state_path = optarg;
		return 0;
	case 'f':
		options->foreground = true;
		return 0;
	case OPT_CHECK:
		options->check = true;
		return 0;
	case OPT_ONCE:
		options->once = true;
		return 0;
	case OPT_DRY_RUN:
		options->dry_run = true;
		return 0;
	case 'h':
		fputs(names->usage, stdout);
		return 1;
	case 'V':
		printf("%s %s\n", names->name, VERSION);
		return 1;
	}
	return 3;
}

/**
 * frame_parse() - read the command line of a daemon
 * @names: of the daemon
 * @argc: of main()
 * @argv: of main()
 * @options: filled in
 *
 * Return: 0; or an exit status and one more, and all is said.
 */
int frame_parse(const struct frame_names *names, int argc, char **argv,
		struct frame_options *options)
{
	int c, err = 0;

	memset(options, 0, sizeof(*options));
	options->socket_path = names->socket;
	options->state_path = names->state;
	while (!err && (c = getopt_long(argc, argv, "c:m:p:o:s:S:fhV", long_options, NULL)) != -1)
		err = take(names, options, c);
	if (err < 0) {
		fprintf(stderr, "%s: too many options\n", names->name);
		return 3;
	}
	if (err)
		return err;
	if (optind < argc) {
		fprintf(stderr, "%s: \"%s\": it takes options only; see %s -h\n", names->name,
			argv[optind], names->name);
		return 3;
	}
	return 0;
}

/**
 * frame_configure() - read the file, then what the command line says over it
 * @names: of the daemon
 * @options: of the command line
 * @keys: what there is to be configured
 * @values: the structure of it, with the defaults
 * @message: CONF_MESSAGE bytes for what is wrong
 *
 * Return: 0, or a negative errno.
 */
int frame_configure(const struct frame_names *names, const struct frame_options *options,
		    const struct conf_key *keys, void *values, char *message)
{
	const char *path = options->config_path;
	unsigned int i;
	int err = 0;

	if (!path && access(names->config, F_OK) == 0)
		path = names->config;
	if (path)
		err = conf_load(keys, values, path, message);
	for (i = 0; !err && i < options->n_settings; i++)
		err = conf_set_option(keys, values, options->settings[i], message);
	return err;
}

/**
 * frame_refuse() - is there a reason not to begin?
 * @names: of the daemon
 * @options: of the command line
 *
 * Return: 0, or an exit status, and the reason is said.
 */
int frame_refuse(const struct frame_names *names, const struct frame_options *options)
{
	if (options->once)
		return 0;
	if (!options->foreground && (options->socket_path[0] != '/' ||
				     options->state_path[0] != '/')) {
		fprintf(stderr, "%s: in the background -s and -S take a path that begins with /\n",
			names->name);
		return 2;
	}
	if (geteuid() != 0) {
		fprintf(stderr, "%s: it has to be started by root\n", names->name);
		return 1;
	}
	return 0;
}

/*
 * detach() - go into the background. The parent stays until the child says how it went, so that
 * who starts the daemon sees what is wrong, and its exit status.
 *
 * Return: where to say it, by frame_settle(); or a negative errno.
 */
static int detach(void)
{
	int ends[2];
	unsigned char status = 1;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		close(ends[0]);
		setsid();
		return ends[1];
	}
	close(ends[1]);
	if (read(ends[0], &status, 1) != 1)
		status = 1;
	_exit(status);
}

/* take_state() - the list of what has to be undone, and with it the right to run */
static int take_state(const struct frame_names *names, const char *path)
{
	int tries, n = -EWOULDBLOCK;

	for (tries = 0; n == -EWOULDBLOCK && tries < LOCK_TRIES; tries++) {
		if (tries)
			usleep(LOCK_WAIT_US);
		n = undo_open(path);
	}
	if (n == -EWOULDBLOCK)
		log_error("another %s is running; end it first, or see %s status", names->name,
			  names->control);
	else if (n < 0)
		log_error("%s: %s", path, strerror(-n));
	else if (n > 0)
		log_warn("%d changes of a %s that died with its guardian are undone", n,
			 names->name);
	return n < 0 ? n : 0;
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int open_control(const struct frame_names *names, const char *path)
{
	int fd = control_open(path);

	if (fd == -EAFNOSUPPORT || fd == -ENOSYS)
		log_warn("%s will not work: this kernel has no sockets (CONFIG_UNIX)",
			 names->control);
	else if (fd < 0)
		log_error("%s: %s", path, strerror(-fd));
	return fd;
}

/**
 * frame_open() - into the background, if it is wanted; the one daemon of its kind; its guardian
 * @frame: filled in; frame_close() is needed whatever comes
 * @names: of the daemon
 * @options: of the command line
 *
 * Return: 0; or a negative errno, which was logged.
 */
int frame_open(struct frame *frame, const struct frame_names *names,
	       const struct frame_options *options)
{
	int err;

	*frame = (struct frame){ -1, -1, -1 };
	if (!options->foreground) {
		frame->end = detach();
		if (frame->end < 0) {
			log_error("it could not go into the background: %s",
				  strerror(-frame->end));
			return frame->end;
		}
	}
	err = take_state(names, options->state_path);
	if (err)
		return err;
	/* Before there is a child that may end. */
	frame->signals = open_signals();
	guard_socket(options->socket_path);
	err = guard_start();
	if (err) {
		log_error("no guardian could be started: %s", strerror(-err));
		return err;
	}
	frame->control = open_control(names, options->socket_path);
	if (frame->control < 0 && frame->control != -EAFNOSUPPORT && frame->control != -ENOSYS)
		return frame->control;
	err = guard_protect();
	if (err)
		log_warn("%s may be killed or swapped out itself: %s", names->name, strerror(-err));
	return 0;
}

/**
 * frame_settle() - it works: the terminal is left alone from now on
 * @frame: of frame_open()
 */
void frame_settle(struct frame *frame)
{
	unsigned char status = 0;
	int null;

	if (frame->end < 0)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	if (chdir("/") || write(frame->end, &status, 1) != 1)
		log_debug("who started the daemon is gone");
	close(frame->end);
	frame->end = -1;
}

/**
 * frame_close() - the end; what was changed is undone before
 * @frame: of frame_open()
 * @options: of the command line
 */
void frame_close(struct frame *frame, const struct frame_options *options)
{
	control_close(frame->control, options->socket_path);
	undo_close();
	guard_release();
}

static void check_guardian(void)
{
	int err;

	if (!guard_gone())
		return;
	log_warn("somebody has ended the guardian: another one is started");
	err = guard_start();
	if (err)
		log_error("no guardian could be started: %s", strerror(-err));
}

/**
 * frame_event() - what a signal wants, after frame->signals can be read
 * @frame: of frame_open()
 */
enum frame_event frame_event(const struct frame *frame)
{
	enum frame_event event = FRAME_NOTHING;
	struct signalfd_siginfo info;

	while (read(frame->signals, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGTERM:
		case SIGINT:
			return FRAME_END;
		case SIGHUP:
			event = FRAME_RELOAD;
			break;
		case SIGCHLD:
			check_guardian();
			break;
		}
	}
	return event;
}

/**
 * frame_loop() - step after step, until a signal ends it
 * @frame: of frame_open()
 * @work: what is done
 *
 * A request may have made work: a step follows it at once.
 */
void frame_loop(const struct frame *frame, const struct frame_work *work)
{
	uint64_t next_us = sys_now_us();

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = frame->signals, .events = POLLIN },
			{ .fd = frame->control, .events = POLLIN },
			{ .fd = work->ready ? work->fd : -1, .events = POLLIN },
		};
		uint64_t now_us = sys_now_us();
		int wait_ms = next_us > now_us ? (int)((next_us - now_us + 999) / 1000) : 0;
		enum frame_event event = FRAME_NOTHING;

		guard_beat();
		poll(fds, sizeof(fds) / sizeof(fds[0]), wait_ms);
		if (fds[0].revents)
			event = frame_event(frame);
		if (event == FRAME_END || (event == FRAME_RELOAD && !work->reload(work->arg)))
			return;
		if (fds[1].revents)
			control_serve(frame->control, work->answer, work->arg);
		if (fds[2].revents)
			work->ready(work->arg);
		now_us = sys_now_us();
		if (now_us < next_us && !fds[1].revents)
			continue;
		/* After a late step the next one comes no sooner than else. */
		next_us = now_us + work->step(work->arg) * 1000ull;
	}
}
