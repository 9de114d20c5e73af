/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The groups of the protected programs: memory.min of them and of the slices above them. The
 * kernel honours a group's memory.min only as far as the groups above have one. Where version 2 is
 * mounted with memory_recursiveprot, it gives what a slice keeps beyond its units' to all of them.
 * So a slice above a program keeps as much as the program has, and no more.
 *
 * If a group has another program in it, too, the size of the protected programs is kept. The kernel
 * has one memory.min for all of the group, so the other program has its share of it.
 *
 * Others write the same files: systemd writes its own values at each daemon-reload, and a unit that
 * starts again has a new group. So all of them are read again at each look.
 */
#ifndef LATD_KEPT_H
#define LATD_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Groups, with those above; programs in further ones are protected, but their memory is not. */
#define KEPT_MAX 24

void kept_setup(uint64_t bytes, unsigned int weight);
void kept_begin(void);
void kept_note(const char *path, uint64_t bytes);
bool kept_share(const char *path);
bool kept_shared(const char *path);
void kept_end(void);
bool kept_hold(void);
uint64_t kept_bytes(const char *path);
bool kept_stalled(uint64_t *some_us);
const char *kept_first(void);
int kept_list(char *text, size_t size);
void kept_close(void);

#endif
