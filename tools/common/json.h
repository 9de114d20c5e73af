/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

/* The longest character in JSON, "\u001b", with a zero byte. */
#define JSON_CHARACTER 7

const char *json_next(const char **text, char character[JSON_CHARACTER]);

#endif
