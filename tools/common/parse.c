// SPDX-License-Identifier: GPL-2.0
/*
 * Parsers of the kernel's files. PURE: texts in, numbers out; they read no file, and allocate and
 * keep nothing. An unexpected text gives an error, never a guess.
 */
#include <errno.h>
#include <string.h>
#include "parse.h"

/* digits() - of a number; false without any, or beyond 64 bits */
static inline bool digits(const char **text, uint64_t *value, unsigned int base)
{
	const char *at;
	uint64_t n = 0;

	for (at = *text;; at++) {
		unsigned int digit = *at >= '0' && *at <= '9' ? (unsigned int)(*at - '0') :
				     *at >= 'a' && *at <= 'f' ? (unsigned int)(*at - 'a') + 10 :
							       base;

		if (digit >= base)
			break;
		if (__builtin_mul_overflow(n, base, &n) || __builtin_add_overflow(n, digit, &n))
			return false;
	}
	if (at == *text)
		return false;
	*text = at;
	*value = n;
	return true;
}

static bool number(const char **text, uint64_t *value)
{
	return digits(text, value, 10);
}

static bool hex(const char **text, uint64_t *value)
{
	return digits(text, value, 16);
}

static bool literal(const char **text, const char *what)
{
	size_t len = strlen(what);

	if (strncmp(*text, what, len))
		return false;
	*text += len;
	return true;
}

static void spaces(const char **text)
{
	while (**text == ' ' || **text == '\t')
		++*text;
}

/** parse_next_line() - the beginning of the next line, or NULL after the last one */
const char *parse_next_line(const char *text)
{
	const char *end = strchr(text, '\n');

	return end && end[1] ? end + 1 : NULL;
}

/** parse_ends_with() - is @end the end of a text? */
bool parse_ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

/**
 * parse_decimal() - a number that may have a fraction
 * @text: digits, and perhaps a point and more digits; nothing may follow but the end or a space
 * @scale: decimal places to keep; a number with more is refused
 * @value: the number times ten to the power of @scale
 */
int parse_decimal(const char *text, unsigned int scale, uint64_t *value)
{
	const char *at = text;
	bool point;
	uint64_t n;

	if (!number(&at, &n))
		return -EINVAL;
	point = *at == '.';
	if (point && (at[1] < '0' || at[1] > '9'))
		return -EINVAL;
	at += point;
	for (; scale; scale--) {
		unsigned int digit = 0;

		if (point && *at >= '0' && *at <= '9')
			digit = (unsigned int)(*at++ - '0');
		if (n > (UINT64_MAX - digit) / 10)
			return -EINVAL;
		n = n * 10 + digit;
	}
	if (*at && *at != ' ' && *at != '\n')
		return -EINVAL;
	*value = n;
	return 0;
}

/** parse_size() - bytes: digits and perhaps K, M or G, powers of 1024, and nothing behind */
int parse_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMG";
	const char *unit;
	unsigned int shift = 0;
	uint64_t n;

	if (!number(&text, &n))
		return -EINVAL;
	if (*text) {
		unit = strchr(units, *text);
		if (!unit || text[1])
			return -EINVAL;
		shift = 10 * (unsigned int)(unit - units + 1);
	}
	if (n > UINT64_MAX >> shift)
		return -EINVAL;
	*bytes = n << shift;
	return 0;
}

/* percent() - of a pressure file: digits, a point, two digits */
static bool percent(const char **text, unsigned int *hundredths)
{
	uint64_t whole, part;
	const char *dot;

	if (!number(text, &whole) || whole > 100 || !literal(text, "."))
		return false;
	dot = *text;
	if (!number(text, &part) || *text != dot + 2)
		return false;
	*hundredths = (unsigned int)(whole * 100 + part);
	return true;
}

static bool psi_line(const char *text, struct psi_line *line)
{
	return literal(&text, " avg10=") && percent(&text, &line->avg10) &&
	       literal(&text, " avg60=") && percent(&text, &line->avg60) &&
	       literal(&text, " avg300=") && percent(&text, &line->avg300) &&
	       literal(&text, " total=") && number(&text, &line->total) && *text == '\n';
}

/** parse_psi() - a pressure file, such as /proc/pressure/memory */
int parse_psi(const char *text, struct psi *psi)
{
	memset(psi, 0, sizeof(*psi));
	if (!literal(&text, "some") || !psi_line(text, &psi->some))
		return -EINVAL;
	text = parse_next_line(text);
	if (!text)
		return 0;
	return literal(&text, "full") && psi_line(text, &psi->full) ? 0 : -EINVAL;
}

