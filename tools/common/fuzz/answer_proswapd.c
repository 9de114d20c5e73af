// SPDX-License-Identifier: GPL-2.0
/*
 * proswapd: the state selects the mode, and control groups with a limit or none.
 */
#include "answer.h"
#include "cgroup.h"
#include "memory_domains.h"
#include "config.h"
#include "log.h"
#include "status.h"
#include "sys.h"

void answer_proswapd(u8 state, char *request, char *reply, const char *root)
{
	static struct config config;

	sys_set_root(root);
	log_open("fuzz", false, LOG_LEVEL_ERROR);
	conf_presets(config_keys, &config);
	config.mode = state & 1 ? MODE_PAPER : MODE_AUTO;
	cgroup_find();
	if (state & 2) {
		must_be(domains_find("/g0") == 0);
		must_be(domains_find("/g1 a\033[1m\nb: 1/x") == 1);
	}
	control_answer(status_verbs, request, reply, &(struct daemon_run){ .config = &config });
	domains_forget();
}
