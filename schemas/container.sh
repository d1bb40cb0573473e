#!/bin/sh
# At the first start of a PostgreSQL container: roles and databases.
set -eu
VLAG_DATABASE_PASSWORD_FILE=/run/keys/database
VLAG_READER_PASSWORD_FILE=/run/keys/reader
VLAG_LAVASERVER_PASSWORD_FILE=/run/keys/lavaserver
export VLAG_DATABASE_PASSWORD_FILE VLAG_READER_PASSWORD_FILE VLAG_LAVASERVER_PASSWORD_FILE
psql -X -v ON_ERROR_STOP=1 -U postgres -d postgres -f /opt/vlag/server.sql
