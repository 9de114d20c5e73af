/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control socket of a daemon: a line of words in, lines of text out, the first of them "ok"
 * or "error REASON". The daemon serves one client at a time, and drops a slow one.
 */
#ifndef COMMON_CONTROL_H
#define COMMON_CONTROL_H

#include <stddef.h>

#define CONTROL_REQUEST 256
/* In front of a request: answer it in JSON. */
#define CONTROL_JSON "json "
/* marvinctl list --json: 128 rows of at most 280 bytes. */
#define CONTROL_REPLY 36864

/* A handler writes the reply; there is room for CONTROL_REPLY bytes. */
typedef void (*control_fn)(char *request, char *reply, void *arg);

int control_open(const char *path);
void control_serve(int fd, control_fn handler, void *arg);
void control_clean(const char *path);
void control_close(int fd, const char *path);
int control_ask(const char *path, const char *request, char *reply, size_t size);

#endif
