# lint_yaml.awk - shipped YAML that readers other than ours take, too
#
# By YAML 1.2 a list or map in brackets that goes on over lines is indented
# deeper than the key it belongs to, its closing bracket included: libyaml does
# not mind, js-yaml and editors do.  Tabs indent nothing.

function complain(why) {
    print FILENAME ":" FNR ": " why
    failed = 1
}

FNR == 1 { depth = 0 }

{
    text = $0
    gsub(/"[^"]*"|'[^']*'/, "", text) # quoted brackets are none
    sub(/(^|[ \t])#.*/, "", text)
    match($0, /^ */)
    indent = RLENGTH
    if (text ~ /^ *\t/) complain("a tab indents nothing in YAML")
    if (text ~ /[^ \t]/ && depth > 0 && indent <= opened)
        complain("what is in brackets is indented deeper than its key")
    match($0, /^( *- )* */) # a key behind a dash begins behind it
    if (depth == 0) opened = RLENGTH
    depth += gsub(/[[{]/, "", text) - gsub(/[]}]/, "", text)
}

END { exit failed }
