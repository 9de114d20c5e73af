// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of the MTD core that the driver calls, and chips that fail.
 *
 * The run ends on a misuse that the real core forbids: a range outside of the MTD, a lock taken
 * twice, an MTD removed during its use, flash programmed without an erase. It also ends if the
 * driver calls an MTD from its I/O path in a way that might enter reclaim.
 */
#include <linux/sched/mm.h>

#include "lower_point.h"
#include "fuzz.h"
#include "kernel.h"
#include "known.h"
#include "mtdcore.h"

#define MTDS_MAX	80
#define USERS_MAX	4

static struct mtd_info *table[MTDS_MAX];
static struct mtd_notifier *users[USERS_MAX];
struct mutex mtd_table_mutex;	/* protects the two above */

void mtdcore_reset(void)
{
	must_be(!mtdcore_count() && !mtd_table_mutex.held);
	memset(users, 0, sizeof(users));
}

unsigned int mtdcore_count(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < MTDS_MAX; i++)
		n += !!table[i];
	return n;
}

struct mtd_info *mtdcore_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < MTDS_MAX; i++)
		if (table[i] && !strcmp(table[i]->name, name))
			return table[i];
	return NULL;
}

void mtdcore_add(struct mtd_info *mtd)
{
	unsigned int i, k;

	mutex_lock(&mtd_table_mutex);
	for (i = 0; table[i]; i++)
		must_be(i < MTDS_MAX - 1);
	table[i] = mtd;
	mtd->index = i;
	mtd->usecount = 0;
	for (k = 0; k < USERS_MAX; k++)
		if (users[k])
			users[k]->add(mtd);
	mutex_unlock(&mtd_table_mutex);
}

void mtdcore_remove(struct mtd_info *mtd)
{
	unsigned int k;

	mutex_lock(&mtd_table_mutex);
	must_be(table[mtd->index] == mtd);
	for (k = 0; k < USERS_MAX; k++)
		if (users[k])
			users[k]->remove(mtd);
	must_be(!mtd->usecount);
	table[mtd->index] = NULL;
	mutex_unlock(&mtd_table_mutex);
}

struct mtd_info *__mtd_next_device(int i)
{
	lockdep_assert_held(&mtd_table_mutex);
	while (i < MTDS_MAX && !table[i])
		i++;
	return i < MTDS_MAX ? table[i] : NULL;
}

void register_mtd_user(struct mtd_notifier *user)
{
	unsigned int i, k;

	mutex_lock(&mtd_table_mutex);
	for (k = 0; users[k]; k++)
		must_be(k < USERS_MAX - 1);
	users[k] = user;
	for (i = 0; i < MTDS_MAX; i++)
		if (table[i])
			user->add(table[i]);
	mutex_unlock(&mtd_table_mutex);
}

int unregister_mtd_user(struct mtd_notifier *user)
{
	unsigned int i, k;

	mutex_lock(&mtd_table_mutex);
	for (i = 0; i < MTDS_MAX; i++)
		if (table[i])
			user->remove(table[i]);
	for (k = 0; users[k] != user; k++)
		must_be(k < USERS_MAX - 1);
	users[k] = NULL;
	mutex_unlock(&mtd_table_mutex);
	return 0;
}

int __get_mtd_device(struct mtd_info *mtd)
{
	int err = 0;

	lockdep_assert_held(&mtd_table_mutex);
	if (mtd->_get_device)
		err = mtd->_get_device(mtd);
	if (!err)
		mtd->usecount++;
	return err;
}

void __put_mtd_device(struct mtd_info *mtd)
{
	lockdep_assert_held(&mtd_table_mutex);
	must_be(mtd->usecount-- > 0);
	if (mtd->_put_device)
		mtd->_put_device(mtd);
}

struct mtd_info *get_mtd_device_nm(const char *name)
{
	struct mtd_info *mtd;
	int err = -ENODEV;

	mutex_lock(&mtd_table_mutex);
	mtd = mtdcore_find(name);
	if (mtd)
		err = __get_mtd_device(mtd);
	mutex_unlock(&mtd_table_mutex);
	return err ? ERR_PTR(err) : mtd;
}

void put_mtd_device(struct mtd_info *mtd)
{
	mutex_lock(&mtd_table_mutex);
	__put_mtd_device(mtd);
	mutex_unlock(&mtd_table_mutex);
}

int mtdcore_open(struct mtd_info *mtd)
{
	int err;

	mutex_lock(&mtd_table_mutex);
	err = __get_mtd_device(mtd);
	mutex_unlock(&mtd_table_mutex);
	return err;
}

