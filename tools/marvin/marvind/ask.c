// SPDX-License-Identifier: GPL-2.0

#include <inttypes.h>
#include <stdio.h>
#include <sys/socket.h>
#include "ask.h"

/* A program that runs answers in this time; libmarvin's thread looks at its socket at once. */
#define LATE_MS 1000

/* send_text() - the next request, with its number */
static void send_text(struct program *program, const char *word, const char *rest)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%s %" PRIu64 "%s", word, ++program->ask.seq, rest);

	/* registry_serve() sees the end. */
	if (send(program->caller.fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) != n)
		shutdown(program->caller.fd, SHUT_RDWR);
}

/* await() - the answer to the last request; the one to an earlier one does not count any more */
static void await(struct program *program, bool saves, uint32_t now_ms)
{
	program->ask.awaits = program->ask.seq;
	program->ask.saves = saves;
	program->ask.since_ms = now_ms;
}

/* send_drop() - @bytes of its given memory */
static void send_drop(struct program *program, uint64_t bytes, uint32_t now_ms)
{
	char rest[32];

	snprintf(rest, sizeof(rest), " %" PRIu64, bytes);
	program->ask.bytes = bytes;
	send_text(program, "drop", rest);
	await(program, false, now_ms);
}

/* measure() - the figures before a request */
static void measure(struct program *program)
{
	program->ask.before = proc_anonymous(program->id.pid);
	program->ask.dropped = program->told.dropped;
}

/**
 * ask_back() - to the background: have the program save, give and drop all
 * @program: which one
 * @now_ms: the time
 */
void ask_back(struct program *program, uint32_t now_ms)
{
	measure(program);
	program->background = true;
	program->ask.pending = true;
	program->ask.bg_before = program->ask.before;
	send_text(program, "bg", "");
	await(program, true, now_ms);
}

/**
 * ask_front() - to the foreground
 * @program: which one
 * @fetch: it brings its given memory back
 */
void ask_front(struct program *program, bool fetch)
{
	program->background = false;
	program->ask.pending = false;
	program->ask.awaits = 0;
	send_text(program, "fg", "");
	if (fetch)
		send_text(program, "fetch", "");
}

/**
 * ask_drop() - some of its given memory
 * @program: which one
 * @bytes: of it
 * @now_ms: the time
 */
void ask_drop(struct program *program, uint64_t bytes, uint32_t now_ms)
{
	measure(program);
	send_drop(program, bytes, now_ms);
}

/* took() - bytes that left the memory, as far as the program, not the kernel, has dropped them */
static uint64_t took(const struct ask *ask, uint64_t said, uint64_t after)
{
	uint64_t less = ask->before > after ? ask->before - after : 0;

	return less < said ? less : said;
}

/* dropped() - an answer; returns the bytes */
static uint64_t dropped(struct program *program)
{
	struct ask *ask = &program->ask;
	uint64_t after = proc_anonymous(program->id.pid), said = 0;

	if (program->told.dropped > ask->dropped)
		said = program->told.dropped - ask->dropped;
	/* With less than it was asked for, it has no more. */
	ask->gone = said < ask->bytes ? UINT64_MAX : ask->gone + said;
	if (ask->pending)
		ask->bg_after = after;
	ask->pending = false;
	ask->awaits = 0;
	return took(ask, said, after);
}

/**
 * ask_heard() - a program has sent its figures: that may be an answer
 * @program: which one
 * @now_ms: the time
 *
 * After "bg" it is asked to drop all that it has given; then "bg" is done.
 *
 * Return: bytes that it has dropped for a request, as far as that can be seen from outside.
 */
uint64_t ask_heard(struct program *program, uint32_t now_ms)
{
	struct ask *ask = &program->ask;
	uint64_t taken = 0, seq = program->told.seq;

	if (ask->awaits && seq >= ask->awaits && seq <= ask->seq) {
		if (ask->saves)
			send_drop(program, UINT64_MAX, now_ms);
		else
			taken = dropped(program);
	}
	/* Only given memory is gone. */
	if (ask->gone > program->told.given)
		ask->gone = program->told.given;
	return taken;
}

/**
 * ask_is_late() - has a program not answered, though it had time to?
 * @program: which one
 * @now_ms: the time
 */
bool ask_is_late(const struct program *program, uint32_t now_ms)
{
	return program->ask.awaits && now_ms - program->ask.since_ms >= LATE_MS;
}
