// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "checksum.h"
#include "parse.h"
#include "sys.h"
#include "tally.h"

#define CSV_HEADER \
	"frame,begin_s,latency_ms,lane_ms,detect_ms,plan_ms,steer_ms,steer,speed,checksum\n"
#define SIZES_HEADER "frame,time_s,stage,pid,rss_kib,anon_kib,swap_kib\n"

static int begin_file(FILE **file, const char *path, const char *header)
{
	if (!path)
		return 0;
	*file = strcmp(path, "-") ? fopen(path, "we") : stdout;
	if (*file && fputs(header, *file) >= 0 && fflush(*file) == 0)
		return 0;
	warn("cannot write to %s", path);
	return -EIO;
}

/**
 * tally_begin() - begin to write
 * @tally: is set here
 * @csv: a file for each frame, or NULL; "-" is standard output
 * @sizes: a file for the sizes of the stages, or NULL
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int tally_begin(struct tally *tally, const char *csv, const char *sizes)
{
	int err;

	memset(tally, 0, sizeof(*tally));
	tally->checksum = CHECKSUM_BEGIN;
	err = begin_file(&tally->csv, csv, CSV_HEADER);
	return err ? err : begin_file(&tally->sizes, sizes, SIZES_HEADER);
}

/**
 * tally_command() - a command came
 * @tally: the tally
 * @command: the command
 */
void tally_command(struct tally *tally, const struct command *command)
{
	tally->checksum = checksum_bytes(tally->checksum, command, sizeof(*command));
}

static int keep_latency(struct tally *tally, uint64_t latency)
{
	if (tally->n == tally->room) {
		size_t room = tally->room + 4096;
		uint64_t *latencies = realloc(tally->latencies, room * sizeof(*latencies));

		if (!latencies) {
			warnx("no memory for more latencies");
			return -ENOMEM;
		}
		tally->latencies = latencies;
		tally->room = room;
	}
	tally->latencies[tally->n++] = latency;
	return 0;
}

static void print_ms(FILE *file, uint64_t us)
{
	fprintf(file, ",%" PRIu64 ".%03u", us / 1000, (unsigned int)(us % 1000));
}

/**
 * tally_frame() - a frame that counts is done
 * @tally: the tally
 * @message: its command
 * @begin_us: when it began
 * @end_us: when its command came
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int tally_frame(struct tally *tally, const struct command_message *message, uint64_t begin_us,
		uint64_t end_us)
{
	FILE *csv = tally->csv;
	int i;

	if (!tally->n)
		tally->first_us = begin_us;
	tally->last_us = end_us;
	if (csv) {
		fprintf(csv, "%" PRIu64 ",%" PRIu64 ".%06u", message->head.frame,
			begin_us / 1000000, (unsigned int)(begin_us % 1000000));
		print_ms(csv, end_us - begin_us);
		for (i = 0; i < STAGES; i++)
			print_ms(csv, message->us[i]);
		fprintf(csv, ",%d,%d,%016" PRIx64 "\n", message->command.steer,
			message->command.speed, tally->checksum);
		if (fflush(csv) || ferror(csv)) {
			warn("cannot write a frame");
			return -EIO;
		}
	}
	return keep_latency(tally, end_us - begin_us);
}

/**
 * tally_sizes() - write how large the stages are
 * @tally: the tally
 * @crew: the stages; one that has ended is left out
 * @frame: after which that is
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int tally_sizes(struct tally *tally, const struct crew *crew, uint64_t frame)
{
	uint64_t rss, anon, swap, now = sys_now_us();
	char path[64], text[4096];
	int i;

	if (!tally->sizes)
		return 0;
	for (i = 0; i < STAGES; i++) {
		snprintf(path, sizeof(path), "/proc/%d/status", (int)crew->members[i].pid);
		if (sys_read(path, text, sizeof(text)) < 0 || !parse_key(text, "VmRSS", &rss) ||
		    !parse_key(text, "RssAnon", &anon) || !parse_key(text, "VmSwap", &swap))
			continue;
		fprintf(tally->sizes, "%" PRIu64 ",%" PRIu64 ".%06u,%s,%d", frame, now / 1000000,
			(unsigned int)(now % 1000000), stage_names[i], (int)crew->members[i].pid);
		fprintf(tally->sizes, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", rss, anon, swap);
	}
	if (fflush(tally->sizes) == 0 && !ferror(tally->sizes))
		return 0;
	warn("cannot write the sizes");
	return -EIO;
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* The smallest latency that so many are not above, in ms. */
static double percentile(const uint64_t *sorted, size_t n, unsigned int percent)
{
	return (double)sorted[(n * percent + 99) / 100 - 1] / 1000;
}

static void print_summary(struct tally *tally, FILE *to, uint64_t commands)
{
	uint64_t us = tally->last_us - tally->first_us;
	size_t n = tally->n;

	fprintf(to, "frames %zu seconds %" PRIu64 ".%03u fps ", n, us / 1000000,
		(unsigned int)(us / 1000 % 1000));
	fprintf(to, "%.3f", us ? (double)n * 1e6 / (double)us : 0);
	if (n) {
		qsort(tally->latencies, n, sizeof(*tally->latencies), compare);
		fprintf(to, " p50 %.3f p95 %.3f ms", percentile(tally->latencies, n, 50),
			percentile(tally->latencies, n, 95));
	}
	fprintf(to, "\nchecksum %016" PRIx64 " of %" PRIu64 " commands\n", tally->checksum,
		commands);
}

/**
 * tally_end() - print the summary and close the files
 * @tally: the tally
 * @commands: how many there were in all
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int tally_end(struct tally *tally, uint64_t commands)
{
	FILE *files[] = { tally->csv, tally->sizes };
	int i, err = 0;

	print_summary(tally, tally->csv == stdout || tally->sizes == stdout ? stderr : stdout,
		      commands);
	for (i = 0; i < 2; i++)
		if (files[i] && files[i] != stdout && fclose(files[i]))
			err = -EIO;
	if (fflush(stdout))
		err = -EIO;
	if (err)
		warn("cannot write what was found");
	free(tally->latencies);
	return err;
}
