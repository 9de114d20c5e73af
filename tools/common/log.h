/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_LOG_H
#define COMMON_LOG_H

#include <stdbool.h>

/* As in syslog(3), where smaller is worse. */
enum log_level {
	LOG_LEVEL_ERROR = 3,
	LOG_LEVEL_WARN = 4,
	LOG_LEVEL_INFO = 6,
	LOG_LEVEL_DEBUG = 7,
};

int log_open(const char *name, bool to_system, enum log_level level);
void log_level(enum log_level level);
int log_fd(void);
void log_line(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
