/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control requests of the four daemons. Daemons have functions and files of the same names,
 * so each is a shared library that shows one function, answer_NAME().
 *
 * An answer may look for processes: the daemons see a tree of files instead of /proc.
 */
#ifndef ANSWER_H
#define ANSWER_H

#include "fuzz.h"

#define ANSWER __attribute__((visibility("default")))

/*
 * answer_NAME() - answer a request
 * @state: a byte that says in which state the daemon is
 * @request: the line, without its end
 * @reply: CONTROL_REPLY bytes
 * @root: directory of the tree
 */
typedef void (*answer_fn)(u8 state, char *request, char *reply, const char *root);

ANSWER void answer_latd(u8 state, char *request, char *reply, const char *root);
ANSWER void answer_proswapd(u8 state, char *request, char *reply, const char *root);
ANSWER void answer_rectifyd(u8 state, char *request, char *reply, const char *root);
ANSWER void answer_marvind(u8 state, char *request, char *reply, const char *root);

#endif
