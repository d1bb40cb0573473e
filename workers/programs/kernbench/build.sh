#!/bin/sh
# Runs in a kernel's source.  It builds the smallest configuration once and keeps, as one archive
# that is a system of its own, what the compiler read of it for each file, the compiler, make, and a
# Makefile with the very commands.  Kbuild itself stays behind: its shell is not what is measured.
case $HOST in
x86_64-*) arch=x86_64 ;;
aarch64-*) arch=arm64 ;;
*)
	echo "the kernel's name for $HOST is not known"
	exit 1
	;;
esac
# The boards' compiler has this version, and the commands have only options that it knows.
version=12
command -v "$HOST-gcc-$version" > /dev/null || {
	echo "there is no $HOST-gcc-$version, the boards' compiler; install gcc-$version, for other machines its cross compiler"
	exit 1
}
kernel() {
	make -s -j"$(nproc)" ARCH="$arch" CROSS_COMPILE="$HOST-" CC="$HOST-gcc-$version" KCFLAGS=-w \
		KBUILD_BUILD_TIMESTAMP=@0 KBUILD_BUILD_USER=vlag KBUILD_BUILD_HOST=vlag "$@"
}
kernel tinyconfig
kernel vmlinux

system=$PWD/vlag-root
mkdir -p "$system/src" "$system/tmp" "$system/bin" "$system/usr/bin"
find . -name '.*.o.cmd' | LC_ALL=C sort > vlag-commands
xargs awk -v compiler="$HOST-gcc-$version" -f "$RECIPE/commands.awk" < vlag-commands | LC_ALL=C sort > vlag-files
{
	echo include/generated/autoconf.h # which Kbuild leaves out: it looks at each setting by itself
	xargs awk -v compiler="$HOST-gcc-$version" -v deps=1 -f "$RECIPE/commands.awk" < vlag-commands
} | LC_ALL=C sort -u > vlag-read
tar --create --files-from vlag-read | tar --extract --directory "$system/src"
{
	# The first are those that read the fewest files.
	printf 'ALL :='
	cut -f 2 vlag-files | tr '\n' ' ' | sed 's/^/ /'
	cat <<-'end'

		ifeq ($(word $(FILES),$(ALL)),)
		$(error FILES is "$(FILES)", and there are $(words $(ALL)))
		endif
		pound := \#
		objects := $(wordlist 1,$(FILES),$(ALL))
		kernel.o: $(objects); @ld -r -o $@ $^
	end
	awk -F '\t' '{ printf "%s:\n\t@gcc %s\n", $2, $3 }' vlag-files
} > "$system/src/Makefile"

# As the dynamic linker would, from the boards' release.
needs() { # PATH IN $ROOT
	readelf -d "$ROOT/$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | while read -r name; do
		for folder in "lib/$HOST" "usr/lib/$HOST"; do
			if [ -e "$ROOT/$folder/$name" ] && [ ! -e "$system/lib/$HOST/$name" ]; then
				mkdir -p "$system/lib/$HOST"
				cp -L "$ROOT/$folder/$name" "$system/lib/$HOST/$name"
				needs "$folder/$name"
			fi
		done
	done
}
take() { # PATH IN $ROOT, PLACE
	mkdir -p "$system/$(dirname "$2")"
	cp -L "$ROOT/$1" "$system/$2"
	needs "$1"
	interpreter=$(readelf -l "$ROOT/$1" | sed -n 's/.*interpreter: \/\(.*\)\]/\1/p')
	mkdir -p "$system/$(dirname "$interpreter")"
	cp -L "$ROOT/$interpreter" "$system/$interpreter"
}
take "usr/bin/$HOST-gcc-$version" usr/bin/gcc
take "usr/lib/gcc/$HOST/$version/cc1" "usr/lib/gcc/$HOST/$version/cc1"
take "usr/bin/$HOST-as" usr/bin/as
take "usr/bin/$HOST-ld.bfd" usr/bin/ld
take usr/bin/make usr/bin/make
take usr/bin/time usr/bin/time
take bin/dash bin/sh

sed -n 's/^# Linux\/[^ ]* \([^ ]*\) Kernel Configuration$/\1/p' .config > "$system/src/version"
echo "$arch tinyconfig $(wc -l < vlag-files) files" >> "$system/src/version"
tar --create --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --directory "$system" . \
	> vlag-root.tar
# shellcheck disable=SC2086 # words with their options
$CC $CFLAGS -I . -Wa,-I. "$RECIPE/tree.c" $LDFLAGS -o vlag-kernbench
