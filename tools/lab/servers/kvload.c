// SPDX-License-Identifier: GPL-2.0
/*
 * kvload: the latency of a key-value server (redis, memcached) at 127.0.0.1. The client is locked
 * in memory and has real-time priority, so that its own waits do not count.
 *
 *   kvload redis|memcached PORT fill KEYS
 *   kvload redis|memcached PORT run KEYS RATE SECONDS
 *
 * fill writes KEYS values. run sends RATE requests a second, each for BATCH values at random, and
 * prints percentiles in microseconds. A request counts from when it was due, so that a server that
 * stands still is late for all requests that were due meanwhile. After twice the SECONDS no more
 * are sent, and the rest counts as answered then.
 * Exit status: 0; 1: the server went away, or its bytes are wrong; 2: usage.
 *
 * Why not single values: one takes 60 us, and the kernel does not schedule while it compresses a
 * page for another program, which takes as long. A request for BATCH values takes a millisecond, so
 * four pages that are in swap are seen. redis answers with one byte of each, because to send and
 * receive whole values takes memory of the kernel's.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* With the server's own bytes a value takes 1 KiB. */
#define VALUE 1000
/* Values in a request that writes, or reads; memcached is three times as quick */
#define BATCH 50
#define MEMCACHED_BATCH 150
/* The longest text around a value */
#define AROUND 64
#define NS 1000000000LL

struct text {
	size_t used;
	char bytes[(BATCH + 1) * (VALUE + AROUND)];
};

/* The first byte of each value */
static const char script[] =
	"local t='' for _,k in ipairs(KEYS) do t=t..redis.call('GETRANGE',k,0,0) end return t";

static struct text request, answer, wanted;
static bool memcached;
static int server = -1;
static uint64_t rng = 0x2545f4914f6cdd1dULL;

static void fail(const char *what)
{
	printf("failed: %s: %s\n", what, errno ? strerror(errno) : "wrong bytes");
	exit(1);
}

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS + t.tv_nsec;
}

static void add(struct text *text, const char *format, unsigned int number)
{
	text->used += (size_t)snprintf(text->bytes + text->used, sizeof(text->bytes) - text->used,
				       format, number);
}

static void clear(void)
{
	request.used = 0;
	wanted.used = 0;
}

static uint64_t first_word(unsigned int key)
{
	return (key + 1) * 0x9e3779b97f4a7c15ULL;
}

/* add_value() - half of it compresses well, the other half not at all */
static void add_value(struct text *text, unsigned int key)
{
	uint64_t state = first_word(key);
	char *to = text->bytes + text->used;
	size_t i;

	memset(to, 'x', VALUE);
	for (i = 0; i < VALUE / 2; i += sizeof(state)) {
		memcpy(to + i, &state, sizeof(state));
		next(&state);
	}
	memcpy(to + VALUE, "\r\n", 2);
	text->used += VALUE + 2;
}

static void dial(unsigned int port)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (server < 0 || connect(server, (struct sockaddr *)&to, sizeof(to)))
		fail("connect");
}

/* ask() - send the request, and compare the answer with the wanted one; *at: when it was whole */
static void ask(int64_t *at)
{
	size_t done = 0;
	ssize_t n;

	errno = 0;
	if (send(server, request.bytes, request.used, MSG_NOSIGNAL) != (ssize_t)request.used)
		fail("send");
	while (done < wanted.used) {
		errno = 0;
		n = recv(server, answer.bytes + done, wanted.used - done, 0);
		if (n <= 0)
			fail("recv");
		done += (size_t)n;
	}
	*at = now_ns();
	errno = 0;
	if (memcmp(answer.bytes, wanted.bytes, wanted.used))
		fail("answer");
}

static void fill(unsigned int keys)
{
	unsigned int key, i;
	int64_t at;

	for (key = 0; key < keys; key += BATCH) {
		clear();
		if (!memcached) {
			add(&request, "*%u\r\n$4\r\nMSET\r\n", 2 * BATCH + 1);
			add(&wanted, "+OK\r\n", 0);
		}
		for (i = key; i < key + BATCH; i++) {
			add(&request, memcached ? "set k%07u" : "$8\r\nk%07u\r\n", i);
			add(&request, memcached ? " 0 0 %u\r\n" : "$%u\r\n", VALUE);
			add_value(&request, i);
			if (memcached)
				add(&wanted, "STORED\r\n", 0);
		}
		ask(&at);
	}
}

