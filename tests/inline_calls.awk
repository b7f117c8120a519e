# inline_calls.awk - prints the calls of functions that headers define inline
#
# test_call_cycles.sh reads the output: "FILE T NAME" defines a function, and
# "FILE U NAME" calls it.
#
# An inline function belongs to its header.  NAME.h and NAME_impl.h are one file
# with NAME.c.  The script runs after lint_code.awk, which sets `code`.

# Returns the file name without suffixes: "a/b.c", "a/b.h" and "a/b_impl.h" are
# all "a/b".
function node(path) {
    sub(/\.[a-z]+$/, "", path)
    sub(/_impl$/, "", path)
    return path
}

FNR == 1 {
    is_header = FILENAME ~ /\.h$/
    within = ""
}
is_header && code ~ /^static inline/ && match(code, /[A-Za-z_0-9]+\(/) {
    within = substr(code, RSTART, RLENGTH - 1)
    home[within] = FILENAME
}
!is_header || within != "" {
    words_left = code
    while (match(words_left, /[A-Za-z_][A-Za-z_0-9]*\(/)) {
        name = substr(words_left, RSTART, RLENGTH - 1)
        words_left = substr(words_left, RSTART + RLENGTH)
        if (name != within) uses[FILENAME, name]
    }
}
code ~ /^}/ { within = "" }

END {
    for (name in home) print node(home[name]), "T", name
    for (pair in uses) {
        split(pair, part, SUBSEP)
        if (part[2] in home || part[1] ~ /\.h$/)
            print node(part[1]), "U", part[2]
    }
}
