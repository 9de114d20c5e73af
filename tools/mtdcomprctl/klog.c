// SPDX-License-Identifier: GPL-2.0

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "klog.h"
#include "sys.h"

/* The kernel's longest record in /dev/kmsg, bytes. */
#define KLOG_RECORD 8192

/**
 * klog_open() - open the kernel log at its end
 *
 * Return: a descriptor for klog_reason(), or a negative errno if the log can't be read.
 */
int klog_open(void)
{
	int fd = sys_open("/dev/kmsg", O_RDONLY | O_NONBLOCK);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/**
 * klog_message() - get the module's message from a record
 * @record: "6,339,5140900,-;mtdcompr: can't attach ..." and perhaps more lines
 * @text: the message without the module's name; unchanged if another module wrote the record
 * @size: of @text in bytes
 */
void klog_message(const char *record, char *text, size_t size)
{
	const char *at = strchr(record, ';');

	if (!at || strncmp(at + 1, "mtdcompr: ", 10))
		return;
	at += 11;
	/* Cut off the quoted request, which the caller knows. */
	if (!strncmp(at, "can't ", 6) && strstr(at, "\": "))
		at = strstr(at, "\": ") + 3;
	snprintf(text, size, "%.*s", (int)strcspn(at, "\n"), at);
}

/**
 * klog_reason() - get the last message of the module since klog_open(); close the log
 * @fd: from klog_open(); may be negative, then without messages
 * @text: filled in; "" without a message
 * @size: of @text in bytes
 */
void klog_reason(int fd, char *text, size_t size)
{
	char record[KLOG_RECORD + 1];
	unsigned int records;
	ssize_t n;

	text[0] = '\0';
	if (fd < 0)
		return;
	/* Bounded, because others may write to the log faster than we read. */
	for (records = 0; records < 1000; records++) {
		n = read(fd, record, KLOG_RECORD);
		if (n <= 0)
			break;
		record[n] = '\0';
		klog_message(record, text, size);
	}
	close(fd);
}
