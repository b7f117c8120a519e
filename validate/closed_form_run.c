/* closed_form_run.c - runs the closed-form cases and writes their results */
#include "validate/closed_form_cases.h"

#include "validate/text_table.h"

/* An NPU that reaches 50 TFLOPS and 64 GB/s per SM, with a bus that is never
 * the bottleneck. */
static const char npu[] =
    "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, flops_efficiency: 50 %, "
    "sm_bandwidth: 64, fabric_bus: 1000 TB/s, "
    "hbm: {bandwidth: 1000 GB/s, policy: partitioned}}";

static char *run_file_of_case(const ClosedCase *c)
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
                           c->column, c->formula, c->name, c->topology, npu,
                           c->endpoint, c->workload, c->collectives);
}

static gboolean run_closed_case(const Simulator *simulator, const ClosedCase *c,
                                ClosedResult *ret, GError **error)
{
    const char *arguments[] = { c->argument, NULL };
    g_autofree char *text = run_file_of_case(c);
    g_autofree char *name = g_strdup_printf("closed-forms/%s", c->name);
    g_autofree char *file = g_strdup_printf("%s.yaml", name);
    g_autofree char *path = g_build_filename(simulator->folder, file, NULL);
    g_autoptr(CsvTable) table = NULL;

    if (!simulator_write_file(simulator, file, text, error))
        return FALSE;
    table = simulator_run(simulator, name, path, arguments, error);
    if (!table ||
        !simulator_cell_number(table, 0, c->column, &ret->simulated, error))
        return FALSE;
    ret->expected = c->expected(c);
    ret->is_ok =
        compare_is_within(ret->simulated, ret->expected, &c->tolerance);
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
static int n_decimals_of_case(const ClosedCase *c)
{
    if (g_str_has_suffix(c->column, "_us"))
        return 6;
    return g_str_has_suffix(c->column, "_bytes") ? 0 : 3;
}

guint closed_results_render(const GArray *results, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("lllrrrll");
    guint n_wrong = 0;

    text_table_add_row(table, "case\tformula\tcolumn\texpected\tsimulated\t"
                              "deviation\tok\ttolerance");
    for (guint i = 0; i < results->len; i++) {
        const ClosedCase *c = &closed_cases[i];
        const ClosedResult *r = &g_array_index(results, ClosedResult, i);
        int n = n_decimals_of_case(c);

        text_table_add_row(table, "%s\t%s\t%s\t%.*f\t%.*f\t%+.4f %%\t%s\t%s",
                           c->name, c->formula, c->column, n, r->expected, n,
                           r->simulated,
                           compare_deviation_percent(r->simulated, r->expected),
                           r->is_ok ? "ok" : "NO", c->why ? c->why : "none");
        n_wrong += !r->is_ok;
    }
    text_table_render(table, out);
    return n_wrong;
}

char *closed_results_csv(const GArray *results)
{
    GString *out = g_string_new("case,formula,column,expected,simulated,"
                                "deviation_percent,ok,tolerance\n");

    for (guint i = 0; i < results->len; i++) {
        const ClosedCase *c = &closed_cases[i];
        const ClosedResult *r = &g_array_index(results, ClosedResult, i);
        int n = n_decimals_of_case(c);

        csv_add_text(out, c->name);
        csv_add_text(out, c->formula);
        csv_add_text(out, c->column);
        g_string_append_printf(
            out, "%.*f,%.*f,%.6f,", n, r->expected, n, r->simulated,
            compare_deviation_percent(r->simulated, r->expected));
        csv_add_text(out, r->is_ok ? "yes" : "no");
        csv_add_text(out, c->why ? c->why : "none");
        csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}
