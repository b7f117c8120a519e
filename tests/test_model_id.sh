#!/bin/bash
# test_model_id.sh - which sources a sweep's rows hang on, as the Makefile says

. "$SRCDIR/tests/shell.sh"
: >out
: >err

mkdir tree
for part in Makefile sim network models workloads validate docs tests; do
    cp -r "$SRCDIR/$part" tree/
done

# told WORDS - what the Makefile of the tree has for the words.
told() {
    printf 'include Makefile\ntold:\n\t@echo %s\n' "$1" >tree/told.mk
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C tree -f told.mk told
}

# changes WHERE WANTED - a line more in a file of each folder changes the id.
changes() {
    local before after folder file
    for folder in $1; do
        file=$(find "tree/$folder" -maxdepth 1 -type f | sort | tail -n 1)
        before=$(told '$(model_id)')
        echo '/* changed */' >>"$file"
        after=$(told '$(model_id)')
        [ "${#after}" = 16 ] || return
        [ "$before" != "$after" ] && echo yes "$file" || echo no "$file"
    done >out 2>err
    [ -s out ] && ! grep -v "^$2 " out
}

told '$(MODEL_SRCS)' | tr ' ' '\n' | sort >told
(cd tree && find sim/core network models workloads -name '*.[ch]' &&
    find sim/cli -maxdepth 1 -name '*.[ch]') | sort >there
diff told there >out 2>err
report $? 'rows hang on every source of core, models and the commands'

changes "$(cd tree && find sim/core network models workloads -type d) sim/cli" \
    yes
report $? 'a change in any of their folders makes points run again'
changes 'docs sim/cli/plots sim/cli/report validate tests' no
report $? 'a change of documents, plots, reports or tests does not'
echo "1..$n"
