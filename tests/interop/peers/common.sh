# What the scripts that install and build peers share, here and in bench/peers. They set `known` to
# the peers they know and `here` to their folder, and source this file.

jacorb_lib=${JACORB_LIB:-$HOME/.cache/zorb/jacorb-3.9}
script=$(basename "$0")
common=${BASH_SOURCE[0]}

# wanted [PEER]...: sets `peers` to the peers that are asked for: all when none is named.
wanted() {
    local peer
    [ $# -gt 0 ] || set -- "${known[@]}"
    for peer in "$@"; do
        case " ${known[*]} " in
            *" $peer "*) ;;
            *) echo "$script: unknown peer $peer" >&2; exit 2 ;;
        esac
    done
    peers=("$@")
}

# build OUTDIR [PEER]...: calls build_PEER for each, with `out` the folder that exists now.
build() {
    local peer
    if [ $# -eq 0 ]; then
        echo "usage: $script OUTDIR [PEER]... (peers: ${known[*]})" >&2
        exit 2
    fi
    mkdir -p "$1"
    out=$(cd "$1" && pwd)
    shift
    wanted "$@"
    for peer in "${peers[@]}"; do
        "build_$peer"
    done
}

missing() {
    echo "$script: $1 is missing; peers/install.sh installs it" >&2
    exit 3
}

# require PROGRAM...: each has to be on the path.
require() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || missing "$program"
    done
}

# fresh STAMP PATH...: whether STAMP exists and neither a file below the paths nor a script is newer.
fresh() {
    local stamp=$1
    shift
    [ -e "$stamp" ] && [ -z "$(find "$@" "$here/build.sh" "$common" -type f ! -name '*.md' \
        -newer "$stamp" -print -quit)" ]
}

# java_program FILE CLASS BEFORE OPTION...: a script that runs the class of $out/jacorb/classes, or of
# the folder `classes` if that is set. It begins with BEFORE, which may set `launch`.
java_program() {
    local file=$1 class=$2 before=$3
    shift 3
    cat >"$file" <<END
#!/bin/sh
launch=
$before
exec \$launch java -XX:+UseSerialGC -Dfile.encoding=UTF-8 $* \\
    -Dorg.slf4j.simpleLogger.defaultLogLevel="\${JACORB_LOG:-error}" \\
    -cp "${classes:-$out/jacorb/classes}:$jacorb_lib/*" $class "\$@"
END
    chmod +x "$file"
}

# compile_jacorb IDL OPTION...: the stubs of the file and the sources in jacorb/src, compiled to
# $out/jacorb/classes unless nothing is newer; java_programs then makes the programs.
compile_jacorb() {
    local source=$here/jacorb dir=$out/jacorb idl=$1
    shift
    require javac java
    [ -e "$jacorb_lib/.complete" ] || missing "JacORB (in $jacorb_lib)"
    if fresh "$dir/.stamp" "$source" "$(dirname "$idl")"/*.idl; then return 0; fi
    rm -rf "$dir"
    mkdir -p "$dir/gen" "$dir/classes"

    # Its IDL compiler exits 0 whatever happens: javac then misses the stubs.
    java -cp "$jacorb_lib/*" org.jacorb.idl.parser "$@" -d "$dir/gen" "$idl" \
        >"$dir/idl.log" 2>&1 || true
    if ! find "$dir/gen" "$source/src" -name '*.java' -print0 |
        xargs -0 javac -nowarn -Xlint:none -encoding UTF-8 -d "$dir/classes" \
            -cp "$jacorb_lib/*" >"$dir/javac.log" 2>&1; then
        cat "$dir/idl.log" "$dir/javac.log" >&2
        return 1
    fi
    java_programs
    touch "$dir/.stamp"
}

# apt_install PACKAGE...: needs root.
apt_install() {
    if [ "$(id -u)" -ne 0 ]; then
        echo "$script: not root, cannot install: $*" >&2
        return 1
    fi
    # The list of packages may be missing or old: fetched only when the first try fails.
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y --no-install-recommends "$@" >/dev/null 2>&1 ||
        { apt-get update >/dev/null && apt-get install -y --no-install-recommends "$@" >/dev/null; }
}

# version PACKAGE: prints the installed version.
version() {
    dpkg-query -W -f='${Version}' "$1" 2>/dev/null || echo "not a package"
}
