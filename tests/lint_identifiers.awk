# lint_identifiers.awk - finds names in comments that the code does not have
#
# A comment that names a type, a field or a function goes stale when that is
# renamed.  The rules are:
#
#   Type.field     the type exists and has the field
#   .field         an identifier of this name exists
#   function()     an identifier of this name exists, or it is in `externals`
#   CamelCase      an identifier of this name exists, or it is in
#                  `proper_names`.  The same applies to (Name), and to "a Name"
#                  and "each Name" behind a declaration.
#   of Name        behind a declaration of a container: the same applies, but a
#                  name of one word must exist in the same folder
#
# Quoted text is not checked, and neither is @Struct.field, the parameter of a
# macro.  Other programs' types belong into `proper_names`.

BEGIN {
    # Functions of libraries and compilers that the code does not call.
    externals = "__builtin_popcount longjmp sqlite3_malloc load_matrix_sync"
    # Units, products, persons, and types of other programs.
    proper_names = "KiB MiB GiB PiB NaN ReLU LayerNorm PyTorch TensorFlow " \
                   "ResNet ResNets MobileNet GoogLeNet AlexNet DeepSeek ZeRO " \
                   "CollNet InfiniBand ByteScheduler BytePS SimAI LogGOPSim " \
                   "DejaVu DuckDB SplitMix64 AddressSanitizer " \
                   "ThreadSanitizer Lovasz Edmonds Tillson Rosenbrock " \
                   "Bahdanau TrackEvent InternedData AttributeProto ScalarType " \
                   "StringIds NvtxPushPopRange NvtxStartEndRange " \
                   "GreedyLoadBalancingStrategy"
    suffixes = "gz png"
    container = "(GArray|GPtrArray|GHashTable|GQueue|GList|GSList|GTree)[ *]"
    type_and_field = "[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*\\.[a-z_][A-Za-z_0-9]+"
}

# ---- identifiers of the code -----------------------------------------------

function note_identifiers(text,    name) {
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
        name = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        is_identifier[name]
        is_in_folder[name, folder]
        if (is_in_struct) members[name]
    }
}

function begin_struct(text) {
    is_in_struct = 1
    struct_tag = text
    sub(/^(typedef )?(struct|union)/, "", struct_tag)
    sub(/\{.*/, "", struct_tag)
    for (name in members) delete members[name]
}

# Notes the members of the structure for its tag and the types in @text.
function end_struct(text,    name, member) {
    is_in_struct = 0
    text = struct_tag " " text
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
        name = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        is_struct[name]
        for (member in members) has_member[name, member]
    }
}

# ---- names in comments -----------------------------------------------------

# Notes that the comment uses @name, to be checked when all code was read.
function note_use(kind, name) {
    n_uses++
    use_kind[n_uses] = kind
    use_name[n_uses] = name
    use_folder[n_uses] = folder
    use_place[n_uses] = FILENAME ":" FNR
}

# Notes all names of @text that match @pattern and stand alone.
function note_uses(kind, text, pattern,    before) {
    before = " "
    while (match(text, pattern)) {
        if (RSTART > 1) before = substr(text, RSTART - 1, 1)
        if (before !~ /[A-Za-z_0-9@.\/*>)\]-]/)
            note_use(kind, substr(text, RSTART, RLENGTH))
        before = substr(text, RSTART + RLENGTH - 1, 1)
        text = substr(text, RSTART + RLENGTH)
    }
}

# Notes the last word of the part of @text that matches @pattern.
function note_last_word(kind, text, pattern) {
    if (!match(text, pattern)) return
    text = substr(text, RSTART, RLENGTH)
    sub(/[),;]$/, "", text)
    sub(/^.*[ (]/, "", text)
    note_use(kind, text)
}

function read_comment_line(text) {
    gsub(/`[^`]*`|"[^"]*"/, " ", text)
    sub(/^[ \t]*\*/, " ", text)
    if (text ~ /[a-z]\(\)/)
        note_uses("function", text, "[A-Za-z_][A-Za-z_0-9]*\\(\\)")
    if (text ~ /[^A-Za-z0-9_]\.[a-z]/)
        note_uses("field", text, "\\.[a-z_][A-Za-z_0-9]*")
    if (text !~ /[A-Z][a-z]/) return
    note_uses("member", text, type_and_field)
    note_uses("type", text, "[A-Z][a-z]+[A-Z][A-Za-z0-9]*")
    note_last_word("type", text, "\\((an? )?[A-Z][a-z][A-Za-z]*[),;]")
    if (code ~ /;/)
        note_last_word("type", text, "^ *(an?|each) [A-Z][a-z][A-Za-z]*")
    if (code ~ container)
        note_last_word("element", text, "of [A-Z][a-z][A-Za-z]*")
}

FNR == 1 {
    was_in_comment = is_in_struct = 0
    folder = FILENAME
    sub(/\/[^\/]*$/, "", folder)
}
{
    if (was_in_comment || index($0, "/*")) {
        comment = $0
        gsub(/"([^"\\]|\\.)*"/, " ", comment)
        if (!was_in_comment) sub(/^.*\/\*/, "", comment)
        sub(/\*\/.*$/, "", comment)
        read_comment_line(comment)
    }
    was_in_comment = in_comment
    if (code ~ /^(typedef )?(struct|union)( [A-Za-z_0-9]+)? \{/)
        begin_struct(code)
    if (code ~ /[A-Za-z_]/) note_identifiers(code)
    if (is_in_struct && code ~ /^\}/) end_struct(code)
}

# ---- the check -------------------------------------------------------------

function member_exists(name,    part) {
    split(name, part, ".")
    return (part[1] in is_struct) ? (part[1], part[2]) in has_member : \
           part[1] in is_identifier
}

function exists(kind, name, in_folder) {
    if (kind == "member") return member_exists(name)
    gsub(/^\.|\(\)$/, "", name)
    if (kind == "element" && name ~ /^[A-Z][a-z]*$/)
        return (name, in_folder) in is_in_folder
    return name in is_identifier ||
           kind == "function" && has(externals, name) ||
           kind == "field" && has(suffixes, name) ||
           kind != "function" && has(proper_names, name)
}

END {
    for (i = 1; i <= n_uses; i++) {
        if (exists(use_kind[i], use_name[i], use_folder[i]) ||
            n_times[use_place[i], use_name[i]]++) continue
        printf "%s: a comment names %s, which the code does not have\n", \
               use_place[i], use_name[i]
        n_reports++
    }
    if (n_reports) exit 1
}
