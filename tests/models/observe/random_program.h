/*
 * random_program.h - random programs of all kinds of operations
 *
 * The programs have kernels on two streams, work of hosts and devices, gaps,
 * and collectives with and without a lane, simulated or as recorded, on NPUs
 * that may
 * differ. */
#ifndef TESTS_MODELS_OBSERVE_RANDOM_PROGRAM_H
#define TESTS_MODELS_OBSERVE_RANDOM_PROGRAM_H

#include "tests/models/run/collective_lanes_fixture.h"

typedef enum {
    DRAWN_ANY,
    /* Operations share no resource: they have no lane, and communication takes
     * its recorded time. */
    DRAWN_FREE,
} DrawnProgramKind;

static inline int draw_int_between(GRand *rand, int least, int most)
{
    return g_rand_int_range(rand, least, most + 1);
}

/* Returns the dependency of a drawn operation: an earlier one, or any of the
 * previous iteration. */
static inline const char *draw_after_list(GRand *rand, int i, int n)
{
    if (g_rand_boolean(rand))
        return format_text("o%d@-1", draw_int_between(rand, 0, n - 1));
    return i == 0 ? "" : format_text("o%d", draw_int_between(rand, 0, i - 1));
}

static inline const char *
draw_operation_text(GRand *rand, int i, const char *after, gboolean has_lane)
{
    static const char *const others[] = { "host", "device" };
    const char *lane = has_lane && g_rand_boolean(rand) ? ", lane: l" : "";
    const char *gap =
        draw_int_between(rand, 0, 3)
            ? ""
            : format_text(", gap: %d us", draw_int_between(rand, 1, 9));

    if (i > 0 && draw_int_between(rand, 0, 2) == 0)
        return format_text(
            "{kind: collective, collective: %s, name: o%d, after: "
            "[%s], bytes: %d B, time: %d us%s}, ",
            coll_kind_names[draw_int_between(rand, 0, COLL_ALL_TO_ALL)], i,
            after, 4096 * draw_int_between(rand, 1, 100),
            draw_int_between(rand, 1, 30), lane);
    if (draw_int_between(rand, 0, 3) == 0)
        return format_text(
            "{kind: %s, name: o%d, queue: q%d, time: %d us, after: "
            "[%s]%s}, ",
            others[draw_int_between(rand, 0, 1)], i,
            draw_int_between(rand, 0, 1), draw_int_between(rand, 1, 40), after,
            gap);
    return format_text("{kind: kernel, name: o%d, flop: 1, time: %d us, after: "
                       "[%s], stream: %s%s}, ",
                       i, draw_int_between(rand, 1, 40), after,
                       draw_int_between(rand, 0, 4) ? "main" : "side", gap);
}

static inline Setup draw_program_setup(GRand *rand, DrawnProgramKind what)
{
    static const char *const lanes[] = {
        "",
        "{name: l}",
        "{name: l, fusion: 200 kB, copy: 100 GB/s}",
        "{name: l, fusion: 1 MB, cycle: 7 us, negotiation: 2 us}",
        "{name: l, order: priority, credit: 100 kB}",
    };
    const char *lane =
        lanes[what == DRAWN_ANY
                  ? draw_int_between(rand, 0, G_N_ELEMENTS(lanes) - 1)
                  : 0];
    g_autoptr(GString) ops = g_string_new(NULL);
    int n = draw_int_between(rand, 2, 9);
    Setup setup;

    for (int i = 0; i < n; i++)
        g_string_append(ops, draw_operation_text(rand, i,
                                                 draw_after_list(rand, i, n),
                                                 *lane != '\0'));
    setup = lanes_setup(lane, ops->str, (uint32_t)draw_int_between(rand, 1, 4));
    setup.npu = "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, side_sms: 10, "
                "side_bandwidth: 90 GB/s, hbm: {bandwidth: 900 GB/s}}";
    if (what == DRAWN_FREE || g_rand_boolean(rand))
        setup.training =
            format_text("%.*s, communication: recorded}",
                        (int)strlen(setup.training) - 1, setup.training);
    if (g_rand_boolean(rand))
        setup.perturb = format_text("{npus: [{npu: %d, time_factor: %d %%}]}",
                                    draw_int_between(rand, 0, 3),
                                    draw_int_between(rand, 20, 300));
    else if (g_rand_boolean(rand))
        setup.perturb = format_text("{jitter: 20 %%, seed: %d}",
                                    draw_int_between(rand, 1, 1000000));
    return setup;
}

#endif
