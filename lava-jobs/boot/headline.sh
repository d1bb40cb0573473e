#!/bin/sh
# Prints the headline of the raw output in $OUT, NAME VALUE UNITS a line, for LAVA's own
# results: what somebody sees who looks at the lab.  The server reads the whole files.
set -u
cd "$OUT" || exit 0

for file in *; do
	case $file in
	headline.txt) cat "$file" ;; # a benchmark's own
	stress-ng.txt) # the rate by the clock, of the first stressor
		awk '$2 == "metrc:" && $9 ~ /^[0-9.]+$/ { print "bogo-ops-rate", $9, "1/s"; exit }' "$file"
		;;
	hackbench.txt)
		# Beside a latency benchmark it is only the load.
		# Of several runs it is the median, the lower one of two.
		[ -f cyclictest.json ] || awk '/^Time: [0-9.]+$/ {
			for (i = n++; i > 0 && time[i] > $2 + 0; i--) time[i + 1] = time[i]
			time[i + 1] = $2 + 0
		} END { if (n) print "time", time[int((n + 1) / 2)], "s" }' "$file"
		;;
	cyclictest.json)
		awk -F '[:, ]+' '/"max":/ && $3 + 0 > most { most = $3 + 0 }
			END { if (most) print "latency-max", most, "us" }' "$file"
		;;
	esac
done
exit 0
