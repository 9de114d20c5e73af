modprobe phram phram=low,0xa2000000,32Mi
modprobe mtdcompr mtd=low,comp=$1
N=$(sed -n 's/^mtd\([0-9]*\):.*"mtdcompr0".*/\1/p' /proc/mtd)
mkswap /dev/mtdblock$N ; swapon /dev/mtdblock$N
echo 0 > /proc/sys/kernel/kptr_restrict
cat /proc/kallsyms > $MTDC_OUT
memsig -m 40 -g 1 -s 1
grep -E 'page_|avg' /proc/mtdcompr/mtdcompr0
cat /proc/uptime
