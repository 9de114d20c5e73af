// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <string.h>
#include "figure.h"
#include "human.h"
#include "parse.h"

/**
 * figure_there() - do the statistics have a number with this key?
 * @text: statistics
 * @key: its key
 */
bool figure_there(const char *text, const char *key)
{
	uint64_t value;

	return parse_key(text, key, &value);
}

/**
 * figure() - look up a number
 * @text: statistics
 * @key: its key
 *
 * Return: the number, or 0 without such a line.
 */
uint64_t figure(const char *text, const char *key)
{
	uint64_t value;

	return parse_key(text, key, &value) ? value : 0;
}

/**
 * figure_word() - look up a value up to the end of its line
 * @text: statistics
 * @key: its key
 * @word: filled in; "" without such a line
 * @size: of @word in bytes; a longer value is truncated
 *
 * Return: is it there?
 */
bool figure_word(const char *text, const char *key, char *word, size_t size)
{
	size_t len = strlen(key);

	word[0] = '\0';
	for (; text; text = parse_next_line(text)) {
		if (strncmp(text, key, len) || text[len] != ':' || text[len + 1] != ' ')
			continue;
		text += len + 2;
		snprintf(word, size, "%.*s", (int)strcspn(text, "\n"), text);
		return true;
	}
	return false;
}

/**
 * figure_is() - is a value equal to a word?
 * @text: statistics
 * @key: its key
 * @word: the word, at most 60 bytes
 */
bool figure_is(const char *text, const char *key, const char *word)
{
	char value[64];

	return figure_word(text, key, value, sizeof(value)) && !strcmp(value, word);
}

/**
 * figure_stored() - size of the pages that the device holds
 * @text: statistics
 *
 * Return: bytes before compression.
 */
uint64_t figure_stored(const char *text)
{
	return figure(text, "pages_stored") * figure(text, "page_bytes");
}

/**
 * figure_errors() - number of errors of the media and of their contents
 * @text: statistics
 *
 * A write refused because the media are full does not count.
 */
uint64_t figure_errors(const char *text)
{
	return figure(text, "err_checksum") + figure(text, "err_decompress") +
	       figure(text, "err_media_read") + figure(text, "err_media_write") +
	       figure(text, "err_gone");
}

/**
 * figure_wear() - how often the most worn part of the media was rewritten or erased
 * @text: statistics
 *
 * store=log: the highest erase count of an eraseblock. cache=1: the mean, because the module does
 * not count eraseblocks one by one. Else: the mean of the region with the most writes.
 *
 * Return: hundredths.
 */
uint64_t figure_wear(const char *text)
{
	if (figure_is(text, "store", "log"))
		return figure(text, "erases_most") * 100;
	if (figure(text, "cache"))
		return human_share(100, figure(text, "block_erases"), figure(text, "blocks"));
	return human_share(100, figure(text, "wear_max_bytes"),
			   figure(text, "wear_region_bytes"));
}

/**
 * figure_each() - call a function for each line
 * @text: statistics
 * @fn: takes a key and its value; false stops the loop
 * @arg: for @fn
 *
 * Lines that are not "key: value" are skipped.
 *
 * Return: did @fn return true each time?
 */
bool figure_each(const char *text, bool (*fn)(const char *key, const char *value, void *arg),
		 void *arg)
{
	char key[64], value[256];

	for (; text; text = parse_next_line(text)) {
		size_t len = strcspn(text, ":\n");

		if (text[len] != ':' || text[len + 1] != ' ' || len >= sizeof(key))
			continue;
		memcpy(key, text, len);
		key[len] = '\0';
		text += len + 2;
		snprintf(value, sizeof(value), "%.*s", (int)strcspn(text, "\n"), text);
		if (!fn(key, value, arg))
			return false;
	}
	return true;
}
