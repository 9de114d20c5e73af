// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include "options.h"
#include "stage.h"
#include "sys.h"

/* Where messages go to. */
static int out = STDOUT_FILENO;

/**
 * stage_begin() - become a part of the pipeline
 *
 * A signal of the terminal is for the driver, which closes the pipes then. Libraries print to
 * standard output at times: it is no way for messages any more.
 */
void stage_begin(void)
{
	out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STAGE_OBJECTS_FD + 1);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}

/**
 * stage_end() - how a stage ends
 * @err: 0, or a negative errno; -EBADMSG stands for a wrong result
 *
 * Return: the status of the program.
 */
int stage_end(int err)
{
	if (err == -EBADMSG)
		return STATUS_WRONG;
	return err ? STATUS_FAILED : 0;
}

/**
 * stage_send() - send a message to the next stage
 * @message: the message; its head is set here
 * @kind: of it
 * @size: of it in bytes
 * @frame: that it tells of
 *
 * Return: as message_write().
 */
int stage_send(struct message *message, enum message_kind kind, uint16_t size, uint64_t frame)
{
	return message_write(out, message, kind, size, frame);
}

/**
 * stage_read_picture() - read a picture
 * @path: its file
 * @file: the bytes of the file, which the picture is in
 * @picture: the picture
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int stage_read_picture(const char *path, struct image *file, struct picture *picture)
{
	int err = images_read(path, file);

	if (err)
		return err;
	err = picture_parse(file->bytes, file->size, picture);
	if (err)
		warnx("%s: not a PPM (P6) with a byte for each colour", path);
	return err;
}

static int look(const struct looker *looker, const struct images *images, uint64_t frame)
{
	const char *name = images->names[frame % images->n];
	uint64_t begin = sys_now_us();
	char path[4096];
	int n, err = 0;

	if (frame % looker->every == 0) {
		n = snprintf(path, sizeof(path), "%s/%s", images->directory, name);
		if (n < 0 || (size_t)n >= sizeof(path)) {
			warnx("the path of %s is too long", name);
			return -ENAMETOOLONG;
		}
		err = looker->look(path);
	}
	*looker->us = sys_now_us() - begin;
	return err;
}

/**
 * stage_look() - look at frames until there are no more
 * @looker: the stage
 *
 * For frames that it does not look at it sends its last result.
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int stage_look(const struct looker *looker)
{
	struct images images;
	struct message head;
	int got = 0, err = images_list(&images, looker->images);

	while (!err && (got = message_read(STDIN_FILENO, &head, MESSAGE_FRAME, sizeof(head))) > 0) {
		err = look(looker, &images, head.frame);
		if (!err)
			got = stage_send(looker->message, looker->kind, looker->size, head.frame);
		if (got <= 0)
			break;
	}
	images_free(&images);
	return err ? err : got;
}
