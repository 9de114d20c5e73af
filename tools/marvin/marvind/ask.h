/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests to a program, and its answers. The daemon never waits. If a program's socket has no room
 * for a request, the connection ends, which means the foreground to the program: it registers anew
 * as soon as it reads its socket. There is room for some hundred requests.
 */
#ifndef MARVIND_ASK_H
#define MARVIND_ASK_H

#include <stdbool.h>
#include <stdint.h>
#include "registry.h"

void ask_back(struct program *program, uint32_t now_ms);
void ask_front(struct program *program, bool fetch);
void ask_drop(struct program *program, uint64_t bytes, uint32_t now_ms);
uint64_t ask_heard(struct program *program, uint32_t now_ms);
bool ask_is_late(const struct program *program, uint32_t now_ms);

#endif
