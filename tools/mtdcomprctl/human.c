// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include "human.h"

/**
 * human_number() - print a number
 * @value: the number
 * @text: buffer of HUMAN_TEXT bytes
 *
 * Return: @text.
 */
const char *human_number(uint64_t value, char *text)
{
	snprintf(text, HUMAN_TEXT, "%llu", (unsigned long long)value);
	return text;
}

/**
 * human_size() - print bytes in a fitting unit, with one decimal unless it is 0
 * @bytes: the size
 * @text: buffer of HUMAN_TEXT bytes
 *
 * Powers of 1024, like util-linux: 834B, 1.5M, 64M.
 *
 * Return: @text.
 */
const char *human_size(uint64_t bytes, char *text)
{
	static const char units[] = "BKMGTPE";
	unsigned int unit = 0, tenths = 0;
	uint64_t whole = bytes;

	while (whole >= 1024) {
		whole >>= 10;
		unit++;
	}
	if (unit) {
		uint64_t rest = bytes >> (10 * (unit - 1)) & 1023;

		tenths = (unsigned int)((rest * 10 + 512) / 1024);
	}
	if (tenths == 10) {
		tenths = 0;
		whole++;
	}
	/* Rounded up to the next unit. */
	if (whole == 1024 && units[unit + 1]) {
		whole = 1;
		unit++;
	}
	if (tenths)
		snprintf(text, HUMAN_TEXT, "%llu.%u%c", (unsigned long long)whole, tenths,
			 units[unit]);
	else
		snprintf(text, HUMAN_TEXT, "%llu%c", (unsigned long long)whole, units[unit]);
	return text;
}

/**
 * human_time() - print a short time in a fitting unit
 * @ns: the time in nanoseconds
 * @text: buffer of HUMAN_TEXT bytes
 *
 * Return: @text: "834 ns", "12.3 us", "4.5 ms", "1.2 s".
 */
const char *human_time(uint64_t ns, char *text)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	uint64_t tenths = ns;
	unsigned int unit;

	if (ns < 1000) {
		snprintf(text, HUMAN_TEXT, "%llu ns", (unsigned long long)ns);
		return text;
	}
	/* These divisions truncate by less than the last printed digit. */
	for (unit = 1; unit < 3 && tenths >= 1000000; unit++)
		tenths /= 1000;
	tenths /= 100;
	snprintf(text, HUMAN_TEXT, "%llu.%llu %s", (unsigned long long)(tenths / 10),
		 (unsigned long long)(tenths % 10), units[unit]);
	return text;
}

/**
 * human_share() - scale an amount by a fraction
 * @amount: the amount for all of @whole
 * @part: of @whole
 * @whole: may be 0 before anything was counted
 *
 * Return: @amount * @part / @whole rounded down, without overflow between; 0 if @whole is 0;
 * UINT64_MAX if the result is larger.
 */
uint64_t human_share(uint64_t amount, uint64_t part, uint64_t whole)
{
	uint64_t product, rest;

	if (!whole)
		return 0;
	while (__builtin_mul_overflow(part % whole, amount, &rest)) {
		part >>= 1;
		whole >>= 1;
		if (!whole)
			return UINT64_MAX;
	}
	if (__builtin_mul_overflow(part / whole, amount, &product) ||
	    __builtin_add_overflow(product, rest / whole, &product))
		return UINT64_MAX;
	return product;
}

/**
 * human_ratio() - print a ratio with two decimals
 * @part: numerator
 * @whole: denominator; 0: print "-"
 * @text: buffer of HUMAN_TEXT bytes
 *
 * Return: @text: "2.61", or "-".
 */
const char *human_ratio(uint64_t part, uint64_t whole, char *text)
{
	uint64_t hundredths = human_share(100, part, whole);

	if (!whole)
		snprintf(text, HUMAN_TEXT, "-");
	else
		snprintf(text, HUMAN_TEXT, "%llu.%02llu", (unsigned long long)(hundredths / 100),
			 (unsigned long long)(hundredths % 100));
	return text;
}

/**
 * human_percent() - print a ratio in percent
 * @part: numerator
 * @whole: denominator; 0: print "-"
 * @text: buffer of HUMAN_TEXT bytes
 *
 * Return: @text: "63%", or "-".
 */
const char *human_percent(uint64_t part, uint64_t whole, char *text)
{
	if (!whole)
		snprintf(text, HUMAN_TEXT, "-");
	else
		snprintf(text, HUMAN_TEXT, "%llu%%",
			 (unsigned long long)human_share(100, part, whole));
	return text;
}
