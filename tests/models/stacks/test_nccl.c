/*
 * NCCL's recipes take the time that can be derived by pencil, on endpoints that
 * cost nothing; what it takes follows from the size and from pins.
 *
 * Below, t(b) is what b bytes take on a link.  A step has the latency of near
 * links in it, so that of the links is none on top.
 */
#include "tests/models/run/closed_form_fixture.h"

#include "models/observe/critical_path.h"
#include "models/observe/verify.h"
#include "models/run/decided.h"

#define OWN    "{chunk: auto, message: auto, window: auto, packet: 256 B}"
#define IDEAL  "{kind: ideal, message_cycles: 0}"
#define RATE   (32 * GB)
#define LINK   "links: 1, bandwidth: 32 GB/s, latency: 100 ns"
#define PAIR   "{kind: switch, npus: 2, " LINK "}"
#define EIGHT  "{kind: switch, npus: 8, reduces: true, " LINK "}"
#define PACKET 256
#define NODES                                                                  \
    "{kind: nested, count: 3, inner: {kind: switch, npus: 4, reduces: true, "  \
    "links: 4, bandwidth: 32 GB/s, latency: 100 ns}, nics: 4, nic: {"          \
    "bandwidth: 32 GB/s, latency: 100 ns}, rails: true, outer: {kind: "        \
    "switch, npus: 3, bandwidth: 32 GB/s, latency: 1 us}}"

typedef struct {
    Run run;
    SimTime iteration_ps, step_ps; /* of which the protocol's on the path */
    const CollRecipe *recipe;
} Done;

/* Proved, and to be cleared. */
static Done run_on(const char *topology, const char *stack, CollKind kind,
                   uint64_t payload_bytes)
{
    const Setup setup = { .topology = topology,
                          .endpoint = IDEAL,
                          .workload = one_collective(kind, payload_bytes),
                          .training = "{iterations: 1, optimiser: none}",
                          .collectives = OWN,
                          .stack = stack };
    g_autoptr(Verify) verify = NULL;
    g_autoptr(CriticalPath) path = NULL;
    g_autoptr(GError) error = NULL;
    Done done;

    run_read(&done.run, &setup);
    done.run.system = system_new(&done.run.config, FOLD_OFF, &error);
    assert_no_error(error);
    verify = verify_listen(done.run.system, &error);
    assert_no_error(error);
    path = critical_path_new(done.run.system, 0);
    assert_true(system_run(done.run.system, &error) || error);
    assert_no_error(error);
    assert_true(verify_n_chunks(verify) > 0);
    done.iteration_ps = system_result(done.run.system).iteration_ps;
    critical_path_finish(path, done.iteration_ps);
    done.step_ps = critical_path_ps(path, PATH_RESOURCES + RESOURCE_PROTOCOL);
    done.recipe = system_recipe(done.run.system, 0);
    return done;
}

static SimTime time_on(const char *topology, const char *stack, CollKind kind,
                       uint64_t payload_bytes)
{
    Done done = run_on(topology, stack, kind, payload_bytes);

    run_clear(&done.run);
    return done.iteration_ps;
}

/* ---- what protocols cost -------------------------------------------------
 */

/* Of 3 KiB that a step sends 8 KiB are on the wire. */
static void test_ll_sends_flags_with_the_data(void **state)
{
    SimTime step_ps = SIM_NS(600) + time_of(8192, RATE) + time_of(PACKET, RATE);

    (void)state;
    assert_int_equal(time_on(PAIR,
                             "{kind: nccl, algorithm: ring, protocol: LL}",
                             COLL_ALL_REDUCE, 6 << 10),
                     SIM_NS(6600) + 2 * step_ps);
}

static void test_simple_sends_data_alone(void **state)
{
    SimTime step_ps =
        SIM_NS(3400) + time_of(MIB(1), RATE) + time_of(PACKET, RATE);

    (void)state;
    assert_int_equal(time_on(PAIR,
                             "{kind: nccl, algorithm: ring, protocol: Simple, "
                             "Simple: {slice: 1 MiB}}",
                             COLL_ALL_REDUCE, MIB(2)),
                     SIM_NS(8400) + 2 * step_ps);
}

/* Two steps of 400 ns: the rest of 600 is the latency of two links. */
static void test_the_path_says_what_steps_of_a_protocol_take(void **state)
{
    Done done = run_on(PAIR, "{kind: nccl, algorithm: ring, protocol: LL}",
                       COLL_ALL_REDUCE, 6 << 10);

    (void)state;
    assert_int_equal(done.step_ps, 2 * SIM_NS(400));
    run_clear(&done.run);
}

