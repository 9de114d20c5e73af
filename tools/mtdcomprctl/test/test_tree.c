// SPDX-License-Identifier: GPL-2.0
/*
 * Tests on trees of files: media and their users, setting and restoring vm.page-cluster, an attach
 * without the compressor in the module.
 */
#include <errno.h>
#include "tree.h"
#include "attach.h"
#include "cluster.h"
#include "knob.h"
#include "list_columns.h"
#include "lines.h"
#include "medium.h"

#define ATTACH "/sys/devices/mtdcompr/attach"

/* The stand-in for the module refuses requests that contain one of these, up to NULL. */
static const char *lacks[4];
/* Its answer to other requests: 0 or a negative errno. */
static int answer;
/* Number of devices that other programs attach at the same time. */
static unsigned int others;
/* The media's name in the statistics. */
static const char *lower_name = "ext";
static char asked[4096];
/* Number of the MTD below in the statistics, and further lines of them. */
static int lower_mtd = 10;
static const char *lines = "";

/* put_others() - add them before or after ours: directory order is arbitrary */
static void put_others(unsigned int after)
{
	char path[64], text[128];
	unsigned int i;

	for (i = after; i < others; i += 2) {
		snprintf(path, sizeof(path), "/proc/mtdcompr/other%u", i);
		snprintf(text, sizeof(text), "name: other%u\nmtd: %u\nlower_mtd: %u\n"
			 "lower_name: ext%u\ndisk: mtdcompr%u\n", i, 20 + i, 30 + i, i, 1 + i);
		tree_put(path, text);
	}
}

int __real_sys_write(const char *path, const char *text);
int __wrap_sys_write(const char *path, const char *text);

int __wrap_sys_write(const char *path, const char *text)
{
	char device[256];
	unsigned int i;

	if (strcmp(path, ATTACH))
		return __real_sys_write(path, text);
	snprintf(asked + strlen(asked), sizeof(asked) - strlen(asked), "%s ", text);
	for (i = 0; i < ARRAY_SIZE(lacks) && lacks[i]; i++)
		if (strstr(text, lacks[i]))
			return -EOPNOTSUPP;
	put_others(0);
	snprintf(device, sizeof(device), "name: mtdcompr0\nmtd: 1\nlower_mtd: %d\n"
		 "lower_name: %s\ndisk: mtdcompr0\n%s", lower_mtd, lower_name, lines);
	if (!answer)
		tree_put("/proc/mtdcompr/mtdcompr0", device);
	put_others(1);
	return answer;
}

static void put_mtd(unsigned int mtd, const char *name, const char *type, const char *size,
		    const char *flags)
{
	char path[64];
	const char *const files[] = { "name", type ? "type" : "x", "size", "flags" };
	const char *const texts[] = { name, type, size, flags };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		char text[80];

		if (!texts[i])
			continue;
		snprintf(path, sizeof(path), "/sys/class/mtd/mtd%u/%s", mtd, files[i]);
		snprintf(text, sizeof(text), "%s\n", texts[i]);
		tree_put(path, text);
	}
	snprintf(path, sizeof(path), "/sys/class/mtd/mtd%uro/name", mtd);
	tree_put(path, "x\n");
}

static struct devices devices;
static struct media media;

static void put_media(void)
{
	tree_make();
	put_mtd(0, "boot", "nor", "1048576", "0xc00");
	put_mtd(1, "small", "ram", "8388608", "0x1c00");
	put_mtd(2, "pcm", "nor", "268435456", "0x1c00");
	put_mtd(3, "swap", "nand", "536870912", "0x400");
	put_mtd(10, "ext", "ram", "67108864", "0x1c00");
	put_mtd(11, "rom", "rom", "67108864", "0x0");
	put_mtd(12, "mtdram test device", "ram", "4294967296", "0x1c00");
	put_mtd(13, "block2mtd: /dev/sda", "ram", "4294967296", "0x1c00");
	put_mtd(14, "half", "ram", NULL, "0x1c00");
	put_mtd(15, "tiny", "ram", "4096", "0x1c00");
	tree_put("/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");
	tree_put("/proc/self/mountinfo", "22 1 0:21 / /proc rw,relatime - proc none rw\n");
}

