// SPDX-License-Identifier: GPL-2.0
/*
 * An MTD in RAM that misbehaves on demand, for the guest scripts. A device on top of an MTD must
 * survive errors that no stock driver returns, or not on demand. All knobs are in
 * /sys/module/mtdc_faultmtd/parameters.
 *
 * It is the driver of a platform device, and can be unbound and bound again:
 * /sys/bus/platform/drivers/mtdc_faultmtd/{unbind,bind}.
 *
 * It does not know MTDCOMPR.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/mtd/mtd.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

static unsigned long size_kib = 4096;
module_param(size_kib, ulong, 0444);
MODULE_PARM_DESC(size_kib, "size of the MTD");

static unsigned long address;
module_param(address, ulong, 0444);
MODULE_PARM_DESC(address, "physical address of the memory, 0: vmalloc");

static unsigned int erasesize = 4096;
module_param(erasesize, uint, 0444);
MODULE_PARM_DESC(erasesize, "eraseblock size");

static unsigned int writesize = 1;
module_param(writesize, uint, 0444);
MODULE_PARM_DESC(writesize, "write unit");

static bool readonly;
module_param(readonly, bool, 0444);
MODULE_PARM_DESC(readonly, "register without MTD_WRITEABLE");

static bool must_erase;
module_param(must_erase, bool, 0444);
MODULE_PARM_DESC(must_erase, "register without MTD_NO_ERASE");

static int read_error;
module_param(read_error, int, 0644);
MODULE_PARM_DESC(read_error, "errno (positive) that reads fail with, 0: none");

static int write_error;
module_param(write_error, int, 0644);
MODULE_PARM_DESC(write_error, "errno (positive) that writes fail with, 0: none");

static uint every = 1;
module_param(every, uint, 0644);
MODULE_PARM_DESC(every, "only one in so many calls fails");

static bool torn;
module_param(torn, bool, 0644);
MODULE_PARM_DESC(torn, "a failing write has written its first half");

static bool shorted;
module_param(shorted, bool, 0644);
MODULE_PARM_DESC(shorted, "a failing call transfers half and reports no error");

static uint alloc_pages_each;
module_param(alloc_pages_each, uint, 0644);
MODULE_PARM_DESC(alloc_pages_each, "pages that each write allocates, GFP_KERNEL, and frees");

static uint delay_us;
module_param(delay_us, uint, 0644);
MODULE_PARM_DESC(delay_us, "sleep of each call");

static struct mtd_info fault_mtd;
static void *memory;
static bool registered;
static atomic_t calls = ATOMIC_INIT(0);
static DEFINE_MUTEX(registration);

static bool fails_now(int error)
{
	return (error || shorted) && atomic_inc_return(&calls) % (every ?: 1) == 0;
}

static void allocate_and_free(void)
{
	struct page *page, *list = NULL;
	unsigned int i;

	for (i = 0; i < READ_ONCE(alloc_pages_each); i++) {
		page = alloc_page(GFP_KERNEL | __GFP_NOWARN);
		if (!page)
			break;
		page->private = (unsigned long)list;
		list = page;
	}
	while (list) {
		page = list;
		list = (struct page *)page->private;
		page->private = 0;
		__free_page(page);
	}
}

static int fault_read(struct mtd_info *mtd, loff_t from, size_t len, size_t *retlen, u_char *buf)
{
	if (delay_us)
		usleep_range(delay_us, delay_us * 2);
	if (fails_now(read_error)) {
		size_t part = shorted ? len / 2 : 0;

		/* With corrected bit flips, all data are returned. */
		if (read_error == EUCLEAN)
			part = len;
		memcpy(buf, memory + from, part);
		*retlen = part;
		return shorted ? 0 : -read_error;
	}
	memcpy(buf, memory + from, len);
	*retlen = len;
	return 0;
}

