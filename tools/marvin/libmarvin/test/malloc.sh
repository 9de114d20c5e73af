#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# malloc.sh [DIRECTORY]: programs that know nothing of libmarvin, with libmarvin-malloc.so and
# without, as TAP. Their memory is saved and taken all the time; what they write has to be the same.
# A result counts only if memory was taken and read again.
#
# DIRECTORY          where libmarvin is built (build/marvin)
# CC                 the compiler (gcc)
# MTDC_LONG=1        each program ten times
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
top=$(cd "$here/../../../.." && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../../../../selftests/tap.sh
. "$top/selftests/tap.sh"
: "${CC:=gcc}"
build=${1:-$top/build/marvin}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# shellcheck disable=SC2034 # of tap.sh
details=$out/said
times=1
[ -z "${MTDC_LONG:-}" ] || times=10
# For the program only: not for the shell, nor for timeout.
preload=(env "LD_PRELOAD=$build/libmarvin-malloc.so" MARVIN_VERBOSE=1)

# sum_of KEY: KiB, of all processes of the last program
sum_of() { awk -v key="$1" '{ for (i = 1; i < NF; i++) if ($i == key) sum += $(i + 1) } END { print sum + 0 }' "$out/said"; }

# same WHAT LEAST COMMAND...: with an allocation of LEAST bytes in the heap the output is the same
same()
{
	local what=$1 least=$2 status turn

	shift 2
	"$@" > "$out/plain" 2> "$out/said"
	status=$?
	for ((turn = 0; turn < times; turn++)); do
		timeout -s KILL 300 "${preload[@]}" MARVIN_MALLOC_MIN="$least" MARVIN_MALLOC_DROP_MS=3 \
			"$@" > "$out/heap" 2> "$out/said"
		if [ $? != $status ] || ! cmp "$out/plain" "$out/heap" >> "$out/said"; then
			result 1 "$what, from $least bytes on"
			return
		fi
	done
	[ "$(sum_of loaded)" -gt 0 ]
	result $? "$what, from $least bytes on: $(sum_of dropped) KiB dropped, $(sum_of loaded) loaded"
}

cat > "$out/table.sql" << 'END'
CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, body TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
	INSERT INTO t SELECT i, 'name ' || (i * 7919 % 20011), hex(zeroblob(i % 300)) || i FROM n;
CREATE INDEX by_name ON t (name);
SELECT count(*), sum(length(body)), min(name), max(name) FROM t;
SELECT length(group_concat(body)), substr(group_concat(name), 100000, 60) FROM t;
UPDATE t SET body = body || id WHERE id % 3 = 0;
DELETE FROM t WHERE id % 7 = 0;
SELECT id, name, length(body) FROM t ORDER BY name LIMIT 20;
SELECT sum(id * length(body)) FROM t WHERE name > 'name 5';
END

cat > "$out/work.py" << 'END'
import array, bisect, hashlib, json, os, sys, zlib

blocks = [bytearray((i * k) % 251 for k in range(100000)) for i in range(40)]
numbers = array.array("q", range(300000))
names = sorted("name %d" % (i * 7919 % 100003) for i in range(100003))
table = {name: i for i, name in enumerate(names)}
digest = hashlib.sha256()
for turn in range(20):
    for block in blocks:
        block[turn * 1000:turn * 1000 + 500] = bytes([turn]) * 500
        digest.update(block)
    digest.update(zlib.compress(numbers.tobytes()))
    numbers.extend(range(turn * 1000))
    digest.update(json.dumps(table)[turn * 1000:turn * 2000].encode())
    digest.update(str(bisect.bisect(names, "name 5")).encode())
sys.stdout.flush()
pid = os.fork()
if not pid:
    for block in blocks:
        digest.update(block)
    print("child", digest.hexdigest(), flush=True)
    os._exit(0)
os.waitpid(pid, 0)
print("parent", digest.hexdigest())
END

cat > "$out/work.js" << 'END'
const crypto = require('crypto');
const blocks = [];
for (let i = 0; i < 60; i++) {
	const block = Buffer.alloc(200000);
	for (let k = 0; k < block.length; k++)
		block[k] = (i * k) % 251;
	blocks.push(block);
}
const digest = crypto.createHash('sha256');
for (let turn = 0; turn < 20; turn++)
	for (const block of blocks) {
		block.fill(turn, turn * 1000, turn * 1000 + 500);
		digest.update(block);
		blocks[turn] = Buffer.concat([blocks[turn].subarray(100000), block.subarray(0, 100000)]);
	}
console.log(digest.digest('hex'));
END

# have PROGRAM WHAT LEAST COMMAND...: or a skip
have()
{
	local program=$1

	shift
	if command -v "$program" > /dev/null; then
		same "$@"
	else
		result 0 "$1 # SKIP no $program"
	fi
}

# cases LEAST: of malloc_cases.c
cases()
{
	local status=0

	timeout -s KILL 600 "${preload[@]}" MARVIN_MALLOC_MIN="$1" MARVIN_MALLOC_DROP_MS=10 \
		"$out/cases" > "$out/cases.tap" 2> "$out/said" || status=$?
	pass_on $status "$out/cases.tap" "from $1 bytes on: "
	[ "$(sum_of loaded)" -gt 0 ]
	result $? "from $1 bytes on: memory was taken, and came back"
}

# plain_memory: a user whom the kernel's faults are not told
plain_memory()
{
	local what="without userfaultfd for the kernel's faults memory is the C library's"
	local user=(setpriv --reuid 65534 --regid 65534 --clear-groups)

	if ! "${user[@]}" true 2> "$out/said" || "${user[@]}" test -w /dev/userfaultfd ||
		[ "$(cat /proc/sys/vm/unprivileged_userfaultfd 2> /dev/null)" != 0 ]; then
		result 0 "$what # SKIP this user has it, or there is no other one"
		return
	fi
	chmod 755 "$out"
	python3 "$out/work.py" > "$out/plain"
	"${user[@]}" "${preload[@]}" python3 "$out/work.py" > "$out/heap" 2> "$out/said"
	cmp "$out/plain" "$out/heap" && [ "$(grep -c 'plain memory' "$out/said")" = 1 ]
	result $? "$what, which is said once"
}

if ! compiled build make -s -C "$here/.." O="$build" CC="$CC" "$build/libmarvin-malloc.so" ||
	! compiled cases "$CC" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -fno-builtin -pthread \
		-o "$out/cases" "$here/malloc_cases.c"; then
	end_results
	exit 1
fi
"$out/cases" > "$out/cases.tap" 2> "$out/said"
pass_on $? "$out/cases.tap" "the C library: "
cases 65536
cases 1
for least in 65536 1000; do
	page=$((least < 4096 ? 4096 : least))
	# Its pages have to be large allocations.
	have sqlite3 "sqlite3" $least sqlite3 -batch -cmd "PRAGMA page_size = $page" \
		:memory: ".read $out/table.sql"
	have python3 "python3" $least python3 "$out/work.py"
	have node "node" $least node "$out/work.js"
done
have "$CC" "$CC compiles" 4096 "$CC" -O2 -S -o - -D_GNU_SOURCE -x c "$here/malloc_cases.c"
plain_memory
end_results
