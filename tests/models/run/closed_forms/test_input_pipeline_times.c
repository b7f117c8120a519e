/*
 * test_input_pipeline_times.c - Tests of the stages of the input pipeline
 * against closed forms, with tolerance 0.
 *
 * Kernels take 40 and 80 us, followed by one all-reduce. R is the time of both.
 * Reading, decoding and copying take r, d and c, together
 * S. */
#include "tests/system_fixture.h"

#include "models/observe/critical_path.h"
#include "models/observe/verify_collectives.h"

#define LAYER                                                                  \
    "{kind: linear, name: a, in: 256, out: 256, forward_time: 40 us, "         \
    "weight_gradient_time: 80 us}"
#define US(n)   ((SimTime)(n)*1000000)
#define KERNELS US(120)
#define MOST    12

typedef struct {
    unsigned read_us, decode_us, copy_us;
    const char *prefetch;
    unsigned depth;
} Case;

static Setup input_setup_of_case(const Case *c, unsigned n_iterations)
{
    const char *input =
        c ? format_text("input: {read: {time: %u us}, decode: {time: %u us}, "
                        "copy: {time: %u us}, prefetch: %s, depth: %u}, ",
                        c->read_us, c->decode_us, c->copy_us, c->prefetch,
                        c->depth)
          : "";

    return (Setup){
        .workload = "{kind: data-parallel, name: one, batch: 8, layers: "
                    "[" LAYER "]}",
        .training =
            format_text("{iterations: %u, compute: measured, synchronise: "
                        "step, exchange: {kind: single}, %s}",
                        n_iterations, input),
    };
}

static SimTime total_ps(const Case *c, unsigned n_iterations)
{
    const Setup setup = input_setup_of_case(c, n_iterations);

    return simulate_setup(&setup).total_ps;
}

/* Returns R, the time of an iteration that has its samples. */
static SimTime iteration_rest_ps(void)
{
    return total_ps(NULL, 1);
}

static void iterations_with_input_samples_follow_each_other(void **state)
{
    (void)state;
    assert_true(iteration_rest_ps() > KERNELS);
    assert_int_equal(total_ps(NULL, 7), 7 * iteration_rest_ps());
}

static void without_prefetch_input_stages_are_a_sum(void **state)
{
    const Case c = { 30, 50, 20, "none", 1 };

    (void)state;
    assert_int_equal(total_ps(&c, 5), 5 * (US(100) + iteration_rest_ps()));
}

/* The run takes r + d + (N - 1) max(r + d, R) + N c + R. */
static void prefetch_to_the_host_does_not_hide_the_copy(void **state)
{
    const Case hidden = { 30, 50, 20, "host", 1 };
    const Case shown = { 300, 50, 20, "host", 1 };

    (void)state;
    assert_int_equal(total_ps(&hidden, 5),
                     US(80) + 5 * (US(20) + iteration_rest_ps()));
    assert_int_equal(total_ps(&shown, 5), 5 * US(370) + iteration_rest_ps());
}

/* The run takes S + (N - 1) max(S, R) + R. */
static void prefetch_to_the_device_overlaps_input_and_compute(void **state)
{
    const Case hidden = { 30, 50, 20, "device", 1 };
    const Case shown = { 300, 50, 20, "device", 1 };

    (void)state;
    assert_int_equal(total_ps(&hidden, 5), US(100) + 5 * iteration_rest_ps());
    assert_int_equal(total_ps(&shown, 5), 5 * US(370) + iteration_rest_ps());
}

/* With depth 3, stages work in parallel: r + N d + c + R. */
static void the_slowest_input_stage_limits_with_enough_buffers(void **state)
{
    const Case c = { 200, 500, 300, "device", 3 };

    (void)state;
    assert_int_equal(total_ps(&c, 9),
                     US(500) + 9 * US(500) + iteration_rest_ps());
}

/* Two of three equal stages are busy: S / 2 per iteration, two at a time. */
static void too_few_input_buffers_limit_the_iteration(void **state)
{
    const Case c = { 300, 300, 300, "device", 2 };

    (void)state;
    assert_int_equal(total_ps(&c, 8),
                     4 * US(900) + US(300) + iteration_rest_ps());
}

/* ---- all prefetch settings, by recurrence -------------------------------- */

/* Returns the end of the stage @back batches before batch @i, 0 before the
 * first batch. */
static SimTime end_before_iteration(const SimTime *ends_ps, unsigned i,
                                    unsigned back)
{
    return back > i ? 0 : ends_ps[i - back];
}

static SimTime expected_total_ps(const Case *c, unsigned n, SimTime all_ps)
{
    SimTime read[MOST], decoded[MOST], copied[MOST], kernels[MOST], end[MOST];
    gboolean none = g_str_equal(c->prefetch, "none");
    gboolean host = g_str_equal(c->prefetch, "host");

    for (unsigned i = 0; i < n; i++) {
        SimTime at = MAX(end_before_iteration(read, i, 1),
                         none ? end_before_iteration(end, i, 1)
                              : end_before_iteration(copied, i, c->depth));

        read[i] = at + US(c->read_us);
        decoded[i] = MAX(read[i], end_before_iteration(decoded, i, 1)) +
                     US(c->decode_us);
        at = MAX(decoded[i], end_before_iteration(copied, i, 1));
        if (!none)
            at = MAX(at, host ? end_before_iteration(end, i, 1)
                              : end_before_iteration(kernels, i, c->depth + 1));
        copied[i] = at + US(c->copy_us);
        at = MAX(copied[i], end_before_iteration(end, i, 1));
        kernels[i] = at + KERNELS;
        end[i] = at + all_ps;
    }
    return end[n - 1];
}

