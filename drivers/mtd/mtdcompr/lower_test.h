/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An MTD below for KUnit tests: memory, registered with the MTD core, with failures on demand.
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
 * @data: its memory, or NULL after it has gone
 * @get_error: result of _get_device
 * @read_error: result of _read
 * @read_all: return the data in spite of @read_error
 * @every_other_wrong: every other read returns wrong data and no error
 * @reads: number of reads with @every_other_wrong
 * @write_error: result of _write
 * @bad_bytes: writes below this offset, in bytes, fail with EIO
 * @isbad_result: result of _block_isbad
 * @islocked_result: result of _is_locked
 * @gets: number of users
 * @points: for how many its memory is mapped
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
	int points;
	char name[MTDC_OPT_NAME_MAX];
};

void kunit_lower_register(struct kunit *test, struct kunit_lower *lower,
			  const char *name, u64 bytes);
void kunit_lower_unregister(struct kunit *test, struct kunit_lower *lower);
int kunit_lower_init(struct kunit *test);
void kunit_lower_exit(struct kunit *test);

#endif /* MTDC_LOWER_TEST_H */
