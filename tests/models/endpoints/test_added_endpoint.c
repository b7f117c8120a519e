/*
 * test_added_endpoint.c - Tests of the resources that only one kind of endpoint
 * has.
 *
 * The rest of the program does not know these resources. The summary,
 * --explain, what-ifs, CSV, JSON, the timeline, the list and the schema find
 * each one by its name. They do not mention resources that the endpoint lacks.
 *
 * This test has its own endpoint_registry in place of
 * models/endpoints/endpoint_kinds.c. It contains none of the program's kinds.
 */
#include "tests/system_fixture.h"

#include "models/observe/verify_collectives.h"
#include "sim/study/explain/explain.h"
#include "sim/study/explain/resource_what_ifs.h"
#include "sim/study/load_run_file.h"
#include "sim/study/rows/run_rows.h"
#include "sim/view/config_json_schema.h"
#include "sim/view/json_rows.h"
#include "sim/view/list_topic_text.h"
#include "sim/view/list_topics.h"
#include "sim/view/text/explain/explain_text.h"
#include "sim/view/text/run_summary_text.h"
#include "sim/view/timeline/timeline.h"
#include "tests/models/endpoints/host_threads.h"

static const ConfigKind *const kinds[] = { &host_threads.base, NULL };

const ConfigRegistry endpoint_registry = { .noun = "endpoint", .kinds = kinds };

/* ---- summary, CSV, JSON and timeline with added resources ---------------- */

/* The payload of 1 MiB is cut into chunks of 64 KiB, so that the threads are
 * always busy. */
static const Setup threads_are_the_limit = { .endpoint =
                                                 "{kind: host-threads}" };
/* One chunk is in flight at a time, with one thread for each of its
 * messages. */
static const Setup pinned_memory_is_the_limit = {
    .endpoint = "{kind: host-threads, threads: 1024, pinned: 64 KiB, "
                "message_time: 1 ps}",
    .collectives = "{chunk: 64 KiB, window: 64}"
};

static void assert_text_has_words(const char *text, const char *words)
{
    static const char *const others[] = { "SRAM", "sram", "FSM", "fsm",
                                          "ALU",  "alus", NULL };

    if (!strstr(text, words))
        fail_msg("nothing of '%s' in:\n%s", words, text);
    for (guint i = 0; others[i]; i++)
        if (strstr(text, others[i]))
            fail_msg("'%s' in:\n%s", others[i], text);
}

static char *temporary_file_path(const char *name)
{
    return g_build_filename(g_getenv("TMPDIR") ?: g_get_tmp_dir(), name, NULL);
}

static void the_summary_shows_resources_of_an_added_endpoint(void **state)
{
    g_autofree char *text = NULL;
    SystemResult r;
    Run run;

    (void)state;
    r = run_to_result(&run, &threads_are_the_limit, FOLD_AUTO);
    text = summary_of_run_text(&run.config, run.system, 1);
    assert_text_has_words(text, "\nhost threads");
    assert_text_has_words(text, "\npinned memory, mean");
    assert_text_has_words(text, "1 MiB; peak ");
    assert_true(r.uses[RESOURCE_OWN + HOST_THREADS].busy_ps >
                r.total_ps / 10 * 9);
    run_clear(&run);
}

static void an_added_endpoint_moves_data_correctly(void **state)
{
    const Setup *const setups[] = { &threads_are_the_limit,
                                    &pinned_memory_is_the_limit };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(setups); i++) {
        GError *error = NULL;
        Verify *verify;
        Run run;

        read_run_setup(&run, setups[i]);
        run.system =
            system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
        assert_no_error(error);
        verify = verify_listen_to_system(run.system, &error);
        assert_non_null(verify);
        assert_true(system_run(run.system, &error) || error);
        assert_no_error(error);
        assert_true(verify_n_finished_chunks(verify) > 0);
        collective_verifier_free(verify);
        run_clear(&run);
    }
}

static Explanation *explain_run_to_file(Run *run, const char *path,
                                        const Setup *setup)
{
    GError *error = NULL;
    Explanation *explanation;

    assert_true(g_file_set_contents(path, setup_text(setup), -1, &error));
    run_to_result(run, setup, FOLD_AUTO);
    explanation = explain_new(path, NULL, (RunOptions){ 0 }, &run->config,
                              run->system, run_many_in_process, &error);
    assert_no_error(error);
    return explanation;
}

static void an_explanation_names_resources_of_an_added_endpoint(void **state)
{
    const struct {
        const Setup *setup;
        const char *what, *id, *set;
    } cases[] = {
        { &threads_are_the_limit, "for the host threads",
          ",exposed,host_threads,", ",endpoint.threads=2," },
        { &pinned_memory_is_the_limit, "for the pinned memory",
          ",exposed,pinned,", ",endpoint.pinned=128 KiB," },
    };
    g_autofree char *path = temporary_file_path("resources.yaml");

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) rows = g_string_new(NULL);
        g_autoptr(GString) sets = g_string_new(NULL);
        g_autofree char *text = NULL;
        Explanation *explanation;
        Run run;

        explanation = explain_run_to_file(&run, path, cases[i].setup);
        explain_append_rows_csv(rows, explanation);
        explain_append_what_ifs_csv(sets, explanation);
        text = explain_text(explanation);
        assert_text_has_words(text, cases[i].what);
        assert_true(g_str_has_prefix(text, "100.0 % of the iteration"));
        assert_text_has_words(rows->str, cases[i].id);
        assert_text_has_words(sets->str, cases[i].set);
        assert_text_has_words(sets->str, ",endpoint.threads=");
        assert_text_has_words(sets->str, " endpoint.pinned=");
        explain_free(explanation);
        run_clear(&run);
    }
}

