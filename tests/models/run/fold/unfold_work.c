/*
 * unfold_work.c - random workloads in which all ranks have one role, or several
 *
 * Roles and groups are given by dimension, by stride or by list, on any
 * topology whose number of NPUs permits
 * it. */
#include "tests/models/run/fold/unfold_case.h"

/* ---- training loops and single collectives ------------------------------- */

static const char *const loops[] = {
    "{kind: collective, name: c, collective: all-reduce, payload: 9 KiB}",
    "{kind: collective, name: c, collective: reduce-scatter, payload: 9001 B}",
    "{kind: collective, name: c, collective: all-gather, payload: 9001 B}",
    "{kind: collective, name: c, collective: all-to-all, payload: 9 KiB}",
    "{kind: collective, name: c, collective: all-reduce, payload: 5001 B, "
    "repeat: 3}",
    "{kind: data-parallel, name: d, batch: 16, layers: ["
    "{kind: linear, name: a, in: 40, out: 41}, "
    "{kind: linear, name: b, in: 41, out: 50}, "
    "{kind: linear, name: c, in: 50, out: 30}]}",
    "{kind: dlrm, name: r, batch: 24, "
    "embedding: {tables: 6, dimension: 32, lookups: 4}, "
    "bottom: [{name: b1, in: 16, out: 32}], "
    "top: [{name: t1, in: 224, out: 8}, {name: t2, in: 8, out: 1}]}",
};

/* ---- groups by stride ---------------------------------------------------- */

/* Groups of @size NPUs that are @stride apart and cover all NPUs. */
typedef struct {
    uint32_t size, stride;
} GroupStride;

static gboolean stride_fits_topology(const UnfoldPlace *p, GroupStride s)
{
    return p->n_npus % (s.size * s.stride) == 0;
}

/* Draws groups of @size. Returns FALSE if none fits. */
static gboolean draw_group_stride(const UnfoldPlace *p, uint32_t size,
                                  GRand *rand, GroupStride *ret)
{
    if (p->n_npus % size != 0)
        return FALSE;
    do
        *ret = (GroupStride){ size,
                              unfold_draw_between(rand, 1, p->n_npus / size) };
    while (!stride_fits_topology(p, *ret));
    return TRUE;
}

/* Returns the same groups as a list. */
static const char *stride_as_rank_list(const UnfoldPlace *p, GroupStride s)
{
    g_autoptr(GString) text = g_string_new("ranks: [");

    for (uint32_t i = 0; i < p->n_npus; i++) {
        if (i / s.stride % s.size != 0)
            continue;
        g_string_append(text, i > 0 ? ", [" : "[");
        for (uint32_t r = 0; r < s.size; r++)
            g_string_append_printf(text, "%s%u", r > 0 ? ", " : "",
                                   i + r * s.stride);
        g_string_append_c(text, ']');
    }
    g_string_append_c(text, ']');
    return keep_text_until_exit(text->str);
}

static const char *stride_group_text(const UnfoldPlace *p, GroupStride s,
                                     GRand *rand)
{
    if (unfold_draw_between(rand, 0, 3) == 0)
        return stride_as_rank_list(p, s);
    return format_text("size: %u, stride: %u", s.size, s.stride);
}

/* Returns the NPUs at place @at of their groups, by stride or as a list. */
static const char *role_ranks_text(const UnfoldPlace *p, GroupStride s,
                                   uint32_t at, gboolean as_list)
{
    g_autoptr(GString) text = g_string_new("{list: [");
    uint32_t n = 0;

    if (!as_list)
        return format_text("{size: %u, stride: %u, at: %u}", s.size, s.stride,
                           at);
    for (uint32_t i = 0; i < p->n_npus; i++)
        if (i / s.stride % s.size == at)
            g_string_append_printf(text, "%s%u", n++ > 0 ? ", " : "", i);
    g_string_append(text, "]}");
    return keep_text_until_exit(text->str);
}

/* ---- workloads with one role and several groups -------------------------- */

static const char *const kinds[] = { "all-reduce", "all-reduce",
                                     "reduce-scatter", "all-gather",
                                     "all-to-all" };

const char *unfold_draw_group_text(const UnfoldPlace *p, GRand *rand)
{
    GroupStride s;

    if (p->n_dims > 1 && unfold_draw_between(rand, 0, 2) > 0) {
        uint32_t d = unfold_draw_between(rand, 0, p->n_dims - 1);

        if (unfold_draw_between(rand, 0, 3) > 0)
            return format_text("dims: [%u]", d);
        return format_text("dims: [%u, %u]", MIN(d, (d + 1) % p->n_dims),
                           MAX(d, (d + 1) % p->n_dims));
    }
    while (!draw_group_stride(p, unfold_draw_between(rand, 1, p->n_npus), rand,
                              &s))
        ;
    return stride_group_text(p, s, rand);
}

