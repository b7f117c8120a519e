#!/bin/sh
# golden.sh [-u] NAME... - compares results of commands with recorded ones
#
# tests/golden/NAME.cmd has the arguments of acesim on one line, in shell
# syntax.  @OUT@ stands for the CSV file to compare, @DIR@ for the folder of a
# sweep, whose runs.csv is compared.  The result must equal NAME.csv byte by
# byte.  Reports TAP. -u rewrites NAME.csv instead.  ACESIM is the program under
# test.

dir=$(dirname "$0")/golden
scratch=$(mktemp -d "${TMPDIR:-/tmp}/acesim-golden.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

# produce - writes $out; messages of acesim go to the log
produce() {
    rm -rf "$scratch/out.csv" "$scratch/sweep"
    case $(cat "$dir/$1.cmd") in
    *@OUT@*) out=$scratch/out.csv ;;
    *@DIR@*) out=$scratch/sweep/runs.csv ;;
    *) echo "$dir/$1.cmd: no @OUT@ or @DIR@" >"$scratch/log" && return 1 ;;
    esac
    # eval is safe, because the files are part of the repository
    eval '"$ACESIM"' "$(sed 's/@OUT@/"$out"/g; s/@DIR@/"$scratch"\/sweep/g' \
        "$dir/$1.cmd")" \
        </dev/null >"$scratch/log" 2>&1 || return
    [ -f "$out" ] || { echo 'acesim wrote no CSV' >"$scratch/log" && return 1; }
}

update() {
    produce "$1" || { echo "$1: $(cat "$scratch/log")" >&2 && return 1; }
    cmp -s "$out" "$dir/$1.csv" && return
    cp "$out" "$dir/$1.csv" && echo "$dir/$1.csv: rewritten"
}

check() {
    if ! produce "$1"; then
        echo "not ok $n - golden $1: acesim failed"
        sed 's/^/# /' "$scratch/log"
    elif [ ! -f "$dir/$1.csv" ]; then
        echo "not ok $n - golden $1: no $dir/$1.csv, try make golden-update"
    elif ! cmp -s "$dir/$1.csv" "$out"; then
        echo "not ok $n - golden $1: the numbers have changed"
        diff -u -L "$1.csv" -L now "$dir/$1.csv" "$out" |
            head -n 20 | cut -c 1-200 | sed 's/^/# /'
    else
        echo "ok $n - golden $1" && return
    fi
    return 1
}

status=0
if [ "$1" = -u ]; then
    shift
    for name; do
        update "$name" || status=1
    done
    exit "$status"
fi
echo "1..$#"
n=0
for name; do
    n=$((n + 1))
    check "$name" || status=1
done
exit "$status"