static void load(void)
{
	expect_eq(devices_read(&devices), 0);
	expect_eq(media_read(&media, &devices), 0);
}

static const char *chosen(void)
{
	const struct medium *medium;

	load();
	medium = media_choose(&media, &devices);
	return medium ? medium->name : "(none)";
}

static const char *unfit(const char *name)
{
	const char *why = medium_unfit(media_find(&media, name), &devices);

	return why ? why : "(fit)";
}

static void test_media(void)
{
	put_media();
	expect_text(chosen(), "ext");
	expect_eq(media.n, 10);
	expect_eq(media.of[0].mtd, 0);
	expect_eq(media.of[9].mtd, 15);
	expect_text(unfit("boot"), "is flash without \"swap\" in its name");
	expect_text(unfit("swap"), "(fit)");
	expect_text(unfit("rom"), "is read-only");
	expect_text(unfit("half"), "is read-only");
	expect_text(unfit("tiny"), "is smaller than four pages");
	expect_text(unfit("mtdram test device"), "is the kernel's own memory, for tests");
	expect_eq(media_find(&media, "10")->mtd, 10);
	expect_eq(media_find(&media, "/dev/mtd3")->mtd, 3);
	expect_eq(media_find(&media, "mtd3")->mtd, 3);
	expect(!media_find(&media, "9"));
	expect(!media_find(&media, "mtd3ro"));
	expect(!media_find(&media, ""));
	expect(!media_find(&media, "99999999999999999999"));
}

/* Mark the MTDs used one after the other; each time the next best is chosen. */
static void test_used(void)
{
	put_media();
	tree_put("/proc/mtdcompr/a", "name: a\nmtd: 20\nlower_mtd: 10\ndisk: mtdcompr0\n");
	expect_text(chosen(), "small");
	expect_text(unfit("ext"), "has a");
	tree_put("/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/mtdblock1 partition\t8188\t0\t-2\n");
	expect_text(chosen(), "pcm");
	expect_text(unfit("small"), "is swap");
	tree_put("/proc/self/mountinfo", "40 1 31:2 / /flash rw - ext4 /dev/mtdblock2 rw\n");
	expect_text(chosen(), "swap");
	expect_text(unfit("pcm"), "is mounted at /flash");
	tree_put("/sys/class/ubi/ubi0/mtd_num", "3\n");
	tree_put("/sys/class/ubi/version", "1\n");
	expect_text(chosen(), "(none)");
	expect_text(unfit("swap"), "has ubi0");
	tree_put("/proc/self/mountinfo", "40 1 31:2 / /flash rw shared:7 - jffs2 mtd:pcm rw\n");
	expect_text(chosen(), "(none)");
	tree_put("/proc/self/mountinfo", "");
	tree_put("/sys/module/mtdoops/parameters/mtddev", "pcm\n");
	expect_text(chosen(), "(none)");
	expect_text(unfit("pcm"), "is for mtdoops");
	tree_put("/sys/module/mtdoops/parameters/mtddev", "");
	expect_text(chosen(), "pcm");
	/* The root device under the kernel's name /dev/root. */
	tree_put("/proc/self/mountinfo", "22 1 31:2 / / ro shared:1 - squashfs /dev/root ro\n");
	expect_text(chosen(), "(none)");
	expect_text(unfit("pcm"), "is mounted at /");
	tree_put("/proc/self/mountinfo", "");
	tree_mkdir("/sys/class/mtd/mtd2/mtd2");
	tree_mkdir("/sys/class/mtd/mtd2/mtd1ro");
	expect_text(chosen(), "pcm");
	tree_mkdir("/sys/class/mtd/mtd2/mtd1");
	expect_text(chosen(), "(none)");
	expect_text(unfit("pcm"), "has the partition mtd1");
	put_mtd(20, "a", "ram", "67108864", "0x1c00");
	expect_text(chosen(), "(none)");
	expect_text(unfit("20"), "is a compressed MTD itself");
	tree_make();
	expect_eq(media_read(&media, &devices), -ENOENT);
}

