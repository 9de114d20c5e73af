// SPDX-License-Identifier: GPL-2.0
/*
 * pipeline: four processes of a vehicle that work on the frames of a camera, each with memory of
 * its own. The driver sends the numbers of frames and waits for the commands. Lane and detection
 * work on a frame at the same time; the planner takes the results of both; the last stage steers.
 *
 * All results follow from the frames and the sizes, never from time: two runs with the same number
 * of frames have the same checksum, whatever memory the machine has.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lane.h"
#include "options.h"
#include "road.h"
#include "sequence.h"
#include "stages.h"
#include "sys.h"
#include "work.h"

/* The camera repeats this number of frames. */
#define FRAMES 24

/* Detection handles only every second frame. */
#define DETECT_EVERY 2

/* Straight lines of a frame, at most. */
#define SEGMENTS_MAX 256

/* Sizes of table II of the paper, MB. */
#define LANE_MB		286
#define DETECT_MB	801
#define PLAN_MB		949
#define ALL_MB		2037
#define SHARE(mb)	(size * (mb) / ALL_MB / 1024 * 1024)

#define HEADER	"frame,begin_s,latency_ms,lane_ms,detect_ms,plan_ms,steer_ms,steer,speed,checksum\n"

static const char *directory, *make_frames, *out_name;
static uint64_t frames, warm_up, period_us, size = 200 << 20, speed = 32;

static const struct option_row rows[] = {
	{ "make-frames", OPTION_TEXT, &make_frames, 0, 0, "only draw the frames: a directory" },
	{ "images", OPTION_TEXT, &directory, 0, 0, "that directory" },
	{ "frames", OPTION_NUMBER, &frames, 1, 1000000, "that count" },
	{ "warm-up", OPTION_NUMBER, &warm_up, 0, 1000000, "frames before that do not count (0)" },
	{ "period", OPTION_MS, &period_us, 1, OPTION_MANY,
	  "a frame every so many ms; else one after the other" },
	{ "size", OPTION_SIZE, &size, 16 << 20, UINT64_C(1) << 33,
	  "of all stages, shared out as in the paper (200M)" },
	{ "plan-speed", OPTION_NUMBER, &speed, 1, 64, "cells that it goes in a frame (32)" },
	{ "out", OPTION_TEXT, &out_name, 0, 0, "CSV: a line for each frame" },
	{ 0 },
};

static const char *const names[STAGES] = { "lane", "detect", "plan", "steer" };

/* Pipes. */
enum { TO_LANE, TO_DETECT, LANES, OBJECTS, PLANS, COMMANDS, PIPES };

static int pipes[PIPES][2];
static pid_t pids[STAGES];
static struct background background;
static struct message message;		/* sent by a stage; keeps its last result */

static uint64_t checksum = CHECKSUM_BEGIN;
static struct latencies latencies;	/* latencies of frames that count */
static uint64_t first_us, last_us;	/* begin of the first frame that counts; end of the last */
static FILE *out;

/* Receives a message; false if the other end is closed. */
static bool receive(int pipe, struct message *from)
{
	ssize_t n;

	do
		n = read(pipes[pipe][0], from, sizeof(*from));
	while (n < 0 && errno == EINTR);
	if (n < 0 || (n && n != sizeof(*from)))
		err(STATUS_FAILED, "cannot read a message");
	return n;
}

static bool send_to(int pipe, const struct message *what)
{
	ssize_t n = write(pipes[pipe][1], what, sizeof(*what));

	if (n != sizeof(*what) && errno != EPIPE)
		err(STATUS_FAILED, "cannot send a message");
	return n == sizeof(*what);
}

static void frame_path(const char *where, uint64_t frame, char *path, size_t room)
{
	snprintf(path, room, "%s/%06u", where, (unsigned int)(frame % FRAMES));
}

static const uint8_t *read_frame(uint64_t frame)
{
	static uint8_t points[ROAD_BYTES + 1];
	char path[4096];

	frame_path(directory, frame, path, sizeof(path));
	if (sys_read(path, (char *)points, sizeof(points)) != ROAD_BYTES)
		errx(STATUS_FAILED, "%s: no frame; --make-frames makes it", path);
	return points;
}

static void draw_frames(void)
{
	static uint8_t points[ROAD_BYTES];
	char path[4096];
	unsigned int frame;
	FILE *file;

	if (mkdir(make_frames, 0755) && errno != EEXIST)
		err(STATUS_FAILED, "cannot make %s", make_frames);
	for (frame = 0; frame < FRAMES; frame++) {
		frame_path(make_frames, frame, path, sizeof(path));
		road_draw(frame, points);
		file = fopen(path, "we");
		if (!file || fwrite(points, sizeof(points), 1, file) != 1)
			err(STATUS_FAILED, "cannot make %s", path);
		work_written(file, path);
		fclose(file);
	}
}

