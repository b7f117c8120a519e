/* sensitivity_rows.c - a sensitivity study as CSV and JSON */
#include "sim/core/json_writer.h"
#include "sim/sensitivity/sensitivity_text.h"

#include "sim/core/csv.h"

#define ROLE_BASE        "base"
#define ROLE_TRY         "try"
#define ROLE_COMBINATION "combination"

static const char *const columns[] = { "assumption", "role",   "now",
                                       "tried",      "metric", "base",
                                       "value",      "effect", "best",
                                       "source",     "why",    "status" };

typedef struct {
    const char *assumption, *role, *now, *tried, *source, *why;
    double effect;
    const AlternativeOutcome *outcome;
} StudyRow;

typedef void (*StudyRowFn)(gpointer self, const SensitivityStudy *study,
                           const StudyRow *row);

/* Returns "release (given back), tuning (...)", which the caller owns. */
static char *combination_members_text(const AssumptionCombination *combination)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < combination->members->len; i++) {
        const Assumption *assumption =
            g_ptr_array_index(combination->members, i);
        const Alternative *alternative =
            g_ptr_array_index(combination->alternatives, i);

        g_string_append_printf(out, "%s%s (%s)", i > 0 ? ", " : "",
                               assumption->name, alternative->label);
    }
    return g_string_free(out, FALSE);
}

static void for_each_alternative(const SensitivityStudy *study,
                                 const Assumption *assumption, StudyRowFn fn,
                                 gpointer self)
{
    for (guint i = 0; i < assumption->alternatives->len; i++) {
        const Alternative *alternative = assumption_alternative(assumption, i);
        const StudyRow row = { assumption->name,
                               ROLE_TRY,
                               assumption->current_value,
                               alternative->label,
                               assumption->source,
                               assumption->why,
                               sensitivity_study_assumption_effect(study,
                                                                   assumption),
                               &alternative->outcome };

        fn(self, study, &row);
    }
}

static double relative_effect_of_alternative(const SensitivityStudy *study,
                                             const AlternativeOutcome *outcome)
{
    double base = study->base.value;

    return outcome->ok && base > 0 ? ABS(outcome->value - base) / base : 0;
}

/* Calls @fn for the base first, then for the alternatives in the order of the
 * ranking, then for combinations. */
static void for_each_study_row(const SensitivityStudy *study, StudyRowFn fn,
                               gpointer self)
{
    const StudyRow base = { "", ROLE_BASE, "", "", "", "", 0, &study->base };

    fn(self, study, &base);
    for (guint i = 0; i < study->assumption_list->len; i++)
        for_each_alternative(study, assumption_at(study->assumption_list, i),
                             fn, self);
    for (guint i = 0; i < study->combinations->len; i++) {
        const AssumptionCombination *combination =
            sensitivity_study_combination_at(study, i);
        g_autofree char *members = combination_members_text(combination);
        const StudyRow row = { combination->name,
                               ROLE_COMBINATION,
                               "",
                               members,
                               "",
                               "",
                               relative_effect_of_alternative(
                                   study, &combination->outcome),
                               &combination->outcome };

        fn(self, study, &row);
    }
}

/* ---- the study as CSV ---------------------------------------------------- */

/* Formats with six digits after the point in any locale; JSON has the same. */
static const char *format_decimal(double value, char *buffer)
{
    return g_ascii_formatd(buffer, G_ASCII_DTOSTR_BUF_SIZE, "%.6f", value);
}

static void append_csv_row(gpointer self, const SensitivityStudy *study,
                           const StudyRow *row)
{
    GString *out = self;
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    csv_add_text(out, row->assumption);
    csv_add_text(out, row->role);
    csv_add_text(out, row->now);
    csv_add_text(out, row->tried);
    csv_add_text(out, study->options->metric);
    csv_add_text(out, format_decimal(study->base.value, buffer));
    csv_add_text(out, row->outcome->ok
                          ? format_decimal(row->outcome->value, buffer)
                          : "");
    csv_add_text(out, format_decimal(row->effect, buffer));
    csv_add_text(out, row->outcome->best ? row->outcome->best : "");
    csv_add_text(out, row->source);
    csv_add_text(out, row->why);
    csv_add_text(out, row->outcome->ok ? "ok" : row->outcome->reason);
    csv_end_row(out);
}

GString *sensitivity_study_to_csv(const SensitivityStudy *study)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        csv_add_text(out, columns[i]);
    csv_end_row(out);
    for_each_study_row(study, append_csv_row, out);
    return out;
}

/* ---- the study as JSON --------------------------------------------------- */

static void append_json_row(gpointer self, const SensitivityStudy *study,
                            const StudyRow *row)
{
    Json *json = self;
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    (void)study;
    json_begin_object(json, NULL);
    json_add_text(json, "assumption", row->assumption);
    json_add_text(json, "role", row->role);
    json_add_text(json, "now", row->now);
    json_add_text(json, "tried", row->tried);
    json_add_raw(json, "value",
                 row->outcome->ok ? format_decimal(row->outcome->value, buffer)
                                  : "null");
    json_add_raw(json, "effect", format_decimal(row->effect, buffer));
    if (row->outcome->best)
        json_add_text(json, "best", row->outcome->best);
    json_add_text(json, "source", row->source);
    json_add_text(json, "why", row->why);
    json_add_text(json, "status",
                  row->outcome->ok ? "ok" : row->outcome->reason);
    json_end_object(json);
}

GString *sensitivity_study_to_json(const SensitivityStudy *study)
{
    GString *out = g_string_new(NULL);
    Json json = { .out = out };
    g_autofree char *sentence = sensitivity_study_summary_text(study);
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    json_begin_object(&json, NULL);
    json_add_text(&json, "config", study->options->path);
    json_add_text(&json, "metric", study->options->metric);
    json_add_raw(&json, "base", format_decimal(study->base.value, buffer));
    json_add_text(&json, "answer", sentence);
    json_begin_array(&json, "rows");
    for_each_study_row(study, append_json_row, &json);
    json_end_array(&json);
    json_end_object(&json);
    return out;
}
