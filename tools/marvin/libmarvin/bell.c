// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bell.h"
#include "files.h"
#include "store.h"

/**
 * bell_begin() - make a bell
 * @bell: filled in
 *
 * Return: 0, or a negative errno; bell_end() is right in any case.
 */
int bell_begin(struct bell *bell)
{
	struct stat st;
	int fds[2];

	bell->in = -1;
	bell->out = -1;
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	bell->in = store_above_stdio(fds[0]);
	bell->out = store_above_stdio(fds[1]);
	if (bell->in < 0 || bell->out < 0 || fstat(bell->in, &st))
		return -errno;
	bell->ino = st.st_ino;
	return 0;
}

static bool is_ours(const struct bell *bell, int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && S_ISFIFO(st.st_mode) && st.st_ino == bell->ino;
}

/**
 * bell_is_there() - has the program left the descriptors alone?
 * @bell: of bell_begin()
 */
bool bell_is_there(const struct bell *bell)
{
	return is_ours(bell, bell->out);
}

/**
 * bell_ring() - wake the threads that poll bell->in
 * @bell: of bell_begin()
 * @keeper: a thread that has the descriptors for itself (files_keep()); 0: none
 *
 * Context: any thread.
 *
 * Return: false: the descriptors are closed, and no thread has them.
 */
bool bell_ring(const struct bell *bell, pid_t keeper)
{
	int fd = bell->out;
	bool rung;

	if (!is_ours(bell, fd))
		fd = files_of(keeper, bell->out, O_WRONLY | O_NONBLOCK);
	if (fd < 0)
		return false;
	/* A full pipe wakes them, too. */
	rung = is_ours(bell, fd) && (write(fd, "", 1) == 1 || errno == EAGAIN);
	if (fd != bell->out)
		close(fd);
	return rung;
}

/**
 * bell_answer() - stop the bell: poll() waits for the next bell_ring()
 * @bell: of bell_begin()
 *
 * Context: a thread that has the descriptor.
 */
void bell_answer(const struct bell *bell)
{
	char bytes[64];

	while (read(bell->in, bytes, sizeof(bytes)) == sizeof(bytes))
		;
}

/**
 * bell_end() - close it
 * @bell: of bell_begin()
 */
void bell_end(struct bell *bell)
{
	if (is_ours(bell, bell->in))
		close(bell->in);
	if (is_ours(bell, bell->out))
		close(bell->out);
	bell->in = -1;
	bell->out = -1;
}
