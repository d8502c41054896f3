#!/usr/bin/env bash
# Generates the stubs of idl/interop.idl and compiles the peers' clients and servers.
#
#   build.sh OUTDIR [omniorb] [jacorb]   both when none is named
#
# Makes OUTDIR/PEER/client and OUTDIR/PEER/server. Compiles only when a source is newer than the
# last build. Exit status: 3 when a peer's tools are missing (it says which), 1 when a compilation
# fails.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
idl=$here/../idl
jacorb_lib=${ZORB_JACORB_LIB:-$HOME/.cache/zorb/jacorb-3.9}

if [ $# -eq 0 ]; then
    echo "usage: build.sh OUTDIR [omniorb] [jacorb]" >&2
    exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- omniorb jacorb

missing() {
    echo "build.sh: $1 is missing; peers/install.sh installs it" >&2
    exit 3
}

# fresh STAMP PATH...: whether STAMP exists and no file below the paths is newer.
fresh() {
    local stamp=$1
    shift
    [ -e "$stamp" ] && [ -z "$(find "$@" -type f ! -name '*.md' -newer "$stamp" -print -quit)" ]
}

build_omniorb() {
    command -v omniidl >/dev/null || missing omniidl
    command -v g++ >/dev/null || missing g++
    [ -e /usr/include/omniORB4/CORBA.h ] || missing "omniORB's C++ library"
    local source=$here/omniorb dir=$out/omniorb
    mkdir -p "$dir/gen" "$dir/obj"
    if fresh "$dir/.stamp" "$source" "$idl" "$here/build.sh"; then return 0; fi
    rm -f "$dir/.stamp"

    # omniidl warns of what the IDL does on purpose: it is heard only when it fails.
    if ! omniidl -bcxx -C"$dir/gen" -I"$idl" -DZORB_NO_ATTRIBUTE_RAISES -Wba -Wbinline \
        "$idl/interop.idl" >"$dir/idl.log" 2>&1; then
        cat "$dir/idl.log" >&2
        return 1
    fi
    local flags=(-std=c++17 -O0 -Wall -Wextra -isystem "$dir/gen" -I"$source" -pthread)
    rm -f "$dir/obj/"*
    g++ "${flags[@]}" -x c++-header "$source/peer.h" -o "$dir/obj/peer.h.gch"
    {
        for file in "$source"/*.cc; do
            printf '%s\0' "$file"
        done
        printf '%s\0' "$dir/gen/interopSK.cc" "$dir/gen/interopDynSK.cc"
    } | DIR=$dir xargs -0 -n 1 -P "$(nproc)" bash -c '
        file=${*: -1}
        set -- "${@:1:$#-1}"
        name=$(basename "$file" .cc)
        include=(-include "$DIR/obj/peer.h")
        case $name in interop*) include=(-w -I"$DIR/gen") ;; esac
        exec g++ "$@" "${include[@]}" -c "$file" -o "$DIR/obj/$name.o"
    ' compile "${flags[@]}" || return 1
    local common=(setup samples interopSK interopDynSK)
    local client=(client run known check_basics check_records check_lists check_unions check_state
        check_refs check_anys check_protocol)
    local server=(server servants_data servants_unions servants_state servants_refs)
    link() {
        local target=$1
        shift
        g++ -pthread -o "$dir/$target" "${@/#/$dir/obj/}" \
            -lomniORB4 -lomniDynamic4 -lomniCodeSets4 -lomnithread
    }
    link client "${client[@]/%/.o}" "${common[@]/%/.o}"
    link server "${server[@]/%/.o}" "${common[@]/%/.o}"
    touch "$dir/.stamp"
}

build_jacorb() {
    command -v javac >/dev/null || missing javac
    command -v java >/dev/null || missing java
    [ -e "$jacorb_lib/.complete" ] || missing "JacORB (in $jacorb_lib)"
    local source=$here/jacorb dir=$out/jacorb
    mkdir -p "$dir"
    if fresh "$dir/.stamp" "$source" "$idl" "$here/build.sh"; then return 0; fi
    rm -rf "$dir/.stamp" "$dir/gen" "$dir/classes"
    mkdir -p "$dir/gen" "$dir/classes"

    # Its IDL compiler exits 0 whatever happens: javac then misses the stubs.
    java -cp "$jacorb_lib/*" org.jacorb.idl.parser -DZORB_WEAK_PREPROCESSOR -I"$idl" -all \
        -d "$dir/gen" "$idl/interop.idl" >"$dir/idl.log" 2>&1 || true
    if ! find "$dir/gen" "$source/src" -name '*.java' -print0 |
        xargs -0 javac -nowarn -Xlint:none -encoding UTF-8 -d "$dir/classes" \
            -cp "$jacorb_lib/*" >"$dir/javac.log" 2>&1; then
        cat "$dir/idl.log" "$dir/javac.log" >&2
        return 1
    fi
    launcher() {
        cat >"$dir/$1" <<END
#!/bin/sh
exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -Dfile.encoding=UTF-8 \\
    -Dorg.slf4j.simpleLogger.defaultLogLevel="\${ZORB_JACORB_LOG:-error}" \\
    -cp "$dir/classes:$jacorb_lib/*" $2 "\$@"
END
        chmod +x "$dir/$1"
    }
    launcher client peer.Client
    launcher server peer.Server
    touch "$dir/.stamp"
}

for peer in "$@"; do
    case $peer in
        omniorb) build_omniorb ;;
        jacorb) build_jacorb ;;
        *) echo "build.sh: unknown peer $peer" >&2; exit 2 ;;
    esac
done
