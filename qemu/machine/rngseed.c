// SPDX-License-Identifier: GPL-2.0
/*
 * Seeds the kernel's random numbers of the board from standard input.
 *
 * Without it, the first user of /dev/urandom, mkswap for example, would wait until the kernel has
 * gathered randomness from its clock: 12 s of processor time, because the clock counts
 * instructions. The guest has no secrets, and a fixed seed makes a run repeatable.
 */
#include <fcntl.h>
#include <linux/random.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(void)
{
	struct {
		struct rand_pool_info info;
		char bytes[64];
	} seed;
	ssize_t got = read(STDIN_FILENO, seed.bytes, sizeof(seed.bytes));
	int fd = open("/dev/urandom", O_WRONLY);

	if (got < (ssize_t)sizeof(seed.bytes) || fd < 0) {
		fprintf(stderr, "rngseed: needs 64 bytes and /dev/urandom\n");
		return 1;
	}
	seed.info.entropy_count = (int)(8 * got);
	seed.info.buf_size = (int)got;
	if (ioctl(fd, RNDADDENTROPY, &seed)) {
		perror("rngseed");
		return 1;
	}
	return 0;
}
