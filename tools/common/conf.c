// SPDX-License-Identifier: GPL-2.0
/*
 * Turns the texts of a file, of the command line and of the key table's defaults into values. Each
 * value is checked against its key's type and range, and a message says what the key takes.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "conf.h"
#include "ini.h"
#include "parse.h"
#include "sys.h"

/* Bytes of a file. The samples with all keys have 3 KiB. */
#define CONF_FILE 32768

const char *const conf_levels[] = { "error", "warning", "info", "debug", NULL };
const char *const conf_choices[] = { "auto", "yes", "no", NULL };

/* append() - a blank and a word, as far as there is room */
static void append(char *message, const char *word)
{
	size_t at = strlen(message);

	snprintf(message + at, CONF_MESSAGE - at, " %s", word);
}

/* refuse() - say why a key does not take a text */
static int __attribute__((format(printf, 4, 5)))
refuse(const struct conf_key *key, const char *text, char *message, const char *why, ...)
{
	va_list args;
	size_t at;

	snprintf(message, CONF_MESSAGE, "%s = %s: ", key->name, text);
	at = strlen(message);
	va_start(args, why);
	vsnprintf(message + at, CONF_MESSAGE - at, why, args);
	va_end(args);
	return -EINVAL;
}

static int out_of_range(const struct conf_key *key, const char *text, char *message)
{
	unsigned long long min = key->min, max = key->max;

	if (key->type == CONF_BYTES)
		return refuse(key, text, message,
			      "not a size such as 64M (%llu to %llu bytes) or auto", min, max);
	if (key->type == CONF_UINT)
		return refuse(key, text, message, "not a number from %llu to %llu%s%s", min, max,
			      key->unit ? " " : "", key->unit ? key->unit : "");
	return refuse(key, text, message, "not a percentage from %llu.%llu to %llu.%llu%s",
		      min / 10, min % 10, max / 10, max % 10,
		      key->type == CONF_AMOUNT ? ", or a size such as 80MiB" : "");
}

static int set_choice(const struct conf_key *key, unsigned int *value, const char *text,
		      char *message)
{
	unsigned int i;

	for (i = 0; key->choices[i]; i++) {
		if (!strcmp(text, key->choices[i])) {
			*value = i;
			return 0;
		}
	}
	refuse(key, text, message, "not one of:");
	for (i = 0; key->choices[i]; i++)
		append(message, key->choices[i]);
	return -EINVAL;
}

static int set_text(const struct conf_key *key, char *value, const char *text, char *message)
{
	size_t have = key->type == CONF_LIST ? strlen(value) : 0;

	if (have + !!have + strlen(text) >= key->size)
		return refuse(key, text, message, "too long");
	if (have)
		value[have++] = ' ';
	strcpy(value + have, text);
	for (; key->type == CONF_LIST && value[have]; have++) {
		if (value[have] == '\t')
			value[have] = ' ';
	}
	return 0;
}

static int set_number(const struct conf_key *key, unsigned int *value, const char *text,
		      char *message)
{
	const char *end = text + strspn(text, "0123456789.");
	bool part = key->type != CONF_UINT;
	bool percent = part && (!strcmp(end, "%") || !strcmp(end, " %"));
	size_t digits = (size_t)(end - text);
	char number[32];
	uint64_t n;

	snprintf(number, sizeof(number), "%.*s", (int)digits, text);
	if ((*end && !percent) || digits >= sizeof(number) || parse_decimal(number, part, &n) ||
	    n < key->min || n > key->max)
		return out_of_range(key, text, message);
	*value = (unsigned int)n;
	return 0;
}

/* set_amount() - a number with a unit of bytes, K, MiB and so on, or a percentage */
static int set_amount(const struct conf_key *key, struct conf_amount *amount, const char *text,
		      char *message)
{
	size_t digits = strspn(text, "0123456789");
	const char *unit = text + digits + (text[digits] == ' ');
	struct conf_amount new = { 0, 0 };
	char size[32];
	int err;

	if (*unit && strchr("KMG", *unit)) {
		snprintf(size, sizeof(size), "%.*s%c", (int)digits, text, *unit);
		err = digits >= sizeof(size) - 1 || (unit[1] && strcmp(unit + 1, "iB")) ||
		      parse_size(size, &new.bytes) || !new.bytes;
		if (err)
			return out_of_range(key, text, message);
	} else {
		err = set_number(key, &new.permille, text, message);
		if (err)
			return err;
	}
	*amount = new;
	return 0;
}

/** conf_amount_of() - an amount in bytes; it may be more than @total, if it is a size */
uint64_t conf_amount_of(const struct conf_amount *amount, uint64_t total)
{
	return amount->bytes ? amount->bytes : total / 1000 * amount->permille;
}

static int set_value(const struct conf_key *key, void *value, const char *text, char *message)
{
	uint64_t bytes = 0;

	switch (key->type) {
	case CONF_BOOL:
		if (strcmp(text, "yes") && strcmp(text, "no"))
			return refuse(key, text, message, "not yes or no");
		*(bool *)value = text[0] == 'y';
		return 0;
	case CONF_CHOICE:
		return set_choice(key, value, text, message);
	case CONF_TEXT:
	case CONF_LIST:
		return set_text(key, value, text, message);
	case CONF_BYTES:
		if ((strcmp(text, "auto") && parse_size(text, &bytes)) ||
		    (bytes && (bytes < key->min || bytes > key->max)))
			return out_of_range(key, text, message);
		*(uint64_t *)value = bytes;
		return 0;
	case CONF_UINT:
	case CONF_PERMILLE:
		return set_number(key, value, text, message);
	case CONF_AMOUNT:
		return set_amount(key, value, text, message);
	}
	return -EINVAL;
}

