#!/bin/bash
# run.sh [WORD...] - checks that tests detect deliberate errors in the code
#
# Each NAME.patch makes one error.  Its head describes the error and names the
# tests that must detect it, one per line "Caught by:".  The patch is applied to
# a copy of the tree, and these tests alone are built and run.  Each of them
# must fail.  `--verify` stands for `acesim run --verify` of the *.yaml files
# here: the first one that fails must report wrong data, without an earlier
# assertion, crash or stall.  A mutant that no test detects, or whose patch does
# not apply, is a failure.  With WORDs, only mutants whose name contains one of
# them are run.
#
# Must be run in the source folder.  The copy is in build/mutants and rebuilds
# only what a patch changes.  Assertions are enabled.

tree=build/mutants/tree
log=$PWD/build/mutants/log
survived=0 caught=0 picked=

sources='Makefile sim network models workloads validate tests configs'

# refresh - makes the copy equal to the tree; only files that differ are
# touched, so that only those are rebuilt
refresh() {
    mkdir -p "$tree" || return
    find $sources -type d -exec mkdir -p "$tree/{}" \;
    find $sources -type f -exec sh -c 'for file; do
        cmp -s "$file" "$0/$file" || cp "$file" "$0/$file" || exit
        done' "$tree" {} +
    (cd "$tree" && find $sources -type f) | while read -r file; do
        [ -e "$file" ] || rm "$tree/$file"
    done
}

build() {
    (cd "$tree" && make -s build/quick/build.ninja CFLAGS=-Wno-error &&
        ninja -f build/quick/build.ninja "build/quick/$1") >"$log" 2>&1
}

# run_test TEST - runs a test and sets $why to its message if it fails
run_test() {
    (cd "$tree" && ACESIM_TEST_TIMEOUT=60 V=1 bash tests/run build/quick "$1") \
        >"$log" 2>&1 && return 1
    grep -q '^FAIL' "$log" || return 2
    # output of the test without a newline may precede "not ok" on its line
    why=$(sed -n 's/.*not ok [0-9]* - //p' "$log" | head -n 1)
    why=${why:-it stops with $(grep -o '(.*)' "$log" | head -n 1)}
}

run_verify() {
    local run status
    for run in "$tree"/tests/mutants/*.yaml; do
        timeout 60 "$tree/build/quick/acesim" run "$run" --verify \
            </dev/null >"$log" 2>&1 && continue
        status=$?
        why=$(sed -n 's/^data went wrong, which is a bug in acesim: //p' "$log")
        [ -n "$why" ] && return
        echo "$run ends with status $status, and not for its data" >>"$log"
        return 2
    done
    return 1
}

# attempt TEST - builds and runs a test in the copy; 0: it fails as required, 1:
# it passes, 2: undecided
attempt() {
    local target=tests/$1
    case $1 in --verify | *.sh) target=acesim ;; esac
    build "$target" || return 2
    case $1 in
    --verify) run_verify ;;
    *) run_test "$1" ;;
    esac
}

# is_picked NAME WORD... - true if NAME contains a WORD or there is no WORD
is_picked() {
    local name=$1 word
    shift
    [ $# -gt 0 ] || return 0
    for word; do
        case $name in *"$word"*) return 0 ;; esac
    done
    return 1
}

catchers() {
    sed -n 's/^Caught by: //p' "$@"
}

# try NAME TEST - tests a mutant in the copy; 0 if it is detected
try() {
    attempt "$2"
    case $? in
    0) printf '%-24s caught by %s: %s\n' "$1" "$2" "$why" ;;
    1) printf '%-24s SURVIVED %s\n' "$1" "$2" && return 1 ;;
    *)
        printf '%-24s does not build or run for %s:\n' "$1" "$2"
        head -n 10 "$log" | sed 's/^/    /'
        return 1
        ;;
    esac
}

# The tests must pass on the unchanged code.
refresh || exit
trap refresh EXIT # the copy must not keep the last mutant
for patch in tests/mutants/*.patch; do
    is_picked "$(basename "$patch" .patch)" "$@" && picked="$picked $patch"
done
for test in $([ "$picked" ] && catchers $picked | sort -u); do
    attempt "$test"
    [ $? = 1 ] || { echo "$test fails by itself" && cat "$log" && exit 1; }
done

for patch in tests/mutants/*.patch; do
    name=$(basename "$patch" .patch)
    is_picked "$name" "$@" || continue
    refresh || exit
    escaped=0
    patch -s -p1 -d "$tree" <"$patch" >"$log" 2>&1 || {
        printf '%-24s does not fit\n' "$name"
        escaped=1
    }
    for test in $(catchers "$patch"); do
        [ "$escaped" = 0 ] && { try "$name" "$test" || escaped=1; }
    done
    survived=$((survived + escaped)) caught=$((caught + 1 - escaped))
done
echo "$caught caught, $survived not"
[ "$survived" -eq 0 ] && [ "$caught" -gt 0 ]
