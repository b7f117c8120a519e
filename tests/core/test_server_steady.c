/* test_server_steady.c - what of a server is its state, sim/core/steady.h: two
 * that would go on otherwise are told apart */
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

/* Adds to @ret what is written down of @f. */
static void look(const Fixture *f, SteadyWords *ret)
{
    g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(SimWide));
    SteadyWalk walk = { .now_ps = sim_engine_now(f->engine),
                        .state = ret,
                        .counts = counts,
                        .own = own };

    sim_server_steady(f->server, &walk, visit_job, NULL);
}

static gboolean are_alike(const Fixture *const *a, const Fixture *const *b)
{
    SteadyWords of_a = { 0 }, of_b = { 0 };
    gboolean ret;

    for (; *a; a++, b++) {
        look(*a, &of_a);
        look(*b, &of_b);
    }
    ret = steady_words_are_same(&of_a, &of_b);
    steady_words_clear(&of_a);
    steady_words_clear(&of_b);
    return ret;
}

/* Takes both. */
static gboolean is_alike(Fixture *a, Fixture *b)
{
    const Fixture *const one[] = { a, NULL }, *const other[] = { b, NULL };
    gboolean ret = are_alike(one, other);

    fixture_free(a);
    fixture_free(b);
    return ret;
}

/* A server of that rate, and a job for each of @units, which 0 ends. */
static Fixture *serving(uint32_t n_servers, uint64_t units_per_s,
                        const uint64_t *units)
{
    Fixture *f = fixture_new(n_servers, units_per_s);

    for (guint i = 0; units[i] > 0; i++)
        sim_server_submit(f->server, 0, units[i], 1);
    return f;
}

static const uint64_t none[] = { 0 };

/* @first has been paused, when it had begun. */
static Fixture *paused(uint64_t first)
{
    const uint64_t units[] = { first, 0 };
    Fixture *f = serving(1, GIGA, units);

    sim_server_set_rate(f->server, 0);
    return f;
}

static void test_its_rate_and_who_is_busy(void **state)
{
    const uint64_t one[] = { 100, 0 };

    (void)state;
    assert_true(is_alike(serving(1, GIGA, none), serving(1, GIGA, none)));
    assert_false(is_alike(serving(1, GIGA, none), serving(1, 2 * GIGA, none)));
    assert_true(is_alike(serving(2, GIGA, one), serving(2, GIGA, one)));
    assert_false(is_alike(serving(2, GIGA, none), serving(2, GIGA, one)));
}

/* 10^12 times 2^52 is 0 but for what is past 64 bits. */
static void test_what_is_left_in_all_of_its_bits(void **state)
{
    const uint64_t more = UINT64_C(1) << 52;

    (void)state;
    assert_true(is_alike(paused(100), paused(100)));
    assert_false(is_alike(paused(100), paused(101)));
    assert_false(is_alike(paused(100), paused(100 + more)));
}

static void test_how_much_those_are_that_wait(void **state)
{
    const uint64_t few[] = { 100, 7, 0 }, many[] = { 100, 8, 0 };

    (void)state;
    assert_true(is_alike(serving(1, GIGA, few), serving(1, GIGA, few)));
    assert_false(is_alike(serving(1, GIGA, few), serving(1, GIGA, many)));
}

/* A job that waits at one is as many words as at another, and these may be
 * alike. */
static void test_where_a_job_waits(void **state)
{
    const uint64_t one[] = { 100, 0 }, two[] = { 1, 1, 0 };
    Fixture *f[] = { serving(1, GIGA, one), serving(2, 7, none),
                     serving(1, GIGA, one), serving(2, 7, two) };
    const Fixture *const a[] = { f[0], f[1], NULL };
    const Fixture *const b[] = { f[2], f[3], NULL };

    (void)state;
    sim_server_submit(f[0]->server, 7, 2, 5); /* order, units, arg */
    sim_server_submit(f[3]->server, 0, 5, 7);
    assert_false(are_alike(a, b));
    for (guint i = 0; i < G_N_ELEMENTS(f); i++)
        fixture_free(f[i]);
}

static void test_when_it_is_does_not_matter(void **state)
{
    Fixture *early = fixture_new(1, GIGA), *late = fixture_new(1, GIGA);
    Action job = { .fixture = late, .value = 100, .arg = 1 };
    Action rest = rate_of(late, GIGA);

    (void)state;
    sim_server_submit(early->server, 0, 100, 1);
    act_at(SIM_NS(50), SIM_PHASE_ACT, &job);
    act_at(SIM_NS(50), SIM_PHASE_SAMPLE, &rest);
    (void)sim_engine_run(late->engine, SIM_NS(50));
    assert_true(is_alike(early, late));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_its_rate_and_who_is_busy),
        cmocka_unit_test(test_what_is_left_in_all_of_its_bits),
        cmocka_unit_test(test_how_much_those_are_that_wait),
        cmocka_unit_test(test_where_a_job_waits),
        cmocka_unit_test(test_when_it_is_does_not_matter),
    };

    return cmocka_run_group_tests_name("server_steady", tests, NULL, NULL);
}
