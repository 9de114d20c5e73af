// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a daemon: main() reads the command line and the configuration. The daemon goes into
 * the background, locks its list of changes, which only one daemon can do, and starts its guardian.
 * Then one loop waits for signals, requests, the daemon's descriptors and the next look.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "aside.h"
#include "cgroup.h"
#include "control.h"
#include "daemon.h"
#include "guard.h"
#include "log.h"
#include "notify.h"
#include "sys.h"
#include "undo.h"
#include "version.h"

/* The guardian of a daemon that has died needs less than that. */
#define LOCK_TRIES 20
#define LOCK_WAIT_US 100000

#define SETTINGS 64

/* From the command line; the configuration is read anew by SIGHUP. */
struct options {
	const char *config_path;	/* NULL: the usual one, if it is there */
	const char *socket_path;
	const char *state_path;
	const char *settings[SETTINGS];	/* of -o, in their order, over what the file says */
	unsigned int n_settings;
	bool foreground;
	bool dry_run;
	bool once;
	bool check;
};

/* The daemon of this process. A negative descriptor is none. */
static struct {
	const struct daemon *daemon;
	struct options options;
	struct daemon_run run;
	void *old_config;		/* as large as @run's */
	void *new_config;
	uint64_t begun_us;
	uint64_t next_us;		/* the time of the next look */
	int parent;			/* where the process waits that started the daemon */
	int signals;
	int control;
} life = { .parent = -1, .signals = -1, .control = -1 };

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

/* find_key() - of the daemon's own section */
static const struct conf_key *find_key(const char *name)
{
	const struct conf_key *key;

	for (key = life.daemon->keys; key->name; key++)
		if (!strcmp(key->section, life.daemon->name) && !strcmp(key->name, name))
			return key;
	return NULL;
}

/* choice() - the value of a key that has choices */
static unsigned int choice(const void *config, const char *name)
{
	return *(const unsigned int *)((const char *)config + find_key(name)->offset);
}

/* mode() - its name */
static const char *mode(const void *config)
{
	return find_key("mode")->choices[choice(config, "mode")];
}

/* level() - the log level, as of syslog(3) */
static int level(const void *config)
{
	return conf_level(choice(config, "log"));
}

static void print_help(const struct daemon *daemon)
{
	const char *const *choice = find_key("mode")->choices;
	const char *name = daemon->name;

	printf("usage: %s [-c FILE] [-m MODE] [-p NAME] [-o SECTION.KEY=VALUE] [-f]\n"
	       "       [--check] [--once] [--dry-run] [-s SOCKET] [-S STATE] [-h] [-V]\n"
	       "  -c FILE    configuration (/etc/%s.conf)\n"
	       "  -m MODE    ", name, name);
	for (; *choice; choice++)
		printf("%s%s", *choice, choice[1] ? ", " : "\n");
	printf("%s\n"
	       "  -o S.K=V   as in the configuration, over what it says\n"
	       "  -f         stay in the foreground, log to standard error\n"
	       "  -s SOCKET  for %s (/run/%s.sock)\n"
	       "  -S STATE   %s (/run/%s.state)\n"
	       "  --check    say what this kernel offers and what would be used\n"
	       "  --once     %s\n"
	       "  --dry-run  %s\n",
	       daemon->help.who, daemon->control, name, daemon->help.state, name,
	       daemon->help.once, daemon->help.dry_run);
}

/* path_of() - the usual place of a file of the daemon */
static const char *path_of(const char *format)
{
	char *path;

	return asprintf(&path, format, life.daemon->name) < 0 ? NULL : path;
}

/* add_setting() - of -o, or what another option stands for; 0, or an exit status and one more */
static int add_setting(const char *key, const char *value)
{
	struct options *options = &life.options;
	char *text = NULL;

	if (options->n_settings == SETTINGS || asprintf(&text, "%s%s", key, value) < 0) {
		fprintf(stderr, "%s: too many options\n", life.daemon->name);
		return 3;
	}
	options->settings[options->n_settings++] = text;
	return 0;
}

