// SPDX-License-Identifier: GPL-2.0
/*
 * mtdsim: simulated media, for tests and benchmarks only.
 *
 * This file owns the order of making and removing devices, and refuses devices with the same name.
 * See Documentation/develop/mtdsim.rst for the use.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mtd/mtd.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "debugfs.h"
#include "mtd.h"

#define DEVICES_MAX	8
#define PARAM_BYTES	256

/* The values of dev= in their order, until the devices are made. */
static char params[DEVICES_MAX][PARAM_BYTES] __initdata;
/* Number of dev= parameters, which may exceed DEVICES_MAX. */
static unsigned int nparams __initdata;
static bool too_long __initdata;

static struct sim_dev *devs[DEVICES_MAX];
static unsigned int ndevs;

/* The init function reports errors: the kernel would add its own message to an error from here. */
static int __init param_set(const char *text, const struct kernel_param *kp)
{
	if (nparams < DEVICES_MAX &&
	    strscpy(params[nparams], text ?: "", PARAM_BYTES) < 0)
		too_long = true;
	nparams++;
	return 0;
}

static const struct kernel_param_ops param_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = param_set,
};

module_param_cb(dev, &param_ops, NULL, 0);
MODULE_PARM_DESC(dev, "name=NAME,type=ram|pcm|nor|nand,size=N[KMG][,key=value]...: a device, may be given up to 8 times; see Documentation/develop/mtdsim.rst");

static bool name_is_taken(const char *name)
{
	struct mtd_info *mtd = get_mtd_device_nm(name);

	if (IS_ERR(mtd))
		return false;
	put_mtd_device(mtd);
	return true;
}

static void remove_dev(struct sim_dev *dev)
{
	sim_storage_put(&dev->storage, &dev->chip);
	mutex_destroy(&dev->lock);
	vfree(dev);
}

static int __init make_dev(char *text, const char **reason)
{
	struct sim_dev *dev = vzalloc(sizeof(*dev));
	int err;

	if (!dev)
		return -ENOMEM;
	mutex_init(&dev->lock);
	err = sim_config_parse(&dev->config, text, reason);
	if (err)
		goto err_remove_dev;
	err = -EEXIST;
	*reason = "there is an MTD of that name already";
	if (name_is_taken(dev->config.name))
		goto err_remove_dev;
	err = sim_storage_get(&dev->storage, &dev->chip, &dev->config, reason);
	if (err)
		goto err_remove_dev;
	sim_chip_init(&dev->chip, &dev->config);
	dev->delay = dev->config.delay;
	err = sim_mtd_register(dev);
	*reason = "the MTD core refuses it";
	if (err)
		goto err_remove_dev;
	sim_debugfs_add(dev);
	devs[ndevs++] = dev;
	return 0;

err_remove_dev:
	remove_dev(dev);
	return err;
}

static void remove_all(void)
{
	while (ndevs) {
		struct sim_dev *dev = devs[--ndevs];

		sim_debugfs_remove(dev);
		sim_mtd_unregister(dev);
		remove_dev(dev);
	}
	sim_debugfs_exit();
}

static int __init check_params(void)
{
	if (!nparams) {
		pr_err("no device: dev=name=...,type=...,size=... is missing\n");
		return -EINVAL;
	}
	if (nparams > DEVICES_MAX) {
		pr_err("more than %d devices\n", DEVICES_MAX);
		return -ENFILE;
	}
	if (too_long) {
		pr_err("a dev= is longer than %d bytes\n", PARAM_BYTES - 1);
		return -EINVAL;
	}
	return 0;
}

static int __init mtdsim_init(void)
{
	const char *reason = "no memory";
	char text[PARAM_BYTES];
	unsigned int i;
	int err;

	err = check_params();
	if (err)
		return err;
	sim_debugfs_init();
	for (i = 0; i < nparams; i++) {
		/* sim_config_parse() modifies its text. */
		strscpy(text, params[i], sizeof(text));
		err = make_dev(text, &reason);
		if (err) {
			pr_err("can't make \"%s\": %s\n", params[i], reason);
			remove_all();
			return err;
		}
	}
	return 0;
}

static void __exit mtdsim_exit(void)
{
	remove_all();
}

module_init(mtdsim_init);
module_exit(mtdsim_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Simulated MTDs with the times, rules, wear and faults of real media, for tests");
MODULE_AUTHOR("The MTDCOMPR developers");
