/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What happens at a SIGBUS, which is how libmarvin says that bytes cannot be read.
 */
#ifndef LOAD_SIGBUS_H
#define LOAD_SIGBUS_H

#include <setjmp.h>

void sigbus_begin(void);
void sigbus_to(sigjmp_buf *where);

#endif