void mtdcore_close(struct mtd_info *mtd)
{
	put_mtd_device(mtd);
}

int mtd_device_parse_register(struct mtd_info *mtd, const char * const *types,
			      struct mtd_part_parser_data *data,
			      const struct mtd_partition *parts, int n)
{
	must_be(types && !*types && !data && !parts && !n);
	must_be(mtd->size && mtd->erasesize && mtd->writesize && mtd->size % mtd->erasesize == 0);
	if (shim_fails())
		return -ENOMEM;
	mtdcore_add(mtd);
	return 0;
}

int mtd_device_unregister(struct mtd_info *mtd)
{
	if (mtd->usecount)
		return -EBUSY;
	mtdcore_remove(mtd);
	return 0;
}

/* A call to a held MTD; allocations in it must not enter reclaim and so return to us. */
static void check_call(struct mtd_info *mtd, u64 at, u64 len)
{
	must_be(table[mtd->index] == mtd && mtd->usecount);
	must_be(shim_noreclaim && shim_noio);
	must_be(at <= mtd->size && len <= mtd->size - at);
}

int mtd_read(struct mtd_info *mtd, loff_t from, size_t len, size_t *retlen, u_char *buf)
{
	*retlen = 0;
	check_call(mtd, from, len);
	return len ? mtd->_read(mtd, from, len, retlen, buf) : 0;
}

int mtd_write(struct mtd_info *mtd, loff_t to, size_t len, size_t *retlen, const u_char *buf)
{
	*retlen = 0;
	check_call(mtd, to, len);
	return len ? mtd->_write(mtd, to, len, retlen, buf) : 0;
}

int mtd_erase(struct mtd_info *mtd, struct erase_info *instr)
{
	check_call(mtd, instr->addr, instr->len);
	return mtd->_erase(mtd, instr);
}

int mtd_block_isbad(struct mtd_info *mtd, loff_t at)
{
	check_call(mtd, at, 1);
	return mtd->_block_isbad ? mtd->_block_isbad(mtd, at) : 0;
}

int mtd_block_markbad(struct mtd_info *mtd, loff_t at)
{
	check_call(mtd, at, 1);
	return mtd->_block_markbad ? mtd->_block_markbad(mtd, at) : -EOPNOTSUPP;
}

int mtd_is_locked(struct mtd_info *mtd, loff_t at, u64 len)
{
	check_call(mtd, at, len);
	return mtd->_is_locked ? mtd->_is_locked(mtd, at, len) : -EOPNOTSUPP;
}

void mtd_sync(struct mtd_info *mtd)
{
	must_be(table[mtd->index] == mtd && mtd->usecount);
	if (mtd->_sync)
		mtd->_sync(mtd);
}

static struct chip *chip_of(struct mtd_info *mtd)
{
	return container_of(mtd, struct chip, mtd);
}

/* Can this fault make a page unreadable, now or later? */
static bool does_spoil(const struct chip *chip, enum chip_op op)
{
	if (op == CHIP_READ)
		return chip->fault != FAULT_BITFLIP && chip->fault != FAULT_POWER;
	return chip->fault == FAULT_LIE || (op == CHIP_WRITE && chip->fault == FAULT_WRONG);
}

static bool is_due(struct chip *chip, enum chip_op op)
{
	if (!(chip->ops & op) || !chip->times)
		return false;
	if (chip->after) {
		chip->after--;
		return false;
	}
	chip->times--;
	chip->hits++;
	chip->blame += chip->fault != FAULT_POWER;
	chip->spoilt |= does_spoil(chip, op);
	return true;
}

/* Without power all operations fail and do nothing. */
static bool is_off(struct chip *chip)
{
	chip->hits += chip->off;
	return chip->off;
}

static u32 block_of(const struct chip *chip, u64 at)
{
	return at / chip->mtd.erasesize;
}

/* The driver may blame the block for this failure. */
static void block_fails(struct chip *chip, u64 at)
{
	if (chip->failed)
		chip->failed[block_of(chip, at)] = 1;
}

/*
 * A program or an erase fails because the power is off. The driver can't know that for the first
 * two in a row, and blames their blocks (log-blocks.rst, "Known limits"). With the third, it must
 * blame no block.
 */
