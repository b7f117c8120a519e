/*
 * nearly_valid_runs.c - runs nearly valid configurations and checks invariants
 * of their results
 *
 *     acesim-near FIRST N       seeds FIRST .. FIRST + N - 1
 *     acesim-near -v SEED       one seed, with its text and all messages
 *
 * `acesim check` gets the configuration of a seed (mutate.h), and `acesim run`
 * too if it is a run.  Both have limits of processor time and memory.  These
 * invariants are checked: the program does not crash; it does not take more
 * than 10 s without output; it succeeds, or reports an error with
 * FILE:LINE:COLUMN; figures of rows are possible.
 *
 * Environment: ACESIM is the program, SRCDIR the source folder, TMPDIR a folder
 * for temporary
 * files. */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/core/csv.h"
#include "tests/near/mutate.h"
#include "tests/result_invariants.h"

#define CPU_SECONDS 12
/* The limit is generous, because the machine may be busy. */
#define WALL_SECONDS 300
#define MEMORY_BYTES (UINT64_C(4) << 30)

#if defined(__SANITIZE_ADDRESS__)
/* AddressSanitizer reserves terabytes of address space. */
#define LIMITS_MEMORY FALSE
/* A sanitized program is slower, so silence is allowed for the whole limit. */
#define QUIET_SECONDS CPU_SECONDS
#else
#define LIMITS_MEMORY TRUE
/* The processor time after which a command must have reported its progress. */
#define QUIET_SECONDS 11
#endif

typedef struct {
    const char *acesim;
    /* The struct owns the path of the folder of the configuration and the
     * outputs. */
    char *dir;
    gboolean verbose; /* TRUE if commands and their messages are printed. */
    guint n_rows, n_refused, n_slow, n_checked, n_bad;
    double max_seconds; /* The largest processor time that a command took. */
} Session;

/* The result of a command. */
typedef struct {
    int status; /* The exit status that waitpid() returned. */
    double seconds;
    char *err; /* The struct owns this memory. */
} Outcome;

/* ---- commands with limits of time and memory ----------------------------- */

static void set_resource_limit(int resource, uint64_t limit)
{
    const struct rlimit both = { limit, limit + 1 };

    if (setrlimit((__rlimit_resource_t)resource, &both) != 0)
        _exit(126);
}

static G_GNUC_NORETURN void exec_limited_command(const Session *s,
                                                 const char *const *argv)
{
    if (chdir(s->dir) != 0 || !freopen("/dev/null", "r", stdin) ||
        !freopen("out", "w", stdout) || !freopen("err", "w", stderr))
        _exit(126);
    set_resource_limit(RLIMIT_CPU, CPU_SECONDS);
    set_resource_limit(RLIMIT_CORE, 0);
    if (LIMITS_MEMORY)
        set_resource_limit(RLIMIT_AS, MEMORY_BYTES);
    alarm(WALL_SECONDS);
    execv(s->acesim, (char **)argv);
    _exit(127);
}

