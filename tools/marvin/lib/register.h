/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program tells marvind that it is there: a file in a directory, named by its process id, with
 * the number of the table's descriptor.
 */
#ifndef MARVIN_REGISTER_H
#define MARVIN_REGISTER_H

#include <stdbool.h>

#define REGISTER_DIR "/run/marvin"

void register_begin(void);
bool register_try(void);
void register_forked(void);
void register_end(void);

#endif
