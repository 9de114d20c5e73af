// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz the parsers of mtdcompr-generator: the same text as an expression, as the kernel's command
 * line and as a configuration, then make the services. Checks that accepted values are in range,
 * that a doubtful device gets no media of our choice, and that no input injects lines into a
 * service.
 */
#include "cmdline.h"
#include "config.h"
#include "expr.h"
#include "fuzz.h"
#include "spec.h"
#include "unit.h"

static unsigned int messages;

static void say(const char *message)
{
	must_be(strlen(message) < CONFIG_MESSAGE);
	messages++;
}

static void expression(const char *text)
{
	const char *why;
	double value = 0.5;
	int err = expr_eval(text, 2000, &value, &why);

	must_be(!err == !why);
	must_be(err ? value == 0.5 : value > -1e15 && value < 1e15);
}

static void device(const struct config_device *of, const struct config_device *before)
{
	must_be(!before || before->number < of->number);
	must_be(of->number <= 999 && of->priority <= CONFIG_PRIORITY_MAX);
	must_be(memchr(of->media, 0, sizeof(of->media)) && !strpbrk(of->media, ",\n\r"));
	must_be(memchr(of->more, 0, sizeof(of->more)) && !strpbrk(of->more, "\n \r"));
	must_be(!of->algorithm[0] || spec_algorithm(of->algorithm));
	must_be(strspn(of->level, "0123456789") == strlen(of->level));
	must_be(of->discard <= DISCARD_PAGES);
	must_be(!of->doubtful || messages || of->refused[0]);
	must_be(strlen(of->refused) < CONFIG_MESSAGE - 32);
}

static void service(const struct config *config, unsigned int at)
{
	static const char *const keys[] = {
		"Description=", "Documentation=", "SourcePath=/x.conf", "DefaultDependencies=no",
		"After=", "Before=", "Conflicts=", "Type=", "RemainAfterExit=",
		"ExecStart=/ctl swap on ", "ExecStop=/ctl swap off mtdcompr", "TimeoutStartSec=",
		"TimeoutStopSec=", "#", "[", "\n",
	};
	char text[UNIT_TEXT], *at_line;
	unsigned int i;

	must_be(unit_text(config, at, "/ctl", 3, text));
	for (at_line = text; *at_line; at_line += strcspn(at_line, "\n") + 1) {
		for (i = 0; i < ARRAY_SIZE(keys); i++)
			if (!strncmp(at_line, keys[i], strlen(keys[i])))
				break;
		must_be(i < ARRAY_SIZE(keys));
	}
}

static void configuration(const char *text)
{
	static struct config config;
	unsigned int i;

	memset(&config, 0, sizeof(config));
	config.ram = 2000;
	config.say = say;
	messages = 0;
	config_text(&config, "/x.conf", text);
	must_be(config.n <= MTDCOMPR_DEVICES_MAX);
	must_be(!config.doubtful || messages);
	for (i = 0; i < config.n; i++) {
		device(&config.of[i], i ? &config.of[i - 1] : NULL);
		service(&config, i);
	}
}

int fuzz_one(const u8 *data, size_t bytes)
{
	char *text = malloc(bytes + 1);
	struct cmdline cmdline;

	if (!text)
		abort();
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	expression(text);
	cmdline_parse(text, &cmdline);
	must_be(cmdline.devices <= bytes);
	configuration(text);
	free(text);
	return 0;
}
