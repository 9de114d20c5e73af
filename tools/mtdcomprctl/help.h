/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HELP_H
#define HELP_H

#include <stdio.h>

void help_print(FILE *out);
void help_version(FILE *out);

#endif
