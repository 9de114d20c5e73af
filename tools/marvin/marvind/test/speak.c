// SPDX-License-Identifier: GPL-2.0
/*
 * speak MIB: a program with so many MiB of memory, which speaks with marvind as a heap of libmarvin
 * does. It does what the test tells it on standard input, a letter at a time, and answers a line:
 *
 *	t  ticks: all is saved and given to the kernel
 *	u  use all of it: "right" or "wrong"
 *	w  write all of it anew
 *	r  "RSS in KiB"
 *	s  "bytes that were dropped, and loads"
 *	f  fork; the child lives as long as the program
 *	x  exec() of sleep, with the same process id
 *	q  do not read the socket any more; or again
 *	v  register again, as another version of libmarvin
 *
 * Its store is a formula: a page that is gone is written anew.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "../../libmarvin/marvin.h"
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

static unsigned long rss_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (file && fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (unsigned long)page / 1024;
}

static bool has_forked(void)
{
	pid_t pid = fork();

	if (!pid) {
		register_forked(&reg);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid > 0;
}

static void answer(int letter)
{
	switch (letter) {
	case 't':
		give_all();
		register_tell(&reg, 0, &stats);
		puts("ticked");
		break;
	case 'u':
		puts(is_right() ? "right" : "wrong");
		break;
	case 'w':
		write_all();
		puts("written");
		break;
	case 'r':
		printf("%lu\n", rss_kib());
		break;
	case 's':
		printf("%llu %llu\n", (unsigned long long)stats.dropped,
		       (unsigned long long)stats.loads);
		break;
	case 'f':
		puts(has_forked() ? "forked" : "failed");
		break;
	case 'x':
		puts("exec");
		fflush(stdout);
		execlp("sleep", "sleep", "60", NULL);
		break;
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
