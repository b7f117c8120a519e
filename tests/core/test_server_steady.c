/* Tests of sim_server_steady(): states with different futures are recorded
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

static void visit_job(gpointer self, SteadyWalk *walk, uint64_t order,
                      uint32_t arg)
{
    (void)self;
    steady_same(walk, order);
    steady_same(walk, arg);
}

/* Appends the recorded state of @f to @ret. */
static void record(const Fixture *f, SteadyWords *ret)
{
    g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(SimWide));
    SteadyWalk walk = { .now_ps = sim_engine_now(f->engine),
                        .state = ret,
                        .counts = counts,
                        .own = own };

    sim_server_steady(f->server, &walk, visit_job, NULL);
}

static gboolean are_equal_states(const Fixture *const *a,
                                 const Fixture *const *b)
{
    SteadyWords of_a = { 0 }, of_b = { 0 };
    gboolean ret;

    for (; *a; a++, b++) {
        record(*a, &of_a);
        record(*b, &of_b);
    }
    ret = steady_words_are_same(&of_a, &of_b);
    steady_words_clear(&of_a);
    steady_words_clear(&of_b);
    return ret;
}

/* Returns whether both record the same state; frees both. */
static gboolean is_same_state(Fixture *a, Fixture *b)
{
    const Fixture *const one[] = { a, NULL }, *const other[] = { b, NULL };
    gboolean ret = are_equal_states(one, other);

    fixture_free(a);
    fixture_free(b);
    return ret;
}

/* Returns a server of this rate with a job for each of @units, which end with
 * 0. */
static Fixture *serving(uint32_t n_servers, uint64_t units_per_s,
                        const uint64_t *units)
{
    Fixture *f = fixture_new(n_servers, units_per_s);

    for (guint i = 0; units[i] > 0; i++)
        sim_server_submit(f->server, 0, units[i], 1);
    return f;
}

static const uint64_t none[] = { 0 };

/* Returns a server whose job of @first units was paused after its start. */
static Fixture *paused(uint64_t first)
{
    const uint64_t units[] = { first, 0 };
    Fixture *f = serving(1, GIGA, units);

    sim_server_set_rate(f->server, 0);
    return f;
}

static void test_the_rate_and_the_job_in_service_are_recorded(void **state)
{
    const uint64_t one[] = { 100, 0 };

    (void)state;
    assert_true(is_same_state(serving(1, GIGA, none), serving(1, GIGA, none)));
    assert_false(
        is_same_state(serving(1, GIGA, none), serving(1, 2 * GIGA, none)));
    assert_true(is_same_state(serving(2, GIGA, one), serving(2, GIGA, one)));
    assert_false(is_same_state(serving(2, GIGA, none), serving(2, GIGA, one)));
}

/* 10^12 x 2^52 is 0 in its lower 64 bits. */
static void test_all_bits_of_the_remaining_work_are_recorded(void **state)
{
    const uint64_t more = UINT64_C(1) << 52;

    (void)state;
    assert_true(is_same_state(paused(100), paused(100)));
    assert_false(is_same_state(paused(100), paused(101)));
    assert_false(is_same_state(paused(100), paused(100 + more)));
}

static void test_the_work_of_waiting_jobs_is_recorded(void **state)
{
    const uint64_t few[] = { 100, 7, 0 }, many[] = { 100, 8, 0 };

    (void)state;
    assert_true(is_same_state(serving(1, GIGA, few), serving(1, GIGA, few)));
    assert_false(is_same_state(serving(1, GIGA, few), serving(1, GIGA, many)));
}

/* The words of a job that waits at one server may equal those of a job at
 * another. */
static void test_the_server_of_a_waiting_job_is_recorded(void **state)
{
    const uint64_t one[] = { 100, 0 }, two[] = { 1, 1, 0 };
    Fixture *f[] = { serving(1, GIGA, one), serving(2, 7, none),
                     serving(1, GIGA, one), serving(2, 7, two) };
    const Fixture *const a[] = { f[0], f[1], NULL };
    const Fixture *const b[] = { f[2], f[3], NULL };

    (void)state;
    /* The arguments are the order, the work in units and the number of the
     * job. */
    sim_server_submit(f[0]->server, 7, 2, 5);
    sim_server_submit(f[3]->server, 0, 5, 7);
    assert_false(are_equal_states(a, b));
    for (guint i = 0; i < G_N_ELEMENTS(f); i++)
        fixture_free(f[i]);
}

static void test_the_current_time_does_not_matter(void **state)
{
    Fixture *early = fixture_new(1, GIGA), *late = fixture_new(1, GIGA);
    Action job = { .fixture = late, .value = 100, .arg = 1 };
    Action rest = rate_of(late, GIGA);

    (void)state;
    sim_server_submit(early->server, 0, 100, 1);
    act_at(SIM_NS(50), SIM_PHASE_ACT, &job);
    act_at(SIM_NS(50), SIM_PHASE_SAMPLE, &rest);
    (void)sim_engine_run(late->engine, SIM_NS(50));
    assert_true(is_same_state(early, late));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_rate_and_the_job_in_service_are_recorded),
        cmocka_unit_test(test_all_bits_of_the_remaining_work_are_recorded),
        cmocka_unit_test(test_the_work_of_waiting_jobs_is_recorded),
        cmocka_unit_test(test_the_server_of_a_waiting_job_is_recorded),
        cmocka_unit_test(test_the_current_time_does_not_matter),
    };

    return cmocka_run_group_tests_name("server_steady", tests, NULL, NULL);
}
