// SPDX-License-Identifier: GPL-2.0
/*
 * infer: reads images, runs a network on them and prints the time for each. It stands for a program
 * that finds objects in a camera's pictures. It maps the file of weights privately. Each image must
 * always give the same result.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "net.h"
#include "options.h"
#include "sequence.h"
#include "sys.h"
#include "work.h"

/* The page size of most machines, so that the weights begin at a page. */
#define HEADER_SIZE 4096

/* Shows the byte order of the machine that wrote the file. */
#define MAGIC "MEMLOADw"
#define ORDER UINT32_C(0x01020304)

#define HEADER	"image,due_s,begin_s,latency_ms,majflt,minflt,rss_kib,class,late_ms\n"
#define LINE	"%s,%llu.%06llu,%llu.%06llu,%llu.%03llu,%llu,%llu,%llu,%016llx,%llu.%03llu\n"

struct header {
	char magic[12];
	uint32_t order;
	uint64_t n;
};

struct record {
	const char *name;
	uint64_t due_us;
	uint64_t begin_us;
	uint64_t end_us;
	uint64_t major;
	uint64_t minor;
	uint64_t class;			/* checksum of the results */
};

static const char *weights_name, *directory, *make_weights, *make_images, *out_name;
static uint64_t count, period_us, size = 24 << 20, seed = 1;
static bool corrupt;

static const struct option_row rows[] = {
	{ "weights", OPTION_TEXT, &weights_name, 0, 0, "file of the network's weights" },
	{ "images", OPTION_TEXT, &directory, 0, 0, "directory of images" },
	{ "count", OPTION_NUMBER, &count, 1, 1000000, "images in all; else each one once" },
	{ "period", OPTION_MS, &period_us, 1, OPTION_MANY,
	  "an image every so many ms; else one after the other" },
	{ "out", OPTION_TEXT, &out_name, 0, 0, "CSV: a line for each image" },
	{ "make-weights", OPTION_TEXT, &make_weights, 0, 0, "only make a file of weights" },
	{ "size", OPTION_SIZE, &size, 1, UINT64_C(2) << 30, "of these weights (24M)" },
	{ "make-images", OPTION_TEXT, &make_images, 0, 0, "only make --count images (20)" },
	{ "seed", OPTION_NUMBER, &seed, 0, OPTION_MANY, "of what is made (1)" },
	{ "corrupt-test", OPTION_FLAG, &corrupt, 0, 0, "for tests: make an error" },
	{ 0 },
};

static struct net net;
static int16_t *weights;
static struct dirent **images;		/* sorted by name */
static size_t nimages, done;
static uint64_t *classes;		/* first result of each image */
static struct latencies latencies;
static FILE *out;

static void write_weights(void)
{
	struct header header = { .magic = MAGIC, .order = ORDER };
	char block[HEADER_SIZE] = { 0 };
	FILE *file = fopen(make_weights, "we");
	struct sequence sequence;
	int16_t part[2048];
	size_t left, n;

	if (!file)
		err(STATUS_FAILED, "cannot make %s", make_weights);
	if (net_plan(&net, (size_t)size / sizeof(*part)))
		errx(STATUS_FAILED, "--size: a network has 1200K to 2G of weights");
	header.n = net.nweights;
	memcpy(block, &header, sizeof(header));
	fwrite(block, sizeof(block), 1, file);
	sequence_begin(&sequence, seed, 0, 0);
	for (left = net.nweights; left; left -= n) {
		n = left < 2048 ? left : 2048;
		net_make_weights(&sequence, part, n);
		fwrite(part, sizeof(*part), n, file);
	}
	work_written(file, make_weights);
	fclose(file);
}

static void read_weights(void)
{
	int fd = open(weights_name, O_RDONLY | O_CLOEXEC);
	const struct header *header;
	struct stat st;
	uint8_t *map;

	if (fd < 0 || fstat(fd, &st))
		err(STATUS_FAILED, "cannot open %s", weights_name);
	map = st.st_size < HEADER_SIZE ? MAP_FAILED :
	      mmap(NULL, (size_t)st.st_size, PROT_READ | (corrupt ? PROT_WRITE : 0), MAP_PRIVATE,
		   fd, 0);
	header = (const void *)map;
	if (map == MAP_FAILED || strcmp(header->magic, MAGIC) || header->order != ORDER ||
	    header->n > ((size_t)st.st_size - HEADER_SIZE) / sizeof(*weights) ||
	    net_plan(&net, (size_t)header->n))
		errx(STATUS_FAILED, "%s: no weights of infer; --make-weights makes some",
		     weights_name);
	weights = (int16_t *)(void *)(map + HEADER_SIZE);
	close(fd);
}

/* A PPM of 100 to 200 KB: three bytes for each point. */
static void write_image(const char *path, uint64_t nr)
{
	FILE *file = fopen(path, "we");
	struct sequence sequence;
	uint64_t number = 0;
	unsigned int height, i;

	if (!file)
		err(STATUS_FAILED, "cannot make %s", path);
	sequence_begin(&sequence, seed, nr, 1);
	height = 131 + (unsigned int)(sequence_next(&sequence) >> 32) % 129;
	fprintf(file, "P6\n256 %u\n255\n", height);
	for (i = 0; i < height * 256 * 3; i++, number >>= 8) {
		if (i % sizeof(number) == 0)
			number = sequence_next(&sequence);
		putc((int)(number & 0xff), file);
	}
	work_written(file, path);
	fclose(file);
}

