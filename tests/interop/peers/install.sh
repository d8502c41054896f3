#!/usr/bin/env bash
# Installs the real peers of the interoperability tests: omniORB (Debian packages) and JacORB
# (jars, by Maven). Does nothing for what is there already.
#
#   install.sh [omniorb] [jacorb]        both when none is named
#
# The jars go to $JACORB_LIB, or to ~/.cache/zorb/jacorb-3.9. Needs root for the Debian
# packages when one is missing. Exit status: 0 when all is there, else 1.
set -euo pipefail

known=(omniorb jacorb)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/common.sh"

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
    echo "omniORB: $(version libomniorb4-dev)"
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

wanted "$@"
for peer in "${peers[@]}"; do
    "install_$peer"
done
