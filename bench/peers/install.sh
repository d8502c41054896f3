#!/usr/bin/env bash
# Installs what the peers of `zorb bench` are built with: ACE and omniORB (Debian packages), JacORB
# (the same jars as the interoperability tests), the compiler of Cap'n Proto. Does nothing for what is there already.
#
#   install.sh [ace] [omniorb] [jacorb] [tonic] [capnp] [iceoryx2] [nano]   all when none is named
#
# Needs root for the Debian packages when one is missing. Exit status: 0 when all is there, else 1.
set -euo pipefail

known=(ace omniorb jacorb tonic capnp iceoryx2 nano)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
interop=$here/../../tests/interop/peers
. "$interop/common.sh"

# ensure PACKAGE TEST...: installs the package unless the test holds.
ensure() {
    local package=$1
    shift
    "$@" >/dev/null || apt_install "$package"
}

install_ace() {
    ensure g++ command -v g++
    ensure libace-dev test -e /usr/include/ace/SOCK_Stream.h
    echo "ACE: $(version libace-dev)"
}

install_omniorb() {
    ensure g++ command -v g++
    ensure omniidl command -v omniidl
    ensure libomniorb4-dev test -e /usr/include/omniORB4/CORBA.h
    echo "omniORB: $(version libomniorb4-dev)"
}

install_jacorb() {
    "$interop/install.sh" jacorb
}

install_tonic() {
    echo "tonic: cargo fetches it"
}

install_capnp() {
    ensure capnproto command -v capnp
    echo "Cap'n Proto: $(version capnproto)"
}

install_iceoryx2() {
    echo "iceoryx2: cargo fetches it"
}

install_nano() {
    echo "the small ORB: part of this repository"
}

wanted "$@"
for peer in "${peers[@]}"; do
    "install_$peer"
done
