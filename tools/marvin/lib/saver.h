/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is done ahead of time: at each tick objects grow older, those that are not written any more
 * are saved, and those that are saved and not used are given to the kernel.
 */
#ifndef MARVIN_SAVER_H
#define MARVIN_SAVER_H

#include <stdint.h>

int saver_begin(void);
void saver_forked(void);
void saver_end(void);

#endif
