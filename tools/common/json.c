// SPDX-License-Identifier: GPL-2.0
/*
 * The characters of a text as a string of JSON holds them. The names of programs, groups and media
 * may have any bytes.
 */
#include <stdio.h>
#include <string.h>
#include "json.h"

/* utf8_bytes() - of the UTF-8 character at a place; 0: it is none */
static unsigned int utf8_bytes(const unsigned char *at)
{
	unsigned int n = at[0] < 0x80 ? 1 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2 :
			 (at[0] & 0xf0) == 0xe0 ? 3 : at[0] >= 0xf0 && at[0] < 0xf5 ? 4 : 0;
	unsigned int i;

	for (i = 1; i < n; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	/* Too long, half of a pair, or beyond the last one. */
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] >= 0x90))
		return 0;
	return n;
}

/**
 * json_next() - the next character of a text, as a string of JSON holds it
 * @text: any bytes, at least one before the zero byte; moved behind the character
 * @character: filled in; a byte that is not UTF-8 becomes U+FFFD
 *
 * Return: @character.
 */
const char *json_next(const char **text, char character[JSON_CHARACTER])
{
	const unsigned char *at = (const unsigned char *)*text;
	unsigned int n = utf8_bytes(at);

	*text += n ? n : 1;
	if (!n)
		strcpy(character, "\\ufffd");
	else if (*at < 0x20 || *at == 0x7f)
		snprintf(character, JSON_CHARACTER, "\\u%04x", *at);
	else
		snprintf(character, JSON_CHARACTER, "%s%.*s", *at == '"' || *at == '\\' ? "\\" : "",
			 (int)n, (const char *)at);
	return character;
}
