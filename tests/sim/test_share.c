/*
 * test_share.c - runs that other points share are those that they would have
 *
 * Systems are drawn, then neighbours of each that differ in what slack.h
 * judges.  Every one of them is run; what a kept run covers has to have the
 * same rows in every file, byte for byte.
 */
#include "sim/sweep/share/point.h"
#include "tests/models/run/unfold_case.h"
#include "tests/system_fixture.h"

#include "models/observe/utilisation.h"

#define N_SEEDS      12 /* of each topology, times ACESIM_DRAWS */
#define N_NEIGHBOURS 10

static const gboolean all_files[ROWS_N_FILES] = { TRUE, TRUE, TRUE, TRUE,
                                                  TRUE };
static const gboolean runs_only[ROWS_N_FILES] = { [ROWS_RUNS] = TRUE };

typedef struct {
    guint n, n_shared;
} Count;

/* ---- one point -------------------------------------------------------- */

/* What rows_add() says of all files, with the axes of a point. */
static GString *rows_of(const Run *run, const Utilisation *utilisation)
{
    GString *rows = g_string_new(NULL);

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        rows_add(rows, file, "a,b,", &run->config, run->system, utilisation);
    return rows;
}

static GString *kept_rows_of(const RowsKept *kept, const SystemConfig *config)
{
    GString *rows = g_string_new(NULL);

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        rows_add_kept(rows, file, "a,b,", config, kept);
    return rows;
}

/* With what was found for it, or NULL; FALSE: it is refused. */
static gboolean run_point(const Setup *setup, FoldMode fold, Share *share,
                          GString **ret_shared, GString **ret_own)
{
    Run run;
    ShareKey key;
    const RowsKept *kept;
    g_autoptr(Utilisation) utilisation = NULL;
    g_autoptr(GError) error = NULL;

    run_read(&run, setup);
    key = share_key(all_files, fold, &run.config);
    kept = share_find(share, &key, &run.config);
    *ret_shared = kept ? kept_rows_of(kept, &run.config) : NULL;
    run.system = system_new(&run.config, fold, &error);
    if (run.system) {
        utilisation = utilisation_new(run.system, 0);
        if (!system_run(run.system, &error)) {
            g_printerr("%s", setup_text(setup));
            fail_msg("%s", error->message);
        }
        utilisation_finish(utilisation);
        *ret_own = rows_of(&run, utilisation);
        if (!kept)
            share_keep(share, &key, all_files, &run.config, run.system,
                       utilisation);
    }
    g_clear_pointer(&utilisation, utilisation_free);
    run_clear(&run);
    return !error;
}

static void ask(const Setup *setup, FoldMode fold, Share *share, Count *count)
{
    g_autoptr(GString) own = NULL;
    GString *shared = NULL;
    gboolean is_run = run_point(setup, fold, share, &shared, &own);

    if (shared && (!is_run || !g_string_equal(shared, own))) {
        g_printerr("%s\nshared:\n%s\nits own:\n%s", setup_text(setup),
                   shared->str, own ? own->str : "it is refused");
        fail_msg("a run is shared by one that differs");
    }
    count->n += is_run ? 1 : 0;
    count->n_shared += shared ? 1 : 0;
    if (shared)
        g_string_free(shared, TRUE);
}

/* ---- what is drawn ---------------------------------------------------- */

/* One of @n numbers. */
static guint any(GRand *rand, const guint *from, gsize n)
{
    return from[unfold_draw(rand, 0, (uint32_t)n - 1)];
}
#define ANY(rand, ...)                                                         \
    any(rand, (const guint[]){ __VA_ARGS__ },                                  \
        G_N_ELEMENTS(((const guint[]){ __VA_ARGS__ })))

/* What neighbours have alike, and what each has of its own. */
typedef struct {
    const char *sram_split, *fsm_split;
    guint chunks_per_fsm, gbytes_per_s;
    guint sram_bytes, n_fsms; /* about */
} Near;

static Near draw_near(GRand *rand)
{
    static const char *const splits[] = { "equal", "bandwidth",
                                          "bandwidth-x-chunk", "latency" };
    static const char *const fsm_splits[] = { "equal", "latency" };

    return (Near){
        .sram_split = UNFOLD_PICK(rand, splits),
        .fsm_split = UNFOLD_PICK(rand, fsm_splits),
        .chunks_per_fsm = ANY(rand, 1, 2),
        .gbytes_per_s = ANY(rand, 150, 300, 900),
        .sram_bytes = ANY(rand, 6, 8, 12, 16, 24, 40) * 1024,
        .n_fsms = ANY(rand, 3, 4, 6, 9),
    };
}

