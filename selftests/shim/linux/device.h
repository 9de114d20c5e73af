/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_DEVICE_H
#define SHIM_LINUX_DEVICE_H

#include <linux/sysfs.h>

struct device {
	struct kobject kobj;
};

struct device_attribute {
	struct attribute attr;
	ssize_t (*store)(struct device *device, struct device_attribute *attr,
			 const char *buf, size_t count);
};

#define DEVICE_ATTR_WO(name_) \
	struct device_attribute dev_attr_##name_ = { \
		.attr = { .name = #name_ }, .store = name_##_store \
	}

struct device *root_device_register(const char *name);
void root_device_unregister(struct device *root);

#endif
