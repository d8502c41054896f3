#!/usr/bin/env bash
# Compiles the peers of `zorb bench`.
#
#   build.sh OUTDIR [ace] [omniorb] [jacorb] [tonic] [capnp] [iceoryx2] [nano]   all when none is named
#
# Makes OUTDIR/PEER/client and OUTDIR/PEER/server, and OUTDIR/PEER/version for all but JacORB. Compiles only when a
# source is newer than the last build. Exit status: 3 when a peer's tools are missing (it says which), 1 when a
# compilation fails.
set -euo pipefail

known=(ace omniorb jacorb tonic capnp iceoryx2 nano)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cxx_flags=(-std=c++20 -O2 -DNDEBUG -Wall -Wextra -pthread)
. "$here/../../tests/interop/peers/common.sh"

build_ace() {
    require g++
    [ -e /usr/include/ace/SOCK_Stream.h ] || missing "ACE's library"
    local source=$here/ace dir=$out/ace
    mkdir -p "$dir"
    version libace-dev >"$dir/version"
    if fresh "$dir/.stamp" "$source"; then return 0; fi
    rm -f "$dir/.stamp"
    local program
    for program in server client; do
        g++ "${cxx_flags[@]}" -I"$source" "$source/$program.cc" "$source"/common/*.cc -lACE \
            -o "$dir/$program"
    done
    touch "$dir/.stamp"
}

build_omniorb() {
    require omniidl g++
    local include=/usr/include/omniORB4
    [ -e $include/internal/giopStream.h ] || missing "omniORB's C++ library"
    local source=$here/omniorb shared=$here/ace/common dir=$out/omniorb
    mkdir -p "$dir/gen"
    version libomniorb4-dev >"$dir/version"
    if fresh "$dir/.stamp" "$source" "$shared" "$here/bench.idl"; then
        return 0
    fi
    rm -f "$dir/.stamp"
    omniidl -bcxx -Wba -C"$dir/gen" "$here/bench.idl"
    local flags=("${cxx_flags[@]}" -isystem "$dir/gen" -isystem $include
        -isystem $include/internal -I"$source" -I"$here/ace")
    local stubs=() unit
    for unit in benchSK benchDynSK; do
        g++ "${flags[@]}" -w -c "$dir/gen/$unit.cc" -o "$dir/gen/$unit.o"
        stubs+=("$dir/gen/$unit.o")
    done
    local program
    for program in server client; do
        local sources=("$source/$program.cc" "$source/orb.cc" "$source/queue.cc" "$shared"/*.cc)
        [ $program = server ] || sources+=("$source/dynamic.cc")
        g++ "${flags[@]}" "${sources[@]}" "${stubs[@]}" -lomniDynamic4 -lomniORB4 -lomnithread \
            -o "$dir/$program"
    done
    touch "$dir/.stamp"
}

java_programs() {
    # --cpu is done before Java starts its threads.
    local program pin='before=
for word in "$@"; do
    [ "$before" = --cpu ] && launch="taskset -c $word"
    before=$word
done'
    for program in Client Server; do
        java_program "$out/jacorb/${program,}" "peer.$program" "$pin" -Xms256m -Xmn128m \
            -XX:-UsePerfData -XX:-UseDynamicNumberOfCompilerThreads
    done
}

build_jacorb() {
    compile_jacorb "$here/bench.idl"
}

# rust_programs PEER CRATE [SOURCE]: scripts around the program of the package in rust, which uses the crate.
rust_programs() {
    require cargo
    local peer=$1 source=$here/rust dir=$out/$1
    mkdir -p "$dir"
    sed -n "/^name = \"$2\"\$/{n;s/version = \"\(.*\)\"/\1/p}" "$source/Cargo.lock" >"$dir/version"
    if fresh "$dir/.stamp" "$source" "${@:3}"; then return 0; fi
    rm -f "$dir/.stamp"
    cargo build --quiet --release --locked --manifest-path "$source/Cargo.toml" --features "$peer" \
        --bin "$peer-peer" --target-dir "$out/rust"
    cp "$out/rust/release/$peer-peer" "$dir/program"
    local role
    for role in server client; do
        printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$dir/program" $role >"$dir/$role"
        chmod +x "$dir/$role"
    done
    touch "$dir/.stamp"
}

build_tonic() {
    rust_programs tonic tonic
}

build_capnp() {
    require capnp
    rust_programs capnp capnp-rpc
}

build_iceoryx2() {
    rust_programs iceoryx2 iceoryx2
}

build_nano() {
    rust_programs nano zorb-nano "$here/../../crates"/zorb-{nano,giop,cdr,types,interp}/src
}

build "$@"
