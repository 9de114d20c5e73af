// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin for QEMU's user mode that counts the instructions between the marks of checksum.c, and
 * prints the number at the second mark. The marks are system calls that no kernel has.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "plugin.h"

#define MARK_BEGIN	19796
#define MARK_END	19797

int qemu_plugin_version = 1;

static uint64_t executed;

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i;

	(void)id;
	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
		qemu_plugin_register_vcpu_insn_exec_inline(qemu_plugin_tb_get_insn(tb, i),
							   QEMU_PLUGIN_INLINE_ADD_U64,
							   &executed, 1);
}

static void system_call(qemu_plugin_id_t id, unsigned int cpu, int64_t nr, uint64_t a1,
			uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
			uint64_t a7, uint64_t a8)
{
	(void)id; (void)cpu; (void)a1; (void)a2; (void)a3; (void)a4;
	(void)a5; (void)a6; (void)a7; (void)a8;

	if (nr == MARK_BEGIN)
		executed = 0;
	if (nr == MARK_END) {
		printf("%llu\n", (unsigned long long)executed);
		fflush(stdout);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info,
			int argc, char **argv)
{
	(void)info;
	(void)argc;
	(void)argv;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_vcpu_syscall_cb(id, system_call);
	return 0;
}
