// SPDX-License-Identifier: GPL-2.0
/*
 * A key for each eraseblock of the log.
 *
 * This unit owns the keys, which are in memory only. log_blocks.c has one made when the first live
 * record comes into a block, and wiped when the last one is dead: from then on nobody can read what
 * the block held, though its erase may be far away. Records are sealed by their offset in the
 * block as nonce. Until the block has no live record, offsets only grow, so no key sees a nonce
 * twice.
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

/* Make a key for a block that has none. */
void mtdc_log_keys_make(struct mtdc_log_keys *keys, u32 block)
{
	if (keys->at)
		get_random_bytes(keys->at[block], MTDC_KEY_BYTES);
}

/* The records of a block are dead: let nobody read them any more. */
void mtdc_log_keys_wipe(struct mtdc_log_keys *keys, u32 block)
{
	if (keys->at)
		memzero_explicit(keys->at[block], MTDC_KEY_BYTES);
}

/* Let nobody read any record any more. */
void mtdc_log_keys_wipe_all(struct mtdc_log_keys *keys, u32 blocks)
{
	if (keys->at)
		memzero_explicit(keys->at, mtdc_log_keys_memory(blocks));
}
