// SPDX-License-Identifier: GPL-2.0
/*
 * "apps": a phone on which a user switches between apps. Each app is a process. A switch tells one
 * of them that it comes to the front, and lasts until it has touched all memory that it needs then.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "app.h"
#include "appfile.h"
#include "appout.h"
#include "appread.h"
#include "hook.h"
#include "loads.h"
#include "program.h"
#include "sequence.h"
#include "sys.h"
#include "watch.h"
#include "zipf.h"

/* An app that dies so often in one switch does not come to the front. */
#define TRIES 3

#define NOBODY UINT32_MAX

struct process {
	pid_t pid;			/* 0: there is none */
	int commands;			/* pipes, of a process that there is */
	int answers;
	char name[PROGLIST_NAME];	/* of the app */
	struct program program;		/* if it is one */
};

/*
 * Functions give 0, or a negative errno: -ECHILD, if the app has died; -EINTR, if a signal ends
 * all; any other one is an error whose reason was said.
 */
struct apps {
	struct appopt options;
	struct proglist programs;	/* none: the apps are synthetic */
	struct watch watch;
	struct hook hook;
	struct appout out;
	struct zipf zipf;
	struct appseq sequence;
	size_t next;			/* in that */
	struct sequence chance;
	unsigned int front;		/* an app, or NOBODY */
	uint64_t stay_us;		/* for how long the app that comes next is in front, */
	uint64_t think_us;		/* and when the next switch begins */
	struct process processes[APPOPT_APPS];
};

static struct apps apps;

static void hang_up(struct process *process)
{
	if (process->commands >= 0)
		close(process->commands);
	if (process->answers >= 0)
		close(process->answers);
	process->commands = -1;
	process->answers = -1;
}

/* What ends memory that is short is no error. A signal that tells of memory that is lost is one. */
static int judge(struct apps *all, const struct process *process, int status)
{
	if (WIFEXITED(status) && all->programs.n) {
		warnx("%s has ended by itself: status %d", process->name, WEXITSTATUS(status));
		return -EIO;
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status) == STATUS_WRONG ? -EBADMSG :
		       WEXITSTATUS(status) ? -EIO : -ECHILD;
	if (WTERMSIG(status) != SIGKILL && WTERMSIG(status) != SIGTERM) {
		warnx("%s was ended by a signal: %s%s", process->name, strsignal(WTERMSIG(status)),
		      WTERMSIG(status) == SIGBUS ? ": memory or a file could not be read" : "");
		return -EIO;
	}
	warnx("%s was killed: it is started anew at its next switch", process->name);
	all->out.killed++;
	return -ECHILD;
}

/* The end of a process that has one, or will have it very soon. */
static int collect(struct apps *all, struct process *process, int flags)
{
	int status;

	if (waitpid(process->pid, &status, flags) != process->pid)
		return 0;
	hang_up(process);
	if (all->programs.n)
		program_kill_rest(process->pid);
	process->pid = 0;
	return judge(all, process, status);
}

/* Its pipe has an end: it has ended, or is a program that has closed the pipe. */
static int collect_now(struct apps *all, struct process *process)
{
	if (all->programs.n)
		program_kill_rest(process->pid);
	return collect(all, process, 0);
}

/* An app that dies at the back is noticed at its next switch. */
static int collect_all(struct apps *all)
{
	unsigned int i;
	int ret;

	for (i = 0; i < all->options.apps; i++) {
		ret = all->processes[i].pid ? collect(all, &all->processes[i], WNOHANG) : 0;
		if (ret && ret != -ECHILD)
			return ret;
	}
	return 0;
}

static int read_answer(struct apps *all, struct process *process, struct app_answer *answer)
{
	int ret = -EPIPE;

	if (all->programs.n)
		ret = program_read(&process->program, process->pid, process->answers, answer);
	else if (read(process->answers, answer, sizeof(*answer)) == sizeof(*answer))
		ret = 0;
	return ret == -EPIPE ? collect_now(all, process) : ret;
}

static int await(struct apps *all, struct process *process, struct app_answer *answer)
{
	enum watch_event event;
	int ret = -EAGAIN;

	while (ret == -EAGAIN) {
		event = watch_wait(&all->watch, process->answers, UINT64_MAX);
		if (event == WATCH_END)
			return -EINTR;
		if (event == WATCH_READY) {
			ret = read_answer(all, process, answer);
			continue;
		}
		ret = collect_all(all);
		if (!ret)
			ret = process->pid ? -EAGAIN : -ECHILD;
	}
	return ret;
}

