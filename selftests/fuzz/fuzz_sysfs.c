// SPDX-License-Identifier: GPL-2.0
/*
 * The module as root uses it: parameters at load, then writes to
 * /sys/devices/mtdcompr/{attach,detach}, while MTDs below come and go, devices are open, and any
 * allocation may fail. The input is lines, each a letter and a string:
 *
 *   p STRING    mtd= at load; only before everything else
 *   a STRING    attach
 *   d STRING    detach
 *   o, c NAME   open, close an MTD
 *   v, r NAME   remove, add an MTD below
 *   f N         the Nth allocation from here on fails
 *
 * A capital letter appends a newline to the string. \001 stands for a NUL in it, \002 for a
 * newline.
 *
 * Each refused request gives a documented errno and one message, and changes nothing. At the end
 * the module is unloaded, and nothing may be left.
 */
#include <ctype.h>

#include "fuzz.h"
#include "kernel.h"
#include "mtdcore.h"

#include <linux/device.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "dev.h"

#define LINES_MAX	100U
#define STRING_MAX	4095U

enum { LOW, OTHER, NAND, NOR, READ_ONLY, TINY, PART, UBI, ODD, LARGE, HUGE, MTDS };

static struct {
	struct chip chips[MTDS];
	bool there[MTDS];
	u8 open[MTDS];
	bool loaded;
} t;

static void change(struct chip *chip, u64 size, u32 flags, u8 type)
{
	chip->mtd.size = size;
	chip->mtd.flags = flags;
	chip->mtd.type = type;
}

static void make_mtds(void)
{
	unsigned int i;

	chip_create(&t.chips[LOW], "low", CHIP_RAM, 65536, 4096, 1);
	chip_create(&t.chips[OTHER], "other", CHIP_RAM, 32768, 4096, 1);
	chip_create(&t.chips[NAND], "nand", CHIP_NAND, 32768, 4096, 512);
	chip_create(&t.chips[NOR], "nor", CHIP_NOR, 40960, 10240, 1);
	chip_create(&t.chips[READ_ONLY], "ro", CHIP_RAM, 32768, 4096, 1);
	chip_create(&t.chips[TINY], "tiny", CHIP_RAM, 8192, 4096, 1);
	chip_create(&t.chips[PART], "part", CHIP_RAM, 32768, 4096, 1);
	chip_create(&t.chips[UBI], "ubi", CHIP_RAM, 32768, 4096, 1);
	chip_create(&t.chips[ODD], "odd name", CHIP_RAM, 32768, 4096, 2048);
	chip_create(&t.chips[LARGE], "large", CHIP_RAM, 4096, 4096, 1);
	chip_create(&t.chips[HUGE], "huge", CHIP_NOR, 4096, 4096, 1);
	change(&t.chips[READ_ONLY], 32768, 0, MTD_RAM);
	change(&t.chips[UBI], 32768, MTD_WRITEABLE, MTD_UBIVOLUME);
	/* These devices are too large: the tables for them can't be allocated. */
	change(&t.chips[LARGE], 1ULL << 36, MTD_CAP_RAM, MTD_RAM);
	change(&t.chips[HUGE], 1ULL << 50, MTD_WRITEABLE, MTD_NORFLASH);
	t.chips[PART].mtd.parent = &t.chips[LOW].mtd;
	t.chips[PART].mtd.part.offset = 16384;
	t.chips[PART].mtd.part.size = 32768;
	for (i = 0; i < MTDS; i++) {
		mtdcore_add(&t.chips[i].mtd);
		t.there[i] = true;
		t.open[i] = 0;
	}
}

static void drop_mtds(void)
{
	unsigned int i;

	for (i = 0; i < MTDS; i++) {
		while (t.open[i]) {
			t.open[i]--;
			mtdcore_close(&t.chips[i].mtd);
		}
		if (t.there[i])
			mtdcore_remove(&t.chips[i].mtd);
		chip_destroy(&t.chips[i]);
	}
}

static int chip_nr(const char *name)
{
	int i;

	for (i = 0; i < MTDS; i++)
		if (!strcmp(t.chips[i].mtd.name, name))
			return i;
	return -1;
}

