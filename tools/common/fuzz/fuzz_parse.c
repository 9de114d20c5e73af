// SPDX-License-Identifier: GPL-2.0
/*
 * All parsers of kernel files, on the same text. They do not read behind its end, and their results
 * are possible for such a file.
 */
#include "fuzz.h"
#include "parse.h"
#include "space.h"

static void psi(const char *text)
{
	struct psi found;

	if (parse_psi(text, &found))
		return;
	must_be(found.some.avg10 < 10100 && found.some.avg60 < 10100 && found.some.avg300 < 10100);
	must_be(found.full.avg10 < 10100 && found.full.avg60 < 10100 && found.full.avg300 < 10100);
}

static void keys(const char *text)
{
	static const char *const names[] = {
		"MemTotal", "anon", "VmSwap", "pages_stored", "populated", "a", "",
	};
	uint64_t value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (parse_key(text, names[i], &value))
			must_be(strstr(text, names[i]));
	}
}

/* is_clean() - is a name, which a user chose, of printable ASCII? */
static bool is_clean(const char *name)
{
	for (; *name; name++)
		if (*name < ' ' || *name >= 127)
			return false;
	return true;
}

static void stat(const char *text)
{
	struct proc_stat found;

	if (parse_proc_stat(text, &found))
		return;
	must_be(memchr(found.comm, 0, sizeof(found.comm)) && is_clean(found.comm));
	must_be(found.state && strchr(text, found.state));
}

static void cgroup(const char *text)
{
	size_t size;

	for (size = 2; size < 300; size += 37) {
		char *path = malloc(size);

		if (!path)
			abort();
		if (!parse_cgroup(text, path, size))
			must_be(path[0] == '/' && strlen(path) < size && is_clean(path));
		free(path);
	}
}

static void users(const char *text)
{
	uid_t found[4] = { 1, 2, 3, 4 };

	if (parse_users(text, found))
		must_be(found[0] == 1 && found[1] == 2 && found[2] == 3 && found[3] == 4);
	else
		must_be(strstr(text, "Uid:"));
}

static void mounts(const char *text)
{
	const char *line;

	for (line = text; line; line = parse_next_line(line)) {
		struct mount_line found;
		size_t len = strcspn(line, "\n");

		if (parse_mount(line, &found))
			continue;
		must_be(found.point[0] == '/' && strlen(found.point) < sizeof(found.point));
		must_be(strlen(found.type) < sizeof(found.type));
		must_be(strlen(found.point) + strlen(found.type) < len);
		/* Without an escape the line has the same text. */
		if (!memchr(line, '\\', len))
			must_be(strstr(line, found.point) && strstr(line, found.type));
	}
}

static void swaps(const char *text)
{
	size_t lines = 0, most = strlen(text) + 1;
	struct swap_line found;

	while (text) {
		text = parse_swap(text, &found);
		must_be(memchr(found.name, 0, sizeof(found.name)));
		must_be(found.name[0] || !text);
		must_be(lines++ < most);
	}
}

static void maps(const char *text)
{
	const char *line;

	for (line = text; line; line = parse_next_line(line)) {
		struct map_line found;

		if (parse_map(line, &found))
			continue;
		must_be(found.start <= found.end && strlen(found.perms) == 4);
		must_be(found.name > line && found.name_len <= strlen(found.name));
		must_be(!memchr(found.name, '\n', found.name_len));
	}
}

static void numbers(const char *text)
{
	uint64_t value, whole;
	unsigned int scale;

	parse_size(text, &value);
	for (scale = 0; scale < 8; scale++) {
		if (parse_decimal(text, scale, &value))
			continue;
		/* With one decimal less, where that is allowed, the number is a tenth. */
		if (scale && !parse_decimal(text, scale - 1, &whole))
			must_be(value / 10 == whole);
	}
}

static void space(const char *text)
{
	struct space_device device;

	if (!space_mtdcompr(text, &device) || !space_zram(text, &device))
		must_be(space_left(1 << 20, &device) <= 1 << 20);
}

int fuzz_one(const u8 *data, size_t bytes)
{
	char *text = malloc(bytes + 1);

	if (!text)
		abort();
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	psi(text);
	keys(text);
	stat(text);
	cgroup(text);
	users(text);
	mounts(text);
	swaps(text);
	maps(text);
	numbers(text);
	space(text);
	free(text);
	return 0;
}
