/*
 * solve_text.c - the least value of a parameter that reaches a goal (acesim
 * solve), as text and as CSV
 */
#include "sim/view/text/solve_text.h"
#include "sim/core/aligned_table.h"
#include "sim/core/csv.h"

static char *goal_value_text(const SolveResult *solve, const SolveTrial *trial)
{
    return g_strdup_printf("%.*f", (int)solve->task->condition->n_digits,
                           trial->goal);
}

/* ---- the answer and the trials as text ----------------------------------- */

static void write_solve_question(const SolveResult *solve, GString *out)
{
    const SolveTask *task = solve->task;
    g_autofree char *keys = g_strjoinv(", ", (char **)task->keys);
    g_autofree char *condition = condition_text(task->condition);

    g_string_append_printf(out, "least %s from %s to %s at which\n%s\n\n", keys,
                           task->from, task->to, condition);
}

static void add_trial_row(const SolveResult *solve, Table *table,
                          const SolveTrial *trial)
{
    g_autofree char *value = solve_value_text(solve, trial->value);
    g_autofree char *goal = goal_value_text(solve, trial);

    table_add_cell(table, value);
    table_add_cell(table, trial->metric ? trial->metric : "-");
    table_add_cell(table, trial->reason ? "-" : goal);
    table_add_cell_printf(table, "%s%s", trial->meets_goal ? "yes" : "no",
                          trial->reason ? ", cannot be run" : "");
}

static void write_trial_table(const SolveResult *solve, GString *out)
{
    const Condition *condition = solve->task->condition;
    gboolean is_ideal = g_strcmp0(condition->reference, CONDITION_IDEAL) == 0;
    const TableColumn columns[] = {
        { solve->is_factor ? "factor" : solve->task->keys[0], TRUE, 0 },
        { condition->metric, TRUE, 0 },
        { is_ideal ? condition->wanted : "goal", TRUE, 0 },
        { "holds", FALSE, 0 },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    for (guint i = 0; i < solve->trials->len; i++)
        add_trial_row(solve, table, solve_trial(solve, i));
    table_write(table, out, 0, 0);
    g_string_append_c(out, '\n');
}

/* Writes each reason once, with the first value that has it. */
static void write_failure_reasons(const SolveResult *solve, GString *out)
{
    g_autoptr(GHashTable) said = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < solve->trials->len; i++) {
        const SolveTrial *trial = solve_trial(solve, i);
        g_autofree char *value = solve_value_text(solve, trial->value);

        if (trial->reason && g_hash_table_add(said, trial->reason))
            g_string_append_printf(out, "%s cannot be run: %s\n", value,
                                   trial->reason);
    }
}

static void write_solve_crossings(const SolveResult *solve, GString *out)
{
    const SearchResult *search = solve->search;

    if (search->crossings->len > 1)
        g_string_append_printf(out, "it does not change once, but %u times:\n",
                               search->crossings->len);
    for (guint i = 0; i < search->crossings->len; i++) {
        const SearchCrossing *crossing = search_crossing_at(search, i);
        g_autofree char *below = solve_value_text(solve, crossing->below.value);
        g_autofree char *above = solve_value_text(solve, crossing->above.value);

        if (crossing->above.meets_goal)
            g_string_append_printf(out, "fails at %s, holds at %s\n", below,
                                   above);
        else
            g_string_append_printf(out, "holds up to %s, fails at %s\n", below,
                                   above);
    }
}

static void write_solve_answer(const SolveResult *solve, GString *out)
{
    const SearchResult *search = solve->search;
    g_autofree char *least = solve_value_text(solve, search->least);

    if (!search->is_found)
        return;
    if (search->least == search_point(search, 0)->value)
        g_string_append_printf(out, "holds already at %s, where it begins\n",
                               least);
    for (guint i = 0; solve->task->keys[i]; i++) {
        g_autofree char *value = solve_key_text(solve, i, search->least);

        g_string_append_printf(out, "%s = %s", solve->task->keys[i], value);
        if (solve->is_factor)
            g_string_append_printf(out, " (%s)", least);
        g_string_append_c(out, '\n');
    }
}

char *solve_text(const SolveResult *solve)
{
    GString *out = g_string_new(NULL);

    write_solve_question(solve, out);
    write_trial_table(solve, out);
    write_failure_reasons(solve, out);
    write_solve_crossings(solve, out);
    write_solve_answer(solve, out);
    return g_string_free(out, FALSE);
}

/* ---- the trials as CSV --------------------------------------------------- */

GString *solve_to_csv(const SolveResult *solve)
{
    const char *metric = solve->task->condition->metric;
    g_autofree char *goal_name = g_strdup_printf("goal_%s", metric);
    GString *out = g_string_new(NULL);

    for (guint k = 0; solve->task->keys[k]; k++)
        csv_add_text(out, solve->task->keys[k]);
    csv_add_text(out, metric);
    csv_add_text(out, goal_name);
    csv_add_text(out, "holds");
    csv_add_text(out, "status");
    csv_end_row(out);
    for (guint i = 0; i < solve->trials->len; i++) {
        const SolveTrial *trial = solve_trial(solve, i);
        g_autofree char *goal = goal_value_text(solve, trial);

        for (guint k = 0; solve->task->keys[k]; k++) {
            g_autofree char *text = solve_key_text(solve, k, trial->value);

            csv_add_text(out, text);
        }
        csv_add_text(out, trial->metric ? trial->metric : "");
        csv_add_text(out, trial->reason ? "" : goal);
        csv_add_text(out, trial->meets_goal ? "true" : "false");
        csv_add_text(out, trial->reason ? trial->reason : "ok");
        csv_end_row(out);
    }
    return out;
}