static gboolean seldom(GRand *rand)
{
    return unfold_draw(rand, 0, 4) == 0;
}

static const char *ace_text(const Near *near, GRand *rand)
{
    Near other = draw_near(rand);

    return text_of("{kind: ace, launch_time: 0 ns, memory_bandwidth: 100 GB/s, "
                   "sram: %u B, sram_split: %s, fsms: %u, fsm_split: %s, "
                   "chunks_per_fsm: %u}",
                   near->sram_bytes + unfold_draw(rand, 0, 12) * 384,
                   seldom(rand) ? other.sram_split : near->sram_split,
                   near->n_fsms + ANY(rand, 0, 1, 3),
                   seldom(rand) ? other.fsm_split : near->fsm_split,
                   near->chunks_per_fsm * ANY(rand, 1, 1, 2));
}

static const char *npu_text(const Near *near, GRand *rand)
{
    Near other = draw_near(rand);

    return text_of("{sms: 80, clock: 1 GHz, flops: %u TFLOPS, side_sms: 1, "
                   "hbm: {bandwidth: %u GB/s, efficiency: %u %%}}",
                   seldom(rand) ? 120 : 100,
                   seldom(rand) ? other.gbytes_per_s : near->gbytes_per_s,
                   seldom(rand) ? 90 : 100);
}

static const char *collectives_of(GRand *rand)
{
    static const char *const texts[] = {
        "{chunk: 512 B, message: 128 B, window: 8, buffer: %u B}",
        "{chunk: 1 KiB, message: 1 KiB, window: 32, buffer: %u B}",
        "{chunk: 1 KiB, message: 512 B, window: 32, scheduler: fifo, "
        "buffer: %u B}",
        "{chunk: auto, message: auto, window: auto, buffer: %u B}",
    };

    return UNFOLD_PICK(rand, texts);
}

static const char *with_buffer(const char *text, guint bytes)
{
    g_auto(GStrv) parts = g_strsplit(text, "%u", 2);

    return text_of("%s%u%s", parts[0], bytes, parts[1]);
}

/* A system and its neighbours. */
static void ask_all(const char *kind, uint64_t seed, Count *count)
{
    g_autoptr(Share) share = share_new();
    GRand *rand = g_rand_new_with_seed((guint32)seed);
    FoldMode fold = seed % 4 == 0 ? FOLD_OFF : FOLD_AUTO;
    const char *collectives = collectives_of(rand);
    Near near = draw_near(rand);
    UnfoldCase c;

    unfold_case_init(&c, kind, (UnfoldWork)(seed % UNFOLD_N_WORKS), seed);
    for (guint i = 0; c.setup.workload && i < N_NEIGHBOURS; i++) {
        Setup neighbour = c.setup;

        neighbour.endpoint = ace_text(&near, rand);
        neighbour.npu = npu_text(&near, rand);
        neighbour.collectives =
            with_buffer(collectives, ANY(rand, 65536, 131072));
        ask(&neighbour, fold, share, count);
    }
    g_rand_free(rand);
}

static void test_what_a_run_covers_would_have_been_the_same(void **state)
{
    Count count = { 0 };

    (void)state;
    for (guint i = 0; topology_registry.kinds[i]; i++)
        for (uint64_t seed = 1; seed <= n_draws(N_SEEDS); seed++)
            ask_all(topology_registry.kinds[i]->name, seed, &count);
    print_message("# %u systems, %u of them shared\n", count.n, count.n_shared);
    assert_true(count.n_shared >= count.n / 10);
}

/* ---- what is covered -------------------------------------------------- */

#define TORUS torus_ace(4, 2, 2)

static const char *ace_with(uint64_t sram_bytes, guint n_fsms)
{
    return text_of("{kind: ace, launch_time: 0 ns, sram: %" G_GUINT64_FORMAT
                   " B, fsms: %u}",
                   sram_bytes, n_fsms);
}

/* Whether a run of @first is shared by @second; its rows are then the same. */
static gboolean covers(const Setup *first, const Setup *second)
{
    g_autoptr(Share) share = share_new();
    Count count = { 0 };

    ask(first, FOLD_AUTO, share, &count);
    assert_int_equal(count.n, 1);
    ask(second, FOLD_AUTO, share, &count);
    return count.n_shared == 1;
}

static gboolean covers_sram(uint64_t first_bytes, uint64_t second_bytes)
{
    const Setup first = { .topology = TORUS,
                          .endpoint = ace_with(first_bytes, 16) };
    const Setup second = { .topology = TORUS,
                           .endpoint = ace_with(second_bytes, 16) };

    return covers(&first, &second);
}

