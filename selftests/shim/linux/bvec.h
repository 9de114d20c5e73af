/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BVEC_H
#define SHIM_LINUX_BVEC_H

#include <linux/types.h>

typedef u64 sector_t;

struct page;

struct bio_vec {
	struct page *bv_page;
	unsigned int bv_len;
	unsigned int bv_offset;
};

struct bvec_iter {
	sector_t bi_sector;
	unsigned int bi_size;
	unsigned int bi_idx;
};

#endif