/* FUSE mounts named like media, in directories whose names look like the end of a line. */
static void test_fuse(void)
{
	static const char *const names[] = { "/dev/mtdblock10", "mtd10", "mtd:ext", "31:10" };
	static char line[4 * LINES_MAX];
	unsigned int i;

	put_media();
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(line, sizeof(line), "%s /home/u/m fuse rw,user_id=1000 0 0\n", names[i]);
		tree_put("/proc/self/mounts", line);
		snprintf(line, sizeof(line), "70 1 0:50 / /home/u/m rw - fuse %s rw,user_id=1000\n",
			 names[i]);
		tree_put("/proc/self/mountinfo", line);
		expect_text(chosen(), "ext");
	}
	/* The rest of a truncated line is never read as a line, wherever the cut is. */
	for (i = 0; i < 40; i++) {
		snprintf(line, sizeof(line), "70 1 0:50 / /%0*d - x 31:10 / /y rw - fuse z rw\n",
			 (int)(LINES_MAX - 40 + i), 0);
		tree_put("/proc/self/mountinfo", line);
		expect_text(chosen(), "ext");
	}
}

/* The suggested word for a command line names this MTD and no other. */
static void test_word(void)
{
	char word[MEDIA_WORD];

	put_media();
	put_mtd(16, "ext", "ram", "67108864", "0x1c00");
	put_mtd(17, "7", "ram", "67108864", "0x1c00");
	put_mtd(18, "-f", "ram", "67108864", "0x1c00");
	put_mtd(19, "", "ram", "67108864", "0x1c00");
	load();
	expect_text(media_word(&media, media_find(&media, "10"), word), "ext");
	expect_text(media_word(&media, media_find(&media, "16"), word), "16");
	expect_text(media_word(&media, media_find(&media, "17"), word), "17");
	expect_text(media_word(&media, media_find(&media, "18"), word), "18");
	expect_text(media_word(&media, media_find(&media, "19"), word), "19");
	expect_text(media_word(&media, media_find(&media, "12"), word), "12");
}

static void test_devices(void)
{
	char file[DEVICE_FILE];

	tree_make();
	expect_eq(devices_read(&devices), 0);
	expect_eq(devices.n, 0);
	tree_put("/proc/mtdcompr/mtdcompr1", "name: mtdcompr1\nmtd: 5\ndisk: mtdcompr0\ndevice: 0\n");
	tree_put("/proc/mtdcompr/second", "name: second\nmtd: 7\ndisk: mtdcompr2\ndevice: 2\n");
	tree_put("/proc/mtdcompr/first", "name: first\nmtd: 6\ndisk: mtdcompr1\ndevice: 1\n");
	tree_put("/proc/swaps",
		 "Filename\tType\tSize\tUsed\tPriority\n/dev/mtdcompr1 partition\t8188\t12\t100\n"
		 "/dev/mtdblock5 partition\t8188\t0\t-2\n/swapfile file 1 0 -3\n");
	tree_put("/sys/block/mtdcompr2/dev", "253:2\n");
	tree_put("/proc/self/mountinfo", "30 1 0:30 / /home/u fuse rw - fuse /dev/mtdcompr2 rw\n"
		 "31 1 253:2 / /mnt rw - ext4 /dev/mtdcompr2 rw\n");
	expect_eq(devices_read(&devices), 0);
	expect_eq(devices.n, 3);
	expect_text(devices.of[0].name, "mtdcompr1");
	expect_text(devices.of[2].name, "second");
	expect(devices.of[0].swapped && devices.of[1].swapped && !devices.of[2].swapped);
	expect_eq(devices.of[1].swap.used_kib, 12);
	expect_eq(devices.of[0].swap.priority, -2);
	expect_text(devices.of[1].mount, "[SWAP]");
	expect_text(devices.of[2].mount, "/mnt");
	tree_put("/proc/self/mountinfo", "31 1 31:7 / /flash rw - jffs2 mtd7 rw\n");
	expect_eq(devices_read(&devices), 0);
	expect_text(devices.of[2].mount, "/flash");
	/* A bare word means the MTD's name first, a path means the disk. */
	expect_eq(devices_find(&devices, "mtdcompr1")->mtd, 5);
	expect_eq(devices_find(&devices, "/dev/mtdcompr1")->mtd, 6);
	expect_eq(devices_find(&devices, "mtdcompr2")->mtd, 7);
	expect_eq(devices_find(&devices, "/dev/mtd7")->mtd, 7);
	expect_eq(devices_find(&devices, "/dev/mtdblock6")->mtd, 6);
	expect_eq(devices_find(&devices, "7")->mtd, 7);
	expect(!devices_find(&devices, "mtdcompr3"));
	expect(!devices_find(&devices, "/dev/first"));
	expect(!devices_find(&devices, ""));
	expect_text(device_file(&devices.of[0], file), "/dev/mtdcompr0");
	/* A device without a disk, because the kernel refused it. */
	tree_put("/proc/mtdcompr/second", "name: second\nmtd: 7\ndisk: none\ndevice: 2\n");
	tree_put("/sys/block/none/dev", "253:9\n");
	tree_put("/proc/self/mountinfo", "31 1 253:9 / /mnt rw - ext4 /dev/none rw\n"
		 "32 1 0:32 / /mnt rw - tmpfs second rw\n");
	expect_eq(devices_read(&devices), 0);
	expect_text(device_file(&devices.of[2], file), "second");
	expect_text(devices.of[2].mount, "");
	expect(!devices_find(&devices, "none"));
	expect(!devices_find(&devices, "/dev/none"));
	expect(!devices_find(&devices, ""));
}

