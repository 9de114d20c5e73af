// SPDX-License-Identifier: GPL-2.0
/*
 * "apps": a phone on which a user switches between apps. Each app is a process. A switch
 * brings one of them to the front, and lasts until the app has touched all memory that it needs
 * there.
 *
 * Functions return 0, or a negative errno: -ECHILD if the app has died; -EINTR if a signal ends
 * the load; any other value is an error, whose message was printed.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "app.h"
#include "control.h"
#include "loads.h"
#include "options.h"
#include "program.h"
#include "sequence.h"
#include "sys.h"
#include "work.h"

/* After so many deaths in one switch, give up bringing the app to the front. */
#define TRIES 3

#define NOBODY UINT32_MAX

/* Limits of a sequence: lines, and a stay, at most a day. */
#define SEQUENCE_MOST 65536U
#define STAY_MS_MOST 86400000

#define HEADER	"switch,app,time_s,latency_ms,hook_ms,majflt,minflt,cold\n"
#define LINE	"%llu,%u,%llu.%06llu,%llu.%03llu,%llu.%03llu,%llu,%llu,%d\n"

static struct app_options synthetic = {
	.apps = 6, .anon = 20 << 20, .file = 10 << 20, .shared = 8 << 20, .hot = 25,
};

static uint64_t switches = 60, warm_up, think_us = 500000;
static bool prepare;
static const char *programs_name, *sequence_name, *group, *hook, *out_name;

/* Limit of a size: numbers of pages have 32 bits, and a pointer reaches it. */
#define MOST (UINT64_C(1) << (sizeof(void *) > 4 ? 40 : 30))

static const struct option_row rows[] = {
	{ "apps", OPTION_NUMBER, &synthetic.apps, 1, APPS_MOST, "processes (6)" },
	{ "anon", OPTION_SIZE, &synthetic.anon, 4096, MOST, "memory of each (20M)" },
	{ "hot", OPTION_NUMBER, &synthetic.hot, 0, 100, "percent of it that a switch needs (25)" },
	{ "file", OPTION_SIZE, &synthetic.file, 0, MOST, "a file of each (10M)" },
	{ "shared", OPTION_SIZE, &synthetic.shared, 0, MOST, "a file of all (8M)" },
	{ "dir", OPTION_TEXT, &synthetic.dir, 0, 0, "where the files are" },
	{ "prepare", OPTION_FLAG, &prepare, 0, 0, "only make the files" },
	{ "programs", OPTION_TEXT, &programs_name, 0, 0,
	  "file of NAME COMMAND: programs instead, which answer \"visit\" with a line" },
	{ "switches", OPTION_NUMBER, &switches, 1, 1000000, "that count (60)" },
	{ "warm-up", OPTION_NUMBER, &warm_up, 0, 1000000,
	  "switches before, after one visit for each app (0)" },
	{ "think", OPTION_MS, &think_us, 0, UINT64_C(3600000000), "ms between two switches (500)" },
	{ "sequence", OPTION_TEXT, &sequence_name, 0, 0,
	  "file of APP [MS]: which app is next, and for how long; else Zipf's law" },
	{ "group", OPTION_TEXT, &group, 0, 0, "each app enters the control group GROUP/APP" },
	{ "hook", OPTION_TEXT, &hook, 0, 0,
	  "run as COMMAND fg APP at each switch; unix:PATH is a socket that is told" },
	{ "out", OPTION_TEXT, &out_name, 0, 0, "CSV: a line for each switch that counts" },
	{ "corrupt-test", OPTION_FLAG, &synthetic.corrupt, 0, 0,
	  "for tests: make an error that must be found" },
	{ 0 },
};

struct switched {
	uint64_t nr;			/* from 1; 0: a visit that does not count */
	unsigned int app;
	uint64_t begin_us;
	uint64_t latency_us;
	uint64_t hook_us;
	bool cold;			/* the app had to be started */
};

static struct program programs[APPS_MOST];
static unsigned int apps;
static bool real;			/* programs instead of synthetic apps */
static int signals;			/* a descriptor */
static unsigned int front = NOBODY;
static uint64_t stay_us, next_us;	/* of the next app; begin of the switch after it */

