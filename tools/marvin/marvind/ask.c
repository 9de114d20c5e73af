// SPDX-License-Identifier: GPL-2.0

#include <inttypes.h>
#include <stdio.h>
#include <sys/socket.h>
#include "ask.h"

/* A program that runs answers in this time; libmarvin's thread looks at its socket at once. */
#define LATE_MS 1000

/* send_one() - a request that is wanted; false: it still is, for want of room */
static bool send_one(struct program *program, enum request request, const char *word)
{
	struct ask *ask = &program->ask;
	char text[64];
	int n;

	if (!(ask->wants & request))
		return true;
	n = snprintf(text, sizeof(text), "%s %" PRIu64, word, ask->seq + 1);
	if (request == REQUEST_DROP)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %" PRIu64, ask->bytes);
	if (send(program->caller.fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) != n)
		return false;
	ask->wants &= ~(unsigned int)request;
	ask->seq++;
	if (request == ask->awaits)
		ask->answer = ask->seq;
	return true;
}

/**
 * ask_again() - send what found no room
 * @program: which one
 */
void ask_again(struct program *program)
{
	if (send_one(program, REQUEST_FG, "fg") && send_one(program, REQUEST_FETCH, "fetch") &&
	    send_one(program, REQUEST_BG, "bg"))
		send_one(program, REQUEST_DROP, "drop");
}

/* ask() - a request with an answer; the answer to an earlier one does not count any more */
static void ask(struct program *program, enum request request, uint32_t now_ms)
{
	struct ask *ask = &program->ask;

	ask->wants = (ask->wants & REQUEST_FG) | request;
	ask->awaits = request;
	ask->since_ms = now_ms;
	ask_again(program);
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
	ask(program, REQUEST_BG, now_ms);
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
	program->ask.wants = REQUEST_FG | (fetch ? REQUEST_FETCH : 0);
	ask_again(program);
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
	program->ask.bytes = bytes;
	ask(program, REQUEST_DROP, now_ms);
}

/* took() - bytes that left the memory, as far as the program, not the kernel, has dropped them */
static uint64_t took(const struct ask *ask_of, uint64_t said, uint64_t after)
{
	uint64_t less = ask_of->before > after ? ask_of->before - after : 0;

	return less < said ? less : said;
}

/* less_given() - only given memory is gone */
static void less_given(struct program *program)
{
	if (program->ask.gone > program->told.given)
		program->ask.gone = program->told.given;
}

/* dropped() - an answer; returns the bytes */
static uint64_t dropped(struct program *program)
{
	struct ask *ask_of = &program->ask;
	uint64_t after = proc_anonymous(program->id.pid), said = 0;

	if (program->told.dropped > ask_of->dropped)
		said = program->told.dropped - ask_of->dropped;
	/* With less than it was asked for, it has no more. */
	ask_of->gone = said < ask_of->bytes ? UINT64_MAX : ask_of->gone + said;
	if (ask_of->pending)
		ask_of->bg_after = after;
	ask_of->pending = false;
	ask_of->awaits = 0;
	return took(ask_of, said, after);
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
	struct ask *ask_of = &program->ask;
	uint64_t taken = 0, seq = program->told.seq;

	if (ask_of->awaits && !(ask_of->wants & ask_of->awaits) && seq >= ask_of->answer &&
	    seq <= ask_of->seq) {
		if (ask_of->awaits == REQUEST_DROP) {
			taken = dropped(program);
		} else {
			ask_of->bytes = UINT64_MAX;
			ask(program, REQUEST_DROP, now_ms);
		}
	}
	less_given(program);
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
