// SPDX-License-Identifier: GPL-2.0
/*
 * How fast is memory, the more of it a program has?  The user-mode benchmark
 * of the paper: memory is allocated chunk by chunk and filled, and every so
 * often some of it is read again, in three patterns:
 *
 *   random  each time another chunk, picked at random
 *   fixed   a chunk picked at random, read several times in a row
 *   last    the chunk that was allocated last, read several times
 *
 * Each read is verified: it sums every byte of a page and compares the sum with the
 * one noted when the page was filled.  A stamp makes pages of the same data differ,
 * so that one cannot pass for another.  A wrong page ends the program.
 *
 * A child does the work and the parent writes the results, because the OOM killer
 * may kill the child.
 *
 * The program does not know whether the kernel swaps.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB		1048576.0
#define STATUS_USAGE	2
#define STATUS_WRONG	3	/* a page has other contents than written */

enum pattern { RANDOM, FIXED, LAST, PATTERNS };
enum read { CRC, BYTES, WORDS, READS };
enum data { TEXT, NOISE, ZERO, PAGES };
enum end { END_NONE, END_MAX, END_TIME, END_REFUSED, END_OOM, END_KILLED };

static const char *const pattern_names[PATTERNS] = { "random", "fixed", "last" };
static const char *const read_names[READS] = { "crc", "bytes", "words" };
static const char *const end_names[] = {
	"none", "max", "time", "refused", "oom", "killed",
};

static struct {
	unsigned long long chunk, step, max, seed, seconds;
	unsigned int repeat, picks[2];
	bool pattern[PATTERNS];
	bool all;		/* until memory is used up */
	enum data data;
	enum read read;
	const char *data_text;
	const char *csv, *json;
} config = {
	.chunk = 64 << 10, .step = 1 << 20, .max = 256 << 20, .seed = 1,
	.repeat = 32, .picks = { 64, 4 }, .pattern = { true, true, true },
	.data_text = "text",
};

/* Pages swapped by the whole system. */
struct swapped {
	unsigned long long in, out;
};

/* A measurement, sent through the pipe. */
struct sample {
	unsigned long long allocated;		/* bytes */
	unsigned long long swap_used;		/* bytes, of the whole system */
	double seconds;			/* since it started */
	double fill;			/* MiB/s since the last sample */
	double speed[PATTERNS];		/* MiB/s, negative: not measured */
	unsigned long long read_pages[PATTERNS];
	struct swapped swapped[PATTERNS];	/* meanwhile */
	struct swapped total;			/* since the start */
};

/* In shared memory, so that the parent can read it after the child was killed. */
struct shared {
	uint32_t pages;		/* allocated and filled */
	enum end end;
};

static struct shared *shared;
static size_t page_size;
static int data_fd = -1;
static unsigned long long data_pages;
static double started;
static struct swapped at_start;

