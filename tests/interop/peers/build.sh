#!/usr/bin/env bash
# Generates the stubs of idl/interop.idl and compiles the peers' clients and servers.
#
#   build.sh OUTDIR [omniorb] [jacorb]   both when none is named
#
# Makes OUTDIR/PEER/client and OUTDIR/PEER/server. Compiles only when a source is newer than the
# last build. Exit status: 3 when a peer's tools are missing (it says which), 1 when a compilation
# fails.
set -euo pipefail

known=(omniorb jacorb)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
idl=$here/../idl
. "$here/common.sh"

build_omniorb() {
    require omniidl g++
    [ -e /usr/include/omniORB4/CORBA.h ] || missing "omniORB's C++ library"
    local source=$here/omniorb dir=$out/omniorb
    mkdir -p "$dir/gen" "$dir/obj"
    if fresh "$dir/.stamp" "$source" "$idl"; then return 0; fi
    rm -f "$dir/.stamp"

    local flags=(-std=c++17 -O0 -Wall -Wextra -isystem "$dir/gen" -I"$source" -pthread)
    # What every source includes: when it is newer, all are compiled again.
    if ! fresh "$dir/.shared" "$idl" "$source"/*.h; then
        rm -f "$dir/.shared" "$dir/obj/"*
        # omniidl warns of what the IDL does on purpose: it is heard only when it fails.
        if ! omniidl -bcxx -C"$dir/gen" -I"$idl" -DZORB_NO_ATTRIBUTE_RAISES \
            -DZORB_NO_CONTEXTS -DZORB_TYPECODE_BUILT_IN -DZORB_NO_CUSTOM_VALUES \
            -Wba -Wbinline "$idl/interop.idl" >"$dir/idl.log" 2>&1; then
            cat "$dir/idl.log" >&2
            return 1
        fi
        g++ "${flags[@]}" -x c++-header "$source/peer.h" -o "$dir/obj/peer.h.gch"
        touch "$dir/.shared"
    fi
    for file in "$dir"/gen/interop*SK.cc "$source"/*.cc; do
        [ "$dir/obj/$(basename "$file" .cc).o" -nt "$file" ] || printf '%s\0' "$file"
    done | DIR=$dir xargs -0 -r -n 1 -P "$(nproc)" bash -c '
        file=${*: -1}
        set -- "${@:1:$#-1}"
        name=$(basename "$file" .cc)
        include=(-include "$DIR/obj/peer.h")
        case $name in interop*) include=(-w -I"$DIR/gen") ;; esac
        exec g++ "$@" "${include[@]}" -c "$file" -o "$DIR/obj/$name.o"
    ' compile "${flags[@]}" || return 1
    # program NAME SOURCE...: links what became of these and of what client and server share.
    program() {
        local target=$1
        shift
        local names=("$@" "$source"/{setup,samples*}.cc "$dir"/gen/interop*SK.cc)
        names=("${names[@]##*/}")
        names=("${names[@]/%.cc/.o}")
        g++ -pthread -o "$dir/$target" "${names[@]/#/$dir/obj/}" \
            -lomnisslTP4 -lssl -lomniZIOP4 -lomniORB4 -lomniDynamic4 -lomniCodeSets4 -lomnithread
    }
    program client "$source"/{client,run,known,check_*}.cc
    program server "$source"/{server,servants_*}.cc
    # The stubs of interface repositories come with omniORB.
    g++ "${flags[@]}" -DENABLE_CLIENT_IR_SUPPORT "$source/repository/client.cc" \
        -o "$dir/repository" -lomniORB4 -lomniDynamic4 -lomnithread
    # The server of the random tests knows no type of the others.
    omniidl -bcxx -C"$dir/gen" -I"$idl" "$idl/random.idl"
    g++ "${flags[@]}" "$source/random/server.cc" "$dir/gen/randomSK.cc" \
        -o "$dir/random" -lomniORB4 -lomniDynamic4 -lomniCodeSets4 -lomnithread
    # Its own types, of a part of the same IDL.
    omniidl -bcxx -Wbami -C"$dir/gen" -I"$idl" "$idl/asynchronous.idl"
    g++ "${flags[@]}" -Wno-unused-parameter "$source/asynchronous/client.cc" "$dir/gen/asynchronousSK.cc" \
        -o "$dir/asynchronous" -lomniORB4 -lomniDynamic4 -lomnithread
    touch "$dir/.stamp"
}

java_programs() {
    local program
    for program in Client Server; do
        java_program "$out/jacorb/${program,}" "peer.$program" "" -XX:TieredStopAtLevel=1 -Xshare:auto
    done
    java_program "$out/jacorb/query" org.jacorb.ir.QueryIR "" -XX:TieredStopAtLevel=1 -Xshare:auto
    java_program "$out/jacorb/names" org.jacorb.naming.ContextLister "" \
        -XX:TieredStopAtLevel=1 -Xshare:auto \
        -Dorg.omg.CORBA.ORBClass=org.jacorb.orb.ORB \
        -Dorg.omg.CORBA.ORBSingletonClass=org.jacorb.orb.ORBSingleton
    java_asynchronous
}

# The client that does not wait has classes of its own, of a part of the same IDL.
java_asynchronous() {
    local classes=$out/jacorb/asynchronous-classes gen=$out/jacorb/asynchronous-gen
    mkdir -p "$classes" "$gen"
    java -cp "$jacorb_lib/*" org.jacorb.idl.parser -ami_callback -d "$gen" \
        "$here/../idl/asynchronous.idl" >"$out/jacorb/asynchronous.log" 2>&1 || true
    if ! find "$gen" "$here/jacorb/asynchronous" -name '*.java' -print0 |
        xargs -0 javac -nowarn -Xlint:none -encoding UTF-8 -d "$classes" \
            -cp "$jacorb_lib/*" >>"$out/jacorb/asynchronous.log" 2>&1; then
        cat "$out/jacorb/asynchronous.log" >&2
        return 1
    fi
    java_program "$out/jacorb/asynchronous" peer.AsynchronousClient "" \
        -XX:TieredStopAtLevel=1 -Xshare:auto
}

build_jacorb() {
    compile_jacorb "$idl/interop.idl" -DZORB_WEAK_PREPROCESSOR -DZORB_NO_ORB_IDL -I"$idl" -all
}

build "$@"
