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

quick:
	+selftests/run.sh --lane quick

test:
	+selftests/run.sh

test-long:
	+selftests/long.sh

# The programs of tools. Each has a Makefile of its own.
tools tools-install:
	+for tool in latd proswapd rectifyd rectifyd/desktop marvin/marvind mtdcomprctl boot; do \
		$(MAKE) -C $(CURDIR)/tools/$$tool $(if $(filter %-install,$@),install) || exit 1; \
	done

# What the experiments run; nothing of it is installed.
lab:
	+for tool in memload pipeline marvin-load marvin-bench; do \
		$(MAKE) -C $(CURDIR)/tools/lab/$$tool || exit 1; \
	done

# For each kernel that is installed, by DKMS, where there is no package of the distribution.
dkms-install dkms-remove:
	KREL=$(KREL) $(CURDIR)/tools/package/dkms.sh $(@:dkms-%=%)

# The patch that puts the driver into the kernel tree KERNEL.
export-intree:
	@$(CURDIR)/tools/export/intree.sh "$(KERNEL)" "$(or $(OUT),build/mtdcompr-intree.patch)"

unit:
	qemu/setup.sh build unit
	+selftests/unit/run.sh

# The lanes of make test-long, one by one.
debug:
	+selftests/long.sh debug debug-long

kcsan faults pressure suites:
	+selftests/long.sh $@

fuzz:
	+selftests/long.sh fuzz fuzz-debug

test-packages:
	+selftests/run.sh --lane packages

matrix:
	+selftests/long.sh builds machines kernel-5.10 kernel-6.1 kernel-6.12 kernel-new

coverage:
	+selftests/coverage.sh

check:
	qemu/setup.sh build check
	+selftests/check.sh

# The pages of Documentation, to be read in a browser.
html:
	qemu/setup.sh docs
	Documentation/sphinx/build.sh build/html

cocci:
	qemu/setup.sh build check cocci
	+selftests/check.sh --cocci

bench-native:
	+tools/lab/bench/native.sh

bench:
	qemu/setup.sh build guest board bench paper
	+tools/lab/bench/run.sh

paper:
	qemu/setup.sh build guest board bench paper
	+tools/lab/paper/run.sh

# The thesis behind latd.
paper-latd:
	+tools/lab/paper-latd/run.sh

# The paper behind proswapd.
paper-proswap:
	+tools/lab/paper-proswap/run.sh

# The talk behind Marvin.
paper-marvin:
	+tools/lab/paper-marvin/run.sh

# The paper behind rectifyd.
paper-rectify:
	+tools/lab/paper-rectify/run.sh

soak:
	+selftests/soak.sh

help:
	@echo 'Building'
	@echo '  make [KDIR=...]      the module for the running kernel, or the one in KDIR'
	@echo '  make CONFIG_MTDCOMPR_LZ4=n   without a backend; also _LZO, _ZLIB, _ZSTD'
	@echo '  make install         into /lib/modules, as root (INSTALL_MOD_PATH=... elsewhere)'
	@echo '  make tools           mtdcomprctl, latd and the other programs of tools, into build/tools'
	@echo '  make tools-install   into PREFIX (/usr/local), below DESTDIR'
	@echo '  make lab             the loads and meters of the experiments, into build'
	@echo '  make dkms-install    the module by DKMS, for each kernel that is installed; dkms-remove'
	@echo '  make export-intree KERNEL=DIR OUT=FILE   the patch that puts the driver into a kernel tree'
	@echo '  make clean           removes everything that was built'
	@echo 'Trying and testing, on Debian 12 (fetches a stock kernel, runs it in QEMU)'
	@echo '  make demo            a program with too little memory, with and without MTDCOMPR'
	@echo '  make quick           each area once, in two minutes: for each edit'
	@echo '  make test            all areas, in a quarter of an hour'
	@echo '  make unit            only the unit tests in user space'
	@echo '  make check           checkpatch, sparse, W=1, kernel-doc, shellcheck, checkstack, docs'
	@echo '  make html            the documentation as a site: build/html/index.html'
	@echo '  make cocci           the semantic patches of the kernel, coccicheck'
	@echo '  make bench-native    prints how fast the block device is on this processor'
	@echo '  make bench           prints the figures of Documentation/explanation/figures.rst'
	@echo '  make paper-latd      the experiments of the thesis behind latd: build/paper-latd/index.html'
	@echo '  make paper-proswap   the experiments of the paper behind proswapd: build/paper-proswap/index.html'
	@echo '  make paper-marvin    the experiments of the paper behind Marvin: build/paper-marvin/index.html'
	@echo '  make paper-rectify   the experiments of the paper behind rectifyd: build/paper-rectify/index.html'
	@echo '  make paper           the experiments of the paper on its board: build/paper/index.html'
	@echo 'Long tests, mostly an hour or more each'
	@echo '  make test-long       all there is, for hours; goes on where it was: build/long.txt'
	@echo '  and its parts:'
	@echo '  make debug           the guests on a debug kernel of our own: KASAN, lockdep, kmemleak, ...'
	@echo '  make kcsan           many users at once, on a kernel that looks for data races'
	@echo '  make faults          memory and media that fail, each operation in its turn'
	@echo '  make pressure        three times the memory in use, ten minutes a medium, and full media'
	@echo '  make fuzz            the fuzzers: units in user space, system calls in a guest'
	@echo '  make matrix          other kernels, compilers, machines, configurations'
	@echo '  make suites          test suites of others: zram, nandsim, dm-flakey, UBI, fsx, stress-ng'
	@echo '  and beside it:'
	@echo '  make test-packages   the Debian packages, from the first installation to the removal'
	@echo '  make coverage        lines and branches that the short forms reach, in 35 minutes: build/coverage/'
	@echo '  make soak            all tests with more of everything, until MTDC_SOAK_HOURS are over'
	@echo 'Downloads are kept in $${XDG_CACHE_HOME:-~/.cache}/mtdcompr, results in build/.'

.PHONY: all modules headers install clean demo lab quick test test-long test-packages unit debug kcsan \
	faults pressure fuzz matrix suites coverage check html cocci bench paper soak help \
	tools tools-install paper-latd paper-proswap paper-rectify \
	paper-marvin dkms-install dkms-remove export-intree
