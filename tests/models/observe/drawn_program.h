/*
 * drawn_program.h - random programs of all kinds of operations
 *
 * The programs have kernels on two streams, work of hosts and devices, gaps,
 * and collectives with and without a lane, simulated or as recorded, on NPUs
 * that may
 * differ. */
#ifndef TESTS_MODELS_OBSERVE_DRAWN_PROGRAM_H
#define TESTS_MODELS_OBSERVE_DRAWN_PROGRAM_H

#include "tests/models/run/lanes_fixture.h"

typedef enum {
    DRAWN_ANY,
    /* Operations share no resource: they have no lane, and communication takes
     * its recorded time. */
    DRAWN_FREE,
} Drawn;

static inline int among(GRand *rand, int least, int most)
{
    return g_rand_int_range(rand, least, most + 1);
}

/* Returns the dependency of a drawn operation: an earlier one, or any of the
 * previous iteration. */
static inline const char *drawn_after(GRand *rand, int i, int n)
{
    if (g_rand_boolean(rand))
        return text_of("o%d@-1", among(rand, 0, n - 1));
    return i == 0 ? "" : text_of("o%d", among(rand, 0, i - 1));
}

static inline const char *drawn_op(GRand *rand, int i, const char *after,
                                   gboolean has_lane)
{
    static const char *const others[] = { "host", "device" };
    const char *lane = has_lane && g_rand_boolean(rand) ? ", lane: l" : "";
    const char *gap =
        among(rand, 0, 3) ? "" : text_of(", gap: %d us", among(rand, 1, 9));

    if (i > 0 && among(rand, 0, 2) == 0)
        return text_of("{kind: collective, collective: %s, name: o%d, after: "
                       "[%s], bytes: %d B, time: %d us%s}, ",
                       coll_kind_names[among(rand, 0, COLL_ALL_TO_ALL)], i,
                       after, 4096 * among(rand, 1, 100), among(rand, 1, 30),
                       lane);
    if (among(rand, 0, 3) == 0)
        return text_of("{kind: %s, name: o%d, queue: q%d, time: %d us, after: "
                       "[%s]%s}, ",
                       others[among(rand, 0, 1)], i, among(rand, 0, 1),
                       among(rand, 1, 40), after, gap);
    return text_of("{kind: kernel, name: o%d, flop: 1, time: %d us, after: "
                   "[%s], stream: %s%s}, ",
                   i, among(rand, 1, 40), after,
                   among(rand, 0, 4) ? "main" : "side", gap);
}

static inline Setup drawn_setup(GRand *rand, Drawn what)
{
    static const char *const lanes[] = {
        "",
        "{name: l}",
        "{name: l, fusion: 200 kB, copy: 100 GB/s}",
        "{name: l, fusion: 1 MB, cycle: 7 us, negotiation: 2 us}",
        "{name: l, order: priority, credit: 100 kB}",
    };
    const char *lane =
        lanes[what == DRAWN_ANY ? among(rand, 0, G_N_ELEMENTS(lanes) - 1) : 0];
    g_autoptr(GString) ops = g_string_new(NULL);
    int n = among(rand, 2, 9);
    Setup setup;

    for (int i = 0; i < n; i++)
        g_string_append(
            ops, drawn_op(rand, i, drawn_after(rand, i, n), *lane != '\0'));
    setup = lanes_setup(lane, ops->str, (uint32_t)among(rand, 1, 4));
    setup.npu = "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, side_sms: 10, "
                "side_bandwidth: 90 GB/s, hbm: {bandwidth: 900 GB/s}}";
    if (what == DRAWN_FREE || g_rand_boolean(rand))
        setup.training =
            text_of("%.*s, communication: recorded}",
                    (int)strlen(setup.training) - 1, setup.training);
    if (g_rand_boolean(rand))
        setup.perturb = text_of("{npus: [{npu: %d, time_factor: %d %%}]}",
                                among(rand, 0, 3), among(rand, 20, 300));
    else if (g_rand_boolean(rand))
        setup.perturb =
            text_of("{jitter: 20 %%, seed: %d}", among(rand, 1, 1000000));
    return setup;
}

#endif
