/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control requests of the four daemons. Functions and files of different daemons have the same
 * names, so each daemon is a shared library that exports one function, answer_NAME().
 *
 * A request may search processes: the daemons see a directory of files instead of /proc.
 */
#ifndef ANSWER_H
#define ANSWER_H

#include "fuzz.h"

#define ANSWER __attribute__((visibility("default")))

/*
 * answer_NAME() - answer a request
 * @state: a byte that selects the state of the daemon
 * @request: the line, without its end
 * @reply: CONTROL_REPLY bytes
 * @root: the directory that stands for /
 */
typedef void (*answer_fn)(u8 state, char *request, char *reply, const char *root);

ANSWER void answer_latd(u8 state, char *request, char *reply, const char *root);
ANSWER void answer_proswapd(u8 state, char *request, char *reply, const char *root);
ANSWER void answer_rectifyd(u8 state, char *request, char *reply, const char *root);
ANSWER void answer_marvind(u8 state, char *request, char *reply, const char *root);

#endif
