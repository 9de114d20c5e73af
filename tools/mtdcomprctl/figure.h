/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The statistics of a device, /proc/mtdcompr/NAME, as a text. Figures are looked up by
 * key. PURE. New versions only add keys to the file, so an older module lacks some.
 */
#ifndef FIGURE_H
#define FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Larger than the file. */
#define FIGURE_TEXT 8192

bool figure_there(const char *text, const char *key);
uint64_t figure(const char *text, const char *key);
bool figure_word(const char *text, const char *key, char *word, size_t size);
bool figure_is(const char *text, const char *key, const char *word);
uint64_t figure_stored(const char *text);
uint64_t figure_errors(const char *text);
uint64_t figure_wear(const char *text);
bool figure_each(const char *text, bool (*fn)(const char *key, const char *value, void *arg),
		 void *arg);

#endif