#define REGISTRY "/run/mtdcompr.knobs"

static void test_cluster(void)
{
	tree_make();
	expect(cluster_set(0) < 0);
	tree_put("/proc/sys/vm/page-cluster", "3\n");
	/* No change if the registry can't store the old value. */
	expect(cluster_set(0) < 0);
	expect_file("/proc/sys/vm/page-cluster", "3\n");
	tree_mkdir("/run");
	expect_eq(cluster_set(CLUSTER_KEEP), 0);
	expect_file("/proc/sys/vm/page-cluster", "3\n");
	expect_eq(cluster_set(0), 0);
	expect_file("/proc/sys/vm/page-cluster", "0");
	expect_eq(cluster_set(0), 0);
	/* A second swap with another value. */
	expect_eq(cluster_set(1), 0);
	expect_eq(cluster_restore(), 0);
	expect_file("/proc/sys/vm/page-cluster", "3");
	expect(!sys_exists(REGISTRY));
	expect_eq(cluster_restore(), 0);
	expect_file("/proc/sys/vm/page-cluster", "3");
}

/* The file is read-only: the failed attempt leaves nothing in the registry. */
static void test_cluster_fails(void)
{
	const char *fixed = "/proc/sys/kernel/ngroups_max";

	tree_make();
	tree_mkdir("/run");
	tree_mkdir("/proc/sys/vm");
	expect_eq(symlink(fixed, tree_path("/proc/sys/vm/page-cluster")), 0);
	expect(cluster_set(0) < 0);
	expect(!sys_exists(REGISTRY));
	/* The older entry stays in the registry. */
	remove(tree_path("/proc/sys/vm/page-cluster"));
	tree_put("/proc/sys/vm/page-cluster", "7\n");
	expect_eq(cluster_set(65536), 0);
	remove(tree_path("/proc/sys/vm/page-cluster"));
	expect_eq(symlink(fixed, tree_path("/proc/sys/vm/page-cluster")), 0);
	expect(cluster_set(0) < 0);
	remove(tree_path("/proc/sys/vm/page-cluster"));
	tree_put("/proc/sys/vm/page-cluster", "65536\n");
	expect_eq(cluster_restore(), 0);
	expect_file("/proc/sys/vm/page-cluster", "7");
}

