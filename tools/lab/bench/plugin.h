/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of QEMU's interface for TCG plugins that profile.c and checksum-count.c use.
 *
 * Declared here, because Debian has no package with QEMU's header. Version 1 of the
 * interface, QEMU 4.2 and later.
 */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_info;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum { QEMU_PLUGIN_CB_NO_REGS };
enum { QEMU_PLUGIN_INLINE_ADD_U64 };

typedef void tb_trans_cb(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void insn_exec_cb(unsigned int cpu, void *data);

/* Translated blocks of instructions. */
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   tb_trans_cb *cb);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t at);

/* Instructions, and callbacks or counters for their execution. */
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    insn_exec_cb *cb, int flags,
					    void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
						int op, void *counter,
						uint64_t add);

/* System calls, in user mode. */
typedef void syscall_cb(qemu_plugin_id_t id, unsigned int cpu, int64_t nr, uint64_t a1,
			uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
			uint64_t a7, uint64_t a8);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, syscall_cb *cb);

/* The plugin defines these two. */
extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info,
			int argc, char **argv);

#endif /* PLUGIN_H */
