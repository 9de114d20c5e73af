/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The MTD below, in KUnit tests: memory, registered with the MTD core, which
 * fails when it is told to.
 */
#ifndef MTDC_LOWER_TEST_H
#define MTDC_LOWER_TEST_H

#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mtd/mtd.h>

#include "opts.h"

#define LOWER		"kunit_lower"
#define UPPER		"kunit_upper"
#define LOWER_BYTES	(64 * PAGE_SIZE)

/* An option string: the device UPPER on LOWER. */
#define ON_LOWER(options)	LOWER ",name=" UPPER options

/**
 * struct kunit_lower - an MTD to put a device on
 * @mtd: the MTD
 * @data: its memory, or NULL when it has gone
 * @get_error: what opening it returns
 * @read_error: what reading from it returns
 * @read_all: it reads nevertheless
 * @every_other_wrong: every other read gives other bytes than there are, and says nothing
 * @reads: reads since it began to
 * @write_error: what writing to it returns
 * @bad_bytes: so much of it at its start can't be written to
 * @isbad_result: what asking for bad blocks returns
 * @islocked_result: what asking for locked blocks returns
 * @gets: how often it is held
 * @name: its name
 */
struct kunit_lower {
	struct mtd_info mtd;
	u8 *data;
	int get_error;
	int read_error;
	bool read_all;
	bool every_other_wrong;
	unsigned int reads;
	int write_error;
	loff_t bad_bytes;
	int isbad_result;
	int islocked_result;
	int gets;
	char name[MTDC_OPT_NAME_MAX];
};

void kunit_lower_register(struct kunit *test, struct kunit_lower *lower,
			  const char *name, u64 bytes);
void kunit_lower_unregister(struct kunit *test, struct kunit_lower *lower);
int kunit_lower_init(struct kunit *test);
void kunit_lower_exit(struct kunit *test);

#endif /* MTDC_LOWER_TEST_H */
