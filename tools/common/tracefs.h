/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's tracing files. All that is made there has this process' id in its name, so that
 * several programs do not meet, and what one left that was killed can be told from the rest.
 */
#ifndef POLICY_TRACEFS_H
#define POLICY_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

void tracefs_name(const char *name);
bool tracefs_there(void);
bool tracefs_has(const char *file);
ssize_t tracefs_read(const char *file, char *buf, size_t size);
int tracefs_open_pipe(void);
int tracefs_open_raw(unsigned int cpu);

int tracefs_instance_add(void);
int tracefs_instance_write(const char *file, const char *value);
void tracefs_instance_remove(void);

int tracefs_probe_add(const char *event, char when, const char *function);
int tracefs_probe_read(const char *event, const char *file, char *buf, size_t size);
int tracefs_probe_write(const char *event, const char *file, const char *value);
void tracefs_probe_remove(const char *event);
void tracefs_probe_name(const char *event, char *name, size_t size);
void tracefs_clean(const char *const *events, size_t n);

#endif
