# SPDX-License-Identifier: GPL-2.0
# Machine B: the kernels that Debian's users run, unpacked (never installed)
# and booted in QEMU with this host's files as their read-only root.
# shellcheck shell=bash

# 7.x is whatever trixie-backports holds, so its name outlives the next roll.
stock_names() { printf '%s\n' 5.10 6.1 6.12 7.x; }

stock_suite() {
	case $1 in
	5.10) echo bullseye ;;
	6.1) echo bookworm ;;
	6.12) echo bookworm-backports ;;
	7.x) echo trixie-backports ;;
	i386) echo bookworm:i386 ;; # headers only
	esac
}

# stock_release MACHINE: the kernel release, say 6.1.0-50-amd64, that the suite's
# meta package stands for: image and headers of one release always match.
# Without a network, the last one seen.
stock_release() {
	local suite seen="$LAB_CACHE/stock/$1/release" release='' meta=linux-headers-amd64
	suite=$(stock_suite "$1")
	[ "$1" != i386 ] || meta=linux-headers-686-pae
	if suite_update "$suite"; then
		release=$(suite_apt "$suite" apt-cache show "$meta" 2>/dev/null |
			sed -n 's/^Depends:.*linux-headers-\([0-9][^ ]*\) .*/\1/p' | sort -V | tail -n 1)
	fi
	if [ -n "$release" ]; then
		mkdir -p "${seen%/*}"
		echo "$release" >"$seen"
	elif ! cat "$seen" 2>/dev/null; then
		say "cannot fetch a kernel for $1: $LAB_MIRROR has no $meta in suite $suite, or does not answer (KCC_MIRROR names another mirror; see $LAB_CACHE/apt/$suite/update.log)"
		return 1
	fi
	[ -z "$release" ] || echo "$release"
}

# stock_packages SUITE RELEASE: what holds the kernel and its modules.  From 7.x
# on the image package is empty and its parts are packages of their own.
stock_packages() {
	suite_apt "$1" apt-cache pkgnames 2>/dev/null |
		grep -x -F -e "linux-base-$2" -e "linux-binary-$2" -e "linux-modules-$2" ||
		echo "linux-image-$2"
}

# stock_unpack MACHINE RELEASE DIR: fetch a kernel; DIR gets kernel, initrd.gz and
# lib/modules.
stock_unpack() {
	local suite packages tmp="$3.part"
	suite=$(stock_suite "$1")
	mapfile -t packages < <(stock_packages "$suite" "$2")
	rm -rf "$tmp"
	run_logged "$LAB_CACHE/log/stock-$1" "fetching ${packages[*]} (60 to 120 MB)" \
		suite_unpack "$suite" "$tmp" "${packages[@]}"
	# Newer packages have dropped /lib and /boot.
	[ ! -d "$tmp/usr/lib" ] || cp -al "$tmp/usr/lib" "$tmp"
	[ -d "$tmp/lib/modules/$2" ] || die "the packages ${packages[*]} hold no modules for $2"
	stock_kernel "$(find "$tmp/boot" "$tmp/lib" -name 'vmlinuz*' 2>/dev/null | head -n 1)" "$tmp/kernel"
	# For builds inside the machine (DKMS); the target is made by tests/lab/build.
	ln -sfn "$LAB_CACHE/headers/$1/$2/usr/src/linux-headers-$2" "$tmp/lib/modules/$2/build"
	rm -rf "${tmp:?}/boot" "${tmp:?}/usr"
	stock_prune "$tmp/lib/modules/$2/kernel"
	depmod -b "$tmp" "$2"
	stock_initrd "$tmp" "$2"
	rm -rf "$3"
	mv "$tmp" "$3"
}

# stock_prune DIR: drop what serves real hardware and disks.  depmod reads every module,
# which would take an emulated machine minutes after each installation of ours.
stock_prune() {
	rm -rf "$1/sound"
	find "$1/drivers" -mindepth 1 -maxdepth 1 \
		! -name virtio ! -name net ! -name block ! -name ptp ! -name pps -exec rm -rf {} +
	find "$1/fs" -mindepth 1 -maxdepth 1 -type d \
		! -name 9p ! -name netfs ! -name fscache ! -name overlayfs ! -name fuse -exec rm -rf {} +
	find "$1/drivers/net" -mindepth 1 -maxdepth 1 -type d \
		! -name bonding ! -name vxlan ! -name netdevsim -exec rm -rf {} +
}

