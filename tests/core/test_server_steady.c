/* Tests of sim_server_visit_state(): states with different futures are recorded
 * differently */
#include "tests/core/server_fixture.h"

static void own(SteadyWalk *walk, gconstpointer address, SteadyArgFn arg,
                gpointer self)
{
    (void)walk;
    (void)address;
    (void)arg;
    (void)self;
}

static void visit_job_in_walk(gpointer self, SteadyWalk *walk, uint64_t order,
                              uint32_t arg)
{
    (void)self;
    steady_visit_constant(walk, order);
    steady_visit_constant(walk, arg);
}

/* Appends the recorded state of @f to @ret. */
static void record_server_state(const Fixture *f, StateWords *ret)
{
    g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(SimWide));
    SteadyWalk walk = { .now_ps = sim_engine_now_ps(f->engine),
                        .state = ret,
                        .counts = counts,
                        .own = own };

    sim_server_visit_state(f->server, &walk, visit_job_in_walk, NULL);
}

static gboolean have_equal_states(const Fixture *const *a,
                                  const Fixture *const *b)
{
    StateWords of_a = { 0 }, of_b = { 0 };
    gboolean ret;

    for (; *a; a++, b++) {
        record_server_state(*a, &of_a);
        record_server_state(*b, &of_b);
    }
    ret = state_words_are_same(&of_a, &of_b);
    state_words_clear(&of_a);
    state_words_clear(&of_b);
    return ret;
}

/* Returns whether both record the same state; frees both. */
static gboolean is_same_server_state(Fixture *a, Fixture *b)
{
    const Fixture *const one[] = { a, NULL }, *const other[] = { b, NULL };
    gboolean ret = have_equal_states(one, other);

    server_fixture_free(a);
    server_fixture_free(b);
    return ret;
}

/* Returns a server of this rate with a job for each of @units, which end with
 * 0. */
static Fixture *busy_server_new(uint32_t n_servers, uint64_t units_per_s,
                                const uint64_t *units)
{
    Fixture *f = server_fixture_new(n_servers, units_per_s);

    for (guint i = 0; units[i] > 0; i++)
        sim_server_submit_job(f->server, 0, units[i], 1);
    return f;
}

static const uint64_t none[] = { 0 };

/* Returns a server whose job of @first units was paused after its start. */
static Fixture *paused_server_new(uint64_t first)
{
    const uint64_t units[] = { first, 0 };
    Fixture *f = busy_server_new(1, GIGA, units);

    sim_server_set_rate(f->server, 0);
    return f;
}

static void test_server_state_has_rate_and_job_in_service(void **state)
{
    const uint64_t one[] = { 100, 0 };

    (void)state;
    assert_true(is_same_server_state(busy_server_new(1, GIGA, none),
                                     busy_server_new(1, GIGA, none)));
    assert_false(is_same_server_state(busy_server_new(1, GIGA, none),
                                      busy_server_new(1, 2 * GIGA, none)));
    assert_true(is_same_server_state(busy_server_new(2, GIGA, one),
                                     busy_server_new(2, GIGA, one)));
    assert_false(is_same_server_state(busy_server_new(2, GIGA, none),
                                      busy_server_new(2, GIGA, one)));
}

/* 10^12 x 2^52 is 0 in its lower 64 bits. */
static void test_server_state_has_all_bits_of_the_remaining_work(void **state)
{
    const uint64_t more = UINT64_C(1) << 52;

    (void)state;
    assert_true(
        is_same_server_state(paused_server_new(100), paused_server_new(100)));
    assert_false(
        is_same_server_state(paused_server_new(100), paused_server_new(101)));
    assert_false(is_same_server_state(paused_server_new(100),
                                      paused_server_new(100 + more)));
}

static void test_server_state_has_the_work_of_waiting_jobs(void **state)
{
    const uint64_t few[] = { 100, 7, 0 }, many[] = { 100, 8, 0 };

    (void)state;
    assert_true(is_same_server_state(busy_server_new(1, GIGA, few),
                                     busy_server_new(1, GIGA, few)));
    assert_false(is_same_server_state(busy_server_new(1, GIGA, few),
                                      busy_server_new(1, GIGA, many)));
}

/* The words of a job that waits at one server may equal those of a job at
 * another. */
static void test_server_state_has_the_server_of_a_waiting_job(void **state)
{
    const uint64_t one[] = { 100, 0 }, two[] = { 1, 1, 0 };
    Fixture *f[] = { busy_server_new(1, GIGA, one), busy_server_new(2, 7, none),
                     busy_server_new(1, GIGA, one),
                     busy_server_new(2, 7, two) };
    const Fixture *const a[] = { f[0], f[1], NULL };
    const Fixture *const b[] = { f[2], f[3], NULL };

    (void)state;
    /* The arguments are the order, the work in units and the number of the
     * job. */
    sim_server_submit_job(f[0]->server, 7, 2, 5);
    sim_server_submit_job(f[3]->server, 0, 5, 7);
    assert_false(have_equal_states(a, b));
    for (guint i = 0; i < G_N_ELEMENTS(f); i++)
        server_fixture_free(f[i]);
}

static void test_server_state_is_independent_of_the_current_time(void **state)
{
    Fixture *early = server_fixture_new(1, GIGA),
            *late = server_fixture_new(1, GIGA);
    Action job = { .fixture = late, .value = 100, .arg = 1 };
    Action rest = rate_change_action(late, GIGA);

    (void)state;
    sim_server_submit_job(early->server, 0, 100, 1);
    schedule_rate_change(SIM_NS(50), SIM_PHASE_ACT, &job);
    schedule_rate_change(SIM_NS(50), SIM_PHASE_SAMPLE, &rest);
    (void)sim_engine_run(late->engine, SIM_NS(50));
    assert_true(is_same_server_state(early, late));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_server_state_has_rate_and_job_in_service),
        cmocka_unit_test(test_server_state_has_all_bits_of_the_remaining_work),
        cmocka_unit_test(test_server_state_has_the_work_of_waiting_jobs),
        cmocka_unit_test(test_server_state_has_the_server_of_a_waiting_job),
        cmocka_unit_test(test_server_state_is_independent_of_the_current_time),
    };

    return cmocka_run_group_tests_name("server_steady", tests, NULL, NULL);
}
