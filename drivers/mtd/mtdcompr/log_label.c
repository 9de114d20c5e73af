// SPDX-License-Identifier: GPL-2.0
/*
 * Encoding and checking of labels.
 *
 * This unit owns the format in log_label.h. log_jobs.c makes labels, log_blocks.c reads them at
 * the attach. They may read anything: erased flash, another's data, half a label; none of it may
 * pass for a count. The unit takes no lock, sleeps, allocates and prints nothing.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "log_label.h"

/*
 * Another kernel than the writer's reads a label, so the checksum must not depend on how a kernel
 * was built. It goes bit by bit: it is 28 bytes for each erase.
 */
static u32 label_crc(const struct mtdc_label *label)
{
	const u8 *byte = (const u8 *)label;
	unsigned int i, bit;
	u32 crc = ~0U;

	for (i = 0; i < offsetof(struct mtdc_label, crc); i++) {
		crc ^= byte[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
	}
	return ~crc;
}

/**
 * mtdc_label_seal() - make a label
 * @label: where to, MTDC_LABEL_BYTES
 * @erases: how often the block has been erased
 * @nonce: of this attachment
 */
void mtdc_label_seal(void *label, u32 erases, u32 nonce)
{
	struct mtdc_label new;

	BUILD_BUG_ON(sizeof(new) != MTDC_LABEL_BYTES);
	memset(&new, 0, sizeof(new));
	new.magic = cpu_to_le32(MTDC_LABEL_MAGIC);
	new.version = cpu_to_le32(MTDC_LABEL_VERSION);
	new.erases = cpu_to_le32(erases);
	new.nonce = cpu_to_le32(nonce);
	new.crc = cpu_to_le32(label_crc(&new));
	memcpy(label, &new, sizeof(new));
}

/**
 * mtdc_label_parse() - read a label
 * @label: the first MTDC_LABEL_BYTES of a block, whatever they are
 * @erases: how often the block has been erased; untouched after an error
 *
 * Return: 0; -ENODATA if it is no label, or not a whole one, -EPROTONOSUPPORT if it has another
 * version.
 */
int mtdc_label_parse(const void *label, u32 *erases)
{
	struct mtdc_label old;

	memcpy(&old, label, sizeof(old));
	if (old.magic != cpu_to_le32(MTDC_LABEL_MAGIC) ||
	    le32_to_cpu(old.crc) != label_crc(&old))
		return -ENODATA;
	if (old.version != cpu_to_le32(MTDC_LABEL_VERSION))
		return -EPROTONOSUPPORT;
	if (le32_to_cpu(old.erases) > MTDC_ERASES_MAX)
		return -ENODATA;
	*erases = le32_to_cpu(old.erases);
	return 0;
}
