/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BIO_H
#define SHIM_LINUX_BIO_H

#include <linux/bvec.h>
#include <linux/errno.h>
#include <linux/types.h>

#define REQ_OP_READ		0
#define REQ_OP_WRITE		1
#define REQ_OP_DISCARD		3
#define REQ_OP_WRITE_ZEROES	9
#define REQ_OP_ZONE_RESET	15
#define REQ_PREFLUSH		256
#define REQ_FUA			512

#define BLK_STS_NOSPC		(-ENOSPC)

struct gendisk;

struct block_device {
	struct gendisk *bd_disk;
};

struct bio {
	struct bio *bi_next;
	struct block_device *bi_bdev;
	unsigned int bi_opf;
	int bi_status;
	struct bvec_iter bi_iter;
	struct bio_vec *bi_io_vec;
	bool ended;
};

struct bio_list {
	struct bio *first, **last;
};

static inline void bio_list_init(struct bio_list *list)
{
	list->first = NULL;
	list->last = &list->first;
}

static inline bool bio_list_empty(const struct bio_list *list)
{
	return !list->first;
}

static inline void bio_list_add(struct bio_list *list, struct bio *bio)
{
	bio->bi_next = NULL;
	*list->last = bio;
	list->last = &bio->bi_next;
}

static inline struct bio *bio_list_pop(struct bio_list *list)
{
	struct bio *bio = list->first;

	if (bio)
		list->first = bio->bi_next;
	if (!list->first)
		list->last = &list->first;
	return bio;
}

#define op_is_write(op)		((op) & 1)
#define bio_op(bio)		((bio)->bi_opf & 255)
#define bio_sectors(bio)	((bio)->bi_iter.bi_size >> 9)
#define bio_start_io_acct(bio)	0
#define bio_end_io_acct(bio, start)	((void)(start))

#define bio_iter_iovec(bio, iter)	((bio)->bi_io_vec[(iter).bi_idx])

/* By one piece, as all of them are advanced that are here. */
static inline void bio_advance_iter(const struct bio *bio,
				    struct bvec_iter *iter, unsigned int bytes)
{
	(void)bio;
	iter->bi_sector += bytes >> 9;
	iter->bi_size -= bytes;
	iter->bi_idx++;
}

#define bio_for_each_segment(bv, bio, iter) \
	for ((iter) = (bio)->bi_iter; \
	     (iter).bi_size && ((bv) = bio_iter_iovec(bio, iter), true); \
	     bio_advance_iter(bio, &(iter), (bv).bv_len))

static inline void bio_endio(struct bio *bio)
{
	bio->ended = true;
}

static inline void bio_io_error(struct bio *bio)
{
	bio->bi_status = -EIO;
	bio_endio(bio);
}

#endif
