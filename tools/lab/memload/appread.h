/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files that tell the load "apps" what to do.
 */
#ifndef MEMLOAD_APPREAD_H
#define MEMLOAD_APPREAD_H

#include "appseq.h"
#include "proglist.h"

int appread_sequence(struct appseq *sequence, const char *name, unsigned int apps);
int appread_programs(struct proglist *list, const char *name);

#endif