/** parse_key() - the number of a line "KEY VALUE" or "KEY: VALUE", if there is one */
bool parse_key(const char *text, const char *key, uint64_t *value)
{
	for (; text; text = parse_next_line(text)) {
		const char *at = text;

		if (!literal(&at, key) || (*at != ':' && *at != ' '))
			continue;
		if (*at == ':')
			at++;
		spaces(&at);
		/* A number at the very end may have been cut there. */
		return number(&at, value) && (*at == '\n' || *at == ' ');
	}
	return false;
}

/** parse_users() - the four users in /proc/PID/status; @uids stays as it was, if that fails */
int parse_users(const char *text, uid_t uids[4])
{
	for (; text; text = parse_next_line(text)) {
		const char *at = text;
		uint64_t found[4];
		unsigned int i;

		if (!literal(&at, "Uid:"))
			continue;
		for (i = 0; i < 4; i++) {
			spaces(&at);
			/* A number at the very end may have been cut there. */
			if (!number(&at, &found[i]) || found[i] > UINT32_MAX ||
			    (*at != '\t' && *at != '\n'))
				return -EINVAL;
		}
		for (i = 0; i < 4; i++)
			uids[i] = (uid_t)found[i];
		return 0;
	}
	return -EINVAL;
}

/* Fields of /proc/PID/stat after the state. */
enum {
	STAT_PPID = 0,
	STAT_FLAGS = 5,
	STAT_MAJFLT = 8,
	STAT_UTIME = 10,
	STAT_STIME = 11,
	STAT_CUTIME = 12,
	STAT_THREADS = 16,
	STAT_ITREALVALUE = 17,
	STAT_START = 18,
	STAT_VSIZE = 19,
	STAT_RSS = 20,
	STAT_STACK = 24,
	STAT_FIELDS,
};

static bool is_signed(unsigned int field)
{
	return (field > STAT_PPID && field < STAT_FLAGS) ||
	       (field >= STAT_CUTIME && field <= STAT_ITREALVALUE);
}

/* clean() - a name that its user chose, without anything that a terminal or a script obeys */
static void clean(char *to, const char *from, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		to[i] = (char)(from[i] < ' ' || from[i] >= 127 ? '_' : from[i]);
	to[len] = '\0';
}

/**
 * parse_proc_stat() - /proc/PID/stat, whose name may have any characters, brackets and spaces, too
 *
 * In the filled in name, "_" stands for a character that is not printable ASCII.
 */
int parse_proc_stat(const char *text, struct proc_stat *stat)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t field[STAT_FIELDS] = { 0 }, pid;
	unsigned int i;
	size_t len;

	memset(stat, 0, sizeof(*stat));
	if (!open || !close || close < open || !number(&text, &pid) || pid > INT32_MAX ||
	    text + 1 != open || *text != ' ')
		return -EINVAL;
	len = (size_t)(close - open) - 1;
	if (len >= sizeof(stat->comm))
		len = sizeof(stat->comm) - 1;
	clean(stat->comm, open + 1, len);
	text = close + 1;
	if (text[0] != ' ' || !text[1] || text[2] != ' ')
		return -EINVAL;
	stat->state = text[1];
	text += 2;
	for (i = 0; i < STAT_FIELDS && literal(&text, " "); i++)
		if ((literal(&text, "-") && !is_signed(i)) || !number(&text, &field[i]))
			break;
	/* The figure of the last needed field may be cut, unless a space follows it. */
	if (i <= STAT_RSS || (i == STAT_RSS + 1 && text[-1] != ' ') ||
	    field[STAT_PPID] > INT32_MAX || field[STAT_FLAGS] > UINT32_MAX)
		return -EINVAL;
	stat->pid = (pid_t)pid;
	stat->ppid = (pid_t)field[STAT_PPID];
	stat->flags = (unsigned int)field[STAT_FLAGS];
	stat->majflt = field[STAT_MAJFLT];
	stat->utime = field[STAT_UTIME];
	stat->stime = field[STAT_STIME];
	stat->threads = field[STAT_THREADS];
	stat->start = field[STAT_START];
	stat->vsize = field[STAT_VSIZE];
	stat->rss = field[STAT_RSS];
	stat->stack = field[STAT_STACK];
	return 0;
}

/** parse_has_ended() - is it a zombie? Not if only its first thread has ended, and others run. */
bool parse_has_ended(const struct proc_stat *stat)
{
	return (stat->state == 'Z' || stat->state == 'X') && stat->threads <= 1;
}

