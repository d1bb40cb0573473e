#!/bin/sh
# The first start makes a cluster and runs /docker-entrypoint-initdb.d; every start ends in
# the server.  It runs as the user postgres, as compose starts it.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
	echo "stand-in: making a cluster"
	# shellcheck disable=SC2086 # options, a word each
	initdb --username="${POSTGRES_USER:-postgres}" --pwfile="$POSTGRES_PASSWORD_FILE" \
		--encoding=UTF8 --locale=C.UTF-8 --auth-local=trust --auth-host=scram-sha-256 \
		${POSTGRES_INITDB_ARGS:-} >/dev/null
	echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
	# Nobody comes in by TCP before all of it is there.
	pg_ctl -D "$PGDATA" -o "-c listen_addresses=''" -w start >/dev/null
	for script in /docker-entrypoint-initdb.d/*; do
		case $script in
		*.sh) sh -e "$script" ;;
		*.sql) psql -v ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" -f "$script" ;;
		esac
	done
	pg_ctl -D "$PGDATA" -m fast -w stop >/dev/null
fi
exec "$@" -c listen_addresses='*'
