/*
 * test_straggler_places.c - Tests that the place of stragglers on a torus does
 * not matter.
 *
 * All stragglers are moved by the same translation of the torus. The history of
 * each NPU must then be that of the NPU with the same distance from the
 * stragglers.
 *
 * ACESIM_PLACES=SEED runs a single system, in the form in which a failure
 * reports
 * it. */
#include "tests/models/run/perturb/perturb_fixture.h"

#include "tests/models/run/fold/unfold_case.h"

#define MAX_DIMS  3
#define MAX_NPUS  64
#define N_SYSTEMS 60
#define N_MOVES   5

/* A system, without the place of its stragglers. */
typedef struct {
    uint32_t n_dims, n_npus;
    uint32_t sizes[MAX_DIMS];
    /* The distance from the first straggler to the second; 0 if there is only
     * one. */
    uint32_t offset;
    const char *factors[2];
    Setup setup;
} PlaceCase;

/* A hash of the events of each NPU that does not depend on their order. */
typedef struct {
    uint64_t hash[MAX_NPUS];
} History;

/* ---- history of the events of each NPU ----------------------------------- */

/* Returns the finalizer of splitmix64, whose sums do not cancel out. */
static uint64_t mix_value_into_hash(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void record_event_of_npu(gpointer self, uint32_t npu, uint32_t event,
                                uint32_t op, uint64_t number, SimTime now_ps)
{
    History *history = self;

    history->hash[npu] += mix_value_into_hash(
        mix_value_into_hash(mix_value_into_hash(now_ps) + event) +
        ((uint64_t)op << 40) + number);
}

static void record_kernel_end(gpointer self, uint32_t npu, uint32_t op,
                              uint64_t iteration, SimTime now_ps)
{
    record_event_of_npu(self, npu, 1, op, iteration, now_ps);
}

static void record_chunk_begin(gpointer self, const TraceChunk *chunk,
                               SimTime now_ps)
{
    record_event_of_npu(self, chunk->npu, 2, chunk->op,
                        chunk->iteration << 24 | chunk->index, now_ps);
}

static void record_phase_end(gpointer self, const TraceChunk *chunk,
                             uint32_t phase, SimTime now_ps)
{
    record_event_of_npu(self, chunk->npu, 3 + phase, chunk->op,
                        chunk->iteration << 24 | chunk->index, now_ps);
}

static const TraceOps history_ops = {
    .ahead = TRUE,
    .kernel_ends = record_kernel_end,
    .chunk_begins = record_chunk_begin,
    .phase_ends = record_phase_end,
};

/* ---- translations of a torus --------------------------------------------- */

/* Returns @npu, moved by the translation that maps NPU 0 to @shift. */
static uint32_t npu_translated_on_torus(const PlaceCase *c, uint32_t npu,
                                        uint32_t shift)
{
    uint32_t ret = 0;

    for (uint32_t d = 0, stride = 1; d < c->n_dims; stride *= c->sizes[d++])
        ret += (npu / stride + shift / stride) % c->sizes[d] * stride;
    return ret;
}

/* Runs the system with its first straggler at @at and records the history.
 * Returns FALSE if the SRAM is too small. */
static gboolean record_history_of_run(const PlaceCase *c, uint32_t at,
                                      History *ret)
{
    Setup s = c->setup;
    GError *error = NULL;
    Run run;

    *ret = (History){ 0 };
    s.perturb = format_text(
        "{npus: [{npu: %u, time_factor: %s}%s]}", at, c->factors[0],
        c->offset == 0 ? ""
                       : format_text(", {npu: %u, time_factor: %s}",
                                     npu_translated_on_torus(c, c->offset, at),
                                     c->factors[1]));
    read_run_setup(&run, &s);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    if (run.system) {
        system_add_listener(run.system, &history_ops, ret);
        (void)!system_run(run.system, &error);
    } else if (strstr(error->message, ": sram: ")) {
        g_clear_error(&error);
        run_clear(&run);
        return FALSE;
    }
    assert_no_error(error);
    run_clear(&run);
    return TRUE;
}

/* Returns whether the history with the first straggler at @at differs from
 * @history, with the first straggler at NPU 0. */
static gboolean chunk_history_differs_at(const PlaceCase *c,
                                         const History *history, uint32_t at)
{
    History other;

    assert_true(record_history_of_run(c, at, &other));
    for (uint32_t i = 0; i < c->n_npus; i++)
        if (history->hash[i] != other.hash[npu_translated_on_torus(c, i, at)])
            return TRUE;
    return FALSE;
}

/* ---- systems whose histories once differed ------------------------------- */

/* Compares all places that are multiples of @step. */
static void assert_straggler_place_is_irrelevant(const PlaceCase *c,
                                                 uint32_t step)
{
    History history;

    assert_true(record_history_of_run(c, 0, &history));
    for (uint32_t at = step; at < c->n_npus; at += step)
        if (chunk_history_differs_at(c, &history, at))
            fail_msg("a straggler at 0 is not one at %u", at);
}

/* In this case, NPUs admit their next chunk to a phase at the same time. */
static void test_the_place_of_one_straggler_does_not_matter(void **state)
{
    const PlaceCase c = {
        .n_dims = 3,
        .n_npus = 64,
        .sizes = { 4, 4, 4 },
        .factors = { "1.2" },
        .setup = { .topology = ace_torus_text(4, 4, 4),
                   .endpoint = "{kind: ace}",
                   .npu = "configs/npus/ace-v100-like.yaml",
                   .workload = "configs/workloads/resnet50.yaml",
                   .training = "{compute: measured, iterations: 1}",
                   .collectives = "{scheduler: lifo}" },
    };

    (void)state;
    assert_straggler_place_is_irrelevant(&c, 9);
}

/* In this case, NPUs admit their next chunk at the same time without having
 * issued the same collectives. */
static void test_the_place_of_two_stragglers_does_not_matter(void **state)
{
    const PlaceCase c = {
        .n_dims = 3,
        .n_npus = 18,
        .sizes = { 3, 3, 2 },
        .offset = 1,
        .factors = { "1.2", "1.5" },
        .setup = { .topology =
                       "{kind: torus, dims: ["
                       "{size: 3, links: 2, bandwidth: 200 GB/s, latency: 256 "
                       "ns}, {size: 3, links: 2, bandwidth: 25 GB/s, latency: "
                       "241 ns}, {size: 2, links: 2, bandwidth: 200 GB/s, "
                       "latency: 11 ns}]}",
                   .npu = "{sms: 80, clock: 1 GHz, flops: 1 TFLOPS, "
                          "hbm: {bandwidth: 900 GB/s, policy: shared}}",
                   .endpoint = "{kind: ace, sram: 16 KiB, fsms: 5}",
                   .workload =
                       "{kind: dlrm, name: r, batch: 8, embedding: {tables: "
                       "6, dimension: 32, lookups: 4}, bottom: [{name: a, in: "
                       "64, out: 32}], top: [{name: b, in: 224, out: 128}, "
                       "{name: c, in: 128, out: 1}]}",
                   .training = "{compute: measured, iterations: 2}",
                   .collectives = "{chunk: 4 KiB, message: 4 KiB, window: 3, "
                                  "scheduler: lifo, order: rotated}" },
    };

    (void)state;
    assert_straggler_place_is_irrelevant(&c, 1);
}

/* ---- random systems with stragglers -------------------------------------- */

static void draw_torus_text(PlaceCase *c, GRand *rand)
{
    g_autoptr(GString) text = g_string_new("{kind: torus, dims: [");

    c->n_dims = unfold_draw_between(rand, 1, MAX_DIMS);
    c->n_npus = 1;
    for (uint32_t d = 0; d < c->n_dims; d++) {
        static const uint32_t most[MAX_DIMS] = { 8, 5, 4 };

        c->sizes[d] =
            unfold_draw_between(rand, d == 0 ? 3 : 2, most[c->n_dims - 1]);
        c->n_npus *= c->sizes[d];
        g_string_append_printf(
            text,
            "%s{size: %u, direction: %s, links: 2, bandwidth: %u GB/s, "
            "latency: %u ns}",
            d > 0 ? ", " : "", c->sizes[d],
            unfold_draw_between(rand, 0, 3) ? "both" : "one",
            unfold_draw_between(rand, 0, 1) ? 25 : 200,
            unfold_draw_between(rand, 0, 1)
                ? 64 * unfold_draw_between(rand, 0, 5)
                : unfold_draw_between(rand, 0, 900));
    }
    g_string_append(text, "]}");
    c->setup.topology = keep_text_until_exit(text->str);
}

static const char *draw_endpoint_text(GRand *rand, uint32_t chunk_kib)
{
    static const char *const others[] = {
        "{kind: ideal}",
        "{kind: baseline, sms: 6, memory_bandwidth: 200 GB/s}",
        "{kind: copy-engine, sms: 2, engines: 4, copy_launch: 1 us, "
        "memory_bandwidth: 200 GB/s}",
    };

    if (unfold_draw_between(rand, 0, 9) == 0)
        return UNFOLD_PICK(rand, others);
    if (unfold_draw_between(rand, 0, 2) == 0)
        return "{kind: ace}";
    return format_text(
        "{kind: ace, sram: %u KiB, fsms: %u, chunks_per_fsm: %u}",
        chunk_kib * unfold_draw_between(rand, 4, 24),
        unfold_draw_between(rand, 4, 12), unfold_draw_between(rand, 1, 4));
}

static const char *draw_layers_text(GRand *rand, uint32_t chunk_kib)
{
    g_autoptr(GString) text = g_string_new(NULL);
    uint32_t n = unfold_draw_between(rand, 2, 6);

    for (uint32_t i = 0; i < n; i++)
        g_string_append_printf(
            text,
            "{kind: measured, name: l%u, weights: %u, forward_time: %u us, "
            "input_gradient_time: %u us, weight_gradient_time: %u us}, ",
            i, chunk_kib * unfold_draw_between(rand, 100, 16000),
            unfold_draw_between(rand, 0, 30), unfold_draw_between(rand, 0, 30),
            unfold_draw_between(rand, 0, 30));
    return keep_text_until_exit(text->str);
}

static const char *draw_workload_text(GRand *rand, uint32_t chunk_kib)
{
    if (unfold_draw_between(rand, 0, 4) == 0)
        return format_text(
            "{kind: dlrm, name: r, batch: %u, embedding: {tables: 6, "
            "dimension: 32, lookups: 4}, bottom: [{name: a, in: 64, out: 32}], "
            "top: [{name: b, in: 224, out: 128}, {name: c, in: 128, out: 1}]}",
            unfold_draw_between(rand, 8, 40 * chunk_kib));
    return format_text("{kind: data-parallel, name: d, batch: 1, layers: [%s]}",
                       draw_layers_text(rand, chunk_kib));
}

static void draw_run_settings(PlaceCase *c, GRand *rand, uint32_t chunk_kib)
{
    static const char *const policies[] = { "partitioned", "shared" };
    static const char *const booleans[] = { "true", "false" };
    static const char *const windows[] = { "1", "3", "8", "64", "64" };
    static const char *const schedulers[] = { "lifo", "lifo", "fifo",
                                              "priority" };
    static const char *const orders[] = { "fixed", "rotated", "auto" };
    static const char *const factors[] = { "1.1", "1.2", "1.5", "2" };

    c->setup.npu = format_text("{sms: 80, clock: 1 GHz, flops: 1 TFLOPS, hbm: "
                               "{bandwidth: 900 GB/s, policy: %s}}",
                               UNFOLD_PICK(rand, policies));
    c->setup.training = format_text(
        "{compute: measured, iterations: %u, overlap: %s, optimised: %s}",
        unfold_draw_between(rand, 1, 2), UNFOLD_PICK(rand, booleans),
        UNFOLD_PICK(rand, booleans));
    c->setup.collectives = format_text(
        "{chunk: %u KiB, message: %u KiB, window: %s, scheduler: %s, "
        "preempt: %s, order: %s}",
        chunk_kib, 1 << unfold_draw_between(rand, 0, 4),
        UNFOLD_PICK(rand, windows), UNFOLD_PICK(rand, schedulers),
        unfold_draw_between(rand, 0, 3) ? "true" : "false",
        UNFOLD_PICK(rand, orders));
    for (guint i = 0; i < 2; i++)
        c->factors[i] = UNFOLD_PICK(rand, factors);
    if (unfold_draw_between(rand, 0, 1))
        c->offset = unfold_draw_between(rand, 1, c->n_npus - 1);
}

static void draw_perturbed_case(PlaceCase *c, GRand *rand)
{
    uint32_t chunk_kib = 1U << unfold_draw_between(rand, 2, 6);

    *c = (PlaceCase){ 0 };
    draw_torus_text(c, rand);
    c->setup.endpoint = draw_endpoint_text(rand, chunk_kib);
    c->setup.workload = draw_workload_text(rand, chunk_kib);
    draw_run_settings(c, rand, chunk_kib);
}

/* Compares some places of a random system. Returns FALSE if it cannot be
 * run. */
static gboolean compare_straggler_places(guint32 seed)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(random_seed(seed));
    PlaceCase c;
    History history;

    draw_perturbed_case(&c, rand);
    if (!record_history_of_run(&c, 0, &history))
        return FALSE;
    for (uint32_t i = 0; i < N_MOVES; i++) {
        uint32_t at = unfold_draw_between(rand, 1, c.n_npus - 1);

        if (!chunk_history_differs_at(&c, &history, at))
            continue;
        g_printerr("%s", setup_text(&c.setup));
        fail_msg("ACESIM_PLACES=%u: it makes a difference whether stragglers "
                 "are at 0 or %u",
                 seed, at);
    }
    return TRUE;
}

static void test_straggler_places_do_not_matter_on_random_tori(void **state)
{
    const char *only = g_getenv("ACESIM_PLACES");
    guint n = 0;

    (void)state;
    if (only) {
        (void)compare_straggler_places(
            (guint32)g_ascii_strtoull(only, NULL, 10));
        return;
    }
    for (guint32 seed = 1; n < n_random_draws(N_SYSTEMS); seed++)
        n += compare_straggler_places(seed) ? 1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_place_of_one_straggler_does_not_matter),
        cmocka_unit_test(test_the_place_of_two_stragglers_does_not_matter),
        cmocka_unit_test(test_straggler_places_do_not_matter_on_random_tori),
    };

    return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
