/* sensitivity_text.c - a sensitivity study as sentences and a table */
#include "sim/sensitivity/sensitivity_text.h"

#include <string.h>

#include "sim/core/aligned_table.h"

#define MAX_NAMES 6 /* largest number of names in a sentence */
#define NAME_WRAP 37
#define NOW_WRAP  14

/* ---- sentences that answer the study ------------------------------------- */

static const char *offload_endpoint_name(const SensitivityStudy *study)
{
    return compared_endpoint_at(study->endpoints->offloads, 0)->name;
}

/* Returns the metric's value for display, such as "1.29x", which the caller
 * owns. */
static char *sensitivity_study_metric_text(const SensitivityStudy *study,
                                           double value)
{
    return sensitivity_study_is_speedup(study) ? g_strdup_printf("%.2fx", value)
                                               : g_strdup_printf("%.6g", value);
}

/* Appends "ace is 1.29x as fast as the best baseline (no-overlap)". */
static void append_base_sentence(GString *out, const SensitivityStudy *study)
{
    const char *name = offload_endpoint_name(study);
    guint n = study->endpoints->offloads->len;

    if (!sensitivity_study_is_speedup(study)) {
        g_string_append_printf(out, "%s of %s is %.6g", study->options->metric,
                               name, study->base.value);
    } else {
        g_string_append_printf(out, "%s is %.2fx as fast as the best baseline",
                               name, study->base.value);
        if (study->base.best)
            g_string_append_printf(out, " (%s)", study->base.best);
    }
    if (n > 1)
        g_string_append_printf(out, ", the mean of %u cases", n);
}

static guint count_varied_assumptions(const SensitivityStudy *study)
{
    guint n = 0;

    for (guint i = 0; i < study->assumption_list->len; i++)
        n += assumption_at(study->assumption_list, i)->alternatives->len > 0;
    return n;
}

static void append_large_effects(GString *out, const SensitivityStudy *study)
{
    guint n = 0;

    while (n < study->assumption_list->len &&
           sensitivity_study_assumption_effect(
               study, assumption_at(study->assumption_list, n)) >
               STUDY_LARGE_EFFECT)
        n++;
    g_string_append_printf(out,
                           "; of %u assumptions %u move%s that by more "
                           "than %.0f %%",
                           count_varied_assumptions(study), n,
                           n == 1 ? "s" : "", 100 * STUDY_LARGE_EFFECT);
    for (guint i = 0; i < MIN(n, MAX_NAMES); i++)
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : ": ",
                               assumption_at(study->assumption_list, i)->name);
    g_string_append(out, n > MAX_NAMES ? " and more.\n" : ".\n");
}

/* Returns the alternative whose value is farthest from the present one. */
static const Alternative *
find_farthest_alternative(const SensitivityStudy *study,
                          const Assumption *assumption)
{
    const Alternative *found = NULL;

    for (guint i = 0; i < assumption->alternatives->len; i++) {
        const Alternative *alternative = assumption_alternative(assumption, i);

        if (alternative->outcome.ok &&
            (!found || ABS(alternative->outcome.value - study->base.value) >
                           ABS(found->outcome.value - study->base.value)))
            found = alternative;
    }
    return found;
}

static void append_largest_effect(GString *out, const SensitivityStudy *study)
{
    const Assumption *first = study->assumption_list->len > 0
                                  ? assumption_at(study->assumption_list, 0)
                                  : NULL;
    const Alternative *alternative =
        first ? find_farthest_alternative(study, first) : NULL;
    g_autofree char *value = NULL;

    if (!alternative ||
        sensitivity_study_assumption_effect(study, first) < STUDY_NEGLIGIBLE)
        return;
    value = sensitivity_study_metric_text(study, alternative->outcome.value);
    g_string_append_printf(out,
                           "It depends most on %s: '%s' instead of '%s' makes "
                           "it %s.\n",
                           first->name, alternative->label,
                           first->current_value, value);
}

static void append_winner_change(GString *out, guint *n, const char *name,
                                 const char *label)
{
    g_string_append_printf(out, "%s%s (%s)", (*n)++ > 0 ? ", " : "", name,
                           label);
}

