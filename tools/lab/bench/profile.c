// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU plugin that counts how often each instruction of the guest's kernel is
 * executed between the markers of pageio.c.
 *
 * A sampling profile would depend on the host's load and miss code that runs with
 * interrupts off. Under -icount the number of instructions is the guest's time, so
 * these counts are exact.
 *
 * For each pass it prints a line "pass", then a line "ADDRESS COUNT" for each
 * instruction executed; address 0 stands for all of user space.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

int qemu_plugin_version = 1;

#define BUCKETS		65536U
#define KERNEL		UINT64_C(0xffff800000000000)

struct counter {
	struct counter *next;
	uint64_t address;
	uint64_t count;
};

static struct counter *buckets[BUCKETS];
static FILE *out;
static const uint8_t begin_code[] = { 0x0f, 0x1f, 0x80, 1, 'M', 'T', 'D' };
static const uint8_t end_code[] = { 0x0f, 0x1f, 0x80, 2, 'M', 'T', 'D' };

/* All translations of an instruction share a counter. */
static uint64_t *counter_of(uint64_t address)
{
	uint64_t hash = address * UINT64_C(0x9e3779b97f4a7c15) >> 48;
	struct counter *counter;

	for (counter = buckets[hash]; counter; counter = counter->next)
		if (counter->address == address)
			return &counter->count;
	counter = calloc(1, sizeof(*counter));
	if (!counter)
		abort();
	counter->address = address;
	counter->next = buckets[hash];
	buckets[hash] = counter;
	return &counter->count;
}

static void begin(unsigned int cpu, void *data)
{
	struct counter *counter;
	uint32_t i;

	(void)cpu;
	(void)data;
	for (i = 0; i < BUCKETS; i++)
		for (counter = buckets[i]; counter; counter = counter->next)
			counter->count = 0;
}

static void end(unsigned int cpu, void *data)
{
	struct counter *counter;
	uint32_t i;

	(void)cpu;
	(void)data;
	fprintf(out, "pass\n");
	for (i = 0; i < BUCKETS; i++)
		for (counter = buckets[i]; counter; counter = counter->next)
			if (counter->count)
				fprintf(out, "%llx %llu\n",
					(unsigned long long)counter->address,
					(unsigned long long)counter->count);
	fflush(out);
}

static bool has_code(const struct qemu_plugin_insn *insn, const uint8_t *code)
{
	return qemu_plugin_insn_size(insn) == sizeof(begin_code) &&
		!memcmp(qemu_plugin_insn_data(insn), code, sizeof(begin_code));
}

static void count(struct qemu_plugin_insn *insn)
{
	uint64_t address = qemu_plugin_insn_vaddr(insn);
	insn_exec_cb *cb = NULL;

	if (address < KERNEL) {
		address = 0;
		if (has_code(insn, begin_code))
			cb = begin;
		else if (has_code(insn, end_code))
			cb = end;
	}
	if (cb)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, cb,
						       QEMU_PLUGIN_CB_NO_REGS,
						       NULL);
	qemu_plugin_register_vcpu_insn_exec_inline(insn,
						   QEMU_PLUGIN_INLINE_ADD_U64,
						   counter_of(address), 1);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i;

	(void)id;
	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
		count(qemu_plugin_tb_get_insn(tb, i));
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info,
			int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "profile: give it out=FILE\n");
		return -1;
	}
	out = fopen(argv[0] + 4, "w");
	if (!out) {
		perror(argv[0] + 4);
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