static struct {
	size_t n, next;
	uint32_t apps[SEQUENCE_MOST];
	uint32_t stay_ms[SEQUENCE_MOST];	/* UINT32_MAX: as --think */
} sequence;
static struct sequence chance;

static FILE *out;
static struct latencies latencies;
static unsigned long long all_major, all_cold, killed, hook_failures;

/* Events: input, a time, the end of a child, or a signal that ends all. */
enum event { EVENT_INPUT, EVENT_TIME, EVENT_CHILD, EVENT_END };

static void watch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* A write to a process that has ended fails. */
	signal(SIGPIPE, SIG_IGN);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		err(STATUS_FAILED, "cannot wait for signals");
}

/* In a child: unblock signals again. Signals of a terminal are for the parent only. */
static void unwatch_signals(void)
{
	sigset_t none;

	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* @fd: -1 for none. Reports an answer before the end of the child that wrote it. */
static enum event wait_event(int fd, uint64_t until_us)
{
	struct pollfd polls[] = { { signals, POLLIN, 0 }, { fd, POLLIN, 0 } };
	struct signalfd_siginfo info;
	static bool ended;

	while (!ended) {
		uint64_t now = sys_now_us(), left = until_us > now ? until_us - now : 0;
		struct timespec time = { (time_t)(left / 1000000), (long)(left % 1000000) * 1000 };
		int n = ppoll(polls, 2, until_us == UINT64_MAX ? NULL : &time, NULL);

		if (n == 0)
			return EVENT_TIME;
		if (n > 0 && polls[1].revents)
			return EVENT_INPUT;
		if (n > 0 && read(signals, &info, sizeof(info)) == sizeof(info)) {
			if (info.ssi_signo == SIGCHLD)
				return EVENT_CHILD;
			ended = true;
		}
	}
	return EVENT_END;
}

/* A kill for lack of memory is no error, but a signal that reports lost memory is. */
static int judge(const struct program *program, int status)
{
	if (WIFEXITED(status) && !real)
		return WEXITSTATUS(status) ? -EIO : -ECHILD;
	if (WIFEXITED(status)) {
		warnx("%s has ended by itself: status %d", program->name, WEXITSTATUS(status));
		return -EIO;
	}
	if (WTERMSIG(status) != SIGKILL && WTERMSIG(status) != SIGTERM) {
		warnx("%s was ended by a signal: %s%s", program->name, strsignal(WTERMSIG(status)),
		      WTERMSIG(status) == SIGBUS ? ": memory or a file could not be read" : "");
		return -EIO;
	}
	warnx("%s was killed: it is started anew at its next switch", program->name);
	killed++;
	return -ECHILD;
}

/* @flags: WNOHANG, or 0 if the process has ended or will very soon */
static int collect(struct program *program, int flags)
{
	int status;

	if (!flags)
		program_kill_group(program);
	if (waitpid(program->pid, &status, flags) != program->pid)
		return 0;
	program_hang_up(program);
	program_kill_group(program);
	program->pid = 0;
	return judge(program, status);
}

/* The death of an app in the background is handled at its next switch. */
static int collect_all(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < apps; i++) {
		ret = programs[i].pid ? collect(&programs[i], WNOHANG) : 0;
		if (ret && ret != -ECHILD)
			return ret;
	}
	return 0;
}

static int await(struct program *program)
{
	enum event event;
	int ret = -EAGAIN;

	while (ret == -EAGAIN) {
		event = wait_event(program->answers, UINT64_MAX);
		if (event == EVENT_END)
			return -EINTR;
		if (event == EVENT_INPUT) {
			ret = program_read(program);
			if (ret == -EPIPE)
				ret = collect(program, 0);
		} else {
			ret = collect_all();
			if (!ret)
				ret = program->pid ? -EAGAIN : -ECHILD;
		}
	}
	return ret;
}

