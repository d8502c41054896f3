#!/usr/bin/env bash
# Runs every built peer's client against every built peer's server in each GIOP version.
#
#   prove.sh OUTDIR      OUTDIR as given to build.sh
#
# Prints what is not plainly ok, and the totals of each run. Exit status 0 when nothing failed.
set -uo pipefail

out=$(cd "$1" && pwd)
work=$(mktemp -d)
status=0
trap 'rm -rf "$work"' EXIT

for server in omniorb jacorb; do
    [ -x "$out/$server/server" ] || continue
    for giop in 1.2 1.1 1.0; do
        # The server ends with its stdin: this descriptor.
        mkfifo "$work/in"
        "$out/$server/server" --ior-file "$work/ior" --giop "$giop" <"$work/in" &
        pid=$!
        exec 9>"$work/in"
        for _ in $(seq 300); do
            [ -e "$work/ior" ] && break
            sleep 0.1
        done
        for client in jacorb omniorb; do
            [ -x "$out/$client/client" ] || continue
            echo "== $client -> $server, GIOP $giop"
            timeout 120 "$out/$client/client" "@$work/ior" --giop "$giop" 9>&- |
                grep -v '^ok ' || true
            [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
        done
        exec 9>&-
        wait "$pid" || { echo "the $server server ended with status $?"; status=1; }
        rm -f "$work/in" "$work/ior"
    done
done
exit "$status"
