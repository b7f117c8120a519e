/*
 * Tests of sim/sweep/shared_runs/run_cache.h: the rows of a shared run are
 * those of the point
 *
 * Random systems are drawn, and for each of them neighbours that differ in what
 * configs_with_same_results.h judges.  Every one is simulated.  The rows of a
 * run that covers a point must equal the point's own rows in every file, byte
 * for byte.
 */
#include "tests/models/run/fold/unfold_case.h"
#include "tests/sim/shared_runs/run_cache_fixture.h"

/* The number of seeds per topology, times ACESIM_DRAWS. */
#define N_SEEDS      12
#define N_NEIGHBOURS 10

static const gboolean runs_only[ROWS_N_FILES] = { [ROWS_RUNS] = TRUE };

/* ---- random systems and their neighbours --------------------------------- */

/* Returns one of @n numbers. */
static guint pick_random_number(GRand *rand, const guint *from, gsize n)
{
    return from[unfold_draw_between(rand, 0, (uint32_t)n - 1)];
}
#define ANY(rand, ...)                                                         \
    pick_random_number(rand, (const guint[]){ __VA_ARGS__ },                   \
                       G_N_ELEMENTS(((const guint[]){ __VA_ARGS__ })))

/* The values that neighbours have in common, and those that differ. */
typedef struct {
    const char *sram_split, *fsm_split;
    guint chunks_per_fsm, gbytes_per_s, n_alus;
    guint other; /* The index of an endpoint kind, or ACE. */
    /* The SRAM size and the number of FSMs are approximate. */
    guint sram_bytes, n_fsms;
} NeighbourChoice;

static NeighbourChoice draw_neighbour_choice(GRand *rand)
{
    static const char *const splits[] = { "equal", "bandwidth",
                                          "bandwidth-x-chunk", "latency" };
    static const char *const fsm_splits[] = { "equal", "latency" };

    return (NeighbourChoice){
        .sram_split = UNFOLD_PICK(rand, splits),
        .fsm_split = UNFOLD_PICK(rand, fsm_splits),
        .chunks_per_fsm = ANY(rand, 1, 2),
        .gbytes_per_s = ANY(rand, 150, 300, 900),
        .n_alus = ANY(rand, 1, 4, 64),
        .other = ANY(rand, 0, 1, 2, 3, 4, 4, 4, 4),
        .sram_bytes = ANY(rand, 6, 8, 12, 16, 24, 40) * 1024,
        .n_fsms = ANY(rand, 3, 4, 6, 9),
    };
}

static gboolean draw_rarely_true(GRand *rand)
{
    return unfold_draw_between(rand, 0, 4) == 0;
}

static const char *draw_ace_text(const NeighbourChoice *near, GRand *rand)
{
    NeighbourChoice other = draw_neighbour_choice(rand);

    return format_text(
        "{kind: ace, launch_time: 0 ns, memory_bandwidth: 100 GB/s, "
        "sram: %u B, sram_split: %s, fsms: %u, fsm_split: %s, "
        "chunks_per_fsm: %u, alus: %u}",
        near->sram_bytes + unfold_draw_between(rand, 0, 12) * 384,
        draw_rarely_true(rand) ? other.sram_split : near->sram_split,
        near->n_fsms + ANY(rand, 0, 1, 3),
        draw_rarely_true(rand) ? other.fsm_split : near->fsm_split,
        near->chunks_per_fsm * ANY(rand, 1, 1, 2),
        near->n_alus + ANY(rand, 0, 0, 1));
}

static const char *draw_endpoint_text(const NeighbourChoice *near, GRand *rand)
{
    static const char *const others[] = {
        "{kind: ideal}",
        "{kind: host, reduce_bandwidth: 5 GB/s}",
        "{kind: copy-engine, sms: 4, memory_bandwidth: 100 GB/s}",
        "{kind: baseline, sms: 4, memory_bandwidth: 100 GB/s}",
    };

    return near->other == G_N_ELEMENTS(others) ? draw_ace_text(near, rand)
                                               : others[near->other];
}

