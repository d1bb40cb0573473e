#!/bin/sh
# Sends a file to the artifact store whose address, with key and token, is the one line of
# /vlag/upload.  Says `@vlag:uploaded NAME BYTES SHA256` once the store has answered with
# the same digest; ends with 1 if it does not, and the caller prints the file instead.
set -u
root=${VLAG_ROOT:-} # of another /tmp and /vlag, for tests
name=${1##*/}
packed=$root/tmp/vlag-packed
read -r address < "$root/vlag/upload" || [ -n "$address" ] || exit 1
digest=$(sha256sum < "$1")
digest=${digest%% *}
bytes=$(wc -c < "$1")

# As text: busybox's wget ends what it posts at the first zero byte.
gzip -c "$1" | base64 > "$packed"

post() {
	if command -v curl > /dev/null; then
		timeout 120 curl --silent --fail --upload-file "$packed" \
			--header "Content-Encoding: gzip" --header "Content-Transfer-Encoding: base64" \
			"$address/$name"
	else
		timeout 120 wget -q -O - --header "Content-Encoding: gzip" \
			--header "Content-Transfer-Encoding: base64" --post-file "$packed" "$address/$name"
	fi 2>/dev/null
}

status=1
for pause in 2 2 0; do
	answer=$(post)
	case $?:$answer in
	124:* | 143:*) # timeout's own status, by coreutils and by busybox
		# A store that hangs must not use up the job's time, file by file.
		rm -f "$root/vlag/upload"
		break
		;;
	*\""$digest"\"*)
		echo "@vlag:uploaded $name $((bytes)) $digest"
		status=0
		break
		;;
	esac
	sleep $pause
done
rm -f "$packed"
exit $status
