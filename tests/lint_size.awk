# How long files and functions may be.

BEGIN {
    max_source = 400
    max_header = 150
    max_function = 50 # from the brace in column 0 to the one that closes it
}

function check_file(    max) {
    max = file ~ /\.(h|cuh)$/ ? max_header : max_source
    if (n_lines > max)
        printf "%s:%d: %d lines, a file has at most %d\n", \
            file, max + 1, n_lines, max
    n_reports += n_lines > max
}

FNR == 1 {
    check_file()
    file = FILENAME
    opened = 0
}
{ n_lines = FNR }

# Tables and structs have no parenthesis before their brace.
code ~ /^\{/ && last_code ~ /\)[ \t]*$/ { opened = FNR }
code ~ /^\}/ && opened {
    if (FNR - opened >= max_function && file !~ /^tests\//)
        report(opened, FNR - opened + 1 " lines, a function has at most " \
               max_function)
    opened = 0
}

END {
    check_file()
    if (n_reports) exit 1
}