/* Appends the alternatives that change the winner. */
static void append_winner_changes(GString *out, const SensitivityStudy *study)
{
    g_autoptr(GString) names = g_string_new(NULL);
    const char *winner =
        study->base.value > 1 ? "a baseline" : offload_endpoint_name(study);
    guint n = 0;

    for (guint i = 0; i < study->assumption_list->len; i++) {
        const Assumption *assumption = assumption_at(study->assumption_list, i);

        for (guint k = 0; k < assumption->alternatives->len; k++) {
            const Alternative *alternative =
                assumption_alternative(assumption, k);

            if (sensitivity_study_changes_winner(study, &alternative->outcome))
                append_winner_change(names, &n, assumption->name,
                                     alternative->label);
        }
    }
    if (n > 0)
        g_string_append_printf(out, "With %s %s wins.\n", names->str, winner);
    else if (sensitivity_study_is_speedup(study))
        g_string_append_printf(out, "None alone lets %s win.\n", winner);
}

char *sensitivity_study_summary_text(const SensitivityStudy *study)
{
    GString *out = g_string_new(NULL);

    append_base_sentence(out, study);
    append_large_effects(out, study);
    append_largest_effect(out, study);
    append_winner_changes(out, study);
    return g_string_free(out, FALSE);
}

/* ---- the table of ranked assumptions ------------------------------------- */

/* Returns "25 %: 1.27x; 100 %: 1.38x", which the caller owns. */
static char *tried_values_text(const SensitivityStudy *study,
                               const Assumption *assumption)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < assumption->alternatives->len; i++) {
        const Alternative *alternative = assumption_alternative(assumption, i);
        const AlternativeOutcome *outcome = &alternative->outcome;
        g_autofree char *value =
            sensitivity_study_metric_text(study, outcome->value);

        g_string_append_printf(out, "%s%s: %s", i > 0 ? "; " : "",
                               alternative->label,
                               outcome->ok            ? value
                               : outcome->has_crashed ? "not run"
                                                      : "cannot be");
    }
    return g_string_free(out, FALSE);
}

static gboolean is_assumption_shown(const SensitivityStudy *study,
                                    const Assumption *assumption)
{
    return sensitivity_study_assumption_effect(study, assumption) >=
           STUDY_NEGLIGIBLE;
}

/* Returns in one word why the value is uncertain; the source says more. */
static const char *word_for_assumption_uncertainty(const Assumption *assumption)
{
    static const char *const words[] = { "assumed", "fitted", "recalled" };

    if (*assumption->source == '\0')
        return "case";
    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        if (strstr(assumption->source, words[i]))
            return words[i];
    return "cited";
}

static void append_ranking_table(GString *out, const SensitivityStudy *study,
                                 guint width)
{
    g_autofree char *tried =
        g_strdup_printf("other values: %s", study->options->metric);
    const TableColumn columns[] = {
        { "effect", TRUE, 0 },        { "assumption", FALSE, NAME_WRAP },
        { "is", FALSE, 0 },           { "now", FALSE, NOW_WRAP },
        { tried, FALSE, TABLE_REST },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    for (guint i = 0; i < study->assumption_list->len; i++) {
        const Assumption *assumption = assumption_at(study->assumption_list, i);
        g_autofree char *alternatives = NULL;

        if (!is_assumption_shown(study, assumption))
            continue;
        alternatives = tried_values_text(study, assumption);
        table_add_cell_printf(
            table, "%.1f %%",
            100 * sensitivity_study_assumption_effect(study, assumption));
        table_add_cell(table, assumption->name);
        table_add_cell(table, word_for_assumption_uncertainty(assumption));
        table_add_cell(table, assumption->current_value);
        table_add_cell(table, alternatives);
    }
    table_write(table, out, 0, width);
}

/* ---- combinations of assumptions ----------------------------------------- */

static char *join_member_names(const AssumptionCombination *combination,
                               const char *between)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < combination->members->len; i++)
        g_string_append_printf(
            out, "%s%s", i > 0 ? between : "",
            ((const Assumption *)g_ptr_array_index(combination->members, i))
                ->name);
    return g_string_free(out, FALSE);
}

