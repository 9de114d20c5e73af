/* SPDX-License-Identifier: GPL-2.0 */
/* The suite defines UBI's functions; the structures have only the fields that the driver reads. */
#ifndef SHIM_LINUX_MTD_UBI_H
#define SHIM_LINUX_MTD_UBI_H

#include <linux/types.h>

enum {
	UBI_READONLY = 1,
	UBI_READWRITE,
	UBI_EXCLUSIVE,
};

enum {
	UBI_DYNAMIC_VOLUME = 3,
	UBI_STATIC_VOLUME,
};

struct ubi_volume_desc;

struct ubi_volume_info {
	int size;
	int vol_type;
	int upd_marker;
	int usable_leb_size;
	const char *name;
};

struct ubi_device_info {
	int ro_mode;
	int min_io_size;
	int max_write_size;
};

struct ubi_volume_desc *ubi_open_volume(int device, int volume, int mode);
struct ubi_volume_desc *ubi_open_volume_nm(int device, const char *name, int mode);
void ubi_close_volume(struct ubi_volume_desc *desc);
void ubi_get_volume_info(struct ubi_volume_desc *desc, struct ubi_volume_info *info);
int ubi_get_device_info(int device, struct ubi_device_info *info);
/* The kernel has a char *, and does not look at signs. */
int ubi_leb_read(struct ubi_volume_desc *desc, int leb, void *buf, int offset, int len, int check);
int ubi_leb_write(struct ubi_volume_desc *desc, int leb, const void *buf, int offset, int len);
int ubi_leb_unmap(struct ubi_volume_desc *desc, int leb);
int ubi_leb_map(struct ubi_volume_desc *desc, int leb);
int ubi_sync(int device);

#endif
