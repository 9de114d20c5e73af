// SPDX-License-Identifier: GPL-2.0
/*
 * A user of the MTD with the name `name`, from the moment when it becomes visible until this module
 * is unloaded: an opener holds an MTD for a short moment only, this module holds it as long as a
 * test needs.
 *
 * With `half`, the user is in the middle of the open or the close: the MTD core drops its reference
 * on the driver's module before it calls _put_device(), and takes it after _get_device(). So the
 * driver has a user that does not count as a user of its module, and the module can be unloaded.
 *
 * It does not know MTDCOMPR.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/module.h>
#include <linux/mtd/mtd.h>
#include <linux/mutex.h>
#include <linux/string.h>

static char *name = "";
module_param(name, charp, 0444);
MODULE_PARM_DESC(name, "the MTD to hold");

static bool half;
module_param(half, bool, 0444);
MODULE_PARM_DESC(half, "hold it without its driver's module");

static unsigned int gone;
module_param(gone, uint, 0444);
MODULE_PARM_DESC(gone, "how often it went while it was held");

/* Protects the variables below; taken within mtd_table_mutex. */
static DEFINE_MUTEX(lock);
static struct mtd_info *held;
static bool letting_go;

/*
 * With `half` the MTD core does not count the user. Its counter differs between kernels, and it
 * counts no user at this moment.
 */
static int get(struct mtd_info *mtd)
{
	if (!half)
		return __get_mtd_device(mtd);
	return mtd->_get_device ? mtd->_get_device(mtd) : 0;
}

static void put(struct mtd_info *mtd)
{
	if (!half)
		__put_mtd_device(mtd);
	else if (mtd->_put_device)
		mtd->_put_device(mtd);
}

/* Called with mtd_table_mutex held, as __get_mtd_device() needs it. */
static void hold_add(struct mtd_info *mtd)
{
	mutex_lock(&lock);
	if (!held && !letting_go && mtd->name && !strcmp(mtd->name, name) && !get(mtd))
		held = mtd;
	mutex_unlock(&lock);
}

/* Called with mtd_table_mutex held, for an MTD that goes, and for all MTDs at the end. */
static void hold_remove(struct mtd_info *mtd)
{
	mutex_lock(&lock);
	if (mtd == held) {
		if (!letting_go) {
			pr_err("\"%s\" goes, and has a user\n", name);
			gone++;
		}
		held = NULL;
		put(mtd);
	}
	mutex_unlock(&lock);
}

static struct mtd_notifier notifier = {
	.add = hold_add,
	.remove = hold_remove,
};

/* Result of a read of the first byte: 0, an errno, or -ENXIO without a held MTD. */
static int read_get(char *text, const struct kernel_param *kp)
{
	u8 byte;
	size_t done;
	int err = -ENXIO;

	mutex_lock(&lock);
	if (held)
		err = mtd_read(held, 0, sizeof(byte), &done, &byte);
	mutex_unlock(&lock);
	return sprintf(text, "%d\n", err);
}

static const struct kernel_param_ops read_ops = {
	.get = read_get,
};

module_param_cb(read, &read_ops, NULL, 0444);
MODULE_PARM_DESC(read, "reads from it; -6 if it is not held");

static int __init holdmtd_init(void)
{
	register_mtd_user(&notifier);
	return 0;
}

static void __exit holdmtd_exit(void)
{
	/* hold_remove() drops the MTD, with mtd_table_mutex held as for any other user. */
	mutex_lock(&lock);
	letting_go = true;
	mutex_unlock(&lock);
	unregister_mtd_user(&notifier);
}

module_init(holdmtd_init);
module_exit(holdmtd_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Holds an MTD for as long as a test wants");