static void write_images(void)
{
	uint64_t nr, n = count ? count : 20;
	char path[4096];

	if (mkdir(make_images, 0755) && errno != EEXIST)
		err(STATUS_FAILED, "cannot make %s", make_images);
	for (nr = 0; nr < n; nr++) {
		snprintf(path, sizeof(path), "%s/%06llu.ppm", make_images, (unsigned long long)nr);
		write_image(path, nr);
	}
}

static int is_image(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && !strpbrk(entry->d_name, ",\"\n");
}

static void read_images(void)
{
	int n = scandir(directory, &images, is_image, alphasort);

	if (n < 0)
		err(STATUS_FAILED, "cannot read the directory %s", directory);
	if (!n)
		errx(STATUS_FAILED, "%s: no images in it; --make-images makes some", directory);
	nimages = (size_t)n;
	count = count ? count : nimages;
	classes = calloc(nimages, sizeof(*classes));
	latencies_begin(&latencies, count);
	if (!classes)
		err(STATUS_FAILED, "cannot begin");
}

/* Returns the size of the image. Keeps the buffer for the next image. */
static size_t read_image(const char *name, uint8_t **buf)
{
	char path[4096];
	struct stat st;
	size_t have = 0;
	ssize_t n = 1;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		err(STATUS_FAILED, "cannot open %s", path);
	*buf = realloc(*buf, (size_t)st.st_size + 1);
	for (; *buf && n > 0; have += (size_t)n) {
		n = read(fd, *buf + have, (size_t)st.st_size + 1 - have);
		if (n < 0)
			err(STATUS_FAILED, "cannot read %s", path);
	}
	close(fd);
	return have;
}

/* 0 if unknown. */
static unsigned long long rss_kib(void)
{
	unsigned long long pages = 0;
	char text[128];

	if (sys_read("/proc/self/statm", text, sizeof(text)) <= 0 ||
	    sscanf(text, "%*u %llu", &pages) != 1)
		return 0;
	return pages * (sys_page_size() / 1024);
}

static void classify(struct record *record)
{
	static struct net_scratch scratch;
	static uint8_t *bytes;
	struct rusage before, after;
	size_t image_size;

	getrusage(RUSAGE_SELF, &before);
	record->begin_us = sys_now_us();
	image_size = read_image(record->name, &bytes);
	record->class = net_run(&net, weights, bytes, image_size, &scratch);
	record->end_us = sys_now_us();
	getrusage(RUSAGE_SELF, &after);
	record->major = (uint64_t)(after.ru_majflt - before.ru_majflt);
	record->minor = (uint64_t)(after.ru_minflt - before.ru_minflt);
}

static void write_record(const struct record *record)
{
	unsigned long long begin = record->begin_us, due = record->due_us ? record->due_us : begin;
	unsigned long long latency = record->end_us - begin, late = begin - due;

	if (!out)
		return;
	fprintf(out, LINE, record->name, due / 1000000, due % 1000000, begin / 1000000,
		begin % 1000000, latency / 1000, latency % 1000, (unsigned long long)record->major,
		(unsigned long long)record->minor, rss_kib(), (unsigned long long)record->class,
		late / 1000, late % 1000);
	work_written(out, out_name);
}

static void next_image(uint64_t begin_us)
{
	size_t image = done % nimages;
	struct record record = { .name = images[image]->d_name };

	if (period_us) {
		record.due_us = begin_us + done * period_us;
		if (!work_sleep_until(record.due_us))
			return;
	}
	classify(&record);
	write_record(&record);
	if (done < nimages)
		classes[image] = record.class;
	else if (classes[image] != record.class)
		errx(STATUS_WRONG, "wrong result: %s gives %016llx and gave %016llx before",
		     record.name, (unsigned long long)record.class,
		     (unsigned long long)classes[image]);
	latencies.us[done++] = record.end_us - record.begin_us;
	if (corrupt && done == nimages)
		weights[net.nweights / 2] ^= 4;
}

static void summary(void)
{
	static const unsigned int percents[] = { 50, 95, 98, 99 };
	unsigned int i;

	latencies.n = done;
	latencies_sort(&latencies);
	printf("images %zu", done);
	for (i = 0; i < 4 && done; i++)
		printf(" p%u %.3f", percents[i], latencies_ms(&latencies, percents[i]));
	if (done)
		printf(" max %.3f", latencies_ms(&latencies, 100));
	printf(" ms\n");
	work_written(stdout, "standard output");
}

int main(int argc, char **argv)
{
	int at = options_parse("usage: infer --weights FILE --images DIR [OPTION...]\n"
			       "Runs a network on images, and tells how long it takes.\n\n",
			       rows, argc, argv);
	uint64_t begin_us;

	if (at < argc)
		errx(STATUS_USAGE, "\"%s\" is no option: see -h", argv[at]);
	if (make_weights)
		write_weights();
	if (make_images)
		write_images();
	if (make_weights || make_images)
		return 0;
	if (!weights_name || !directory)
		errx(STATUS_USAGE, "give --weights FILE and --images DIR; --make-weights and --make-images make some");
	read_images();
	read_weights();
	out = work_open(out_name, HEADER);
	work_catch_signals();
	for (begin_us = sys_now_us(); done < count && !work_stopped();)
		next_image(begin_us);
	summary();
	return 0;
}