# stock_kernel VMLINUZ FILE: take the compression off.  QEMU starts a plain kernel
# through its PVH entry; unpacking it in the machine would take 4 s of each boot.
stock_kernel() {
	local sects offset length
	[ -n "$1" ] || die "the kernel packages hold no vmlinuz"
	# Fields of the x86 boot protocol: where in the file the kernel proper is.
	sects=$(od -An -tu1 -j $((0x1f1)) -N 1 "$1")
	read -r offset length < <(od -An -tu4 -j $((0x248)) -N 8 "$1")
	dd if="$1" of="$2.packed" status=none iflag=skip_bytes,count_bytes bs=64K \
		skip=$(((sects + 1) * 512 + offset)) count=$((length - 4))
	case $(od -An -tx1 -N 2 "$2.packed") in
	' fd 37') xz -dc "$2.packed" >"$2" ;;
	' 28 b5') zstd -q -dc "$2.packed" >"$2" ;;
	*) cp "$1" "$2" ;;
	esac
	rm "$2.packed"
}

# stock_module_files DIR RELEASE: the files that mounting the root needs, in the
# order in which they have to be loaded.
stock_module_files() {
	local name
	for name in virtio_pci 9pnet_virtio 9p overlay; do
		modprobe -d "$1" -S "$2" -C /dev/null --show-depends "$name" || exit 1
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

# stock_initrd DIR RELEASE: an initramfs that does nothing but mount the host's
# root and hand over to the first process that UML starts with, too.
stock_initrd() {
	local root="$1/initrd" files file plain
	files=$(stock_module_files "$1" "$2")
	mkdir -p "$root"/{bin,modules,newroot}
	cp /bin/busybox "$root/bin"
	for file in $files; do
		plain="modules/$(basename "$file" | sed 's/\.ko.*/.ko/')"
		# Busybox loads plain files only.
		case $file in
		*.xz) xz -dc "$file" >"$root/$plain" ;;
		*.zst) zstd -q -dc "$file" >"$root/$plain" ;;
		*) cp "$file" "$root/$plain" ;;
		esac
		echo "busybox insmod /$plain"
	done >"$root/load"
	cat >"$root/init" <<'INIT'
#!/bin/busybox sh
. /load
busybox mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose kccroot /newroot
exec busybox switch_root /newroot "$KCC_INIT"
INIT
	chmod +x "$root/init"
	(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) >"$1/initrd.gz"
	rm -rf "$root"
}

# stock_prepare MACHINE: exports LAB_STOCK, the folder of its kernel.
stock_prepare() {
	local release
	need qemu-system-x86 busybox-static cpio kmod xz-utils zstd iproute2 ethtool iperf3 python3 procps
	# The machine lays its own modules over this folder and cannot make it.
	[ -d /lib/modules ] || mkdir /lib/modules 2>/dev/null ||
		die "this host has no folder /lib/modules; run, as root: mkdir /lib/modules"
	release=$(stock_release "$1") || exit 2
	export LAB_STOCK="$LAB_CACHE/stock/$1/$release"
	[ ! -e "$LAB_STOCK/initrd.gz" ] || return 0
	exec 9>"$LAB_CACHE/stock/lock"
	flock 9
	[ -e "$LAB_STOCK/initrd.gz" ] || stock_unpack "$1" "$release" "$LAB_STOCK"
	stock_forget "$LAB_CACHE/stock/$1" "$release"
	exec 9>&-
}

# stock_forget DIR RELEASE: remove what a suite held before it rolled.
stock_forget() {
	find "$1" -mindepth 1 -maxdepth 1 -type d ! -name "$2" -exec rm -rf {} +
}

# stock_boot MACHINE OUT MEM: replaces this shell by the machine.
#
# KVM is not tried: inside a cloud machine /dev/kvm is often there and still
# runs no guest.  A host with a real one may set KCC_ACCEL=kvm.
# Two processors take turns on one thread: with a thread each (thread=multi) one
# may still run code that the other has just patched, and one boot in 30 crashed.
stock_boot() {
	local accel=(-accel "${KCC_ACCEL:-tcg,thread=single}" -smp "$([ -n "${LAB_SINGLE:-}" ] && echo 1 || echo 2)")
	[ -z "${LAB_ICOUNT:-}" ] || accel=(-accel "tcg,thread=single" -smp 1 -icount "shift=0,sleep=off")
	# A comma in a path is doubled, as QEMU wants it.
	exec qemu-system-x86_64 "${accel[@]}" -cpu max -m "$3" \
		-nodefaults -no-user-config -no-reboot -nic none \
		-display none -monitor none -serial stdio \
		-kernel "$LAB_STOCK/kernel" -initrd "$LAB_STOCK/initrd.gz" \
		-append "console=ttyS0 panic=-1 mitigations=off KCC_JOB=\"$2\" KCC_MODULES=\"$LAB_STOCK/lib/modules\" KCC_INIT=\"$LAB_DIR/guest-init\"" \
		-virtfs "local,path=/,mount_tag=kccroot,security_model=none,readonly=on,multidevs=remap" \
		-virtfs "local,path=${2//,/,,},mount_tag=kccout,security_model=none,multidevs=remap"
}
