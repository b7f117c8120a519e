# lint_includes.awk - checks which folder may include headers of which other
#
# The folders are those of docs/architecture.md.  A folder and its subfolders
# are one family and may include each other.  A family may also include the
# families that are listed before it.

BEGIN {
    # The families are ordered: each may include those before it.  A folder
    # inside another one is listed before it.
    rooms = "sim/core sim/config sim/host network workloads models/npu " \
            "models/collectives models/packing models/stacks models/trace " \
            "models/endpoints models/run models/observe " \
            "sim/study sim/sweep sim/sensitivity sim/view sim/cli"
    families = "sim/study/library " rooms " validate/gpu validate tests"
    n_rooms = split(rooms, room, " ")
    for (i = 1; i <= n_rooms; i++) {
        may[room[i]] = above
        above = above " " room[i]
    }
    # The library offers other programs what the command line offers people.
    may["sim/study/library"] = may["sim/cli"]
    not["sim/study/library", "sim/host"]
    may["validate"]  = "sim/core sim/config"
    may["validate/gpu"] = "" # a separate program without the packages of acesim
    may["tests"]     = families
    # Only validate/fit calls the models that it fits, and the study of pairs
    # of kernels those that divide an NPU between them.
    may["fit"]       = "sim/core sim/config workloads models/npu validate"

    # A family may not include these, although they are listed before it.
    # Code for the host machine reads no configuration: its callers pass the
    # names of limits, so that YAML is read in one place only.
    not["sim/host", "sim/config"]
    not["network", "sim/host"]
    not["workloads", "sim/host"]
    not["workloads", "network"]
    not["models/npu", "sim/host"]
    not["models/npu", "network"]
    not["models/collectives", "sim/host"]
    not["models/packing", "sim/host"]
    not["models/packing", "sim/config"]
    not["models/packing", "network"]
    not["models/packing", "workloads"]
    not["models/packing", "models/npu"]
    not["models/packing", "models/collectives"]
    not["models/stacks", "sim/host"]
    not["models/trace", "sim/host"]
    not["models/endpoints", "sim/host"]
    not["models/observe", "sim/host"]
    # A study returns data: it prints nothing, forks nothing and raises no signal.
    not["sim/study", "sim/host"]

    # Some headers of an allowed family are excluded, or only some allowed.
    never["workloads", "sim/core"] = "engine.h time.h"
}

# Returns the family of a path, or "" if it has none.
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

# Returns what is wrong with this include, or "".
function fault(file, header,    from, to, name) {
    sub(/^tests\/extend\//, "", file) # an example is checked as if it were in the source tree
    from = family(file)
    to = family(header)
    if (to == "") return "include paths start at the root"
    if (from == "") return "no folder for code, see lint_includes.awk"
    # The tests of a folder may include its private headers.
    if (header ~ /_impl\.h$/ && index(file, folder(header)) != 1 &&
        index(file, "tests/" folder(header)) != 1)
        return "private to " folder(header)
    if (from == to) return ""

    if (file ~ /^validate\/(fit|kernels\/(overlap|isolated_kernel)_study)/) from = "fit"
    name = substr(header, length(to) + 2)
    if (!has(may[from], to) || (from, to) in not)
        return from " may not include " to
    if ((from, to) in never && has(never[from, to], name))
        return from " may not include it"
    return ""
}

code ~ /^[ \t]*#[ \t]*include[ \t]*""/ {
    split($0, part, "\"")
    why = fault(FILENAME, part[2])
    if (why != "") report(FNR, "include \"" part[2] "\": " why)
}