static void fails_unpowered(struct chip *chip, u64 at)
{
	u32 i, block = block_of(chip, at);

	if (!chip->failed)
		return;
	if (++chip->outage <= CHIP_DOUBTFUL) {
		if (!chip->failed[block])
			chip->doubtful[chip->ndoubtful++] = block;
		chip->failed[block] = 1;
		return;
	}
	for (i = 0; i < chip->ndoubtful; i++)
		chip->failed[chip->doubtful[i]] = 0;
	chip->ndoubtful = 0;
}

/* @outage: 1 if this operation has failed already and its block was blamed */
static void power_off(struct chip *chip, u32 outage)
{
	chip->off = true;
	chip->outage = outage;
	chip->ndoubtful = 0;
}

static void spoil(struct chip *chip, u8 *bytes, u32 len)
{
	chip->noise = chip->noise * 1664525U + 1013904223U;
	bytes[chip->noise % len] ^= 1 << (chip->noise >> 29);
}

/* A random part of @len. */
static u32 some(struct chip *chip, u32 len)
{
	chip->noise = chip->noise * 1664525U + 1013904223U;
	return chip->noise % len;
}

/* Memory in no cache: each read comes here, where it may fail. */
const u8 *mtdc_point_begin(struct mtd_info *mtd)
{
	return NULL;
}

void mtdc_point_end(struct mtd_info *mtd, const u8 *media)
{
}

static int chip_point(struct mtd_info *mtd, loff_t from, size_t len, size_t *retlen, void **virt,
		      unsigned long *phys)
{
	return -EOPNOTSUPP;
}

static int chip_read(struct mtd_info *mtd, loff_t from, size_t len, size_t *retlen, u_char *buf)
{
	struct chip *chip = chip_of(mtd);
	u32 part = len;

	if (is_off(chip))
		return -EIO;
	if (!is_due(chip, CHIP_READ)) {
		memcpy(buf, chip->data + from, len);
		*retlen = len;
		return 0;
	}
	if (chip->fault == FAULT_POWER) {
		power_off(chip, 0);
		return -EIO;
	}
	if (chip->fault == FAULT_SHORT || chip->fault == FAULT_ERROR)
		part = some(chip, len + 1);
	if (chip->fault == FAULT_SHORT && part == len)
		part = 0;
	if (chip->fault != FAULT_LIE)
		memcpy(buf, chip->data + from, part);
	if (chip->fault == FAULT_WRONG || chip->fault == FAULT_ERROR)
		spoil(chip, buf, len);
	*retlen = part;
	if (chip->fault == FAULT_BITFLIP)
		return -EUCLEAN;
	return chip->fault == FAULT_ERROR ? chip->err : 0;
}

static void check_program(const struct chip *chip, u64 to, u32 len)
{
	const struct mtd_info *mtd = &chip->mtd;
	u32 unit = mtd->writesize >> mtd->subpage_sft;

	must_be(to % unit == 0 && len % unit == 0);
	if (chip->kind == CHIP_RAM || chip->lied)
		return;
	must_be(block_of(chip, to) / chip->group == block_of(chip, to + len - 1) / chip->group);
	must_be(!chip->bad[block_of(chip, to)]);
	must_be(!memchr(chip->programmed + to, 1, len));
	if (chip->kind == CHIP_NAND)
		must_be(!memchr(chip->programmed + to + len, 1,
				mtd->erasesize - to % mtd->erasesize - len));
}

static int chip_write(struct mtd_info *mtd, loff_t to, size_t len, size_t *retlen,
		      const u_char *buf)
{
	struct chip *chip = chip_of(mtd);
	u32 part = len, unit = mtd->writesize >> mtd->subpage_sft;
	bool due;

	check_program(chip, to, len);
	must_be_known(buf, len);
	if (is_off(chip)) {
		fails_unpowered(chip, to);
		return -EIO;
	}
	due = is_due(chip, CHIP_WRITE);
	if (due && (chip->fault == FAULT_SHORT || chip->fault == FAULT_ERROR ||
		    chip->fault == FAULT_POWER))
		part = some(chip, len + unit) / unit * unit;
	if (due && chip->fault == FAULT_SHORT && part == len)
		part = 0;
	*retlen = part;
	chip->programmed_bytes += part;
	if (due && chip->fault == FAULT_LIE) {
		chip->lied = true;
		return 0;
	}
	memcpy(chip->data + to, buf, part);
	if (chip->kind != CHIP_RAM)
		memset(chip->programmed + to, 1, part);
	if (!due)
		return 0;
	if (chip->fault == FAULT_WRONG)
		spoil(chip, chip->data + to, len);
	if (chip->fault == FAULT_SHORT)
		block_fails(chip, to);
	/* After -ENOMEM, the driver continues behind the part that was done. */
	if (chip->fault != FAULT_ERROR && chip->fault != FAULT_POWER)
		return 0;
	if (chip->fault == FAULT_POWER)
		power_off(chip, 1);
	if (chip->off || chip->err != -ENOMEM) {
		if (chip->kind != CHIP_RAM)
			memset(chip->programmed + to, 1, len);
		spoil(chip, chip->data + to, len);
		block_fails(chip, to);
	}
	return chip->off ? -EIO : chip->err;
}

