/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests to a program, and its answers. The daemon never waits: what finds no room in the
 * program's socket is sent later.
 */
#ifndef MARVIND_ASK_H
#define MARVIND_ASK_H

#include <stdbool.h>
#include <stdint.h>
#include "registry.h"

/* Bits; they are sent in this order. */
enum request {
	REQUEST_FG = 1,
	REQUEST_FETCH = 2,
	REQUEST_BG = 4,
	REQUEST_DROP = 8,
};

void ask_back(struct program *program, uint32_t now_ms);
void ask_front(struct program *program, bool fetch);
void ask_drop(struct program *program, uint64_t bytes, uint32_t now_ms);
void ask_again(struct program *program);
uint64_t ask_heard(struct program *program, uint32_t now_ms);
bool ask_is_late(const struct program *program, uint32_t now_ms);

#endif
