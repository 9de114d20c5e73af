// SPDX-License-Identifier: GPL-2.0
/*
 * Labels. The input is the beginning of a block. It is accepted only if it equals the label that is
 * sealed for its count.
 */
#include "fuzz.h"
#include "log_label.h"

int fuzz_one(const u8 *data, size_t bytes)
{
	u8 label[MTDC_LABEL_BYTES] = { 0 }, again[MTDC_LABEL_BYTES];
	u32 erases = 7, nonce;

	memcpy(label, data, bytes < sizeof(label) ? bytes : sizeof(label));
	/* Sometimes a sealed label, with one byte changed or none. */
	if (bytes > sizeof(label)) {
		memcpy(&erases, data, sizeof(erases));
		memcpy(&nonce, data + 4, sizeof(nonce));
		mtdc_label_seal(label, erases, nonce);
		label[data[8] % sizeof(label)] ^= data[9];
	}
	memcpy(&nonce, label + 12, sizeof(nonce));
	if (mtdc_label_parse(label, &erases))
		return 0;
	mtdc_label_seal(again, erases, nonce);
	if (erases > MTDC_ERASES_MAX || memcmp(label, again, sizeof(again)))
		fuzz_die("a label with %u erases that nobody has sealed", erases);
	return 0;
}
