// SPDX-License-Identifier: GPL-2.0
/*
 * mtdcompr-generator: makes systemd services that set up swap on compressed MTDs at boot. systemd
 * runs it before everything else: it reads and writes a few files and touches no device.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmdline.h"
#include "config.h"
#include "files.h"
#include "parse.h"
#include "sys.h"
#include "unit.h"

#define NAME "mtdcompr-generator"
#define PROGRAM SBINDIR "/mtdcomprctl"
#define WANTS "swap.target.wants"

/* Write to the kernel log: syslog does not run yet, and a generator's output is lost. */
static void say(const char *message)
{
	char line[CONFIG_MESSAGE + 128];
	int n = snprintf(line, sizeof(line), "<4>" NAME ": %s\n", message);
	size_t bytes = (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1;
	int fd = sys_open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, line, bytes) < 0)
		fputs(line + 3, stderr);
	if (fd >= 0)
		close(fd);
}

static void say_of(const struct config_device *device, const char *reason)
{
	char message[CONFIG_MESSAGE + 64];

	snprintf(message, sizeof(message), "[mtdcompr%u] is not set up: %s", device->number,
		 reason);
	say(message);
}

static bool in_container(void)
{
	const char *kind = getenv("SYSTEMD_VIRTUALIZATION");

	return (kind && !strncmp(kind, "container:", 10)) || sys_exists("/run/systemd/container");
}

/* memory_mib() - main memory in MiB; 0 if unknown */
static double memory_mib(void)
{
	char text[4096];
	uint64_t kib;

	if (sys_read("/proc/meminfo", text, sizeof(text)) < 0 ||
	    !parse_key(text, "MemTotal", &kib))
		return 0;
	return (double)kib / 1024;
}

/* wanted() - shall the device get a service? If not, print the reason. */
static bool wanted(const struct config *config, const struct config_device *device)
{
	double ram = config->ram;
	char reason[128];

	if (config->refused[0] || device->refused[0]) {
		say_of(device, config->refused[0] ? config->refused : device->refused);
		return false;
	}
	if ((device->doubtful || config->doubtful) && !device->media[0]) {
		say_of(device, "name the media, as what is left out may have meant some");
		return false;
	}
	if (device->limit != CONFIG_NO_LIMIT && ram > (double)device->limit) {
		snprintf(reason, sizeof(reason), "%.0f MiB are over host-memory-limit = %llu",
			 ram, (unsigned long long)device->limit);
		say_of(device, reason);
		return false;
	}
	if (device->sized && !(device->mib * 1024 >= 4)) {
		snprintf(reason, sizeof(reason), "its size is %.0f MiB", device->mib);
		say_of(device, reason);
		return false;
	}
	return true;
}

/* keep_wanted() - remove the other devices */
static void keep_wanted(struct config *config)
{
	unsigned int i, n = 0;

	for (i = 0; i < config->n; i++)
		if (wanted(config, &config->of[i]))
			config->of[n++] = config->of[i];
	config->n = n;
}

static bool failed(const char *path)
{
	char message[CONFIG_MESSAGE];

	snprintf(message, sizeof(message), "%.300s: %s", path, strerror(errno));
	say(message);
	return false;
}

/* write_unit() - write the service and its link in swap.target.wants */
static bool write_unit(const char *directory, const char *name, const char *text)
{
	char path[SYS_PATH], target[UNIT_NAME + 4];
	bool good;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "we");
	if (!file)
		return failed(path);
	good = fputs(text, file) >= 0;
	good = !fclose(file) && good;
	if (!good)
		return failed(path);
	snprintf(path, sizeof(path), "%s/" WANTS, directory);
	if (mkdir(path, 0755) && errno != EEXIST)
		return failed(path);
	snprintf(path, sizeof(path), "%s/" WANTS "/%s", directory, name);
	snprintf(target, sizeof(target), "../%s", name);
	if (symlink(target, path) && errno != EEXIST)
		return failed(path);
	return true;
}

static bool write_units(const struct config *config, const char *directory, unsigned int disks)
{
	char text[UNIT_TEXT], name[UNIT_NAME];
	bool good = true;
	unsigned int i;

	for (i = 0; i < config->n; i++) {
		unit_name(&config->of[i], name);
		if (unit_text(config, i, PROGRAM, disks, text))
			good = write_unit(directory, name, text) && good;
		else
			say_of(&config->of[i], "its service is too long");
	}
	return good;
}

/* generate() - returns the exit status; systemd continues in any case */
static int generate(const char *directory)
{
	static struct config config = { .say = say };
	static struct files files = { .say = say };
	struct cmdline cmdline;
	char line[4096];
	unsigned int i;

	if (sys_read("/proc/cmdline", line, sizeof(line)) < 0)
		line[0] = '\0';
	cmdline_parse(line, &cmdline);
	if (in_container() || cmdline.swap == CMDLINE_OFF)
		return 0;
	config.ram = memory_mib();
	if (cmdline.swap == CMDLINE_ON)
		config_device(&config, 0);
	files_find(&files, NAME ".conf");
	for (i = 0; i < files.n; i++) {
		const char *text = files_read(&files, i);

		if (text)
			config_text(&config, files.of[i], text);
		else
			config.doubtful = true;
	}
	keep_wanted(&config);
	return write_units(&config, directory, config.n + cmdline.devices) ? 0 : 1;
}

int main(int argc, char **argv)
{
	const char *root = getenv("MTDCOMPR_GENERATOR_ROOT");

	if ((argc != 2 && argc != 4) || argv[1][0] == '-') {
		fputs("usage: " NAME " DIRECTORY [EARLY LATE]\n"
		      "systemd runs it; the services go to DIRECTORY. See " NAME "(8).\n", stderr);
		return 2;
	}
	if (root)
		sys_set_root(root);
	/* The services are readable for all users. */
	umask(022);
	return generate(argv[1]);
}
