/* Tests of sim/sweep/reading/sweep_reader.h: the result does not depend on the
 * points that were read before */
#include <string.h>

#include "sim/config/config.h"
#include "sim/sweep/reading/sweep_reader.h"
#include "sim/sweep/resolved_values.h"
#include "sim/sweep/sweep_check.h"
#include "sim/sweep/sweep_id.h"
#include "tests/test.h"

static const gboolean runs_only[ROWS_N_FILES] = { [ROWS_RUNS] = TRUE };

#define BASE                                                                   \
    "base:\n"                                                                  \
    "  platform: configs/platforms/ace-4x2x2.yaml\n"                           \
    "  endpoint: configs/endpoints/ace.yaml\n"                                 \
    "  workload: configs/workloads/all-reduce-64MiB.yaml\n"                    \
    "  collectives: configs/collectives/isca21.yaml\n"

/* Numbers, choices, switches, names, files, lists, kinds and cases; some hide
 * others. */
static const char mixed[] =
    BASE "axes:\n"
         "  - endpoint.sram: [1 MiB, 4 MiB]\n"
         "  - endpoint: [configs/endpoints/ace.yaml, {kind: ace, fsms: 8}]\n"
         "  - cases:\n"
         "      size:\n"
         "        as it is: {}\n"
         "        hidden: {platform.npu.hbm.bandwidth: 800 GB/s}\n"
         "        other: {training.iterations: 3, collectives.window: 2}\n"
         "  - platform.npu.hbm.bandwidth: [700 GB/s, 900 GB/s, 900000 MB/s]\n"
         "  - collectives.scheduler: [lifo, fifo]\n"
         "  - collectives.preempt: [true, false]\n"
         "  - platform.topology.dims.1: [{size: 2, links: 2, bandwidth: "
         "25 GB/s, latency: 1 ns}, {size: 4, links: 1, bandwidth: 5 GB/s, "
         "latency: 2 ns}]\n"
         "  - platform.topology.dims.1.latency: [5 ns, 0.005 us]\n";

static SweepPlan *plan_of_sweep_text(const char *text)
{
    g_autoptr(GError) error = NULL;
    ConfigDoc *doc = config_doc_parse("s.yaml", text, strlen(text), &error);
    SweepPlan *plan;

    assert_no_error(error);
    plan = sweep_plan_new(doc, NULL, &error);
    assert_no_error(error);
    return plan;
}

/* Returns the id of @point as read by a fresh reader. */
static char *id_of_point_read_alone(const SweepPlan *plan, guint point,
                                    char **message)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc = sweep_plan_point_document(plan, point, &error);
    g_autofree char *cells = sweep_axis_cells(plan, point);
    SystemConfig config;

    if (doc && config_doc_read(doc, system_fields, &config, &error))
        return sweep_id(cells, runs_only, FOLD_AUTO, &config);
    *message = g_strdup(error->message);
    return NULL;
}

static void assert_point_equals_alone(SweepReader *reader,
                                      const SweepPlan *plan, guint point)
{
    g_autofree char *message = NULL;
    g_autofree char *due = id_of_point_read_alone(plan, point, &message);
    g_autoptr(GError) error = NULL;
    const SystemConfig *config = sweep_reader_read(reader, point, &error);
    g_autofree char *id =
        config ? sweep_reader_point_id(reader, runs_only, FOLD_AUTO) : NULL;

    if (message)
        assert_string_equal(error->message, message);
    else
        assert_string_equal(id, due);
}

static void assert_points_in_any_order(const SweepPlan *plan, guint n_times)
{
    g_autoptr(SweepReader) reader = sweep_reader_new(plan);
    guint n = sweep_plan_count_points(plan);
    guint point = 0;

    for (guint i = 0; i < n_times; i++) {
        assert_point_equals_alone(reader, plan, point);
        point = (guint)(((guint64)point * 7919 + 104729) % n);
    }
    for (guint i = 0; i < MIN(n, n_times); i++)
        assert_point_equals_alone(reader, plan, i);
}

static void test_a_point_does_not_depend_on_earlier_points(void **state)
{
    g_autoptr(SweepPlan) plan = plan_of_sweep_text(mixed);

    (void)state;
    assert_points_in_any_order(plan, 150);
}

/* Kernels of equal work share its values.  An axis changes those of one
 * kernel. */
static void test_a_changed_kernel_leaves_equal_kernels_as_they_are(void **state)
{
    static const char text[] =
        "base:\n"
        "  platform: configs/platforms/ace-4x2x2.yaml\n"
        "  endpoint: configs/endpoints/ace.yaml\n"
        "  workload:\n"
        "    kind: program\n"
        "    name: p\n"
        "    roles:\n"
        "      - name: all\n"
        "        ops:\n"
        "          - {kind: kernel, name: a, flop: 1000, products: {m: 2, n: 3, "
        "k: 4}}\n"
        "          - {kind: kernel, name: b, flop: 1000, products: {m: 2, n: 3, "
        "k: 4}}\n"
        "axes:\n"
        "  - workload.roles.0.ops.0.flop: [1000, 2000, 3000]\n"
        "  - workload.roles.0.ops.1.products.m: [2, 5]\n";
    g_autoptr(SweepPlan) plan = plan_of_sweep_text(text);

    (void)state;
    assert_points_in_any_order(plan, 20);
}

