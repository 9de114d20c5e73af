// SPDX-License-Identifier: GPL-2.0
/*
 * Counts swap-outs in the kernel. try_to_unmap_one() takes a page out of a page table; it has had
 * this name and these arguments longer than the functions that write a page.
 *
 * Of the kernel's structures only the fields that are read are declared here: libbpf finds their
 * places in the description that the kernel brings with it.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "monitor_record.h"

#define FOUND_BY_NAME __attribute__((preserve_access_index))

/* Of folio->mapping; the second bit: pages of several programs, merged. */
#define MAPPING_KINDS 3ul
#define MAPPING_ANON 1ul

struct folio {
	void *mapping;
} FOUND_BY_NAME;

struct task_struct {
	int tgid;
} FOUND_BY_NAME;

/* A kernel without memory control groups has no owner: then this is not loaded. */
struct mm_struct {
	struct task_struct *owner;
} FOUND_BY_NAME;

struct vm_area_struct {
	struct mm_struct *vm_mm;
} FOUND_BY_NAME;

enum pageflags {
	PG_swapbacked = 1,
};

/*
 * From the process to its slot, which is part of the other map's keys. Both maps get their sizes
 * when they are loaded.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} watched SEC(".maps");

/*
 * All memory is taken at the beginning: there is little to be had during a swap-out. When it is
 * full the others are not recorded: to drop the oldest, as an LRU map does, would drop each record
 * of a program before its page comes round again.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct monitor_record);
} swapouts SEC(".maps");

const volatile unsigned int page_shift = 12;
const volatile unsigned int every_mask;	/* pages with one of these bits are left out */
unsigned int full;			/* a swap-out was not recorded */

/* Pages that a program gave away by MADV_FREE are dropped, not swapped out. */
static bool goes_to_swap(struct folio *folio)
{
	unsigned long kind = (unsigned long)BPF_CORE_READ(folio, mapping) & MAPPING_KINDS;
	unsigned long flags = 0;

	if (kind != MAPPING_ANON)
		return false;
	/* They come first, but their type changed in Linux 6.18. */
	bpf_probe_read_kernel(&flags, sizeof(flags), folio);
	return flags >> bpf_core_enum_value(enum pageflags, PG_swapbacked) & 1;
}

SEC("kprobe/try_to_unmap_one")
int BPF_KPROBE(swapout, struct folio *folio, struct vm_area_struct *vma, unsigned long address)
{
	struct monitor_record *record, first = {};
	__u64 now_us, key;
	__u32 tgid, *slot;

	if (address >> page_shift & every_mask)
		return 0;
	tgid = BPF_CORE_READ(vma, vm_mm, owner, tgid);
	now_us = bpf_ktime_get_ns() / 1000;
	slot = bpf_map_lookup_elem(&watched, &tgid);
	if (!slot || !goes_to_swap(folio))
		return 0;
	key = (__u64)*slot << MONITOR_KEY_SHIFT | (address >> page_shift);
	record = bpf_map_lookup_elem(&swapouts, &key);
	if (record) {
		monitor_record_add(record, now_us);
		return 0;
	}
	monitor_record_add(&first, now_us);
	if (bpf_map_update_elem(&swapouts, &key, &first, BPF_NOEXIST))
		full = 1;
	return 0;
}

char terms[] SEC("license") = "GPL";
