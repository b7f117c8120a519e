#!/bin/sh
# make.sh ACESIM DIR - writes the pages of docs/reference to DIR

acesim=$1 dir=$2
"$acesim" list --markdown >"$dir/README.md" || exit
sed -n 's/^| \[.*\](\(.*\)\.md) .*/\1/p' "$dir/README.md" |
    while read -r topic; do
        "$acesim" list --markdown "$topic" >"$dir/$topic.md" || exit
    done
