/*
 * test_on_demand.c - Tests that messages of direct collectives, which are
 * created when they can be sent, give the same result as messages that are
 * created all together.
 *
 * A trace listener makes a system create all messages together. Rows, ports and
 * even the number of events must be the same. Systems are random;
 * ACESIM_DRAWS=n tests n times as
 * many. */
#include "tests/models/run/fold/unfold_case.h"
#include "tests/system_fixture.h"

#include "models/run/steady/skip_mode.h"
#include "models/trace/trace.h"
#include "sim/study/rows/run_rows.h"

#define N_SEEDS 6 /* The number of seeds for each topology. */

/* A listener that receives nothing, and accepts reports ahead of time. */
static const TraceOps silent_listener = { .ahead = TRUE };

/* ---- random systems with direct collectives ------------------------------ */

static const char *const endpoints[] = {
    "{kind: ideal}",
    "{kind: ideal, message_cycles: 300, step_time: 200 ns}",
    "{kind: ideal, message_cycles: 1}",
    "{kind: ace, sram: 256 KiB}",
    "{kind: ace, sram: 44 KiB, fsms: 6, chunks_per_fsm: 1, step_time: 64 ns}",
    "{kind: baseline, sms: 6, memory_bandwidth: 45 GB/s}",
    ("{kind: host, staging_bandwidth: 20 GB/s, staging_launch: 300 ns, "
     "buffer_bandwidth: 40 GB/s, reduce_bandwidth: 15 GB/s}"),
};

static const char *const scheduling[] = {
    "scheduler: lifo",
    "scheduler: fifo, window: 2",
    "scheduler: priority, message: 64 B",
    "scheduler: lifo, preempt: false, window: 3, message: 100 B",
    "scheduler: fifo, message: 512 B",
};

static const char *draw_uneven_weights(GRand *rand, uint32_t n)
{
    g_autoptr(GString) text = g_string_new("1");

    for (uint32_t i = 1; i < n; i++)
        g_string_append_printf(
            text, ", %u",
            g_rand_boolean(rand) ? 0 : unfold_draw_between(rand, 1, 9));
    return keep_text_until_exit(text->str);
}

/* Returns a workload that direct collectives support. */
static const char *draw_on_demand_workload(const UnfoldPlace *p, GRand *rand)
{
    static const char *const kinds[] = { "all-to-all", "all-to-all",
                                         "reduce-scatter", "all-gather",
                                         "all-reduce" };
    uint32_t bytes = unfold_draw_between(rand, 1, 40) * 1000;

    switch (unfold_draw_between(rand, 0, 4)) {
    case 0:
        return format_text(
            "{kind: collective, name: c, collective: all-to-allv, "
            "payload: %u B, repeat: %u, weights: [%s]}",
            bytes, unfold_draw_between(rand, 1, 2),
            draw_uneven_weights(rand, p->n_npus));
    case 1:
        return format_text(
            "{kind: dlrm, name: r, batch: 24, "
            "embedding: {tables: 6, dimension: 32, lookups: 4}, "
            "bottom: [{name: b1, in: 16, out: 32}], "
            "top: [{name: t1, in: 224, out: 8}, {name: t2, in: 8, out: 1}]}");
    default:
        return format_text("{kind: collective, name: c, collective: %s, "
                           "payload: %u B, repeat: %u}",
                           UNFOLD_PICK(rand, kinds), bytes,
                           unfold_draw_between(rand, 1, 3));
    }
}

static void draw_on_demand_case(UnfoldCase *c, const char *kind, uint64_t seed)
{
    GRand *rand =
        g_rand_new_with_seed(random_seed((guint32)(seed * 2654435761U + 5)));

    unfold_case_init(c, kind, UNFOLD_LOOP, seed);
    c->setup.endpoint = UNFOLD_PICK(rand, endpoints);
    c->setup.workload = draw_on_demand_workload(&c->place, rand);
    c->setup.collectives = format_text(
        "{algorithm: direct, chunk: %u B, packet: %d B, %s}",
        g_rand_boolean(rand) ? 4096 : unfold_draw_between(rand, 500, 9000),
        64 << g_rand_int_range(rand, 0, 4), UNFOLD_PICK(rand, scheduling));
    g_rand_free(rand);
}

