/* test_rehearsals.c - Tests that the choice of cuts and orders avoids
 * unnecessary rehearsals. */
#include "tests/test.h"

#include <string.h>

#include "models/run/run_state_impl.h"

static GArray *rehearsed; /* The array contains each Rehearsal that was run. */

/* Records a rehearsal. All cuts take the same time. */
static SimTime record_simulated_cut(const System *system,
                                    const Rehearsal *rehearsal)
{
    (void)system;
    g_array_append_val(rehearsed, *rehearsal);
    return 1000000;
}

static uint32_t one_npu(const System *system, const Rehearsal *rehearsal)
{
    (void)system;
    (void)rehearsal;
    return 1;
}

static const RehearsalOps recording = { .n_sim = one_npu,
                                        .time_ps = record_simulated_cut };

static gboolean rehearsals_are_equal(const Rehearsal *a, const Rehearsal *b)
{
    return a->op == b->op && a->payload_bytes == b->payload_bytes &&
           a->order == b->order && a->cut.chunk_bytes == b->cut.chunk_bytes &&
           a->cut.message_bytes == b->cut.message_bytes &&
           a->cut.window == b->cut.window;
}

/* Returns the number of rehearsals by which the cuts of a run are chosen, no
 * two of which are the same. */
static guint count_simulated_cuts(const char *topology, const char *collectives)
{
    g_autofree char *text = g_strdup_printf(
        "platform: {topology: %s, npu: "
        "configs/npus/ace-v100-like.yaml}\nendpoint: {kind: ideal}\n"
        "workload: {name: c, kind: collective, collective: all-reduce, "
        "payload: 1 MiB}\n"
        "training: {iterations: 1, compute: measured}\ncollectives: %s\n",
        topology, collectives);
    GError *error = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("run.yaml", text, strlen(text), &error);
    g_autoptr(System) system = NULL;
    SystemConfig config;
    guint n;

    assert_no_error(error);
    (void)!config_doc_read(doc, system_fields, &config, &error);
    assert_no_error(error);
    system = system_new_plan(&config, &error);
    assert_no_error(error);
    g_clear_pointer(&system->plan.cuts, g_free);
    g_clear_pointer(&system->plan.n_chunks_before, g_free);
    g_clear_pointer(&system->plan.communicator_windows, g_free);
    rehearsed = g_array_new(FALSE, FALSE, sizeof(Rehearsal));
    assert_true(system_choose_chunkings(system, &recording, &error));
    for (guint i = 0; i < rehearsed->len; i++)
        for (guint k = 0; k < i; k++)
            assert_false(
                rehearsals_are_equal(&g_array_index(rehearsed, Rehearsal, i),
                                     &g_array_index(rehearsed, Rehearsal, k)));
    n = rehearsed->len;
    g_clear_pointer(&rehearsed, g_array_unref);
    return n;
}

/* There are 13 sizes of chunks with up to seven sizes of messages. Sizes up to
 * 16 chunks are rehearsed, and the search ends after three sizes without
 * gain. */
static void test_the_rehearsal_search_ends_without_gain(void **state)
{
    guint n =
        count_simulated_cuts("{kind: switch, npus: 4, bandwidth: 25 GB/s, "
                             "latency: 500 ns}",
                             "{}");

    (void)state;
    assert_in_range(n, 4, 16);
}

static void test_no_cut_is_rehearsed_twice(void **state)
{
    const char *torus = "{kind: torus, dims: [{size: 4, links: 2, bandwidth: "
                        "50 GB/s, latency: 500 ns}, {size: 4, links: 2, "
                        "bandwidth: 25 GB/s, latency: 500 ns}]}";
    guint n_fixed = count_simulated_cuts(torus, "{order: fixed}");
    guint n_auto = count_simulated_cuts(torus, "{order: auto}");

    (void)state;
    assert_true(n_fixed > 0 && n_auto > 0 && n_auto <= 4 * n_fixed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_rehearsal_search_ends_without_gain),
        cmocka_unit_test(test_no_cut_is_rehearsed_twice),
    };

    return cmocka_run_group_tests_name("rehearsals", tests, NULL, NULL);
}