static int tell(struct apps *all, struct process *process, char command)
{
	int ret = 0;

	if (!all->programs.n)
		ret = write(process->commands, &command, 1) == 1 ? 0 : -EPIPE;
	else if (command == APP_FRONT)
		ret = program_ask(&process->program, process->pid, process->commands,
				  process->answers);
	return ret == -EPIPE ? collect_now(all, process) : ret;
}

/* In the child. No other app may hold the pipes of one: it would not see their end. */
__attribute__((noreturn)) static void be_app(struct apps *all, unsigned int nr, pid_t parent,
					     int commands, int answers)
{
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_FAILED);
	watch_in_child(&all->watch);
	for (i = 0; i < all->options.apps; i++)
		if (all->processes[i].pid)
			hang_up(&all->processes[i]);
	if (all->programs.n)
		_exit(program_run(&all->programs.entries[nr], all->options.group, commands,
				  answers));
	_exit(app_run(&all->options, nr, commands, answers));
}

/* An error ends the program, and with it the pipes. */
static int start_process(struct apps *all, unsigned int nr)
{
	struct process *process = &all->processes[nr];
	int commands[2], answers[2];
	pid_t parent = getpid(), pid = -1;

	if (!pipe2(commands, O_CLOEXEC) && !pipe2(answers, O_CLOEXEC))
		pid = fork();
	if (pid < 0) {
		warn("cannot start %s", process->name);
		return -EAGAIN;
	}
	if (!pid) {
		close(commands[1]);
		close(answers[0]);
		be_app(all, nr, parent, commands[0], answers[1]);
	}
	close(commands[0]);
	close(answers[1]);
	process->pid = pid;
	process->commands = commands[1];
	process->answers = answers[0];
	program_begun(&process->program);
	return 0;
}

static int run_hook(struct apps *all, struct appout_switch *told)
{
	uint64_t begin_us = sys_now_us();
	int ret;

	if (!all->options.hook)
		return 0;
	ret = hook_run(&all->hook, &all->watch, all->processes[told->app].name);
	told->hook_us += sys_now_us() - begin_us;
	return ret;
}

/* The hook finds a process of that name, which has no memory yet, if it was started now. */
static int bring(struct apps *all, struct appout_switch *told)
{
	struct process *process = &all->processes[told->app];
	struct app_answer answer;
	int ret = 0;

	if (!process->pid) {
		told->cold = true;
		ret = start_process(all, told->app);
		if (!ret)
			ret = await(all, process, &answer);
	}
	if (ret)
		return ret;
	ret = run_hook(all, told);
	if (!ret)
		ret = tell(all, process, APP_FRONT);
	if (!ret)
		ret = await(all, process, &answer);
	told->end_us = sys_now_us();
	if (!ret) {
		told->major_faults = answer.major_faults;
		told->minor_faults = answer.minor_faults;
	}
	return ret;
}

/* An app that dies while the user waits for it is started anew, and the user waits on. */
static int switch_to(struct apps *all, struct appout_switch *told)
{
	unsigned int tries;
	int ret = collect_all(all);

	if (ret)
		return ret;
	if (all->front != NOBODY && all->front != told->app && all->processes[all->front].pid)
		ret = tell(all, &all->processes[all->front], APP_BACK);
	if (ret && ret != -ECHILD)
		return ret;
	all->front = told->app;
	told->begin_us = sys_now_us();
	ret = -ECHILD;
	for (tries = 0; tries < TRIES && ret == -ECHILD; tries++)
		ret = bring(all, told);
	all->think_us = sys_now_us() + all->stay_us;
	if (ret == -ECHILD)
		warnx("%s died %d times in one switch, which is not counted",
		      all->processes[told->app].name, TRIES);
	return ret;
}

static int think(struct apps *all)
{
	enum watch_event event = WATCH_CHILD;
	int ret = 0;

	while (event == WATCH_CHILD && !ret) {
		event = watch_wait(&all->watch, -1, all->think_us);
		if (event == WATCH_CHILD)
			ret = collect_all(all);
	}
	return event == WATCH_END ? -EINTR : ret;
}

