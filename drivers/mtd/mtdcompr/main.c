// SPDX-License-Identifier: GPL-2.0
/*
 * MTDCOMPR: a compressing MTD on top of an MTD, for swap.
 *
 * This file owns the module's init and exit, and both ways to ask for devices: the parameter mtd=
 * and the files attach and detach in /sys/devices/mtdcompr. It checks who may write to these and
 * passes the text on to dev.c; it must never look at a device itself.
 *
 * Documentation/reference/options.rst tells how to use the module,
 * Documentation/explanation/design.rst how it is made.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "dev.h"
#include "lower.h"
#include "proc.h"

#define MTDC_PARAM_BYTES	256

/* The values of mtd=, in their order, until init attaches them. */
static char mtd_params[MTDCOMPR_DEVICES_MAX][MTDC_PARAM_BYTES] __initdata;
static unsigned int mtd_params_n __initdata;

static int __init mtd_param_set(const char *text, const struct kernel_param *kp)
{
	if (!text || !*text) {
		pr_err("mtd= needs a value: <number or name>[,option=value]...\n");
		return -EINVAL;
	}
	if (mtd_params_n == MTDCOMPR_DEVICES_MAX) {
		pr_err("can't attach \"%s\": there are 32 devices already\n", text);
		return -ENFILE;
	}
	if (strscpy(mtd_params[mtd_params_n], text, MTDC_PARAM_BYTES) < 0) {
		pr_err("can't attach \"%.80s...\": longer than 255 bytes\n", text);
		return -EINVAL;
	}
	mtd_params_n++;
	return 0;
}

static const struct kernel_param_ops mtd_param_ops = {
	.set = mtd_param_set,
};

module_param_cb(mtd, &mtd_param_ops, NULL, 0);
MODULE_PARM_DESC(mtd, "<number or name>[,comp=lz4|lzo|zlib|zstd|none][,level=N][,size=N[KMG]|,ratio=PERCENT][,alloc=rotate|best|largest][,store=auto|inplace|log][,spread=N][,wearlevel=N][,crypt=auto|on|off][,wipe=0|1][,cache=0|1][,sync=0|1][,name=NAME]; an MTD to put a compressed one on; may be given up to 32 times");

static int __init attach_params(void)
{
	const char *texts[MTDCOMPR_DEVICES_MAX];
	unsigned int i;

	for (i = 0; i < mtd_params_n; i++)
		texts[i] = mtd_params[i];
	return mtdc_dev_attach_all(texts, mtd_params_n);
}

static struct device *root;

static ssize_t pass_on(const char *buf, size_t count, int (*to)(const char *text))
{
	int err;

	if (!capable(CAP_SYS_ADMIN)) {
		pr_err("attaching and detaching takes CAP_SYS_ADMIN\n");
		return -EPERM;
	}
	if (strlen(buf) != count) {
		pr_err("the text has a NUL byte in it\n");
		return -EINVAL;
	}
	err = to(buf);
	return err ? err : count;
}

static ssize_t attach_store(struct device *device, struct device_attribute *attr, const char *buf,
			    size_t count)
{
	return pass_on(buf, count, mtdc_dev_attach);
}
static DEVICE_ATTR_WO(attach);

static ssize_t detach_store(struct device *device, struct device_attribute *attr, const char *buf,
			    size_t count)
{
	return pass_on(buf, count, mtdc_dev_detach);
}
static DEVICE_ATTR_WO(detach);

static struct attribute *mtdc_sysfs_attrs[] = {
	&dev_attr_attach.attr,
	&dev_attr_detach.attr,
	NULL
};

static const struct attribute_group mtdc_sysfs_group = {
	.attrs = mtdc_sysfs_attrs,
};

/* Not inlined: the guest test failnth looks for this name in stacks. */
static noinline int __init mtdc_sysfs_init(void)
{
	int err;

	root = root_device_register(MTDCOMPR_SYSFS_DEVICE);
	if (IS_ERR(root))
		return PTR_ERR(root);
	err = sysfs_create_group(&root->kobj, &mtdc_sysfs_group);
	if (err)
		root_device_unregister(root);
	return err;
}

/* Waits for writers. */
static void mtdc_sysfs_exit(void)
{
	sysfs_remove_group(&root->kobj, &mtdc_sysfs_group);
	root_device_unregister(root);
}

static int __init mtdc_init(void)
{
	int err;

	err = mtdc_proc_init();
	if (err)
		return err;
	mtdc_lower_init();
	err = attach_params();
	if (err)
		goto err_exit_lower;
	err = mtdc_sysfs_init();
	if (err)
		goto err_detach_all;
	err = mtdc_dev_power_init();
	if (err)
		goto err_exit_sysfs;
	return 0;

err_exit_sysfs:
	mtdc_sysfs_exit();
err_detach_all:
	mtdc_dev_detach_all();
err_exit_lower:
	mtdc_lower_exit();
	mtdc_proc_exit();
	return err;
}

static void __exit mtdc_exit(void)
{
	mtdc_dev_power_exit();
	mtdc_sysfs_exit();
	mtdc_dev_detach_all();
	mtdc_lower_exit();
	mtdc_proc_exit();
}

/* If the module is built in, attach after the drivers of flash have found their chips. */
late_initcall(mtdc_init);
module_exit(mtdc_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Compressing MTD on top of an MTD, for swap");
MODULE_AUTHOR("The MTDCOMPR developers");
