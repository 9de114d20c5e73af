// SPDX-License-Identifier: GPL-2.0
/*
 * Measures how long the kernel's ChaCha20-Poly1305 takes in user space. crypt-simd.sh links it
 * twice: the C code, and the code with SIMD that the kernel takes on this processor. Both take
 * turns, and must make the same bytes. The result is CSV: the number of bytes, and the nanoseconds
 * of each code to encrypt and to decrypt them, the least of all turns.
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define TURNS	300
#define CALLS	20
#define TAG	16
/* As the driver binds to a page. */
#define BOUND	20

typedef void encrypt_fn(uint8_t *to, const uint8_t *from, size_t bytes, const uint8_t *with,
			size_t with_bytes, uint64_t nonce, const uint8_t key[32]);
typedef bool decrypt_fn(uint8_t *to, const uint8_t *from, size_t bytes, const uint8_t *with,
			size_t with_bytes, uint64_t nonce, const uint8_t key[32]);

encrypt_fn c_encrypt, simd_encrypt;
decrypt_fn c_decrypt, simd_decrypt;

static const struct code {
	encrypt_fn *encrypt;
	decrypt_fn *decrypt;
} codes[] = { { c_encrypt, c_decrypt }, { simd_encrypt, simd_decrypt } };

static const uint8_t key[32] = { 1, 2, 3 }, bound[BOUND] = { 4 };
static uint8_t text[2][4096 + TAG];

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void check(size_t bytes)
{
	int i;

	for (i = 0; i < 2; i++) {
		memset(text[i], 5, bytes);
		codes[i].encrypt(text[i], text[i], bytes, bound, BOUND, 6, key);
	}
	if (memcmp(text[0], text[1], bytes + TAG))
		errx(3, "%zu bytes: the C code and SIMD differ", bytes);
}

/* In place, as the driver does. Each call encrypts, and then decrypts the same bytes. */
static void measure(size_t bytes)
{
	uint64_t least[2][2] = { { UINT64_MAX, UINT64_MAX }, { UINT64_MAX, UINT64_MAX } };
	int turn, call, i;

	check(bytes);
	for (turn = 0; turn < TURNS; turn++)
		for (i = 0; i < 2; i++) {
			uint64_t times[2] = { 0, 0 }, start, middle;
			int j;

			for (call = 0; call < CALLS; call++) {
				start = now();
				codes[i].encrypt(text[i], text[i], bytes, bound, BOUND, 6, key);
				middle = now();
				if (!codes[i].decrypt(text[i], text[i], bytes + TAG, bound, BOUND,
						      6, key))
					errx(3, "%zu bytes: a wrong tag", bytes);
				times[0] += middle - start;
				times[1] += now() - middle;
			}
			for (j = 0; j < 2; j++)
				if (times[j] < least[i][j])
					least[i][j] = times[j];
		}
	printf("%zu,%llu,%llu,%llu,%llu\n", bytes, (unsigned long long)least[0][0] / CALLS,
	       (unsigned long long)least[0][1] / CALLS, (unsigned long long)least[1][0] / CALLS,
	       (unsigned long long)least[1][1] / CALLS);
}

int main(void)
{
	static const size_t sizes[] = { 512, 1024, 1536, 2048, 4096 };
	unsigned int i;

	printf("simd,c_encrypt,c_decrypt,simd_encrypt,simd_decrypt\n");
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		measure(sizes[i]);
	return 0;
}
