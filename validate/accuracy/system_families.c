/* system_families.c - rows of training systems */
#include <math.h>
#include <string.h>

#include "validate/accuracy/families.h"

#define KIB 1024.0
#define MIB (1024 * KIB)

/* The names of a row by the letters of its axes. */
typedef struct {
    GString *system, *kind;
    char *fitted_to; /* the value of axis `r`; NULL without it */
    double x;
    double count; /* the last number in the name of the system; 0 if none */
} RowNames;

static void row_names_clear(RowNames *names)
{
    g_string_free(names->system, TRUE);
    g_string_free(names->kind, TRUE);
    g_free(names->fitted_to);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RowNames, row_names_clear)

static void append_name_part(GString *name, const char *text)
{
    g_string_append_printf(name, "%s%s", name->len > 0 ? ", " : "", text);
}

/* Reads "16", "4 B", "64 KiB" or "1 MiB". */
static double read_number_or_size_text(const char *text)
{
    char *end;
    double value = g_ascii_strtod(text, &end);

    if (g_str_has_suffix(end, "KiB"))
        return value * KIB;
    return g_str_has_suffix(end, "MiB") ? value * MIB : value;
}

static double last_number_in_text(const char *text)
{
    const char *space = strrchr(text, ' ');

    return g_ascii_strtod(space ? space + 1 : text, NULL);
}

static void add_axis_name_of_row(RowNames *names, char letter,
                                 const char *value)
{
    g_autofree char *word = g_strndup(value, strcspn(value, " "));

    if (strchr("sbn", letter))
        append_name_part(names->system, value);
    if (strchr("kb", letter))
        append_name_part(names->kind, value);
    if (letter == 'f')
        append_name_part(names->kind, word);
    if (letter == 'x')
        names->x = log2(read_number_or_size_text(value));
    if (letter == 'n')
        names->x = log2(last_number_in_text(value));
    if (letter == 'r')
        names->fitted_to = g_strdup(value);
}

static void read_row_names(const SystemRow *row, const char *axes,
                           RowNames *ret)
{
    g_auto(GStrv) values = g_strsplit(row->keys, ", ", -1);

    *ret =
        (RowNames){ .system = g_string_new(NULL), .kind = g_string_new(NULL) };
    for (guint i = 0; values[i] && axes[i]; i++)
        add_axis_name_of_row(ret, axes[i], values[i]);
    append_name_part(ret->kind, row->column);
    ret->count = last_number_in_text(ret->system->str);
}

static gboolean row_belongs_to_family(const SystemRow *row,
                                      const RowNames *names,
                                      const SystemDetail *detail)
{
    if (row->use == SYSTEM_ORDER ||
        (row->use == SYSTEM_SHOWN_ONLY && !detail->shown_rows_count))
        return FALSE;
    if (detail->not_system &&
        g_str_has_prefix(names->system->str, detail->not_system))
        return FALSE;
    return !detail->kind || g_str_has_prefix(names->kind->str, detail->kind);
}

static double basis_value_of_row(const SystemRow *row, const RowNames *names,
                                 SystemBasis basis)
{
    switch (basis) {
    case SYSTEM_BASIS_COMPUTE:
        return row->compute_ms;
    case SYSTEM_BASIS_RING:
        return 2 * (names->count - 1) / names->count;
    case SYSTEM_BASIS_ONE:
        break;
    }
    return 1;
}

/* Returns whether some row of @system was held out when constants were fitted
 * to @fitted_to. */
static gboolean system_is_held_out_of_fit(const SystemStudy *study,
                                          const char *axes,
                                          const char *fitted_to,
                                          const char *system)
{
    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *row = system_row_at(study, i);
        g_auto(RowNames) names = { 0 };

        read_row_names(row, axes, &names);
        if (row->use == SYSTEM_HELD_OUT &&
            g_str_equal(names.fitted_to, fitted_to) &&
            g_str_equal(names.system->str, system))
            return TRUE;
    }
    return FALSE;
}

/* Returns the simulated time of the same point with constants that were fitted
 * without its system, or 0 if there is none. */
static double time_of_held_out_point_ms(const SystemStudy *study,
                                        const RowNames *names,
                                        const SystemDetail *detail)
{
    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *row = system_row_at(study, i);
        g_auto(RowNames) other = { 0 };

        read_row_names(row, detail->axes, &other);
        if (!g_str_equal(other.fitted_to, detail->whole) &&
            g_str_equal(other.system->str, names->system->str) &&
            g_str_equal(other.kind->str, names->kind->str) &&
            fabs(other.x - names->x) < 1e-9 &&
            system_is_held_out_of_fit(study, detail->axes, other.fitted_to,
                                      other.system->str))
            return row->simulated_ms;
    }
    return 0;
}

