# SPDX-License-Identifier: GPL-2.0
# Machine A: User Mode Linux with time travel.  The clock moves only when
# nothing is runnable, so the CPU is infinitely fast and a run repeats.
# shellcheck shell=bash

uml_names() { printf '%s\n' uml uml-debug; }

# uml_tree MACHINE: the kernel tree (built at need).
uml_tree() {
	case $1 in
	uml-debug) "$LAB_DIR/uml-build" --debug ;;
	*) "$LAB_DIR/uml-build" ;;
	esac
}

uml_prepare() {
	need iproute2 ethtool iperf3 kmod python3 procps util-linux
	LAB_TREE=$(uml_tree "$1") || exit 2
	export LAB_TREE
}

# uml_pick_cpu: choose a processor that no other machine holds, in LAB_CPU.  The
# lock goes with this process and whatever it is replaced by.  The machine's
# kernel and its processes take turns, never run at once: on one processor each
# turn is a cheap switch, across two it is a wake-up eight times as dear.
uml_pick_cpu() {
	local list cpu fd
	mkdir -p "$LAB_CACHE/cpu"
	list=$(taskset -cp $BASHPID | sed 's/.*: //' | tr , '\n' | sed 's/-/ /' |
		while read -r a b; do seq "$a" "${b:-$a}"; done | sort -rn)
	for cpu in $list; do
		exec {fd}>"$LAB_CACHE/cpu/$cpu"
		if flock -n "$fd"; then
			LAB_CPU=$cpu
			return
		fi
		exec {fd}>&-
	done
	LAB_CPU=$(shuf -n 1 <<<"$list")
}

# uml_boot MACHINE OUT MEM: replaces this shell by the machine.
uml_boot() {
	uml_pick_cpu
	exec taskset -c "$LAB_CPU" "$LAB_TREE/linux" mem="$3" seccomp=on time-travel=inf-cpu \
		rootfstype=hostfs ro init="$LAB_DIR/guest-init" KCC_JOB="$2" \
		con=null con0=fd:0,fd:1 console=tty0 panic=-1 "umid=kcc$$"
}
