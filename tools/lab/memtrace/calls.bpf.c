// SPDX-License-Identifier: GPL-2.0
/*
 * Counts calls of functions of the kernel. Which ones is said when the programs are attached.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__u64 accessed, added, dirtied, buffers;

SEC("kprobe")
int count_accessed(void *context)
{
	__sync_fetch_and_add(&accessed, 1);
	return 0;
}

SEC("kprobe")
int count_added(void *context)
{
	__sync_fetch_and_add(&added, 1);
	return 0;
}

SEC("kprobe")
int count_dirtied(void *context)
{
	__sync_fetch_and_add(&dirtied, 1);
	return 0;
}

SEC("kprobe")
int count_buffers(void *context)
{
	__sync_fetch_and_add(&buffers, 1);
	return 0;
}

char terms[] SEC("license") = "GPL";
