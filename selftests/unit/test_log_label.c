// SPDX-License-Identifier: GPL-2.0
/* Labels: the same bytes on every machine, and only a whole label is accepted. */
#include <errno.h>

#include "harness.h"
#include "log_label.h"

/* The format; a change of it needs a new version. */
static void test_format(void)
{
	static const u8 want[MTDC_LABEL_BYTES] = {
		'm', 't', 'd', 'L', 1, 0, 0, 0, 0x78, 0x56, 0x34, 0x12,
		0xef, 0xcd, 0xab, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0x7d, 0x3f, 0x7c, 0xe3
	};
	u8 label[MTDC_LABEL_BYTES];
	unsigned int i;

	mtdc_label_seal(label, 0x12345678, 0x89abcdef);
	for (i = 0; i < sizeof(label); i++)
		if (!expect_eq(label[i], want[i]))
			tap_note("byte %u", i);
}

static void test_there_and_back(void)
{
	static const u32 counts[] = { 0, 1, 255, 256, 100000, MTDC_ERASES_MAX };
	u8 label[MTDC_LABEL_BYTES];
	unsigned int i;
	u32 erases;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		mtdc_label_seal(label, counts[i], random_u64());
		expect_eq(mtdc_label_parse(label, &erases), 0);
		expect_eq(erases, counts[i]);
	}
}

/* A wrong bit at each position, and half a label. */
static void test_damage(void)
{
	u8 label[MTDC_LABEL_BYTES];
	u32 erases = 7, i;

	for (i = 0; i < 8 * MTDC_LABEL_BYTES; i++) {
		mtdc_label_seal(label, 1000, 1);
		label[i / 8] ^= 1 << i % 8;
		expect_eq(mtdc_label_parse(label, &erases), -ENODATA);
	}
	for (i = 0; i < MTDC_LABEL_BYTES; i++) {
		mtdc_label_seal(label, 1000, 1);
		memset(label + i, 0xff, MTDC_LABEL_BYTES - i);
		expect_eq(mtdc_label_parse(label, &erases), -ENODATA);
	}
	expect_eq(erases, 7);
}

/* Seals labels as log_label.c, including some that it never makes. */
static void seal_again(u8 *label)
{
	u32 crc = ~0U, i, bit;

	for (i = 0; i < MTDC_LABEL_BYTES - 4; i++)
		for (crc ^= label[i], bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	for (i = 0; i < 4; i++)
		label[MTDC_LABEL_BYTES - 4 + i] = ~crc >> 8 * i;
}

static void test_other_versions(void)
{
	u8 label[MTDC_LABEL_BYTES];
	u32 erases = 7;

	mtdc_label_seal(label, 1000, 1);
	label[4] = 2;
	seal_again(label);
	expect_eq(mtdc_label_parse(label, &erases), -EPROTONOSUPPORT);
	/* An impossible count. */
	mtdc_label_seal(label, 1000, 1);
	label[11] = 0x80;
	seal_again(label);
	expect_eq(mtdc_label_parse(label, &erases), -ENODATA);
	expect_eq(erases, 7);
}

static void test_anything(void)
{
	u8 label[MTDC_LABEL_BYTES];
	u64 left = tap.ops;
	u32 erases = 7, i;

	memset(label, 0xff, sizeof(label));
	expect_eq(mtdc_label_parse(label, &erases), -ENODATA);
	memset(label, 0, sizeof(label));
	expect_eq(mtdc_label_parse(label, &erases), -ENODATA);
	for (; left && !tap.bad; left--) {
		for (i = 0; i < sizeof(label); i++)
			label[i] = random_u64();
		/* Half of the time with the right magic. */
		if (left & 1)
			memcpy(label, "mtdL", 4);
		expect_eq(mtdc_label_parse(label, &erases), -ENODATA);
	}
	expect_eq(erases, 7);
}

static const struct tap_case cases[] = {
	{ "the format, byte by byte", test_format },
	{ "what is sealed is parsed", test_there_and_back },
	{ "damage is seen", test_damage },
	{ "other versions, other counts", test_other_versions },
	{ "anything else is no label", test_anything },
};

int main(int argc, char **argv)
{
	return tap_main("label", cases, ARRAY_SIZE(cases), argc, argv);
}