static const char *draw_npu_text(const NeighbourChoice *near, GRand *rand)
{
    NeighbourChoice other = draw_neighbour_choice(rand);

    return format_text(
        "{sms: %u, clock: 1 GHz, flops: %u TFLOPS, side_sms: 1, "
        "fabric_bus: %u GB/s, "
        "hbm: {bandwidth: %u GB/s, efficiency: %u %%}}",
        draw_rarely_true(rand) ? 81 : 80, draw_rarely_true(rand) ? 120 : 100,
        draw_rarely_true(rand) ? 400 : 500,
        draw_rarely_true(rand) ? other.gbytes_per_s : near->gbytes_per_s,
        draw_rarely_true(rand) ? 90 : 100);
}

static const char *draw_collectives_text(GRand *rand)
{
    static const char *const texts[] = {
        "{chunk: 512 B, message: 128 B, window: %u, buffer: %u B}",
        "{chunk: 1 KiB, message: 1 KiB, window: %u, buffer: %u B}",
        "{chunk: 1 KiB, message: 512 B, window: %u, scheduler: fifo, "
        "buffer: %u B}",
        "{chunk: auto, message: auto, window: %u, buffer: %u B}",
        "{chunk: auto, message: auto, window: auto, buffer: %u%u B}",
    };

    return UNFOLD_PICK(rand, texts);
}

/* In "window: auto" the first number is the size of the buffer. */
static const char *substitute_numbers(const char *text, guint window,
                                      guint bytes)
{
    g_auto(GStrv) parts = g_strsplit(text, "%u", 3);

    return format_text("%s%u%s%u%s", parts[0], window, parts[1], bytes,
                       parts[2]);
}

/* Simulates a system and its neighbours. */
static void run_all_with_cache(const char *kind, uint64_t seed, Count *count)
{
    g_autoptr(RunCache) share = run_cache_new();
    GRand *rand = g_rand_new_with_seed(random_seed((guint32)seed));
    FoldMode fold = seed % 4 == 0 ? FOLD_OFF : FOLD_AUTO;
    const char *collectives = draw_collectives_text(rand);
    NeighbourChoice near = draw_neighbour_choice(rand);
    UnfoldCase c;

    unfold_case_init(&c, kind, (UnfoldWork)(seed % UNFOLD_N_WORKS), seed);
    for (guint i = 0; c.setup.workload && i < N_NEIGHBOURS; i++) {
        Setup neighbour = c.setup;

        neighbour.endpoint = draw_endpoint_text(&near, rand);
        neighbour.npu = draw_npu_text(&near, rand);
        neighbour.collectives =
            substitute_numbers(collectives, ANY(rand, 8, 32, 32, 33, 1000),
                               ANY(rand, 65536, 131072));
        ask_cache_for_point(&neighbour, fold, share, count);
    }
    g_rand_free(rand);
}

static void test_a_point_covered_by_a_shared_run_has_the_same_rows(void **state)
{
    Count count = { 0 };

    (void)state;
    for (guint i = 0; topology_registry.kinds[i]; i++)
        for (uint64_t seed = 1; seed <= n_random_draws(N_SEEDS); seed++)
            run_all_with_cache(topology_registry.kinds[i]->name, seed, &count);
    print_message("# %u systems, %u of them shared\n", count.n, count.n_shared);
    assert_true(count.n_shared >= count.n / 10);
}

/* ---- storage and use of shared runs -------------------------------------- */

