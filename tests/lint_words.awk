# lint_words.awk - finds words that are forbidden in code outside some files

function ban(words, why,    n, i, word) {
    n = split(words, word, " ")
    for (i = 1; i <= n; i++) banned[word[i]] = why
}

BEGIN {
    ban("strcpy strcat sprintf vsprintf gets strtok", "has no bound")
    ban("atoi atol atoll atof", "takes anything for a number")
    ban("system popen", "runs a shell")
    ban("rand srand random srandom drand48 g_rand_new", "use a seeded stream")
    ban("g_random_int g_random_int_range g_random_double", \
        "use a seeded stream")
    ban("setlocale", "results must not depend on the locale")
    writers = " fopen g_fopen freopen creat "
    prints = " printf vprintf puts putchar perror g_print g_printerr "
    exits  = " exit _exit abort "
    clocks = " time gettimeofday "
    processes = " fork vfork raise kill signal sigaction sigprocmask "
    numbers = "u?int[0-9]+_t|g?u?int[0-9]*|size_t|gsize|unsigned|float|double"
    bare = "latency|bandwidth|delay|duration|frequency|throughput"
}

FNR == 1 {
    is_cli = FILENAME ~ /^sim\/cli\//
    # These files print messages while a command runs, or end a process that
    # cannot return: a child process, or one that exceeds its deadline.
    may_print = FILENAME ~ /^sim\/host\/(progress|output_stream|output)\.c$/
    may_exit = FILENAME ~ /^sim\/host\/(background_worker|interrupt|memory_limits|process_pool_worker)\.c$/
    is_study = FILENAME ~ /^sim\/study\//
    # These files belong to separate programs; .cu files measure GPUs.
    is_program = is_cli || FILENAME ~ /^(tests\/|validate\/(fit\/)?main\.c$)|\.cu$/
}

function check_call(name) {
    if (name in banned) report(FNR, name "(): " banned[name])
    if (!is_program && !may_print && index(prints, " " name " "))
        report(FNR, name "(): only programs print")
    if (!is_program && !may_exit && index(exits, " " name " "))
        report(FNR, name "(): only programs exit")
    if (!is_program && FILENAME !~ /^validate\// && index(writers, " " name " "))
        report(FNR, name "(): follows what link lies there; sim/host/output.h does not")
    if (is_study && index(processes, " " name " "))
        report(FNR, name "(): a study is told who makes its runs, run_many.h")
    if (!is_cli && index(clocks, " " name " "))
        report(FNR, name "(): results must not depend on the hour")
}

code ~ /\(/ {
    rest = code
    while (match(rest, /[A-Za-z_][A-Za-z_0-9]*[ \t]*\(/)) {
        name = substr(rest, RSTART, RLENGTH - 1)
        sub(/[ \t]+$/, "", name)
        # The names of struct members are not checked.
        before = RSTART > 1 ? substr(rest, RSTART - 1, 1) : ""
        if (before != "." && before != ">") check_call(name)
        rest = substr(rest, RSTART + RLENGTH)
    }
}

code ~ /(^|[^A-Za-z_0-9])goto([^A-Za-z_0-9]|$)/ { report(FNR, "goto") }

!is_program && !may_print && code ~ /(^|[^A-Za-z_0-9])(stdout|stderr)([^A-Za-z_0-9]|$)/ {
    report(FNR, "stdout or stderr: only programs print")
}

# A name of one word, such as add() or find(), says nothing outside its file.
FILENAME !~ /^tests\/|\.cuh?$/ &&
match(code, /^static [^=(]*[ *][a-z][a-z0-9][a-z0-9]+\(/) {
    name = substr(code, 1, RLENGTH - 1)
    sub(/.*[ *]/, "", name)
    report(FNR, name "(): name a function by a verb and its object")
}

# Each folder has words that its code must not use, see docs/architecture.md.
FNR == 1 {
    alien = why_alien = ""
    if (FILENAME ~ /^network\//) {
        alien = "chunks?|coll_[a-z_]*|collectives?"
        why_alien = "a network carries messages, whatever they are for"
    } else if (FILENAME ~ /^(models\/(npu|collectives|trace|run|observe)|sim)\// &&
               FILENAME !~ /^sim\/view\/plots\//) {
        alien = "sram|fsms?|ace"
        why_alien = "what only one endpoint has, its own file names"
    }
}
alien != "" && tolower(code) ~ ("(^|[^a-z])(" alien ")([^a-z]|$)") {
    report(FNR, why_alien)
}

# The name of a number in a struct ends with its unit: latency_ps, not latency.
code ~ ("^[ \t]+(const )?(" numbers ")[ \t]+([a-z0-9_]*_)?(" bare ");") {
    report(FNR, "a quantity without its unit")
}