/* In the child. Close the pipes of other apps, which would not see their end otherwise. */
static int be_app(unsigned int nr, pid_t parent, int commands, int answers)
{
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		return STATUS_FAILED;
	unwatch_signals();
	for (i = 0; i < apps; i++)
		if (programs[i].pid)
			program_hang_up(&programs[i]);
	prctl(PR_SET_NAME, programs[nr].name);
	if (program_enter_group(group, programs[nr].name) || dup2(commands, STDIN_FILENO) < 0 ||
	    dup2(answers, STDOUT_FILENO) < 0 || write(answers, "\n", 1) != 1)
		return STATUS_FAILED;
	close(commands);
	close(answers);
	return real ? program_exec(&programs[nr]) : app_run(&synthetic, nr);
}

static int start(unsigned int nr)
{
	struct program *program = &programs[nr];
	int commands[2], answers[2];
	pid_t parent = getpid(), pid = -1;

	if (!pipe2(commands, O_CLOEXEC) && !pipe2(answers, O_CLOEXEC))
		pid = fork();
	if (pid < 0) {
		warn("no process for %s", program->name);
		return -EAGAIN;
	}
	if (!pid) {
		close(commands[1]);
		close(answers[0]);
		_exit(be_app(nr, parent, commands[0], answers[1]));
	}
	close(commands[0]);
	close(answers[1]);
	program->pid = pid;
	program->commands = commands[1];
	program->answers = answers[0];
	program->asked = false;
	program->length = 0;
	return 0;
}

/* Report only the first failure, as each switch may fail. */
static void hook_failed(const char *app, const char *how)
{
	if (!hook_failures++)
		warnx("the hook \"%s\" failed for %s: %s", hook, app, how);
}

static void tell_socket(const char *app)
{
	char request[32], reply[CONTROL_REPLY];
	int error;

	snprintf(request, sizeof(request), "fg %s", app);
	error = control_ask(hook + strlen("unix:"), request, reply, sizeof(reply));
	if (error || strncmp(reply, "ok\n", 3))
		hook_failed(app, error ? strerror(-error) : reply);
}

/* The command prints to standard error, because our summary goes to standard output. */
static void __attribute__((noreturn)) be_hook(const char *app)
{
	char command[4096], *words[64], *rest = command;
	unsigned int n = 0;

	unwatch_signals();
	signal(SIGPIPE, SIG_DFL);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	snprintf(command, sizeof(command), "%s fg %s", hook, app);
	do
		words[n] = strsep(&rest, " ");
	while (words[n] && (!*words[n] || ++n < 63));
	words[n] = NULL;
	execvp(words[0], words);
	_exit(127);
}

static int run_hook(const char *app)
{
	char how[32];
	int status;
	pid_t pid;

	if (!hook)
		return 0;
	if (!strncmp(hook, "unix:", 5)) {
		tell_socket(app);
		return 0;
	}
	pid = fork();
	if (!pid)
		be_hook(app);
	if (pid < 0) {
		hook_failed(app, strerror(errno));
		return 0;
	}
	while (waitpid(pid, &status, WNOHANG) == 0)
		if (wait_event(-1, UINT64_MAX) == EVENT_END) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -EINTR;
		}
	snprintf(how, sizeof(how), WIFSIGNALED(status) ? "signal %d" : "status %d",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	if (status)
		hook_failed(app, how);
	return 0;
}

/* The process exists before the hook runs; a new one has no memory yet. */
static int bring(struct switched *to)
{
	struct program *program = &programs[to->app];
	uint64_t before_us;
	int ret = 0;

	if (!program->pid) {
		to->cold = true;
		ret = start(to->app);
		if (!ret)
			ret = await(program);
	}
	if (ret)
		return ret;
	before_us = sys_now_us();
	ret = run_hook(program->name);
	to->hook_us += hook ? sys_now_us() - before_us : 0;
	if (ret)
		return ret;
	ret = program_ask(program);
	if (ret == -EPIPE)
		return collect(program, 0);
	return ret ? ret : await(program);
}

