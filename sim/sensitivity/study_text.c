/* study_text.c - a sensitivity study as sentences and a table */
#include "sim/sensitivity/study_text.h"

#include <string.h>

#include "sim/core/table.h"

#define MAX_NAMES 6 /* largest number of names in a sentence */
#define NAME_WRAP 37
#define NOW_WRAP  14

/* ---- sentences that answer the study ------------------------------------- */

static const char *offload_name(const Study *study)
{
    return compared_endpoint_at(study->endpoints->offloads, 0)->name;
}

/* Returns the metric's value for display, such as "1.29x", which the caller
 * owns. */
static char *study_value_text(const Study *study, double value)
{
    return study_is_speedup(study) ? g_strdup_printf("%.2fx", value)
                                   : g_strdup_printf("%.6g", value);
}

/* Appends "ace is 1.29x as fast as the best baseline (no-overlap)". */
static void add_base(GString *out, const Study *study)
{
    const char *name = offload_name(study);
    guint n = study->endpoints->offloads->len;

    if (!study_is_speedup(study)) {
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

static guint n_tried(const Study *study)
{
    guint n = 0;

    for (guint i = 0; i < study->all->len; i++)
        n += assumption_at(study->all, i)->alternatives->len > 0;
    return n;
}

static void add_large_effects(GString *out, const Study *study)
{
    guint n = 0;

    while (n < study->all->len &&
           study_effect(study, assumption_at(study->all, n)) >
               STUDY_LARGE_EFFECT)
        n++;
    g_string_append_printf(out,
                           "; of %u assumptions %u move%s that by more "
                           "than %.0f %%",
                           n_tried(study), n, n == 1 ? "s" : "",
                           100 * STUDY_LARGE_EFFECT);
    for (guint i = 0; i < MIN(n, MAX_NAMES); i++)
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : ": ",
                               assumption_at(study->all, i)->name);
    g_string_append(out, n > MAX_NAMES ? " and more.\n" : ".\n");
}

/* Returns the alternative whose value is farthest from the present one. */
static const Alternative *farthest_alternative(const Study *study,
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

static void add_largest_effect(GString *out, const Study *study)
{
    const Assumption *first =
        study->all->len > 0 ? assumption_at(study->all, 0) : NULL;
    const Alternative *alternative =
        first ? farthest_alternative(study, first) : NULL;
    g_autofree char *value = NULL;

    if (!alternative || study_effect(study, first) < STUDY_NEGLIGIBLE)
        return;
    value = study_value_text(study, alternative->outcome.value);
    g_string_append_printf(out,
                           "It depends most on %s: '%s' instead of '%s' makes "
                           "it %s.\n",
                           first->name, alternative->label, first->now, value);
}

static void add_winner_change(GString *out, guint *n, const char *name,
                              const char *label)
{
    g_string_append_printf(out, "%s%s (%s)", (*n)++ > 0 ? ", " : "", name,
                           label);
}

/* Appends the alternatives that change the winner. */
static void add_winner_changes(GString *out, const Study *study)
{
    g_autoptr(GString) names = g_string_new(NULL);
    const char *winner =
        study->base.value > 1 ? "a baseline" : offload_name(study);
    guint n = 0;

    for (guint i = 0; i < study->all->len; i++) {
        const Assumption *assumption = assumption_at(study->all, i);

        for (guint k = 0; k < assumption->alternatives->len; k++) {
            const Alternative *alternative =
                assumption_alternative(assumption, k);

            if (study_changes_winner(study, &alternative->outcome))
                add_winner_change(names, &n, assumption->name,
                                  alternative->label);
        }
    }
    if (n > 0)
        g_string_append_printf(out, "With %s %s wins.\n", names->str, winner);
    else if (study_is_speedup(study))
        g_string_append_printf(out, "None alone lets %s win.\n", winner);
}

char *study_sentence(const Study *study)
{
    GString *out = g_string_new(NULL);

    add_base(out, study);
    add_large_effects(out, study);
    add_largest_effect(out, study);
    add_winner_changes(out, study);
    return g_string_free(out, FALSE);
}

/* ---- the table of ranked assumptions ------------------------------------- */

/* Returns "25 %: 1.27x; 100 %: 1.38x", which the caller owns. */
static char *tried_text(const Study *study, const Assumption *assumption)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < assumption->alternatives->len; i++) {
        const Alternative *alternative = assumption_alternative(assumption, i);
        const Outcome *outcome = &alternative->outcome;
        g_autofree char *value = study_value_text(study, outcome->value);

        g_string_append_printf(out, "%s%s: %s", i > 0 ? "; " : "",
                               alternative->label,
                               outcome->ok            ? value
                               : outcome->has_crashed ? "not run"
                                                      : "cannot be");
    }
    return g_string_free(out, FALSE);
}

static gboolean is_shown(const Study *study, const Assumption *assumption)
{
    return study_effect(study, assumption) >= STUDY_NEGLIGIBLE;
}

