/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's functions that checksum.sh compiles for checksum.c, by the names it gives them. */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint32_t xxh32(const void *p, size_t bytes, uint32_t seed);
uint64_t xxh64(const void *p, size_t bytes, uint64_t seed);

/* CRC-32C by tables: 6.1's, and the newest kernel's. */
uint32_t crc32c_slices(uint32_t crc, const void *p, size_t bytes);
uint32_t crc32c_bytes(uint32_t crc, const void *p, size_t bytes);

/* CRC-32C by the processor's instruction, in one stream and in several. */
uint32_t crc32c_one(uint32_t crc, const void *p, size_t bytes);
uint32_t crc32c_streams(uint32_t crc, const void *p, size_t bytes);
uint32_t crc32c_avx512(uint32_t crc, const void *p, size_t bytes);

#endif /* CHECKSUM_H */
