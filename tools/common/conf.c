// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_INIH
#include <ini.h>
#endif
#include "conf.h"
#include "parse.h"

static int say(char *message, const char *name, const char *text, const char *reason)
{
	snprintf(message, CONF_MESSAGE, "%s = %s: %s", name, text, reason);
	return -EINVAL;
}

static int out_of_range(const struct conf_key *key, const char *text, char *message)
{
	char reason[160];
	const char *unit = key->unit ? key->unit : "";

	if (key->type == CONF_PERMILLE || key->type == CONF_AMOUNT)
		snprintf(reason, sizeof(reason), "not a percentage from %llu.%llu to %llu.%llu%s",
			 (unsigned long long)key->min / 10, (unsigned long long)key->min % 10,
			 (unsigned long long)key->max / 10, (unsigned long long)key->max % 10,
			 key->type == CONF_AMOUNT ? ", or a size such as 80MiB" : "");
	else if (key->type == CONF_BYTES)
		snprintf(reason, sizeof(reason),
			 "not a size such as 64M (%llu to %llu bytes) or auto",
			 (unsigned long long)key->min, (unsigned long long)key->max);
	else
		snprintf(reason, sizeof(reason), "not a number from %llu to %llu%s",
			 (unsigned long long)key->min, (unsigned long long)key->max, unit);
	return say(message, key->name, text, reason);
}

static int set_choice(const struct conf_key *key, unsigned int *value, const char *text,
		      char *message)
{
	char reason[256];
	size_t at = 0;
	unsigned int i;

	for (i = 0; key->choices[i]; i++) {
		if (!strcmp(text, key->choices[i])) {
			*value = i;
			return 0;
		}
	}
	at += (size_t)snprintf(reason, sizeof(reason), "not one of:");
	for (i = 0; key->choices[i] && at < sizeof(reason); i++)
		at += (size_t)snprintf(reason + at, sizeof(reason) - at, " %s", key->choices[i]);
	return say(message, key->name, text, reason);
}

static int set_text(const struct conf_key *key, char *value, const char *text, char *message)
{
	size_t have = key->type == CONF_LIST ? strlen(value) : 0;
	size_t len = strlen(text);

	if (have + len + 2 > key->max)
		return say(message, key->name, text, "too long");
	if (have)
		value[have++] = ' ';
	memcpy(value + have, text, len + 1);
	for (; key->type == CONF_LIST && value[have]; have++) {
		if (value[have] == '\t')
			value[have] = ' ';
	}
	return 0;
}

static int set_bool(const struct conf_key *key, bool *value, const char *text, char *message)
{
	if (strcmp(text, "yes") && strcmp(text, "no"))
		return say(message, key->name, text, "not yes or no");
	*value = text[0] == 'y';
	return 0;
}

