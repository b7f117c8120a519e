#!/bin/bash
# test_model_id.sh - the Makefile's lists of sources on which rows of a sweep
# depend and which the demo builds

. "$SRCDIR/tests/shell.sh"
: >out
: >err

mkdir tree
for part in Makefile sim network models workloads validate docs tests; do
    cp -r "$SRCDIR/$part" tree/
done

# told WORDS - prints the expansion of WORDS by the Makefile of the copied tree
told() {
    printf 'include Makefile\ntold:\n\t@echo %s\n' "$1" >tree/told.mk
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C tree -f told.mk told
}

# changes FOLDERS WANTED - checks whether a changed file in each of the folders
# changes the model id (yes or no).  One make changes one file after the other,
# and expands the id after each.
changes() {
    local folder files= ids
    for folder in $1; do
        file=$(find "tree/$folder" -maxdepth 1 -name '*.[ch]' | head -n 1)
        [ "$file" ] || file=$(find "tree/$folder" -type f | head -n 1)
        files="$files ${file#tree/}"
    done
    ids=$(told "\$(model_id) \$(foreach f,$files,\$(shell echo '/* changed */' >>\$f)\$(model_id))")
    echo "$ids" | awk -v files="$files" '{
        split(files, file, " ")
        for (i = 2; i <= NF; i++)
            print length($i) != 16 ? "no id" : $i != $(i - 1) ? "yes" : "no", \
                file[i - 1]
    }' >out 2>err
    [ "$(wc -l <out)" = "$(echo $files | wc -w)" ] && ! grep -v "^$2 " out
}

# The id depends on whole folders.  Some files in them do not affect rows, but
# no file can be forgotten.
folders=$(told '$(MODEL_DIRS)')
[ "$folders" = 'sim/core sim/config network workloads models sim/study sim/sweep' ]
report $? 'rows hang on core, config, network, workloads, models, studies, sweeps'
told '$(MODEL_SRCS)' | tr ' ' '\n' | sort >told
(cd tree && find $folders -name '*.[ch]' -o -name '*.csv' | sort) >there
diff told there >out 2>err
report $? 'on every source in these folders'

changes "$(cd tree && find $folders -name '*.[ch]' -printf '%h\n' | sort -u)" yes
report $? 'a change in any of their folders makes points run again'
changes 'docs sim/host sim/sensitivity sim/view sim/view/plots sim/view/report
    sim/cli validate tests' no
report $? 'a change of documents, pictures, commands or tests does not'

# The demo builds the simulator only: no other program and no GPU code.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -n --no-print-directory -C tree demo >out 2>err &&
    grep -q 'ninja .*build/demo/acesim$' out &&
    ! grep -E 'find_nvcc|acesim-validate|acesim-fit|ninja .* all( |$)' out
report $? 'the demo builds the simulator alone'
echo "1..$n"