static void test_the_least_recently_used_run_is_dropped(void **state)
{
    const Setup setup = { 0 };
    g_autoptr(RunCache) share = run_cache_new();
    RunCacheKey keys[2], *old = &keys[0], *used = &keys[1];
    guint n_most = 0;
    Run run;

    (void)state;
    (void)run_to_result(&run, &setup, FOLD_AUTO);
    *old = run_cache_make_key(runs_only, FOLD_AUTO, &run.config);
    *used = run_cache_make_key(runs_only, FOLD_OFF, &run.config);
    /* The run that is used was added first, so its age alone would drop it. */
    run_cache_add(share, used, runs_only, &run.config, run.system, NULL);
    run_cache_add(share, old, runs_only, &run.config, run.system, NULL);
    for (guint i = 0; run_cache_count(share) == i + 2; i++) {
        RunCacheKey other = *old;

        memcpy(other.sum, &i, sizeof i);
        assert_non_null(
            run_cache_find(share, used, (RunOptions){ 0 }, &run.config));
        run_cache_add(share, &other, runs_only, &run.config, run.system, NULL);
        n_most = run_cache_count(share);
    }
    assert_null(run_cache_find(share, old, (RunOptions){ 0 }, &run.config));
    assert_non_null(
        run_cache_find(share, used, (RunOptions){ 0 }, &run.config));
    assert_in_range(n_most, 1000, 100000);
    run_clear(&run);
}

static void test_the_first_shared_points_are_drawn_then_few(void **state)
{
    g_autoptr(RunCache) share = run_cache_new();
    guint n_drawn = 0;

    (void)state;
    for (guint point = 0; point < 3; point++)
        assert_true(run_cache_selects_check(share, 3, point * 7));
    for (guint point = 3; point < 10000; point++)
        n_drawn += run_cache_selects_check(share, 3, point * 7) ? 1 : 0;
    /* The expected number of draws is 3 x (1/4 + 1/5 + ... + 1/10000) = 24. */
    assert_in_range(n_drawn, 8, 60);
    for (guint point = 0; point < 100; point++)
        assert_false(run_cache_selects_check(share, 0, point));
}

/* Stores a run under the key of another point. */
static void test_a_shared_run_that_differs_fails_with_both_rows(void **state)
{
    const Setup first = { 0 }, second = {
        .workload = single_collective_workload(COLL_ALL_REDUCE, 2 << 20)
    };
    g_autoptr(RunCache) share = run_cache_new();
    PointRun how_to = { .wanted = { [ROWS_RUNS] = TRUE },
                        .share = share,
                        .n_checks = 1 };
    g_autoptr(GError) error = NULL;
    GString *rows[ROWS_N_FILES];
    PointMethod how = POINT_SIMULATED;
    RunCacheKey key;
    Run run, other;

    (void)state;
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        rows[file] = g_string_new(NULL);
    (void)run_to_result(&run, &first, FOLD_AUTO);
    read_run_setup(&other, &second);
    key = run_cache_make_key(how_to.wanted, FOLD_AUTO, &other.config);
    run_cache_add(share, &key, how_to.wanted, &run.config, run.system, NULL);
    assert_false(point_run_make_rows(&how_to, 0, "axis,", &other.config, rows,
                                     &how, &error));
    assert_int_equal(how, POINT_CHECKED);
    assert_non_null(strstr(error->message, "the rows of a run that it shares "
                                           "are not its own"));
    assert_non_null(strstr(error->message, "shared: axis,one,"));
    assert_non_null(strstr(error->message, "its own: axis,one,"));
    /* The next check would not happen by chance. */
    g_clear_error(&error);
    how_to.n_checks = 0;
    assert_true(point_run_make_rows(&how_to, 0, "axis,", &other.config, rows,
                                    &how, &error));
    assert_int_equal(how, POINT_SHARED);
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        assert_true((rows[file]->len > 0) == (file == ROWS_RUNS));
        g_string_free(rows[file], TRUE);
    }
    run_clear(&run);
    run_clear(&other);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(
            test_a_point_covered_by_a_shared_run_has_the_same_rows),
        cmocka_unit_test(test_the_least_recently_used_run_is_dropped),
        cmocka_unit_test(test_the_first_shared_points_are_drawn_then_few),
        cmocka_unit_test(test_a_shared_run_that_differs_fails_with_both_rows),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
