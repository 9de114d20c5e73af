/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_LIST_H
#define SHIM_LINUX_LIST_H

#include <linux/kernel.h>

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name)	struct list_head name = { &name, &name }

static inline void list_add(struct list_head *new, struct list_head *head)
{
	new->next = head->next;
	new->prev = head;
	head->next->prev = new;
	head->next = new;
}

static inline void list_del(struct list_head *old)
{
	old->next->prev = old->prev;
	old->prev->next = old->next;
	old->next = NULL;
	old->prev = NULL;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

#define list_entry_of(p, pos, member) \
	container_of(p, __typeof__(*(pos)), member)
#define list_for_each_entry(pos, head, member) \
	for (pos = list_entry_of((head)->next, pos, member); \
	     &pos->member != (head); \
	     pos = list_entry_of(pos->member.next, pos, member))
#define list_for_each_entry_safe(pos, n, head, member) \
	for (pos = list_entry_of((head)->next, pos, member), \
	     n = list_entry_of(pos->member.next, pos, member); \
	     &pos->member != (head); \
	     pos = n, n = list_entry_of(n->member.next, n, member))

#endif