/* If the app dies while the user waits, restart it; the wait continues. */
static int switch_to(struct switched *to)
{
	unsigned int tries;
	int ret = collect_all();

	if (ret)
		return ret;
	if (front != NOBODY && front != to->app)
		program_leave(&programs[front]);
	front = to->app;
	to->begin_us = sys_now_us();
	ret = -ECHILD;
	for (tries = 0; tries < TRIES && ret == -ECHILD; tries++)
		ret = bring(to);
	to->latency_us = sys_now_us() - to->begin_us;
	next_us = sys_now_us() + stay_us;
	if (ret == -ECHILD)
		warnx("%s died %d times in one switch, which is not counted",
		      programs[to->app].name, TRIES);
	return ret;
}

static int think(void)
{
	enum event event = EVENT_CHILD;
	int ret = 0;

	while (event == EVENT_CHILD && !ret) {
		event = wait_event(-1, next_us);
		if (event == EVENT_CHILD)
			ret = collect_all();
	}
	return event == EVENT_END ? -EINTR : ret;
}

/*
 * Zipf's law: app i has the weight 1 / (i + 1); the app in front is never chosen. We keep the
 * small error in the weights of the published runs, because exact weights give another order.
 */
static uint64_t weight_of(unsigned int i)
{
	static const uint8_t errors[APPS_MOST] = {
		0, 0, 9, 0, 6, 4, 6, 0, 3, 3, 2, 2, 1, 3, 3, 0,
		2, 2, 2, 1, 2, 1, 1, 1, 1, 0, 1, 2, 1, 1, 1, 0,
	};

	return (UINT64_C(1) << 32) / (i + 1) - errors[i];
}

static unsigned int choose_by_chance(void)
{
	uint64_t sum = 0, random;
	unsigned int i;

	if (apps == 1)
		return 0;
	for (i = 0; i < apps; i++)
		sum += i == front ? 0 : weight_of(i);
	random = sequence_next(&chance) % sum;
	for (i = 0; i == front || random >= weight_of(i); i++)
		random -= i == front ? 0 : weight_of(i);
	return i;
}

/* First each app once, in order. */
static unsigned int choose(uint64_t visit)
{
	size_t line;

	stay_us = think_us;
	if (visit < apps)
		return (unsigned int)visit;
	if (!sequence.n)
		return choose_by_chance();
	line = sequence.next++ % sequence.n;
	if (sequence.stay_ms[line] != UINT32_MAX)
		stay_us = sequence.stay_ms[line] * UINT64_C(1000);
	return sequence.apps[line];
}

static void tell(const struct switched *to)
{
	const struct faults *faults = &programs[to->app].faults;
	unsigned long long begin = to->begin_us, latency = to->latency_us, us = to->hook_us;

	latencies.us[latencies.n++] = latency;
	all_major += faults->major;
	all_cold += to->cold;
	if (!out)
		return;
	fprintf(out, LINE, (unsigned long long)to->nr, to->app, begin / 1000000, begin % 1000000,
		latency / 1000, latency % 1000, us / 1000, us % 1000,
		(unsigned long long)faults->major, (unsigned long long)faults->minor, to->cold);
	work_written(out, out_name);
}

static int run(void)
{
	uint64_t first = apps + warm_up, visit;
	int ret;

	for (visit = 0; visit < first + switches; visit++) {
		struct switched to = { .app = choose(visit) };

		ret = visit ? think() : 0;
		if (!ret)
			ret = switch_to(&to);
		if (ret && ret != -ECHILD)
			return ret;
		to.nr = visit - first + 1;
		if (visit >= first && !ret)
			tell(&to);
	}
	return 0;
}

/*
 * Synthetic apps end when their commands end, but first they check their memory. Wait for the
 * last one.
 */
static int wait_for_all(void)
{
	unsigned int i, left = 1;
	int ret = 0;

	for (i = 0; i < apps; i++)
		if (programs[i].pid)
			program_hang_up(&programs[i]);
	while (left && !ret) {
		ret = collect_all();
		for (i = left = 0; i < apps; i++)
			left += programs[i].pid != 0;
		if (left && !ret && wait_event(-1, UINT64_MAX) == EVENT_END)
			ret = -EINTR;
	}
	return ret;
}

