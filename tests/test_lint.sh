#!/bin/bash
# test_lint.sh - the rules of lint find violations and nothing else

. "$SRCDIR/tests/shell.sh"

# file PATH [LINE...] - writes a source file with a head comment and these lines
file() {
    mkdir -p "$(dirname "$1")"
    printf '/* %s - something */\n' "$(basename "$1")" >"$1"
    printf '%s\n' "${@:2}" >>"$1"
}

# finds NAME LINE... - checks that lint prints exactly these lines
finds() {
    local name=$1
    shift
    [ $# = 0 ] || printf '%s\n' "$@" | sort >expected
    [ $# != 0 ] || : >expected
    find sim models network tests -name '*.[ch]' -print0 | sort -z |
        xargs -0 awk -f "$SRCDIR/tests/lint_code.awk" \
            -f "$SRCDIR/tests/lint_includes.awk" \
            -f "$SRCDIR/tests/lint_words.awk" \
            -f "$SRCDIR/tests/lint_tree.awk" 2>err | sort >out
    diff expected out >err
    report $? "$name"
    rm -rf sim models network tests
    mkdir sim models network tests
}
mkdir sim models network tests

# ---- cycles of includes ---------------------------------------------------

file sim/core/a.h '#include "sim/core/b.h"'
file sim/core/a.c '#include "sim/core/a.h"' '#include "sim/core/c.h"'
file sim/core/b.h '#include "sim/core/c.h"'
file sim/core/b.c '#include "sim/core/b.h"'
file sim/core/c.h
finds 'files that stand on each other in one direction are fine'

file sim/core/a.h
file sim/core/a.c '#include "sim/core/b.h"'
file sim/core/b.h
file sim/core/b.c '#include "sim/core/a.h"'
finds 'a source and its header are one' \
    'sim/core/a.c:2: circle sim/core/a -> sim/core/b -> sim/core/a'

file sim/core/a.c '#include "sim/core/b_impl.h"'
file sim/core/a_impl.h
file sim/core/b.c '#include "sim/core/a_impl.h"'
file sim/core/b_impl.h
finds 'and so is what is private to it' \
    'sim/core/a.c:2: circle sim/core/a -> sim/core/b -> sim/core/a'

file sim/core/a.c '#include "sim/core/all_impl.h"'
file sim/core/b.c '#include "sim/core/all_impl.h"'
file sim/core/all_impl.h '#include "sim/core/a.h"'
file sim/core/a.h
finds 'a private header of several is a file of its own' \
    'sim/core/a.c:2: circle sim/core/a -> sim/core/all_impl -> sim/core/a'

file sim/core/a.h '#include "sim/core/b.h"'
file sim/core/b.h '#include "sim/core/c.h"'
file sim/core/c.h '#include "sim/core/a.h"' '#include "sim/core/b.h"'
file sim/core/d.c '#include "sim/core/a.h"'
finds 'each circle is told once, by its shortest way' \
    'sim/core/a.h:2: circle sim/core/a -> sim/core/b -> sim/core/c -> sim/core/a' \
    'sim/core/b.h:2: circle sim/core/b -> sim/core/c -> sim/core/b'

file sim/core/a.h '/* #include "sim/core/b.h" */'
file sim/core/b.h '#include "sim/core/a.h"'
finds 'what is no include makes no circle'

# ---- comments at the head of files ----------------------------------------

mkdir -p sim/core
echo 'int a;' >sim/core/a.c
printf '/*\n * b.c - many words, and more\n * of them\n */\n' >sim/core/b.c
echo '/* Tests of something */' >sim/core/c.c
echo '/* other.c - copied with another name */' >sim/core/d.c
finds 'a file says what it is before all else, by its own name' \
    'sim/core/a.c:1: no head comment, /* a.c - what it is */' \
    'sim/core/d.c:1: no head comment, /* d.c - what it is */'

# ---- rules of folders and words -------------------------------------------

file sim/core/a.h
file sim/config/b_impl.h
file network/n.h '#include "sim/core/a.h"'
file models/run/r.c '#include "network/n.h"' '#include "sim/config/b_impl.h"'
file sim/core/c.c '#include "network/n.h"'
file sim/host/h.c '#include "sim/config/b.h"'
file tests/sim/config/test_b.c '#include "sim/config/b_impl.h"'
file tests/sim/core/test_a.c '#include "sim/config/b_impl.h"'
finds 'rooms see those below them, and no others private headers' \
    'models/run/r.c:3: include "sim/config/b_impl.h": private to sim/config/' \
    'sim/core/c.c:2: include "network/n.h": sim/core may not include network' \
    'sim/host/h.c:2: include "sim/config/b.h": sim/host may not include sim/config' \
    'tests/sim/core/test_a.c:2: include "sim/config/b_impl.h": private to sim/config/'

file sim/host/progress.c 'static void f(void) { puts(""); }'
file sim/host/process_pool_worker.c 'static void f(void) { _exit(1); }'
file sim/host/output.c 'static void f(void) { _exit(1); }'
file sim/cli/cmd.c 'static void f(void) { puts(""); exit(1); }'
file sim/study/s.c 'static void f(void) { fputs("", stderr); }'
finds 'few print, and fewer exit' \
    'sim/host/output.c:2: _exit(): only programs exit' \
    'sim/study/s.c:2: stdout or stderr: only programs print'

file sim/host/output_stream.c 'static FILE *f(void) { return fopen("a", "w"); }'
finds 'files are made where no link is followed' \
    'sim/host/output_stream.c:2: fopen(): follows what link lies there; sim/host/output.h does not'

file sim/study/s.c 'static int find(const char *name)' '{' '    return 0;' '}' \
    'static char *add_row(int n)' 'static int (*call)(int n);' \
    'static int n = sizeof(int);'
file tests/sim/test_s.c 'static int find(int n)'
finds 'the name of a function has an object' \
    'sim/study/s.c:2: find(): name a function by a verb and its object'

file network/n.c 'static int n_chunks;' '/* a chunk */' 'static int coll_kind;'
file models/run/r.c 'static int fsm_slots;' 'static const char *s = "fsm";'
file models/endpoints/e.c 'static int fsm_slots;'
file sim/view/v.c 'static int n_of(AceSram *sram);' 'static int trace, space;'
finds 'rooms do not know what is none of their business' \
    'models/run/r.c:2: what only one endpoint has, its own file names' \
    'network/n.c:2: a network carries messages, whatever they are for' \
    'network/n.c:4: a network carries messages, whatever they are for' \
    'sim/view/v.c:2: what only one endpoint has, its own file names'

# ---- comments, exported functions, commit subjects -------------------------

# finds_with RULES NAME LINE... - checks that the rules of one file print exactly
# these lines
finds_with() {
    local rules=$1 name=$2
    shift 2
    [ $# = 0 ] || printf '%s\n' "$@" | sort >expected
    [ $# != 0 ] || : >expected
    find sim models network tests -name '*.[ch]' -print0 | sort -z |
        xargs -0 awk -f "$SRCDIR/tests/lint_code.awk" \
            -f "$SRCDIR/tests/$rules" 2>err | sort >out
    diff expected out >err
    report $? "$name"
    rm -rf sim models network tests
    mkdir sim models network tests
}
alone='write a sentence that stands alone'
named='name the thing that is meant'

file sim/core/a.c '/* Returns the number of links that carry a message. */' \
    'int a; /* bytes in flight, or 0 */' '/* What is it for? */' \
    'const char *s = "/* Of all who wait";' '/* ---- Of links ---- */' \
    '/* It is safe to call this function twice. */'
finds_with lint_comments.awk 'plain comments are accepted'

file sim/core/a.c '/* a.c - see a.h */'
finds_with lint_comments.awk 'the head of a file says what the file does' \
    'sim/core/a.c:2: the head of a file says what the file does'

file sim/core/a.c '/* Of all links, those that' ' * carry a message. */' \
    '/* Adds up what each rank sends, where nobody else does. */' \
    'int a; /* what a link carries */' '/* By which a rank is found. */' \
    '/* It has no owner of its own. */' '/* Sums what is left. */'
finds_with lint_comments.awk 'fragments and riddling pronouns are refused' \
    "sim/core/a.c:2: a comment begins with \"Of\": $alone" \
    "sim/core/a.c:4: \"nobody\" in a comment: $named" \
    "sim/core/a.c:5: a comment begins with \"what\": name what it means" \
    "sim/core/a.c:6: a comment begins with \"By\": $alone" \
    "sim/core/a.c:7: a comment begins with \"It\": $alone" \
    "sim/core/a.c:8: \"what is left\" in a comment: $named"

file sim/core/a.c '/*' ' * The number of links.' ' */' '/* The number of' \
    ' * hops. */' '/* The number of' ' * messages.' ' */'
finds_with lint_comments.awk 'no line holds only the end of a comment' \
    'sim/core/a.c:7: the last line of a comment holds only its end'

file sim/core/a.h 'int used(void);' 'int only_here(int a,' '              int b);' \
    'int tested(void);' 'int pasted_one(void);' '#define P(x) pasted_##x()' \
    'static inline int twice(void) { return inlined(); }' 'int inlined(void);'
file sim/core/a.c 'int used(void)' '{ return only_here(1, 2); }' \
    'int only_here(int a,' 'int b)' '{ return a; }'
file sim/core/b.c 'static int b(void) { return used(); }'
file tests/core/test_a.c 'static int t(void) { return tested(); }'
finds_with lint_exports.awk 'a function that only its own file uses is static' \
    'sim/core/a.h:3: only_here() is used in its own file only: make it static'

missing='which the code does not have'
file sim/core/a.c 'typedef struct {' '    GArray *links; /* owned: of Link */' \
    '    GArray *gone; /* of Route, by number */' '    int at; /* a Scope */' \
    '} Node;' 'typedef struct { int n; } Link;' 'void walk(Node *node);' \
    '/* Node.links, Node.nodes and' ' * Way.links of NodeList' ' * (Hop). */' \
    '/* walk() sets .links, run() .hops; "fly()" and longjmp() are others. */' \
    'const char *s = "/* .gone"; /* See @Struct.adder and a.b. PyTorch */'
file sim/cli/b.c 'int Route;'
finds_with lint_identifiers.awk 'identifiers in comments exist' \
    "sim/core/a.c:4: a comment names Route, $missing" \
    "sim/core/a.c:5: a comment names Scope, $missing" \
    "sim/core/a.c:9: a comment names Node.nodes, $missing" \
    "sim/core/a.c:10: a comment names NodeList, $missing" \
    "sim/core/a.c:10: a comment names Way.links, $missing" \
    "sim/core/a.c:11: a comment names Hop, $missing" \
    "sim/core/a.c:12: a comment names .hops, $missing" \
    "sim/core/a.c:12: a comment names run(), $missing"

file sim/core/a.c '/* See b.h, core/b.h and NAME.c. */' '/* See' \
    ' * core/c.h for the rest. */' 'const char *s = "d.h /*";' 'int e; /* f.c */'
file sim/core/b.h
file network/n.c '/* See b.h. */'
printf '%s\n' '`core/` has `b.h`, `n.c`, `test_t.c` and `gone/`.' >sim/README.md
file tests/sim/test_t.c
find sim network tests -type f -print0 | sort -z |
    xargs -0 awk -f "$SRCDIR/tests/lint_file_names.awk" >out
printf '%s\n' 'sim/README.md:1: there is no n.c in sim/' \
    'sim/README.md:1: there is no gone/ in sim/' \
    'sim/core/a.c:4: there is no core/c.h' \
    'sim/core/a.c:6: there is no f.c' >expected
diff expected out >err
report $? 'the files that comments and texts name exist'
rm -rf sim models network tests
mkdir sim models network tests

mkdir repository && cd repository && git init -q . &&
    git config user.name a && git config user.email a@example.org
for subject in 'network: fold trees by level' 'sim/view, docs: name each axis' \
    'network: folds trees' 'Network: fold trees' 'fold trees' \
    "network: fold $(printf '%072d' 0)"; do
    git commit -q --allow-empty -m "$subject"
done
sh "$SRCDIR/tests/lint_subjects.sh" | sed 's/^commit [^:]*: //' >../out
cd ..
printf '%s\n' "the subject has more than 72 characters: network: fold $(
    printf '%072d' 0)" \
    'the subject is not `area: imperative verb object`: fold trees' \
    'the subject is not `area: imperative verb object`: Network: fold trees' \
    '"folds" is not an imperative verb: network: folds trees' >expected
diff expected out >err
report $? 'a commit subject is "area: imperative verb object"'
echo "1..$n"
