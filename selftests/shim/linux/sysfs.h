/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SYSFS_H
#define SHIM_LINUX_SYSFS_H

#include <linux/types.h>

struct kobject {
	int unused;
};

struct attribute {
	const char *name;
};

struct attribute_group {
	struct attribute **attrs;
};

int sysfs_create_group(struct kobject *kobj, const struct attribute_group *group);
void sysfs_remove_group(struct kobject *kobj, const struct attribute_group *group);

#endif
