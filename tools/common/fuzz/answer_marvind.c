// SPDX-License-Identifier: GPL-2.0
/*
 * marvind, without a registered program; fuzz_message has the packets of programs.
 */
#include "answer.h"
#include "config.h"
#include "log.h"
#include "status.h"
#include "sys.h"

void answer_marvind(u8 state, char *request, char *reply, const char *root)
{
	static struct config config;
	static u32 now_ms = 1;

	sys_set_root(root);
	log_open("fuzz", false, LOG_LEVEL_ERROR);
	conf_presets(config_keys, &config);
	control_answer(status_verbs, request, reply,
		       &(struct daemon_run){ &config, NULL, now_ms++, state & 1 });
}
