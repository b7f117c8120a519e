/*
 * unfold_times.c - random programs like those that are made from recordings
 *
 * Each round has stages on two queues and kernels, with times and gaps per NPU,
 * some of which are equal. Collectives are in groups, with or without a lane,
 * and have a recorded time.
 */
#include "tests/models/run/fold/unfold_case.h"

/* Returns a list such as "[3 us, 4 us]", with one time for all NPUs, for each
 * NPU, or for every n-th. */
static const char *list_topic_text(const UnfoldPlace *p, GRand *rand)
{
    const uint32_t ns[] = { 1, 2, 2, 3, p->n_npus };
    uint32_t n = ns[unfold_draw_between(rand, 0, G_N_ELEMENTS(ns) - 1)];
    g_autoptr(GString) text = g_string_new("[");

    for (uint32_t i = 0; i < n; i++)
        g_string_append_printf(text, "%s%u us", i > 0 ? ", " : "",
                               unfold_draw_between(rand, i > 0 ? 0 : 1, 4));
    g_string_append_c(text, ']');
    return keep_text_until_exit(text->str);
}

static const char *draw_gap_text(const UnfoldPlace *p, GRand *rand)
{
    switch (unfold_draw_between(rand, 0, 3)) {
    case 0:
        return "gap: 2 us, ";
    case 1:
        return format_text("gaps: %s, ", list_topic_text(p, rand));
    default:
        return "";
    }
}

#define N_ROUNDS 3

static const char *draw_recorded_collective(uint32_t i, GRand *rand)
{
    static const char *const of[] = { "all-reduce", "all-gather", "all-to-all",
                                      "broadcast" };
    static const char *const groups[] = { "all", "g", "g" };
    static const char *const lanes[] = { "none", "none", "l" };

    return format_text(
        "{kind: collective, name: c%u, collective: %s, bytes: %u B, "
        "group: %s, lane: %s, time: %u us, after: [k%u]}",
        i, UNFOLD_PICK(rand, of), unfold_draw_between(rand, 1, 9) * 700,
        UNFOLD_PICK(rand, groups), UNFOLD_PICK(rand, lanes),
        unfold_draw_between(rand, 1, 5), i);
}

static void add_recorded_round(GString *ops, const UnfoldPlace *p, uint32_t i,
                               const char *collective, GRand *rand)
{
    g_string_append_printf(
        ops,
        "{kind: host, name: h%u, queue: q%u, time: 1 us, %safter: [%s]}, "
        "{kind: device, name: d%u, times: %s, after: [h%u]}, "
        "{kind: kernel, name: k%u, flop: 1000000, read: 4 KiB, write: 1 KiB, "
        "time: 2 us, times: %s, %safter: [%s%u, c%u%s]}, %s, ",
        i, unfold_draw_between(rand, 0, 1), draw_gap_text(p, rand),
        i > 0 && g_rand_boolean(rand) ? format_text("c%u", i - 1) : "", i,
        list_topic_text(p, rand), i, i, list_topic_text(p, rand),
        draw_gap_text(p, rand), g_rand_boolean(rand) ? "h" : "d", i,
        i > 0 ? i - 1 : unfold_draw_between(rand, 0, N_ROUNDS - 1),
        i > 0 ? "" : "@-1", collective);
}

const char *unfold_recorded_program_text(const UnfoldPlace *p, GRand *rand)
{
    const char *collectives[N_ROUNDS], *ranks[2] = { "{}", NULL };
    g_autoptr(GString) roles = g_string_new(NULL);

    if (g_rand_boolean(rand))
        (void)unfold_draw_two_roles(p, rand, &ranks[0], &ranks[1]);
    for (uint32_t i = 0; i < N_ROUNDS; i++)
        collectives[i] = draw_recorded_collective(i, rand);
    for (uint32_t r = 0; r < 2 && ranks[r]; r++) {
        g_autoptr(GString) ops = g_string_new(NULL);

        for (uint32_t i = 0; i < N_ROUNDS; i++)
            add_recorded_round(ops, p, i, collectives[i], rand);
        g_string_append_printf(roles, "{name: r%u, ranks: %s, ops: [%s]}, ", r,
                               ranks[r], ops->str);
    }
    return format_text(
        "{kind: program, name: p, groups: [{name: g, %s}], lanes: "
        "[{name: l, at_a_time: 1}], roles: [%s]}",
        unfold_draw_group_text(p, rand), roles->str);
}

const char *unfold_replay_training_text(GRand *rand)
{
    static const char *const how[] = { "simulated", "recorded", "recorded" };

    return format_text("{iterations: %u, compute: measured, communication: %s, "
                       "gaps: %u %%}",
                       unfold_draw_between(rand, 1, 3), UNFOLD_PICK(rand, how),
                       100 * unfold_draw_between(rand, 0, 2));
}
