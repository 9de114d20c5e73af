/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Takes memory back, when it is short or when it is told.
 */
#ifndef MARVIND_ENGINE_H
#define MARVIND_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include "config.h"
#include "registry.h"

/* Of a program that goes to the background. RssAnon in bytes. */
struct engine_state {
	bool pending;			/* not all of it is saved, given and dropped */
	uint64_t before;
	uint64_t after;			/* now, or when it was done */
};

int engine_begin(const struct config *config);
void engine_serve(const struct config *config, uint32_t now_ms);
uint32_t engine_step(const struct config *config, uint32_t now_ms, bool dry_run);
int engine_back(pid_t pid, uint32_t now_ms, bool dry_run);
int engine_front(const struct config *config, pid_t pid, uint32_t now_ms, bool dry_run);
int engine_state(pid_t pid, struct engine_state *state);
uint64_t engine_taken(void);
uint64_t engine_available(void);
void engine_text(const struct config *config, char *text, size_t size);
void engine_end(const struct config *config);

#endif