static void
test_points_of_the_included_sweeps_do_not_depend_on_earlier_points(void **state)
{
    static const char *const names[] = { "papers/ace/isca21",
                                         "papers/ace/sram-fsm",
                                         "papers/ace/fair", "sweeps/exchange",
                                         "sweeps/offload" };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *path = g_strdup_printf("configs/%s.yaml", names[i]);
        g_autoptr(SweepPlan) plan = sweep_plan_load(path, NULL, &error);

        assert_no_error(error);
        assert_points_in_any_order(plan, 20);
    }
}

static void test_errors_do_not_depend_on_the_points_read_before(void **state)
{
    g_autoptr(SweepPlan) plan =
        plan_of_sweep_text(BASE "axes:\n"
                                "  - endpoint.sram: [1 MiB, none, 4 MiB]\n"
                                "  - endpoint.fsms: [0, 4, -1, 16]\n"
                                "  - training.iterations: [1, '2', many]\n");

    (void)state;
    assert_points_in_any_order(plan, 36);
}

/* Reading in place is the purpose of the reader, so it must not read these as a
 * whole. */
static void test_changed_numbers_are_set_in_place(void **state)
{
    g_autoptr(SweepPlan) plan = plan_of_sweep_text(
        BASE "axes:\n"
             "  - endpoint.sram: [1 MiB, 4 MiB]\n"
             "  - platform.npu.hbm.bandwidth: [1 TB/s, 2 TB/s]\n"
             "  - zip:\n"
             "      platform.topology.dims.1.bandwidth: [5 GB/s, "
             "6 GB/s]\n"
             "      collectives.preempt: [true, false]\n");
    g_autoptr(SweepReader) reader = sweep_reader_new(plan);
    const SystemConfig *first = sweep_reader_read(reader, 0, NULL);
    const GArray *changes;

    (void)state;
    assert_non_null(first);
    assert_null(sweep_reader_changes(reader));
    assert_ptr_equal(sweep_reader_read(reader, 1, NULL), first);
    changes = sweep_reader_changes(reader);
    assert_int_equal(changes->len, 2);
    assert_string_equal(g_array_index(changes, SweepChange, 1).path,
                        "collectives.preempt");
    assert_false(first->collectives.preempt);
    for (guint i = 2; i < 8; i++) {
        assert_non_null(sweep_reader_read(reader, i, NULL));
        assert_non_null(sweep_reader_changes(reader));
    }
    assert_int_equal(first->platform.npu.hbm.bandwidth_bytes_per_s,
                     2000 * UINT64_C(1000000000));
}

static void test_values_are_counted_as_if_all_were_read_as_a_whole(void **state)
{
    g_autoptr(SweepPlan) plan = plan_of_sweep_text(mixed);
    g_autoptr(SweepReader) reader = sweep_reader_new(plan);
    g_autoptr(ResolvedValues) by_changes = resolved_values_new();
    g_autoptr(ResolvedValues) by_all = resolved_values_new();
    g_autoptr(GString) some = NULL, all = NULL;

    (void)state;
    for (guint i = 0; i < 150; i++) {
        const SystemConfig *config = sweep_reader_read(reader, i, NULL);
        g_autoptr(ConfigDoc) doc = sweep_plan_point_document(plan, i, NULL);
        SystemConfig alone;

        if (sweep_reader_changes(reader))
            resolved_values_record_changes(by_changes,
                                           sweep_reader_changes(reader));
        else
            resolved_values_record_point(by_changes,
                                         sweep_reader_document(reader), config);
        assert_true(config_doc_read(doc, system_fields, &alone, NULL));
        resolved_values_record_point(by_all, doc, &alone);
    }
    some = resolved_values_to_csv(by_changes);
    all = resolved_values_to_csv(by_all);
    assert_string_equal(some->str, all->str);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_point_does_not_depend_on_earlier_points),
        cmocka_unit_test(
            test_a_changed_kernel_leaves_equal_kernels_as_they_are),
        cmocka_unit_test(
            test_points_of_the_included_sweeps_do_not_depend_on_earlier_points),
        cmocka_unit_test(test_errors_do_not_depend_on_the_points_read_before),
        cmocka_unit_test(test_changed_numbers_are_set_in_place),
        cmocka_unit_test(
            test_values_are_counted_as_if_all_were_read_as_a_whole),
    };

    return cmocka_run_group_tests_name("sweep_reader", tests, NULL, NULL);
}
