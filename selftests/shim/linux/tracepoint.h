/* SPDX-License-Identifier: GPL-2.0 */
/* A tracepoint without a listener; the compiler checks its arguments. */
#ifndef SHIM_LINUX_TRACEPOINT_H
#define SHIM_LINUX_TRACEPOINT_H

#define TP_PROTO(...)	__VA_ARGS__
#define TP_ARGS(...)
#define TP_STRUCT__entry(...)
#define TP_fast_assign(...)
#define TP_printk(...)
#define DECLARE_EVENT_CLASS(name, proto, args, entry, assign, print)
#define DEFINE_EVENT(class, name, proto, args) \
	static inline void trace_##name(proto) { } \
	static inline bool trace_##name##_enabled(void) { return true; }
#define TRACE_EVENT(name, proto, args, entry, assign, print) \
	DEFINE_EVENT(, name, TP_PROTO(proto), )

#endif
