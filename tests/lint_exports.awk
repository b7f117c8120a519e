# lint_exports.awk - finds functions of headers that only their own file uses
#
# Such functions should be static, or removed.  A use in a test counts.  The
# functions of the library (sim/study/library/acesim.h) are for other programs.
#
# A macro that pastes `name_##what` uses all functions that begin with `name_`.
# A declaration and a definition begin in the first column, as clang-format
# lays them out, and have the function's name on that line.

function function_name(text,    name) {
    if (text !~ /^[A-Za-z_]/ || text ~ /^(static|typedef|extern|else)[ (]/ ||
        !match(text, /[ *][A-Za-z_][A-Za-z_0-9]*\(/))
        return ""
    name = substr(text, RSTART + 1, RLENGTH - 2)
    return name ~ /[a-z]/ ? name : ""
}

# Returns the prefix of a pasted name: "name_##" and "name_ ##" give "name_".
function pasted_prefix(text) {
    sub(/ ?##/, "", text)
    return text
}

function is_pasted(name,    prefix) {
    for (prefix in pasted)
        if (index(name, prefix) == 1) return 1
    return 0
}

FNR == 1 {
    is_header = FILENAME ~ /\.h$/
    is_public = is_header && FILENAME !~ /^tests\/|\/library\/acesim\.h$/
}
{
    exported = function_name(code)
    if (exported != "" && is_public && !(exported in declared_at))
        declared_at[exported] = FILENAME ":" FNR
    else if (exported != "" && !is_header)
        defined_in[exported, FILENAME]
    if (match(code, /[a-z_0-9]+_[ ]?##/))
        pasted[pasted_prefix(substr(code, RSTART, RLENGTH))]
    words_left = code
    while (match(words_left, /[A-Za-z_][A-Za-z_0-9]*/)) {
        used = substr(words_left, RSTART, RLENGTH)
        words_left = substr(words_left, RSTART + RLENGTH)
        if (n_uses[used, FILENAME]++ == 0)
            used_in[used] = used_in[used] " " FILENAME
    }
}

END {
    for (exported in declared_at) {
        header = declared_at[exported]
        sub(/:.*/, "", header)
        n = split(used_in[exported], user, " ")
        is_used = n_uses[exported, header] > 1 || is_pasted(exported)
        for (i = 1; i <= n && !is_used; i++)
            is_used = user[i] != header && !((exported, user[i]) in defined_in)
        if (is_used) continue
        printf "%s: %s() is used in its own file only: make it static\n", \
               declared_at[exported], exported
        n_reports++
    }
    if (n_reports) exit 1
}
