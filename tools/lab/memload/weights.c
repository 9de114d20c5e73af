// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "net.h"
#include "sequence.h"
#include "weights.h"

/* A page of most machines, so that the weights begin at one. */
#define HEADER_SIZE 4096

/* The last four bytes tell the byte order. */
static const char magic[12] = "MEMLOADw";
#define ORDER UINT32_C(0x01020304)

struct header {
	char magic[12];
	uint32_t order;
	uint64_t n;
};

static int fail(const char *what, const char *path)
{
	int error = errno ? errno : EIO;

	warn("cannot %s %s", what, path);
	return -error;
}

static int write_numbers(FILE *file, uint64_t n, uint64_t seed)
{
	int16_t buf[2048];
	struct sequence sequence;
	size_t i, part;

	sequence_begin(&sequence, seed, 0, 0);
	for (; n; n -= part) {
		part = n < 2048 ? (size_t)n : 2048;
		for (i = 0; i < part; i++)
			buf[i] = (int16_t)((int)(sequence_next(&sequence) >> 32 &
						 (2 * NET_WEIGHT + 1)) - NET_WEIGHT);
		if (fwrite(buf, sizeof(buf[0]), part, file) != part)
			return -EIO;
	}
	return 0;
}

/**
 * weights_make() - make a file of weights
 * @path: the file
 * @size: of the weights in bytes
 * @seed: from which they follow
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int weights_make(const char *path, uint64_t size, uint64_t seed)
{
	char block[HEADER_SIZE] = { 0 };
	struct header header = { .order = ORDER, .n = size / sizeof(int16_t) };
	static struct net net;
	FILE *file;
	int err = net_plan(&net, (size_t)header.n);

	if (err) {
		warnx("--size is too %s: a network has from 1200K to 2G of weights",
		      err == -EINVAL ? "small" : "large");
		return err;
	}
	header.n = net.nweights;
	memcpy(header.magic, magic, sizeof(magic));
	memcpy(block, &header, sizeof(header));
	file = fopen(path, "we");
	if (!file)
		return fail("make", path);
	if (fwrite(block, sizeof(block), 1, file) != 1 || write_numbers(file, header.n, seed)) {
		err = fail("write", path);
		fclose(file);
		unlink(path);
		return err;
	}
	return fclose(file) ? fail("write", path) : 0;
}

static int check_header(const struct header *header, size_t size, const char *path)
{
	if (memcmp(header->magic, magic, sizeof(magic))) {
		warnx("%s: no weights of infer; --make-weights makes some", path);
		return -EINVAL;
	}
	if (header->order != ORDER) {
		warnx("%s: made on a machine of the other byte order; make it again here", path);
		return -EINVAL;
	}
	if (header->n > (size - HEADER_SIZE) / sizeof(int16_t)) {
		warnx("%s: shorter than its header says; make it again", path);
		return -EINVAL;
	}
	return 0;
}

static int read_all(int fd, char *at, size_t size)
{
	ssize_t n;

	for (; size; size -= (size_t)n, at += n) {
		n = read(fd, at, size);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return -EIO;
	}
	return 0;
}

static void *map_file(int fd, size_t size, enum weights_map how, bool writable)
{
	int prot = writable ? PROT_READ | PROT_WRITE : PROT_READ;
	void *map;

	if (how != WEIGHTS_ANON)
		return mmap(NULL, size, prot,
			    how == WEIGHTS_SHARED ? MAP_SHARED : MAP_PRIVATE, fd, 0);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map != MAP_FAILED && read_all(fd, map, size)) {
		munmap(map, size);
		return MAP_FAILED;
	}
	return map;
}

/**
 * weights_load() - have a file of weights in memory
 * @path: the file
 * @how: by which kind of mapping
 * @writable: they may be changed
 * @weights: the weights, which stay until the program ends
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int weights_load(const char *path, enum weights_map how, bool writable, struct weights *weights)
{
	int err = 0, fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *map;

	if (fd < 0)
		return fail("open", path);
	if (fstat(fd, &st)) {
		err = fail("look at", path);
	} else if (st.st_size < HEADER_SIZE) {
		warnx("%s: no weights of infer; --make-weights makes some", path);
		err = -EINVAL;
	}
	if (!err) {
		map = map_file(fd, (size_t)st.st_size, how, writable);
		if (map == MAP_FAILED)
			err = fail("map", path);
		else
			err = check_header((const void *)map, (size_t)st.st_size, path);
		weights->numbers = (int16_t *)(void *)(map + HEADER_SIZE);
		weights->n = err ? 0 : (size_t)((const struct header *)(const void *)map)->n;
	}
	close(fd);
	return err;
}
