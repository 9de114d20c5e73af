/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program tells marvind that it is there: it connects to a socket, and sends the number of the
 * table's descriptor. The connection stays: its end tells each side that the other has gone.
 */
#ifndef MARVIN_REGISTER_H
#define MARVIN_REGISTER_H

#include <stdbool.h>

#define REGISTER_SOCKET "/run/marvind.reg"

void register_begin(void);
bool register_try(void);
void register_forked(void);
void register_end(void);

#endif