/*
 * unknown() - say which keys the section has or, if it is unknown, which sections there are
 * @name: if NULL, only the section has to be known
 */
static int unknown(const struct conf_key *keys, const char *section, const char *name,
		   char *message)
{
	const struct conf_key *key;
	const char *last = "";

	for (key = keys; key->name && strcmp(key->section, section); key++)
		;
	if (key->name && !name)
		return 0;
	if (key->name)
		snprintf(message, CONF_MESSAGE, "no key \"%s\" in [%s]; there are:", name, section);
	else
		snprintf(message, CONF_MESSAGE, section[0] ? "no section [%s]; there are:" :
			 "a key before the first [section]%s; there are:", section);
	for (; keys->name; keys++) {
		if (key->name && !strcmp(keys->section, section))
			append(message, keys->name);
		else if (!key->name && strcmp(keys->section, last))
			append(message, keys->section);
		last = keys->section;
	}
	return -ENOENT;
}

/** conf_presets() - give each key its default */
void conf_presets(const struct conf_key *keys, void *values)
{
	char message[CONF_MESSAGE];

	for (; keys->name; keys++) {
		char *value = (char *)values + keys->offset;

		memset(value, 0, keys->size);
		if (keys->preset)
			set_value(keys, value, keys->preset, message);
	}
}

/**
 * conf_set() - set a value by its name
 * @keys: the table, which ends with a key without a name
 * @values: the structure
 * @section: of the file
 * @name: of the key
 * @text: the value
 * @message: CONF_MESSAGE bytes for the reason of an error
 *
 * Return: 0; -ENOENT: the key is unknown; -EINVAL: the key does not take the value.
 */
int conf_set(const struct conf_key *keys, void *values, const char *section, const char *name,
	     const char *text, char *message)
{
	const struct conf_key *key;

	for (key = keys; key->name; key++) {
		if (!strcmp(key->section, section) && !strcmp(key->name, name))
			return set_value(key, (char *)values + key->offset, text, message);
	}
	return unknown(keys, section, name, message);
}

/** conf_set_option() - conf_set() by "SECTION.KEY=VALUE" */
int conf_set_option(const struct conf_key *keys, void *values, const char *option, char *message)
{
	char section[64], name[64];
	const char *equals = strchr(option, '=');

	if (!equals || sscanf(option, "%63[^.=].%63[^=]", section, name) != 2) {
		snprintf(message, CONF_MESSAGE, "%s: not SECTION.KEY=VALUE", option);
		return -EINVAL;
	}
	return conf_set(keys, values, section, name, equals + 1, message);
}

/** conf_list_has() - is a word in a list of words with spaces between them? */
bool conf_list_has(const char *list, const char *word)
{
	size_t len = strlen(word), n;

	for (; *list; list += n) {
		list += strspn(list, " ");
		n = strcspn(list, " ");
		if (n && n == len && !memcmp(list, word, n))
			return true;
	}
	return false;
}

/** conf_level() - the level, as of syslog(3), of a value of the key that CONF_LOG() makes */
int conf_level(unsigned int log)
{
	static const int numbers[] = { 3, 4, 6, 7 };

	return numbers[log];
}

struct load {
	const struct conf_key *keys;
	void *values;
	const char *path;
	char *message;
};

static int take_line(const struct ini_line *line, void *arg)
{
	const char *section = line->section ? line->section : "";
	char reason[CONF_MESSAGE] = "not \"[section]\", \"key = value\" or \"# comment\"";
	const struct load *load = arg;
	int err = -EINVAL;

	if (line->kind == INI_LONG)
		strcpy(reason, "the line is too long");
	else if (line->kind == INI_KEY)
		err = conf_set(load->keys, load->values, section, line->key, line->value, reason);
	else if (line->kind == INI_HEADING)
		err = unknown(load->keys, section, NULL, reason);
	if (err)
		snprintf(load->message, CONF_MESSAGE, "%s:%u: %.400s", load->path, line->number,
			 reason);
	return err ? -EINVAL : 0;
}

/**
 * conf_load() - read a file
 * @keys: the table
 * @values: the structure; garbage if it fails, so give it a copy
 * @path: the file
 * @message: CONF_MESSAGE bytes for an error: "FILE:LINE: reason"
 */
int conf_load(const struct conf_key *keys, void *values, const char *path, char *message)
{
	struct load load = { keys, values, path, message };
	char text[CONF_FILE];
	ssize_t n = sys_read(path, text, sizeof(text));
	const char *why = n < 0 ? strerror((int)-n) :
			  n == CONF_FILE - 1 ? "too large" :
			  strlen(text) != (size_t)n ? "not a text" : NULL;

	if (!why)
		return ini_read(text, true, take_line, &load);
	snprintf(message, CONF_MESSAGE, "%s: %s", path, why);
	return n < 0 ? (int)n : -EINVAL;
}
