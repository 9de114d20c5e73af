// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "aside.h"
#include "control.h"
#include "daemon.h"
#include "engine.h"
#include "log.h"
#include "notify.h"
#include "status.h"
#include "sys.h"
#include "undo.h"

static uint64_t begin_us;

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

static uint32_t step(void *arg)
{
	const struct loop *loop = arg;

	return engine_step(loop->config, now_ms(), loop->options->dry_run);
}

static bool reload(void *arg)
{
	const struct loop *loop = arg;
	char message[CONF_MESSAGE];
	struct config new = *loop->config;

	if (daemon_configure(loop->options, &new, message)) {
		log_error("%s; the configuration stays as it was", message);
		return true;
	}
	if (strcmp(new.reg, loop->config->reg)) {
		log_warn("marvind.register stays %s until the next start", loop->config->reg);
		memcpy(new.reg, loop->config->reg, sizeof(new.reg));
	}
	*loop->config = new;
	registry_never(&loop->config->never);
	log_level(config_level(loop->config));
	log_info("configuration read, mode %s", config_modes[loop->config->mode]);
	return true;
}

static void answer(char *request, char *reply, void *arg)
{
	const struct loop *loop = arg;

	status_answer(request, reply, loop->config, now_ms(), loop->options->dry_run);
}

static void serve(void *arg)
{
	const struct loop *loop = arg;

	engine_serve(loop->config, now_ms());
}

/* once() - programs register only with a running daemon: print what it would take back */
static int once(const struct config *config)
{
	char text[CONTROL_REPLY];

	engine_text(config, text, sizeof(text));
	fputs(text, stdout);
	return 0;
}

/* start_helper() - and say why it failed; the helper is the first user of sockets */
static int start_helper(void)
{
	int err = aside_start();

	if (err == -EAFNOSUPPORT || err == -ENOSYS)
		log_error("no program can register: this kernel has no sockets (CONFIG_UNIX)");
	else if (err)
		log_error("no helper could be started: %s", strerror(-err));
	return err;
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
	struct frame_work work = { step, reload, answer, &loop, -1, serve };
	struct frame frame;
	int err;

	begin_us = sys_now_us();
	if (options->once)
		return once(config);
	err = frame_open(&frame, &daemon_names, options);
	if (!err) {
		log_level(config_level(config));
		err = start_helper();
	}
	if (!err)
		err = engine_begin(config);
	if (!err) {
		work.fd = registry_fd();
		log_info("mode %s, programs register at %s", config_modes[config->mode],
			 config->reg);
		frame_settle(&frame);
		notify("READY=1");
		frame_loop(&frame, &work);
		notify("STOPPING=1");
		log_info("ends");
		engine_end(config);
	}
	undo_all();
	frame_close(&frame, options);
	return err;
}