/* A daemon that set it as well does not undo our value when it ends. */
static void test_cluster_daemon(void)
{
	tree_make();
	tree_mkdir("/run");
	tree_put("/proc/sys/vm/page-cluster", "3\n");
	knob_open(tree_path("/run/proswapd.state"));
	expect_eq(knob_set("/proc/sys/vm/page-cluster", "0"), 0);
	expect_eq(cluster_set(0), 0);
	knob_open(tree_path("/run/proswapd.state"));
	expect_eq(knob_reset("/proc/sys/vm/page-cluster"), 0);
	expect_file("/proc/sys/vm/page-cluster", "0");
	expect_eq(cluster_restore(), 0);
	expect_file("/proc/sys/vm/page-cluster", "3");
	expect(!sys_exists(REGISTRY));
}

static void test_cluster_changed(void)
{
	tree_make();
	tree_mkdir("/run");
	tree_put("/proc/sys/vm/page-cluster", "3\n");
	expect_eq(cluster_set(0), 0);
	/* Keep a value that another program has set. */
	tree_put("/proc/sys/vm/page-cluster", "5\n");
	expect_eq(cluster_restore(), 0);
	expect_file("/proc/sys/vm/page-cluster", "5\n");
	expect(!sys_exists(REGISTRY));
	/* A stale entry: the next set notes the present value. */
	expect_eq(cluster_set(0), 0);
	tree_put("/proc/sys/vm/page-cluster", "4\n");
	expect_eq(cluster_set(0), 0);
	expect_eq(cluster_restore(), 0);
	expect_file("/proc/sys/vm/page-cluster", "4");
	tree_put(REGISTRY, "nonsense");
	expect(cluster_restore() < 0);
	expect_file("/proc/sys/vm/page-cluster", "4");
}

/* ask() - attach; @asked gets the requests to the module */
static bool ask(const char *algorithm, const char *level, const char *first, const char *second,
		const char *third)
{
	struct spec spec = { .media = "ext", .algorithm = algorithm, .level = level };
	static struct device made;

	tree_make();
	tree_put(ATTACH, "");
	tree_mkdir("/proc/mtdcompr");
	lacks[0] = first;
	lacks[1] = second;
	lacks[2] = third;
	asked[0] = '\0';
	return attach(&spec, &made) && !strcmp(made.disk, "mtdcompr0");
}

/* taken() - is any device reported as the new one? */
static bool taken(void)
{
	struct spec spec = { .media = "ext" };
	static struct device made;

	tree_make();
	tree_put(ATTACH, "");
	tree_mkdir("/proc/mtdcompr");
	return attach(&spec, &made);
}

static void test_attach(void)
{
	answer = 0;
	expect(ask("zstd", "3", NULL, NULL, NULL));
	expect_text(asked, "mtd=ext,comp=zstd,level=3 ");
	expect(ask(NULL, NULL, NULL, NULL, NULL));
	expect_text(asked, "mtd=ext ");
	expect(ask("zstd", "3", "zstd", NULL, NULL));
	expect_text(asked, "mtd=ext,comp=zstd,level=3 mtd=ext,comp=zlib ");
	expect(ask("zstd", "3", "zstd", "zlib", "lz4"));
	expect_text(asked, "mtd=ext,comp=zstd,level=3 mtd=ext,comp=zlib mtd=ext,comp=lz4 mtd=ext,comp=lzo ");
	/* Refused with every compressor: not the compressor's fault. */
	expect(!ask("zstd", NULL, "mtd=", NULL, NULL));
	expect_text(asked, "mtd=ext,comp=zstd mtd=ext,comp=zlib mtd=ext,comp=lz4 mtd=ext,comp=lzo ");
	expect(!ask(NULL, NULL, "mtd=", NULL, NULL));
	expect_text(asked, "mtd=ext ");
	others = 6;
	expect(ask(NULL, NULL, NULL, NULL, NULL));
	/* A name with odd characters is not found; a single new device is ours then. */
	lower_name = "e?t";
	expect_eq(taken(), 0);
	others = 0;
	expect(ask(NULL, NULL, NULL, NULL, NULL));
	lower_name = "ext";
	answer = -EBUSY;
	expect(!ask("zstd", NULL, NULL, NULL, NULL));
	expect_text(asked, "mtd=ext,comp=zstd ");
	answer = 0;
}

