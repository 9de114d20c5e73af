/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sizes as expressions over the size of the main memory. PURE: a text in, a number out; nothing is
 * allocated, nothing is kept.
 */
#ifndef EXPR_H
#define EXPR_H

/* Parentheses and signs inside each other. */
#define EXPR_DEPTH 32

/* Digits of a number, with those behind the point. */
#define EXPR_DIGITS 18

int expr_eval(const char *text, double ram, double *value, const char **why);

#endif
