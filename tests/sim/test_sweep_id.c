/* Tests of sim/sweep/sweep_id.h: which changes give a point another id */
#include <stdlib.h>
#include <string.h>

#include "sim/study/load_run_file.h"
#include "sim/sweep/sweep_id.h"
#include "tests/test.h"

#define RUN "configs/runs/isca21.yaml"

static const gboolean runs_only[ROWS_N_FILES] = { [ROWS_RUNS] = TRUE };

static char *point_id_of_file(const char *path, char *const *sets)
{
    g_autoptr(GError) error = NULL;
    SystemConfig config;
    g_autoptr(ConfigDoc) doc = load_run(path, sets, &config, &error);

    assert_no_error(error);
    assert_non_null(doc);
    return sweep_id("a,", runs_only, FOLD_AUTO, &config);
}

static char *point_id_with_override(const char *set)
{
    char *copy = g_strdup(set);
    char *const sets[] = { copy, NULL };
    char *id = point_id_of_file(RUN, sets);

    g_free(copy);
    return id;
}

static void test_every_changed_value_makes_another_point_id(void **state)
{
    static const char *const sets[] = {
        "platform.topology.dims.0.size=8",
        "platform.topology.dims.1.bandwidth=26 GB/s",
        "platform.topology.dims.2.latency=501 ns",
        "platform.npu.sms=79",
        "platform.npu.clock=1246 MHz",
        "platform.npu.hbm.bandwidth=901 GB/s",
        "platform.npu.hbm.policy=shared",
        "collectives.chunk=65 KiB",
        "collectives.preempt=false",
        "collectives.scheduler=fifo",
        "endpoint=configs/endpoints/comm-opt.yaml",
        "endpoint.sram=5 MiB",
        "workload=configs/workloads/gnmt.yaml",
        "workload.name=other",
        "workload.layers.0.name=other",
        "training.iterations=3",
    };
    g_autoptr(GHashTable) known =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    (void)state;
    assert_true(g_hash_table_add(known, point_id_of_file(RUN, NULL)));
    for (guint i = 0; i < G_N_ELEMENTS(sets); i++)
        if (!g_hash_table_add(known, point_id_with_override(sets[i])))
            fail_msg("%s makes no difference", sets[i]);
}

static void test_other_outputs_make_another_point_id(void **state)
{
    static const gboolean layers_too[ROWS_N_FILES] = {
        [ROWS_RUNS] = TRUE, [ROWS_LAYERS] = TRUE
    };
    g_autoptr(GError) error = NULL;
    SystemConfig config;
    g_autoptr(ConfigDoc) doc = load_run(RUN, NULL, &config, &error);
    g_autofree char *one = NULL, *axes = NULL, *wanted = NULL, *fold = NULL;

    (void)state;
    assert_no_error(error);
    assert_non_null(doc);
    one = sweep_id("a,", runs_only, FOLD_AUTO, &config);
    axes = sweep_id("b,", runs_only, FOLD_AUTO, &config);
    wanted = sweep_id("a,", layers_too, FOLD_AUTO, &config);
    fold = sweep_id("a,", runs_only, FOLD_OFF, &config);
    assert_int_equal(strlen(one), 64);
    assert_string_not_equal(one, axes);
    assert_string_not_equal(one, wanted);
    assert_string_not_equal(one, fold);
}

static char *point_id_of_text(const char *text)
{
    g_autoptr(GError) error = NULL;
    SystemConfig config;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", text, strlen(text), &error);

    assert_no_error(error);
    assert_true(config_doc_read(doc, system_fields, &config, &error));
    return sweep_id("", runs_only, FOLD_AUTO, &config);
}

static void
test_the_notation_of_a_value_does_not_change_the_point_id(void **state)
{
    static const char *const texts[] = {
        "platform:\n"
        "  topology: {kind: switch, npus: 4, bandwidth: 25 GB/s, "
        "latency: 500 ns}\n"
        "  npu: configs/npus/ace-v100-like.yaml\n"
        "endpoint: {kind: ideal}\n"
        "workload: {kind: collective, name: c, collective: all-reduce, "
        "payload: 1 MiB}\n",
        "# in another order, in other units, with a default said aloud\n"
        "workload: {payload: 1048576 B, collective: all-reduce, "
        "kind: collective, name: 'c'}\n"
        "endpoint:\n  kind: ideal\n"
        "platform:\n"
        "  npu: ./configs/npus/../npus/ace-v100-like.yaml\n"
        "  topology: {kind: switch, latency: 0.5 us, npus: 4, "
        "bandwidth: 25000 MB/s}\n"
        "collectives: {}\n",
    };
    g_autofree char *one = point_id_of_text(texts[0]);
    g_autofree char *two = point_id_of_text(texts[1]);

    (void)state;
    assert_string_equal(one, two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_changed_value_makes_another_point_id),
        cmocka_unit_test(test_other_outputs_make_another_point_id),
        cmocka_unit_test(
            test_the_notation_of_a_value_does_not_change_the_point_id),
    };

    return cmocka_run_group_tests_name("sweep_id", tests, NULL, NULL);
}
