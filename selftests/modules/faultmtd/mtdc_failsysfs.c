// SPDX-License-Identifier: GPL-2.0
/*
 * While `fail` is 1, sysfs_create_group() fails for the root device "mtdcompr". So the load of
 * mtdcompr fails after its devices are visible and may be open; no input to the module can cause
 * that. The created files stay until the device is removed. While `disk` is 1, disk_alloc_events()
 * fails for the disks of mtdcompr, so add_disk() fails.
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

/* Time for other programs to find and open the device. */
#define FOUND_MS	4

static bool fail;
module_param(fail, bool, 0644);
MODULE_PARM_DESC(fail, "sysfs_create_group() fails for the device \"mtdcompr\"");

static bool disk;
module_param(disk, bool, 0644);
MODULE_PARM_DESC(disk, "add_disk() fails for those of mtdcompr");

/*
 * The module's own kobject has the same name, and newer kernels do not load a module without its
 * groups.
 */
static bool is_root_device(const struct kobject *kobj)
{
	const char *name = kobject_name(kobj);

	return name && !strcmp(name, "mtdcompr") && kobj->parent &&
		!strcmp(kobject_name(kobj->parent), "devices");
}

/* A result other than 0 skips the return handler. */
static int at_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct kobject *kobj = (const void *)regs_get_kernel_argument(regs, 0);

	if (!fail || !kobj || !is_root_device(kobj))
		return 1;
	/* Give other programs time to open the device. Sleeping is not allowed here. */
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
