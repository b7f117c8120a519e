/* expected_error.c - the error to expect of a run; see expected_error.h */
#include "sim/study/expected_error/expected_error.h"

#include <string.h>

#include "sim/core/csv.h"

/* families.csv, which `acesim-validate` writes */
extern const char text_families_csv[];

const char *const expected_error_basis_names[EXPECTED_ERROR_N_BASES] = {
    [EXPECTED_ERROR_KNOWN] = "known system",
    [EXPECTED_ERROR_LEFT_OUT] = "systems left out",
    [EXPECTED_ERROR_NONE_NEAR] = "none is near",
};

void expected_error_clear(ExpectedError *error)
{
    g_clear_pointer(&error->lacking, g_free);
}

/* ---- families.csv -------------------------------------------------------- */

static const char *table_cell_of_family(const CsvTable *table, guint row,
                                        const char *name)
{
    guint column;

    /* cannot fail: the file is part of the program, and a test reads it */
    if (!csv_table_column(table, name, &column, NULL))
        g_assert_not_reached();
    return csv_table_text(table, row, column);
}

static double table_number_of_family(const CsvTable *table, guint row,
                                     const char *name)
{
    return g_ascii_strtod(table_cell_of_family(table, row, name), NULL);
}

static CsvTable *table_of_error_families(void)
{
    CsvTable *table = csv_table_parse("families.csv", text_families_csv,
                                      strlen(text_families_csv), NULL);

    g_assert(table);
    return table;
}

/* Sets the number of systems and the error of @ret to those of .family and
 * .basis. */
static void read_error_of_family(const CsvTable *table, ExpectedError *ret)
{
    guint i = 0;
    gboolean is_left_out;

    while (
        !g_str_equal(table_cell_of_family(table, i, "family"), ret->family)) {
        i++;
        g_assert(i < csv_table_n_rows(table)); /* a test reads all names */
    }
    is_left_out = ret->basis != EXPECTED_ERROR_KNOWN &&
                  table_number_of_family(table, i, "left_out_systems") > 0;
    ret->percent = table_number_of_family(
        table, i, is_left_out ? "left_out_percent" : "by_system_percent");
    ret->n_systems = (guint)table_number_of_family(
        table, i, is_left_out ? "left_out_systems" : "systems");
}

/* Replaces @ret by the error of @family if that is larger. */
static void take_larger_error_of_family(const CsvTable *table,
                                        const char *family, ExpectedError *ret)
{
    ExpectedError other = { .family = family, .basis = ret->basis };

    read_error_of_family(table, &other);
    if (ret->family && other.percent <= ret->percent)
        return;
    ret->family = family;
    ret->percent = other.percent;
    ret->n_systems = other.n_systems;
}

/* ---- the properties ------------------------------------------------------ */

static gboolean list_contains_name(const char *list, const char *name)
{
    g_auto(GStrv) names = list ? g_strsplit(list, "|", -1) : NULL;

    return names && name && g_strv_contains((const char *const *)names, name);
}

static gboolean family_fits_platform(const MeasuredFamily *family,
                                     const RunTraits *run)
{
    return !family->only_platforms ||
           list_contains_name(family->only_platforms, run->platform);
}

static gboolean family_fits_span(const MeasuredFamily *family,
                                 const RunTraits *run)
{
    return (family->spans & run->span) != 0;
}

/* Networks are trained by data parallelism in all measured families. */
static gboolean family_fits_workload(const MeasuredFamily *family,
                                     const RunTraits *run)
{
    return family->subject != ERROR_OF_TRAINING ||
           g_str_equal(run->workload, "data-parallel");
}

static gboolean family_fits_experts(const MeasuredFamily *family,
                                    const RunTraits *run)
{
    (void)family;
    return !run->has_experts;
}

static gboolean family_fits_source_of_times(const MeasuredFamily *family,
                                            const RunTraits *run)
{
    return family->subject != ERROR_OF_TRAINING ||
           family->from_shapes == run->from_shapes;
}

/* Measured systems communicate by SMs or by host memory.  Where costs are those
 * of a library, some leave their endpoint `ideal`. */
