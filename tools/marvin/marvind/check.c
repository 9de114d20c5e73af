// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "check.h"
#include "pressure.h"
#include "sys.h"

static void line(const char *what, bool there, const char *yes, const char *no)
{
	printf("%-24s %-4s %s\n", what, there ? "yes" : "no", there ? yes : no);
}

static bool has_pressure(void)
{
	struct pressure pressure;

	if (pressure_open(&pressure, PRESSURE_MEMORY))
		return false;
	pressure_close(&pressure);
	return true;
}

static bool has_sockets(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/**
 * check_print() - say what this kernel offers, and what would be used
 * @config: what is wanted
 *
 * Return: 0, if it works here; or -EOPNOTSUPP.
 */
int check_print(const struct config *config)
{
	struct utsname name;
	int pidfd = sys_pidfd_open(getpid());
	bool advises = pidfd >= 0 && sys_process_madvise(pidfd, NULL, 0, 21) >= 0;
	bool works = has_sockets();

	uname(&name);
	printf("%-24s      %s\n", "kernel", name.release);
	line("sockets", works, "programs register by one", "needed: CONFIG_UNIX");
	line("process_madvise", advises, "takes memory of stopped programs",
	     "stopped programs keep theirs: Linux 5.10");
	line("pressure", has_pressure(), "tells when memory is short",
	     "only auto.available counts: CONFIG_PSI, psi=1");
	line("root", geteuid() == 0, "", "needed");
	if (pidfd >= 0)
		close(pidfd);
	printf("%-24s      %s\n%s\n", "mode", config_modes[config->mode],
	       works ? "It works here." : "It does not work here.");
	return works ? 0 : -EOPNOTSUPP;
}
