/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The label of an eraseblock, which outlives an attachment.
 */
#ifndef MTDC_LOG_LABEL_H
#define MTDC_LOG_LABEL_H

#include <linux/types.h>

/* "mtdL" and the version of the format below. */
#define MTDC_LABEL_MAGIC	0x4c64746dU
#define MTDC_LABEL_VERSION	1U

/* No block lives so long: a larger number is no count. */
#define MTDC_ERASES_MAX		0x7fffffffU

/**
 * struct mtdc_label - the first bytes of a block
 * @magic: MTDC_LABEL_MAGIC
 * @version: MTDC_LABEL_VERSION
 * @erases: how often the block has been erased
 * @nonce: of the attachment that has written it
 * @zero: nothing yet
 * @crc: CRC-32 of the bytes before it
 */
struct mtdc_label {
	__le32 magic;
	__le32 version;
	__le32 erases;
	__le32 nonce;
	__le32 zero[3];
	__le32 crc;
};

#define MTDC_LABEL_BYTES	32U

void mtdc_label_seal(void *label, u32 erases, u32 nonce);
int mtdc_label_parse(const void *label, u32 *erases);

#endif /* MTDC_LOG_LABEL_H */
