/* test_perturb_soak.c - Tests that random systems with jitter come to an end */
#include "tests/models/run/perturb/perturb_fixture.h"

/* ---- random systems with jitter ------------------------------------------ */

static const char *volatile current_setup = "";

/* Prints the current setup if an assertion fails or a run that hangs is
 * terminated. */
static void print_setup_and_abort(int number)
{
    (void)!write(STDERR_FILENO, current_setup, strlen(current_setup));
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* Prints the setup after the test, for failures without a signal. */
static int print_setup_on_abort(void **state)
{
    (void)state;
    g_printerr("%s", current_setup);
    return 0;
}

static int draw_number_between(GRand *rand, int least, int most)
{
    return g_rand_int_range(rand, least, most + 1);
}

#define PICK(rand, ...)                                                        \
    (((const char *const[]){ __VA_ARGS__ })[draw_number_between(               \
        rand, 0,                                                               \
        (int)G_N_ELEMENTS(((const char *const[]){ __VA_ARGS__ })) - 1)])

static const char *random_dimension_text(GRand *rand, int least)
{
    return format_text(
        "{size: %d, direction: %s, links: 2, bandwidth: %d GB/s, "
        "latency: %d ns}",
        draw_number_between(rand, least, 4), PICK(rand, "both", "one"),
        draw_number_between(rand, 10, 200), draw_number_between(rand, 0, 2000));
}

/* Returns a topology that has NPUs 0 and 1. Sets a port that it has. */
static const char *random_topology(GRand *rand, const char **ret_port)
{
    int shape = draw_number_between(rand, 0, 9);

    *ret_port = shape == 0 ? "up" : shape == 1 ? "to+1" : "dim0+";
    if (shape < 2)
        return format_text(
            "{kind: %s, npus: %d, bandwidth: 25 GB/s, latency: 1 "
            "us%s}",
            shape ? "fully-connected" : "switch",
            draw_number_between(rand, 2, 9),
            shape ? ""
                  : PICK(rand, "", ", reduces: true",
                         ", reduces: true, reduce_rate: 9 GB/s"));
    return format_text(
        "{kind: torus, dims: [%s, %s, %s]}", random_dimension_text(rand, 2),
        random_dimension_text(rand, 1), random_dimension_text(rand, 1));
}

static const char *random_endpoint(GRand *rand, int chunk_kib)
{
    const char *ace = format_text(
        "{kind: ace, sram: %d KiB, fsms: %d, chunks_per_fsm: %d}",
        chunk_kib * draw_number_between(rand, 2, 8),
        draw_number_between(rand, 4, 8), draw_number_between(rand, 1, 2));

    return PICK(rand, ace, ace, ace, "{kind: ideal}",
                "{kind: baseline, sms: 6, memory_bandwidth: 200 GB/s}",
                "{kind: copy-engine, sms: 2, engines: 4, copy_launch: 1 us, "
                "memory_bandwidth: 200 GB/s}",
                "{kind: baseline, sms: 80, memory_bandwidth: 900 GB/s, "
                "only_while_communicating: true}");
}

static const char *random_workload(GRand *rand, int chunk_kib)
{
    if (g_rand_boolean(rand))
        return format_text(
            "{kind: dlrm, name: r, batch: %d, embedding: {tables: 6, "
            "dimension: 32, lookups: 4}, bottom: [{name: a, in: 64, out: 32}], "
            "top: [{name: b, in: 224, out: 128}, {name: c, in: 128, out: 1}]}",
            draw_number_between(rand, 8, 40 * chunk_kib));
    return format_text(
        "{kind: data-parallel, name: d, batch: 1, layers: [{kind: measured, "
        "name: l, repeat: %d, weights: %d, forward_time: %d us, "
        "input_gradient_time: %d us, weight_gradient_time: %d us}]}",
        draw_number_between(rand, 2, 5),
        chunk_kib * draw_number_between(rand, 100, 2000),
        draw_number_between(rand, 0, 30), draw_number_between(rand, 0, 30),
        draw_number_between(rand, 0, 30));
}

static const char *random_perturb(GRand *rand, const char *port)
{
    return format_text(
        "{seed: %u, jitter: %d %%, distribution: %s, npus: [{npu: %d, "
        "time_factor: %d %%}], links: [{npu: %d, port: %s, "
        "bandwidth_factor: %s}]}",
        g_rand_int(rand), draw_number_between(rand, 0, 300),
        PICK(rand, "uniform", "normal", "exponential"),
        draw_number_between(rand, 0, 1), draw_number_between(rand, 30, 999),
        draw_number_between(rand, 0, 1), port,
        PICK(rand, "1", "0.9", "0.05", "3"));
}

static Setup random_setup(GRand *rand)
{
    int chunk_kib = 1 << draw_number_between(rand, 2, 6);
    const char *port;
    Setup s = { .topology = random_topology(rand, &port) };

    s.npu = format_text("{sms: 80, clock: 1 GHz, flops: 1 TFLOPS, "
                        "hbm: {bandwidth: 900 GB/s, policy: %s}}",
                        PICK(rand, "partitioned", "shared"));
    s.endpoint = random_endpoint(rand, chunk_kib);
    s.workload = random_workload(rand, chunk_kib);
    s.training =
        format_text("{compute: measured, iterations: %d, overlap: %s, "
                    "optimised: %s}",
                    draw_number_between(rand, 1, 3),
                    PICK(rand, "true", "false"), PICK(rand, "true", "false"));
    s.collectives = format_text(
        "{chunk: %d KiB, window: %s, scheduler: %s, preempt: %s, order: %s}",
        chunk_kib, PICK(rand, "1", "2", "3", "64"),
        PICK(rand, "lifo", "fifo", "priority"), PICK(rand, "true", "false"),
        PICK(rand, "fixed", "rotated", "auto"));
    s.perturb = random_perturb(rand, port);
    return s;
}

/* Runs a setup with and without the perturbation, and asserts that both move
 * the same bytes. Returns FALSE if the SRAM is too small. */
static gboolean run_ends_without_stall(Setup s)
{
    GError *error = NULL;
    gboolean ended;
    Run run;

    current_setup = setup_text(&s);
    read_run_setup(&run, &s);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    ended = run.system && system_run(run.system, &error);
    if (ended) {
        SystemResult r = system_result(run.system);
        SystemResult even = run_with_perturbation(&s, NULL, FOLD_AUTO);

        assert_int_equal(r.sent_bytes, even.sent_bytes);
        assert_int_equal(r.hbm_comm_read_bytes, even.hbm_comm_read_bytes);
        assert_int_equal(r.hbm_compute_bytes, even.hbm_compute_bytes);
    } else if (!strstr(error->message, ": sram: "))
        fail_msg("%s", error->message);
    run_clear(&run);
    g_clear_error(&error);
    return ended;
}

static void test_random_systems_with_jitter_do_not_stall(void **state)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(random_seed(3));

    (void)state;
    (void)signal(SIGABRT, print_setup_and_abort);
    (void)signal(SIGTERM, print_setup_and_abort);
    /* The order in which arguments are drawn depends on the compiler. */
    for (guint n = 0; n < n_random_draws(200);)
        n += run_ends_without_stall(random_setup(rand)) ? 1 : 0;
    current_setup = "";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_random_systems_with_jitter_do_not_stall,
                                  print_setup_on_abort),
    };

    return cmocka_run_group_tests_name("perturb", tests, NULL, NULL);
}
