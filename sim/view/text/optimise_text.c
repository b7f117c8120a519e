/* optimise_text.c - result of acesim optimise, as text */
#include "sim/view/text/optimise_text.h"

#include <string.h>

#include "sim/core/aligned_table.h"

#define GROUPS     "groups: ["
#define MOST_CHARS 72 /* longest value; a longer one is truncated */
#define MS_PER_PS  1e-9

#define GB_PER_BYTE 1e-9

static double ps_to_ms(SimTime ps)
{
    return (double)ps * MS_PER_PS;
}

static double speedup_over_default(const OptimiseResult *result, SimTime ps)
{
    return ps == 0 || result->default_trial->time_ps == 0
               ? 0
               : (double)result->default_trial->time_ps / (double)ps;
}

/* ---- the settings of each change ----------------------------------------- */

/* Appends the number of groups in a list and the first of them. */
static void append_group_counts(const char *line, const char *list,
                                GString *out)
{
    const char *end = strchr(list, ']');
    guint n = 1;

    if (!end)
        end = line + strlen(line);
    for (const char *p = list; p < end; p++)
        n += *p == ',';
    g_string_append_printf(out, "%u groups [", n);
    if (end - list > MOST_CHARS / 2)
        g_string_append_printf(out, "%.*s...", MOST_CHARS / 2 - 3, list);
    else
        g_string_append_len(out, list, end - list);
    g_string_append(out, end);
}

static void append_setting_text(const char *line, GString *out)
{
    const char *list = strstr(line, GROUPS);

    if (list) {
        g_string_append_len(out, line, list - line);
        append_group_counts(line, list + strlen(GROUPS), out);
    } else if (strlen(line) > MOST_CHARS) {
        g_string_append_printf(out, "%.*s...", MOST_CHARS - 3, line);
    } else {
        g_string_append(out, line);
    }
}

/* Returns in how many of @lines a kernel was fused with the previous one. */
static guint count_fused_kernels(char **lines)
{
    guint n = 0;

    for (guint i = 0; lines[i]; i++)
        n += g_str_has_suffix(lines[i], ".gap=0 ps") ||
             g_str_has_suffix(lines[i], ".gaps=0 ps");
    return n;
}

/* Returns @sets in one cell; shows only the first of many. */
static char *aspect_changes_text(CandidateAspect aspect, const char *sets)
{
    g_auto(GStrv) lines = g_strsplit(sets, "\n", -1);
    guint n = g_strv_length(lines);
    GString *out = g_string_new(NULL);

    if (aspect == ASPECT_OPERATORS && count_fused_kernels(lines) > 1) {
        g_string_append_printf(out, "%u kernels become one with that before",
                               count_fused_kernels(lines));
        return g_string_free(out, FALSE);
    }
    for (guint i = 0; i < MIN(n, 3); i++) {
        g_string_append(out, i > 0 ? "; " : "");
        append_setting_text(lines[i], out);
    }
    if (n > 3)
        g_string_append_printf(out, "; and %u more", n - 3);
    return g_string_free(out, FALSE);
}

/* Adds the time of a trial and its speedup.  @times is 0 if the reference
 * cannot be run. */
static void add_trial_time_cells(Table *table, const Trial *trial, double times)
{
    if (trial->time_ps == 0) {
        table_add_cell(table, trial->has_crashed ? "not run" : "cannot be run");
        table_add_cell(table, "-");
        return;
    }
    table_add_cell_printf(table, "%.3f ms", ps_to_ms(trial->time_ps));
    if (times > 0)
        table_add_cell_printf(table, "%.3f", times);
    else
        table_add_cell(table, "-");
}

