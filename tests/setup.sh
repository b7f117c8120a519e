#!/bin/sh
# setup.sh GROUP... - installs missing tools and libraries
#
# The groups are build, plots, test, lint, fuzz, afl, mutants, coverage, static,
# bench, slurm, and ci for all that .ci/run needs.  If nothing is missing, the
# script takes some milliseconds and prints nothing.  Missing packages are
# installed by apt-get, with sudo unless run as root.  If that is impossible,
# one line names the packages and the status is 1.

# needs_of GROUP - prints the needs of a group, each as PACKAGE:CHECK; a comma
# joins packages
needs_of() {
    case $1 in
    build)
        echo ninja-build:ninja pkgconf:pkg-config
        echo 'libglib2.0-dev:@glib-2.0>=2.68' libyaml-dev:@yaml-0.1
        echo zlib1g-dev:@zlib
        echo libnlopt-dev:@nlopt 'libglpk-dev:+glpk.h'
        echo libsqlite3-dev:@sqlite3
        case ${CC:-gcc} in
        gcc | gcc\ *) echo gcc,libc6-dev:gcc ;;
        clang | clang\ *) echo clang:clang ;;
        *) command -v "${CC%% *}" >/dev/null || fail "no compiler '$CC'" ;;
        esac
        ;;
    plots) echo gnuplot-nox,fonts-dejavu-core:gnuplot ;;
    test)
        echo libcmocka-dev:@cmocka
        case $CC in clang*) echo libclang-rt-dev:=fuzzer ;; esac
        ;;
    lint) echo clang-format:clang-format ;;
    bench) echo valgrind:valgrind ;;
    mutants) echo patch:patch ;;
    slurm) echo slurm-wlm:srun slurmctld:slurmctld slurmd:slurmd munge:munged ;;
    coverage) echo gcc:gcc gcovr:gcovr ;;
    static) echo gcc:gcc clang-tidy:clang-tidy cppcheck:cppcheck ;;
    fuzz) echo clang:clang libclang-rt-dev:=fuzzer ;;
    afl) echo afl++:afl-fuzz ;;
    ci)
        echo make:make
        needs_of build && needs_of plots && needs_of test &&
            needs_of lint && needs_of bench && needs_of mutants
        ;;
    *) fail "setup.sh knows no group '$1'" ;;
    esac
}

# has CHECK - A check is a command, @ and a pkg-config module, + and a header of
# a library without a module, or = and a runtime library of clang.
has() {
    case $1 in
    @*'>='*)
        module=${1%>=*}
        pkg-config --atleast-version="${1#*>=}" "${module#@}"
        ;;
    @*) pkg-config --exists "${1#@}" ;;
    +*) ${CC:-gcc} -E -x c -include "${1#+}" /dev/null ;;
    =*) ls "$(clang -print-resource-dir)"/lib/*/*"${1#=}"* ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

# missing GROUP... - prints the packages to install on one line
missing() {
    list=
    for need in $needs; do
        has "${need#*:}" && continue
        list="$list${list:+ }$(echo "${need%%:*}" | tr , " ")"
    done
    echo "$list"
}

fail() {
    echo "acesim: $1" >&2
    exit 1
}

needs=
for group; do
    needs="$needs $(needs_of "$group")" || exit
done
packages=$(missing)
[ -n "$packages" ] || exit 0
advice="please install (names of Debian): $packages"

command -v apt-get >/dev/null || fail "no apt-get here, $advice"
sudo=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "not root and no sudo, $advice"
    [ -t 0 ] && sudo=sudo || sudo='sudo -n'
fi

echo "acesim: installing $packages"
log=$(mktemp) || exit
trap 'rm -f "$log"' EXIT
apt="$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y"
apt="$apt -o Acquire::http::Timeout=30 -o DPkg::Lock::Timeout=120"
{
    $apt update
    $apt install --no-install-recommends $packages
} </dev/null >"$log" 2>&1
packages=$(missing)
[ -n "$packages" ] || exit 0
advice="please install: $packages"
why=$(grep -v '^W: ' "$log" | tail -n 1)
fail "apt-get failed (${why:-it says nothing}), $advice"
