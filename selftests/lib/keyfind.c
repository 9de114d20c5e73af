// SPDX-License-Identifier: GPL-2.0
/*
 * Looks for the driver's keys in the machine's memory, through /proc/kcore (x86-64, root):
 *
 * keyfind [-s SEED] learn FILE MEDIA BLOCK LABEL GRANULE NONCES NUMBER
 *	MEDIA, an MTD, begin with a record that is not compressed: the page NUMBER of secret.h,
 *	encrypted. The program tries each 32 bytes of memory at a multiple of 4 as the key. The
 *	nonce is the record's offset in its eraseblock of BLOCK bytes, which begins with LABEL
 *	other bytes; if NONCES is not 0, the nonce is one of 1 .. NONCES. Records begin at a
 *	multiple of GRANULE. Prints `keys N tried N record OFFSET`; FILE gets
 *	the key, masked.
 * keyfind [-s SEED] secret FILE
 *	FILE gets the secret of secret.h, masked.
 * keyfind look FILE
 *	Prints `places N MIB N`: how often the key or the secret stands in memory, at any address.
 *
 * Nothing in this program may look like the key when it ends, or the next one finds it: FILE has
 * the key masked, `look` compares masked bytes, and the program overwrites all that it has read.
 * The kernel copies memory through a page of its own, so the ELF header is read last.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/elf.h>
#include <mtd/mtd-user.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "keystream.h"
#include "secret.h"

#define MASK		0xa5c3965au
#define CHUNK		(64u << 10)
/* Where x86-64 maps all of the memory: the kernel's Documentation/x86/x86_64/mm.rst. */
#define MAP_BEGIN	0xffff888000000000ull
#define MAP_END		0xffffc88000000000ull

static uint32_t stream[16];	/* what the right key makes */
static uint64_t nonce_first, nonce_last;
static uint32_t masked[KEY_WORDS];
static unsigned long found, tried;
static unsigned long long scanned;

static void try_keys(const uint8_t *buf, size_t bytes)
{
	uint32_t out[16];
	uint64_t nonce;
	size_t at;
	int i;

	for (at = 0; at + 32 <= bytes; at += 4) {
		if (!may_be_key(buf + at))
			continue;
		tried++;
		for (nonce = nonce_first; nonce <= nonce_last; nonce++) {
			chacha20_block(out, (const uint32_t *)(buf + at), nonce);
			if (memcmp(out, stream, sizeof(out)))
				continue;
			found++;
			for (i = 0; i < KEY_WORDS; i++)
				masked[i] = ((const uint32_t *)(buf + at))[i] ^ MASK;
		}
	}
	explicit_bzero(out, sizeof(out));
}

static void look_for_key(const uint8_t *buf, size_t bytes)
{
	uint32_t word;
	size_t at;
	int i;

	for (at = 0; at + KEY_WORDS * 4 <= bytes; at++) {
		for (i = 0; i < KEY_WORDS; i++) {
			memcpy(&word, buf + at + 4 * i, sizeof(word));
			if ((word ^ MASK) != masked[i])
				break;
		}
		found += i == KEY_WORDS;
	}
}

/* Chunks overlap by a key's length without a byte. */
static void scan_range(int fd, const struct elf64_phdr *range,
		       void (*work)(const uint8_t *, size_t))
{
	static uint8_t buf[CHUNK + 31];
	uint64_t at, n;

	for (at = 0; at < range->p_memsz; at += CHUNK) {
		n = range->p_memsz - at;
		if (n > sizeof(buf))
			n = sizeof(buf);
		if (pread(fd, buf, n, (off_t)(range->p_offset + at)) != (ssize_t)n)
			err(2, "/proc/kcore");
		work(buf, n);
		scanned += n < CHUNK ? n : CHUNK;
	}
	explicit_bzero(buf, sizeof(buf));
}

static void scan_memory(void (*work)(const uint8_t *, size_t))
{
	int fd = open("/proc/kcore", O_RDONLY), i;
	struct elf64_phdr range;
	struct elf64_hdr head;

	if (fd < 0 || pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
		err(2, "/proc/kcore");
	for (i = 0; i < head.e_phnum; i++) {
		if (pread(fd, &range, sizeof(range), (off_t)(head.e_phoff + i * sizeof(range))) !=
		    (ssize_t)sizeof(range))
			err(2, "/proc/kcore");
		if (range.p_type == PT_LOAD && range.p_vaddr >= MAP_BEGIN &&
		    range.p_vaddr < MAP_END)
			scan_range(fd, &range, work);
	}
	if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
		err(2, "/proc/kcore");
	close(fd);
}

/* Return: where the first record of the media begins */
static size_t find_record(const uint8_t *media, size_t bytes, size_t block, size_t label,
			  size_t granule)
{
	size_t at;

	for (at = 0; at < bytes; at++)
		if (at % block >= label && media[at] && media[at] != 0xff)
			return at - at % granule;
	errx(2, "no record on the media");
}

static void save(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(masked, sizeof(masked), 1, file) != 1 || fclose(file))
		err(2, "%s", path);
}

/* learn FILE MEDIA BLOCK LABEL GRANULE NONCES NUMBER */
static void learn(char **arg, uint64_t seed)
{
	size_t block = strtoul(arg[2], NULL, 0), label = strtoul(arg[3], NULL, 0), at;
	uint64_t nonces = strtoull(arg[5], NULL, 0);
	int fd = open(arg[1], O_RDONLY), i;
	static uint8_t page[PAT_PAGE_MAX];
	uint8_t secret[SECRET_BYTES];
	struct mtd_info_user mtd;
	uint8_t *media;

	if (fd < 0 || ioctl(fd, MEMGETINFO, &mtd))
		err(2, "%s", arg[1]);
	media = malloc(mtd.size);
	if (!media || read(fd, media, mtd.size) != (ssize_t)mtd.size)
		err(2, "%s", arg[1]);
	at = find_record(media, mtd.size, block, label, strtoul(arg[4], NULL, 0));
	secret_make(secret, seed);
	secret_page(page, seed, strtoull(arg[6], NULL, 0), 0, secret);
	explicit_bzero(secret, sizeof(secret));
	for (i = 0; i < 64; i++)
		((uint8_t *)stream)[i] = page[i] ^ media[at + HEADER + i];
	nonce_first = nonces ? 1 : at % block;
	nonce_last = nonces ? nonces : nonce_first;
	explicit_bzero(page, sizeof(page));
	scan_memory(try_keys);
	save(arg[0]);
	printf("keys %lu tried %lu record %zu\n", found, tried, at);
}

int main(int argc, char **argv)
{
	uint64_t seed = 1;
	FILE *file;
	int opt;

	while ((opt = getopt(argc, argv, "s:")) != -1) {
		if (opt != 's')
			return 2;
		seed = strtoull(optarg, NULL, 0);
	}
	argc -= optind;
	argv += optind;
	check_cipher();
	if (argc == 8 && !strcmp(argv[0], "learn")) {
		learn(argv + 1, seed);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[0], "secret")) {
		secret_make((uint8_t *)masked, seed);
		for (opt = 0; opt < KEY_WORDS; opt++)
			masked[opt] ^= MASK;
		save(argv[1]);
		return 0;
	}
	if (argc != 2 || strcmp(argv[0], "look"))
		return 2;
	file = fopen(argv[1], "r");
	if (!file || fread(masked, sizeof(masked), 1, file) != 1)
		err(2, "%s", argv[1]);
	scan_memory(look_for_key);
	printf("places %lu MIB %llu\n", found, scanned >> 20);
	return 0;
}
