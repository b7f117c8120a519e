# Who may include whom.  A folder and its subfolders are one family and free
# among themselves; other folders only downwards, as in DESIGN below.

BEGIN {
    # A folder inside another stands before it.
    families = "sim/core sim/cli workloads network models validate/gpu " \
               "validate tests"

    may["sim/core"]  = ""
    may["workloads"] = "sim/core"
    may["network"]   = "sim/core"
    may["models"]    = "sim/core workloads network"
    may["sim/cli"]   = "sim/core workloads network models"
    may["validate"]  = "sim/core"
    may["validate/gpu"] = "" # a program of its own, without our packages
    may["tests"]     = families
    # validate/fit* alone calls the models that it fits.
    may["fit"]       = "sim/core workloads models validate"

    # Of a folder that it may include, some see these headers only, or not
    # these.
    only["models", "network"]      = "network.h"
    only["validate", "sim/core"]   = "config.h csv.h quantity.h"
    never["workloads", "sim/core"] = "engine.h time.h"
}

# The family of a path, or "" when it has none.
function family(path,    n, i, name) {
    n = split(families, name, " ")
    for (i = 1; i <= n; i++)
        if (index(path, name[i] "/") == 1) return name[i]
    return ""
}

function folder(path) {
    sub(/[^\/]*$/, "", path)
    return path
}

# What is wrong with this include, or "".
function fault(file, header,    from, to, name) {
    from = family(file)
    to = family(header)
    if (to == "") return "include paths start at the root"
    if (from == "") return "no folder for code, see lint_includes.awk"
    if (header ~ /_impl\.h$/ && index(file, folder(header)) != 1)
        return "private to " folder(header)
    if (from == to) return ""

    if (file ~ /^validate\/fit/) from = "fit"
    name = substr(header, length(to) + 2)
    if (!has(may[from], to)) return from " may not include " to
    if ((from, to) in only && !has(only[from, to], name))
        return from " may include of " to " only " only[from, to]
    if ((from, to) in never && has(never[from, to], name))
        return from " may not include it"
    return ""
}

code ~ /^[ \t]*#[ \t]*include[ \t]*""/ {
    split($0, part, "\"")
    why = fault(FILENAME, part[2])
    if (why != "") report(FNR, "include \"" part[2] "\": " why)
}