/* After one visit for each, in their order. */
static unsigned int choose(struct apps *all, uint64_t visit)
{
	size_t line;

	all->stay_us = all->options.think_us;
	if (visit < all->options.apps)
		return (unsigned int)visit;
	if (all->options.sequence) {
		line = all->next++ % all->sequence.n;
		if (all->sequence.stay_ms[line] != APPSEQ_NO_TIME)
			all->stay_us = all->sequence.stay_ms[line] * UINT64_C(1000);
		return all->sequence.apps[line];
	}
	return zipf_pick(&all->zipf, sequence_next(&all->chance), all->front);
}

static int run(struct apps *all)
{
	uint64_t first = all->options.apps + all->options.warm_up, visit;
	int ret = 0;

	for (visit = 0; visit < first + all->options.switches && !ret; visit++) {
		struct appout_switch told = { .app = choose(all, visit) };

		ret = visit ? think(all) : 0;
		if (ret)
			return ret;
		ret = switch_to(all, &told);
		if (visit >= first && !ret) {
			told.nr = visit - first + 1;
			ret = appout_switch(&all->out, &told);
		}
		ret = ret == -ECHILD ? 0 : ret;
	}
	return ret;
}

/* Without commands apps end, but not before the last one has checked what it still has to. */
static int wait_for_all(struct apps *all)
{
	enum watch_event event = WATCH_CHILD;
	unsigned int i, left = 1;
	int ret = 0;

	for (i = 0; i < all->options.apps; i++)
		if (all->processes[i].pid)
			hang_up(&all->processes[i]);
	while (left && !ret) {
		ret = collect_all(all);
		for (i = left = 0; i < all->options.apps; i++)
			left += all->processes[i].pid != 0;
		if (left && !ret)
			event = watch_wait(&all->watch, -1, UINT64_MAX);
		if (event == WATCH_END)
			ret = -EINTR;
	}
	return ret;
}

static void kill_process(const struct apps *all, pid_t pid)
{
	kill(pid, SIGKILL);
	if (all->programs.n)
		program_kill_rest(pid);
}

static void kill_all(struct apps *all)
{
	unsigned int i;

	for (i = 0; i < all->options.apps; i++)
		if (all->processes[i].pid)
			kill_process(all, all->processes[i].pid);
	for (i = 0; i < all->options.apps; i++)
		if (all->processes[i].pid)
			waitpid(all->processes[i].pid, NULL, 0);
}

/* What each app is called. */
static void name_apps(struct apps *all)
{
	unsigned int i;

	if (all->programs.n)
		all->options.apps = all->programs.n;
	for (i = 0; i < all->options.apps; i++) {
		struct process *process = &all->processes[i];

		process->program.entry = &all->programs.entries[i];
		snprintf(process->name, sizeof(process->name), "app%u", i);
		if (all->programs.n)
			strcpy(process->name, process->program.entry->name);
	}
}

static int begin(struct apps *all)
{
	const struct appopt *options = &all->options;
	int ret = appread_programs(&all->programs, options->programs);

	name_apps(all);
	if (!ret)
		ret = appread_sequence(&all->sequence, options->sequence,
				       (unsigned int)options->apps);
	if (!ret)
		ret = hook_begin(&all->hook, options->hook);
	if (ret)
		return ret;
	all->front = NOBODY;
	zipf_begin(&all->zipf, (unsigned int)options->apps, (unsigned int)options->zipf);
	sequence_begin(&all->chance, options->seed, 0, UINT64_MAX);
	ret = all->programs.n ? 0 : appfile_prepare(options);
	if (options->prepare && ret >= 0)
		printf("%d files made\n", ret);
	return ret < 0 ? -EIO : 0;
}

static int run_all(struct apps *all)
{
	bool failed;
	int ret;

	if (watch_begin(&all->watch) ||
	    appout_begin(&all->out, all->options.out, all->options.switches))
		return -EIO;
	ret = run(all);
	/* A program has nothing left to check. */
	if (!ret && !all->programs.n)
		ret = wait_for_all(all);
	kill_all(all);
	failed = ret && ret != -EINTR;
	return appout_end(&all->out, all->hook.failures, failed) && !failed ? -EIO : ret;
}

/**
 * load_apps() - switch between apps
 * @options: how
 *
 * Return: the status of the program, STATUS_FAILED also if data were wrong.
 */
int load_apps(const struct loadopt *options)
{
	int ret;

	apps.options = options->apps;
	ret = begin(&apps);
	if (!ret && !options->apps.prepare)
		ret = run_all(&apps);
	hook_end(&apps.hook);
	if (ret == -EINVAL)
		return STATUS_USAGE;
	return ret && ret != -EINTR ? STATUS_FAILED : 0;
}
