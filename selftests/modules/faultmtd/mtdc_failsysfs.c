// SPDX-License-Identifier: GPL-2.0
/*
 * Lets sysfs_create_group() fail for the root device "mtdcompr" while `fail` is 1: a
 * load of mtdcompr that fails after its devices could be seen and opened, which no
 * input to it can bring about.  What has been made is left, to be removed with the
 * device.  And disk_alloc_events(), which has nothing to do for it, for the disks of
 * mtdcompr while `disk` is 1: the block layer does not take them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/blkdev.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kobject.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/string.h>

/* How long others have to find what is to go. */
#define FOUND_MS	4

static bool fail;
module_param(fail, bool, 0644);
MODULE_PARM_DESC(fail, "sysfs_create_group() fails for the device \"mtdcompr\"");

static bool disk;
module_param(disk, bool, 0644);
MODULE_PARM_DESC(disk, "add_disk() fails for those of mtdcompr");

/* The module, which newer kernels do not load without its groups, has the same name. */
static bool is_root_device(const struct kobject *kobj)
{
	const char *name = kobject_name(kobj);

	return name && !strcmp(name, "mtdcompr") && kobj->parent &&
		!strcmp(kobject_name(kobj->parent), "devices");
}

/* Not 0: the return is of no interest. */
static int at_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct kobject *kobj = (const void *)regs_get_kernel_argument(regs, 0);

	if (!fail || !kobj || !is_root_device(kobj))
		return 1;
	/* So that some have the device open by now. One can't sleep here. */
	mdelay(FOUND_MS);
	return 0;
}

static int at_disk(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct gendisk *added = (const void *)regs_get_kernel_argument(regs, 0);

	return !disk || !added || strncmp(added->disk_name, "mtdcompr", 8);
}

static int at_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	regs_set_return_value(regs, -ENOMEM);
	return 0;
}

static struct kretprobe probe = {
	.kp.symbol_name = "sysfs_create_group",
	.entry_handler = at_entry,
	.handler = at_return,
};

static struct kretprobe disk_probe = {
	.kp.symbol_name = "disk_alloc_events",
	.entry_handler = at_disk,
	.handler = at_return,
};

static int __init failsysfs_init(void)
{
	int err = register_kretprobe(&probe);

	if (err)
		return err;
	err = register_kretprobe(&disk_probe);
	if (err)
		unregister_kretprobe(&probe);
	return err;
}

static void __exit failsysfs_exit(void)
{
	unregister_kretprobe(&disk_probe);
	unregister_kretprobe(&probe);
}

module_init(failsysfs_init);
module_exit(failsysfs_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Lets the load of mtdcompr fail at its end");