static void begin_lane(void)
{
	message.scene.lane = (struct lane){ .left = 200, .right = 800, .left_far = 450,
					    .right_far = 550 };
	if (background_begin(&background, SHARE(LANE_MB), ROAD_POINTS))
		err(STATUS_FAILED, "model of the background");
}

static void look_for_lane(void)
{
	const uint8_t *points = read_frame(message.frame);
	static struct segment segments[SEGMENTS_MAX];
	struct lane *lane = &message.scene.lane;
	static uint8_t grey[ROAD_POINTS];
	size_t i;
	int n;

	for (i = 0; i < ROAD_POINTS; i++, points += 3)
		grey[i] = (uint8_t)((77 * points[0] + 150 * points[1] + 29 * points[2]) >> 8);
	background_add(&background, grey);
	background_steady(&background, grey);
	n = hough_segments(grey, ROAD_WIDTH, ROAD_HEIGHT, lane_horizon(ROAD_HEIGHT), segments,
			   SEGMENTS_MAX);
	if (n < 0)
		errx(STATUS_FAILED, "OpenCV cannot find lines");
	lane_find(segments, n, ROAD_WIDTH, ROAD_HEIGHT, lane);
	lane->motion = background_motion(&background);
	lane->sum = background_sum(&background);
}

static void look_for_objects(void)
{
	if (message.frame % DETECT_EVERY == 0)
		detect_look(read_frame(message.frame), &message.scene.objects);
}

/* Receives the results of lane and detection for the same frame. */
static bool receive_both(void)
{
	struct message lane, objects;

	if (!receive(LANES, &lane) || !receive(OBJECTS, &objects))
		return false;
	if (lane.frame != objects.frame)
		errx(STATUS_FAILED, "lane and objects of different frames");
	message.frame = lane.frame;
	message.scene.lane = lane.scene.lane;
	message.scene.objects = objects.scene.objects;
	message.us[STAGE_LANE] = lane.us[STAGE_LANE];
	message.us[STAGE_DETECT] = objects.us[STAGE_DETECT];
	return true;
}

static void plan(void)
{
	plan_way(message.frame, &message.scene);
}

static void command(void)
{
	steer(&message.scene, &message.command);
}

/* Works on frames until a pipe is closed; @in: -1 to receive from lane and detection */
static void work_on(enum stage stage, int in, int to, void (*work)(void))
{
	struct message from;
	uint64_t begin_us;

	while (in < 0 ? receive_both() : receive(in, &from)) {
		if (in == PLANS)
			message = from;
		else if (in >= 0)
			message.frame = from.frame;
		begin_us = sys_now_us();
		work();
		message.us[stage] = sys_now_us() - begin_us;
		if (!send_to(to, &message))
			return;
	}
}

static void be_stage(enum stage stage)
{
	switch (stage) {
	case STAGE_LANE:
		begin_lane();
		work_on(stage, TO_LANE, LANES, look_for_lane);
		break;
	case STAGE_DETECT:
		detect_begin(SHARE(DETECT_MB));
		work_on(stage, TO_DETECT, OBJECTS, look_for_objects);
		break;
	case STAGE_PLAN:
		plan_begin(SHARE(PLAN_MB), (unsigned int)speed);
		work_on(stage, -1, PLANS, plan);
		break;
	default:
		work_on(stage, PLANS, COMMANDS, command);
	}
}

/* Closes the ends of other processes, which would not see a closed pipe otherwise. */
static void close_ends(const int *ends, int n)
{
	int i, end, k;

	for (i = 0; i < PIPES; i++)
		for (end = 0; end < 2; end++) {
			for (k = 0; k < n && ends[k] != 2 * i + end; k++)
				;
			if (k == n)
				close(pipes[i][end]);
		}
}

