/* test_step_rows.c - published training steps: reading, units, constants */
#include <unistd.h>

#include "tests/test.h"

#include "validate/llm/step_constants.h"

static GArray *load(const char *set)
{
    GError *error = NULL;
    GArray *rows = step_rows_load(set, &error);

    assert_no_error(error);
    return rows;
}

static void test_each_table_can_be_read(void **state)
{
    static const struct {
        const char *set;
        guint n, n_left_out;
    } tables[] = {
        { "vtrain-single", 1080, 0 }, { "vtrain-multi", 41, 6 },
        { "korthikanti", 8, 0 },      { "mlperf", 18, 2 },
        { "megatron-bridge", 39, 7 }, { "llama3", 2, 0 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
        g_autoptr(GArray) rows = load(tables[i].set);
        guint n_left_out = 0;

        assert_int_equal(rows->len, tables[i].n);
        for (guint r = 0; r < rows->len; r++)
            n_left_out += *step_row_at(rows, r)->left_out != '\0';
        assert_int_equal(n_left_out, tables[i].n_left_out);
    }
}

static void test_no_row_beats_the_data_sheet(void **state)
{
    static const char *const sets[] = { "vtrain-single",   "vtrain-multi",
                                        "korthikanti",     "mlperf",
                                        "megatron-bridge", "llama3" };

    (void)state;
    for (gsize s = 0; s < G_N_ELEMENTS(sets); s++) {
        g_autoptr(GArray) rows = load(sets[s]);

        for (guint i = 0; i < rows->len; i++) {
            const StepRow *row = step_row_at(rows, i);
            double share = step_row_model_flop(row) / (row->step_ms / 1000) /
                           row->n_npus / step_row_peak_flop_per_s(row);

            if (!(share > .005 && share < .9))
                fail_msg("%s: row %u reaches %g of its peak", sets[s], i + 1,
                         share);
        }
    }
}

static void test_units_are_models_or_blackwell_gpus(void **state)
{
    g_autoptr(GArray) rows = load("mlperf");
    guint n_gpus = 0, n_models = 0;

    (void)state;
    for (guint i = 0; i < rows->len; i++) {
        const StepRow *row = step_row_at(rows, i);

        if (g_str_equal(step_row_model_family(row), "blackwell"))
            n_gpus += g_str_equal(step_row_fit_unit(row), row->npu);
        else
            n_models += g_str_equal(step_row_fit_unit(row), row->model);
    }
    assert_int_equal(n_gpus + n_models, rows->len);
    assert_true(n_gpus > 0 && n_models > 0);
}

/* Each row that is compared has constants fitted without its unit. */
static void test_constants_exist_without_each_unit(void **state)
{
    static const char *const sets[] = { "vtrain-single", "vtrain-multi",
                                        "mlperf", "megatron-bridge" };
    GError *error = NULL;
    g_autoptr(CsvTable) table = step_constants_load(&error);

    (void)state;
    assert_no_error(error);
    for (gsize s = 0; s < G_N_ELEMENTS(sets); s++) {
        g_autoptr(GArray) rows = load(sets[s]);

        for (guint i = 0; i < rows->len; i++) {
            const StepRow *row = step_row_at(rows, i);
            g_autofree char *without = NULL, *all = NULL;

            if (*row->left_out != '\0')
                continue;
            without =
                step_constants_yaml(table, row, step_row_fit_unit(row), &error);
            assert_no_error(error);
            all = step_constants_yaml(table, row, "", &error);
            assert_no_error(error);
            assert_string_not_equal(without, all);
        }
    }
    {
        g_autoptr(GArray) rows = load("mlperf");

        assert_null(step_constants_yaml(table, step_row_at(rows, 0), "a model",
                                        &error));
        assert_non_null(strstr(error->message, "without 'a model'"));
        g_error_free(error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_table_can_be_read),
        cmocka_unit_test(test_no_row_beats_the_data_sheet),
        cmocka_unit_test(test_units_are_models_or_blackwell_gpus),
        cmocka_unit_test(test_constants_exist_without_each_unit),
    };

    /* Tables are named from the root of the sources. */
    if (g_getenv("SRCDIR") && chdir(g_getenv("SRCDIR")) != 0)
        return 1;
    return cmocka_run_group_tests_name("step rows", tests, NULL, NULL);
}
