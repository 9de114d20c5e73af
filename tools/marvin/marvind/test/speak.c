// SPDX-License-Identifier: GPL-2.0
/*
 * speak MIB: a program with so many MiB of memory, which speaks with marvind as a heap of libmarvin
 * does, for the letters of letters.h, and
 *
 *	q  do not read the socket any more; or again
 *	v  register again, as another version of libmarvin
 *
 * Its store is a formula: a page that is gone is written anew.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "letters.h"
#include "../../libmarvin/register.h"

#ifndef MADV_FREE
#define MADV_FREE 8
#endif

#define TICK_MS 200

static struct registration reg;
static struct marvin_stats stats;
static uint8_t *memory;
static size_t bytes, page, gone;
static uint8_t seed;
static bool deaf;

static uint8_t byte_of(size_t at)
{
	/* Never 0, which is a page that is gone. */
	return (uint8_t)((at / page + seed) % 255 + 1);
}

static void write_all(void)
{
	size_t at;

	seed++;
	for (at = 0; at < bytes; at += page)
		memset(memory + at, byte_of(at), page);
	stats.unsaved = bytes;
	stats.saved = 0;
	stats.given = 0;
	gone = 0;
}

/* load_all() - missing pages come from the store */
static void load_all(void)
{
	size_t at;

	for (at = 0; at < bytes && stats.given; at += page)
		if (!memory[at]) {
			memset(memory + at, byte_of(at), page);
			stats.loads++;
		}
	stats.saved += stats.given;
	stats.given = 0;
	gone = 0;
}

static bool is_right(void)
{
	bool right = true;
	size_t at;

	load_all();
	for (at = 0; at < bytes; at++)
		right = right && memory[at] == byte_of(at);
	return right;
}

static void give_all(void)
{
	stats.given = bytes;
	stats.saved = 0;
	stats.unsaved = 0;
	madvise(memory, bytes, MADV_FREE);
}

static void drop(uint64_t wanted)
{
	size_t more = stats.given == bytes ? bytes - gone : 0;

	more = wanted < more ? (size_t)wanted : more;
	madvise(memory + gone, more, MADV_DONTNEED);
	gone += more;
	stats.dropped += more;
}

static void serve(void)
{
	enum request request;
	uint64_t seq, amount;

	while (!deaf && (request = register_read(&reg, &seq, &amount)) != REQUEST_NONE) {
		if (request == REQUEST_BG)
			give_all();
		else if (request == REQUEST_DROP)
			drop(amount);
		else if (request == REQUEST_FETCH)
			load_all();
		register_tell(&reg, seq, &stats);
	}
	if (!deaf && register_try(&reg))
		register_tell(&reg, 0, &stats);
}

static void tick(void)
{
	give_all();
	register_tell(&reg, 0, &stats);
}

static struct marvin_stats figures(void)
{
	return stats;
}

static void in_child(void)
{
	register_forked(&reg);
}

static void answer(int letter)
{
	switch (letter) {
	case 'q':
		deaf = !deaf;
		puts(deaf ? "deaf" : "hears");
		break;
	case 'v':
		register_end(&reg);
		register_begin(&reg, "other", memory, bytes, page);
		memcpy(reg.hello, "marvin 3", 8);
		puts("changed");
		break;
	default:
		answer_letter(letter);
	}
	fflush(stdout);
	serve();
}

int main(int argc, char **argv)
{
	struct pollfd fds[2] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .events = POLLIN } };
	char letter;

	page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = argc > 1 ? (size_t)atoi(argv[1]) << 20 : 0;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	stats.objects = bytes / 65536;
	stats.bytes = bytes;
	register_begin(&reg, "load", memory, bytes, page);
	write_all();
	serve();
	puts("ready");
	fflush(stdout);
	for (;;) {
		fds[1].fd = deaf ? -1 : register_fd(&reg);
		if (poll(fds, 2, TICK_MS) < 0)
			continue;
		if (!fds[0].revents) {
			serve();
			continue;
		}
		if (read(STDIN_FILENO, &letter, 1) != 1)
			break;
		answer(letter);
	}
	register_end(&reg);
	return 0;
}