/*
 * compose() - a request for values at random, and its answer; memcached cannot read a part of a
 * value, but its size is beside its bytes
 */
static void compose(unsigned int keys)
{
	unsigned int i, key;
	char byte;

	clear();
	if (!memcached) {
		add(&request, "*%u\r\n$4\r\nEVAL\r\n", BATCH + 3);
		add(&request, "$%u\r\n", sizeof(script) - 1);
		add(&request, script, 0);
		add(&request, "\r\n$2\r\n%u\r\n", BATCH);
		add(&wanted, "$%u\r\n", BATCH);
	}
	for (i = 0; i < (memcached ? MEMCACHED_BATCH : BATCH); i++) {
		key = (unsigned int)(next(&rng) % keys);
		add(&request, memcached ? "mg k%07u s\r\n" : "$8\r\nk%07u\r\n", key);
		byte = (char)first_word(key);
		if (memcached)
			add(&wanted, "HD s%u\r\n", VALUE);
		else
			wanted.bytes[wanted.used++] = byte;
	}
	if (!memcached)
		add(&wanted, "\r\n", 0);
}

static int by_size(const void *a, const void *b)
{
	const int64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

/* least_rate() - requests that were answered in the worst second, in percent of those due in it */
static unsigned int least_rate(const int64_t *took, unsigned int rate, unsigned int seconds,
			       int64_t *mean)
{
	unsigned int second, i, done, least = 100;

	*mean = 0;
	for (second = 0; second < seconds; second++) {
		for (i = 0, done = 0; i < rate * seconds; i++)
			done += ((int64_t)i * NS / rate + took[i]) / NS == second;
		if (done * 100 / rate < least)
			least = done * 100 / rate;
	}
	for (i = 0; i < rate * seconds; i++)
		*mean += took[i] / (int64_t)(rate * seconds);
	return least;
}

static void run(unsigned int keys, unsigned int rate, unsigned int seconds)
{
	size_t n = (size_t)rate * seconds, i;
	int64_t *took = calloc(n, sizeof(*took));
	struct sched_param real_time = { .sched_priority = 50 };
	int64_t start, due, at, end;
	struct timespec t;
	unsigned int least;
	int64_t mean;

	if (!took || mlockall(MCL_CURRENT | MCL_FUTURE) ||
	    sched_setscheduler(0, SCHED_FIFO, &real_time))
		fail("real time");
	start = now_ns();
	end = start + 2 * seconds * NS;
	for (i = 0; i < n; i++) {
		due = start + (int64_t)i * NS / rate;
		at = now_ns();
		if (at < end) {
			compose(keys);
			t = (struct timespec){ .tv_sec = due / NS, .tv_nsec = due % NS };
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
			ask(&at);
		}
		took[i] = at - due;
	}
	least = least_rate(took, rate, seconds, &mean);
	qsort(took, n, sizeof(*took), by_size);
	printf("n=%zu mean=%lld least=%u%% p50=%lld p95=%lld p99=%lld max=%lld\n", n,
	       mean / 1000LL, least, took[n / 2] / 1000LL,
	       took[n * 95 / 100] / 1000LL, took[n * 99 / 100] / 1000LL, took[n - 1] / 1000LL);
	free(took);
}

int main(int argc, char **argv)
{
	unsigned int keys = argc > 4 ? (unsigned int)atoi(argv[4]) : 0;

	if (!keys) {
		fputs("usage: kvload redis|memcached PORT fill KEYS | run KEYS RATE SECONDS\n",
		      stderr);
		return 2;
	}
	memcached = !strcmp(argv[1], "memcached");
	dial((unsigned int)atoi(argv[2]));
	if (argc == 7)
		run(keys, (unsigned int)atoi(argv[5]), (unsigned int)atoi(argv[6]));
	else
		fill(keys);
	return 0;
}
