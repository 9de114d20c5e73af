// SPDX-License-Identifier: GPL-2.0
/*
 * latdctl: ask a running latd, or tell it whom to protect.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_JSON_C
#include <json-c/json.h>
#endif
#include "control.h"
#include "daemon.h"
#include "version.h"

static const char usage[] =
	"usage: latdctl [-s SOCKET] status [--json]\n"
	"       latdctl [-s SOCKET] protect PID\n"
	"       latdctl [-s SOCKET] release PID\n";

#ifdef HAVE_JSON_C
/* value() - a number, a truth or a text */
static struct json_object *value(const char *text)
{
	char *end;
	long long n = strtoll(text, &end, 10);

	if (!strcmp(text, "yes") || !strcmp(text, "no"))
		return json_object_new_boolean(text[0] == 'y');
	return *text && !*end ? json_object_new_int64(n) : json_object_new_string(text);
}

/* list() - numbers with spaces between them */
static struct json_object *list(const char *text)
{
	struct json_object *array = json_object_new_array();
	int pid, n;

	while (sscanf(text, "%d%n", &pid, &n) == 1) {
		json_object_array_add(array, json_object_new_int(pid));
		text += n;
	}
	return array;
}

static int print_json(char *text)
{
	struct json_object *object = json_object_new_object();
	char *line, *rest;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon++ = '\0';
		colon += strspn(colon, " ");
		json_object_object_add(object, line, strcmp(line, "protected") ? value(colon) :
										 list(colon));
	}
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY));
	json_object_put(object);
	return 0;
}
#else
static int print_json(char *text)
{
	(void)text;
	fprintf(stderr, "latdctl: built without json-c: no --json\n");
	return 1;
}
#endif

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	static char reply[CONTROL_REPLY];
	char request[CONTROL_REQUEST];
	const char *path = DAEMON_SOCKET;
	int c, err, json = 0;

	while ((c = getopt_long(argc, argv, "s:hV", options, NULL)) != -1) {
		switch (c) {
		case 's':
			path = optarg;
			break;
		case 'j':
			json = 1;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		case 'V':
			printf("latdctl %s\n", VERSION);
			return 0;
		default:
			return 2;
		}
	}
	if (optind == argc || argc - optind > 2 ||
	    (argc - optind == 1 && strcmp(argv[optind], "status")) || strlen(argv[argc - 1]) > 60) {
		fputs(usage, stderr);
		return 2;
	}
	snprintf(request, sizeof(request), "%.60s%s%.60s", argv[optind],
		 argc - optind == 2 ? " " : "", argc - optind == 2 ? argv[optind + 1] : "");
	err = control_ask(path, request, reply, sizeof(reply));
	if (err == -EACCES || err == -EPERM) {
		fprintf(stderr, "latdctl: %s: it is root's: latdctl has to be started by root\n",
			path);
		return 1;
	}
	if (err) {
		fprintf(stderr, "latdctl: no latd answers at %s: %s\n", path, strerror(-err));
		return 1;
	}
	if (strncmp(reply, "ok\n", 3)) {
		fprintf(stderr, "latdctl: %s", strncmp(reply, "error ", 6) ? reply : reply + 6);
		return 1;
	}
	if (json)
		return print_json(reply + 3);
	fputs(reply + 3, stdout);
	return 0;
}
