/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Evaluate a size that depends on the size of main memory. PURE: a text in, a number out.
 */
#ifndef EXPR_H
#define EXPR_H

/* Nesting of parentheses and signs. */
#define EXPR_DEPTH 32

/* Digits of a number, including decimals. */
#define EXPR_DIGITS 18

int expr_eval(const char *text, double ram, double *value, const char **why);

#endif
