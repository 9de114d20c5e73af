// SPDX-License-Identifier: GPL-2.0

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "klog.h"
#include "sys.h"

/* Of a record of /dev/kmsg; the kernel gives no more. */
#define KLOG_RECORD 8192

/**
 * klog_open() - remember the end of the log
 *
 * Return: a descriptor for klog_reason(), or a negative errno where the log can't be read.
 */
int klog_open(void)
{
	int fd = sys_open("/dev/kmsg", O_RDONLY | O_NONBLOCK);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/**
 * klog_message() - the module's message in a record
 * @record: "6,339,5140900,-;mtdcompr: can't attach ..." and perhaps more lines
 * @text: the message without the module's name; left as it is, if the record is not of the module
 * @size: of @text in bytes
 */
void klog_message(const char *record, char *text, size_t size)
{
	const char *at = strchr(record, ';');

	if (!at || strncmp(at + 1, "mtdcompr: ", 10))
		return;
	at += 11;
	/* It quotes the request; who has made it knows it. */
	if (!strncmp(at, "can't ", 6) && strstr(at, "\": "))
		at = strstr(at, "\": ") + 3;
	snprintf(text, size, "%.*s", (int)strcspn(at, "\n"), at);
}

/**
 * klog_reason() - the last message of the module since klog_open(), and close the log
 * @fd: of klog_open(); a negative one has no messages
 * @text: where to; "", if there is none
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
	/* A log that grows all the time is not read to its end. */
	for (records = 0; records < 1000; records++) {
		n = read(fd, record, KLOG_RECORD);
		if (n <= 0)
			break;
		record[n] = '\0';
		klog_message(record, text, size);
	}
	close(fd);
}
