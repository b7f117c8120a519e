#!/bin/bash
# test_reference.sh - the pages of docs/reference are those that the program
# prints, and cover every topic
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

pages=$SRCDIR/docs/reference
mkdir made
sh "$pages/make.sh" "$ACESIM" made >out 2>err &&
    diff -r -x make.sh made "$pages" >out
report $? 'the pages are up to date: make reference writes them'
for topic in $("$ACESIM" list --markdown | sed -n 's/^| \[\(.*\)\](.*/\1/p'); do
    "$ACESIM" list "$topic" >out 2>err && [ -s "made/$topic.md" ] &&
        awk -F'|' 'NF > 4 && /^\| `/ && ($3 !~ /`[^`]+: [^`]+`/ || $6 !~ /[^ ]/) { print; bad = 1 }
            END { exit bad }' "made/$topic.md" >out
    report $? "each key of $topic has an example and a meaning"
done
says 'an unknown page is an error' 2 \
    "there is nothing called 'endpoint' to list; did you mean 'endpoints'?
try: acesim list --help" \
    list --markdown endpoint
echo "1..$n"
