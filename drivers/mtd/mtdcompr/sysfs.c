// SPDX-License-Identifier: GPL-2.0
/*
 * Attach and detach at run time: /sys/devices/mtdcompr/{attach,detach}.
 *
 * This file knows who may write to them. What is written it passes on.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "dev.h"
#include "sysfs.h"

static struct device *root;

static ssize_t pass_on(const char *buf, size_t count,
		       int (*to)(const char *text))
{
	int err;

	if (!capable(CAP_SYS_ADMIN)) {
		pr_err("attaching and detaching takes CAP_SYS_ADMIN\n");
		return -EPERM;
	}
	if (strlen(buf) != count) {
		pr_err("what was written has a NUL byte in it\n");
		return -EINVAL;
	}
	err = to(buf);
	return err ? err : count;
}

static ssize_t attach_store(struct device *device,
			    struct device_attribute *attr, const char *buf,
			    size_t count)
{
	return pass_on(buf, count, mtdc_dev_attach);
}
static DEVICE_ATTR_WO(attach);

static ssize_t detach_store(struct device *device,
			    struct device_attribute *attr, const char *buf,
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

/**
 * mtdc_sysfs_init() - make the attributes
 *
 * Context: process, may sleep.
 * Return: 0, or the error of the driver core.
 */
int mtdc_sysfs_init(void)
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

/**
 * mtdc_sysfs_exit() - remove the attributes
 *
 * Context: process, may sleep; waits for writers.
 */
void mtdc_sysfs_exit(void)
{
	sysfs_remove_group(&root->kobj, &mtdc_sysfs_group);
	root_device_unregister(root);
}
