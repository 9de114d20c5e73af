#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# place.sh MULTIARCH DAEMON...: rules calls it after the tools are installed below debian/PACKAGE.
# Move files to their places in Debian.
set -eu
cd "$(dirname "$0")"
multiarch=$1
shift

# Each daemon gets its copy of the shared completion, because two packages can't own one file.
for daemon; do
	share=$daemon/usr/share
	install -d "$daemon/etc" "$daemon/lib/systemd/system"
	mv "$share/$daemon/$daemon.conf" "$daemon/etc/"
	sed '2,/^$/{/^#/d}' "$share/$daemon/$daemon.service" \
		> "$daemon/lib/systemd/system/$daemon.service"
	rm "$share/$daemon/$daemon.service" "$share/$daemon/$daemon.procd"
	chmod 755 "$share/$daemon/$daemon.init"
	mv "$share/bash-completion/completion.bash" "$share/$daemon/"
	sed -i "s|^\\. .*completion\\.bash\"\$|. /usr/share/$daemon/completion.bash|" \
		"$share/bash-completion/completions/$daemon"
	grep -qx "\\. /usr/share/$daemon/completion.bash" \
		"$share/bash-completion/completions/$daemon"
done

share=mtdcompr-tools/usr/share
install -d "$share/zsh/vendor-completions" "$share/doc/mtdcompr-tools"
mv "$share/zsh/site-functions"/* "$share/zsh/vendor-completions/"
rmdir "$share/zsh/site-functions"
mv "$share/doc/mtdcomprctl/examples" "$share/doc/mtdcompr-tools/"
rmdir "$share/doc/mtdcomprctl"
sed -i 's|doc/mtdcomprctl/|doc/mtdcompr-tools/|' "$share/doc/mtdcompr-tools/examples"/*.service
# The generator is in its place already; the other files for the start at boot are examples.
mv "$share/doc/mtdcompr-boot" "$share/doc/mtdcompr-tools/boot"

# The library and its malloc() replacement have packages of their own. rules has put the udev rule
# into libmarvin-common.
lib=usr/lib/$multiarch
install -d "libmarvin1/$lib" "libmarvin-malloc/$lib"
mv "libmarvin-dev/$lib"/libmarvin.so.* "libmarvin1/$lib/"
mv "libmarvin-dev/$lib/libmarvin-malloc.so" "libmarvin-malloc/$lib/"
rm -r libmarvin-dev/usr/lib/udev