static int fault_write(struct mtd_info *mtd, loff_t to, size_t len, size_t *retlen,
		       const u_char *buf)
{
	allocate_and_free();
	if (delay_us)
		usleep_range(delay_us, delay_us * 2);
	if (fails_now(write_error)) {
		size_t part = torn || shorted ? len / 2 : 0;

		memcpy(memory + to, buf, part);
		*retlen = part;
		return shorted ? 0 : -write_error;
	}
	memcpy(memory + to, buf, len);
	*retlen = len;
	return 0;
}

static int fault_erase(struct mtd_info *mtd, struct erase_info *instr)
{
	memset(memory + instr->addr, 0xff, instr->len);
	return 0;
}

static int vanish(void)
{
	int ret = 0;

	mutex_lock(&registration);
	if (registered)
		ret = mtd_device_unregister(&fault_mtd);
	if (!ret)
		registered = false;
	mutex_unlock(&registration);
	return ret;
}

/* Writing 1 unregisters the MTD even while it is in use, like an unbind. */
static int set_vanish(const char *val, const struct kernel_param *kp)
{
	return vanish();
}

static const struct kernel_param_ops vanish_ops = { .set = set_vanish };
module_param_cb(vanish, &vanish_ops, NULL, 0200);
MODULE_PARM_DESC(vanish, "write anything: unregister the MTD");

static void release_memory(void)
{
	if (address)
		memunmap(memory);
	else
		vfree(memory);
}

static void describe(struct device *parent)
{
	memset(&fault_mtd, 0, sizeof(fault_mtd));
	fault_mtd.dev.parent = parent;
	fault_mtd.name = "faultmtd";
	fault_mtd.type = MTD_RAM;
	fault_mtd.flags = MTD_CAP_RAM;
	if (readonly)
		fault_mtd.flags &= ~MTD_WRITEABLE;
	if (must_erase)
		fault_mtd.flags &= ~(MTD_NO_ERASE | MTD_BIT_WRITEABLE);
	fault_mtd.size = size_kib << 10;
	fault_mtd.erasesize = erasesize;
	fault_mtd.writesize = writesize;
	fault_mtd.writebufsize = writesize;
	fault_mtd.owner = THIS_MODULE;
	fault_mtd._read = fault_read;
	if (!readonly)
		fault_mtd._write = fault_write;
	fault_mtd._erase = fault_erase;
}

static void unbound(void *unused)
{
	if (vanish())
		pr_err("somebody has it open who does not let go\n");
}

static int fault_probe(struct platform_device *pdev)
{
	int ret;

	mutex_lock(&registration);
	describe(&pdev->dev);
	ret = mtd_device_register(&fault_mtd, NULL, 0);
	registered = !ret;
	mutex_unlock(&registration);
	/* Use devm: the type of a remove callback differs between kernels. */
	return ret ?: devm_add_action_or_reset(&pdev->dev, unbound, NULL);
}

static struct platform_driver fault_driver = {
	.driver.name = KBUILD_MODNAME,
	.probe = fault_probe,
};

static struct platform_device *fault_device;

static int __init fault_init(void)
{
	int ret;

	memory = address ? memremap(address, size_kib << 10, MEMREMAP_WB) :
		 vzalloc(size_kib << 10);
	if (!memory)
		return -ENOMEM;
	ret = platform_driver_register(&fault_driver);
	if (ret)
		goto err_release;
	fault_device = platform_device_register_simple(KBUILD_MODNAME,
						       PLATFORM_DEVID_NONE,
						       NULL, 0);
	ret = PTR_ERR_OR_ZERO(fault_device);
	if (ret)
		goto err_unregister;
	/* The probe has run; if it failed, it has printed why. */
	if (!registered) {
		ret = -ENODEV;
		goto err_unregister_device;
	}
	return 0;

err_unregister_device:
	platform_device_unregister(fault_device);
err_unregister:
	platform_driver_unregister(&fault_driver);
err_release:
	release_memory();
	return ret;
}

static void __exit fault_exit(void)
{
	platform_device_unregister(fault_device);
	platform_driver_unregister(&fault_driver);
	release_memory();
}

module_init(fault_init);
module_exit(fault_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MTD in RAM that fails, tears, allocates or vanishes on demand");