static void count_erase(struct chip *chip, const struct erase_info *instr)
{
	u32 i;

	for (i = 0; i < instr->len / chip->mtd.erasesize; i++)
		chip->erases[block_of(chip, instr->addr) + i]++;
}

static int chip_erase(struct mtd_info *mtd, struct erase_info *instr)
{
	struct chip *chip = chip_of(mtd);
	bool due;

	must_be(instr->len == mtd->erasesize * chip->group && instr->addr % instr->len == 0);
	must_be(chip->kind != CHIP_RAM &&
		(chip->lied || !chip->bad[block_of(chip, instr->addr)]));
	if (is_off(chip)) {
		fails_unpowered(chip, instr->addr);
		return -EIO;
	}
	due = is_due(chip, CHIP_ERASE);
	if (due && chip->fault == FAULT_LIE) {
		chip->lied = true;
		count_erase(chip, instr);
		return 0;
	}
	if (due && (chip->fault == FAULT_ERROR || chip->fault == FAULT_POWER)) {
		memset(chip->programmed + instr->addr, 1, instr->len);
		memset(chip->data + instr->addr, 0xff, some(chip, instr->len));
		block_fails(chip, instr->addr);
		if (chip->fault == FAULT_POWER)
			power_off(chip, 1);
		return chip->off ? -EIO : chip->err;
	}
	count_erase(chip, instr);
	memset(chip->data + instr->addr, 0xff, instr->len);
	memset(chip->programmed + instr->addr, 0, instr->len);
	return 0;
}

static int chip_isbad(struct mtd_info *mtd, loff_t at)
{
	return chip_of(mtd)->bad[at / mtd->erasesize];
}

static int chip_markbad(struct mtd_info *mtd, loff_t at)
{
	struct chip *chip = chip_of(mtd);

	must_be(at % mtd->erasesize == 0);
	must_be(chip->failed[block_of(chip, at)]);
	if (is_off(chip))
		return -EIO;
	chip->bad[block_of(chip, at)] = 1;
	return 0;
}

void chip_create(struct chip *chip, const char *name, enum chip_kind kind, u32 bytes,
		 u32 block_bytes, u32 write_bytes)
{
	struct mtd_info *mtd = &chip->mtd;

	memset(chip, 0, sizeof(*chip));
	chip->kind = kind;
	chip->group = 1;
	mtd->name = name;
	mtd->type = kind == CHIP_RAM ? MTD_RAM : kind == CHIP_NOR ? MTD_NORFLASH : MTD_NANDFLASH;
	mtd->flags = kind == CHIP_RAM ? MTD_CAP_RAM : MTD_WRITEABLE;
	mtd->size = bytes;
	mtd->erasesize = block_bytes;
	mtd->writesize = write_bytes;
	mtd->_read = chip_read;
	/* The driver checks only for the callback, and never calls it. */
	if (kind == CHIP_RAM && write_bytes == 1)
		mtd->_point = chip_point;
	mtd->_write = chip_write;
	chip->data = malloc(bytes);
	must_be(chip->data);
	/* Old data of another user. */
	memset(chip->data, 0x5a, bytes);
	if (kind == CHIP_RAM)
		return;
	mtd->_erase = chip_erase;
	chip->programmed = malloc(bytes);
	chip->bad = calloc(1, bytes / block_bytes);
	chip->failed = calloc(1, bytes / block_bytes);
	chip->erases = calloc(bytes / block_bytes, sizeof(*chip->erases));
	must_be(chip->programmed && chip->bad && chip->failed && chip->erases);
	memset(chip->programmed, 1, bytes);
	if (kind == CHIP_NAND) {
		mtd->_block_isbad = chip_isbad;
		mtd->_block_markbad = chip_markbad;
	}
}

void chip_destroy(struct chip *chip)
{
	free(chip->data);
	free(chip->programmed);
	free(chip->bad);
	free(chip->failed);
	free(chip->erases);
}