/* Returns a program with two or three groups. Their collectives run in
 * parallel, followed by one of all NPUs that waits for some of them. */
static const char *draw_groups_workload(const UnfoldPlace *p, GRand *rand)
{
    g_autoptr(GString) groups = g_string_new(NULL);
    g_autoptr(GString) ops = g_string_new(NULL);
    uint32_t n = unfold_draw_between(rand, 2, 3);

    for (uint32_t i = 0; i < n; i++) {
        g_string_append_printf(groups, "%s{name: g%u, %s}", i > 0 ? ", " : "",
                               i, unfold_draw_group_text(p, rand));
        g_string_append_printf(
            ops,
            "{kind: kernel, name: k%u, flop: %u000000, read: %u KiB, write: 2 KiB, "
            "after: [%s]}, {kind: collective, name: c%u, collective: %s, "
            "bytes: %u B, group: g%u, after: [k%u]}, ",
            i, unfold_draw_between(rand, 1, 9),
            unfold_draw_between(rand, 1, 99),
            g_rand_boolean(rand) ? "all@-1" : format_text("c%u@-1", i), i,
            UNFOLD_PICK(rand, kinds), unfold_draw_between(rand, 1, 9) * 1000, i,
            i);
    }
    return format_text(
        "{kind: program, name: p, groups: [%s], roles: [{name: r, "
        "ops: [%s{kind: collective, name: all, "
        "collective: all-reduce, bytes: 3000 B, after: [c0, c1]}]}"
        "]}",
        groups->str, ops->str);
}

/* ---- workloads with two roles -------------------------------------------- */

/* Divides a dimension in two parts, or the NPUs in every second one or in
 * halves. */
gboolean unfold_draw_two_roles(const UnfoldPlace *p, GRand *rand,
                               const char **first, const char **second)
{
    uint32_t d =
        p->n_dims > 0 ? unfold_draw_between(rand, 0, p->n_dims - 1) : 0;
    uint32_t at;
    GroupStride s;

    if (p->n_dims > 0 && p->dims[d] > 1 && g_rand_boolean(rand)) {
        at = unfold_draw_between(rand, 1, p->dims[d] - 1);
        *first = at == 1 ? format_text("{dim: %u, at: 0}", d)
                         : format_text("{dim: %u, at: 0, last: %u}", d, at - 1);
        *second =
            format_text("{dim: %u, at: %u, last: %u}", d, at, p->dims[d] - 1);
        return TRUE;
    }
    if (!draw_group_stride(p, 2, rand, &s))
        return FALSE;
    *first = role_ranks_text(p, s, 0, g_rand_boolean(rand));
    *second = role_ranks_text(p, s, 1, g_rand_boolean(rand));
    return TRUE;
}

/* Returns a program in which both roles take part in all collectives, and one
 * role is later. */
static const char *draw_roles_workload(const UnfoldPlace *p, GRand *rand)
{
    const char *kind = UNFOLD_PICK(rand, kinds);
    const char *group = unfold_draw_between(rand, 0, 2) > 0
                            ? unfold_draw_group_text(p, rand)
                            : format_text("size: %u, stride: 1", p->n_npus);
    const char *ranks[2];
    g_autoptr(GString) roles = g_string_new(NULL);

    if (!unfold_draw_two_roles(p, rand, &ranks[0], &ranks[1]))
        return NULL;
    for (uint32_t r = 0; r < 2; r++)
        g_string_append_printf(
            roles,
            "%s{name: r%u, ranks: %s, ops: [{kind: kernel, name: k%u, flop: "
            "%u000000, read: 40 KiB, write: 4 KiB, after: [all@-1]}, {kind: "
            "collective, name: c, collective: %s, bytes: 6000 B, group: g, "
            "after: [k%u]}, {kind: collective, name: all, collective: "
            "all-reduce, bytes: 5000 B, after: [c]}]}",
            r > 0 ? ", " : "", r, ranks[r], r,
            unfold_draw_between(rand, 1, 4) * (1 + r), kind, r);
    return format_text(
        "{kind: program, name: p, groups: [{name: g, %s}], roles: "
        "[%s]}",
        group, roles->str);
}

/* ---- workloads with two stages of a pipeline ----------------------------- */

/* Returns the groups of a stage that reduce together: @s.stride neighbours if
 * that is more than one, else every second NPU. */
