#!/bin/bash
# run.sh [WORD...] - break the code on purpose, and see a test fail
#
# Each NAME.patch is one mistake; its head says in words what it breaks and
# which test catches it.  It is applied to a copy of the tree, that test alone
# is built and run, and has to fail.  A mutant that survives, or that no longer
# fits the code, is a failure of ours.  Words pick names that hold one of them.
#
# Run in the top folder.  The copy is in build/mutants and builds only what a
# patch has changed; nothing is optimised away: g_assert() stays in.

tree=build/mutants/tree
log=$PWD/build/mutants/log
survived=0 caught=0

sources='Makefile sim network models workloads validate tests configs'

# Makes the copy like the tree.  Only files that differ are touched, so that
# the next build makes only those anew.
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

# attempt TEST - builds and runs it in the copy; 0 when it fails as it should,
# 1 when it passes, 2 when nothing could be learnt.
attempt() {
    case $1 in
    *.sh) target=acesim ;;
    *) target=tests/$1 ;;
    esac
    (
        cd "$tree" && make -s "build/quick/build.ninja" >"$log" 2>&1 &&
            ninja -f build/quick/build.ninja "build/quick/$target" \
                >>"$log" 2>&1
    ) || return 2
    (cd "$tree" && ACESIM_TEST_TIMEOUT=60 bash tests/run build/quick "$1") \
        >"$log" 2>&1 && return 1
    grep -q '^FAIL' "$log" || return 2
}

# Some word of the command line is in the name, or there are none.
is_picked() {
    local name=$1 word
    shift
    [ $# -gt 0 ] || return 0
    for word; do
        case $name in *"$word"*) return 0 ;; esac
    done
    return 1
}

# The tests themselves have to pass on what is not broken.
refresh || exit
for test in $(sed -n 's/^Caught by: //p' tests/mutants/*.patch | sort -u); do
    attempt "$test"
    [ $? = 1 ] || { echo "$test fails by itself" && cat "$log" && exit 1; }
done

for patch in tests/mutants/*.patch; do
    name=$(basename "$patch" .patch)
    is_picked "$name" "$@" || continue
    test=$(sed -n 's/^Caught by: //p' "$patch")
    refresh || exit
    if patch -s -p1 -d "$tree" <"$patch" >"$log" 2>&1; then
        attempt "$test"
        result=$?
    else
        result=2
    fi
    case $result in
    0)
        caught=$((caught + 1))
        why=$(sed -n 's/^ *not ok [0-9]* - //p' "$log" | head -n 1)
        printf '%-24s caught by %s: %s\n' "$name" "$test" \
            "${why:-it stops with $(grep -o '(.*)' "$log" | head -n 1)}"
        ;;
    1) printf '%-24s SURVIVED %s\n' "$name" "$test" ;;
    *)
        printf '%-24s does not fit, build or run:\n' "$name"
        head -n 10 "$log" | sed 's/^/    /'
        ;;
    esac
    [ $result = 0 ] || survived=$((survived + 1))
done
echo "$caught caught, $survived not"
[ "$survived" -eq 0 ] && [ "$caught" -gt 0 ]
