#!/bin/sh
# Loads the modules of the kernel that the board needs, in the order of the list beside them.  It
# is there, and read by /vlag/entry, only where a board type has modules (docs/farm.md).
#   @vlag:knob modules ok NAME...|failed NAME: WHY
loaded=''
while read -r module; do
	if why=$(insmod "/vlag/modules/$module.ko" 2>&1); then
		loaded="$loaded $module"
	else
		loaded=''
		echo "@vlag:knob modules failed $module: $why"
		break
	fi
done < /vlag/modules/list
[ -z "$loaded" ] || echo "@vlag:knob modules ok$loaded"
