#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Remove kcc from the running kernel.  Every network namespace whose default is
# kcc holds the module, and so does every socket that uses it: say which.
set -eu

usage() {
	cat <<USAGE
usage: scripts/unload.sh [ALGORITHM]

Sets the default congestion control of each named network namespace that uses
kcc to ALGORITHM (default cubic), then removes the module.
Exit status: 0 removed or not loaded, 1 still in use (and by what), 2 bad usage.
USAGE
}

case ${1:-} in
--help | -h) usage; exit 0 ;;
-*) usage >&2; exit 2 ;;
esac
other=${1:-cubic}
key=net.ipv4.tcp_congestion_control

[ -d /sys/module/kcc ] || { echo "kcc is not loaded"; exit 0; }

# back COMMAND...: run sysctl through COMMAND (a namespace, or nothing).
back() {
	[ "$("$@" sysctl -n $key)" != kcc ] || "$@" sysctl -q -w $key="$other"
}
back env
for ns in $(ip netns list | cut -d' ' -f1); do
	back ip netns exec "$ns"
done

if rmmod kcc; then
	echo "kcc is removed; the default is $other"
	exit 0
fi
echo "kcc is still in use. Sockets that use it (restart their services):" >&2
ss -tinpa 2>/dev/null | grep -B1 -w kcc | grep -v -w kcc >&2 || true
for ns in $(ip netns list | cut -d' ' -f1); do
	ip netns exec "$ns" ss -tinpa | grep -q -w kcc && echo "  and in namespace $ns" >&2
done
echo "Namespaces of containers are not listed above: look there too." >&2
exit 1
