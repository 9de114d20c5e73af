# SPDX-License-Identifier: GPL-2.0
#
# Included by the Makefiles that link libmarvin. Sets libatomic, the library for atomics of 64 bits:
# empty where the compiler has them itself; -latomic, where a program
# links with it only (32-bit ARM before version 7, MIPS). Needs CC.

atomic_program := static _Atomic unsigned long long n; int main(void) { return ++n == 1 ? 0 : 1; }
atomic_links = printf '%s' '$(atomic_program)' | $(CC) $(CFLAGS) $(LDFLAGS) -x c - \
	-o /dev/null $(1) 2>/dev/null
libatomic := $(shell $(call atomic_links) || { $(call atomic_links,-x none -latomic) && \
	echo -latomic; })