/* The latency of the network comes on top of its step. */
static void test_a_step_costs_more_the_further_it_goes(void **state)
{
    static const char stack[] = "{kind: nccl, algorithm: ring, protocol: LL, "
                                "LL: {efficiency: 100 %}}";
    SimTime near_ps = time_on("{kind: switch, npus: 2, reach: near, " LINK "}",
                              stack, COLL_ALL_REDUCE, 512);
    SimTime far_ps =
        time_on("{kind: switch, npus: 2, reach: network, " LINK "}", stack,
                COLL_ALL_REDUCE, 512);

    (void)state;
    assert_int_equal(far_ps - near_ps, 2 * SIM_NS(2700 - 400));
}

static void test_without_costs_the_links_are_left(void **state)
{
    SimTime step_ps =
        2 * SIM_NS(100) + time_of(3 << 10, RATE) + time_of(PACKET, RATE);

    (void)state;
    assert_int_equal(time_on(PAIR,
                             "{kind: nccl, algorithm: ring, protocol: "
                             "LL, costs: false}",
                             COLL_ALL_REDUCE, 6 << 10),
                     2 * step_ps);
}

/* ---- what is taken -------------------------------------------------------
 */

/* The protocol, as a rank of those that are fit for more. */
static int rank_of(const Done *done)
{
    static const char *const names[] = { "LL", "LL128", "Simple" };

    for (int i = 0; i < (int)G_N_ELEMENTS(names); i++)
        if (g_str_equal(done->recipe->protocol->name, names[i]))
            return i;
    fail_msg("protocol %s", done->recipe->protocol->name);
    return 0;
}

static void test_protocols_follow_each_other_as_payloads_grow(void **state)
{
    int last = 0;

    (void)state;
    for (uint64_t bytes = 1 << 10; bytes <= MIB(64); bytes *= 4) {
        Done done = run_on(PAIR, "{kind: nccl}", COLL_ALL_REDUCE, bytes);

        assert_true(rank_of(&done) >= last);
        last = rank_of(&done);
        run_clear(&done.run);
    }
    assert_int_equal(last, 2);
}

static void test_rings_carry_little_and_the_switch_much(void **state)
{
    Done little = run_on(EIGHT, "{kind: nccl}", COLL_ALL_REDUCE, 1 << 10);
    Done much = run_on(EIGHT, "{kind: nccl}", COLL_ALL_REDUCE, MIB(64));

    (void)state;
    assert_string_equal(little.recipe->algorithm, "Ring");
    assert_string_equal(much.recipe->algorithm, "NVLS");
    assert_true(much.recipe->predicted_ps > little.recipe->predicted_ps);
    run_clear(&little.run);
    run_clear(&much.run);
}

/* Between machines trees take fewer steps. */
static void test_every_collective_is_proved_on_several_machines(void **state)
{
    static const struct {
        CollKind kind;
        const char *algorithm, *name;
    } cases[] = {
        { COLL_ALL_REDUCE, "ring", "Ring" },
        { COLL_ALL_REDUCE, "tree", "Tree" },
        { COLL_ALL_REDUCE, "nvls-tree", "NVLSTree" },
        { COLL_ALL_REDUCE, "auto", "Tree" },
        { COLL_REDUCE_SCATTER, "auto", "Ring" },
        { COLL_ALL_GATHER, "auto", "Ring" },
        { COLL_BROADCAST, "auto", "Ring" },
        { COLL_REDUCE, "auto", "Ring" },
        { COLL_ALL_TO_ALL, "ring", "P2P" },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *stack =
            g_strdup_printf("{kind: nccl, algorithm: %s}", cases[i].algorithm);
        Done done = run_on(NODES, stack, cases[i].kind, 96 << 10);

        assert_string_equal(done.recipe->algorithm, cases[i].name);
        run_clear(&done.run);
    }
}

/* Two machines of four GPUs, of which each pair shares a NIC of 8 GB/s. */
#define WITH_NICS                                                              \
    "{kind: nested, count: 2, rails: false, outer: {kind: switch, "            \
    "bandwidth: 8 GB/s, latency: 1 us}, inner: {kind: graph, npus_forward: "   \
    "false, nodes: [{name: g0, kind: npu}, {name: g1, kind: npu}, {name: g2, " \
    "kind: npu}, {name: g3, kind: npu}, {name: n0, kind: nic}, {name: n1, "    \
    "kind: nic}, {name: p0, kind: pcie}, {name: p1, kind: pcie}], links: ["    \
    "{from: g0, to: g1, " NVLINK "}, {from: g1, to: g2, " NVLINK "}, "         \
    "{from: g2, to: g3, " NVLINK "}, {from: g3, to: g0, " NVLINK "}, "         \
    "{from: g0, to: p0, " PCIE "}, {from: g1, to: p0, " PCIE "}, "             \
    "{from: g2, to: p1, " PCIE "}, {from: g3, to: p1, " PCIE "}, "             \
    "{from: n0, to: p0, " PCIE "}, {from: n1, to: p1, " PCIE "}, "             \
    "{from: p0, to: p1, " PCIE "}]}}"
