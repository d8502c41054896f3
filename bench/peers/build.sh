#!/usr/bin/env bash
# Compiles the peers of `zorb bench`.
#
#   build.sh OUTDIR [ace] [omniorb] [jacorb]   all when none is named
#
# Makes OUTDIR/PEER/client and OUTDIR/PEER/server. Compiles only when a source is newer than the
# last build. Exit status: 3 when a peer's tools are missing (it says which), 1 when a compilation
# fails.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jacorb_lib=${ZORB_JACORB_LIB:-$HOME/.cache/zorb/jacorb-3.9}
cxx_flags=(-std=c++20 -O2 -DNDEBUG -Wall -Wextra -pthread)

if [ $# -eq 0 ]; then
    echo "usage: build.sh OUTDIR [ace] [omniorb] [jacorb]" >&2
    exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- ace omniorb jacorb

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

build_ace() {
    command -v g++ >/dev/null || missing g++
    [ -e /usr/include/ace/SOCK_Stream.h ] || missing "ACE's library"
    local source=$here/ace dir=$out/ace
    mkdir -p "$dir"
    if fresh "$dir/.stamp" "$source" "$here/build.sh"; then return 0; fi
    rm -f "$dir/.stamp"
    local program
    for program in server client; do
        g++ "${cxx_flags[@]}" -I"$source" "$source/$program.cc" "$source"/common/*.cc -lACE \
            -o "$dir/$program"
    done
    touch "$dir/.stamp"
}

build_omniorb() {
    command -v omniidl >/dev/null || missing omniidl
    command -v g++ >/dev/null || missing g++
    local include=/usr/include/omniORB4
    [ -e $include/internal/giopStream.h ] || missing "omniORB's C++ library"
    local source=$here/omniorb common=$here/ace/common dir=$out/omniorb
    mkdir -p "$dir/gen"
    if fresh "$dir/.stamp" "$source" "$common" "$here/bench.idl" "$here/build.sh"; then
        return 0
    fi
    rm -f "$dir/.stamp"
    omniidl -bcxx -C"$dir/gen" "$here/bench.idl"
    local flags=("${cxx_flags[@]}" -isystem "$dir/gen" -isystem $include
        -isystem $include/internal -I"$source" -I"$here/ace")
    g++ "${flags[@]}" -w -c "$dir/gen/benchSK.cc" -o "$dir/gen/benchSK.o"
    local program
    for program in server client; do
        g++ "${flags[@]}" "$source/$program.cc" "$source/orb.cc" "$source/queue.cc" \
            "$common"/*.cc "$dir/gen/benchSK.o" -lomniORB4 -lomnithread -o "$dir/$program"
    done
    touch "$dir/.stamp"
}

build_jacorb() {
    command -v javac >/dev/null || missing javac
    command -v java >/dev/null || missing java
    [ -e "$jacorb_lib/.complete" ] || missing "JacORB (in $jacorb_lib)"
    local source=$here/jacorb dir=$out/jacorb
    mkdir -p "$dir"
    if fresh "$dir/.stamp" "$source" "$here/bench.idl" "$here/build.sh"; then return 0; fi
    rm -rf "$dir/.stamp" "$dir/gen" "$dir/classes"
    mkdir -p "$dir/gen" "$dir/classes"

    # Its IDL compiler exits 0 whatever happens: javac then misses the stubs.
    java -cp "$jacorb_lib/*" org.jacorb.idl.parser -d "$dir/gen" "$here/bench.idl" \
        >"$dir/idl.log" 2>&1 || true
    if ! find "$dir/gen" "$source/src" -name '*.java' -print0 |
        xargs -0 javac -nowarn -Xlint:none -encoding UTF-8 -d "$dir/classes" \
            -cp "$jacorb_lib/*" >"$dir/javac.log" 2>&1; then
        cat "$dir/idl.log" "$dir/javac.log" >&2
        return 1
    fi
    launcher() {
        cat >"$dir/$1" <<END
#!/bin/sh
# --cpu is done here: before Java starts its threads.
pin= before=
for word in "\$@"; do
    [ "\$before" = --cpu ] && pin="taskset -c \$word"
    before=\$word
done
exec \$pin java -XX:+UseSerialGC -Xms256m -Xmn128m -XX:-UsePerfData \\
    -XX:-UseDynamicNumberOfCompilerThreads -Dfile.encoding=UTF-8 \\
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
        ace) build_ace ;;
        omniorb) build_omniorb ;;
        jacorb) build_jacorb ;;
        *) echo "build.sh: unknown peer $peer" >&2; exit 2 ;;
    esac
done
