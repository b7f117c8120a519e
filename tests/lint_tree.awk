# lint_tree.awk - finds cycles of includes and files without a head comment
#
# NAME.c and NAME.h are one node, and NAME_impl.h belongs to the node NAME if
# there is one.  The files of a cycle cannot be read, tested or removed
# separately.

# Returns the node of a path: "a/b.c", "a/b.h" and "a/b_impl.h" are all "a/b".
function node(path,    short) {
    sub(/\.[a-z]+$/, "", path)
    short = path
    sub(/_impl$/, "", short)
    return short in has_file ? short : path
}

# Returns the shortest path from `from` to `to` as "from -> ... -> to", or "".
function way(from, to,    queue, head, tail, came, n, i, next_, text, at) {
    queue[tail++] = from
    came[from] = from
    while (head < tail && !(to in came)) {
        at = queue[head++]
        n = split(out_of[at], next_, " ")
        for (i = 1; i <= n; i++)
            if (!(next_[i] in came)) {
                came[next_[i]] = at
                queue[tail++] = next_[i]
            }
    }
    if (!(to in came)) return ""
    for (text = to; to != from; text = to " -> " text) to = came[to]
    return text
}

# Returns the nodes of a cycle, starting with the first by name.  Each cycle is
# thus reported once, no matter which of its includes was read first.
function same_circle(text,    n, part, i, least, key) {
    n = split(text, part, " -> ")
    least = 1
    for (i = 2; i <= n; i++) if (part[i] < part[least]) least = i
    for (i = 0; i < n; i++) key = key " " part[(least - 1 + i) % n + 1]
    return key
}

function tell_circles(    i, n, from, to, text, told, part, wheres) {
    for (i = 1; i <= n_includes; i++) {
        from = node(by[i])
        to = node(included[i])
        if (from == to || (from, to) in wheres) continue
        wheres[from, to] = lines[i]
        out_of[from] = out_of[from] " " to
        edge[++n] = from " " to
    }
    for (i = 1; i <= n; i++) {
        split(edge[i], part, " ")
        text = way(part[2], part[1])
        if (text == "" || same_circle(text) in told) continue
        told[same_circle(text)]
        printf "%s: circle %s -> %s\n", wheres[part[1], part[2]], part[1], text
        n_reports++
    }
}

# A head comment is "name.c - what it is", or a sentence: "Tests of ...".
function tell_head(    base, head) {
    base = head_of
    sub(/.*\//, "", base)
    head = head_text
    gsub(/[ \t*\/]+/, " ", head)
    if (head_text !~ /^\/\*/ ||
        (index(head, " " base " - ") != 1 && head !~ /^ [A-Z][^ ]* [^ ]+ [^ ]/)) {
        printf "%s:1: no head comment, /* %s - what it is */\n", head_of, base
        n_reports++
    }
}

FNR == 1 {
    if (head_of != "") tell_head()
    head_of = FILENAME
    head_text = ""
    is_head = 1
    bare = FILENAME
    sub(/\.[a-z]+$/, "", bare)
    has_file[bare]
}
is_head {
    head_text = head_text " " $0
    if (FNR == 1) head_text = $0
    if ($0 ~ /\*\/|^[^ \t\/]/) is_head = 0
}

code ~ /^[ \t]*#[ \t]*include[ \t]*""/ {
    split($0, quoted, "\"")
    by[++n_includes] = FILENAME
    included[n_includes] = quoted[2]
    lines[n_includes] = FILENAME ":" FNR
}

END {
    if (head_of != "") tell_head()
    tell_circles()
    if (n_reports) exit 1
}
