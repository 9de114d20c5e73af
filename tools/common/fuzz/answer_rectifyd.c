// SPDX-License-Identifier: GPL-2.0
/*
 * rectifyd: the state selects whether apps are searched below a control group, and whether known
 * apps are forgotten before the request. No memory is moved.
 */
#include "answer.h"
#include "apps.h"
#include "cgroup.h"
#include "engine.h"
#include "config.h"
#include "log.h"
#include "status.h"
#include "sys.h"

void answer_rectifyd(u8 state, char *request, char *reply, const char *root)
{
	static struct config config;
	static u32 now_ms = 1;

	sys_set_root(root);
	log_open("fuzz", false, LOG_LEVEL_ERROR);
	conf_presets(config_keys, &config);
	cgroup_find();
	if (state & 1)
		strcpy(config.group, "/apps");
	if (state & 2) {
		app_forget_all();
		engine_begin(now_ms);
	}
	control_answer(status_verbs, request, reply,
		       &(struct daemon_run){ &config, NULL, now_ms++, true });
}