/**
 * parse_cgroup() - the control group of version 2 in /proc/PID/cgroup
 * @path: the group, "/" at its beginning; cleaned as a name, and cut if it is too long
 * @size: of @path in bytes
 *
 * Users that manage groups of their own choose their names. A path that was cleaned or cut still
 * says below which groups it is. A cut one is too long for cgroup_file(), so that nothing is
 * written there.
 *
 * Return: 0; -ENOENT without a line of version 2; -EINVAL, if the line has no end.
 */
int parse_cgroup(const char *text, char *path, size_t size)
{
	for (; text; text = parse_next_line(text)) {
		const char *at = text;
		size_t len;

		if (!literal(&at, "0::/"))
			continue;
		at--;
		len = strcspn(at, "\n");
		/* Without its end it is another group. */
		if (!at[len])
			return -EINVAL;
		clean(path, at, len < size ? len : size - 1);
		return 0;
	}
	return -ENOENT;
}

/**
 * parse_swap() - a line of /proc/swaps behind the heading
 *
 * Return: the next line, or NULL after the last one; NULL with an empty name, if it is no such
 * line.
 */
const char *parse_swap(const char *text, struct swap_line *swap)
{
	size_t len = strcspn(text, " \t\n");
	const char *at = text + len;
	uint64_t priority;
	bool minus;

	memset(swap, 0, sizeof(*swap));
	spaces(&at);
	at += strcspn(at, " \t\n");
	spaces(&at);
	if (!len || len >= sizeof(swap->name) || !number(&at, &swap->size_kib))
		return NULL;
	spaces(&at);
	if (!number(&at, &swap->used_kib))
		return NULL;
	spaces(&at);
	minus = literal(&at, "-");
	if (!number(&at, &priority) || priority > INT32_MAX || (*at && *at != '\n'))
		return NULL;
	swap->priority = minus ? -(int)priority : (int)priority;
	memcpy(swap->name, text, len);
	return parse_next_line(text);
}

/** parse_map() - a line of /proc/PID/maps, or one of smaps that begins a mapping; else -EINVAL */
int parse_map(const char *line, struct map_line *map)
{
	uint64_t ignored;

	memset(map, 0, sizeof(*map));
	if (!hex(&line, &map->start) || !literal(&line, "-") || !hex(&line, &map->end) ||
	    !literal(&line, " ") || map->end < map->start)
		return -EINVAL;
	if (strcspn(line, " \n") != 4)
		return -EINVAL;
	memcpy(map->perms, line, 4);
	line += 4;
	if (!literal(&line, " ") || !hex(&line, &map->offset) || !literal(&line, " ") ||
	    !hex(&line, &ignored) || !literal(&line, ":") || !hex(&line, &ignored) ||
	    !literal(&line, " ") || !number(&line, &map->inode) || (*line && !strchr(" \n", *line)))
		return -EINVAL;
	spaces(&line);
	map->name = line;
	map->name_len = strcspn(line, "\n");
	return 0;
}

/* octal() - a character that the kernel writes as a backslash and three digits; 0: it is none */
static char octal(const char *at)
{
	unsigned int value = 0;
	int i;

	for (i = 1; i <= 3; i++) {
		if (at[i] < '0' || at[i] > '7')
			return 0;
		value = value * 8 + (unsigned int)(at[i] - '0');
	}
	return value < 256 ? (char)value : 0;
}

/* field() - up to the next space, which has to be there */
static int field(const char **line, char *to, size_t size)
{
	const char *at = *line;
	size_t len = 0;

	for (; *at && *at != ' ' && *at != '\n'; at++) {
		char c = *at;

		if (c == '\\') {
			c = octal(at);
			if (!c)
				return -EINVAL;
			at += 3;
		}
		if (len == size - 1)
			return -ENAMETOOLONG;
		to[len++] = c;
	}
	to[len] = '\0';
	*line = at + 1;
	return *at == ' ' ? 0 : -EINVAL;
}

/** parse_mount() - a line of /proc/PID/mounts, without escapes; -ENAMETOOLONG */
int parse_mount(const char *line, struct mount_line *mount)
{
	int err;

	memset(mount, 0, sizeof(*mount));
	/* The device may be any text, and even empty, but has no space in it. */
	line += strcspn(line, " \n");
	if (!literal(&line, " ") || *line != '/')
		return -EINVAL;
	err = field(&line, mount->point, sizeof(mount->point));
	return err ? err : field(&line, mount->type, sizeof(mount->type));
}
