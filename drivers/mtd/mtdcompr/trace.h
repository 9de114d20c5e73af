/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM mtdcompr

#if !defined(MTDC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define MTDC_TRACE_H

#include <linux/tracepoint.h>

#include "map.h"

#define MTDC_TRACE_KINDS			\
	{ MTDC_NONE, "none" },			\
	{ MTDC_FILL, "fill" },			\
	{ MTDC_RAW, "raw" },			\
	{ MTDC_COMPRESSED, "compressed" },	\
	{ MTDC_LOST, "lost" }

DECLARE_EVENT_CLASS(mtdc_page,
	TP_PROTO(u32 dev, u32 page, u32 kind, u32 bytes, u32 fragments,
		 int err),
	TP_ARGS(dev, page, kind, bytes, fragments, err),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, page)
		__field(u32, kind)
		__field(u32, bytes)
		__field(u32, fragments)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->page = page;
		__entry->kind = kind;
		__entry->bytes = bytes;
		__entry->fragments = fragments;
		__entry->err = err;
	),
	TP_printk("dev=%u page=%u kind=%s bytes=%u fragments=%u err=%d",
		  __entry->dev, __entry->page,
		  __print_symbolic(__entry->kind, MTDC_TRACE_KINDS),
		  __entry->bytes, __entry->fragments, __entry->err)
);

DEFINE_EVENT(mtdc_page, mtdc_page_write,
	TP_PROTO(u32 dev, u32 page, u32 kind, u32 bytes, u32 fragments,
		 int err),
	TP_ARGS(dev, page, kind, bytes, fragments, err)
);

DEFINE_EVENT(mtdc_page, mtdc_page_read,
	TP_PROTO(u32 dev, u32 page, u32 kind, u32 bytes, u32 fragments,
		 int err),
	TP_ARGS(dev, page, kind, bytes, fragments, err)
);

DECLARE_EVENT_CLASS(mtdc_space,
	TP_PROTO(u32 dev, u32 page, u32 bytes, u32 fragments),
	TP_ARGS(dev, page, bytes, fragments),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, page)
		__field(u32, bytes)
		__field(u32, fragments)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->page = page;
		__entry->bytes = bytes;
		__entry->fragments = fragments;
	),
	TP_printk("dev=%u page=%u bytes=%u fragments=%u",
		  __entry->dev, __entry->page, __entry->bytes,
		  __entry->fragments)
);

DEFINE_EVENT(mtdc_space, mtdc_alloc,
	TP_PROTO(u32 dev, u32 page, u32 bytes, u32 fragments),
	TP_ARGS(dev, page, bytes, fragments)
);

DEFINE_EVENT(mtdc_space, mtdc_free,
	TP_PROTO(u32 dev, u32 page, u32 bytes, u32 fragments),
	TP_ARGS(dev, page, bytes, fragments)
);

#endif /* MTDC_TRACE_H */

/* Out of tree, the path is found by the -I of this directory's Kbuild. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
