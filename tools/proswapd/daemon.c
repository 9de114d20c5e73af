// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "automatic.h"
#include "aside.h"
#include "cgroup.h"
#include "contest.h"
#include "control.h"
#include "daemon.h"
#include "domains.h"
#include "guard.h"
#include "log.h"
#include "monitor.h"
#include "notify.h"
#include "paper.h"
#include "status.h"
#include "sys.h"
#include "target.h"
#include "traffic.h"
#include "undo.h"

/* Programs that begin are found within that time. */
#define SCAN_MS 2000
/* So often page tables are compared, where the kernel does not tell of swap-outs. */
#define PAGEMAP_MS 60
/* --once looks for so long. */
#define ONCE_MS 5000

/* Without swapping, free places are filled within that time. */
#define FILL_MS 3000
/* A scan takes no more than one of so many parts of the time. */
#define SCAN_PART 256

static struct {
	uint64_t begin_us;
	uint32_t scan_ms;
	uint32_t wait_ms;		/* until the next one */
	uint32_t all_ms;		/* when all processes were last gone through */
	uint64_t traffic;		/* pages that the system had swapped by the last one */
	int err;			/* why it has to end */
} state;

/**
 * daemon_configure() - the configuration, from its file and the command line
 * @options: of the command line
 * @config: filled in, if all of it is right
 * @message: CONF_MESSAGE bytes for what is wrong
 *
 * Return: 0, or a negative errno.
 */
int daemon_configure(const struct frame_options *options, struct config *config, char *message)
{
	struct config new;
	int err;

	config_default(&new);
	err = frame_configure(&daemon_names, options, config_keys, &new, message);
	if (!err)
		err = config_check(&new, message);
	if (!err)
		*config = new;
	return err;
}

/* now_ms() - never 0, which means never */
static uint32_t now_ms(void)
{
	return (uint32_t)((sys_now_us() - state.begin_us) / 1000) + 1;
}

static int set_up(const struct config *config, bool dry_run)
{
	char why[256] = "";
	/* The paper counts each page; a period shows in one of eight as well. */
	unsigned int every = config->mode == MODE_PAPER ? 1 : AUTOMATIC_EVERY;
	int err = monitor_open((int)config->monitor - 1, every, why, sizeof(why));

	log_level(config_level(config));
	if (err) {
		log_error("swap-outs cannot be seen: %s%s%s", strerror(-err), why[0] ? ": " : "",
			  why);
		return err;
	}
	log_info("mode %s; swap-outs are seen by %s%s%s", config_modes[config->mode],
		 monitor_name(monitor_kind()), why[0] ? ": " : "", why);
	err = status_trace_open(config->trace);
	if (err) {
		log_error("%s: %s", config->trace, strerror(-err));
		return err;
	}
	if (config->mode == MODE_PAPER && !dry_run)
		return paper_begin(config);
	automatic_begin();
	return 0;
}

static void tear_down(void)
{
	undo_all();
	target_drop_all();
	contest_reset();
	domains_forget();
	monitor_close();
	status_trace_close();
}

/* scan() - choose the programs to look at; without swapping there is no hurry */
static void scan(const struct config *config, uint32_t now)
{
	bool all = config->mode == MODE_PAPER || config->automatic.trim || !state.scan_ms;
	uint64_t begun_us = sys_cpu_us();

	if (state.scan_ms && now - state.scan_ms < state.wait_ms)
		return;
	state.scan_ms = now;
	all |= traffic_since(&state.traffic) ||
	       (target_count() < TARGETS && now - state.all_ms >= FILL_MS);
	if (all)
		state.all_ms = now;
	target_scan(config, now, all);
	state.wait_ms = (uint32_t)((sys_cpu_us() - begun_us) * SCAN_PART / 1000);
	if (state.wait_ms < SCAN_MS)
		state.wait_ms = SCAN_MS;
}

static uint32_t step(const struct config *config, bool dry_run)
{
	uint32_t now = now_ms(), wait_ms;

	scan(config, now);
	monitor_poll();
	wait_ms = config->mode == MODE_PAPER ? paper_step(config, now, dry_run) :
					       automatic_step(config, now, dry_run);
	status_trace(now);
	/* What goes out and comes in between two polls is not seen. */
	if (monitor_kind() == MONITOR_PAGEMAP && target_count() && wait_ms > PAGEMAP_MS)
		wait_ms = PAGEMAP_MS;
	return wait_ms;
}

/* What the loop's functions need. */
struct loop {
	const struct frame_options *options;
	struct config *config;
};

/* reload() - false: the new configuration is right, but cannot be set up here */
static bool reload(void *arg)
{
	const struct loop *loop = arg;
	char message[CONF_MESSAGE];
	int err = daemon_configure(loop->options, loop->config, message);

	if (err) {
		log_error("%s; the configuration stays as it was", message);
		return true;
	}
	tear_down();
	state.scan_ms = 0;
	state.err = set_up(loop->config, loop->options->dry_run);
	if (!state.err)
		log_info("configuration read, mode %s", config_modes[loop->config->mode]);
	return !state.err;
}

static void answer(char *request, char *reply, void *arg)
{
	const struct loop *loop = arg;

	status_answer(request, reply, loop->config);
}

static uint32_t next(void *arg)
{
	const struct loop *loop = arg;

	return step(loop->config, loop->options->dry_run);
}

/* once() - some looks, and what was seen */
static int once(struct config *config)
{
	char text[CONTROL_REPLY];
	uint32_t end = now_ms() + ONCE_MS;
	int err = set_up(config, true);

	while (!err && now_ms() < end)
		usleep(step(config, true) * 1000);
	if (!err) {
		status_text(text, sizeof(text), config);
		fputs(text, stdout);
	}
	tear_down();
	return err;
}

/* run() - from the first look to the last */
static int run(const struct frame_options *options, struct config *config, struct frame *frame)
{
	struct loop loop = { options, config };
	const struct frame_work work = {
		.step = next, .reload = reload, .answer = answer, .arg = &loop,
	};
	int err = set_up(config, options->dry_run);

	if (err)
		return err;
	frame_settle(frame);
	notify("READY=1");
	frame_loop(frame, &work);
	notify("STOPPING=1");
	log_info("ends, and undoes what it changed");
	return state.err;
}

/**
 * daemon_run() - run until a signal comes
 * @options: of the command line
 * @config: what is wanted
 *
 * Return: 0, or a negative errno, which was logged.
 */
int daemon_run(const struct frame_options *options, struct config *config)
{
	struct frame frame;
	int err;

	state.begin_us = sys_now_us();
	if (cgroup_find())
		log_debug("control groups of version 2 are not mounted");
	if (options->once)
		return once(config);
	guard_also(NULL, monitor_clean);
	err = frame_open(&frame, &daemon_names, options);
	if (!err)
		err = aside_start();
	if (!err)
		err = run(options, config, &frame);
	tear_down();
	frame_close(&frame, options);
	return err;
}
