// SPDX-License-Identifier: GPL-2.0
/*
 * marvind: no program is registered; tables are for fuzz_table. The same text is also what a
 * program says when it registers.
 */
#include "answer.h"
#include "log.h"
#include "registry.h"
#include "status.h"
#include "sys.h"

void answer_marvind(u8 state, char *request, char *reply, const char *root)
{
	static struct config config;
	static u32 now_ms = 1;
	char line[32];
	int fd = -1;

	snprintf(line, sizeof(line), state & 2 ? "%.29s\n" : "%.31s", request);
	must_be(registry_parse(line, &fd) == (fd >= 0));
	sys_set_root(root);
	log_open("fuzz", false, LOG_LEVEL_ERROR);
	config_default(&config);
	status_answer(request, reply, &config, now_ms++, state & 1);
}
