/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of programs as a table, for people. PURE but for what it prints.
 */
#ifndef MARVIND_ROWS_H
#define MARVIND_ROWS_H

void rows_print(const char *request, char *text);

#endif