static const char *draw_stage_group(const UnfoldPlace *p, GroupStride s,
                                    GRand *rand)
{
    if (s.stride > 1)
        return stride_group_text(p, (GroupStride){ s.stride, 1 }, rand);
    return stride_group_text(p, (GroupStride){ p->n_npus / 2, 2 }, rand);
}

static const char *draw_pipeline_workload(const UnfoldPlace *p, GRand *rand)
{
    static const char *const first =
        "{kind: kernel, name: f1, flop: 3000000, read: 60 KiB, write: 4 KiB, "
        "after: [w1@-1]}, {kind: send, name: act, group: pairs, from: 0, "
        "to: 1, bytes: 5000 B, after: [f1]}, {kind: receive, name: grad, "
        "group: pairs, from: 1, to: 0, bytes: 5000 B}, {kind: kernel, "
        "name: b1, flop: 6000000, read: 90 KiB, write: 4 KiB, after: [grad]}, "
        "{kind: collective, name: w1, collective: all-reduce, bytes: 7000 B, "
        "group: stage, after: [b1]}";
    static const char *const second =
        "{kind: receive, name: act, group: pairs, from: 0, to: 1, "
        "bytes: 5000 B}, {kind: kernel, name: f2, flop: 2000000, read: 40 KiB, "
        "write: 4 KiB, after: [act, w2@-1]}, {kind: kernel, name: b2, "
        "flop: 5000000, read: 80 KiB, write: 4 KiB, after: [f2]}, {kind: send, "
        "name: grad, group: pairs, from: 1, to: 0, bytes: 5000 B, "
        "after: [b2]}, {kind: collective, name: w2, collective: all-reduce, "
        "bytes: 9000 B, group: stage, after: [b2]}";
    gboolean as_list = unfold_draw_between(rand, 0, 3) == 0;
    GroupStride s;

    if (!draw_group_stride(p, 2, rand, &s))
        return NULL;
    return format_text("{kind: program, name: p, groups: [{name: pairs, %s}, "
                       "{name: stage, %s}], roles: [{name: first, ranks: %s, "
                       "ops: [%s]}, {name: second, ranks: %s, ops: [%s]}]}",
                       stride_group_text(p, s, rand),
                       draw_stage_group(p, s, rand),
                       role_ranks_text(p, s, 0, as_list), first,
                       role_ranks_text(p, s, 1, as_list), second);
}

/* ---- workloads with workers and servers ---------------------------------- */

/* Returns a program in which rank 0 of each group adds what the others push,
 * and sends the result back. */
static const char *draw_parameter_server_workload(const UnfoldPlace *p,
                                                  GRand *rand)
{
    uint32_t size = unfold_draw_between(rand, 2, 4);
    g_autoptr(GString) roles = g_string_new(NULL);
    g_autoptr(GString) server = g_string_new(NULL);
    g_autoptr(GString) pushes = g_string_new(NULL);
    GroupStride s;

    if (!draw_group_stride(p, size, rand, &s))
        return NULL;
    for (uint32_t i = 1; i < size; i++) {
        const char *push =
            format_text("name: push%u, group: g, from: %u, to: 0, "
                        "bytes: 6000 B",
                        i, i);
        const char *pull =
            format_text("name: pull%u, group: g, from: 0, to: %u, "
                        "bytes: 6000 B",
                        i, i);

        g_string_append_printf(pushes, "%spush%u", i > 1 ? ", " : "", i);
        g_string_append_printf(
            roles,
            "{name: w%u, ranks: %s, ops: [{kind: kernel, name: k%u, flop: %u"
            "000000, read: 80 KiB, write: 1 KiB, after: [pull%u@-1]}, {kind: send, "
            "%s, after: [k%u]}, {kind: receive, %s}]}, ",
            i, role_ranks_text(p, s, i, FALSE), i, 2 + i % 2, i, push, i, pull);
        g_string_append_printf(server, "{kind: receive, %s}, ", push);
    }
    g_string_append_printf(
        server,
        "{kind: kernel, name: add, flop: 1000000, read: 60 KiB, "
        "write: 20 KiB, after: [%s]}",
        pushes->str);
    for (uint32_t i = 1; i < size; i++)
        g_string_append_printf(server,
                               ", {kind: send, name: pull%u, group: g, from: "
                               "0, to: %u, bytes: 6000 B, after: [add]}",
                               i, i);
    return format_text(
        "{kind: program, name: p, groups: [{name: g, %s}], roles: "
        "[%s{name: server, ranks: %s, ops: [%s]}]}",
        stride_group_text(p, s, rand), roles->str,
        role_ranks_text(p, s, 0, FALSE), server->str);
}

