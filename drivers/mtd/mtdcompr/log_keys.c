// SPDX-License-Identifier: GPL-2.0
/*
 * A key for each eraseblock of the log.
 *
 * This unit owns the keys, which are in memory only. log_blocks.c has one made when the first live
 * record comes into a block, and wiped when the last one is dead. From then on the contents of the
 * block can't be read, though its erase may be far away. A record's nonce is its offset in the
 * block. As long as the block has a live record offsets only grow, so no key sees a nonce twice.
 *
 * The unit takes no lock, sleeps, allocates and prints nothing.
 */
#include <linux/random.h>
#include <linux/string.h>

#include "log_keys.h"

/* Bytes of memory that the keys take. */
size_t mtdc_log_keys_memory(u32 blocks)
{
	return (size_t)blocks * MTDC_KEY_BYTES;
}

/* Make a key for a block. */
void mtdc_log_keys_make(struct mtdc_log_keys *keys, u32 block)
{
	if (keys->at)
		get_random_bytes(keys->at[block], MTDC_KEY_BYTES);
}

/* The records of a block are dead: they can't be read any more. */
void mtdc_log_keys_wipe(struct mtdc_log_keys *keys, u32 block)
{
	if (keys->at)
		memzero_explicit(keys->at[block], MTDC_KEY_BYTES);
}

/*
 * No record can be read any more. If one is sealed at the same moment, without a lock between, that
 * must not happen with a key of zeros. So each key becomes another one.
 */
void mtdc_log_keys_replace(struct mtdc_log_keys *keys, u32 blocks)
{
	u32 block;

	for (block = 0; keys->at && block < blocks; block++)
		if (memchr_inv(keys->at[block], 0, MTDC_KEY_BYTES))
			mtdc_log_keys_make(keys, block);
}
