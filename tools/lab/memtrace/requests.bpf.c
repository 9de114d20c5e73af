// SPDX-License-Identifier: GPL-2.0
/*
 * Tells of block requests: queued, given to the driver, complete.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "requests.bpf.h"

#define FOUND_BY_NAME __attribute__((preserve_access_index))

/* The tracepoints' fields that are read. */
struct trace_event_raw_block_rq {
	__u32 dev;
	__u64 sector;
	__u32 nr_sector;
	char rwbs[8];
} FOUND_BY_NAME;

struct trace_event_raw_block_rq_completion {
	__u32 dev;
	__u64 sector;
	__u32 nr_sector;
	char rwbs[8];
} FOUND_BY_NAME;

enum { QUEUED, ISSUED, COMPLETE };	/* enum blk_kind */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} events SEC(".maps");

__u64 lost;				/* there was no room for so many */

/* is_io() - neither a flush nor a discard */
static __always_inline bool is_io(const char *rwbs, __u32 *write)
{
	bool read = false;
	int i;

	*write = 0;
	for (i = 0; i < 8 && rwbs[i]; i++) {
		*write |= rwbs[i] == 'W';
		read |= rwbs[i] == 'R';
	}
	return read || *write;
}

/* Inline: Linux 6.1 does not take it as a function. */
static __always_inline struct request_event *begin(__u32 kind, const char *rwbs)
{
	struct request_event *event;
	__u32 write;

	if (!is_io(rwbs, &write))
		return NULL;
	event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		__sync_fetch_and_add(&lost, 1);
		return NULL;
	}
	event->time_us = bpf_ktime_get_ns() / 1000;
	event->kind = kind;
	event->write = write;
	event->pid = (__u32)bpf_get_current_pid_tgid();
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	return event;
}

/* A macro, as the fields of the two structures are in different places. */
#define TELL(CONTEXT, KIND)								\
	do {										\
		struct request_event *event;						\
		char rwbs[8];								\
											\
		bpf_probe_read_kernel(rwbs, sizeof(rwbs), (const char *)(CONTEXT) +	\
				      bpf_core_field_offset((CONTEXT)->rwbs));		\
		event = begin(KIND, rwbs);						\
		if (event) {								\
			event->device = BPF_CORE_READ(CONTEXT, dev);			\
			event->sector = BPF_CORE_READ(CONTEXT, sector);			\
			event->sectors = BPF_CORE_READ(CONTEXT, nr_sector);		\
			bpf_ringbuf_submit(event, 0);					\
		}									\
	} while (0)

SEC("tracepoint/block/block_rq_insert")
int queued(struct trace_event_raw_block_rq *context)
{
	TELL(context, QUEUED);
	return 0;
}

SEC("tracepoint/block/block_rq_issue")
int issued(struct trace_event_raw_block_rq *context)
{
	TELL(context, ISSUED);
	return 0;
}

SEC("tracepoint/block/block_rq_complete")
int complete(struct trace_event_raw_block_rq_completion *context)
{
	TELL(context, COMPLETE);
	return 0;
}

char terms[] SEC("license") = "GPL";
