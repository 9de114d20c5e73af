// SPDX-License-Identifier: GPL-2.0
/*
 * pipeline: starts the stages, sends them the numbers of frames and waits for their commands.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "crew.h"
#include "driveopt.h"
#include "options.h"
#include "sys.h"
#include "tally.h"

/* A signal just before a wait is seen after it: let it be a short one. */
#define NAP_US 500000

struct drive {
	struct driveopt options;
	struct crew crew;
	struct tally tally;
	uint64_t begins[IN_FLIGHT_MAX];	/* of the frames in flight */
	uint64_t sent;
	uint64_t done;
	uint64_t first_us;		/* when the first frame that counts was sent */
	uint64_t due_us;		/* when the next one is */
};

static atomic_int stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static bool all_sent(const struct drive *drive)
{
	const struct driveopt *options = &drive->options;

	if (stopped || (options->frames && drive->sent >= options->warm_up + options->frames))
		return true;
	return options->duration_us && drive->sent > options->warm_up &&
	       sys_now_us() - drive->first_us >= options->duration_us;
}

/* 1; 0, if a stage has closed its pipe; or a negative errno. */
static int send_frame(struct drive *drive)
{
	struct message message = { 0 };
	uint64_t now = sys_now_us();
	int i, sent = 1;

	if (drive->sent == drive->options.warm_up)
		drive->first_us = now;
	drive->begins[drive->sent % IN_FLIGHT_MAX] = now;
	/* One that is late does not make all others late. */
	drive->due_us = (drive->due_us + drive->options.period_us > now ? drive->due_us : now) +
			drive->options.period_us;
	for (i = 0; i < 2 && sent > 0; i++)
		sent = message_write(drive->crew.frames[i], &message, MESSAGE_FRAME,
				     sizeof(message), drive->sent);
	drive->sent++;
	return sent;
}

/* The same for the command of a frame. */
static int read_command(struct drive *drive)
{
	uint64_t begin_us = drive->begins[drive->done % IN_FLIGHT_MAX], end_us;
	struct command_message message;
	int err = 0, got = message_read(drive->crew.commands, &message.head, MESSAGE_COMMAND,
					sizeof(message));

	if (got <= 0)
		return got;
	end_us = sys_now_us();
	if (message.head.frame != drive->done) {
		warnx("a command for frame %llu instead of %llu",
		      (unsigned long long)message.head.frame, (unsigned long long)drive->done);
		return -EPROTO;
	}
	drive->done++;
	tally_command(&drive->tally, &message.command);
	if (message.head.frame >= drive->options.warm_up)
		err = tally_frame(&drive->tally, &message, begin_us, end_us);
	if (!err && drive->done % drive->options.sizes_every == 0)
		err = tally_sizes(&drive->tally, &drive->crew, message.head.frame);
	return err ? err : 1;
}

/* Until a command comes or, if there may be one more in flight, the next frame is due. */
static bool wait_for_command(const struct drive *drive, bool more)
{
	struct pollfd commands = { .fd = drive->crew.commands, .events = POLLIN };
	uint64_t now = sys_now_us(), us = NAP_US;
	struct timespec nap;

	if (more)
		us = drive->due_us <= now ? 0 : drive->due_us - now < NAP_US ?
		     drive->due_us - now : NAP_US;
	nap.tv_sec = (time_t)(us / 1000000);
	nap.tv_nsec = (long)(us % 1000000) * 1000;
	return ppoll(&commands, 1, &nap, NULL) > 0;
}

static int run(struct drive *drive)
{
	bool more;
	int got = 1;

	while (got > 0) {
		more = !all_sent(drive);
		if (!more && drive->done == drive->sent)
			return 0;
		more = more && drive->sent - drive->done < drive->options.in_flight;
		if (wait_for_command(drive, more))
			got = read_command(drive);
		else if (more && sys_now_us() >= drive->due_us)
			got = send_frame(drive);
	}
	return got ? got : -ECHILD;
}

/* The directory of this program. */
static const char *own_directory(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	path[n < 0 ? 0 : n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return ".";
	*slash = '\0';
	return path;
}

int main(int argc, char **argv)
{
	static struct drive drive;
	int ended, err, status = driveopt_parse(&drive.options, &drive.crew, argc, argv);
	const char *bin = drive.options.bin ? drive.options.bin : own_directory();

	if (status)
		return status;
	/* OpenCV brings a library that would start threads, though it is not used. */
	setenv("OPENBLAS_NUM_THREADS", "1", 0);
	if (tally_begin(&drive.tally, drive.options.csv, drive.options.sizes))
		return STATUS_FAILED;
	err = crew_start(&drive.crew, bin);
	catch_signals();
	if (!err)
		err = run(&drive);
	ended = crew_end(&drive.crew);
	if (err == -ECHILD && !ended)
		warnx("a stage closed its pipe too early");
	if (tally_end(&drive.tally, drive.done) || ended)
		err = err ? err : -EIO;
	return err ? STATUS_FAILED : 0;
}
