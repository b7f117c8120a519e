# lint_code.awk - reads C for the rules of the other lint files
#
# Sets `code` to the line without comments and with empty strings, and
# `last_code` to the last line before it that had code.  It must be the first file
# on the command line, and lint_tree.awk the last.

FNR == 1 { in_comment = 0; code = "" }
{
    if (code ~ /[^ \t]/) last_code = code
    if (FNR == 1) last_code = ""
    code = strip($0)
}

function report(line, rule) {
    printf "%s:%d: %s\n", FILENAME, line, rule
    n_reports++
}

# Returns whether `word` is one of the words of `list`.
function has(list, word) { return index(" " list " ", " " word " ") > 0 }

function strip(text,    out, at, two, string) {
    string["\""] = "^\"([^\"\\\\]|\\\\.)*\""
    string["'"] = "^'([^'\\\\]|\\\\.)*'"
    while (text != "") {
        if (in_comment) {
            at = index(text, "*/")
            if (!at) return out
            in_comment = 0
            out = out " "
            text = substr(text, at + 2)
        }
        if (!match(text, /["'\/]/)) return out text
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART)
        two = substr(text, 1, 2)
        if (two == "/*") {
            in_comment = 1
            text = substr(text, 3)
        } else if (two == "//") {
            report(FNR, "// comment, use /* */")
            return out
        } else if (two ~ /^\//) {
            out = out "/"
            text = substr(text, 2)
        } else if (match(text, string[substr(two, 1, 1)])) {
            out = out "\"\""
            text = substr(text, RLENGTH + 1)
        } else {
            return out
        }
    }
    return out
}