/* Returns in one word why the value is uncertain; the source says more. */
static const char *doubt_of(const Assumption *assumption)
{
    static const char *const words[] = { "assumed", "fitted", "recalled" };

    if (*assumption->source == '\0')
        return "case";
    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        if (strstr(assumption->source, words[i]))
            return words[i];
    return "cited";
}

static void add_table(GString *out, const Study *study, guint width)
{
    g_autofree char *tried =
        g_strdup_printf("other values: %s", study->options->metric);
    const TableColumn columns[] = {
        { "effect", TRUE, 0 },        { "assumption", FALSE, NAME_WRAP },
        { "is", FALSE, 0 },           { "now", FALSE, NOW_WRAP },
        { tried, FALSE, TABLE_REST },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    for (guint i = 0; i < study->all->len; i++) {
        const Assumption *assumption = assumption_at(study->all, i);
        g_autofree char *alternatives = NULL;

        if (!is_shown(study, assumption))
            continue;
        alternatives = tried_text(study, assumption);
        table_addf(table, "%.1f %%", 100 * study_effect(study, assumption));
        table_add(table, assumption->name);
        table_add(table, doubt_of(assumption));
        table_add(table, assumption->now);
        table_add(table, alternatives);
    }
    table_write(table, out, 0, width);
}

/* ---- combinations of assumptions ----------------------------------------- */

static char *names_of(const Combination *c, const char *between)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < c->members->len; i++)
        g_string_append_printf(
            out, "%s%s", i > 0 ? between : "",
            ((const Assumption *)g_ptr_array_index(c->members, i))->name);
    return g_string_free(out, FALSE);
}

static void add_combinations(GString *out, const Study *study, guint width)
{
    const TableColumn columns[] = {
        { study->options->metric, TRUE, 0 },
        { "more than one", FALSE, TABLE_REST },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    if (study->combinations->len == 0)
        return;
    for (guint i = 0; i < study->combinations->len; i++) {
        const Combination *c = study_combination(study, i);
        g_autofree char *value = study_value_text(study, c->outcome.value);
        gboolean pair = g_str_equal(c->name, STUDY_PAIR);
        g_autofree char *names = names_of(c, pair ? " + " : ", ");

        table_add(table, c->outcome.ok ? value : "-");
        if (pair)
            table_add(table, names);
        else
            table_addf(table, "%s: %s", c->name, names);
    }
    g_string_append_c(out, '\n');
    table_write(table, out, 0, width);
}

/* ---- assumptions that are not in the table ----------------------------- */

typedef gboolean (*AssumptionPredicate)(const Study *study,
                                        const Assumption *assumption);

static gboolean is_negligible(const Study *study, const Assumption *assumption)
{
    double effect = study_effect(study, assumption);

    return effect > 0 && effect < STUDY_NEGLIGIBLE;
}

static gboolean has_failed(const Assumption *assumption)
{
    for (guint i = 0; i < assumption->alternatives->len; i++)
        if (!assumption_alternative(assumption, i)->outcome.ok)
            return TRUE;
    return FALSE;
}

static gboolean has_no_effect(const Study *study, const Assumption *assumption)
{
    return study_effect(study, assumption) <= 0 &&
           assumption->alternatives->len > 0 && !has_failed(assumption);
}

static gboolean is_untried(const Study *study, const Assumption *assumption)
{
    (void)study;
    return assumption->alternatives->len == 0;
}

static void add_names(GString *out, const Study *study, const char *heading,
                      AssumptionPredicate choice)
{
    g_autoptr(GString) names = g_string_new(NULL);
    guint n = 0;

    for (guint i = 0; i < study->all->len; i++) {
        const Assumption *assumption = assumption_at(study->all, i);

        if (choice(study, assumption))
            g_string_append_printf(names, "%s%s", n++ > 0 ? ", " : "",
                                   assumption->name);
    }
    if (n > 0)
        g_string_append_printf(out, "%u %s: %s\n", n, heading, names->str);
}

static void add_failures(GString *out, const Study *study)
{
    for (guint i = 0; i < study->all->len; i++) {
        const Assumption *assumption = assumption_at(study->all, i);

        for (guint k = 0; k < assumption->alternatives->len; k++) {
            const Alternative *alternative =
                assumption_alternative(assumption, k);
            const Outcome *outcome = &alternative->outcome;

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

char *study_text(const Study *study, guint width)
{
    GString *out = g_string_new(NULL);
    g_autofree char *sentence = study_sentence(study);

    g_string_append_printf(out, "%s\n", sentence);
    add_table(out, study, width);
    add_combinations(out, study, width);
    g_string_append_c(out, '\n');
    add_names(out, study, "move it by less than 0.1 %", is_negligible);
    add_names(out, study, "do not matter", has_no_effect);
    add_names(out, study, "have no range", is_untried);
    add_failures(out, study);
    return g_string_free(out, FALSE);
}
