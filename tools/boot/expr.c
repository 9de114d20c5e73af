// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "expr.h"

struct parser {
	const char *at;
	double ram;
	unsigned int depth;
	const char *why;		/* the first error, or NULL */
};

static double sum(struct parser *parser);

static double fail(struct parser *parser, const char *why)
{
	if (!parser->why)
		parser->why = why;
	return 0;
}

static void blanks(struct parser *parser)
{
	while (*parser->at == ' ' || *parser->at == '\t')
		parser->at++;
}

/* next_is() - consume the next character if it is @c */
static bool next_is(struct parser *parser, char c)
{
	blanks(parser);
	if (*parser->at != c)
		return false;
	parser->at++;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* figure() - parse a number; strtod() would take "inf", "0x1p3" and in some locales a comma */
static double figure(struct parser *parser)
{
	double value = 0, scale = 1;
	unsigned int digits = 0;
	bool point = false;

	for (;; parser->at++) {
		if (*parser->at == '.' && !point && is_digit(parser->at[1])) {
			point = true;
			continue;
		}
		if (!is_digit(*parser->at))
			break;
		if (++digits > EXPR_DIGITS)
			return fail(parser, "a number is too long");
		value = value * 10 + (*parser->at - '0');
		if (point)
			scale *= 10;
	}
	if (is_letter(*parser->at))
		return fail(parser, "numbers are MiB, and no unit may follow");
	return value / scale;
}

/* enter() - count one level of recursion */
static bool enter(struct parser *parser)
{
	if (++parser->depth > EXPR_DEPTH) {
		fail(parser, "too many parentheses or signs inside each other");
		return false;
	}
	return true;
}

static double arguments(struct parser *parser, bool largest)
{
	double value, next;

	if (!next_is(parser, '('))
		return fail(parser, "min and max want parentheses: min(ram / 2, 4096)");
	value = sum(parser);
	while (!parser->why && next_is(parser, ',')) {
		next = sum(parser);
		if (largest ? next > value : next < value)
			value = next;
	}
	if (!next_is(parser, ')'))
		return fail(parser, "\")\" is missing");
	return value;
}

static double word(struct parser *parser)
{
	const char *start = parser->at;
	size_t len;

	while (is_letter(*parser->at) || is_digit(*parser->at))
		parser->at++;
	len = (size_t)(parser->at - start);
	if (len == 3 && !memcmp(start, "ram", 3))
		return parser->ram;
	if (len == 3 && !memcmp(start, "min", 3))
		return arguments(parser, false);
	if (len == 3 && !memcmp(start, "max", 3))
		return arguments(parser, true);
	return fail(parser, "the words are ram, min and max");
}

static double operand(struct parser *parser)
{
	double value;

	if (parser->why || !enter(parser))
		return 0;
	blanks(parser);
	if (next_is(parser, '-')) {
		value = -operand(parser);
	} else if (next_is(parser, '(')) {
		value = sum(parser);
		if (!next_is(parser, ')'))
			fail(parser, "\")\" is missing");
	} else if (is_digit(*parser->at)) {
		value = figure(parser);
	} else if (is_letter(*parser->at)) {
		value = word(parser);
	} else {
		value = fail(parser, "a number, ram, min(), max() or \"(\" is missing");
	}
	parser->depth--;
	return value;
}

static double product(struct parser *parser)
{
	double value = operand(parser), by;

	while (!parser->why) {
		if (next_is(parser, '*')) {
			value *= operand(parser);
		} else if (next_is(parser, '/')) {
			by = operand(parser);
			if (!by)
				return fail(parser, "a division by 0");
			value /= by;
		} else {
			break;
		}
	}
	return value;
}

static double sum(struct parser *parser)
{
	double value = product(parser);

	while (!parser->why) {
		if (next_is(parser, '+'))
			value += product(parser);
		else if (next_is(parser, '-'))
			value -= product(parser);
		else
			break;
	}
	return value;
}

/**
 * expr_eval() - evaluate an expression
 * @text: numbers, ram, + - * /, min() and max() of one or more values, parentheses
 * @ram: value of "ram", MiB
 * @value: the result, MiB; unchanged on error
 * @why: the reason of an error
 *
 * Context: any; EXPR_DEPTH bounds the recursion.
 *
 * Return: 0; -EINVAL for a wrong expression; -ERANGE if the result is too large.
 */
int expr_eval(const char *text, double ram, double *value, const char **why)
{
	struct parser parser = { .at = text, .ram = ram };
	double result = sum(&parser);

	blanks(&parser);
	if (!parser.why && *parser.at)
		fail(&parser, "an operator is missing, or a parenthesis is too many");
	*why = parser.why;
	if (parser.why)
		return -EINVAL;
	/* This refuses infinity and NaN, too. */
	if (!(result > -1e15 && result < 1e15)) {
		*why = "the result is too large";
		return -ERANGE;
	}
	*value = result;
	return 0;
}
