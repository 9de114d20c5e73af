// SPDX-License-Identifier: GPL-2.0
/*
 * latd: the state selects the number of protected processes and the mode.
 */
#include "answer.h"
#include "config.h"
#include "log.h"
#include "status.h"
#include "sys.h"

static void fill(struct scan *scan, unsigned int n)
{
	unsigned int i;

	memset(scan, 0, sizeof(*scan));
	scan->n_protected = n;
	for (i = 0; i < n; i++)
		scan->protected[i] = (struct proc_id){ 4000000 + i, 1 };
}

void answer_latd(u8 state, char *request, char *reply, const char *root)
{
	static struct config config;
	static struct latd_state now;

	sys_set_root(root);
	log_open("fuzz", false, LOG_LEVEL_ERROR);
	conf_presets(config_keys, &config);
	memset(&now.sample, 0xff, sizeof(now.sample.now_us) * 8);
	fill(&now.scan, state % (SCAN_PROTECTED + 1));
	config.mode = now.scan.n_protected % (MODE_GROW + 1);
	control_answer(status_verbs, request, reply,
		       &(struct daemon_run){ .config = &config, .state = &now });
}
