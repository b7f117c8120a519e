# Names of C files, in comments and texts, that no file of the repository has.
#
# The arguments are all C files and texts.  A name stands for each file whose
# path ends with it: `trains.c`, `transport/trains.c`.  The README of a folder
# of modules describes that folder, so it names files and folders of this folder
# and tests.  A name with a capital letter or one of *<>{} is a placeholder or a
# pattern.

BEGIN {
    # files of libraries
    split("cmocka.h nvml.h", word, " ")
    for (i in word) is_foreign[word[i]]
    for (i = 1; i < ARGC; i++) add_path(ARGV[i])
}

# Notes each end of @path, and of its folders, that begins after a slash as a
# name in the repository, and in the first folder of the path.
function add_path(path,    top) {
    top = path
    sub(/\/.*/, "", top)
    add_ends(top, path)
    while (sub(/[^\/]+\/?$/, "", path)) add_ends(top, path)
}

function add_ends(top, path) {
    while (path != "") {
        is_name[path]
        is_name[top, path]
        if (!sub(/^[^\/]*\//, "", path)) break
    }
}

# Returns the text of the comments of the line.
function comment_text(line,    text, at) {
    while (line != "") {
        if (is_open) {
            at = index(line, "*/")
            if (!at) return text " " line
            text = text " " substr(line, 1, at - 1)
            line = substr(line, at + 2)
            is_open = 0
        } else {
            # String literals are skipped: a "/*" in one opens nothing.
            if (!match(line, /"([^"\\]|\\.)*"|\/\*/)) break
            is_open = substr(line, RSTART, 2) == "/*"
            line = substr(line, RSTART + RLENGTH)
        }
    }
    return text
}

function check_names(text, pattern,    name) {
    while (match(text, pattern)) {
        name = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        gsub(/`/, "", name)
        if (text ~ /^[A-Za-z0-9_*(]/ || name ~ /[A-Z*<>{}]|^\./ ||
            name in is_foreign || (top, name) in is_name ||
            name in is_name && (!is_readme || name ~ /\/|^test_/))
            continue
        printf "%s:%d: there is no %s%s\n", FILENAME, FNR, name,
               is_readme ? " in " top "/" : ""
        n_reports++
    }
}

FNR == 1 {
    is_open = 0
    is_code = FILENAME ~ /\.(c|h|cu|cuh)$/
    is_readme = FILENAME ~ /^(sim|network|models|workloads)\/README\.md$/
    top = FILENAME
    sub(/\/.*/, "", top)
}
{
    check_names(is_code ? comment_text($0) : $0,
                "[A-Za-z0-9_.*<>{}/-]+[.](c|h|cu|cuh)")
    if (is_readme) check_names($0, "`[a-z0-9_/]+/`")
}
END { if (n_reports) exit 1 }