static void add_row_of_system(const SystemStudy *study, const SystemRow *row,
                              const SystemDetail *detail, GArray *rows)
{
    g_auto(RowNames) names = { 0 };
    g_autofree char *system = NULL;
    JudgeRow ret = { 0 };

    read_row_names(row, detail->axes, &names);
    if (!row_belongs_to_family(row, &names, detail) ||
        (detail->whole && !g_str_equal(names.fitted_to, detail->whole)))
        return;
    system = g_strdup_printf("%s%s%s", names.system->str,
                             detail->count_of ? " " : "",
                             detail->count_of ? detail->count_of : "");
    ret = (JudgeRow){
        .system = g_intern_string(system),
        .kind = g_intern_string(names.kind->str),
        .wide_kind = g_intern_string(row->column),
        .x = names.x,
        .measured = row->measured_ms,
        .simulated = row->simulated_ms,
        .left_out_value = detail->whole
                              ? time_of_held_out_point_ms(study, &names, detail)
                              : 0,
        .basis = basis_value_of_row(row, &names, detail->basis),
        .is_fitted_to = row->use == SYSTEM_FITTED,
    };
    g_array_append_val(rows, ret);
}

static const SystemStudy *find_system_study(const MeasuredStudies *studies,
                                            const char *table, GError **error)
{
    for (guint i = 0; i < studies->systems->len; i++) {
        const SystemStudy *study = studies->systems->pdata[i];

        if (g_str_equal(study->table->name, table))
            return study;
    }
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                "%s: the table has not been run", table);
    return NULL;
}

gboolean add_system_rows(const MeasuredStudies *studies,
                         const AccuracyFamily *family, GArray *rows,
                         GError **error)
{
    const SystemDetail *detail = family->detail;
    const SystemStudy *study = find_system_study(studies, detail->table, error);

    for (guint i = 0; study && i < study->rows->len; i++)
        add_row_of_system(study, system_row_at(study, i), detail, rows);
    return study != NULL;
}

/* ---- ratios of two times ------------------------------------------------- */

/* Returns the ratio of the simulated times of two points with constants that
 * were fitted without their system, or 0 if there are none. */
static double ratio_of_held_out_points(const SystemStudy *study,
                                       const RowNames *slow,
                                       const RowNames *fast,
                                       const SystemDetail *detail)
{
    double slow_ms, fast_ms;

    if (!detail->whole)
        return 0;
    slow_ms = time_of_held_out_point_ms(study, slow, detail);
    fast_ms = time_of_held_out_point_ms(study, fast, detail);
    return fast_ms > 0 ? slow_ms / fast_ms : 0;
}

/* Appends the ratio of @slow to @fast if both belong to one system and have all
 * constants. */
static void add_ratio_of_rows(const SystemStudy *study, const SystemRow *slow,
                              const SystemRow *fast, const SystemDetail *detail,
                              GArray *rows)
{
    const char *axes = detail->axes;
    g_auto(RowNames) slow_names = { 0 };
    g_auto(RowNames) fast_names = { 0 };
    g_autofree char *kind = NULL;
    JudgeRow ret = { 0 };

    read_row_names(slow, axes, &slow_names);
    read_row_names(fast, axes, &fast_names);
    if (!g_str_equal(slow_names.system->str, fast_names.system->str) ||
        g_str_equal(slow_names.kind->str, fast_names.kind->str) ||
        !g_str_equal(slow->column, fast->column) ||
        (detail->whole && (!g_str_equal(slow_names.fitted_to, detail->whole) ||
                           !g_str_equal(fast_names.fitted_to, detail->whole))))
        return;
    kind = g_strdup_printf("%s over %s", slow_names.kind->str,
                           fast_names.kind->str);
    ret = (JudgeRow){
        .system = g_intern_string(slow_names.system->str),
        .kind = g_intern_string(kind),
        .wide_kind = g_intern_string(slow->column),
        .x = slow_names.x,
        .measured = slow->measured_ms / fast->measured_ms,
        .simulated = slow->simulated_ms / fast->simulated_ms,
        .left_out_value =
            ratio_of_held_out_points(study, &slow_names, &fast_names, detail),
        .basis = 1,
        .is_fitted_to =
            slow->use == SYSTEM_FITTED || fast->use == SYSTEM_FITTED,
    };
    g_array_append_val(rows, ret);
}

static gboolean system_use_is_compared(SystemUse use)
{
    return use == SYSTEM_FITTED || use == SYSTEM_HELD_OUT;
}

gboolean add_speedup_rows(const MeasuredStudies *studies,
                          const AccuracyFamily *family, GArray *rows,
                          GError **error)
{
    const SystemDetail *detail = family->detail;
    const SystemStudy *study = find_system_study(studies, detail->table, error);

    for (guint i = 0; study && i < study->rows->len; i++)
        for (guint k = 0; k < i; k++) {
            const SystemRow *a = system_row_at(study, i);
            const SystemRow *b = system_row_at(study, k);
            gboolean is_slower = a->measured_ms >= b->measured_ms;

            if (system_use_is_compared(a->use) &&
                system_use_is_compared(b->use))
                add_ratio_of_rows(study, is_slower ? a : b, is_slower ? b : a,
                                  detail, rows);
        }
    return study != NULL;
}