static uint8_t **chunks;
static uint32_t *sums;		/* of each page */
static uint32_t nchunks;
static uint32_t chunk_pages;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Steele, Lea and Flood's SplitMix64: any seed will do, 0 too. */
static unsigned long long next_random(unsigned long long *state)
{
	unsigned long long z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/*
 * The ways to read a page, from most to least work per byte. Plain loops, so that
 * the number of instructions measures the work fairly.
 */
static uint32_t sum_crc(const uint8_t *page)
{
	/* CRC-32 (IEEE 802.3) by half bytes, with a small table. */
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	const uint8_t *end = page + page_size;
	uint32_t crc = 0xffffffff;

	while (page < end) {
		crc ^= *page++;
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

/* The second sum depends on the order. */
static uint32_t sum_bytes(const uint8_t *page)
{
	const uint8_t *end = page + page_size;
	uint32_t a = 1, b = 0;

	while (page < end) {
		a += *page++;
		b += a;
	}
	return b ^ a << 12;
}

static uint32_t sum_words(const uint8_t *page)
{
	const uint32_t *word = (const uint32_t *)page;
	const uint32_t *end = word + page_size / sizeof(*word);
	uint32_t a = 1, b = 0;

	while (word < end) {
		a += *word++;
		b += a;
	}
	return b ^ (a << 12 | a >> 20);
}

static uint32_t sum_page(const uint8_t *page)
{
	switch (config.read) {
	case CRC:
		return sum_crc(page);
	case BYTES:
		return sum_bytes(page);
	default:
		return sum_words(page);
	}
}

/* Differs for each page, because multiplying by an odd number is invertible. */
static uint32_t stamp(uint32_t page)
{
	unsigned long long state = config.seed;

	return page * 2654435761u ^ (uint32_t)next_random(&state);
}

static void fill_text(uint8_t *page, unsigned long long *state)
{
	static const char *const words[] = {
		"the ", "of ", "and ", "to ", "a ", "in ", "that ", "was ", "he ",
		"it ", "his ", "is ", "with ", "as ", "for ", "had ", "harbour ",
		"evening ", "morning ", "letter ", "quietly ", "window ", "answered ",
		"road ", "between ", "winter ", "remember ", "nothing, ", "village ",
		"engine ", "yellow ", "because ", "tomorrow ", "mountain ", "station ",
		"carefully ", "paper ", "signal ", "lantern ", "weather ", "captain ",
		"brother ", "market ", "eleven ", "silence. ", "again. ", "river. ",
		"there.\n",
	};
	const unsigned int count = sizeof(words) / sizeof(words[0]);
	size_t at = 0;

	while (at < page_size) {
		unsigned long long r = next_random(state);
		/* The smaller of two: the first words are the frequent ones. */
		unsigned int x = (unsigned int)(r >> 32) % count;
		unsigned int y = (unsigned int)r % count;
		const char *word = words[x < y ? x : y];
		size_t n = strlen(word);

		if (n > page_size - at)
			n = page_size - at;
		memcpy(page + at, word, n);
		at += n;
	}
}

static void fill_noise(uint8_t *page, unsigned long long *state)
{
	size_t at;

	for (at = 0; at < page_size; at += sizeof(unsigned long long)) {
		unsigned long long r = next_random(state);

		memcpy(page + at, &r, sizeof(r));
	}
}

/* Drop the file's pages, which would take memory that we measure. */
static void fill_from_file(uint8_t *page, uint32_t nr)
{
	off_t at = (off_t)((nr + config.seed - 1) % data_pages * page_size);
	ssize_t done = pread(data_fd, page, page_size, at);

	if (done != (ssize_t)page_size) {
		if (done >= 0)
			errno = EIO;
		err(1, "%s: page %llu", config.data_text,
		    (unsigned long long)at / page_size);
	}
	posix_fadvise(data_fd, at, (off_t)page_size, POSIX_FADV_DONTNEED);
}

/* Pages of one repeated word get no stamp, because swap may store them specially. */
static bool is_filled(const uint8_t *page)
{
	return !memcmp(page, page + sizeof(unsigned long long),
		       page_size - sizeof(unsigned long long));
}

static void fill_page(uint8_t *page, uint32_t nr)
{
	unsigned long long state = config.seed ^ (unsigned long long)nr << 32;
	uint32_t mark = stamp(nr);

	switch (config.data) {
	case TEXT:
		fill_text(page, &state);
		break;
	case NOISE:
		fill_noise(page, &state);
		break;
	case ZERO:
		memset(page, 0, page_size);
		break;
	case PAGES:
		fill_from_file(page, nr);
		break;
	}
	if (!is_filled(page))
		memcpy(page, &mark, sizeof(mark));
	sums[nr] = sum_page(page);
}

/* Adds a chunk; false if memory is used up. */
static bool add_chunk(void)
{
	uint8_t *chunk = mmap(NULL, config.chunk, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t i, first = nchunks * chunk_pages;

	if (chunk == MAP_FAILED)
		return false;
	/* The kernel would swap huge pages as a whole and hide single pages. */
	madvise(chunk, config.chunk, MADV_NOHUGEPAGE);
	for (i = 0; i < chunk_pages; i++) {
		fill_page(chunk + i * page_size, first + i);
		__atomic_store_n(&shared->pages, first + i + 1, __ATOMIC_RELAXED);
	}
	chunks[nchunks++] = chunk;
	return true;
}

static void wrong(uint32_t nr, const uint8_t *page, uint32_t sum)
{
	uint32_t got;

	memcpy(&got, page, sizeof(got));
	fprintf(stderr, "membench: WRONG DATA in page %u: sum %08x, not %08x; ", nr,
		sum, sums[nr]);
	fprintf(stderr, "stamp %08x, not %08x\n", got, stamp(nr));
	_exit(STATUS_WRONG);
}

static void read_chunk(uint32_t chunk)
{
	const uint8_t *page = chunks[chunk];
	uint32_t nr = chunk * chunk_pages, end = nr + chunk_pages;

	for (; nr < end; nr++, page += page_size) {
		uint32_t sum = sum_page(page);

		if (sum != sums[nr])
			wrong(nr, page, sum);
	}
}

/* Reads counters of /proc/vmstat; missing ones are 0. */
static unsigned long long vm_counters(struct swapped *swapped)
{
	FILE *file = fopen("/proc/vmstat", "r");
	unsigned long long value, oom_kills = 0;
	char key[64];

	memset(swapped, 0, sizeof(*swapped));
	while (file && fscanf(file, "%63s %llu", key, &value) == 2) {
		if (!strcmp(key, "pswpin"))
			swapped->in = value;
		else if (!strcmp(key, "pswpout"))
			swapped->out = value;
		else if (!strcmp(key, "oom_kill"))
			oom_kills = value;
	}
	if (file)
		fclose(file);
	return oom_kills;
}

static void swapped_since(const struct swapped *before, struct swapped *swapped)
{
	vm_counters(swapped);
	swapped->in -= before->in;
	swapped->out -= before->out;
}

static void read_pattern(enum pattern pattern, struct sample *sample,
			 unsigned long long *random)
{
	unsigned int picks = pattern == LAST ? 1 : config.picks[pattern];
	unsigned int repeat = pattern == RANDOM ? 1 : config.repeat;
	unsigned long long bytes = config.chunk * picks * repeat;
	struct swapped before;
	unsigned int i, k;
	double start;

	vm_counters(&before);
	start = now();
	for (i = 0; i < picks; i++) {
		uint32_t chunk = pattern == LAST ? nchunks - 1 :
				 (uint32_t)(next_random(random) % nchunks);

		for (k = 0; k < repeat; k++)
			read_chunk(chunk);
	}
	sample->speed[pattern] = (double)bytes / MIB / (now() - start);
	swapped_since(&before, &sample->swapped[pattern]);
	sample->read_pages[pattern] = bytes / page_size;
}

static void measure(struct sample *sample, unsigned long long *random)
{
	struct sysinfo info;
	int i;

	for (i = 0; i < PATTERNS; i++) {
		sample->speed[i] = -1;
		if (config.pattern[i])
			read_pattern(i, sample, random);
	}
	if (!sysinfo(&info))
		sample->swap_used = (unsigned long long)(info.totalswap - info.freeswap) *
				    info.mem_unit;
	swapped_since(&at_start, &sample->total);
	sample->allocated = nchunks * config.chunk;
	sample->seconds = now() - started;
}

/*
 * To test the verification: MEMBENCH_BREAK=flip changes a bit of the first page,
 * =exchange swaps the first two pages.
 */
static void break_on_demand(void)
{
	const char *how = getenv("MEMBENCH_BREAK");
	uint8_t *page = chunks[0];
	size_t i;

	if (!how || nchunks != 1)
		return;
	if (!strcmp(how, "flip"))
		page[page_size / 2 + 1] ^= 0x10;
	for (i = 0; !strcmp(how, "exchange") && i < page_size; i++) {
		uint8_t byte = page[i];

		page[i] = page[page_size + i];
		page[page_size + i] = byte;
	}
}

static enum end work(int out)
{
	const uint32_t every = (uint32_t)(config.step / config.chunk);
	const uint32_t limit = (uint32_t)(config.max / config.chunk);
	unsigned long long random = config.seed;
	double filling = 0, start;

	while (nchunks < limit) {
		start = now();
		if (!add_chunk())
			return END_REFUSED;
		break_on_demand();
		filling += now() - start;
		if (nchunks % every == 0) {
			struct sample sample = {
				.fill = (double)config.step / MIB / filling,
			};

			measure(&sample, &random);
			if (write(out, &sample, sizeof(sample)) != sizeof(sample))
				err(1, "pipe");
			filling = 0;
		}
		if (config.seconds && now() - started >= (double)config.seconds)
			return END_TIME;
	}
	return END_MAX;
}

/* Make the OOM killer choose this child, and die with the parent. */
static void be_the_victim(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY);

	if (fd < 0 || write(fd, "1000", 4) != 4)
		warn("note: another process may be killed in my place");
	if (fd >= 0)
		close(fd);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Lock the code, because paging it in from slow media would be measured, too. */
	if (mlockall(MCL_CURRENT))
		warn("note: my code may be paged out, as it cannot be locked");
}

static void *reserve(unsigned long long count, size_t size)
{
	void *table = MAP_FAILED;

	if (count <= SIZE_MAX / size)
		table = mmap(NULL, count * size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (table == MAP_FAILED)
		errx(1, "no address space for the tables: take a smaller --max");
	return table;
}

static void run_child(int out)
{
	be_the_victim();
	chunks = reserve(config.max / config.chunk, sizeof(*chunks));
	sums = reserve(config.max / page_size, sizeof(*sums));
	chunk_pages = (uint32_t)(config.chunk / page_size);
	shared->end = work(out);
	_exit(0);
}

/* The output files. */
static FILE *csv, *json;
static unsigned int samples_written;

static void print_config(void)
{
	const char *p;

	fprintf(json, "{\"chunk_bytes\": %llu, \"step_bytes\": %llu,\n",
		config.chunk, config.step);
	fprintf(json, " \"max_bytes\": %llu, \"page_bytes\": %zu,\n", config.max,
		page_size);
	fprintf(json, " \"picks_random\": %u, \"picks_fixed\": %u,\n",
		config.picks[RANDOM], config.picks[FIXED]);
	fprintf(json, " \"repeat\": %u, \"read\": \"%s\", \"seed\": %llu,\n",
		config.repeat, read_names[config.read], config.seed);
	fprintf(json, " \"data\": \"");
	for (p = config.data_text; *p; p++) {
		if (*p == '"' || *p == '\\')
			fprintf(json, "\\%c", *p);
		else if ((unsigned char)*p < ' ')
			fprintf(json, "\\u%04x", (unsigned int)*p);
		else
			fputc(*p, json);
	}
	fprintf(json, "\",\n \"samples\": [");
}

static void print_heads(void)
{
	int i;

	if (csv) {
		fprintf(csv, "event,allocated_bytes,seconds,fill_mib_s");
		for (i = 0; i < PATTERNS; i++)
			fprintf(csv, ",%s_mib_s,%s_pages,%s_in,%s_out",
				pattern_names[i], pattern_names[i],
				pattern_names[i], pattern_names[i]);
		fprintf(csv, ",swap_used_bytes,swapped_in,swapped_out\n");
		fflush(csv);
	}
	if (json)
		print_config();
}

static void print_csv(const struct sample *s)
{
	int i;

	fprintf(csv, "measure,%llu,%.6f,%.3f", s->allocated, s->seconds, s->fill);
	for (i = 0; i < PATTERNS; i++) {
		if (s->speed[i] < 0)
			fprintf(csv, ",,,,");
		else
			fprintf(csv, ",%.4f,%llu,%llu,%llu", s->speed[i],
				s->read_pages[i], s->swapped[i].in,
				s->swapped[i].out);
	}
	fprintf(csv, ",%llu,%llu,%llu\n", s->swap_used, s->total.in,
		s->total.out);
	/* Keep the line even if the program is killed. */
	fflush(csv);
}

static void print_json(const struct sample *s)
{
	int i;

	fprintf(json, "%s\n  {\"allocated_bytes\": %llu, \"seconds\": %.6f,\n",
		samples_written ? "," : "", s->allocated, s->seconds);
	for (i = 0; i < PATTERNS; i++) {
		const char *name = pattern_names[i];

		if (s->speed[i] < 0)
			continue;
		fprintf(json, "   \"%s_mib_s\": %.4f, ", name, s->speed[i]);
		fprintf(json, "\"%s_pages\": %llu, ", name, s->read_pages[i]);
		fprintf(json, "\"%s_in\": %llu, \"%s_out\": %llu,\n", name,
			s->swapped[i].in, name, s->swapped[i].out);
	}
	fprintf(json, "   \"fill_mib_s\": %.3f, \"swap_used_bytes\": %llu,\n",
		s->fill, s->swap_used);
	fprintf(json, "   \"swapped_in\": %llu, \"swapped_out\": %llu}",
		s->total.in, s->total.out);
	fflush(json);
}

static void print_sample(const struct sample *s, bool terminal)
{
	int i;

	if (csv)
		print_csv(s);
	if (json)
		print_json(s);
	samples_written++;
	if (!terminal)
		return;
	fprintf(stderr, "\rmembench: %.1f", (double)s->allocated / MIB);
	if (!config.all)
		fprintf(stderr, " of %.0f", (double)config.max / MIB);
	fprintf(stderr, " MiB;");
	for (i = 0; i < PATTERNS; i++)
		if (s->speed[i] >= 0)
			fprintf(stderr, " %s %.1f", pattern_names[i], s->speed[i]);
	fprintf(stderr, " MiB/s\033[K");
}

static void print_end(enum end end, double seconds)
{
	unsigned long long largest = (unsigned long long)shared->pages * page_size;

	if (csv)
		fprintf(csv, "%s,%llu,%.6f,,,,,,,,,,,,,,,,\n", end_names[end], largest,
			seconds);
	if (json) {
		fprintf(json, "],\n \"end\": \"%s\", ", end_names[end]);
		fprintf(json, "\"largest_bytes\": %llu, \"seconds\": %.6f}\n",
			largest, seconds);
	}
}

static pid_t child;
static int interrupted;

static void interrupt(int signo)
{
	__atomic_store_n(&interrupted, signo, __ATOMIC_RELAXED);
	kill(child, SIGKILL);
}

/* Reads a whole sample or none, because the child writes it with one call. */
static bool next_sample(int in, struct sample *sample)
{
	ssize_t done;

	do
		done = read(in, sample, sizeof(*sample));
	while (done < 0 && errno == EINTR);
	return done == sizeof(*sample);
}

/* Why the child has ended; @result: exit status. */
static enum end judge(int status, bool oom, int *result)
{
	*result = 0;
	if (interrupted) {
		*result = 128 + interrupted;
		return END_KILLED;
	}
	if (WIFEXITED(status)) {
		*result = WEXITSTATUS(status);
		return *result ? END_KILLED : shared->end;
	}
	if (WTERMSIG(status) == SIGKILL && oom)
		return END_OOM;
	*result = 1;
	if (WTERMSIG(status) == SIGBUS) {
		/* Swap has lost the page. */
		*result = STATUS_WRONG;
		warnx("LOST DATA: a page could not be read back (SIGBUS)");
	} else {
		warnx("the child was killed by signal %d", WTERMSIG(status));
	}
	return END_KILLED;
}

static int supervise(int in, unsigned long long kills)
{
	struct sigaction action = { .sa_handler = interrupt };
	bool terminal = isatty(STDERR_FILENO);
	struct swapped swapped;
	struct sample sample;
	int status, result;
	enum end end;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	print_heads();
	while (next_sample(in, &sample))
		print_sample(&sample, terminal);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			err(1, "waitpid");
	if (terminal && samples_written)
		fputc('\n', stderr);
	end = judge(status, vm_counters(&swapped) > kills, &result);
	print_end(end, now() - started);
	if (terminal)
		fprintf(stderr, "membench: %.1f MiB allocated, then: %s\n",
			(double)shared->pages * (double)page_size / MIB,
			end_names[end]);
	return result;
}

static void print_help(void)
{
	printf("usage: membench [OPTION]...\n"
"Allocate memory chunk by chunk and measure how fast it can be read, while it\n"
"becomes more than the machine has. Everything that is read is verified.\n"
"\n"
"  --max=SIZE      stop at so much (256M); all: until there is no memory left,\n"
"                  which ends with the OOM killer taking a child of membench\n"
"  --chunk=SIZE    size of a chunk (64K)\n"
"  --step=SIZE     measure each time when so much has been added (1M)\n"
"  --picks=R[,F]   chunks picked for a measurement, random and fixed (64,4)\n"
"  --repeat=K      times a fixed or last chunk is read (32)\n"
"  --patterns=LIST of random, fixed, last (all three)\n"
"  --read=HOW      what is done with all that is read: crc, a CRC-32 of it; bytes\n"
"                  or words, sums of it (crc)\n"
"  --data=WHAT     text, random, zero or pages:FILE, pages to be used in turn (text)\n"
"  --seed=N        of everything random (1)\n"
"  --seconds=N     stop after so many seconds\n"
"  --csv=FILE      write the results as CSV, - is standard output; this is the\n"
"                  default if there is no --json\n"
"  --json=FILE     write them as JSON\n"
"\n"
"Sizes may end in K, M or G. The last row, or \"end\", says how it ended: max,\n"
"time, refused (mmap failed), oom or killed, and how much was allocated then.\n"
"Exit status: 0 if it ended so, 1 on a failure, 2 on bad options, 3 if a page\n"
"was wrong or lost.\n");
}

__attribute__((noreturn, format(printf, 1, 2)))
static void refuse(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "membench: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, "; see membench --help\n");
	va_end(args);
	exit(STATUS_USAGE);
}

/* Parses a number of at least 1; a size may have a suffix. */
static unsigned long long parse(const char *option, const char *text, bool size,
				unsigned long long max, char **rest)
{
	unsigned long long value;
	unsigned int shift = 0;
	char *end = (char *)text;

	errno = 0;
	/* strtoull would accept a sign and blanks. */
	value = *text >= '0' && *text <= '9' ? strtoull(text, &end, 0) : 0;
	if (end != text && size) {
		const char *suffix = *end ? strchr("KMG", *end) : NULL;

		if (suffix) {
			shift = 10 * (unsigned int)(suffix - "KMG" + 1);
			end++;
		}
	}
	if (end == text || (*end && !(rest && *end == ',')))
		refuse("--%s=%s is not a %s", option, text,
		       size ? "size" : "number");
	if (errno || value > max >> shift || !value)
		refuse("--%s=%s is not between 1 and %llu", option, text, max);
	if (rest)
		*rest = end;
	return (unsigned long long)value << shift;
}

static unsigned int parse_count(const char *option, const char *text, char **rest)
{
	return (unsigned int)parse(option, text, false, 1000000, rest);
}

static void parse_picks(const char *text)
{
	char *rest;

	config.picks[RANDOM] = parse_count("picks", text, &rest);
	if (*rest)
		config.picks[FIXED] = parse_count("picks", rest + 1, NULL);
}

static void parse_patterns(const char *text)
{
	char *copy = strdup(text), *word, *at = copy;
	int i;

	memset(config.pattern, 0, sizeof(config.pattern));
	while (copy && (word = strsep(&at, ","))) {
		for (i = 0; i < PATTERNS; i++)
			if (!strcmp(word, pattern_names[i]))
				break;
		if (i == PATTERNS)
			refuse("--patterns=%s: \"%s\" is not random, fixed or last",
			       text, word);
		config.pattern[i] = true;
	}
	free(copy);
}

static void parse_data(const char *text)
{
	config.data_text = text;
	if (!strcmp(text, "text"))
		config.data = TEXT;
	else if (!strcmp(text, "random"))
		config.data = NOISE;
	else if (!strcmp(text, "zero"))
		config.data = ZERO;
	else if (!strncmp(text, "pages:", 6) && text[6])
		config.data = PAGES;
	else
		refuse("--data=%s is not text, random, zero or pages:FILE", text);
}

static void parse_read(const char *text)
{
	for (config.read = CRC; config.read < READS; config.read++)
		if (!strcmp(text, read_names[config.read]))
			return;
	refuse("--read=%s is not crc, bytes or words", text);
}

static void parse_option(const char *option, const char *text)
{
	if (!strcmp(option, "chunk"))
		config.chunk = parse(option, text, true, 1 << 30, NULL);
	else if (!strcmp(option, "step"))
		config.step = parse(option, text, true, 1 << 30, NULL);
	else if (!strcmp(option, "max"))
		config.all = !strcmp(text, "all");
	else if (!strcmp(option, "seed"))
		config.seed = parse(option, text, false, UINT64_MAX, NULL);
	else if (!strcmp(option, "seconds"))
		config.seconds = parse_count(option, text, NULL);
	else if (!strcmp(option, "repeat"))
		config.repeat = parse_count(option, text, NULL);
	else if (!strcmp(option, "picks"))
		parse_picks(text);
	else if (!strcmp(option, "patterns"))
		parse_patterns(text);
	else if (!strcmp(option, "data"))
		parse_data(text);
	else if (!strcmp(option, "csv"))
		config.csv = text;
	else if (!strcmp(option, "json"))
		config.json = text;
	else
		parse_read(text);
	if (!strcmp(option, "max") && !config.all)
		config.max = parse(option, text, true, (unsigned long long)UINT32_MAX << 10,
				   NULL);
}

static void parse_options(int argc, char **argv)
{
	static const struct option options[] = {
		{ "chunk", 1, NULL, 'o' }, { "step", 1, NULL, 'o' },
		{ "max", 1, NULL, 'o' }, { "seed", 1, NULL, 'o' },
		{ "seconds", 1, NULL, 'o' }, { "repeat", 1, NULL, 'o' },
		{ "picks", 1, NULL, 'o' }, { "patterns", 1, NULL, 'o' },
		{ "data", 1, NULL, 'o' }, { "csv", 1, NULL, 'o' },
		{ "json", 1, NULL, 'o' }, { "read", 1, NULL, 'o' },
		{ "help", 0, NULL, 'h' }, { NULL, 0, NULL, 0 },
	};
	int opt, which;

	/* We print the message, not getopt. */
	opterr = 0;
	while ((opt = getopt_long(argc, argv, "", options, &which)) != -1) {
		if (opt == 'h') {
			print_help();
			exit(0);
		}
		if (opt != 'o')
			refuse("unknown option, or one without its value: %s",
			       argv[optind - 1]);
		parse_option(options[which].name, optarg);
	}
	if (optind < argc)
		refuse("\"%s\" is not an option", argv[optind]);
}

/* Refuses options that contradict each other. */
static void check_options(void)
{
	struct sysinfo info;

	page_size = (size_t)sysconf(_SC_PAGESIZE);
	if (config.all) {
		/* The system can't give more than this. */
		sysinfo(&info);
		config.max = ((unsigned long long)info.totalram + info.totalswap) *
			     info.mem_unit + config.chunk;
	}
	if (config.chunk % page_size)
		refuse("--chunk=%llu is not a number of pages of %zu bytes",
		       config.chunk, page_size);
	if (config.step % config.chunk)
		refuse("--step=%llu is not a number of chunks of %llu bytes",
		       config.step, config.chunk);
	if (config.max < config.step)
		refuse("--max=%llu is less than one --step of %llu",
		       config.max, config.step);
	/* Page numbers have 32 bits. */
	if (config.max / page_size > UINT32_MAX)
		refuse("--max=%llu is too much", config.max);
}

static void open_data(void)
{
	const char *path = config.data_text + strlen("pages:");
	struct stat st;

	if (config.data != PAGES)
		return;
	data_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (data_fd < 0 || fstat(data_fd, &st))
		err(1, "--data: %s", path);
	if (!S_ISREG(st.st_mode) || !st.st_size || st.st_size % (off_t)page_size)
		refuse("--data: %s is not a file of pages of %zu bytes", path,
		       page_size);
	data_pages = (unsigned long long)st.st_size / page_size;
	/* No read-ahead. */
	posix_fadvise(data_fd, 0, 0, POSIX_FADV_RANDOM);
}

static FILE *open_output(const char *option, const char *path)
{
	FILE *file;

	if (!path)
		return NULL;
	file = strcmp(path, "-") ? fopen(path, "we") : stdout;
	if (!file)
		err(1, "--%s: %s", option, path);
	return file;
}

static void close_output(FILE *file, const char *option)
{
	if (file && (fflush(file) || ferror(file)))
		err(1, "--%s", option);
}

int main(int argc, char **argv)
{
	unsigned long long kills;
	int pipe_fd[2], result;

	parse_options(argc, argv);
	check_options();
	open_data();
	if (!config.csv && !config.json)
		config.csv = "-";
	if (config.csv && config.json && !strcmp(config.csv, config.json))
		refuse("--csv and --json go to the same place");
	csv = open_output("csv", config.csv);
	json = open_output("json", config.json);
	shared = mmap(NULL, page_size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || pipe(pipe_fd))
		err(1, "cannot start");
	kills = vm_counters(&at_start);
	started = now();
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child) {
		close(pipe_fd[0]);
		run_child(pipe_fd[1]);
	}
	close(pipe_fd[1]);
	result = supervise(pipe_fd[0], kills);
	close_output(csv, "csv");
	close_output(json, "json");
	return result;
}