static bool is_documented(int err)
{
	static const int all[] = {
		EINVAL, ERANGE, ENODEV, EBUSY, ELOOP, EROFS, EOPNOTSUPP, ENOSPC, ENFILE,
		EEXIST, ENOMEM,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		if (err == -all[i])
			return true;
	return false;
}

static void put(const char *name, const char *text, size_t bytes)
{
	unsigned int mtds = mtdcore_count(), allocated = shim.allocated;
	unsigned int errors = shim.errors, refused = shim.refused;
	struct attribute **attr = shim.attributes->attrs;
	struct device_attribute *device_attr;
	bool attaching = *name == 'a';
	ssize_t got;

	while (strcmp((*attr)->name, name))
		attr++;
	device_attr = container_of(*attr, struct device_attribute, attr);
	got = device_attr->store(NULL, device_attr, text, bytes);
	if (got >= 0) {
		must_be((size_t)got == bytes && shim.errors == errors);
		must_be(mtdcore_count() == mtds + (attaching ? 1 : -1));
		must_be(attaching ? shim.allocated > allocated : shim.allocated < allocated);
		return;
	}
	must_be(is_documented(got) && shim.errors == errors + 1);
	must_be(mtdcore_count() == mtds && shim.allocated == allocated);
	must_be(got != -ENOMEM || shim.refused > refused);
}

static void load(void)
{
	unsigned int mtds = mtdcore_count(), errors = shim.errors;
	int err = shim_module_init();

	t.loaded = !err;
	if (t.loaded)
		return;
	must_be(mtdcore_count() == mtds && !shim.allocated && !shim.attributes);
	must_be(is_documented(err));
	/* Only requests that sysfs itself refuses lack a message of the module. */
	must_be(shim.errors - errors <= 1);
}

static void parameter(const char *text)
{
	unsigned int errors = shim.errors;
	int err = shim_param_mtd->set(text, NULL);

	must_be(!err || is_documented(err));
	must_be(shim.errors == errors + !!err);
}

static void on_mtd(char what, const char *name)
{
	int nr = chip_nr(name);

	if (nr < 0)
		return;
	if (what == 'o' && t.there[nr] && t.open[nr] < 100 &&
	    !mtdcore_open(&t.chips[nr].mtd))
		t.open[nr]++;
	if (what == 'c' && t.open[nr]) {
		t.open[nr]--;
		mtdcore_close(&t.chips[nr].mtd);
	}
	if (what == 'v' && t.there[nr] && !t.open[nr]) {
		mtdcore_remove(&t.chips[nr].mtd);
		t.there[nr] = false;
	}
	if (what == 'r' && !t.there[nr]) {
		mtdcore_add(&t.chips[nr].mtd);
		t.there[nr] = true;
	}
}

/* An open device can't be detached. */
static void try_open(const char *name)
{
	struct mtd_info *mtd = mtdcore_find(name);

	if (!mtd || chip_nr(name) >= 0)
		return;
	must_be(!mtdcore_open(mtd));
	put("detach", name, strlen(name));
	must_be(mtdcore_find(name) == mtd);
	mtdcore_close(mtd);
}

static void line(char what, const char *text, size_t bytes)
{
	char small = tolower((unsigned char)what);

	if (small == 'p') {
		if (!t.loaded)
			parameter(text);
		return;
	}
	if (small == 'f') {
		shim.refuse_after = strtoul(text, NULL, 10) % 64;
		return;
	}
	if (!t.loaded)
		load();
	if (!t.loaded)
		return;
	switch (small) {
	case 'a':
		put("attach", text, bytes);
		break;
	case 'd':
		put("detach", text, bytes);
		break;
	case 'o':
		try_open(text);
		fallthrough;
	default:
		on_mtd(small, text);
	}
}

/* Take the next line: its letter, and the string as the kernel would pass it. */
static bool next_line(struct input *in)
{
	const u8 *end;
	char what, *text;
	size_t len, i;

	if (!in->left)
		return false;
	end = memchr(in->at, '\n', in->left);
	len = end ? (size_t)(end - in->at) : in->left;
	if (!len) {
		take(in);
		return true;
	}
	what = take(in);
	len = min_t(size_t, len - 1, STRING_MAX - 1);
	text = calloc(1, len + 2);
	must_be(text);
	for (i = 0; i < len; i++) {
		text[i] = take(in);
		if (text[i] == '\001')
			text[i] = '\0';
		if (text[i] == '\002')
			text[i] = '\n';
	}
	if (isupper((unsigned char)what))
		text[len++] = '\n';
	/* Memory of exactly its size. */
	text = realloc(text, len + 1);
	line(what, text, len);
	free(text);
	in->left -= end ? (size_t)(end + 1 - in->at) : in->left;
	in->at = end + !!end;
	return true;
}

int fuzz_one(const u8 *data, size_t bytes)
{
	struct input in = { data, bytes };
	unsigned int n = 0;

	shim_reset(1);
	mtdcore_reset();
	t.loaded = false;
	make_mtds();
	while (n++ < LINES_MAX && next_line(&in))
		;
	if (!t.loaded)
		load();
	shim.refuse_after = 0;
	if (t.loaded)
		shim_module_exit();
	must_be(!shim.allocated && !shim.attributes && mtdcore_count() <= MTDS);
	drop_mtds();
	must_be(!mtdcore_count());
	return 0;
}
