/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state for people and scripts: the requests of rectifyctl.
 */
#ifndef RECTIFYD_STATUS_H
#define RECTIFYD_STATUS_H

#include "verb.h"

extern const struct control_verb status_verbs[];

#endif