/* ---- workloads with lanes ------------------------------------------------ */

static const char *const orders[] = { "as-ready", "priority" };
static const char *const credits[] = { "0 B", "0 B", "6000 B" };
static const char *const fusions[] = { "0 B", "4000 B", "20000 B" };
static const char *const cycles[] = { "0 ns", "1 us", "7 us" };
static const char *const talks[] = { "0 ns", "500 ns" };
static const char *const copies[] = { "auto", "50 GB/s" };
static const char *const in_lanes[] = { "l0", "l0", "l1", "none" };

static void add_lane_text(GString *text, uint32_t i, GRand *rand)
{
    g_string_append_printf(
        text,
        "{name: l%u, order: %s, at_a_time: %u, credit: %s, fusion: %s, cycle: "
        "%s, negotiation: %s, copy: %s}, ",
        i, UNFOLD_PICK(rand, orders), unfold_draw_between(rand, 0, 2),
        UNFOLD_PICK(rand, credits), UNFOLD_PICK(rand, fusions),
        UNFOLD_PICK(rand, cycles), UNFOLD_PICK(rand, talks),
        UNFOLD_PICK(rand, copies));
}

/* Returns the part of collective @i that is the same in all roles. */
static const char *draw_lane_collective(uint32_t i, GRand *rand)
{
    static const char *const of[] = { "all-reduce", "all-reduce", "all-reduce",
                                      "all-gather" };
    static const char *const groups[] = { "all", "g0", "g0" };

    return format_text(
        "kind: collective, name: c%u, collective: %s, bytes: %u B, "
        "group: %s, lane: %s, priority: %u",
        i, UNFOLD_PICK(rand, of), unfold_draw_between(rand, 1, 9) * 500,
        UNFOLD_PICK(rand, groups), UNFOLD_PICK(rand, in_lanes),
        unfold_draw_between(rand, 0, 3));
}

#define MOST_IN_LANES 8

/* Returns a program of sequential kernels. A collective follows each kernel and
 * sometimes waits for the previous collective, too. Both roles take part in all
 * collectives. */
static const char *draw_lanes_workload(const UnfoldPlace *p, GRand *rand)
{
    const char *collectives[MOST_IN_LANES], *ranks[2] = { "{}", NULL };
    g_autoptr(GString) lanes = g_string_new(NULL);
    g_autoptr(GString) roles = g_string_new(NULL);
    uint32_t n = unfold_draw_between(rand, 3, MOST_IN_LANES);

    if (g_rand_boolean(rand))
        (void)unfold_draw_two_roles(p, rand, &ranks[0], &ranks[1]);
    for (uint32_t i = 0; i < 2; i++)
        add_lane_text(lanes, i, rand);
    for (uint32_t i = 0; i < n; i++)
        collectives[i] = draw_lane_collective(i, rand);
    for (uint32_t r = 0; r < 2 && ranks[r]; r++) {
        g_string_append_printf(roles, "{name: r%u, ranks: %s, ops: [", r,
                               ranks[r]);
        for (uint32_t i = 0; i < n; i++)
            g_string_append_printf(
                roles,
                "{kind: kernel, name: k%u, flop: %u000000, read: %u KiB, "
                "write: 2 KiB, after: [c%u@-1]}, {%s, after: [k%u%s]}, ",
                i, unfold_draw_between(rand, 0, 4) * (1 + r) + 1,
                unfold_draw_between(rand, 1, 20),
                unfold_draw_between(rand, 0, n - 1), collectives[i], i,
                i > 0 && unfold_draw_between(rand, 0, 3) == 0
                    ? format_text(", c%u", i - 1)
                    : "");
        g_string_append(roles, "]}, ");
    }
    return format_text(
        "{kind: program, name: p, groups: [{name: g0, %s}], lanes: "
        "[%s], roles: [%s]}",
        unfold_draw_group_text(p, rand), lanes->str, roles->str);
}

const char *unfold_draw_workload_text(const UnfoldCase *c, GRand *rand)
{
    switch (c->work) {
    case UNFOLD_GROUPS:
        return draw_groups_workload(&c->place, rand);
    case UNFOLD_ROLES:
        return draw_roles_workload(&c->place, rand);
    case UNFOLD_STAGES:
        return draw_pipeline_workload(&c->place, rand);
    case UNFOLD_SERVERS:
        return draw_parameter_server_workload(&c->place, rand);
    case UNFOLD_LANES:
        return draw_lanes_workload(&c->place, rand);
    case UNFOLD_TIMES:
        return unfold_recorded_program_text(&c->place, rand);
    default:
        return UNFOLD_PICK(rand, loops);
    }
}
