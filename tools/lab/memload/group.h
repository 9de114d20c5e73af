/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control group of an app.
 */
#ifndef MEMLOAD_GROUP_H
#define MEMLOAD_GROUP_H

int group_enter(const char *dir, const char *name);

#endif
