// SPDX-License-Identifier: GPL-2.0

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include "top_columns.h"
#include "sys.h"
#include "top.h"

static int ended;

static void on_signal(int sig)
{
	(void)sig;
	__atomic_store_n(&ended, 1, __ATOMIC_RELAXED);
}

static bool is_ended(void)
{
	return __atomic_load_n(&ended, __ATOMIC_RELAXED);
}

/* The terminal, if any; keys count without Enter. */
struct terminal {
	bool keys;
	bool screen;
	struct termios before;
};

static void terminal_begin(struct terminal *terminal)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct termios raw;

	__atomic_store_n(&ended, 0, __ATOMIC_RELAXED);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	terminal->screen = isatty(STDOUT_FILENO);
	terminal->keys = terminal->screen && isatty(STDIN_FILENO) &&
			 !tcgetattr(STDIN_FILENO, &terminal->before);
	if (!terminal->keys)
		return;
	raw = terminal->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static void terminal_end(const struct terminal *terminal)
{
	if (terminal->keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal->before);
}

/* pause_for() - wait; false if the user ends the program */
static bool pause_for(const struct terminal *terminal, uint64_t us)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t until = sys_now_us() + us, now;
	char key;

	while (!is_ended() && (now = sys_now_us()) < until) {
		int ms = (int)((until - now + 999) / 1000);

		if (poll(&fd, terminal->keys, ms) <= 0)
			continue;
		if (read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q')
			return false;
	}
	return !is_ended();
}

/* look() - read the devices of the first reading, or all present ones */
static void look(struct devices *now, const struct devices *first, bool all)
{
	unsigned int i;

	if (all) {
		devices_read(now);
		return;
	}
	now->n = 0;
	for (i = 0; i < first->n; i++)
		if (device_read(&now->of[now->n], first->of[i].name))
			now->n++;
}

static const struct device *same(const struct devices *before, const struct device *device)
{
	unsigned int i;

	for (i = 0; i < before->n; i++)
		if (!strcmp(before->of[i].name, device->name))
			return &before->of[i];
	return NULL;
}

static void show(const struct devices *before, const struct devices *now, uint64_t us,
		 const struct form *form)
{
	static struct cell cells[MTDCOMPR_DEVICES_MAX * RATE_COLUMNS];
	struct table_head heads[RATE_COLUMNS];
	struct table table = {
		.name = "mtdcomprtop",
		.form = form->json ? TABLE_JSON : form->raw ? TABLE_RAW : TABLE_PLAIN,
		.noheadings = form->noheadings,
		.heads = heads,
		.columns = RATE_COLUMNS,
		.cells = cells,
		.rows = now->n,
	};
	unsigned int i;

	rate_heads(heads);
	for (i = 0; i < now->n; i++)
		rate_row(same(before, &now->of[i]), &now->of[i], us, form->bytes,
			 cells + (size_t)i * RATE_COLUMNS);
	table_print(stdout, &table);
	if (!now->n && table.form == TABLE_PLAIN)
		puts("no devices");
}

/* one_look() - read the devices and print the changes since the last reading */
static bool one_look(struct devices *looks, unsigned int turn, uint64_t *at,
		     const struct devices *first, const struct options *options, bool screen)
{
	struct devices *now = &looks[turn % 2], *before = &looks[(turn + 1) % 2];
	uint64_t us = sys_now_us() - *at;

	*at += us;
	look(now, first, !options->words);
	if (screen && !options->form.json)
		fputs("\033[H\033[J", stdout);
	else if (turn && !options->form.json && !options->form.raw)
		putchar('\n');
	show(before, now, us, &options->form);
	return !fflush(stdout);
}

/**
 * top_run() - print the devices repeatedly
 * @first: the devices that the command line names, if any
 * @options: output form, interval and count
 *
 * On a terminal it clears the screen each time and ends with the key q.
 *
 * Return: false if printing failed.
 */
bool top_run(const struct devices *first, const struct options *options)
{
	static struct devices looks[2];
	struct terminal terminal;
	uint64_t at = sys_now_us();
	unsigned int turn = 0;
	bool good;

	terminal_begin(&terminal);
	do {
		good = one_look(looks, turn++, &at, first, options, terminal.screen);
	} while (good && turn != options->pace.count &&
		 pause_for(&terminal, options->pace.delay_us));
	terminal_end(&terminal);
	return good;
}
