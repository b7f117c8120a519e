#!/bin/sh
# lint.sh - runs all checks of the sources
#
# The checks are layout, the awk rules, YAML, and words that must not occur in
# the repository.  Messages are "file:line: rule".

roots=
for dir in sim network models workloads validate tests; do
    [ ! -d "$dir" ] || roots="$roots $dir"
done
status=0

# several of these run in parallel, so each collects its output and prints it at
# the end
layout='said=$(clang-format --dry-run --Werror "$@" 2>&1) && exit
    rule="not as clang-format -i would lay it out"
    echo "$said" | sed -n "s/^\([^:]*:[0-9]*\):.* error: .*/\1: $rule/p" |
        uniq | grep . || echo "$said"
    exit 1'
find $roots \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
    xargs -0 -r -n 12 -P "$(nproc)" sh -c "$layout" sh || status=1

# lint_code.awk removes comments and strings for the rules that follow
find $roots \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
    sort -z |
    xargs -0 -r awk -f tests/lint_code.awk -f tests/lint_includes.awk \
        -f tests/lint_words.awk -f tests/lint_tree.awk ||
    status=1

find $roots \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
    sort -z |
    xargs -0 -r awk -f tests/lint_code.awk -f tests/lint_exports.awk ||
    status=1

find $roots \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
    sort -z |
    xargs -0 -r awk -f tests/lint_code.awk -f tests/lint_comments.awk |
    grep . && status=1
find $roots \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
    sort -z |
    xargs -0 -r awk -f tests/lint_code.awk -f tests/lint_identifiers.awk ||
    status=1
sh tests/lint_subjects.sh 20 || status=1

find configs -name '*.yaml' -print0 | sort -z |
    xargs -0 -r awk -f tests/lint_yaml.awk || status=1

for script in tests/test_*.sh; do
    [ ! -e "$script" ] || [ -x "$script" ] || {
        echo "$script:1: a test has to be executable"
        status=1
    }
done

find $roots docs README.md CONTRIBUTING.md \( -name '*.md' -o -name '*.[ch]' \
    -o -name '*.cu' -o -name '*.cuh' \) ! -name SOURCES.md -print0 |
    sort -z | xargs -0 -r awk -f tests/lint_file_names.awk || status=1

# Paths named in texts must exist.  SOURCES.md cites files of other projects,
# and a word in capitals is a placeholder.
files='(sim|models|network|workloads|validate|tests|docs)/[A-Za-z0-9_./-]*'
files="(^|[^A-Za-z0-9_./-])$files\.(c|h|cu|cuh|md|sh|awk|svg|gp)\\b"
find $roots docs README.md Makefile \( -name '*.md' -o -name '*.[ch]' -o \
    -name '*.cu*' -o -name static.txt -o -name Makefile \) \
    ! -name SOURCES.md -print0 |
    xargs -0 grep -noE "$files" /dev/null | sort -u |
    sed 's|^\([^:]*:[0-9]*:\)[^a-z]|\1|' |
    while IFS=: read -r file line path; do
        case $path in *[A-Z]*[A-Z]*.c) continue ;; esac
        [ -e "$path" ] || [ -e "${file%/*}/$path" ] ||
            echo "$file:$line: there is no $path"
    done | grep . && status=1

# The pattern finds absolute paths of a machine.  The brackets keep it from
# matching itself.
machine='(^|[^A-Za-z0-9_./~})-])/(wor[k]|hom[e]|roo[t]|User[s])/|\.\./share[d]'
! grep -rnIEo --exclude-dir=.git --exclude-dir=build --exclude-dir=results \
    --exclude=.git "$machine" . |
    sed -E "s|^\./([^:]*:[0-9]+):.*|\1: path of one machine|" |
    grep . || status=1

exit "$status"