/* warned() - the messages of an attach with these options, which succeeds */
static const char *warned(const char *media, const char *more)
{
	struct spec spec = { .media = media, .name = "mtdcompr0", .more = more };
	static struct device made;
	static char text[512];
	int fd = dup(2);
	FILE *file = tmpfile();

	dup2(fileno(file), 2);
	expect(attach(&spec, &made));
	fflush(stderr);
	dup2(fd, 2);
	close(fd);
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return strstr(text, "warning: ") ? strstr(text, "warning: ") : text;
}

/* Plain pages on media that keep them: a warning, unless the user asked for it. */
static void test_plain(void)
{
	static const char warning[] =
		"warning: swap: pages are not encrypted: the module lacks the cipher\n";

	put_media();
	tree_put(ATTACH, "");
	tree_mkdir("/proc/mtdcompr");
	lacks[0] = NULL;
	lower_mtd = 3;
	lines = "crypt: none\nwearlevel: 0\n";
	expect_text(warned("swap", NULL), warning);
	expect_text(warned("swap", "crypt=auto"), warning);
	expect_text(warned("swap", "crypt=off"), "");
	expect_text(warned("swap", "store=log,crypt=off"), "");
	lines = "crypt: chacha20poly1305\nwearlevel: 0\n";
	expect_text(warned("swap", NULL), "");
	/* An older module */
	lines = "";
	expect_text(warned("swap", NULL), "");
	/* RAM, unless wearlevel= makes it PCM; a UBI volume; a disk */
	lines = "crypt: none\nwearlevel: 0\n";
	lower_mtd = 10;
	expect_text(warned("swap", NULL), "");
	lines = "crypt: none\nwearlevel: 16\n";
	expect_text(warned("swap", NULL), warning);
	lines = "crypt: none\nwearlevel: 0\n";
	lower_mtd = -1;
	expect_text(warned("swap", NULL), warning);
	lower_mtd = 13;
	lower_name = "block2mtd: /dev/sda";
	expect_text(warned("swap", NULL), warning);
	lower_name = "ext";
	lower_mtd = 10;
	lines = "";
}

static void test_columns(void)
{
	struct columns columns;
	char bad[40];
	unsigned int n;

	columns_default(&columns);
	n = columns.n;
	expect(columns_parse(&columns, "name,Use%", bad, sizeof(bad)));
	expect_eq(columns.n, 2);
	expect(columns_parse(&columns, "+wear", bad, sizeof(bad)));
	expect_eq(columns.n, n + 1);
	expect(!columns_parse(&columns, "", bad, sizeof(bad)));
	expect(!columns_parse(&columns, "name,", bad, sizeof(bad)));
	expect(!columns_parse(&columns, "name,nam", bad, sizeof(bad)));
	expect_text(bad, "nam");
	expect(!columns_parse(&columns, "namex", bad, sizeof(bad)));
	columns_all(&columns);
	expect(columns.n > n && columns.n <= COLUMN_MAX);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "media, the best of them", test_media },
		{ "who uses media", test_used },
		{ "names of FUSE file systems", test_fuse },
		{ "media in a command line", test_word },
		{ "devices, by all their names", test_devices },
		{ "vm.page-cluster, and back", test_cluster },
		{ "vm.page-cluster, which cannot be written", test_cluster_fails },
		{ "vm.page-cluster, set by a daemon, too", test_cluster_daemon },
		{ "vm.page-cluster, changed by others", test_cluster_changed },
		{ "attach, with another compressor", test_attach },
		{ "attach, without encryption", test_plain },
		{ "lists of columns", test_columns },
	};
	int status = tap_main("tree", cases, ARRAY_SIZE(cases), argc, argv);

	tree_remove();
	return status;
}
