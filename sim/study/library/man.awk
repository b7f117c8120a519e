# man.awk - the manual page libacesim(3) from the comments of acesim.h
#
# The comment at the top becomes the description, its lines "Word  text" named
# paragraphs; each comment before a function or type stands under its name.
# awk -v version=0.2.0 -f man.awk acesim.h >libacesim.3

function plain(text)
{
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    sub(/^[.']/, "\\\\\\&&", text)
    return text
}
function flush_comment(    i)
{
    for (i = 1; i <= n_words; i++)
        print plain(words[i])
    n_words = 0
}

BEGIN {
    print ".TH LIBACESIM 3 \"\" \"acesim " version "\""
    print ".SH NAME\nlibacesim \\- acesim as a library"
    print ".SH SYNOPSIS\n.nf\n#include <acesim.h>\n"
    print "cc PROGRAM.c $(pkg\\-config \\-\\-cflags \\-\\-libs acesim)\n.fi"
    print ".SH DESCRIPTION"
}
/^#|^extern|^}$/ { next }
/^\/\*/ { in_comment = 1; n_words = 0; is_head = /^\/\*$/ && !seen_head++ }
in_comment {
    line = $0
    ends = sub(/ *\*\/$/, "", line)
    sub(/^ ?\/?\*+ ?/, "", line)
    if (is_head && line ~ /^acesim\.h - /)
        line = ""
    if (is_head && match(line, /^[A-Z][a-z]+  +/)) {
        print ".TP\n.B " substr(line, 1, index(line, " ") - 1)
        line = substr(line, RLENGTH + 1)
    }
    sub(/^ +/, "", line)
    if (line != "" && is_head)
        print plain(line)
    else if (line != "")
        words[++n_words] = line
    else if (is_head && said_any)
        print ".PP"
    said_any = said_any || line != ""
    if (ends) {
        in_comment = 0
        is_head = 0
    }
    next
}
/[^ ]/ {
    if (!in_code++)
        print ".nf"
    print ".B \"" plain($0) "\""
    if (/;$/ && (!/^ / || !in_braces)) {
        in_code = in_braces = 0
        print ".fi\n.PP"
        flush_comment()
    } else if (/{$/) {
        in_braces = 1
    } else if (/^}/) {
        in_code = in_braces = 0
        print ".fi\n.PP"
        flush_comment()
    }
}
END { print ".SH SEE ALSO\n.BR acesim (1)" }
