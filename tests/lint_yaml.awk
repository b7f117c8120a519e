# lint_yaml.awk - checks that other YAML parsers accept the shipped files, too
#
# In YAML 1.2, a list or map in brackets that continues on further lines must be
# indented deeper than its key, including the closing bracket.  libyaml does not
# check this, but js-yaml and editors do.  Tabs are not allowed as indentation.

function complain(why) {
    print FILENAME ":" FNR ": " why
    failed = 1
}

FNR == 1 { depth = 0 }

{
    text = $0
    gsub(/"[^"]*"|'[^']*'/, "", text) # quoted brackets do not count
    sub(/(^|[ \t])#.*/, "", text)
    match($0, /^ */)
    indent = RLENGTH
    if (text ~ /^ *\t/) complain("a tab indents nothing in YAML")
    if (text ~ /[^ \t]/ && depth > 0 && indent <= opened)
        complain("what is in brackets is indented deeper than its key")
    match($0, /^( *- )* */) # a key after a dash begins after the dash
    if (depth == 0) opened = RLENGTH
    depth += gsub(/[[{]/, "", text) - gsub(/[]}]/, "", text)
}

END { exit failed }
