/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_NOTIFIER_H
#define SHIM_LINUX_NOTIFIER_H

#define NOTIFY_DONE	0x0000
#define NOTIFY_OK	0x0001
#define NOTIFY_STOP	0x8000

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long event,
			     void *data);
};

static inline int notifier_from_errno(int err)
{
	return err ? NOTIFY_STOP | (NOTIFY_OK - err) : NOTIFY_OK;
}

#endif /* SHIM_LINUX_NOTIFIER_H */