static void kill_all(void)
{
	unsigned int i;

	for (i = 0; i < apps; i++)
		if (programs[i].pid) {
			kill(programs[i].pid, SIGKILL);
			program_kill_group(&programs[i]);
			waitpid(programs[i].pid, NULL, 0);
		}
}

static void tell_sum(void)
{
	unsigned long long sum = 0;
	size_t i;

	latencies_sort(&latencies);
	for (i = 0; i < latencies.n; i++)
		sum += latencies.us[i];
	printf("switches %zu mean %.3f", latencies.n,
	       latencies.n ? (double)sum / (double)latencies.n / 1000 : 0);
	printf(" p50 %.3f p95 %.3f max %.3f ms", latencies_ms(&latencies, 50),
	       latencies_ms(&latencies, 95), latencies_ms(&latencies, 100));
	printf(", cold %llu, killed %llu, hook failures %llu\nmajflt %llu\n", all_cold, killed,
	       hook_failures, all_major);
	work_written(stdout, "standard output");
}

/* Each line: APP, and optionally the milliseconds to stay there. */
static void read_sequence(void)
{
	static char text[SEQUENCE_MOST * 13];
	ssize_t size = sys_read(sequence_name, text, sizeof(text));
	unsigned long long app, ms;
	char *line, *rest = text, more;
	int fields;

	if (size < 0)
		errx(STATUS_FAILED, "cannot read %s: %s", sequence_name, strerror((int)-size));
	while ((line = strsep(&rest, "\n")) && (*line || rest)) {
		ms = UINT32_MAX;
		fields = sscanf(line, "%llu %llu %c", &app, &ms, &more);
		if (fields < 1 || fields > 2 || app >= apps || (fields == 2 && ms > STAY_MS_MOST) ||
		    sequence.n == SEQUENCE_MOST)
			errx(STATUS_USAGE, "%s:%zu: \"%.40s\": give the number of an app, from 0 to %u, and perhaps ms",
			     sequence_name, sequence.n + 1, line, apps - 1);
		sequence.apps[sequence.n] = (uint32_t)app;
		sequence.stay_ms[sequence.n++] = (uint32_t)ms;
	}
	if (!sequence.n)
		errx(STATUS_USAGE, "%s: no line: give the number of an app in each", sequence_name);
}

static void begin(void)
{
	unsigned int i;

	real = programs_name;
	apps = real ? programs_read(programs, programs_name) : (unsigned int)synthetic.apps;
	for (i = 0; i < apps && !real; i++)
		snprintf(programs[i].name, sizeof(programs[i].name), "app%u", i);
	if (!real && !synthetic.dir && (synthetic.file || synthetic.shared))
		errx(STATUS_USAGE, "no directory for the files: give --dir DIR, or --file 0 --shared 0");
	if (sequence_name)
		read_sequence();
	app_round(&synthetic);
	sequence_begin(&chance, 1, 0, SEQUENCE_CHANCE);
	i = real ? 0 : (unsigned int)app_prepare(&synthetic);
	if (prepare)
		printf("%u files made\n", i);
}

/**
 * load_apps() - switch between apps
 * @argc: number of arguments
 * @argv: name of the load, and its options
 *
 * Return: exit status.
 */
int load_apps(int argc, char **argv)
{
	int ret, at = options_parse("usage: memload apps [OPTION...]\n"
				    "Switches between processes, as the user of a phone does, and checks their bytes.\n\n",
				    rows, argc, argv);

	if (at < argc)
		errx(STATUS_USAGE, "\"%s\": apps takes options only", argv[at]);
	begin();
	if (prepare)
		return 0;
	latencies_begin(&latencies, switches);
	out = work_open(out_name, HEADER);
	watch_signals();
	ret = run();
	/* Only synthetic apps check memory at their end. */
	if (!ret && !real)
		ret = wait_for_all();
	kill_all();
	if (latencies.n || !ret || ret == -EINTR)
		tell_sum();
	free(latencies.us);
	return ret && ret != -EINTR ? STATUS_FAILED : 0;
}
