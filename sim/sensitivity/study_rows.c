/* study_rows.c - a sensitivity study as CSV and JSON */
#include "sim/core/json.h"
#include "sim/sensitivity/study_text.h"

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
    const Outcome *outcome;
} Row;

typedef void (*RowFn)(gpointer self, const Study *study, const Row *row);

/* Returns "release (given back), tuning (...)", which the caller owns. */
static char *members_text(const Combination *c)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < c->members->len; i++) {
        const Assumption *assumption = g_ptr_array_index(c->members, i);
        const Alternative *alternative = g_ptr_array_index(c->alternatives, i);

        g_string_append_printf(out, "%s%s (%s)", i > 0 ? ", " : "",
                               assumption->name, alternative->label);
    }
    return g_string_free(out, FALSE);
}

static void each_alternative(const Study *study, const Assumption *assumption,
                             RowFn fn, gpointer self)
{
    for (guint i = 0; i < assumption->alternatives->len; i++) {
        const Alternative *alternative = assumption_alternative(assumption, i);
        const Row row = { assumption->name,
                          ROLE_TRY,
                          assumption->now,
                          alternative->label,
                          assumption->source,
                          assumption->why,
                          study_effect(study, assumption),
                          &alternative->outcome };

        fn(self, study, &row);
    }
}

static double effect_of(const Study *study, const Outcome *outcome)
{
    double base = study->base.value;

    return outcome->ok && base > 0 ? ABS(outcome->value - base) / base : 0;
}

/* Calls @fn for the base first, then for the alternatives in the order of the
 * ranking, then for combinations. */
static void each_row(const Study *study, RowFn fn, gpointer self)
{
    const Row base = { "", ROLE_BASE, "", "", "", "", 0, &study->base };

    fn(self, study, &base);
    for (guint i = 0; i < study->all->len; i++)
        each_alternative(study, assumption_at(study->all, i), fn, self);
    for (guint i = 0; i < study->combinations->len; i++) {
        const Combination *c = study_combination(study, i);
        g_autofree char *members = members_text(c);
        const Row row = { c->name,
                          ROLE_COMBINATION,
                          "",
                          members,
                          "",
                          "",
                          effect_of(study, &c->outcome),
                          &c->outcome };

        fn(self, study, &row);
    }
}

/* ---- the study as CSV ---------------------------------------------------- */

/* Formats with six digits after the point in any locale; JSON has the same. */
static const char *number(double value, char *buffer)
{
    return g_ascii_formatd(buffer, G_ASCII_DTOSTR_BUF_SIZE, "%.6f", value);
}

static void add_row(gpointer self, const Study *study, const Row *row)
{
    GString *out = self;
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    csv_add_text(out, row->assumption);
    csv_add_text(out, row->role);
    csv_add_text(out, row->now);
    csv_add_text(out, row->tried);
    csv_add_text(out, study->options->metric);
    csv_add_text(out, number(study->base.value, buffer));
    csv_add_text(out,
                 row->outcome->ok ? number(row->outcome->value, buffer) : "");
    csv_add_text(out, number(row->effect, buffer));
    csv_add_text(out, row->outcome->best ? row->outcome->best : "");
    csv_add_text(out, row->source);
    csv_add_text(out, row->why);
    csv_add_text(out, row->outcome->ok ? "ok" : row->outcome->reason);
    csv_end_row(out);
}

GString *study_csv(const Study *study)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        csv_add_text(out, columns[i]);
    csv_end_row(out);
    each_row(study, add_row, out);
    return out;
}

/* ---- the study as JSON --------------------------------------------------- */

static void add_object(gpointer self, const Study *study, const Row *row)
{
    Json *json = self;
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    (void)study;
    json_begin_object(json, NULL);
    json_text(json, "assumption", row->assumption);
    json_text(json, "role", row->role);
    json_text(json, "now", row->now);
    json_text(json, "tried", row->tried);
    json_raw(json, "value",
             row->outcome->ok ? number(row->outcome->value, buffer) : "null");
    json_raw(json, "effect", number(row->effect, buffer));
    if (row->outcome->best)
        json_text(json, "best", row->outcome->best);
    json_text(json, "source", row->source);
    json_text(json, "why", row->why);
    json_text(json, "status", row->outcome->ok ? "ok" : row->outcome->reason);
    json_end_object(json);
}

GString *study_json(const Study *study)
{
    GString *out = g_string_new(NULL);
    Json json = { .out = out };
    g_autofree char *sentence = study_sentence(study);
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    json_begin_object(&json, NULL);
    json_text(&json, "config", study->options->path);
    json_text(&json, "metric", study->options->metric);
    json_raw(&json, "base", number(study->base.value, buffer));
    json_text(&json, "answer", sentence);
    json_begin_array(&json, "rows");
    each_row(study, add_object, &json);
    json_end_array(&json);
    json_end_object(&json);
    return out;
}
