// SPDX-License-Identifier: GPL-2.0
/*
 * latd: the state says how many processes are protected, and the mode.
 */
#include "answer.h"
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
	static struct sample sample;
	static struct rule rule;
	static struct scan scan;

	sys_set_root(root);
	log_open("fuzz", false, LOG_LEVEL_ERROR);
	conf_presets(config_keys, &config);
	memset(&sample, 0xff, sizeof(sample.now_us) * 8);
	fill(&scan, state % (SCAN_PROTECTED + 1));
	config.mode = scan.n_protected % (MODE_GROW + 1);
	status_answer(request, reply, &config, &rule, &sample, &scan);
}
