#!/usr/bin/env bash
# Installs what the peers of `zorb bench` are built with: ACE and omniORB (Debian packages), JacORB
# (the same jars as the interoperability tests). Does nothing for what is there already.
#
#   install.sh [ace] [omniorb] [jacorb]        all when none is named
#
# Needs root for the Debian packages when one is missing. Exit status: 0 when all is there, else 1.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
interop=$here/../../tests/interop/peers

apt_install() {
    if [ "$(id -u)" -ne 0 ]; then
        echo "install.sh: not root, cannot install: $*" >&2
        return 1
    fi
    # The list of packages may be missing or old: fetched only when the first try fails.
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y --no-install-recommends "$@" >/dev/null 2>&1 ||
        { apt-get update >/dev/null && apt-get install -y --no-install-recommends "$@" >/dev/null; }
}

# ensure PACKAGE TEST...: installs the package unless the test holds.
ensure() {
    local package=$1
    shift
    "$@" >/dev/null || apt_install "$package"
}

version() {
    dpkg-query -W -f='${Version}' "$1" 2>/dev/null || echo "not a package"
}

[ $# -gt 0 ] || set -- ace omniorb jacorb
for peer in "$@"; do
    case $peer in
        ace)
            ensure g++ command -v g++
            ensure libace-dev test -e /usr/include/ace/SOCK_Stream.h
            echo "ACE: $(version libace-dev)"
            ;;
        omniorb)
            ensure g++ command -v g++
            ensure omniidl command -v omniidl
            ensure libomniorb4-dev test -e /usr/include/omniORB4/CORBA.h
            echo "omniORB: $(version libomniorb4-dev)"
            ;;
        jacorb) "$interop/install.sh" jacorb ;;
        *) echo "install.sh: unknown peer $peer" >&2; exit 1 ;;
    esac
done
