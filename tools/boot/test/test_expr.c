// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of expressions: results agree with arithmetic; wrong expressions are refused with a reason.
 */
#include <errno.h>
#include "harness.h"
#include "expr.h"

/* Copies the text to memory of its exact size, so that ASan detects reads past its end. */
static int eval(const char *text, double ram, double *value)
{
	char *copy = test_alloc(strlen(text) + 1);
	const char *why = "not set";
	int err;

	strcpy(copy, text);
	err = expr_eval(copy, ram, value, &why);
	if (!expect(!err == !why))
		tap_note("%s", text);
	if (why && !expect(strlen(why) > 5 && strlen(why) < 100))
		tap_note("%s", text);
	free(copy);
	return err;
}

static void test_values(void)
{
	static const struct {
		const char *text;
		double ram, value;
	} cases[] = {
		{ "512", 0, 512 }, { "ram", 2048, 2048 }, { " ram\t", 2048, 2048 },
		{ "ram / 2", 2048, 1024 }, { "ram/2", 999, 499.5 }, { "0.5*ram", 100, 50 },
		{ "1 + 2 * 3", 0, 7 }, { "(1 + 2) * 3", 0, 9 }, { "2 * 3 + 1", 0, 7 },
		{ "10 - 3 - 2", 0, 5 }, { "24 / 4 / 2", 0, 3 }, { "24 / (4 / 2)", 0, 12 },
		{ "-5 + 8", 0, 3 }, { "8 - -5", 0, 13 }, { "--5", 0, 5 }, { "-(2 + 3)", 0, -5 },
		{ "min(ram / 2, 4096)", 16384, 4096 }, { "min(ram / 2, 4096)", 4096, 2048 },
		{ "max(ram, 100)", 64, 100 }, { "max(ram)", 64, 64 }, { "min(5, 3, 4)", 0, 3 },
		{ "max(1, 7, 2, 7)", 0, 7 }, { "min ( 1 , 2 )", 0, 1 },
		{ "min(min(ram, 4096) + max(ram - 4096, 0)/2, 9999)", 8192, 6144 },
		{ "min(min(ram, 4096) + max(ram - 4096, 0)/2, 32*1024)", 100000, 32768 },
		{ "0", 0, 0 }, { "007", 0, 7 }, { "1.25", 0, 1.25 }, { "0.125 * 8", 0, 1 },
		{ "123456789012345", 0, 123456789012345.0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		double value = -1;

		if (!expect_eq(eval(cases[i].text, cases[i].ram, &value), 0) ||
		    !expect(value == cases[i].value))
			tap_note("%s: %f", cases[i].text, value);
	}
}

static void test_refused(void)
{
	static const char *const bad[] = {
		"", " ", "+", "-", "*", "/", "1 +", "* 2", "1 2", "1 (2)", "(1", "1)", "()", "((1)",
		"ram ram", "Ram", "rams", "ram2", "2ram", "512M", "1G", "0x10", "1e3", "inf", "nan",
		"1,5", "1.", ".5", "1..5", "1.2.3", "min", "min 1", "min()", "min(1", "min(1,)",
		"min(,1)", "min(1 2)", "max(1,2", "log(2)", "2 ^ 3", "5 % 2", "1 / 0",
		"1 / (ram - 7)", "ram = 1", "$ram", "\"ram\"", "ram; 1", "1\n", "\xff",
		"1234567890123456789",
		"min(1,2)3", "- - - ", "+5",
	};
	double value = -42;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!expect_eq(eval(bad[i], 7, &value), -EINVAL) || !expect(value == -42))
			tap_note("%s", bad[i]);
	}
	expect_eq(eval("999999999999999999 * 999999999999999999", 7, &value), -ERANGE);
	expect_eq(eval("0 - 1000000 * 1000000 * 1000000", 7, &value), -ERANGE);
	expect(value == -42);
}

/* The recursion is bounded, and the deepest allowed expression is evaluated right. */
static void test_depth(void)
{
	static char text[400000];
	double value = -1;

	memset(text, '(', EXPR_DEPTH - 1);
	strcpy(text + EXPR_DEPTH - 1, "9");
	memset(text + EXPR_DEPTH, ')', EXPR_DEPTH - 1);
	expect_eq(eval(text, 0, &value), 0);
	expect(value == 9);
	memset(text, '-', EXPR_DEPTH);
	strcpy(text + EXPR_DEPTH, "9");
	expect_eq(eval(text, 0, &value), -EINVAL);
	memset(text, '(', sizeof(text) - 1);
	expect_eq(eval(text, 0, &value), -EINVAL);
	memset(text, '-', sizeof(text) - 1);
	expect_eq(eval(text, 0, &value), -EINVAL);
}

/* make() - make a random expression, return its value */
static double make(char *text, size_t *at, unsigned int depth)
{
	unsigned int kind = random_below(depth ? 6 : 2), first = random_below(1000);
	double a, b;

	if (kind == 0) {
		*at += (size_t)sprintf(text + *at, "%u", first);
		return first;
	}
	if (kind == 1) {
		*at += (size_t)sprintf(text + *at, "ram");
		return 640;
	}
	*at += (size_t)sprintf(text + *at, kind == 4 ? "min(" : kind == 5 ? "max(" : "(");
	a = make(text, at, depth - 1);
	*at += (size_t)sprintf(text + *at, kind == 2 ? " + " : kind == 3 ? "-" : ", ");
	b = make(text, at, depth - 1);
	*at += (size_t)sprintf(text + *at, ")");
	switch (kind) {
	case 2:
		return a + b;
	case 3:
		return a - b;
	case 4:
		return a < b ? a : b;
	default:
		return a > b ? a : b;
	}
}

static void test_random(void)
{
	static char text[65536];
	unsigned int i;

	for (i = 0; i < 2000; i++) {
		size_t at = 0;
		double want = make(text, &at, 6), value = -1;

		if (!expect_eq(eval(text, 640, &value), 0) || !expect(value == want))
			tap_note("%s: %f, not %f", text, value, want);
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "what expressions come to", test_values },
		{ "what is none", test_refused },
		{ "how deep they may be", test_depth },
		{ "at random", test_random },
	};

	return tap_main("expr", cases, ARRAY_SIZE(cases), argc, argv);
}
