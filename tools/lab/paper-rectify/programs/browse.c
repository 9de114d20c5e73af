// SPDX-License-Identifier: GPL-2.0
/*
 * browse DIRECTORY: drives w3m on a pseudo terminal by its keys, as a user does. It loads the pages
 * begin1 to begin3 of the directory at the start and keeps them. For each line that it reads, it
 * loads visit1 and visit2, pages through them, and goes back.
 *
 * To learn that w3m has handled all keys, run a shell in w3m, which asks for a key at the shell's
 * end. The answer is a checksum of the last screen. A page's title is its name.
 */
#include <err.h>
#include <poll.h>
#include <pty.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CTRL_U "\x15"

/* w3m's prompts. */
#define SHELL_QUESTION	"(exec shell)!"
#define KEY_QUESTION	"[Hit any key]"

/* Screens to page forward in each page. */
#define FORWARD 4

static const char *const begin[] = { "begin1", "begin2", "begin3" };

#define CLEAR	"\x1b[H\x1b[J"
#define SHOWN	65536U

struct browser {
	int fd;				/* of the terminal */
	const char *dir;
	size_t length;			/* bytes in shown */
	char shown[SHOWN];
};

static void press(const struct browser *browser, const char *keys)
{
	if (write(browser->fd, keys, strlen(keys)) != (ssize_t)strlen(keys))
		err(1, "cannot type");
}

static uint64_t checksum(const char *text, size_t length)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (i = 0; i < length; i++)
		sum = (sum ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
	return sum;
}

/* Reads w3m's output until @text appears. Drops old output when the buffer is half full. */
static void wait_for_more(struct browser *browser, const char *text)
{
	char *shown = browser->shown;
	ssize_t n;

	while (!memmem(shown, browser->length, text, strlen(text))) {
		if (browser->length > SHOWN / 2) {
			memmove(shown, shown + browser->length - SHOWN / 4, SHOWN / 4);
			browser->length = SHOWN / 4;
		}
		n = read(browser->fd, shown + browser->length, SHOWN - browser->length);
		if (n <= 0)
			errx(1, "w3m has ended");
		browser->length += (size_t)n;
	}
}

static void wait_for(struct browser *browser, const char *text)
{
	browser->length = 0;
	wait_for_more(browser, text);
}

/* Checksum of the screen before a prompt, from the last clear on. */
static uint64_t checksum_screen(const struct browser *browser, const char *question)
{
	const char *at, *begin = NULL, *rest = browser->shown;
	const char *end = memmem(rest, browser->length, question, strlen(question));

	while ((at = memmem(rest, (size_t)(end - rest), CLEAR, strlen(CLEAR)))) {
		begin = at;
		rest = at + strlen(CLEAR);
	}
	if (!begin)
		errx(1, "w3m has not cleared the screen");
	return checksum(begin, (size_t)(end - begin));
}

/*
 * After the shell w3m draws the whole screen; returns its checksum. Keys typed before that are
 * lost, because w3m sets up the terminal.
 */
static uint64_t run_shell(struct browser *browser)
{
	press(browser, "!");
	wait_for(browser, SHELL_QUESTION);
	press(browser, ":\r");
	wait_for(browser, KEY_QUESTION);
	press(browser, " ");
	wait_for(browser, CLEAR);
	press(browser, "!");
	wait_for_more(browser, SHELL_QUESTION);
	press(browser, CTRL_U "\r");
	return checksum_screen(browser, SHELL_QUESTION);
}

static void wait_for_page(struct browser *browser, const char *page)
{
	char title[64];

	snprintf(title, sizeof(title), "Viewing <%s>", page);
	wait_for(browser, title);
}

static void load(struct browser *browser, const char *page)
{
	char keys[512];
	unsigned int i;

	snprintf(keys, sizeof(keys), "U" CTRL_U "file://%s/%s.html\r", browser->dir, page);
	press(browser, keys);
	wait_for_page(browser, page);
	for (i = 0; i < FORWARD; i++)
		press(browser, " ");
}

static void visit(struct browser *browser)
{
	uint64_t sum;

	load(browser, "visit1");
	load(browser, "visit2");
	sum = run_shell(browser);
	press(browser, "BB");
	printf("%016llx\n", (unsigned long long)sum);
	fflush(stdout);
}

static void begin_w3m(struct browser *browser, const char *dir)
{
	const struct winsize size = { .ws_row = 30, .ws_col = 100 };
	unsigned int i;
	char page[512];
	pid_t pid;

	browser->dir = dir;
	snprintf(page, sizeof(page), "%s/%s.html", dir, begin[0]);
	pid = forkpty(&browser->fd, NULL, NULL, &size);
	if (pid < 0)
		err(1, "cannot have a terminal");
	if (!pid) {
		setenv("TERM", "linux", 1);
		execlp("w3m", "w3m", "-no-mouse", "-no-cookie", "-o", "auto_image=0", "-o",
		       "confirm_qq=0", page, (char *)NULL);
		err(1, "cannot start w3m");
	}
	wait_for_page(browser, begin[0]);
	for (i = 1; i < sizeof(begin) / sizeof(begin[0]); i++)
		load(browser, begin[i]);
	run_shell(browser);
}

/* Keep reading the terminal between visits, or w3m would block when its buffer is full. */
static void idle(struct browser *browser, struct pollfd *polls)
{
	char shown[4096];

	do {
		polls[0].revents = 0;
		polls[1].revents = 0;
		if (poll(polls, 2, -1) < 0)
			err(1, "cannot wait");
		if (polls[1].revents && read(browser->fd, shown, sizeof(shown)) <= 0)
			errx(1, "w3m has ended");
	} while (!polls[0].revents);
}

int main(int argc, char **argv)
{
	struct pollfd polls[2] = { { .fd = STDIN_FILENO, .events = POLLIN } };
	static struct browser browser;
	char line[64];

	if (argc != 2)
		errx(2, "usage: browse DIRECTORY");
	begin_w3m(&browser, argv[1]);
	polls[1] = (struct pollfd){ .fd = browser.fd, .events = POLLIN };
	for (;;) {
		idle(&browser, polls);
		if (read(STDIN_FILENO, line, sizeof(line)) <= 0)
			return 0;
		visit(&browser);
	}
}
