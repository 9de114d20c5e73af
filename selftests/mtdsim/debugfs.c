// SPDX-License-Identifier: GPL-2.0
/*
 * Knobs and counters, in /sys/kernel/debug/mtdsim/<name>. Documentation/develop/mtdsim.rst
 * describes them.
 *
 * This file prints the counters and sets the knobs of the other files. It must not allocate or copy
 * from users while it holds the lock of a device: both could wait for a write to the same device.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "debugfs.h"
#include "mtd.h"

#define KNOB_BYTES	64	/* written */
#define TEXT_BYTES	SZ_32K	/* read */

static struct dentry *root;

static int counters_show(struct seq_file *file, void *unused)
{
	struct sim_dev *dev = file->private;
	u32 blocks = sim_chip_blocks(&dev->config), i;
	u32 wear_max = 0, broken = 0, bad = 0;
	struct sim_counters counters;
	u64 wear = 0;
	bool off;

	mutex_lock(&dev->lock);
	counters = dev->chip.counters;
	off = dev->chip.off;
	for (i = 0; i < blocks; i++) {
		wear += dev->chip.blocks[i].wear;
		wear_max = max(wear_max, dev->chip.blocks[i].wear);
		broken += dev->chip.blocks[i].broken;
		bad += dev->chip.blocks[i].bad;
	}
	mutex_unlock(&dev->lock);
#define COUNTER(name)	seq_printf(file, #name ": %llu\n", counters.name)
	COUNTER(reads);
	COUNTER(programs);
	COUNTER(erases);
	COUNTER(bytes_read);
	COUNTER(bytes_programmed);
	COUNTER(bytes_erased);
	COUNTER(violations);
	COUNTER(read_errors);
	COUNTER(program_errors);
	COUNTER(erase_errors);
	COUNTER(bits_corrected);
	COUNTER(reads_uncorrectable);
	COUNTER(power_cuts);
	COUNTER(refused_off);
	COUNTER(ns);
#undef COUNTER
	seq_printf(file, "wear_total: %llu\nwear_max: %u\n", wear, wear_max);
	seq_printf(file, "blocks_broken: %u\nblocks_bad: %u\n", broken, bad);
	seq_printf(file, "power: %s\n", off ? "off" : "on");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

static int config_show(struct seq_file *file, void *unused)
{
	const struct sim_dev *dev = file->private;
	const struct sim_config *config = &dev->config;
	const struct sim_times *times = &config->times;

	seq_printf(file, "type: %s\n", sim_config_type(config->type));
	seq_printf(file, "profile: %s\n", config->profile->name);
	seq_printf(file, "chip: %s\n", config->profile->chip);
	seq_printf(file, "rated_cycles: %u\n", config->profile->rated);
	seq_printf(file, "size: %u\n", config->size);
	seq_printf(file, "erasesize: %u\n", config->erasesize);
	seq_printf(file, "writesize: %u\n", config->writesize);
	seq_printf(file, "subpage: %u\n", config->subpage);
	seq_printf(file, "readsize: %u\n", config->readsize);
	seq_printf(file, "oobsize: %u\n", config->oobsize);
	seq_printf(file, "ecc: %u\n", config->ecc);
	seq_printf(file, "endurance: %u\n", config->endurance);
	seq_printf(file, "seed: %llu\n", config->seed);
	seq_printf(file, "read_ns: %u\n", times->read_ns);
	seq_printf(file, "read_unit: %u\n", times->read_unit);
	seq_printf(file, "bus_bytes: %u\n", times->bus_bytes);
	seq_printf(file, "read_cycle_ns: %u\n", times->read_cycle_ns);
	seq_printf(file, "write_cycle_ns: %u\n", times->write_cycle_ns);
	seq_printf(file, "program_ns: %u\n", times->program_ns);
	seq_printf(file, "program_unit: %u\n", times->program_unit);
	seq_printf(file, "erase_ns: %u\n", times->erase_ns);
	seq_printf(file, "erase_unit: %u\n", times->erase_unit);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(config);

static int wear_show(struct seq_file *file, void *unused)
{
	struct sim_dev *dev = file->private;
	u32 blocks = sim_chip_blocks(&dev->config), i;
	struct sim_block block;

	for (i = 0; i < blocks; i++) {
		mutex_lock(&dev->lock);
		block = dev->chip.blocks[i];
		mutex_unlock(&dev->lock);
		seq_printf(file, "%u %u%s%s\n", i, block.wear,
			   block.broken ? " broken" : "",
			   block.bad ? " bad" : "");
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(wear);

/**
 * struct knob - a file that can be written
 * @name: its name
 * @set: sets the knob; gets the written text without the newline, and may modify it; called with
 *    the lock
 * @show: prints the setting; called with the lock
 * @kind: the fault, if the knob sets one
 */
struct knob {
	const char *name;
	int (*set)(struct sim_dev *dev, const struct knob *knob, char *text);
	int (*show)(struct sim_dev *dev, const struct knob *knob, char *text);
	enum sim_fault_kind kind;
};

static int fault_set(struct sim_dev *dev, const struct knob *knob, char *text)
{
	return sim_fault_set(&dev->chip.faults[knob->kind], text);
}

static int fault_show(struct sim_dev *dev, const struct knob *knob, char *text)
{
	return sim_fault_print(&dev->chip.faults[knob->kind], text, TEXT_BYTES);
}

static int delay_set(struct sim_dev *dev, const struct knob *knob, char *text)
{
	return sim_delay_set(&dev->delay, text);
}

static int delay_show(struct sim_dev *dev, const struct knob *knob, char *text)
{
	return scnprintf(text, TEXT_BYTES, "%s\n", sim_delay_name(&dev->delay));
}

static int power_set(struct sim_dev *dev, const struct knob *knob, char *text)
{
	bool on;

	if (kstrtobool(text, &on))
		return -EINVAL;
	dev->chip.off = !on;
	return 0;
}

static int power_show(struct sim_dev *dev, const struct knob *knob, char *text)
{
	return scnprintf(text, TEXT_BYTES, "%d\n", !dev->chip.off);
}

/* "OFFSET", "OFFSET BITS" or "none" */
static int flip_set(struct sim_dev *dev, const struct knob *knob, char *text)
{
	u32 offset, bits = 1;
	char *first;

	if (!strcmp(text, "none")) {
		dev->chip.nflips = 0;
		return 0;
	}
	/* Refuse trailing text, which might be meant as another bit. */
	first = strsep(&text, " ");
	if (kstrtou32(first, 0, &offset) ||
	    (text && (kstrtou32(text, 0, &bits) || !bits)))
		return -EINVAL;
	return sim_chip_flip(&dev->chip, offset, bits);
}

static int flip_show(struct sim_dev *dev, const struct knob *knob, char *text)
{
	const struct sim_chip *chip = &dev->chip;
	unsigned int i;
	int len = 0;

	for (i = 0; i < chip->nflips; i++)
		len += scnprintf(text + len, TEXT_BYTES - len, "%u 0x%02x\n",
				 chip->flips[i].offset, chip->flips[i].mask);
	return len;
}

static int renew_set(struct sim_dev *dev, const struct knob *knob, char *text)
{
	bool yes;

	if (kstrtobool(text, &yes) || !yes)
		return -EINVAL;
	sim_chip_renew(&dev->chip);
	dev->mtd.ecc_stats = (struct mtd_ecc_stats) {
		.badblocks = dev->config.nbad,
	};
	dev->renewals++;
	return 0;
}

static int renew_show(struct sim_dev *dev, const struct knob *knob, char *text)
{
	return scnprintf(text, TEXT_BYTES, "%u\n", dev->renewals);
}

static int break_set(struct sim_dev *dev, const struct knob *knob, char *text)
{
	u32 block;

	if (kstrtou32(text, 0, &block))
		return -EINVAL;
	if (block >= sim_chip_blocks(&dev->config))
		return -ERANGE;
	dev->chip.blocks[block].broken = true;
	return 0;
}

static int break_show(struct sim_dev *dev, const struct knob *knob, char *text)
{
	u32 blocks = sim_chip_blocks(&dev->config), i;
	int len = 0;

	for (i = 0; i < blocks; i++)
		if (dev->chip.blocks[i].broken)
			len += scnprintf(text + len, TEXT_BYTES - len, "%u\n", i);
	return len;
}

#define FAULT(name, kind)	{ name, fault_set, fault_show, kind }

static const struct knob knobs[] = {
	FAULT("fail_read_at", SIM_FAIL_READ),
	FAULT("fail_program_at", SIM_FAIL_PROGRAM),
	FAULT("no_memory_at", SIM_NO_MEMORY),
	FAULT("fail_erase_at", SIM_FAIL_ERASE),
	FAULT("torn_at", SIM_TORN_PROGRAM),
	FAULT("torn_erase_at", SIM_TORN_ERASE),
	FAULT("power_cut_at", SIM_POWER_CUT),
	FAULT("flip_at", SIM_FLIP),
	FAULT("ecc_fail_at", SIM_ECC_FAIL),
	FAULT("corrected_at", SIM_CORRECTED),
	FAULT("short_read_at", SIM_SHORT_READ),
	FAULT("short_program_at", SIM_SHORT_PROGRAM),
	FAULT("lost_program_at", SIM_LOST_PROGRAM),
	FAULT("part_program_at", SIM_PARTIAL_PROGRAM),
	FAULT("lost_erase_at", SIM_LOST_ERASE),
	FAULT("break_at", SIM_BREAK),
	{ "power_on", power_set, power_show },
	{ "flip", flip_set, flip_show },
	{ "break_block", break_set, break_show },
	{ "renew", renew_set, renew_show },
	{ "delay", delay_set, delay_show },
};

/* The parent directory holds the device, the file its knob. */
static struct sim_dev *dev_of(const struct file *file)
{
	return d_inode(file->f_path.dentry->d_parent)->i_private;
}

static ssize_t knob_read(struct file *file, char __user *to, size_t count,
			 loff_t *pos)
{
	const struct knob *knob = file_inode(file)->i_private;
	struct sim_dev *dev = dev_of(file);
	char *text = kvmalloc(TEXT_BYTES, GFP_KERNEL);
	ssize_t len;

	if (!text)
		return -ENOMEM;
	mutex_lock(&dev->lock);
	len = knob->show(dev, knob, text);
	mutex_unlock(&dev->lock);
	len = simple_read_from_buffer(to, count, pos, text, len);
	kvfree(text);
	return len;
}

static ssize_t knob_write(struct file *file, const char __user *from,
			  size_t count, loff_t *pos)
{
	const struct knob *knob = file_inode(file)->i_private;
	struct sim_dev *dev = dev_of(file);
	char text[KNOB_BYTES];
	int err;

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, count))
		return -EFAULT;
	text[count] = '\0';
	mutex_lock(&dev->lock);
	err = knob->set(dev, knob, strim(text));
	mutex_unlock(&dev->lock);
	return err ?: count;
}

static const struct file_operations knob_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = knob_read,
	.write = knob_write,
	.llseek = default_llseek,
};

/**
 * sim_debugfs_init() - make the directory of all devices
 *
 * Without debugfs the devices work, but have no knobs.
 *
 * Context: process; may sleep.
 */
void sim_debugfs_init(void)
{
	root = debugfs_create_dir("mtdsim", NULL);
}

/**
 * sim_debugfs_exit() - remove the directory of all devices
 *
 * Context: process; may sleep.
 */
void sim_debugfs_exit(void)
{
	debugfs_remove(root);
}

/**
 * sim_debugfs_add() - make the files of a device
 * @dev: the device
 *
 * Context: process; may sleep.
 */
void sim_debugfs_add(struct sim_dev *dev)
{
	unsigned int i;

	dev->files = debugfs_create_dir(dev->config.name, root);
	if (IS_ERR(dev->files))
		return;
	d_inode(dev->files)->i_private = dev;
	debugfs_create_file("config", 0444, dev->files, dev, &config_fops);
	debugfs_create_file("counters", 0444, dev->files, dev, &counters_fops);
	debugfs_create_file("wear", 0444, dev->files, dev, &wear_fops);
	for (i = 0; i < ARRAY_SIZE(knobs); i++)
		debugfs_create_file(knobs[i].name, 0644, dev->files,
				    (void *)&knobs[i], &knob_fops);
}

/**
 * sim_debugfs_remove() - remove the files of a device
 * @dev: the device
 *
 * Context: process; may sleep. Waits for the users of the files.
 */
void sim_debugfs_remove(struct sim_dev *dev)
{
	debugfs_remove(dev->files);
}
