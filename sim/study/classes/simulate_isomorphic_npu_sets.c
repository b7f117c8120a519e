/* simulate_isomorphic_npu_sets.c - simulates two stacks on the example of each
 * class */
#include "sim/study/classes/simulate_isomorphic_npu_sets.h"

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
} ClassSimulation;

/* Returns the class of a run.  Runs are numbered by class, then by collective,
 * then by stack. */
static const ClassesRow *class_row_of_run(const ClassSimulation *simulation,
                                          guint run)
{
    return classes_row(simulation->classes, run / (N_STACKS * N_KINDS));
}

static const char *collective_of_simulated_run(guint run)
{
    return kinds[run / N_STACKS % N_KINDS];
}

static const char *stack_of_simulated_run(const ClassSimulation *simulation,
                                          guint run)
{
    return run % N_STACKS == 0 ? simulation->task->stack
                               : simulation->task->over;
}

static void append_rank_list(GString *out, const PackClass *set,
                             const char *between)
{
    for (uint32_t i = 0; i < set->n_ranks; i++)
        g_string_append_printf(out, "%s%u", i > 0 ? between : "",
                               set->ranks[i]);
}

/* Returns "broadcast of blink on 0 1 4", which the caller owns. */
static char *describe_simulated_run(const ClassSimulation *simulation,
                                    guint run)
{
    GString *name = g_string_new(NULL);

    g_string_printf(name, "%s of %s on ", collective_of_simulated_run(run),
                    stack_of_simulated_run(simulation, run));
    append_rank_list(name, &class_row_of_run(simulation, run)->set, " ");
    return g_string_free(name, FALSE);
}

/* Returns the settings of the task and the NPUs of @set, which the caller
 * owns. */
static char **settings_of_simulated_run(const ClassSimulation *simulation,
                                        const PackClass *set)
{
    g_autoptr(GPtrArray) sets = g_ptr_array_new();
    g_autoptr(GString) allocate = g_string_new("platform.topology.allocate=[");

    for (guint i = 0; simulation->task->sets && simulation->task->sets[i]; i++)
        g_ptr_array_add(sets, g_strdup(simulation->task->sets[i]));
    append_rank_list(allocate, set, ", ");
    g_string_append_c(allocate, ']');
    g_ptr_array_add(sets, g_strdup(allocate->str));
    g_ptr_array_add(sets, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&sets), FALSE);
}

static void simulate_one_run(gpointer self, guint run, GString *out)
{
    const ClassSimulation *simulation = self;
    g_auto(GStrv) sets = settings_of_simulated_run(
        simulation, &class_row_of_run(simulation, run)->set);
    g_autoptr(GArray) sizes = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_autoptr(GError) error = NULL;
    g_autoptr(Collectives) result = NULL;
    CollectivesTask task = {
        .platform = simulation->task->platform,
        .stack = stack_of_simulated_run(simulation, run),
        .kind = collective_of_simulated_run(run),
        .sizes = sizes,
        .sets = sets,
    };

    g_array_append_val(sizes, simulation->task->payload_bytes);
    result = collectives_run(&task, run_many_in_process, &error);
    if (result)
        g_string_append_printf(out, "%" PRIu64,
                               collectives_row(result, 0)->time_ps);
    else
        g_string_append(out, error->message);
}

static char *copy_first_line(const char *text)
{
    return g_strndup(text, strcspn(text, "\n"));
}

static void receive_simulation_result(gpointer self, guint run,
                                      const GString *text, const char *reason)
{
    ClassSimulation *simulation = self;

    simulation->failures->pdata[run] = g_strdup(reason);
    if (reason)
        return;
    if (g_ascii_isdigit(text->str[0]) && !strchr(text->str, ' '))
        simulation->times_ps[run] = g_ascii_strtoull(text->str, NULL, 10);
    else if (!simulation->classes->reason)
        simulation->classes->reason = copy_first_line(text->str);
}

/* Counts the runs in ascending order, so that the first one is named whichever
 * ended first. */
static void count_failed_simulations(const ClassSimulation *simulation)
{
    FailedRuns *failed_runs = &simulation->classes->failed_runs;

    for (guint run = 0; run < simulation->failures->len; run++) {
        const char *reason = g_ptr_array_index(simulation->failures, run);

        if (reason && failed_runs->n_failed == 0)
            failed_runs_count_run(failed_runs,
                                  describe_simulated_run(simulation, run),
                                  g_strdup(reason));
        else
            failed_runs_count_run(failed_runs, NULL, reason);
    }
}

gboolean npu_set_classes_simulate(Classes *classes, const ClassesTask *task,
                                  RunManyFn run_many, GError **error)
{
    guint n = classes->rows->len * N_STACKS * N_KINDS;
    g_autofree SimTime *times_ps = g_new0(SimTime, n);
    g_autoptr(GPtrArray) failures = g_ptr_array_new_with_free_func(g_free);
    ClassSimulation s = { classes, task, times_ps, failures };
    RunMany many = { .n = n,
                     .work = simulate_one_run,
                     .piece_ended = receive_simulation_result,
                     .self = &s };

    g_ptr_array_set_size(failures, (gint)n);
    if (!run_many(&many, error))
        return FALSE;
    count_failed_simulations(&s);
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
