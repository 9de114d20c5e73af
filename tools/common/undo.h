/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The changes that have to be undone when a daemon ends, however it ends: processes that it
 * stopped, knobs and files of control groups that it changed, groups that it made.
 */
#ifndef COMMON_UNDO_H
#define COMMON_UNDO_H

#include <stdbool.h>
#include "proc.h"

/*
 * Changes at a time. A daemon that has as many makes no more. Files of processes and processes that
 * are stopped have parts of their own, so that others can always be stopped and knobs be set,
 * however many processes there are.
 */
#define UNDO_MAX 512
/* Bytes of a path; a longer one cannot be changed. */
#define UNDO_PATH 320
#define UNDO_FILES_MAX 128
#define UNDO_STOPS_MAX 64

int undo_open(const char *path);
void undo_close(void);
void undo_leave(void);
int undo_all(void);
int undo_count(void);

int undo_write(const char *path, const char *text);
int undo_write_proc(struct proc_id id, const char *file, const char *text, const char *back);
int undo_rewrite_proc(struct proc_id id, const char *file);
bool undo_read_same(const char *file, char *text, size_t size);
int undo_read_proc(struct proc_id id, const char *file, char *text, size_t size);
void undo_forget_ended(void);
int undo_write_u64(const char *path, uint64_t value);
int undo_write_back(const char *path, const char *text, const char *back);
int undo_rewrite(const char *path);
int undo_rewrite_group(const char *group, const char *file);
int undo_note(const char *path);
bool undo_seized(const char *path, uint64_t now, uint64_t *written);
void undo_hold(const char *path, uint64_t value, uint64_t *written);
int undo_stop(struct proc_id id);
int undo_cont(struct proc_id id);
int undo_cont_all(void);
void undo_hold_most(unsigned int ms);
unsigned int undo_expire(unsigned int *expired);
int undo_make_group(const char *group);
int undo_remove_group(const char *group);

#endif
