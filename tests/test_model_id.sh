#!/bin/bash
# test_model_id.sh - which sources a sweep's rows depend on, and what the demo
# builds, as the Makefile says

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
        file=$(find "tree/$folder" -maxdepth 1 -name '*.[ch]' | head -n 1)
        [ "$file" ] || file=$(find "tree/$folder" -type f | head -n 1)
        before=$(told '$(model_id)')
        echo '/* changed */' >>"$file"
        after=$(told '$(model_id)')
        [ "${#after}" = 16 ] || return
        [ "$before" != "$after" ] && echo yes "$file" || echo no "$file"
    done >out 2>err
    [ -s out ] && ! grep -v "^$2 " out
}

# Whole folders: what is beside the rows in them runs points again, too, and
# nobody can forget a file.
folders=$(told '$(MODEL_DIRS)')
[ "$folders" = 'sim/core sim/config network workloads models sim/study sim/sweep' ]
report $? 'rows hang on core, config, network, workloads, models, studies, sweeps'
told '$(MODEL_SRCS)' | tr ' ' '\n' | sort >told
(cd tree && find $folders -name '*.[ch]' | sort) >there
diff told there >out 2>err
report $? 'on every source in these folders'

changes "$(cd tree && find $folders -name '*.[ch]' -printf '%h\n' | sort -u)" yes
report $? 'a change in any of their folders makes points run again'
changes 'docs sim/host sim/sensitivity sim/view sim/view/plots sim/view/report
    sim/cli validate tests' no
report $? 'a change of documents, pictures, commands or tests does not'

# The demo builds the simulator, and no other program and no code for GPUs.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -n --no-print-directory -C tree demo >out 2>err &&
    grep -q 'ninja .*build/release/acesim$' out &&
    ! grep -E 'find_nvcc|acesim-validate|acesim-fit|ninja .* all( |$)' out
report $? 'the demo builds the simulator alone'
echo "1..$n"
