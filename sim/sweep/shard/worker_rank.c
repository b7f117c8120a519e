/*
 * worker_rank.c - finds the rank of this process among the workers of a sweep;
 * see worker_rank.h
 */
#include "sim/sweep/shard/worker_rank.h"

#define MAX_INDEX 1000000000

/* Names of environment variables; NULL if the scheduler has no such
 * variable. */
typedef struct {
    const char *name;
    const char *index;
    const char *count; /* the number of processes */
    const char *last;  /* the largest index, in place of .count */
    /* The first index and the step; 0 and 1 by default. */
    const char *first, *step;
} LauncherKind;

/* Launchers come before Slurm, because a process started by a launcher inside a
 * Slurm job has the variables of both. */
static const LauncherKind processes[] = {
    { "Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, NULL,
      NULL },
    { "MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", NULL, NULL,
      NULL },
    { "PMI", "PMI_RANK", "PMI_SIZE", NULL, NULL, NULL },
    { "PMIx", "PMIX_RANK", "PMIX_SIZE", NULL, NULL, NULL },
    { "Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", NULL, NULL, NULL },
    { "Slurm", "SLURM_PROCID", "SLURM_NTASKS", NULL, NULL, NULL },
};

static const LauncherKind arrays[] = {
    { "Slurm array", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", NULL,
      "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP" },
    { "SGE array", "SGE_TASK_ID", NULL, "SGE_TASK_LAST", "SGE_TASK_FIRST",
      "SGE_TASK_STEPSIZE" },
    { "LSF array", "LSB_JOBINDEX", NULL, "LSB_JOBINDEX_END", NULL,
      "LSB_JOBINDEX_STEP" },
    { "PBS array", "PBS_ARRAY_INDEX", NULL, NULL, NULL, NULL },
    { "Torque array", "PBS_ARRAYID", NULL, NULL, NULL, NULL },
};

static const char *const n_processors[] = { "SLURM_CPUS_PER_TASK", "NSLOTS",
                                            "PBS_NCPUS" };

/* Returns FALSE if the variable is not set or not a number ("undefined"). */
static gboolean read_number_variable(const char *name, guint64 *ret)
{
    const char *text = name ? g_getenv(name) : NULL;

    return text &&
           g_ascii_string_to_unsigned(text, 10, 0, MAX_INDEX, ret, NULL);
}

static guint64 read_number_or_default(const char *name, guint64 fallback)
{
    guint64 value;

    return read_number_variable(name, &value) ? value : fallback;
}

/* Returns FALSE if the process was not started by @kind.  Sets *@n to 0 if the
 * number of processes is unknown. */
static gboolean read_launcher_rank(const LauncherKind *kind, guint64 *index,
                                   guint64 *n)
{
    guint64 first = read_number_or_default(kind->first, kind->last ? 1 : 0);
    guint64 step = MAX(read_number_or_default(kind->step, 1), 1);
    guint64 last;

    if (!read_number_variable(kind->index, index))
        return FALSE;
    *n = read_number_or_default(kind->count, 0);
    if (read_number_variable(kind->last, &last) && last >= first)
        *n = (last - first) / step + 1;
    if ((kind->count || kind->last) && *n == 0)
        return FALSE;
    *index = *index > first ? (*index - first) / step : 0;
    /* Indices of a list such as 1,5,7 are not contiguous, so they are reduced
     * modulo the number. */
    if (*n > 0)
        *index %= *n;
    return TRUE;
}

static const LauncherKind *find_cluster_launcher(const LauncherKind *kinds,
                                                 guint n_kinds, guint64 *index,
                                                 guint64 *n)
{
    for (guint i = 0; i < n_kinds; i++)
        if (read_launcher_rank(&kinds[i], index, n))
            return &kinds[i];
    *index = 0;
    *n = 1;
    return NULL;
}

static void append_variable_names(GString *out, const LauncherKind *kinds,
                                  guint n_kinds)
{
    for (guint i = 0; i < n_kinds; i++) {
        const char *n = kinds[i].count ? kinds[i].count : kinds[i].last;

        g_string_append_printf(out, "%s%s (%s%s%s)", out->len > 0 ? ", " : "",
                               kinds[i].index, kinds[i].name, n ? ", " : "",
                               n ? n : "");
    }
}

static void set_no_rank_error(GError **error)
{
    g_autoptr(GString) all = g_string_new(NULL);

    append_variable_names(all, processes, G_N_ELEMENTS(processes));
    append_variable_names(all, arrays, G_N_ELEMENTS(arrays));
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                "the rank of this process and the number of processes are "
                "unknown; looked for %s; or give them: I/N",
                all->str);
}

static gboolean set_rank_range_error(const LauncherKind *kind, GError **error)
{
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                "%s does not say of how many (%s=%s); say it: auto/N",
                kind->name, kind->index, g_getenv(kind->index));
    return FALSE;
}

static char *describe_rank_variables(const LauncherKind *array,
                                     const LauncherKind *process)
{
    if (array && process)
        return g_strdup_printf("%s: %s=%s; %s: %s=%s", array->name,
                               array->index, g_getenv(array->index),
                               process->name, process->index,
                               g_getenv(process->index));
    if (!array)
        array = process;
    return g_strdup_printf("%s: %s=%s", array->name, array->index,
                           g_getenv(array->index));
}

/* The part only determines where a worker starts, so an index that is too large
 * simply wraps around. */
gboolean find_worker_rank(guint n, ShardPart *ret, char **found, GError **error)
{
    guint64 process, n_processes, task, n_tasks, index;
    const LauncherKind *launcher = find_cluster_launcher(
        processes, G_N_ELEMENTS(processes), &process, &n_processes);
    const LauncherKind *array =
        find_cluster_launcher(arrays, G_N_ELEMENTS(arrays), &task, &n_tasks);

    if (!launcher && !array) {
        set_no_rank_error(error);
        return FALSE;
    }
    if (n_tasks == 0 && n == 0)
        return set_rank_range_error(array, error);
    index = task * n_processes + process;
    if (n == 0)
        n = (guint)MIN(n_tasks * n_processes, MAX_INDEX);
    *ret = (ShardPart){ (guint)(index % n), n };
    *found = describe_rank_variables(array, launcher);
    return TRUE;
}

guint find_assigned_processors(void)
{
    guint64 n;

    for (guint i = 0; i < G_N_ELEMENTS(n_processors); i++)
        if (read_number_variable(n_processors[i], &n) && n > 0)
            return (guint)n;
    return 0;
}
