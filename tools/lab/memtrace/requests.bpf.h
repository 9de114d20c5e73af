/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the program in the kernel tells of a block request. No header of the C library may be
 * included: there is none for BPF.
 */
#ifndef MEMTRACE_REQUESTS_BPF_H
#define MEMTRACE_REQUESTS_BPF_H

struct request_event {
	unsigned long long time_us;
	unsigned long long sector;
	unsigned int kind;		/* enum blk_kind */
	unsigned int write;
	unsigned int pid;
	unsigned int device;		/* as the kernel has it: 20 bits are the minor number's */
	unsigned int sectors;
	char comm[16];
};

#endif
