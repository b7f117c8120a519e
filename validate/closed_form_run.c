/* closed_form_run.c - runs the closed-form cases and writes their results */
#include "validate/closed_form_cases.h"

#include "validate/text_table.h"

/* An NPU that reaches 50 TFLOPS and 64 GB/s per SM, with a bus that is never
 * the bottleneck. */
static const char npu[] =
    "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, flops_efficiency: 50 %, "
    "sm_bandwidth: 64, fabric_bus: 1000 TB/s, "
    "hbm: {bandwidth: 1000 GB/s, policy: partitioned}}";

static char *run_file_of_case(const ClosedCase *closed_case)
{
    return g_strdup_printf("# A closed form of acesim-validate: %s = %s\n"
                           "platform:\n"
                           "  name: %s\n"
                           "  topology: %s\n"
                           "  npu: %s\n"
                           "endpoint: %s\n"
                           "workload: %s\n"
                           "training: {iterations: 1, optimiser: none}\n"
                           "collectives: %s\n",
                           closed_case->column, closed_case->formula,
                           closed_case->name, closed_case->topology, npu,
                           closed_case->endpoint, closed_case->workload,
                           closed_case->collectives);
}

static gboolean run_closed_case(const Simulator *simulator,
                                const ClosedCase *closed_case,
                                ClosedResult *ret, GError **error)
{
    const char *arguments[] = { closed_case->argument, NULL };
    g_autofree char *text = run_file_of_case(closed_case);
    g_autofree char *name =
        g_strdup_printf("closed-forms/%s", closed_case->name);
    g_autofree char *file = g_strdup_printf("%s.yaml", name);
    g_autofree char *path = g_build_filename(simulator->folder, file, NULL);
    g_autoptr(CsvTable) table = NULL;

    if (!simulator_write_file(simulator, file, text, error))
        return FALSE;
    table = simulator_run(simulator, name, path, arguments, error);
    if (!table || !simulator_cell_number(table, 0, closed_case->column,
                                         &ret->simulated, error))
        return FALSE;
    ret->expected = closed_case->expected(closed_case);
    ret->is_ok = deviation_is_within_tolerance(ret->simulated, ret->expected,
                                               &closed_case->tolerance);
    return TRUE;
}

GArray *closed_run_all(const Simulator *simulator, GError **error)
{
    g_autoptr(GArray) results = g_array_new(FALSE, TRUE, sizeof(ClosedResult));

    for (guint i = 0; i < closed_n_cases; i++) {
        ClosedResult result;

        if (!run_closed_case(simulator, &closed_cases[i], &result, error))
            return NULL;
        g_array_append_val(results, result);
    }
    return g_steal_pointer(&results);
}

/* Returns the decimals to print: whole picoseconds, whole bytes, or GB/s with
 * three decimals. */
static int n_decimals_of_case(const ClosedCase *closed_case)
{
    if (g_str_has_suffix(closed_case->column, "_us"))
        return 6;
    return g_str_has_suffix(closed_case->column, "_bytes") ? 0 : 3;
}

guint closed_results_render(const GArray *results, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("lllrrrll");
    guint n_wrong = 0;

    text_table_add_row(table, "case\tformula\tcolumn\texpected\tsimulated\t"
                              "deviation\tok\ttolerance");
    for (guint i = 0; i < results->len; i++) {
        const ClosedCase *closed_case = &closed_cases[i];
        const ClosedResult *result = &g_array_index(results, ClosedResult, i);
        int n = n_decimals_of_case(closed_case);

        text_table_add_row(
            table, "%s\t%s\t%s\t%.*f\t%.*f\t%+.4f %%\t%s\t%s",
            closed_case->name, closed_case->formula, closed_case->column, n,
            result->expected, n, result->simulated,
            compare_deviation_percent(result->simulated, result->expected),
            result->is_ok ? "ok" : "NO",
            closed_case->why ? closed_case->why : "none");
        n_wrong += !result->is_ok;
    }
    text_table_render(table, out);
    return n_wrong;
}

char *closed_results_csv(const GArray *results)
{
    GString *out = g_string_new("case,formula,column,expected,simulated,"
                                "deviation_percent,ok,tolerance\n");

    for (guint i = 0; i < results->len; i++) {
        const ClosedCase *closed_case = &closed_cases[i];
        const ClosedResult *result = &g_array_index(results, ClosedResult, i);
        int n = n_decimals_of_case(closed_case);

        csv_add_text(out, closed_case->name);
        csv_add_text(out, closed_case->formula);
        csv_add_text(out, closed_case->column);
        g_string_append_printf(
            out, "%.*f,%.*f,%.6f,", n, result->expected, n, result->simulated,
            compare_deviation_percent(result->simulated, result->expected));
        csv_add_text(out, result->is_ok ? "yes" : "no");
        csv_add_text(out, closed_case->why ? closed_case->why : "none");
        csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}
