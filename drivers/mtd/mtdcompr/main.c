// SPDX-License-Identifier: GPL-2.0
/*
 * MTDCOMPR: a compressing MTD on top of an MTD, for swap.
 *
 * This file knows the order in which the module comes up, and goes down in
 * the reverse. See Documentation/admin-guide/mtdcompr.rst for its use and
 * Documentation/design.rst for how it is made.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "dev.h"
#include "lower.h"
#include "pm.h"
#include "proc.h"
#include "sysfs.h"

#define MTDC_PARAM_BYTES	256

/* What mtd= was given, in its order, until the module is up. */
static char mtd_params[MTDCOMPR_DEVICES_MAX][MTDC_PARAM_BYTES] __initdata;
static unsigned int mtd_params_n __initdata;

static int __init mtd_param_set(const char *text, const struct kernel_param *kp)
{
	if (!text || !*text) {
		pr_err("mtd= needs a value: <number or name>[,option=value]...\n");
		return -EINVAL;
	}
	if (mtd_params_n == MTDCOMPR_DEVICES_MAX) {
		pr_err("can't attach \"%s\": there are 32 devices already\n",
		       text);
		return -ENFILE;
	}
	if (strscpy(mtd_params[mtd_params_n], text, MTDC_PARAM_BYTES) < 0) {
		pr_err("can't attach \"%.80s...\": longer than 255 bytes\n",
		       text);
		return -EINVAL;
	}
	mtd_params_n++;
	return 0;
}

static const struct kernel_param_ops mtd_param_ops = {
	.set = mtd_param_set,
};

module_param_cb(mtd, &mtd_param_ops, NULL, 0);
MODULE_PARM_DESC(mtd, "<number or name>[,comp=lz4|lzo|zlib|zstd|none][,level=N][,size=N[KMG]|,ratio=PERCENT][,alloc=rotate|best|largest][,store=auto|inplace|log][,spread=N][,wearlevel=N][,cache=0|1][,sync=0|1][,name=NAME]; an MTD to put a compressed one on; may be given up to 32 times");

static int __init attach_params(void)
{
	const char *texts[MTDCOMPR_DEVICES_MAX];
	unsigned int i;

	for (i = 0; i < mtd_params_n; i++)
		texts[i] = mtd_params[i];
	return mtdc_dev_attach_all(texts, mtd_params_n);
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
	err = mtdc_pm_init();
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
	mtdc_pm_exit();
	mtdc_sysfs_exit();
	mtdc_dev_detach_all();
	mtdc_lower_exit();
	mtdc_proc_exit();
}

/* Built in, after the drivers of the MTDs below. */
late_initcall(mtdc_init);
module_exit(mtdc_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Compressing MTD on top of an MTD, for swap");
MODULE_AUTHOR("The MTDCOMPR developers");
