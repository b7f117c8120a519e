/* segments_fixture.h - random programs of segments, as YAML */
#ifndef TESTS_WORKLOADS_SEGMENTS_FIXTURE_H
#define TESTS_WORKLOADS_SEGMENTS_FIXTURE_H

#include "tests/run_file_text.h"

/* The shape of a random program. */
typedef struct {
    uint32_t tp, pp, dp;
    const char *schedule;
    uint32_t n_micro_batches, n_chunks;
    gboolean splits_backward;
} DrawnSegments;

static inline DrawnSegments draw_segments(GRand *rand)
{
    static const struct {
        const char *name;
        gboolean splits, has_chunks;
    } kinds[] = {
        { "gpipe", FALSE, FALSE },      { "1f1b", FALSE, FALSE },
        { "interleaved", FALSE, TRUE }, { "zb-h1", TRUE, FALSE },
        { "zb-h2", TRUE, FALSE },       { "zb-v", TRUE, FALSE },
        { "dualpipe", TRUE, FALSE },
    };
    gsize kind = (gsize)g_rand_int_range(rand, 0, G_N_ELEMENTS(kinds));
    DrawnSegments drawn = {
        .tp = 1U << g_rand_int_range(rand, 0, 3),
        .pp = 1U << g_rand_int_range(rand, 0, 3),
        .dp = 1U << g_rand_int_range(rand, 0, 3),
        .schedule = kinds[kind].name,
        .n_chunks = 1,
        .splits_backward = kinds[kind].splits || g_rand_boolean(rand),
    };

    if (g_str_equal(drawn.schedule, "dualpipe"))
        drawn.pp = MAX(drawn.pp, 2);
    if (kinds[kind].has_chunks)
        drawn.n_chunks = (uint32_t)g_rand_int_range(rand, 1, 4);
    drawn.n_micro_batches = drawn.pp * (uint32_t)g_rand_int_range(rand, 1, 4);
    if (g_str_equal(drawn.schedule, "dualpipe"))
        drawn.n_micro_batches =
            2 * drawn.pp + 2 * (uint32_t)g_rand_int_range(rand, 0, 3);
    return drawn;
}

/* Appends a segment of @pass with a kernel, a collective on tp and a kernel. */
static inline void append_segment(GString *out, GRand *rand, const char *name,
                                  const char *pass, const char *more)
{
    int repeat = g_rand_int_range(rand, 1, 4);
    int first_us = g_rand_int_range(rand, 1, 40);
    int last_us = g_rand_int_range(rand, 1, 40);
    int kind = g_rand_int_range(rand, 0, COLL_ALL_TO_ALL + 1);
    int size_kib = g_rand_int_range(rand, 1, 300);
    gboolean waits = g_rand_boolean(rand);

    g_string_append_printf(
        out,
        "{name: %s, pass: %s, %s, repeat: %d, ops: ["
        "{kind: kernel, name: a, flop: 1, time: %d us}, "
        "{kind: collective, name: sum, collective: %s, bytes: %d KiB, axis: "
        "tp, after: [a]}, "
        "{kind: kernel, name: b, flop: 1, time: %d us, after: [%s]}]}, ",
        name, pass, more, repeat, first_us, coll_kind_names[kind], size_kib,
        last_us, waits ? "sum" : "a, 'sum@-1'");
}

/* Returns the workload of @drawn as a YAML map in one line.  The caller owns
 * it. */
static inline char *segments_yaml(GRand *rand, const DrawnSegments *drawn)
{
    GString *out = g_string_new(NULL);
    g_autofree char *chunks =
        drawn->n_chunks > 1 ? g_strdup_printf(", chunks: %u", drawn->n_chunks)
                            : g_strdup("");
    int sum_kib, step_us;

    g_string_append_printf(out,
                           "{kind: program, name: drawn, mesh: {tp: %u, pp: "
                           "%u, dp: %u}, schedule: {kind: %s, micro_batches: "
                           "%u%s}, segments: [",
                           drawn->tp, drawn->pp, drawn->dp, drawn->schedule,
                           drawn->n_micro_batches, chunks);
    append_segment(out, rand, "forward", "forward", "passes_on: 100 KiB");
    if (drawn->splits_backward) {
        append_segment(out, rand, "inputs", "input-gradient",
                       "passes_on: 60 KiB");
        append_segment(out, rand, "weights", "weight-gradient", "of: forward");
    } else {
        append_segment(out, rand, "backward", "backward", "passes_on: 60 KiB");
    }
    sum_kib = g_rand_int_range(rand, 1, 900);
    step_us = g_rand_int_range(rand, 1, 40);
    g_string_append_printf(
        out,
        "{name: update, pass: update, ops: [{kind: collective, name: sum, "
        "collective: all-reduce, bytes: %d KiB, axis: dp, after: ['%s@last']}, "
        "{kind: kernel, name: step, flop: 1, time: %d us, after: [sum]}]}]}",
        sum_kib, drawn->splits_backward ? "weights" : "backward", step_us);
    return g_string_free(out, FALSE);
}

#endif