/* take_option() - 0, or an exit status and one more */
static int take_option(int c)
{
	struct options *options = &life.options;
	char key[64];

	switch (c) {
	case 'c':
		options->config_path = optarg;
		return 0;
	case 'm':
		snprintf(key, sizeof(key), "%s.mode=", life.daemon->name);
		return add_setting(key, optarg);
	case 'p':
		return add_setting(life.daemon->who_key, optarg);
	case 'o':
		return add_setting("", optarg);
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
		print_help(life.daemon);
		return 1;
	case 'V':
		printf("%s %s\n", life.daemon->name, VERSION);
		return 1;
	}
	return 3;
}

/* parse_line() - read the command line; 0, or an exit status and one more, and all is said */
static int parse_line(int argc, char **argv)
{
	int c, err = 0;

	life.options.socket_path = path_of("/run/%s.sock");
	life.options.state_path = path_of("/run/%s.state");
	while (!err && (c = getopt_long(argc, argv, "c:m:p:o:s:S:fhV", long_options, NULL)) != -1)
		err = take_option(c);
	if (err || optind == argc)
		return err;
	fprintf(stderr, "%s: \"%s\": it takes options only; see %s -h\n", life.daemon->name,
		argv[optind], life.daemon->name);
	return 3;
}

/* configure() - the file, then what the command line says over it; 0, or a negative errno */
static int configure(void *config, char *message)
{
	const struct daemon *daemon = life.daemon;
	const char *usual = path_of("/etc/%s.conf"), *path = life.options.config_path;
	unsigned int i;
	int err = 0;

	conf_presets(daemon->keys, config);
	if (!path && access(usual, F_OK) == 0)
		path = usual;
	if (path)
		err = conf_load(daemon->keys, config, path, message);
	for (i = 0; !err && i < life.options.n_settings; i++)
		err = conf_set_option(daemon->keys, config, life.options.settings[i], message);
	free((char *)usual);
	return err ? err : daemon->verify(config, message);
}

/* refuse() - a reason not to begin: 0, or an exit status, and it is said */
static int refuse(void)
{
	const struct options *options = &life.options;
	const char *name = life.daemon->name, *why;

	if (options->once)
		return 0;
	if (!options->foreground && (options->socket_path[0] != '/' ||
				     options->state_path[0] != '/')) {
		fprintf(stderr, "%s: in the background -s and -S take a path that begins with /\n",
			name);
		return 2;
	}
	if (geteuid() != 0) {
		fprintf(stderr, "%s: it has to be started by root\n", name);
		return 1;
	}
	why = life.daemon->refuse ? life.daemon->refuse(life.run.config) : NULL;
	if (why)
		fprintf(stderr, "%s: %s\n", name, why);
	return why ? 1 : 0;
}