static void csv_rows_have_columns_of_added_resources(void **state)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(CsvTable) table = NULL;
    GError *error = NULL;
    guint busy, peak;
    SystemResult r;
    Run run;

    (void)state;
    r = run_to_result(&run, &threads_are_the_limit, FOLD_AUTO);
    rows_append(out, ROWS_RUNS, NULL, &run.config, run.system, NULL);
    assert_text_has_words(out->str, ",hbm_comm_busy_us,host_threads_busy_us,"
                                    "pinned_peak_bytes,endpoint_sms,");
    table = csv_table_parse("rows", out->str, out->len, &error);
    assert_no_error(error);
    assert_true(
        csv_table_column(table, "host_threads_busy_us", &busy, &error) &&
        csv_table_column(table, "pinned_peak_bytes", &peak, &error));
    assert_int_equal(
        (uint64_t)(g_ascii_strtod(csv_table_text(table, 0, busy), NULL) * 1e6 +
                   0.5),
        r.uses[RESOURCE_OWN + HOST_THREADS].busy_ps);
    assert_int_equal(g_ascii_strtoull(csv_table_text(table, 0, peak), NULL, 10),
                     r.uses[RESOURCE_OWN + HOST_PINNED].peak);
    assert_true(rows_has_column("host_threads_busy_us"));
    assert_int_equal(rows_unit_of_column("pinned_peak_bytes")->type,
                     CONFIG_BYTES);
    run_clear(&run);
}

static void json_has_added_resources_in_base_units(void **state)
{
    GString *json;
    Run run;

    (void)state;
    run_to_result(&run, &threads_are_the_limit, FOLD_AUTO);
    json = json_run_text("run.yaml", &run.config, run.system, NULL);
    assert_text_has_words(json->str, "\"host_threads_busy_us\"");
    assert_text_has_words(json->str, "\"pinned_peak_bytes\"");
    g_string_free(json, TRUE);
    run_clear(&run);
}

static void the_timeline_counts_added_resources(void **state)
{
    g_autofree char *path = temporary_file_path("resources.json");
    g_autofree char *text = NULL;
    g_autoptr(GArray) npus = timeline_parse_npus("0");
    g_autoptr(Timeline) timeline = NULL;
    GError *error = NULL;
    Run run;

    (void)state;
    read_run_setup(&run, &threads_are_the_limit);
    run.system = system_new(&run.config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    timeline = timeline_open(path, npus, 1000, run.system, &error);
    assert_no_error(error);
    assert_true(system_run(run.system, &error) || error);
    assert_true(timeline_finish(timeline, &error) || error);
    assert_no_error(error);
    assert_true(g_file_get_contents(path, &text, NULL, &error));
    assert_text_has_words(text, "\"host threads\"");
    assert_text_has_words(text, "{\"busy\":1.00}");
    assert_text_has_words(text, "\"pinned memory KiB\"");
    run_clear(&run);
}

static void list_and_schema_show_an_added_endpoint(void **state)
{
    g_autofree char *list = list_topic_text("host-threads", 80);
    g_autofree char *all = list_topic_text("endpoints", 80);
    GString *schema = make_json_schema(topic_find_file("endpoint"));

    (void)state;
    assert_text_has_words(list, "\n  pinned ");
    assert_text_has_words(
        list, "\n  host_threads   endpoint.threads  messages, before");
    assert_text_has_words(all, "host-threads");
    assert_text_has_words(schema->str, "host-threads");
    g_string_free(schema, TRUE);
}

/* ---- lists and schemas with added resources ------------------------------ */

static void common_resources_precede_added_ones_in_the_list(void **state)
{
    uint32_t order[RESOURCE_MAX];
    gboolean seen[RESOURCE_MAX] = { FALSE };
    guint n = resource_count(host_resources), number, k;

    (void)state;
    assert_int_equal(resource_count(NULL), RESOURCE_OWN);
    assert_int_equal(n, RESOURCE_OWN + HOST_N_OWN);
    for (guint i = 0; i < n; i++) {
        const ResourceKind *kind = resource_kind(host_resources, i);

        assert_true(resource_find_by_name(host_resources, kind->name, &number));
        assert_int_equal(number, i);
    }
    assert_false(resource_find_by_name(NULL, "pinned", &number));
    assert_int_equal(sort_order_of_resource(host_resources, order), n);
    for (guint i = 0; i < n; i++) {
        assert_false(seen[order[i]]);
        seen[order[i]] = TRUE;
        k = MAX(i, 1) - 1;
        assert_true(resource_kind(host_resources, order[k])->form <=
                    resource_kind(host_resources, order[i])->form);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_summary_shows_resources_of_an_added_endpoint),
        cmocka_unit_test(an_added_endpoint_moves_data_correctly),
        cmocka_unit_test(an_explanation_names_resources_of_an_added_endpoint),
        cmocka_unit_test(csv_rows_have_columns_of_added_resources),
        cmocka_unit_test(json_has_added_resources_in_base_units),
        cmocka_unit_test(the_timeline_counts_added_resources),
        cmocka_unit_test(list_and_schema_show_an_added_endpoint),
        cmocka_unit_test(common_resources_precede_added_ones_in_the_list),
    };

    return cmocka_run_group_tests_name("resources", tests, NULL, NULL);
}