static void append_combinations(GString *out, const SensitivityStudy *study,
                                guint width)
{
    const TableColumn columns[] = {
        { study->options->metric, TRUE, 0 },
        { "more than one", FALSE, TABLE_REST },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    if (study->combinations->len == 0)
        return;
    for (guint i = 0; i < study->combinations->len; i++) {
        const AssumptionCombination *combination =
            sensitivity_study_combination_at(study, i);
        g_autofree char *value =
            sensitivity_study_metric_text(study, combination->outcome.value);
        gboolean pair = g_str_equal(combination->name, STUDY_PAIR);
        g_autofree char *names =
            join_member_names(combination, pair ? " + " : ", ");

        table_add_cell(table, combination->outcome.ok ? value : "-");
        if (pair)
            table_add_cell(table, names);
        else
            table_add_cell_printf(table, "%s: %s", combination->name, names);
    }
    g_string_append_c(out, '\n');
    table_write(table, out, 0, width);
}

/* ---- assumptions that are not in the table ----------------------------- */

typedef gboolean (*AssumptionPredicate)(const SensitivityStudy *study,
                                        const Assumption *assumption);

static gboolean is_effect_negligible(const SensitivityStudy *study,
                                     const Assumption *assumption)
{
    double effect = sensitivity_study_assumption_effect(study, assumption);

    return effect > 0 && effect < STUDY_NEGLIGIBLE;
}

static gboolean has_failed_alternative(const Assumption *assumption)
{
    for (guint i = 0; i < assumption->alternatives->len; i++)
        if (!assumption_alternative(assumption, i)->outcome.ok)
            return TRUE;
    return FALSE;
}

static gboolean has_no_effect(const SensitivityStudy *study,
                              const Assumption *assumption)
{
    return sensitivity_study_assumption_effect(study, assumption) <= 0 &&
           assumption->alternatives->len > 0 &&
           !has_failed_alternative(assumption);
}

static gboolean has_no_alternatives(const SensitivityStudy *study,
                                    const Assumption *assumption)
{
    (void)study;
    return assumption->alternatives->len == 0;
}

static void append_assumption_names(GString *out, const SensitivityStudy *study,
                                    const char *heading,
                                    AssumptionPredicate choice)
{
    g_autoptr(GString) names = g_string_new(NULL);
    guint n = 0;

    for (guint i = 0; i < study->assumption_list->len; i++) {
        const Assumption *assumption = assumption_at(study->assumption_list, i);

        if (choice(study, assumption))
            g_string_append_printf(names, "%s%s", n++ > 0 ? ", " : "",
                                   assumption->name);
    }
    if (n > 0)
        g_string_append_printf(out, "%u %s: %s\n", n, heading, names->str);
}

static void append_failed_runs(GString *out, const SensitivityStudy *study)
{
    for (guint i = 0; i < study->assumption_list->len; i++) {
        const Assumption *assumption = assumption_at(study->assumption_list, i);

        for (guint k = 0; k < assumption->alternatives->len; k++) {
            const Alternative *alternative =
                assumption_alternative(assumption, k);
            const AlternativeOutcome *outcome = &alternative->outcome;

            if (outcome->ok)
                continue;
            g_string_append_printf(
                out,
                outcome->has_crashed ? "not run: %s '%s': %s\n"
                                     : "%s cannot be '%s': %s\n",
                assumption->name, alternative->label, outcome->reason);
        }
    }
}

char *sensitivity_study_text(const SensitivityStudy *study, guint width)
{
    GString *out = g_string_new(NULL);
    g_autofree char *sentence = sensitivity_study_summary_text(study);

    g_string_append_printf(out, "%s\n", sentence);
    append_ranking_table(out, study, width);
    append_combinations(out, study, width);
    g_string_append_c(out, '\n');
    append_assumption_names(out, study, "move it by less than 0.1 %",
                            is_effect_negligible);
    append_assumption_names(out, study, "do not matter", has_no_effect);
    append_assumption_names(out, study, "have no range", has_no_alternatives);
    append_failed_runs(out, study);
    return g_string_free(out, FALSE);
}