/* The least, and no byte less: there the run was refused room. */
static void test_sram_that_was_never_full_may_be_any_that_would_do(void **state)
{
    uint64_t most = 64 << 20, least = 1 << 10;

    (void)state;
    assert_true(covers_sram(most, UINT64_C(1) << 40));
    while (most - least > 1) {
        uint64_t middle = (least + most) / 2;

        if (covers_sram(64 << 20, middle))
            most = middle;
        else
            least = middle;
    }
    assert_false(covers_sram(most - 1, most));
    assert_false(covers_sram(most - 1, 64 << 20));
    assert_true(covers_sram(most, 64 << 20));
}

static void
test_sram_that_was_full_may_be_any_in_which_the_same_fits(void **state)
{
    (void)state;
    assert_true(covers_sram(512 << 10, (512 << 10) + 64));
    assert_false(covers_sram(512 << 10, 640 << 10));
}

static gboolean covers_fsms(guint first, guint second)
{
    const Setup a = { .topology = TORUS,
                      .endpoint = ace_with(64 << 20, first) };
    const Setup b = { .topology = TORUS,
                      .endpoint = ace_with(64 << 20, second) };

    return covers(&a, &b);
}

static void test_fsms_of_which_some_were_always_free_may_be_more(void **state)
{
    (void)state;
    assert_true(covers_fsms(64, 4096));
    assert_true(covers_fsms(64, 63));
    assert_false(covers_fsms(5, 6));
    assert_false(covers_fsms(64, 4));
}

static gboolean covers_npu(const char *endpoint, const char *workload,
                           const char *first, const char *second)
{
    const char *const format =
        "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, hbm: %s}";
    g_auto(GStrv) parts = g_strsplit(format, "%s", 2);
    const Setup a = { .endpoint = endpoint,
                      .workload = workload,
                      .npu = text_of("%s%s%s", parts[0], first, parts[1]) };
    const Setup b = { .endpoint = endpoint,
                      .workload = workload,
                      .npu = text_of("%s%s%s", parts[0], second, parts[1]) };

    return covers(&a, &b);
}

static void
test_memory_without_kernels_may_be_any_that_has_all_shares(void **state)
{
    const char *kernels = "{kind: data-parallel, name: d, batch: 16, layers: ["
                          "{kind: linear, name: a, in: 40, out: 41}]}";
    const char *ace = "{kind: ace, memory_bandwidth: 100 GB/s}";

    (void)state;
    assert_true(covers_npu(ace, NULL, "{bandwidth: 900 GB/s}",
                           "{bandwidth: 200 GB/s}"));
    assert_true(covers_npu("{kind: ideal}", NULL, "{bandwidth: 900 GB/s}",
                           "{bandwidth: 1 GB/s}"));
    /* Reads and writes give way, kernels are slower, all is shared, ... */
    assert_false(covers_npu(ace, NULL, "{bandwidth: 900 GB/s}",
                            "{bandwidth: 199 GB/s}"));
    assert_false(covers_npu(ace, NULL, "{bandwidth: 199 GB/s}",
                            "{bandwidth: 900 GB/s}"));
    assert_false(covers_npu(ace, kernels, "{bandwidth: 900 GB/s}",
                            "{bandwidth: 901 GB/s}"));
    assert_false(covers_npu(ace, NULL, "{bandwidth: 900 GB/s, policy: shared}",
                            "{bandwidth: 901 GB/s, policy: shared}"));
    /* ... and nobody says what this kind reads. */
    assert_false(covers_npu("{kind: baseline, sms: 4, memory_bandwidth: "
                            "100 GB/s}",
                            NULL, "{bandwidth: 900 GB/s}",
                            "{bandwidth: 901 GB/s}"));
}

/* With less SRAM smaller chunks are chosen, or no others. */
static void test_where_cuts_are_chosen_they_have_to_be_the_same(void **state)
{
    Setup first = { .topology = TORUS,
                    .endpoint = ace_with(64 << 20, 64),
                    .collectives = "{chunk: auto, message: auto, "
                                   "window: auto}" };
    Setup second = first;

    (void)state;
    second.endpoint = ace_with(63 << 20, 64);
    assert_true(covers(&first, &second));
    second.endpoint = ace_with(256 << 10, 64);
    assert_false(covers(&first, &second));
}

static void test_another_value_of_any_other_field_is_another_run(void **state)
{
    const Setup first = { .topology = TORUS,
                          .endpoint = ace_with(64 << 20, 64) };
    Setup second = first;

    (void)state;
    second.endpoint = "{kind: ace, launch_time: 0 ns, sram: 64 MiB, fsms: 64, "
                      "alus: 5}";
    assert_false(covers(&first, &second));
    second = first;
    second.collectives = "{window: 65}";
    assert_false(covers(&first, &second));
    second = first;
    second.topology = torus_ace(4, 2, 3);
    assert_false(covers(&first, &second));
}

