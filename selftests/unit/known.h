/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All bytes that go to the media must be initialised: uninitialised kernel memory may hold another
 * user's data. MemorySanitizer checks this (fuzz/run.sh --msan).
 */
#ifndef UNIT_KNOWN_H
#define UNIT_KNOWN_H

#ifndef __has_feature
#define __has_feature(what) 0
#endif

#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define must_be_known(from, bytes)	__msan_check_mem_is_initialized(from, bytes)
#else
#define must_be_known(from, bytes)	((void)(from))
#endif

#endif
