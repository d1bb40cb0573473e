# SPDX-License-Identifier: GPL-2.0-only
# Reads what Kbuild keeps of each object, .NAME.o.cmd, and prints a line for each of a C file: how
# many files it reads, the object, its command, as a Makefile has it.  With -v deps=1 it prints the
# files alone.  `compiler` is the boards': what is compiled for this machine has another one.
/^(saved)?cmd_[^ ]+\.o := / && $3 == compiler && / -c -o [^ ]+\.o [^ ;]+\.c( *;.*)?$/ {
	command = $0
	sub(/^[^=]*:= /, "", command)
	sub(/ *;.*$/, "", command) # what other tools do to the object
	sub(/^[^ ]+ /, "", command) # the compiler
	gsub(/-Wp,-MMD,[^ ]+ /, "", command)
	object = command
	sub(/^.* -c -o /, "", object)
	source = object
	sub(/ .*$/, "", object)
	sub(/^[^ ]+ /, "", source)
	count = 0
}
object != "" && /^ +[^ ]+ \\$/ {
	# A file, or a wildcard of one that stands for a setting of the configuration.
	name = $1
	if (name ~ /^\$\(wildcard/ || name ~ /^\//) next
	count++
	if (deps) print name
}
object != "" && /^[^ ]+: \$\(deps_/ {
	if (deps) print source
	else printf "%06d\t%s\t%s\n", count, object, command
	object = ""
}