/*
 * detach() - go into the background. The parent stays until the child says how it went, so that
 * the caller of the daemon sees the reason of a failure, and its exit status.
 *
 * Return: where to say it, by settle(); or a negative errno.
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

/* take_state() - lock the list of changes to undo, which only one daemon can do */
static int take_state(const char *path)
{
	int tries, n = -EWOULDBLOCK;

	for (tries = 0; n == -EWOULDBLOCK && tries < LOCK_TRIES; tries++) {
		if (tries)
			usleep(LOCK_WAIT_US);
		n = undo_open(path);
	}
	if (n == -EWOULDBLOCK)
		log_error("another %s is running; end it first, or see %s status",
			  life.daemon->name, life.daemon->control);
	else if (n < 0)
		log_error("%s: %s", path, strerror(-n));
	else if (n > 0)
		log_warn("%d changes of a %s that died with its guardian are undone", n,
			 life.daemon->name);
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

static int open_control(const char *path)
{
	int fd = control_open(path);

	if (fd == -EAFNOSUPPORT || fd == -ENOSYS)
		log_warn("%s will not work: this kernel has no sockets (CONFIG_UNIX)",
			 life.daemon->control);
	else if (fd < 0)
		log_error("%s: %s", path, strerror(-fd));
	return fd;
}

/* open_all() - what every daemon needs before it changes anything; 0, or a negative errno */
static int open_all(void)
{
	const struct daemon *daemon = life.daemon;
	const struct options *options = &life.options;
	int err;

	if (!options->foreground) {
		life.parent = detach();
		if (life.parent < 0) {
			log_error("it could not go into the background: %s",
				  strerror(-life.parent));
			return life.parent;
		}
	}
	err = take_state(options->state_path);
	if (err)
		return err;
	/* Before there is a child that may end. */
	life.signals = open_signals();
	guard_socket(options->socket_path);
	if (!life.run.dry_run)
		guard_also(daemon->clean_first, daemon->clean);
	err = guard_start();
	if (err) {
		log_error("no guardian could be started: %s", strerror(-err));
		return err;
	}
	life.control = open_control(options->socket_path);
	if (life.control < 0 && life.control != -EAFNOSUPPORT && life.control != -ENOSYS)
		return life.control;
	err = guard_protect();
	if (err)
		log_warn("%s may be killed or swapped out itself: %s", daemon->name,
			 strerror(-err));
	return 0;
}

/* settle() - it works: the terminal is left alone from now on */
static void settle(void)
{
	unsigned char status = 0;
	int null;

	if (life.parent < 0)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	if (chdir("/") || write(life.parent, &status, 1) != 1)
		log_debug("who started the daemon is gone");
	close(life.parent);
	life.parent = -1;
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

/* reload() - read the configuration anew; one that is wrong changes nothing. 0, or why it ends */
static int reload(void)
{
	char message[CONF_MESSAGE], telling[64];
	size_t size = life.daemon->config_size;
	int err;

	if (configure(life.new_config, message)) {
		log_error("%s; the configuration stays as it was", message);
		return 0;
	}
	snprintf(telling, sizeof(telling), "RELOADING=1\nMONOTONIC_USEC=%llu",
		 (unsigned long long)sys_now_us());
	notify(telling);
	memcpy(life.old_config, life.run.config, size);
	memcpy(life.run.config, life.new_config, size);
	log_level(level(life.run.config));
	err = life.daemon->reload(&life.run, life.old_config);
	if (err) {
		log_error("the new configuration cannot be used: %s", strerror(-err));
		return err;
	}
	log_info("configuration read, mode %s", mode(life.run.config));
	notify("READY=1");
	return 0;
}

/* read_signals() - true: it is time to end, because of *@err or by a signal */
static bool read_signals(int *err)
{
	struct signalfd_siginfo info;
	bool wants_reload = false;

	*err = 0;
	while (read(life.signals, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGTERM:
		case SIGINT:
			return true;
		case SIGHUP:
			wants_reload = true;
			break;
		case SIGCHLD:
			check_guardian();
			break;
		}
	}
	if (wants_reload) {
		*err = reload();
		life.next_us = 0;
	}
	return *err;
}

static void answer(char *request, char *reply, void *arg)
{
	(void)arg;
	control_answer(life.daemon->verbs, request, reply, &life.run);
}

static void set_clock(void)
{
	life.run.now_ms = (uint32_t)((sys_now_us() - life.begun_us) / 1000) + 1;
}

/* add_events() - the daemon's own descriptors; returns how many */
static unsigned int add_events(struct pollfd *fds)
{
	const struct daemon_event *event = life.daemon->events;
	unsigned int n = 0;

	for (; event && event->fd; event++, n++)
		fds[n] = (struct pollfd){ .fd = event->fd(&life.run), .events = event->events };
	return n;
}

/* look_within() - the next look comes so soon, or sooner */
static void look_within(uint32_t ms)
{
	uint64_t us = sys_now_us() + ms * 1000ull;

	if (us < life.next_us)
		life.next_us = us;
}

/* see_events() - let the daemon see to its descriptors */
static void see_events(const struct pollfd *fds, unsigned int n)
{
	const struct daemon_event *events = life.daemon->events;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (fds[i].revents && events[i].ready)
			look_within(events[i].ready(&life.run));
		else if (fds[i].revents & events[i].events)
			look_within(0);
	}
}

/* wait_ms() - until the next look; the guardian and systemd want a sign each second */
static int wait_ms(void)
{
	uint64_t now_us = sys_now_us();
	uint64_t ms = life.next_us > now_us ? (life.next_us - now_us + 999) / 1000 : 0;

	return ms < 1000 ? (int)ms : 1000;
}

/* loop() - look after look, until a signal ends it; 0, or why it had to end */
static int loop(void)
{
	int err;

	life.next_us = sys_now_us();
	for (;;) {
		struct pollfd fds[2 + DAEMON_EVENTS] = {
			{ .fd = life.signals, .events = POLLIN },
			{ .fd = life.control, .events = POLLIN },
		};
		unsigned int n = add_events(fds + 2);

		guard_beat();
		poll(fds, 2 + n, wait_ms());
		set_clock();
		if (fds[0].revents && read_signals(&err))
			return err;
		if (fds[1].revents) {
			control_serve(life.control, answer, NULL);
			/* It may have made work. */
			look_within(0);
		}
		see_events(fds + 2, n);
		if (sys_now_us() < life.next_us)
			continue;
		set_clock();
		/* After a late look the next one comes no sooner than else. */
		life.next_us = sys_now_us();
		life.next_us += life.daemon->look(&life.run) * 1000ull;
	}
}

/* live() - from its begin to its end; 0, or a negative errno, which was logged */
static int live(void)
{
	const struct daemon *daemon = life.daemon;
	int err = open_all();

	if (!err) {
		log_level(level(life.run.config));
		err = daemon->begin(&life.run);
		if (!err) {
			settle();
			notify("READY=1");
			err = loop();
			notify("STOPPING=1");
			log_info("ends, and undoes what it changed");
		}
		daemon->end(&life.run);
		undo_all();
	}
	control_close(life.control, life.options.socket_path);
	undo_close();
	guard_release();
	aside_end();
	return err;
}

/* look_once() - and print the status */
static int look_once(void)
{
	static char reply[CONTROL_REPLY];
	int err = life.daemon->once(&life.run);

	if (err)
		return err;
	control_answer(life.daemon->verbs, "status", reply, &life.run);
	fputs(reply + strcspn(reply, "\n") + 1, stdout);
	return 0;
}

/* check() - print what the kernel offers, even if the configuration names no program */
static int check(int err, const char *message)
{
	const char *verdict = "It works here.";
	struct utsname kernel;
	bool works;

	uname(&kernel);
	printf("%-24s      %s\n", "kernel", kernel.release);
	if (err)
		printf("%-24s %-4s %s\n", "configuration", "no", message);
	works = probe_lines(life.daemon->probes, life.run.config);
	if (!works)
		verdict = "It does not work here.";
	else if (err)
		verdict = "It works here, but does not start with this configuration.";
	printf("%-24s      %s\n%s\n", "mode", mode(life.run.config), verdict);
	return works ? err ? 2 : 0 : 1;
}

/**
 * daemon_main() - all of main()
 * @daemon: its data
 * @argc: of main()
 * @argv: of main()
 *
 * Return: the exit status: 0; 1, if it does not work here; 2: wrong command line or configuration.
 */
int daemon_main(const struct daemon *daemon, int argc, char **argv)
{
	char message[CONF_MESSAGE];
	bool quiet;
	int err;

	life.daemon = daemon;
	life.run.state = daemon->state;
	life.begun_us = sys_now_us();
	life.run.config = calloc(3, daemon->config_size);
	if (!life.run.config)
		return 1;
	life.old_config = (char *)life.run.config + daemon->config_size;
	life.new_config = (char *)life.old_config + daemon->config_size;
	err = parse_line(argc, argv);
	if (err)
		return err - 1;
	/* The guardian will need to know it, too. */
	cgroup_find();
	life.run.dry_run = life.options.dry_run || life.options.once;
	err = configure(life.run.config, message);
	if (err && !(life.options.check && err == -EDESTADDRREQ)) {
		fprintf(stderr, "%s: %s\n", daemon->name, message);
		return 2;
	}
	if (life.options.check)
		return check(err, message);
	err = refuse();
	if (err)
		return err;
	quiet = !life.options.foreground && !life.options.once;
	if (log_open(daemon->name, quiet, level(life.run.config)))
		fprintf(stderr, "%s: no /dev/log: in the background nothing is logged; see -f\n",
			daemon->name);
	set_clock();
	return (life.options.once ? look_once() : live()) ? 1 : 0;
}