#define NVLINK "bandwidth: 32 GB/s, latency: 100 ns"
#define PCIE   "bandwidth: 12 GB/s, latency: 100 ns"

/* 7 eighths of a payload leave a machine, by two NICs. */
static void test_rings_leave_a_machine_by_all_its_nics(void **state)
{
    SimTime least_ps = time_of(MIB(64) / 8 * 7, 2 * 8 * GB);
    Done done =
        run_on(WITH_NICS, "{kind: nccl, algorithm: ring, protocol: Simple}",
               COLL_ALL_GATHER, MIB(64));

    (void)state;
    assert_int_equal(done.recipe->n_channels, 2);
    assert_true(done.iteration_ps > least_ps);
    assert_true(done.iteration_ps < least_ps + least_ps / 10);
    run_clear(&done.run);
}

static Done tree_of_switches(uint32_t n_nodes, uint64_t payload_bytes)
{
    g_autofree char *topology = g_strdup_printf(
        "{kind: nested, count: %u, inner: {kind: switch, npus: 4, reduces: "
        "true, " LINK "}, nics: 4, nic: {bandwidth: 32 GB/s, latency: 100 ns}, "
        "rails: true, outer: {kind: switch, npus: %u, "
        "bandwidth: 32 GB/s, latency: 1 us}}",
        n_nodes, n_nodes);

    return run_on(topology, "{kind: nccl, algorithm: nvls-tree}",
                  COLL_ALL_REDUCE, payload_bytes);
}

static SimTime tree_of_switches_ps(uint32_t n_nodes)
{
    Done done = tree_of_switches(n_nodes, 8);

    run_clear(&done.run);
    return done.iteration_ps;
}

/* A step of 14 us, and a GPU's link and the network's there and back; less than
 * 1 ns is for bytes.  What two children send is on its way at once. */
static void test_trees_between_switches_take_two_steps_a_level(void **state)
{
    SimTime level_ps = 2 * (SIM_US(14) + 2 * (SIM_US(1) + SIM_NS(100)));
    SimTime of_two_ps = tree_of_switches_ps(2);

    (void)state;
    for (uint32_t n_nodes = 3; n_nodes <= 9; n_nodes++) {
        uint64_t n_more = n_nodes > 8 ? 3 : n_nodes > 4 ? 2 : 1;
        SimTime more_ps = tree_of_switches_ps(n_nodes) - of_two_ps;

        assert_true(more_ps >= n_more * level_ps);
        assert_true(more_ps < n_more * (level_ps + SIM_NS(1)));
    }
}

static void test_chunks_take_turns_along_both_trees(void **state)
{
    (void)state;
    for (uint32_t n_nodes = 2; n_nodes <= 7; n_nodes++) {
        Done done = tree_of_switches(n_nodes, MIB(1));

        assert_int_equal(done.recipe->n_channels, 2);
        assert_int_equal(2 * done.recipe->chunk_bytes, MIB(1));
        run_clear(&done.run);
    }
}

static void test_what_is_pinned_and_not_there_is_refused(void **state)
{
    const Setup setup = { .topology = PAIR,
                          .endpoint = IDEAL,
                          .collectives = OWN,
                          .stack = "{kind: nccl, algorithm: nvls}" };

    (void)state;
    assert_refused(
        &setup, FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:8:32: algorithm: all-reduce of 2 NPUs: no switch between GPUs of a machine adds (`reduces`)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ll_sends_flags_with_the_data),
        cmocka_unit_test(test_simple_sends_data_alone),
        cmocka_unit_test(test_the_path_says_what_steps_of_a_protocol_take),
        cmocka_unit_test(test_a_step_costs_more_the_further_it_goes),
        cmocka_unit_test(test_without_costs_the_links_are_left),
        cmocka_unit_test(test_protocols_follow_each_other_as_payloads_grow),
        cmocka_unit_test(test_rings_carry_little_and_the_switch_much),
        cmocka_unit_test(test_every_collective_is_proved_on_several_machines),
        cmocka_unit_test(test_rings_leave_a_machine_by_all_its_nics),
        cmocka_unit_test(test_trees_between_switches_take_two_steps_a_level),
        cmocka_unit_test(test_chunks_take_turns_along_both_trees),
        cmocka_unit_test(test_what_is_pinned_and_not_there_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