/* ---- the store -------------------------------------------------------- */

static void test_what_was_of_use_longest_ago_is_dropped(void **state)
{
    const Setup setup = { 0 };
    g_autoptr(Share) share = share_new();
    ShareKey keys[2], *old = &keys[0], *used = &keys[1];
    guint n_most = 0;
    Run run;

    (void)state;
    (void)run_setup(&run, &setup, FOLD_AUTO);
    *old = share_key(runs_only, FOLD_AUTO, &run.config);
    *used = share_key(runs_only, FOLD_OFF, &run.config);
    share_keep(share, old, runs_only, &run.config, run.system, NULL);
    share_keep(share, used, runs_only, &run.config, run.system, NULL);
    for (guint i = 0; share_n_kept(share) == i + 2; i++) {
        ShareKey other = *old;

        memcpy(other.sum, &i, sizeof i);
        assert_non_null(share_find(share, used, &run.config));
        share_keep(share, &other, runs_only, &run.config, run.system, NULL);
        n_most = share_n_kept(share);
    }
    assert_null(share_find(share, old, &run.config));
    assert_non_null(share_find(share, used, &run.config));
    assert_in_range(n_most, 1000, 100000);
    run_clear(&run);
}

static void test_the_first_shared_points_are_drawn_then_few(void **state)
{
    g_autoptr(Share) share = share_new();
    guint n_drawn = 0;

    (void)state;
    for (guint point = 0; point < 3; point++)
        assert_true(share_draws(share, 3, point * 7));
    for (guint point = 3; point < 10000; point++)
        n_drawn += share_draws(share, 3, point * 7) ? 1 : 0;
    /* 3 x (1/4 + 1/5 + ... + 1/10000) = 24 */
    assert_in_range(n_drawn, 8, 60);
    for (guint point = 0; point < 100; point++)
        assert_false(share_draws(share, 0, point));
}

/* What is kept under the key of another point is not what that would have. */
static void test_a_shared_run_that_differs_fails_with_both_rows(void **state)
{
    const Setup first = { 0 },
                second = { .workload =
                               one_collective(COLL_ALL_REDUCE, 2 << 20) };
    g_autoptr(Share) share = share_new();
    PointRun how_to = { .wanted = { [ROWS_RUNS] = TRUE },
                        .share = share,
                        .n_checks = 1 };
    g_autoptr(GError) error = NULL;
    GString *rows[ROWS_N_FILES];
    PointHow how = POINT_RUN;
    ShareKey key;
    Run run, other;

    (void)state;
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        rows[file] = g_string_new(NULL);
    (void)run_setup(&run, &first, FOLD_AUTO);
    run_read(&other, &second);
    key = share_key(how_to.wanted, FOLD_AUTO, &other.config);
    share_keep(share, &key, how_to.wanted, &run.config, run.system, NULL);
    assert_false(
        point_rows(&how_to, 0, "axis,", &other.config, rows, &how, &error));
    assert_int_equal(how, POINT_CHECKED);
    assert_non_null(strstr(error->message, "the rows of a run that it shares "
                                           "are not its own"));
    assert_non_null(strstr(error->message, "shared: axis,one,"));
    assert_non_null(strstr(error->message, "its own: axis,one,"));
    /* The next is not drawn by chance. */
    g_clear_error(&error);
    how_to.n_checks = 0;
    assert_true(
        point_rows(&how_to, 0, "axis,", &other.config, rows, &how, &error));
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
        cmocka_unit_test(test_what_a_run_covers_would_have_been_the_same),
        cmocka_unit_test(
            test_sram_that_was_never_full_may_be_any_that_would_do),
        cmocka_unit_test(
            test_sram_that_was_full_may_be_any_in_which_the_same_fits),
        cmocka_unit_test(test_fsms_of_which_some_were_always_free_may_be_more),
        cmocka_unit_test(
            test_memory_without_kernels_may_be_any_that_has_all_shares),
        cmocka_unit_test(test_where_cuts_are_chosen_they_have_to_be_the_same),
        cmocka_unit_test(test_another_value_of_any_other_field_is_another_run),
        cmocka_unit_test(test_what_was_of_use_longest_ago_is_dropped),
        cmocka_unit_test(test_the_first_shared_points_are_drawn_then_few),
        cmocka_unit_test(test_a_shared_run_that_differs_fails_with_both_rows),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
