# SPDX-License-Identifier: GPL-2.0
#
# The module itself is described in Kbuild. Variables on the command line reach
# kbuild, e.g. make CONFIG_MTDCOMPR_LZ4=n.

KREL ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KREL)/build

all: modules

modules: headers
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

headers:
	@test -f $(KDIR)/Makefile || { \
		echo "No kernel headers in $(KDIR)."; \
		echo "Install those of your kernel (Debian: linux-headers-$(KREL))"; \
		echo "or name a configured kernel tree: make KDIR=..."; \
		exit 1; } >&2

install: modules
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules_install
ifeq ($(KDIR)$(INSTALL_MOD_PATH),/lib/modules/$(KREL)/build)
	@# Kbuild does not, where the headers have no System.map.
	PATH=$$PATH:/sbin:/usr/sbin depmod -a $(KREL)
endif

# Without kbuild: the headers that made the objects may be gone.
clean:
	rm -rf build .tmp_versions
	rm -f Module.symvers modules.order
	find . -name .git -prune -o -type f \( -name '*.o' -o -name '*.ko' -o \
		-name '*.mod' -o -name modules.order -o -name '*.mod.c' -o -name '.*.cmd' \) \
		-exec rm -f {} +

demo:
	+qemu/demo.sh

test:
	qemu/setup.sh build guest board debug test paper
	+selftests/all.sh

unit:
	qemu/setup.sh build test
	+selftests/unit/run.sh

debug:
	qemu/setup.sh build guest debug test
	+selftests/debug.sh

kcsan:
	qemu/setup.sh build guest debug test
	+selftests/debug.sh --lane kcsan

faults:
	qemu/setup.sh build guest debug test
	+selftests/debug.sh failnth failslab
	+selftests/run.sh --lane faults

pressure:
	qemu/setup.sh build guest board test
	+MTDC_SECONDS=$${MTDC_SECONDS:-600} selftests/run.sh --lane pressure

fuzz:
	qemu/setup.sh build guest debug test fuzz
	+selftests/fuzz/run.sh --msan
	+selftests/fuzz/run.sh --seconds $${MTDC_SECONDS:-600}
	+MTDC_SECONDS=$${MTDC_SECONDS:-600} selftests/run.sh --lane fuzz
	+MTDC_SECONDS=$${MTDC_SECONDS:-600} selftests/debug.sh --lane fuzz

suites:
	qemu/setup.sh build guest test suites
	+selftests/run.sh --lane suites

coverage:
	qemu/setup.sh build guest debug test coverage
	+selftests/coverage.sh

check:
	qemu/setup.sh build check
	+selftests/check.sh

cocci:
	qemu/setup.sh build check cocci
	+selftests/check.sh --cocci

bench:
	qemu/setup.sh build guest board bench paper
	+tools/bench/run.sh

paper:
	qemu/setup.sh build guest board bench paper
	+tools/paper/run.sh

matrix:
	qemu/setup.sh build guest test
	+qemu/matrix/run.sh

soak:
	qemu/setup.sh build guest board debug test paper
	+selftests/soak.sh

help:
	@echo 'Building'
	@echo '  make [KDIR=...]      the module for the running kernel, or the one in KDIR'
	@echo '  make CONFIG_MTDCOMPR_LZ4=n   without a backend; also _LZO, _ZLIB, _ZSTD'
	@echo '  make install         into /lib/modules, as root (INSTALL_MOD_PATH=... elsewhere)'
	@echo '  make clean           removes everything that was built'
	@echo 'Trying and testing, on Debian 12 (fetches a stock kernel, runs it in QEMU)'
	@echo '  make demo            a program with too little memory, with and without MTDCOMPR'
	@echo '  make test            all kinds of tests in a short form, within an hour'
	@echo '  make unit            only the unit tests in user space'
	@echo '  make check           checkpatch, sparse, W=1, kernel-doc, shellcheck, checkstack'
	@echo '  make cocci           the semantic patches of the kernel, coccicheck'
	@echo '  make bench           prints the figures of Documentation/figures.rst'
	@echo '  make paper           the experiments of the paper on its board: build/paper/index.html'
	@echo 'Long tests, an hour or more each'
	@echo '  make debug           the guests on a debug kernel of our own: KASAN, lockdep, kmemleak, ...'
	@echo '  make kcsan           many users at once, on a kernel that looks for data races'
	@echo '  make faults          memory and media that fail, each allocation and operation in its turn'
	@echo '  make pressure        three times the memory in use, ten minutes a medium, and full media'
	@echo '  make fuzz            the fuzzers: units in user space, system calls in a guest'
	@echo '  make matrix          other kernels, compilers, machines, configurations'
	@echo '  make suites          test suites of others: zram, nandsim, dm-flakey, UBI, fsx, stress-ng'
	@echo '  make coverage        lines and branches that the debug lane reaches: build/coverage/'
	@echo '  make soak            all tests with more of everything, until MTDC_SOAK_HOURS are over'
	@echo 'Downloads are kept in $${XDG_CACHE_HOME:-~/.cache}/mtdcompr, results in build/.'

.PHONY: all modules headers install clean demo test unit debug kcsan faults \
	pressure fuzz matrix suites coverage check cocci bench paper soak help