static void start_stages(void)
{
	static const int ends[STAGES][3] = {
		{ 2 * TO_LANE, 2 * LANES + 1, -1 }, { 2 * TO_DETECT, 2 * OBJECTS + 1, -1 },
		{ 2 * LANES, 2 * OBJECTS, 2 * PLANS + 1 }, { 2 * PLANS, 2 * COMMANDS + 1, -1 },
	};
	static const int own[] = { 2 * TO_LANE + 1, 2 * TO_DETECT + 1, 2 * COMMANDS };
	char name[16];
	int i;

	signal(SIGPIPE, SIG_IGN);
	for (i = 0; i < PIPES; i++)
		if (pipe2(pipes[i], O_CLOEXEC))
			err(STATUS_FAILED, "pipe");
	for (i = 0; i < STAGES; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			err(STATUS_FAILED, "fork");
		if (pids[i])
			continue;
		snprintf(name, sizeof(name), "pipe-%s", names[i]);
		prctl(PR_SET_NAME, name);
		/* The driver handles the terminal's signals and closes the pipes. */
		signal(SIGINT, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		close_ends(ends[i], 3);
		be_stage((enum stage)i);
		exit(0);
	}
	close_ends(own, 3);
}

/* Closes the pipes, which ends the stages. Returns false after a message if one failed. */
static bool end_stages(void)
{
	bool good = true;
	int i, status;

	close(pipes[TO_LANE][1]);
	close(pipes[TO_DETECT][1]);
	close(pipes[COMMANDS][0]);
	for (i = 0; i < STAGES; i++) {
		while (waitpid(pids[i], &status, 0) < 0 && errno == EINTR)
			;
		if (!status)
			continue;
		good = false;
		if (WIFSIGNALED(status))
			warnx("the stage \"%s\" (process %d) was killed by signal %d (%s)",
			      names[i], (int)pids[i], WTERMSIG(status),
			      strsignal(WTERMSIG(status)));
		else
			warnx("the stage \"%s\" (process %d) ended with status %d", names[i],
			      (int)pids[i], WEXITSTATUS(status));
	}
	return good;
}

static void tell_frame(const struct message *done, uint64_t begin_us, uint64_t end_us)
{
	int i;

	first_us = latencies.n ? first_us : begin_us;
	last_us = end_us;
	latencies.us[latencies.n++] = end_us - begin_us;
	if (!out)
		return;
	fprintf(out, "%" PRIu64 ",%" PRIu64 ".%06u,%.3f", done->frame, begin_us / 1000000,
		(unsigned int)(begin_us % 1000000), (double)(end_us - begin_us) / 1000);
	for (i = 0; i < STAGES; i++)
		fprintf(out, ",%.3f", (double)done->us[i] / 1000);
	fprintf(out, ",%d,%d,%016" PRIx64 "\n", done->command.steer, done->command.speed, checksum);
	work_written(out, out_name);
}

/* Returns false if a stage has ended. */
static bool run_frame(uint64_t frame)
{
	struct message done, next = { .frame = frame };
	uint64_t begin_us = sys_now_us();

	if (!send_to(TO_LANE, &next) || !send_to(TO_DETECT, &next) || !receive(COMMANDS, &done))
		return false;
	if (done.frame != frame)
		errx(STATUS_FAILED, "a command for another frame");
	checksum = checksum_bytes(checksum, &done.command, sizeof(done.command));
	if (frame >= warm_up)
		tell_frame(&done, begin_us, sys_now_us());
	return true;
}

/* Returns the number of frames. A late frame does not delay the following ones. */
static uint64_t run_frames(void)
{
	uint64_t frame, due_us = 0, now;

	for (frame = 0; frame < warm_up + frames && work_sleep_until(due_us); frame++) {
		now = sys_now_us();
		due_us = (due_us + period_us > now ? due_us : now) + period_us;
		if (!run_frame(frame))
			break;
	}
	return frame;
}

static void summary(uint64_t done)
{
	double seconds = (double)(last_us - first_us) / 1e6;

	latencies_sort(&latencies);
	printf("frames %zu seconds %.3f fps %.3f", latencies.n, seconds,
	       latencies.n ? (double)latencies.n / seconds : 0);
	if (latencies.n)
		printf(" p50 %.3f p95 %.3f ms", latencies_ms(&latencies, 50),
		       latencies_ms(&latencies, 95));
	printf("\nchecksum %016" PRIx64 " of %" PRIu64 " commands\n", checksum, done);
	work_written(stdout, "standard output");
}

/* OpenCV loads a library that starts unused threads; turn them off. */
static void without_threads(char **argv)
{
	if (getenv("OPENBLAS_NUM_THREADS"))
		return;
	setenv("OPENBLAS_NUM_THREADS", "1", 1);
	execvp(argv[0], argv);
	err(STATUS_FAILED, "cannot run %s", argv[0]);
}

int main(int argc, char **argv)
{
	int at = options_parse("usage: pipeline --make-frames DIR\n"
			       "       pipeline --images DIR --frames N [OPTION...]\n"
			       "Runs four processes that work on the frames of a camera, and tells how long it takes.\n\n",
			       rows, argc, argv);
	uint64_t done;
	bool good;

	if (at < argc)
		errx(STATUS_USAGE, "\"%s\" is no option: see -h", argv[at]);
	if (make_frames) {
		draw_frames();
		return 0;
	}
	if (!directory || !frames)
		errx(STATUS_USAGE, "give --images DIR and --frames N");
	without_threads(argv);
	latencies_begin(&latencies, frames);
	out = work_open(out_name, HEADER);
	start_stages();
	work_catch_signals();
	done = run_frames();
	good = end_stages();
	summary(done);
	return good ? 0 : STATUS_FAILED;
}
