# SPDX-License-Identifier: GPL-2.0
#
# Replace KERNEL_VERSION(A, B, C) in conditions by a number, which unifdef understands. With -v
# back=1, change the remaining ones back.
BEGIN {
	call = "KERNEL_VERSION\\([0-9]+, [0-9]+, [0-9]+\\)"
}

!back && /^#[ \t]*(el)?if/ {
	while (match($0, call)) {
		split(substr($0, RSTART + 15, RLENGTH - 16), part, ", ")
		$0 = substr($0, 1, RSTART - 1) sprintf("%d", \
			part[1] * 65536 + part[2] * 256 + part[3]) \
			substr($0, RSTART + RLENGTH)
	}
}

back && /^#[ \t]*(el)?if/ {
	while (match($0, /[0-9][0-9][0-9][0-9][0-9][0-9]+/)) {
		n = substr($0, RSTART, RLENGTH) + 0
		$0 = substr($0, 1, RSTART - 1) \
			sprintf("KERNEL_VERSION(%d, %d, %d)", int(n / 65536), \
			int(n / 256) % 256, n % 256) substr($0, RSTART + RLENGTH)
	}
}

{ print }
