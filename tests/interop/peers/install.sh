#!/usr/bin/env bash
# Installs the real peers of the interoperability tests: omniORB (Debian packages) and JacORB
# (jars, by Maven). Does nothing for what is there already.
#
#   install.sh [omniorb] [jacorb]        both when none is named
#
# The jars go to $ZORB_JACORB_LIB, or to ~/.cache/zorb/jacorb-3.9. Needs root for the Debian
# packages when one is missing. Exit status: 0 when all is there, else 1.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jacorb_lib=${ZORB_JACORB_LIB:-$HOME/.cache/zorb/jacorb-3.9}

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

install_omniorb() {
    local missing=()
    command -v omniidl >/dev/null || missing+=(omniidl)
    command -v omniNames >/dev/null || missing+=(omniorb-nameserver)
    command -v nameclt >/dev/null || missing+=(omniorb)
    [ -e /usr/include/omniORB4/CORBA.h ] || missing+=(libomniorb4-dev)
    [ -e /usr/share/idl/omniORB/Naming.idl ] || missing+=(omniorb-idl)
    command -v g++ >/dev/null || missing+=(g++)
    if [ "${#missing[@]}" -gt 0 ]; then
        apt_install "${missing[@]}"
    fi
    local version
    version=$(dpkg-query -W -f='${Version}' libomniorb4-dev 2>/dev/null || echo "not a package")
    echo "omniORB: $version"
}

install_jacorb() {
    local missing=()
    command -v javac >/dev/null || missing+=(default-jdk-headless)
    if [ ! -e "$jacorb_lib/.complete" ]; then
        command -v mvn >/dev/null || missing+=(maven)
    fi
    if [ "${#missing[@]}" -gt 0 ]; then
        apt_install "${missing[@]}"
    fi
    if [ "$here/jacorb/pom.xml" -nt "$jacorb_lib/.complete" ]; then  # also when it is missing
        mkdir -p "$jacorb_lib"
        mvn -q -B -f "$here/jacorb/pom.xml" dependency:copy-dependencies \
            -DoutputDirectory="$jacorb_lib"
        touch "$jacorb_lib/.complete"
    fi
    echo "JacORB: $(cd "$jacorb_lib" && ls jacorb-[0-9]*.jar) in $jacorb_lib"
}

[ $# -gt 0 ] || set -- omniorb jacorb
for peer in "$@"; do
    case $peer in
        omniorb) install_omniorb ;;
        jacorb) install_jacorb ;;
        *) echo "install.sh: unknown peer $peer" >&2; exit 1 ;;
    esac
done