static int set_number(const struct conf_key *key, unsigned int *value, const char *text,
		      char *message)
{
	bool part = key->type != CONF_UINT;
	char *percent, number[32];
	uint64_t n;
	int err;

	snprintf(number, sizeof(number), "%s", text);
	percent = strchr(number, '%');
	if (percent && !percent[1] && part) {
		if (percent > number && percent[-1] == ' ')
			percent--;
		*percent = '\0';
	}
	err = parse_decimal(number, part, &n);
	/* Nothing may follow that was cut, or that parse_decimal() does not look at. */
	if (err || strlen(text) >= sizeof(number) || strpbrk(number, " \n") ||
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

/**
 * conf_amount_of() - an amount in bytes
 * @amount: of a key of the type CONF_AMOUNT
 * @total: the whole
 *
 * Return: bytes; they may be more than the whole, if the configuration says so.
 */
uint64_t conf_amount_of(const struct conf_amount *amount, uint64_t total)
{
	return amount->bytes ? amount->bytes : total / 1000 * amount->permille;
}

static int set_value(const struct conf_key *key, void *value, const char *text, char *message)
{
	uint64_t n;
	int err;

	switch (key->type) {
	case CONF_BOOL:
		return set_bool(key, value, text, message);
	case CONF_CHOICE:
		return set_choice(key, value, text, message);
	case CONF_TEXT:
	case CONF_LIST:
		return set_text(key, value, text, message);
	case CONF_BYTES:
		n = 0;
		err = strcmp(text, "auto") ? parse_size(text, &n) : 0;
		if (err || (n && (n < key->min || n > key->max)))
			return out_of_range(key, text, message);
		*(uint64_t *)value = n;
		return 0;
	case CONF_UINT:
	case CONF_PERMILLE:
		return set_number(key, value, text, message);
	case CONF_AMOUNT:
		return set_amount(key, value, text, message);
	}
	return -EINVAL;
}

/* no_such_key() - which there are: keys of the section, or, if that is unknown, too, sections */
static void no_such_key(const struct conf_key *keys, const char *section, const char *name,
			char *message)
{
	const struct conf_key *key;
	const char *last = "";
	bool known = false;
	size_t at;

	for (key = keys; key->name; key++)
		known = known || !strcmp(key->section, section);
	if (known)
		at = (size_t)snprintf(message, CONF_MESSAGE, "no key \"%s\" in [%s]; there are:",
				      name, section);
	else
		at = (size_t)snprintf(message, CONF_MESSAGE, "no section [%s]; there are:",
				      section);
	for (key = keys; key->name && at < CONF_MESSAGE; key++) {
		if (known && !strcmp(key->section, section))
			at += (size_t)snprintf(message + at, CONF_MESSAGE - at, " %s",
					       key->name);
		else if (!known && strcmp(key->section, last))
			at += (size_t)snprintf(message + at, CONF_MESSAGE - at, " %s",
					       key->section);
		last = key->section;
	}
}

/**
 * conf_set() - set a value by its name
 * @keys: the table, which ends with a key without a name
 * @values: the structure
 * @section: of the file
 * @name: of the key
 * @text: the value
 * @message: CONF_MESSAGE bytes for what is wrong with it
 *
 * Return: 0; -ENOENT, if there is no such key; -EINVAL, if it does not take such a value.
 */
int conf_set(const struct conf_key *keys, void *values, const char *section, const char *name,
	     const char *text, char *message)
{
	const struct conf_key *key;

	for (key = keys; key->name; key++) {
		if (!strcmp(key->section, section) && !strcmp(key->name, name))
			return set_value(key, (char *)values + key->offset, text, message);
	}
	no_such_key(keys, section, name, message);
	return -ENOENT;
}

/**
 * conf_set_option() - set a value by "SECTION.KEY=VALUE"
 * @keys: the table
 * @values: the structure
 * @option: the text
 * @message: CONF_MESSAGE bytes for what is wrong with it
 *
 * Return: as conf_set().
 */
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

/**
 * conf_list_has() - is a word in a list?
 * @list: words, with spaces between them
 * @word: the word
 */
bool conf_list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	list += strspn(list, " ");
	while (*list) {
		size_t n = strcspn(list, " ");

		if (n == len && !memcmp(list, word, n))
			return true;
		list += n;
		list += strspn(list, " ");
	}
	return false;
}

/**
 * conf_can_load() - was the program built with a parser of INI files?
 */
bool conf_can_load(void)
{
#ifdef HAVE_INIH
	return true;
#else
	return false;
#endif
}

#ifdef HAVE_INIH
struct load {
	const struct conf_key *keys;
	void *values;
	char *message;
	unsigned int line;		/* that was given to the parser */
	unsigned int failed;		/* line of the first value that was wrong; or 0 */
	bool overlong;
};

struct stream {
	struct load load;
	FILE *file;
};

/*
 * next_line() - for the parser, which would take what does not fit into its buffer for the next
 * line: a part of a comment for a setting. Nothing is read any more after such a line.
 */
static char *next_line(char *text, int size, void *arg)
{
	struct stream *stream = arg;
	char *line = stream->load.overlong ? NULL : fgets(text, size, stream->file);

	if (line) {
		stream->load.line++;
		stream->load.overlong = !strchr(line, '\n') && !feof(stream->file);
	}
	return line;
}

static int set_line(void *arg, const char *section, const char *name, const char *value)
{
	struct load *load = &((struct stream *)arg)->load;

	if (load->failed)
		return 1;
	if (conf_set(load->keys, load->values, section, name, value ? value : "", load->message))
		load->failed = load->line;
	return !load->failed;
}

/**
 * conf_load() - read a file
 * @keys: the table
 * @values: the structure; garbage if it fails, so give it a copy
 * @path: the file
 * @message: CONF_MESSAGE bytes for what is wrong with it: "FILE:LINE: reason"
 *
 * Return: 0, or a negative errno.
 */
int conf_load(const struct conf_key *keys, void *values, const char *path, char *message)
{
	static const char syntax[] = "not \"[section]\", \"key = value\" or \"# comment\"";
	char reason[CONF_MESSAGE] = "";
	struct stream stream = { { keys, values, reason, 0, 0, false }, fopen(path, "re") };
	int line, err = 0;

	if (!stream.file) {
		err = -errno;
		snprintf(message, CONF_MESSAGE, "%s: %s", path, strerror(-err));
		return err;
	}
	line = ini_parse_stream(next_line, &stream, set_line, &stream);
	if (line < 0 || ferror(stream.file)) {
		snprintf(message, CONF_MESSAGE, "%s: could not be read", path);
		err = -EIO;
	} else if (line) {
		snprintf(message, CONF_MESSAGE, "%s:%d: %.400s", path, line,
			 (unsigned int)line == stream.load.failed ? reason : syntax);
		err = -EINVAL;
	} else if (stream.load.overlong) {
		snprintf(message, CONF_MESSAGE, "%s:%u: the line is too long", path,
			 stream.load.line);
		err = -EINVAL;
	}
	fclose(stream.file);
	return err;
}
#else
int conf_load(const struct conf_key *keys, void *values, const char *path, char *message)
{
	(void)keys;
	(void)values;
	snprintf(message, CONF_MESSAGE,
		 "%s: this program was built without inih and reads no files; use -o SECTION.KEY=VALUE",
		 path);
	return -EOPNOTSUPP;
}
#endif
