// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "aside.h"
#include "cgroup.h"
#include "daemon.h"
#include "engine.h"
#include "log.h"
#include "notify.h"
#include "status.h"
#include "sys.h"
#include "undo.h"
#include "watch.h"

static uint64_t begin_us;
static uint32_t looked_ms;		/* when it was last looked who is in front */

/* What the loop's functions need. */
struct loop {
	const struct frame_options *options;
	struct config *config;
};

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
	return (uint32_t)((sys_now_us() - begin_us) / 1000) + 1;
}

/* watch() - has another app come to the front? */
static void watch(const struct loop *loop)
{
	struct watch watch;
	const char *name;

	if (watch_look(loop->config, &watch)) {
		name = watch_front(&watch);
		if (name)
			engine_front(loop->config, name, now_ms(), loop->options->dry_run);
	}
}

static uint32_t step(void *arg)
{
	const struct loop *loop = arg;
	uint32_t wait_ms;

	if (loop->config->watch && now_ms() - looked_ms >= WATCH_MS) {
		looked_ms = now_ms();
		watch(loop);
	}
	wait_ms = engine_step(loop->config, now_ms());
	return loop->config->watch && wait_ms > WATCH_MS ? WATCH_MS : wait_ms;
}

static bool reload(void *arg)
{
	const struct loop *loop = arg;
	char message[CONF_MESSAGE];

	if (daemon_configure(loop->options, loop->config, message)) {
		log_error("%s; the configuration stays as it was", message);
		return true;
	}
	log_level(config_level(loop->config));
	app_search_all(loop->config);
	engine_reload(loop->config, loop->options->dry_run);
	log_info("configuration read, mode %s", config_modes[loop->config->mode]);
	return true;
}

static void answer(char *request, char *reply, void *arg)
{
	const struct loop *loop = arg;

	status_answer(request, reply, loop->config, now_ms(), loop->options->dry_run);
}

static int once(const struct config *config)
{
	char text[4096];

	engine_begin(now_ms());
	status_text(text, sizeof(text), config);
	fputs(text, stdout);
	return 0;
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
	struct loop loop = { options, config };
	const struct frame_work work = {
		.step = step, .reload = reload, .answer = answer, .arg = &loop,
	};
	struct frame frame;
	int err;

	begin_us = sys_now_us();
	if (cgroup_find() && config->group[0])
		log_warn("control groups of version 2 are not mounted: apps are known by their names");
	if (options->once)
		return once(config);
	err = frame_open(&frame, &daemon_names, options);
	if (!err)
		err = aside_start();
	if (!err) {
		log_level(config_level(config));
		log_info("mode %s", config_modes[config->mode]);
		engine_begin(now_ms());
		frame_settle(&frame);
		notify("READY=1");
		frame_loop(&frame, &work);
		notify("STOPPING=1");
		log_info("ends");
	}
	undo_all();
	app_forget_all();
	frame_close(&frame, options);
	return err;
}