static gboolean family_fits_endpoint(const MeasuredFamily *family,
                                     const RunTraits *run)
{
    (void)family;
    return run->span == SPAN_ONE_NPU ||
           list_contains_name("baseline|host", run->endpoint) ||
           (g_str_equal(run->endpoint, "ideal") &&
            run->software != SOFTWARE_NONE);
}

static gboolean family_fits_software(const MeasuredFamily *family,
                                     const RunTraits *run)
{
    return run->span == SPAN_ONE_NPU || family->software == 0 ||
           (family->software & run->software) != 0;
}

static gboolean family_fits_chip(const MeasuredFamily *family,
                                 const RunTraits *run)
{
    return !family->chips || list_contains_name(family->chips, run->chip);
}

static gboolean family_fits_precision(const MeasuredFamily *family,
                                      const RunTraits *run)
{
    return !family->precisions ||
           list_contains_name(family->precisions, run->precision);
}

static gboolean family_fits_payload(const MeasuredFamily *family,
                                    const RunTraits *run)
{
    return family->below <= 0 || (run->payload_bytes >= family->from &&
                                  run->payload_bytes < family->below);
}

static gboolean family_prefers_stack(const MeasuredFamily *family,
                                     const RunTraits *run)
{
    return list_contains_name(family->stacks, run->stack);
}

static gboolean family_has_platform(const MeasuredFamily *family,
                                    const RunTraits *run)
{
    return list_contains_name(family->platforms, run->platform);
}

static char *describe_workload(const RunTraits *run)
{
    return g_strdup_printf("workload %s", run->workload);
}

static char *describe_span(const RunTraits *run)
{
    return g_strdup(run->span == SPAN_ONE_NPU   ? "one NPU"
                    : run->span == SPAN_MACHINE ? "NPUs of one machine"
                                                : "several machines");
}

static char *describe_experts(const RunTraits *run)
{
    (void)run;
    return g_strdup("a mixture of experts");
}

static char *describe_source_of_times(const RunTraits *run)
{
    return g_strdup(run->from_shapes ? "kernel times from shapes"
                                     : "kernel times that are given");
}

static char *describe_endpoint(const RunTraits *run)
{
    return g_strdup_printf("endpoint %s", run->endpoint);
}

static char *describe_stack(const RunTraits *run)
{
    return g_strdup_printf("stack %s", run->stack);
}

static char *describe_chip(const RunTraits *run)
{
    return g_strdup(run->chip ? run->chip : "this NPU");
}

static char *describe_precision(const RunTraits *run)
{
    return g_strdup_printf("precision %s", run->precision);
}

static char *describe_payload(const RunTraits *run)
{
    return g_strdup_printf("payloads of %.0f B", run->payload_bytes);
}

static char *describe_platform(const RunTraits *run)
{
    return g_strdup_printf("platform %s", run->platform);
}

/* The properties in the order in which they exclude families.  Those without
 * .describe are preferences: they exclude others only if some family has
 * them. */
static const struct {
    gboolean (*fits)(const MeasuredFamily *family, const RunTraits *run);
    char *(*describe)(const RunTraits *run); /* the caller owns the text */
} properties[] = {
    { family_fits_platform, describe_platform },
    { family_fits_workload, describe_workload },
    { family_fits_experts, describe_experts },
    { family_fits_span, describe_span },
    { family_fits_source_of_times, describe_source_of_times },
    { family_fits_endpoint, describe_endpoint },
    { family_fits_software, describe_stack },
    { family_fits_chip, describe_chip },
    { family_fits_precision, describe_precision },
    { family_fits_payload, describe_payload },
    { family_prefers_stack, NULL },
    { family_has_platform, NULL },
};

/* ---- the choice ---------------------------------------------------------- */

/* Removes the families that lack property @p from @left, an array of const
 * MeasuredFamily *.  Returns FALSE without removing any if all lack it. */
static gboolean keep_families_that_fit_property(GPtrArray *left, guint p,
                                                const RunTraits *run)
{
    g_autoptr(GPtrArray) kept = g_ptr_array_new();

    for (guint i = 0; i < left->len; i++)
        if (properties[p].fits(left->pdata[i], run))
            g_ptr_array_add(kept, left->pdata[i]);
    if (kept->len == 0)
        return FALSE;
    g_ptr_array_set_size(left, 0);
    g_ptr_array_extend(left, kept, NULL, NULL);
    return TRUE;
}