static void write_contribution_table(const OptimiseResult *result, guint width,
                                     GString *out)
{
    static const TableColumn columns[] = {
        { "changed", FALSE, 0 }, { "alone", TRUE, 0 },
        { "speedup", TRUE, 0 },  { "best without", TRUE, 0 },
        { "worth", TRUE, 0 },    { "to", FALSE, TABLE_REST },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    for (guint i = 0; i < result->contributions->len; i++) {
        const OptimiseContribution *contribution =
            &g_array_index(result->contributions, OptimiseContribution, i);
        g_autofree char *to =
            aspect_changes_text(contribution->aspect, contribution->sets);

        table_add_cell(table, aspect_names[contribution->aspect]);
        add_trial_time_cells(
            table, contribution->alone,
            speedup_over_default(result, contribution->alone->time_ps));
        add_trial_time_cells(table, contribution->without,
                             (double)contribution->without->time_ps /
                                 (double)result->best->time_ps);
        table_add_cell(table, to);
    }
    g_string_append_c(out, '\n');
    table_write(table, out, 0, width);
}

/* ---- the whole result as text -------------------------------------------- */

/* Returns the number of trials without a time: failed runs if @has_crashed,
 * else refused configurations. */
static guint count_trials_without_time(const OptimiseResult *result,
                                       gboolean has_crashed)
{
    guint n = 0;

    for (guint i = 0; i < result->trials.trials->len; i++) {
        const Trial *trial = g_ptr_array_index(result->trials.trials, i);

        n += trial->reason && trial->has_crashed == has_crashed;
    }
    return n;
}

static void write_run_counts(const OptimiseResult *result, GString *out)
{
    guint n_refused = count_trials_without_time(result, FALSE),
          n_lost = count_trials_without_time(result, TRUE);
    guint n_recalled = 0, n = 0;

    for (guint i = 0; i < result->trials.trials->len; i++) {
        const Trial *trial = g_ptr_array_index(result->trials.trials, i);

        n += trial->messages != NULL;
        n_recalled += trial->is_recalled ? 1 : 0;
    }
    g_string_append_printf(out, "runs     %u, seed %" G_GUINT64_FORMAT, n,
                           result->task->seed);
    if (n_recalled > 0)
        g_string_append_printf(out, "; %u of them known from before",
                               n_recalled);
    if (n_refused > 0)
        g_string_append_printf(out, "; %u cannot be run", n_refused);
    if (n_lost > 0)
        g_string_append_printf(out, "; %u not run", n_lost);
    g_string_append_c(out, '\n');
}

/* Writes the parts of the critical path through all NPUs. */
static void write_path_parts(const TrialPath *path, GString *out)
{
    const struct {
        const char *name;
        SimTime ps;
    } parts[] = {
        { "computing", path->kernels_ps },
        { "hosts and copies", path->hosts_ps },
        { "idle as recorded", path->idle_ps },
        { "communication", path->messages_ps },
        { "waits in lanes", path->lanes_ps },
        { "waits for nothing known", path->gaps_ps },
    };
    SimTime total_ps = trial_path_total_ps(path);
    const char *before = " an iteration: ";

    for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
        if (parts[i].ps == 0)
            continue;
        g_string_append_printf(out, "%s%.1f %% %s", before,
                               100 * (double)parts[i].ps / (double)total_ps,
                               parts[i].name);
        before = ", ";
    }
    g_string_append_c(out, '\n');
}

static void write_default_run(const OptimiseResult *result, GString *out)
{
    if (result->default_trial->time_ps == 0) {
        g_string_append_printf(out, "default  cannot be run: %s\n",
                               result->default_trial->reason);
        return;
    }
    g_string_append_printf(out, "default  %.3f ms",
                           ps_to_ms(result->default_trial->time_ps));
    write_path_parts(&result->default_trial->path, out);
}

static gboolean is_move_enabled(const OptimiseResult *result, const char *name)
{
    for (guint i = 0; result->task->moves[i]; i++)
        if (g_str_equal(result->task->moves[i]->name, name))
            return TRUE;
    return FALSE;
}

/* Writes the moves that were not tried, and how to enable them. */
static void write_disabled_moves(const OptimiseResult *result, GString *out)
{
    const SystemConfig *config = &result->profile->config;

    if (result->profile->is_recorded)
        g_string_append(out, "left out communication, which is as recorded "
                             "(--set training.communication=simulated)\n");
    if (result->maker.memory_bytes == 0 &&
        ((const LoopOps *)config->workload.kind)->has_micro_batches &&
        (is_move_enabled(result, "accumulate") ||
         is_move_enabled(result, "recompute")))
        g_string_append_printf(
            out,
            "left out accumulate and recompute, which save memory: a rank "
            "needs %.3f GB, and --memory bounds it\n",
            (double)result->default_trial->memory_bytes * GB_PER_BYTE);
}

char *optimise_text(const OptimiseResult *result, guint width)
{
    GString *out = g_string_new(NULL);

    if (result->interrupted)
        g_string_append_printf(out, "%s; this is the best until then\n\n",
                               result->interrupted->message);
    write_default_run(result, out);
    g_string_append_printf(out, "best     %.3f ms",
                           ps_to_ms(result->best->time_ps));
    if (result->default_trial->time_ps > 0)
        g_string_append_printf(
            out, ", %.3f times as fast",
            speedup_over_default(result, result->best->time_ps));
    g_string_append_c(out, '\n');
    write_run_counts(result, out);
    write_disabled_moves(result, out);
    if (result->best == result->default_trial)
        g_string_append(out, "\nnothing that was tried is faster\n");
    else if (result->contributions->len > 0)
        write_contribution_table(result, width, out);
    return g_string_free(out, FALSE);
}

char *optimise_file_head_text(const OptimiseResult *result, const char *path)
{
    if (result->default_trial->time_ps == 0)
        return g_strdup_printf("%s, as acesim optimise leaves it: %.3f ms an "
                               "iteration",
                               path, ps_to_ms(result->best->time_ps));
    return g_strdup_printf(
        "%s, as acesim optimise leaves it (seed %" G_GUINT64_FORMAT
        ", %u runs):\n%.3f ms an iteration in place of %.3f, %.3f times as "
        "fast",
        path, result->task->seed, result->trials.trials->len,
        ps_to_ms(result->best->time_ps),
        ps_to_ms(result->default_trial->time_ps),
        speedup_over_default(result, result->best->time_ps));
}
