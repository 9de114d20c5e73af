// SPDX-License-Identifier: GPL-2.0
/*
 * The configuration of latd: an INI file, if the input begins with "[", else options of the command
 * line, one per line. An accepted value is within its range; a refusal has a message.
 */
#include <sys/mman.h>
#include <unistd.h>
#include "config.h"
#include "fuzz.h"
#include "processes.h"

static void check_values(struct config *config)
{
	const struct conf_key *key;

	for (key = config_keys; key->name; key++) {
		const char *value = (const char *)config + key->offset;
		const struct conf_amount *amount = (const void *)value;
		unsigned int number, choices = 0;

		if (key->type == CONF_AMOUNT && amount->bytes) {
			must_be(!amount->permille);
			continue;
		}
		if (key->type == CONF_LIST || key->type == CONF_TEXT) {
			must_be(memchr(value, 0, key->size));
			continue;
		}
		if (key->type == CONF_BOOL) {
			must_be(*(const unsigned char *)value <= 1);
			continue;
		}
		memcpy(&number, value, sizeof(number));
		while (key->type == CONF_CHOICE && key->choices[choices])
			choices++;
		if (key->type == CONF_CHOICE)
			must_be(number < choices);
		else
			must_be(number >= key->min && number <= key->max);
	}
}

/* use() - pass the lists to the functions that use them */
static void use(struct config *config)
{
	static const struct candidate one = {
		.stat = { .pid = 500, .comm = "app", .state = 'S' }, .cgroup = "/a/b.service",
	};
	char message[CONF_MESSAGE];

	must_be(role_of(config, &one) <= ROLE_LEFT);
	config_check(config, message);
}

static void options(char *text, struct config *config)
{
	char *option, *rest;

	for (option = strtok_r(text, "\n", &rest); option;
	     option = strtok_r(NULL, "\n", &rest)) {
		struct config before = *config;
		char message[CONF_MESSAGE] = "";

		if (!conf_set_option(config_keys, config, option, message))
			continue;
		must_be(message[0] && memchr(message, 0, sizeof(message)));
		must_be(!memcmp(&before, config, sizeof(before)));
	}
}

static void file(const char *text, struct config *config)
{
	char message[CONF_MESSAGE] = "", path[64];
	size_t bytes = strlen(text);
	int fd = memfd_create("conf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, bytes) != (ssize_t)bytes)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (conf_load(config_keys, config, path, message))
		must_be(!strncmp(message, path, strlen(path)) && memchr(message, 0, sizeof(message)));
	close(fd);
}

int fuzz_one(const u8 *data, size_t bytes)
{
	static struct config config;
	char *text = malloc(bytes + 1);

	if (!text)
		abort();
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	conf_presets(config_keys, &config);
	if (text[0] == '[')
		file(text, &config);
	else
		options(text, &config);
	check_values(&config);
	use(&config);
	free(text);
	return 0;
}
