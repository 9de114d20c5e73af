// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's functions behind the headers in ../shim/: counted allocations that can fail, counted
 * messages, work that runs when the target asks for it, and random numbers that depend on the input
 * only.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>

#include "kernel.h"

/* Larger allocations fail: they would only cost time. */
#define ALLOC_MAX	(16U << 20)

struct shim_state shim;
unsigned int shim_noreclaim, shim_noio;
struct task_struct shim_task;
unsigned int shim_cpus;

/* The clock stands still, so that an input always does the same. */
unsigned long shim_jiffies;

/* There is one thread: a wait without a limit that does not end at once never ends. */
bool shim_patience = true;

void shim_sleep(void)
{
	abort();
}

void shim_wait(bool limited)
{
	if (!limited)
		abort();
}

/* And nobody is there who could do anything meanwhile. */
void shim_wake(void)
{
}

void shim_before_lock(spinlock_t *lock)
{
	(void)lock;
}

void shim_after_unlock(spinlock_t *lock)
{
	(void)lock;
}

static bool refuse(size_t bytes)
{
	if (shim.refuse_after && !--shim.refuse_after) {
		shim.refused++;
		return true;
	}
	if (bytes <= ALLOC_MAX)
		return false;
	shim.refused++;
	return true;
}

void *kvmalloc(size_t bytes, int flags)
{
	void *memory;

	(void)flags;
	if (refuse(bytes))
		return NULL;
	memory = malloc(bytes);
	if (!memory)
		abort();
	shim.allocated++;
	return memory;
}

void *kvzalloc(size_t bytes, int flags)
{
	void *memory;

	(void)flags;
	if (refuse(bytes))
		return NULL;
	memory = calloc(1, bytes);
	if (!memory)
		abort();
	shim.allocated++;
	return memory;
}

void kvfree(const void *memory)
{
	shim.allocated -= !!memory;
	free((void *)memory);
}

/* Messages are counted: each refusal has to have one. */
void shim_said(char level, const char *format, va_list args)
{
	size_t len = strlen(format);

	if (!len || format[len - 1] != '\n')
		abort();
	shim.errors += level == 'e';
	shim.messages++;
	if (getenv("FUZZ_VERBOSE"))
		vfprintf(stderr, format, args);
}

u32 get_random_u32(void)
{
	/* Each attachment gets another nonce. */
	return shim.nonce++ * 0x9e3779b1U;
}

void get_random_bytes(void *to, size_t bytes)
{
	u8 *at = to;

	while (bytes--) {
		shim.keys = shim.keys * 1664525U + 1013904223U;
		*at++ = shim.keys >> 24;
	}
}

static struct device root_device;

struct device *root_device_register(const char *name)
{
	(void)name;
	return shim_fails() ? (void *)-12L : &root_device;
}

void root_device_unregister(struct device *root)
{
	if (root != &root_device || shim.attributes)
		abort();
}

int sysfs_create_group(struct kobject *kobj, const struct attribute_group *group)
{
	if (kobj != &root_device.kobj)
		abort();
	if (shim_fails())
		return -12;
	shim.attributes = group;
	return 0;
}

void sysfs_remove_group(struct kobject *kobj, const struct attribute_group *group)
{
	if (kobj != &root_device.kobj || group != shim.attributes)
		abort();
	shim.attributes = NULL;
}

unsigned char shim_zero_page[PAGE_SIZE];

struct gendisk *blk_alloc_disk(const struct queue_limits *limits, int node)
{
	struct gendisk *disk = kzalloc(sizeof(*disk), GFP_KERNEL);

	(void)node;
	if (!disk)
		return ERR_PTR(-ENOMEM);
	disk->limits = *limits;
	disk->part0.bd_disk = disk;
	return disk;
}

void put_disk(struct gendisk *disk)
{
	if (disk->added || disk->open)
		abort();
	kfree(disk);
}

int add_disk(struct gendisk *disk)
{
	if (disk->added || !disk->sectors || !disk->fops || !*disk->disk_name)
		abort();
	if (shim_fails())
		return -ENOMEM;
	disk->added = true;
	return 0;
}

void del_gendisk(struct gendisk *disk)
{
	if (!disk->added || disk->open)
		abort();
	disk->added = false;
}

/* Work that is asked for is done at once. */
struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max_active, ...)
{
	(void)flags;
	(void)max_active;
	return (struct workqueue_struct *)name;
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	(void)wq;
}

bool queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	(void)wq;
	work->func(work);
	return true;
}

static LIST_HEAD(delayed);

bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
			unsigned long delay)
{
	(void)wq;
	(void)delay;
	if (work->pending)
		return false;
	work->pending = true;
	list_add(&work->entry, &delayed);
	return true;
}

bool cancel_delayed_work_sync(struct delayed_work *work)
{
	if (!work->pending)
		return false;
	work->pending = false;
	list_del(&work->entry);
	return true;
}

/* Run the work that was queued last; false if no work is queued. */
bool shim_work(void)
{
	struct delayed_work *work;

	list_for_each_entry(work, &delayed, entry) {
		cancel_delayed_work_sync(work);
		work->work.func(&work->work);
		return true;
	}
	return false;
}

/* For functions that allocate in the real kernel. */
bool shim_fails(void)
{
	return refuse(0);
}

void shim_reset(u32 nonce)
{
	/* The memory of queued work is already freed. */
	if (!list_empty(&delayed))
		abort();
	memset(&shim, 0, sizeof(shim));
	shim.nonce = nonce;
	shim_cpus = 1 + nonce % 2;
	if (__start_shim_initdata)
		memset(__start_shim_initdata, 0,
		       __stop_shim_initdata - __start_shim_initdata);
}