static Outcome run_limited_command(const Session *s, const char *const *argv)
{
    g_autofree char *err = g_build_filename(s->dir, "err", NULL);
    Outcome outcome = { 0 };
    struct rusage usage;
    pid_t pid;

    (void)fflush(stdout);
    pid = fork();
    if (pid == 0)
        exec_limited_command(s, argv);
    if (pid < 0 || wait4(pid, &outcome.status, 0, &usage) != pid) {
        perror("acesim-near");
        exit(2);
    }
    outcome.seconds =
        (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
        (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    if (!g_file_get_contents(err, &outcome.err, NULL, NULL))
        outcome.err = g_strdup("");
    return outcome;
}

/* ---- positions in error messages ----------------------------------------- */

/* Returns TRUE if @line begins with FILE:LINE:COLUMN. */
static gboolean error_message_has_file_position(const char *line)
{
    return g_regex_match_simple("^[^:\n]+:[1-9][0-9]*:[1-9][0-9]*: .", line, 0,
                                0);
}

/* Returns TRUE for messages about the machine or the size of a run, which
 * belong to no line of a file. */
static gboolean error_message_needs_no_position(const char *line)
{
    return strstr(line, "memory") != NULL;
}

/* Returns TRUE if the command exceeded its processor time and had reported its
 * progress, as runs of large systems and checks of large sweeps do. */
static gboolean run_outcome_is_slow(const Outcome *outcome)
{
    return WIFSIGNALED(outcome->status) &&
           WTERMSIG(outcome->status) == SIGXCPU &&
           (strstr(outcome->err, "million events") ||
            strstr(outcome->err, " elapsed"));
}

/* Returns what is wrong with the end of the command, or NULL.  The caller frees
 * the text. */
static char *fault_of_exit_status(const Outcome *outcome)
{
    static const char *const never[] = { "CRITICAL", "WARNING", "Sanitizer",
                                         "runtime error", "assertion" };

    if (WIFSIGNALED(outcome->status) && !run_outcome_is_slow(outcome))
        return g_strdup_printf(
            "ended by signal %d (%s) after %.1f s", WTERMSIG(outcome->status),
            g_strsignal(WTERMSIG(outcome->status)), outcome->seconds);
    for (guint i = 0; i < G_N_ELEMENTS(never); i++)
        if (strstr(outcome->err, never[i]))
            return g_strdup_printf("says %s", never[i]);
    if (!g_utf8_validate(outcome->err, -1, NULL))
        return g_strdup("says what is not UTF-8");
    if (run_outcome_is_slow(outcome))
        return NULL;
    if (outcome->seconds > QUIET_SECONDS && *outcome->err == '\0')
        return g_strdup_printf("takes %.1f s without a word", outcome->seconds);
    if (WEXITSTATUS(outcome->status) > 2)
        return g_strdup_printf("status %d", WEXITSTATUS(outcome->status));
    if (WEXITSTATUS(outcome->status) != 0 &&
        !error_message_has_file_position(outcome->err) &&
        !error_message_needs_no_position(outcome->err))
        return g_strdup("fails without FILE:LINE:COLUMN");
    return NULL;
}

/* ---- invariants of output rows ------------------------------------------- */

/* Returns the number in column @name of @row, or NAN if there is none. */
static double csv_cell_number(const CsvTable *table, guint row,
                              const char *name)
{
    double value = NAN;
    guint column;

    if (!csv_table_column(table, name, &column, NULL) ||
        !csv_table_number(table, row, column, &value, NULL))
        return NAN;
    return value;
}

static CsvTable *load_output_table(const Session *s, const char *name,
                                   char **fault)
{
    g_autofree char *path = g_build_filename(s->dir, name, NULL);
    g_autoptr(GError) error = NULL;
    CsvTable *table = csv_table_load(path, &error);

    if (!table)
        *fault = g_strdup(error->message);
    return table;
}

/* Returns a text if a figure is negative or no number, or NULL.  The caller
 * frees the text. */
static char *fault_of_run_figures(const CsvTable *table, guint row)
{
    for (guint i = 0; i < csv_table_n_columns(table); i++) {
        const char *text = csv_table_text(table, row, i);
        const char *name = csv_table_column_name(table, i);
        double value;

        if (strstr(text, "nan") == text || strstr(text, "inf") == text)
            return g_strdup_printf("%s is %s", name, text);
        if (csv_table_number(table, row, i, &value, NULL) && value < 0 &&
            strcmp(name, "cut_error_percent") != 0)
            return g_strdup_printf("%s is %s", name, text);
    }
    return NULL;
}

/* Returns TRUE if @a exceeds @b by more than rounding. */
static gboolean difference_exceeds_rounding(double a, double b)
{
    return a > b * POSSIBLE_MAX_SHARE + 2e-6;
}

static char *fault_of_run_row(const CsvTable *row)
{
    double iteration = csv_cell_number(row, 0, "iteration_time_us");
    double compute = csv_cell_number(row, 0, "compute_time_us");
    double exposed = csv_cell_number(row, 0, "exposed_comm_us");

    if (csv_table_n_rows(row) != 1)
        return g_strdup("no single row");
    if (!(fabs(compute + exposed - iteration) <= 1e-5 + iteration * 1e-12))
        return g_strdup("compute and exposed are not the iteration");
    if (csv_cell_number(row, 0, "busiest_share") > POSSIBLE_MAX_SHARE)
        return g_strdup("busiest_share is more than 1");
    if (difference_exceeds_rounding(
            csv_cell_number(row, 0, "net_bw_gb_per_s"),
            csv_cell_number(row, 0, "net_cap_gb_per_s") + 0.001))
        return g_strdup("NPUs send more than links let through");
    if (difference_exceeds_rounding(csv_cell_number(row, 0, "hbm_comm_busy_us"),
                                    csv_cell_number(row, 0, "comm_active_us")))
        return g_strdup("the HBM moves what collectives need when none is");
    return fault_of_run_figures(row, 0);
}

static char *fault_of_link_rows(const CsvTable *links)
{
    for (guint i = 0; i < csv_table_n_rows(links); i++) {
        if (csv_cell_number(links, i, "utilisation") > POSSIBLE_MAX_SHARE)
            return g_strdup("a link is busy for longer than the run took");
        if (fault_of_run_figures(links, i))
            return g_strdup("a link's figure is negative or no number");
    }
    return NULL;
}

static char *fault_of_job_rows(const CsvTable *jobs)
{
    for (guint i = 0; i < csv_table_n_rows(jobs); i++) {
        double compute = csv_cell_number(jobs, i, "compute_time_us");
        double exposed = csv_cell_number(jobs, i, "exposed_comm_us");

        if (csv_cell_number(jobs, i, "start_us") >
            csv_cell_number(jobs, i, "end_us"))
            return g_strdup("a job ends before it starts");
        if (difference_exceeds_rounding(
                compute + exposed,
                csv_cell_number(jobs, i, "iteration_time_us")))
            return g_strdup("a job computes and waits for more than it takes");
        if (fault_of_run_figures(jobs, i))
            return g_strdup("a job's figure is negative or no number");
    }
    return NULL;
}

static char *fault_of_output_tables(const Session *s)
{
    static const struct {
        const char *file;
        char *(*fault)(const CsvTable *table);
    } outputs[] = {
        { "row.csv", fault_of_run_row },
        { "links.csv", fault_of_link_rows },
        { "jobs.csv", fault_of_job_rows },
    };
    char *fault = NULL;

    for (guint i = 0; i < G_N_ELEMENTS(outputs) && !fault; i++) {
        g_autoptr(CsvTable) table =
            load_output_table(s, outputs[i].file, &fault);

        if (table)
            fault = outputs[i].fault(table);
    }
    return fault;
}

/* ---- commands for one seed ----------------------------------------------- */

static void print_failed_command(const Session *s, const char *const *argv,
                                 const Outcome *outcome)
{
    g_autofree char *line = g_strjoinv(" ", (char **)argv);

    if (s->verbose)
        printf("$ %s\n%sstatus %d after %.2f s\n", line, outcome->err,
               outcome->status, outcome->seconds);
}

/* Runs a command.  Returns what is wrong with its end or its messages, or NULL.
 * The caller frees the text. */
static char *run_and_check_outcome(Session *s, const char *const *argv,
                                   int *status)
{
    Outcome outcome = run_limited_command(s, argv);
    char *fault = fault_of_exit_status(&outcome);

    print_failed_command(s, argv, &outcome);
    s->max_seconds = MAX(s->max_seconds, outcome.seconds);
    *status = outcome.status;
    if (fault) {
        char *with =
            g_strdup_printf("%s %s: %.*s", argv[1], fault,
                            (int)strcspn(outcome.err, "\n"), outcome.err);
        g_free(fault);
        fault = with;
    }
    g_free(outcome.err);
    return fault;
}

static char *try_nearly_valid_run(Session *s)
{
    const char *argv[] = { "acesim",    "run",      "near.yaml",  "-q",
                           "--csv",     "row.csv",  "--per-link", "links.csv",
                           "--per-job", "jobs.csv", NULL };
    int status = 0;
    char *fault = run_and_check_outcome(s, argv, &status);

    if (fault)
        return fault;
    if (status != 0) {
        *(WIFSIGNALED(status) ? &s->n_slow : &s->n_refused) += 1;
        return NULL;
    }
    s->n_rows++;
    return fault_of_output_tables(s);
}

static void try_random_seed(Session *s, const Pool *pool, uint32_t seed)
{
    const char *check[] = { "acesim", "check", "near.yaml", NULL };
    g_autofree char *path = g_build_filename(s->dir, "near.yaml", NULL);
    NearConfig near = near_config_new(pool, seed);
    char *fault;
    int status = 0;

    if (s->verbose)
        printf("%s\n%s\n", near.applied->str, near.text->str);
    if (!g_file_set_contents(path, near.text->str, (gssize)near.text->len,
                             NULL)) {
        perror(path);
        exit(2);
    }
    fault = run_and_check_outcome(s, check, &status);
    s->n_checked += status == 0;
    if (!fault && near.is_run)
        fault = try_nearly_valid_run(s);
    if (fault) {
        printf("seed %u: %s (%s)\n", seed, fault, near.applied->str);
        s->n_bad++;
    }
    g_free(fault);
    near_config_clear(&near);
}

static void remove_folder(const char *path)
{
    static const char *const names[] = { "near.yaml", "out",       "err",
                                         "row.csv",   "links.csv", "jobs.csv" };

    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *file = g_build_filename(path, names[i], NULL);

        (void)g_unlink(file);
    }
    (void)g_rmdir(path);
}

static uint32_t parse_argument_number(const char *word)
{
    guint64 csv_cell_number = 0;

    if (!word || !g_ascii_string_to_unsigned(word, 10, 0, UINT32_MAX,
                                             &csv_cell_number, NULL)) {
        (void)fputs("Usage: acesim-near FIRST N | -v SEED, with ACESIM and "
                    "SRCDIR set\n",
                    stderr);
        exit(2);
    }
    return (uint32_t)csv_cell_number;
}

int main(int argc, char **argv)
{
    gboolean verbose = argc == 3 && strcmp(argv[1], "-v") == 0;
    uint32_t first =
        parse_argument_number(argc == 3 ? argv[verbose ? 2 : 1] : NULL);
    uint32_t n = verbose ? 1 : parse_argument_number(argv[2]);
    const char *top = g_getenv("SRCDIR");
    Session s = { .acesim = g_getenv("ACESIM"), .verbose = verbose };
    g_autofree char *configs = NULL;
    g_autoptr(Pool) pool = NULL;

    if (!s.acesim || !top)
        (void)parse_argument_number(NULL);
    configs = g_build_filename(top, "configs", NULL);
    pool = config_pool_new(configs);
    s.dir = g_dir_make_tmp("acesim-near-XXXXXX", NULL);
    for (uint32_t i = 0; i < n; i++)
        try_random_seed(&s, pool, first + i);
    printf("%u configurations: %u fine by check, %u ran, %u runs refused, "
           "%u slow, %u bad; the longest command took %.1f s\n",
           n, s.n_checked, s.n_rows, s.n_refused, s.n_slow, s.n_bad,
           s.max_seconds);
    remove_folder(s.dir);
    g_free(s.dir);
    return s.n_bad > 0;
}
