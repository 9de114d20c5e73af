// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_JSON_C
#include <json-c/json.h>
#endif
#include "client.h"
#include "control.h"
#include "version.h"

/* From one answer of "top" to the next. */
#define TOP_SECONDS 2
#define TOP_TIMES 1000000
/* Between two questions, while the answer is pending. */
#define PENDING_NAP_MS 20
/* Bytes of a name. */
#define NAME_MOST 60

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
	int number, n;

	while (sscanf(text, "%d%n", &number, &n) == 1) {
		json_object_array_add(array, json_object_new_int(number));
		text += n;
	}
	return array;
}

/* fields() - "a=1 b=2" as an object; NULL, if it is not of this form */
static struct json_object *fields(const char *text)
{
	struct json_object *object = json_object_new_object();
	char key[64], word[128];
	int n;

	while (sscanf(text, " %63[a-z_]=%127s%n", key, word, &n) == 2) {
		json_object_object_add(object, key, value(word));
		text += n;
	}
	if (!text[strspn(text, " ")] && json_object_object_length(object))
		return object;
	json_object_put(object);
	return NULL;
}

/* add_row() - lines of one key, "process: pid=1 ...", are an array of objects */
static void add_row(struct json_object *object, const char *key, struct json_object *row)
{
	struct json_object *array;

	if (!json_object_object_get_ex(object, key, &array)) {
		array = json_object_new_array();
		json_object_object_add(object, key, array);
	}
	if (json_object_is_type(array, json_type_array))
		json_object_array_add(array, row);
	else
		json_object_put(row);
}

static void add_line(const struct client *client, struct json_object *object, char *line)
{
	char *colon = strchr(line, ':');
	struct json_object *row;

	if (!colon)
		return;
	*colon++ = '\0';
	colon += strspn(colon, " ");
	row = fields(colon);
	if (row)
		add_row(object, line, row);
	else
		json_object_object_add(object, line, strcmp(line, client->list) ? value(colon) :
										   list(colon));
}

static int print_json(const struct client *client, char *text)
{
	struct json_object *object = json_object_new_object();
	char *line, *rest;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		add_line(client, object, line);
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY));
	json_object_put(object);
	return 0;
}
#else
static int print_json(const struct client *client, char *text)
{
	(void)text;
	fprintf(stderr, "%s: built without json-c: no --json\n", client->name);
	return 1;
}
#endif

/* fetch() - the answer to a request; false: no answer, and that was said */
static bool fetch(const struct client *client, const char *path, const char *request, char *reply)
{
	int err = control_ask(path, request, reply, CONTROL_REPLY);

	if (!err && !strncmp(reply, "ok\n", 3))
		return true;
	if (err == -EACCES || err == -EPERM)
		fprintf(stderr, "%s: %s: it is root's: %s has to be started by root\n",
			client->name, path, client->name);
	else if (err)
		fprintf(stderr, "%s: no %s answers at %s: %s\n", client->name, client->daemon, path,
			strerror(-err));
	else
		fprintf(stderr, "%s: %s", client->name,
			strncmp(reply, "error ", 6) ? reply : reply + 6);
	return false;
}

/* settle() - ask until nothing is pending; false, as fetch() */
static bool settle(const struct client *client, const char *path, const char *request, char *reply)
{
	const char *rest = strchr(request, ' ');
	unsigned int tries = CLIENT_PENDING_MS / PENDING_NAP_MS;
	char again[CONTROL_REQUEST];

	snprintf(again, sizeof(again), "%s%s", client->again, rest ? rest : "");
	while (tries-- && strstr(reply, "\npending: yes\n")) {
		usleep(PENDING_NAP_MS * 1000);
		if (!fetch(client, path, again, reply))
			return false;
	}
	return true;
}

static int ask(const struct client *client, const char *path, const char *request, bool json)
{
	static char reply[CONTROL_REPLY];

	if (!fetch(client, path, request, reply) ||
	    (client->again && !settle(client, path, request, reply)))
		return 1;
	if (json)
		return print_json(client, reply + 3);
	if (client->print)
		client->print(request, reply + 3);
	else
		fputs(reply + 3, stdout);
	return 0;
}

/* top() - the same request again and again; 0: until somebody ends it */
static int top(const struct client *client, const char *path, unsigned int times, bool json)
{
	bool clear = !json && isatty(STDOUT_FILENO), forever = !times;
	int status;

	for (;;) {
		/* The screen, from its beginning. */
		if (clear)
			fputs("\033[H\033[J", stdout);
		status = ask(client, path, client->top, json);
		if (fflush(stdout) || status)
			return 1;
		if (!forever && !--times)
			return 0;
		sleep(TOP_SECONDS);
	}
}

/* is_word() - is it a request by itself? */
static bool is_word(const struct client *client, const char *text)
{
	unsigned int i;

	if (!strcmp(text, "status"))
		return true;
	for (i = 0; client->words && client->words[i]; i++)
		if (!strcmp(text, client->words[i]))
			return true;
	return false;
}

/* times_of() - of -n; false: it is no number */
static bool times_of(const struct client *client, const char *text, unsigned int *times)
{
	char *end;
	long n = strtol(text, &end, 10);

	*times = (unsigned int)n;
	if (text[0] >= '0' && text[0] <= '9' && !*end && n > 0 && n <= TOP_TIMES)
		return true;
	fprintf(stderr, "%s: -n %s: not a number from 1 to %d\n", client->name, text, TOP_TIMES);
	return false;
}

/**
 * client_run() - all of a control tool: "status [--json]", or a verb and a word
 * @client: which one
 * @argc: of main()
 * @argv: of main()
 *
 * Return: the exit status.
 */
int client_run(const struct client *client, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	char request[CONTROL_REQUEST];
	const char *path = client->socket, *letters = client->top ? "s:n:hV" : "s:hV";
	unsigned int times = 0;
	bool json = false;
	int c;

	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		switch (c) {
		case 'n':
			if (!times_of(client, optarg, &times))
				return 2;
			break;
		case 's':
			path = optarg;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			fputs(client->usage, stdout);
			return 0;
		case 'V':
			printf("%s %s\n", client->name, VERSION);
			return 0;
		default:
			return 2;
		}
	}
	if (client->top && argc - optind == 1 && !strcmp(argv[optind], "top"))
		return top(client, path, times, json);
	if (optind < argc && strlen(argv[argc - 1]) > NAME_MOST) {
		fprintf(stderr, "%s: %s: a name has %d bytes at most\n", client->name,
			argv[argc - 1], NAME_MOST);
		return 2;
	}
	if (optind == argc || argc - optind > 2 ||
	    (argc - optind == 1 && !is_word(client, argv[optind]))) {
		fputs(client->usage, stderr);
		return 2;
	}
	snprintf(request, sizeof(request), "%.60s%s%.60s", argv[optind],
		 argc - optind == 2 ? " " : "", argc - optind == 2 ? argv[optind + 1] : "");
	return ask(client, path, request, json);
}