/* Appends all families of the subject of @run to @left. */
static void add_families_of_subject(GPtrArray *left, ErrorSubject subject)
{
    for (const MeasuredFamily *family = measured_families; family->name;
         family++)
        if (family->subject == subject)
            g_ptr_array_add(left, (gpointer)family);
}

ExpectedError expected_error_of_traits(const RunTraits *run)
{
    g_autoptr(CsvTable) table = table_of_error_families();
    g_autoptr(GPtrArray) left = g_ptr_array_new();
    ExpectedError ret = { .basis = EXPECTED_ERROR_LEFT_OUT };

    add_families_of_subject(left, run->subject);
    for (guint p = 0; p < G_N_ELEMENTS(properties) && !ret.lacking; p++) {
        gboolean is_kept = keep_families_that_fit_property(left, p, run);

        if (is_kept && properties[p].fits == family_has_platform)
            ret.basis = EXPECTED_ERROR_KNOWN;
        if (!is_kept && properties[p].describe)
            ret.lacking = properties[p].describe(run);
    }
    if (ret.lacking) {
        ret.basis = EXPECTED_ERROR_NONE_NEAR;
        g_ptr_array_set_size(left, 0);
        add_families_of_subject(left, run->subject);
    }
    for (guint i = 0; i < left->len; i++)
        take_larger_error_of_family(
            table, ((const MeasuredFamily *)left->pdata[i])->name, &ret);
    return ret;
}

ExpectedError expected_error_of_run(const SystemConfig *config,
                                    const System *system)
{
    RunTraits traits = run_traits(config, system);

    return expected_error_of_traits(&traits);
}

/* ---- ratios -------------------------------------------------------------- */

gboolean expected_error_of_ratio(const char *family, ExpectedErrorBasis basis,
                                 ExpectedError *ret)
{
    g_autoptr(CsvTable) table = table_of_error_families();
    const MeasuredFamily *found = measured_families;

    while (found->name && !g_str_equal(found->name, family))
        found++;
    if (!found->name)
        return FALSE;
    *ret = (ExpectedError){ .basis = basis };
    for (const MeasuredFamily *other = measured_families; other->name; other++)
        if (other->ratio && (basis == EXPECTED_ERROR_NONE_NEAR
                                 ? other->subject == found->subject
                                 : other == found))
            take_larger_error_of_family(table, other->ratio, ret);
    if (!ret->family)
        take_larger_error_of_family(table, found->name, ret);
    return TRUE;
}

gboolean expected_error_basis_of_text(const char *text, ExpectedErrorBasis *ret)
{
    for (ExpectedErrorBasis basis = 0; basis < EXPECTED_ERROR_N_BASES; basis++)
        if (g_str_has_prefix(text, expected_error_basis_names[basis])) {
            *ret = basis;
            return TRUE;
        }
    return FALSE;
}

gboolean expected_error_hides_ratio(double ratio, double percent)
{
    double most = 1 + percent / 100;

    return ratio * most >= 1 && ratio <= most;
}

/* ---- text ---------------------------------------------------------------- */

char *expected_error_text(const ExpectedError *error)
{
    g_autofree char *over =
        g_strdup_printf("%s, %u system%s", error->family, error->n_systems,
                        error->n_systems == 1 ? "" : "s");

    switch (error->basis) {
    case EXPECTED_ERROR_KNOWN:
        return g_strdup_printf("expected error: %.1f %%, that of measured "
                               "systems that constants were fitted to (%s)",
                               error->percent, over);
    case EXPECTED_ERROR_LEFT_OUT:
        return g_strdup_printf("expected error: %.1f %%, that of measured "
                               "systems that no constant knows (%s)",
                               error->percent, over);
    case EXPECTED_ERROR_NONE_NEAR:
    case EXPECTED_ERROR_N_BASES:
        break;
    }
    return g_strdup_printf(
        "expected error: not known, no measured system is near (none has %s); "
        "measured systems of its kind have up to %.1f %% (%s)",
        error->lacking ? error->lacking : "all properties", error->percent,
        over);
}