static void random_input_stages_follow_their_recurrence(void **state)
{
    static const char *const prefetch[] = { "none", "host", "device" };
    g_autoptr(GRand) rand = g_rand_new_with_seed(5);
    SimTime all_ps = iteration_rest_ps();

    (void)state;
    for (unsigned n = 0; n < 120; n++) {
        Case c = { .read_us = (unsigned)g_rand_int_range(rand, 1, 300),
                   .decode_us = (unsigned)g_rand_int_range(rand, 1, 300),
                   .copy_us = (unsigned)g_rand_int_range(rand, 1, 300),
                   .prefetch = prefetch[n % 3],
                   .depth = 1 };

        if (n % 3 > 0)
            c.depth = (unsigned)g_rand_int_range(rand, 1, 5);
        assert_int_equal(total_ps(&c, MOST),
                         expected_total_ps(&c, MOST, all_ps));
    }
}

/* ---- critical path and symmetry reduction of input stages ---------------- */

static void simulate_path_of_iterations(const Case *c, unsigned n,
                                        SimTime ret_ps[PATH_N])
{
    const Setup setup = input_setup_of_case(c, n);
    g_autoptr(CriticalPath) path = NULL;
    GError *error = NULL;
    Run run;

    read_run_setup(&run, &setup);
    run.system = system_new(&run.config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    path = critical_path_new(run.system, 0);
    assert_true(system_run(run.system, &error) || error);
    assert_no_error(error);
    critical_path_finish(path, system_result(run.system).total_ps);
    for (uint32_t row = 0; row < PATH_N; row++)
        ret_ps[row] = critical_path_row_time_ps(path, row);
    run_clear(&run);
}

static void input_waits_are_attributed_to_the_slow_stage(void **state)
{
    const Case sum = { 30, 50, 20, "none", 1 };
    const Case bound = { 200, 500, 300, "device", 3 };
    SimTime rows_ps[PATH_N];

    (void)state;
    simulate_path_of_iterations(&sum, 4, rows_ps);
    assert_int_equal(rows_ps[PATH_STAGES + OP_STAGE_READ], 4 * US(30));
    assert_int_equal(rows_ps[PATH_STAGES + OP_STAGE_DECODE], 4 * US(50));
    assert_int_equal(rows_ps[PATH_STAGES + OP_STAGE_COPY], 4 * US(20));
    assert_int_equal(rows_ps[PATH_UNKNOWN], 0);
    simulate_path_of_iterations(&bound, 9, rows_ps);
    assert_int_equal(rows_ps[PATH_STAGES + OP_STAGE_READ], US(200));
    assert_int_equal(rows_ps[PATH_UNKNOWN], 0);
    /* In the middle of the run, all wait for the decoder from the end of an
     * iteration to the copy of the next batch. The copy is a part of that
     * wait. */
    assert_true(rows_ps[PATH_STAGES + OP_STAGE_COPY] > US(300));
    assert_true(rows_ps[PATH_STAGES + OP_STAGE_DECODE] > US(500));
}

static void a_full_input_run_equals_symmetry_reduction(void **state)
{
    static const char *const exchanges[] = {
        "{kind: layer}", "{kind: tensor}", "{kind: fusion}",
        "{kind: parameter-server, servers: {list: [3]}}"
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(exchanges); i++) {
        const Setup setup = {
            .workload = "{kind: data-parallel, name: one, batch: 8, layers: "
                        "[" LAYER "]}",
            .training =
                format_text("{iterations: 4, compute: measured, exchange: "
                            "%s, input: {read: {time: 200 us}, copy: {time:"
                            " 50 us}, prefetch: host}}",
                            exchanges[i]),
        };
        GError *error = NULL;
        Verify *verify;
        Run run;

        read_run_setup(&run, &setup);
        run.system =
            system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
        assert_no_error(error);
        verify = verify_listen_to_system(run.system, &error);
        assert_no_error(error);
        (void)!system_run(run.system, &error);
        assert_no_error(error);
        assert_int_equal(system_result(run.system).total_ps,
                         simulate_setup(&setup).total_ps);
        collective_verifier_free(verify);
        run_clear(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_with_input_samples_follow_each_other),
        cmocka_unit_test(without_prefetch_input_stages_are_a_sum),
        cmocka_unit_test(prefetch_to_the_host_does_not_hide_the_copy),
        cmocka_unit_test(prefetch_to_the_device_overlaps_input_and_compute),
        cmocka_unit_test(the_slowest_input_stage_limits_with_enough_buffers),
        cmocka_unit_test(too_few_input_buffers_limit_the_iteration),
        cmocka_unit_test(random_input_stages_follow_their_recurrence),
        cmocka_unit_test(input_waits_are_attributed_to_the_slow_stage),
        cmocka_unit_test(a_full_input_run_equals_symmetry_reduction),
    };

    return cmocka_run_group_tests_name("input forms", tests, NULL, NULL);
}
