/* simulate.c - simulates two stacks on the example of each class */
#include "sim/study/classes/simulate.h"

#include <inttypes.h>
#include <string.h>

#include "sim/study/collectives/collectives.h"

#define N_STACKS 2
#define N_KINDS  2

static const char *const kinds[N_KINDS] = { "broadcast", "all-reduce" };

typedef struct {
    Classes *classes;
    const ClassesTask *task;
    SimTime *times_ps;   /* owned: of each run; 0: it has no result */
    GPtrArray *failures; /* owned, of owned texts: why the run never ended, or
                          * NULL if it did */
} Simulation;

/* Returns the class of a run.  Runs are numbered by class, then by collective,
 * then by stack. */
static const ClassesRow *row_of(const Simulation *s, guint run)
{
    return classes_row(s->classes, run / (N_STACKS * N_KINDS));
}

static const char *kind_of(guint run)
{
    return kinds[run / N_STACKS % N_KINDS];
}

static const char *stack_of(const Simulation *s, guint run)
{
    return run % N_STACKS == 0 ? s->task->stack : s->task->over;
}

static void add_ranks(GString *out, const PackClass *set, const char *between)
{
    for (uint32_t i = 0; i < set->n_ranks; i++)
        g_string_append_printf(out, "%s%u", i > 0 ? between : "",
                               set->ranks[i]);
}

/* Returns "broadcast of blink on 0 1 4", which the caller owns. */
static char *name_of(const Simulation *s, guint run)
{
    GString *name = g_string_new(NULL);

    g_string_printf(name, "%s of %s on ", kind_of(run), stack_of(s, run));
    add_ranks(name, &row_of(s, run)->set, " ");
    return g_string_free(name, FALSE);
}

/* Returns the settings of the task and the NPUs of @set, which the caller
 * owns. */
static char **sets_of(const Simulation *s, const PackClass *set)
{
    g_autoptr(GPtrArray) sets = g_ptr_array_new();
    g_autoptr(GString) allocate = g_string_new("platform.topology.allocate=[");

    for (guint i = 0; s->task->sets && s->task->sets[i]; i++)
        g_ptr_array_add(sets, g_strdup(s->task->sets[i]));
    add_ranks(allocate, set, ", ");
    g_string_append_c(allocate, ']');
    g_ptr_array_add(sets, g_strdup(allocate->str));
    g_ptr_array_add(sets, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&sets), FALSE);
}

static void run_one(gpointer self, guint run, GString *out)
{
    const Simulation *s = self;
    g_auto(GStrv) sets = sets_of(s, &row_of(s, run)->set);
    g_autoptr(GArray) sizes = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_autoptr(GError) error = NULL;
    g_autoptr(Collectives) result = NULL;
    CollectivesTask task = {
        .platform = s->task->platform,
        .stack = stack_of(s, run),
        .kind = kind_of(run),
        .sizes = sizes,
        .sets = sets,
    };

    g_array_append_val(sizes, s->task->payload_bytes);
    result = collectives_run(&task, run_many_here, &error);
    if (result)
        g_string_append_printf(out, "%" PRIu64,
                               collectives_row(result, 0)->time_ps);
    else
        g_string_append(out, error->message);
}

static char *first_line(const char *text)
{
    return g_strndup(text, strcspn(text, "\n"));
}

static void receive_result(gpointer self, guint run, const GString *text,
                           const char *reason)
{
    Simulation *s = self;

    s->failures->pdata[run] = g_strdup(reason);
    if (reason)
        return;
    if (g_ascii_isdigit(text->str[0]) && !strchr(text->str, ' '))
        s->times_ps[run] = g_ascii_strtoull(text->str, NULL, 10);
    else if (!s->classes->reason)
        s->classes->reason = first_line(text->str);
}

/* Counts the runs in ascending order, so that the first one is named whichever
 * ended first. */
static void count_failures(const Simulation *s)
{
    FailedRuns *failed_runs = &s->classes->failed_runs;

    for (guint run = 0; run < s->failures->len; run++) {
        const char *reason = g_ptr_array_index(s->failures, run);

        if (reason && failed_runs->n_failed == 0)
            failed_runs_count(failed_runs, name_of(s, run), g_strdup(reason));
        else
            failed_runs_count(failed_runs, NULL, reason);
    }
}

gboolean classes_simulate(Classes *classes, const ClassesTask *task,
                          RunManyFn run_many, GError **error)
{
    guint n = classes->rows->len * N_STACKS * N_KINDS;
    g_autofree SimTime *times_ps = g_new0(SimTime, n);
    g_autoptr(GPtrArray) failures = g_ptr_array_new_with_free_func(g_free);
    Simulation s = { classes, task, times_ps, failures };
    RunMany many = {
        .n = n, .work = run_one, .done = receive_result, .self = &s
    };

    g_ptr_array_set_size(failures, (gint)n);
    if (!run_many(&many, error))
        return FALSE;
    count_failures(&s);
    for (guint run = 0; run < n; run += N_STACKS) {
        ClassesRow *row = &g_array_index(classes->rows, ClassesRow,
                                         run / (N_STACKS * N_KINDS));

        if (times_ps[run] > 0 && times_ps[run + 1] > 0)
            row->simulated[run / N_STACKS % N_KINDS] =
                (double)times_ps[run + 1] / (double)times_ps[run];
    }
    classes->payload_bytes = task->payload_bytes;
    classes->stack = g_strdup(task->stack);
    classes->over = g_strdup(task->over);
    return TRUE;
}