/* ---- comparison with messages that are created together ------------------ */

/* Returns all rows of @setup, and the number of events if no iteration may be
 * skipped. Returns NULL if the setup is refused. */
static GString *csv_rows_of_run(const Setup *setup, FoldMode fold,
                                SkipMode skip, gboolean listens)
{
    GError *error = NULL;
    GString *rows = NULL;
    Run run;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config,
                            (RunOptions){ .fold = fold, .skip = skip }, &error);
    if (run.system) {
        if (listens)
            system_add_listener(run.system, &silent_listener, NULL);
        if (!system_run(run.system, &error))
            fail_msg("%s%s", setup_text(setup), error->message);
        rows = g_string_new(NULL);
        for (RowsFile file = 0; file < ROWS_N_FILES; file++)
            if (file != ROWS_UTILISATION)
                rows_append(rows, file, NULL, &run.config, run.system, NULL);
        g_string_append_printf(
            rows, "%" G_GUINT64_FORMAT " events\n",
            skip == SKIP_OFF ? system_result(run.system).n_events : 0);
    } else if (!g_error_matches(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT)) {
        fail_msg("%s%s", setup_text(setup), error->message);
    }
    g_clear_error(&error);
    run_clear(&run);
    return rows;
}

/* Returns FALSE if the setup is refused. */
static gboolean compare_with_messages_created_together(const Setup *setup,
                                                       FoldMode fold,
                                                       SkipMode skip)
{
    g_autoptr(GString) on_demand = csv_rows_of_run(setup, fold, skip, FALSE);
    g_autoptr(GString) all_together = NULL;

    if (!on_demand)
        return FALSE;
    all_together = csv_rows_of_run(setup, fold, skip, TRUE);
    if (g_str_equal(on_demand->str, all_together->str))
        return TRUE;
    g_printerr("%s\nas they go: %s\nat once: %s\n", setup_text(setup),
               on_demand->str, all_together->str);
    fail_msg("rows differ");
    return FALSE;
}

static void test_on_demand_messages_equal_preallocated_messages(void **state)
{
    (void)state;
    for (guint i = 0; topology_registry.kinds[i]; i++) {
        const char *kind = topology_registry.kinds[i]->name;
        guint n = 0;

        for (uint64_t seed = 1; seed <= n_random_draws(N_SEEDS); seed++) {
            UnfoldCase c;

            draw_on_demand_case(&c, kind, seed);
            n += compare_with_messages_created_together(
                     &c.setup, seed % 3 == 0 ? FOLD_AUTO : FOLD_OFF,
                     seed % 2 == 0 ? SKIP_AUTO : SKIP_OFF)
                     ? 1
                     : 0;
        }
        print_message("# %s: %u systems\n", kind, n);
        assert_true(n >= n_random_draws(N_SEEDS) / 2);
    }
}

/* If there are too many links, all messages are created together after all. */
static void test_on_demand_messages_are_right_on_pairwise_links(void **state)
{
    Setup setup = { .endpoint = "{kind: ideal}",
                    .workload = "{kind: collective, name: c, collective: "
                                "all-to-all, payload: 60 kB}",
                    .collectives = "{algorithm: direct, chunk: 60 kB}" };

    (void)state;
    for (uint32_t n = 254; n <= 258; n++) {
        setup.topology =
            format_text("{kind: fully-connected, npus: %u, links: 1, "
                        "bandwidth: 10 GB/s, latency: 50 ns}",
                        n);
        assert_true(compare_with_messages_created_together(&setup, FOLD_REQUIRE,
                                                           SKIP_OFF));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_demand_messages_equal_preallocated_messages),
        cmocka_unit_test(test_on_demand_messages_are_right_on_pairwise_links),
    };

    return cmocka_run_group_tests_name("follow", tests, NULL, NULL);
}
