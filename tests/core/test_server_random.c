/* Tests of sim/core/job_server.c: random jobs and rates conserve work, compared
 * with exact 128-bit arithmetic */
#include "tests/core/server_fixture.h"

/* ---- random rates against exact arithmetic ------------------------------- */

typedef struct {
    SimTime at_ps;
    uint64_t units_per_s;
} RateChange;

typedef struct {
    uint64_t order, units;
    uint32_t arg;
} Job;

static int compare_by_service_order(const void *left, const void *right)
{
    const Job *a = left, *b = right;

    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->arg > b->arg) - (a->arg < b->arg);
}

/* Returns the end of a job of @units that starts at @now_ps, with the rate
 * given by @changes. */
static SimTime exact_service_end(SimTime now_ps, uint64_t units,
                                 const RateChange *changes, guint n_changes)
{
    SimWide left = (SimWide)units * SIM_PS_PER_SEC;

    for (guint i = 0; i < n_changes; i++) {
        SimTime until_ps =
            i + 1 < n_changes ? changes[i + 1].at_ps : SIM_TIME_MAX;
        SimWide rate = changes[i].units_per_s;

        if (until_ps <= now_ps)
            continue;
        if (rate && (left + rate - 1) / rate <= until_ps - now_ps)
            return now_ps + (SimTime)((left + rate - 1) / rate);
        left -= rate * (until_ps - now_ps);
        now_ps = until_ps;
    }
    fail();
    return 0;
}

static uint64_t random_service_rate(GRand *rand)
{
    switch (g_rand_int(rand) % 4) {
    case 0:
        return 0;
    case 1:
        /* The rate is about 10^-9 of the other rates. */
        return 1 + g_rand_int(rand) % 1000;
    default:
        return GIGA + g_rand_int(rand) * UINT64_C(100);
    }
}

enum { N_JOBS = 60, N_CHANGES = 150 };

/* @round: chooses times and rates such that changes often coincide with the end
 * of a job. */
static void draw_rate_changes(GRand *rand, gboolean round, RateChange *changes)
{
    static const uint64_t rates[] = { 0, GIGA, 2 * GIGA, 4 * GIGA };
    SimTime at_ps = 0;

    changes[0] = (RateChange){ 0, 4 * GIGA };
    for (guint i = 1; i < N_CHANGES; i++) {
        at_ps += round ? 1000 * (1 + g_rand_int(rand) % 40)
                       : 1 + g_rand_int(rand) % 400000;
        changes[i].at_ps = at_ps;
        changes[i].units_per_s =
            round ? rates[g_rand_int(rand) % 4] : random_service_rate(rand);
    }
    changes[N_CHANGES - 1].units_per_s = 3 * GIGA;
}

static void check_server_against_exact_arithmetic(guint32 seed, gboolean round)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    Fixture *f = server_fixture_new(1, 4 * GIGA);
    RateChange changes[N_CHANGES];
    Action actions[N_CHANGES];
    Job jobs[N_JOBS];
    uint64_t sum_units = 0;
    SimTime now_ps = 0;

    for (guint i = 0; i < N_JOBS; i++) {
        /* The first job starts immediately. */
        uint64_t order = i > 0 ? g_rand_int(rand) % 8 : 0;

        jobs[i] = (Job){ order, 1 + g_rand_int(rand) % (round ? 80 : 5000), i };
        sum_units += jobs[i].units;
        sim_server_submit_job(f->server, order, jobs[i].units, i);
    }
    draw_rate_changes(rand, round, changes);
    for (guint i = 1; i < N_CHANGES; i++) {
        actions[i] = rate_change_action(f, changes[i].units_per_s);
        schedule_rate_change(changes[i].at_ps, (SimPhase)(g_rand_int(rand) % 4),
                             &actions[i]);
    }
    run_server_fixture(f);

    qsort(jobs, N_JOBS, sizeof *jobs, compare_by_service_order);
    assert_int_equal(f->n_done, N_JOBS);
    for (guint i = 0; i < N_JOBS; i++) {
        now_ps = exact_service_end(now_ps, jobs[i].units, changes, N_CHANGES);
        assert_job_done_at(f, i, jobs[i].arg, now_ps);
    }
    assert_int_equal(sim_server_processed_units(f->server), sum_units);
    assert_true(sim_server_is_idle(f->server));
    server_fixture_free(f);
}

static void test_random_rates_conserve_work_to_the_picosecond(void **state)
{
    (void)state;
    for (guint32 seed = 1; seed <= 300; seed++) {
        check_server_against_exact_arithmetic(seed, FALSE);
        check_server_against_exact_arithmetic(seed, TRUE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_rates_conserve_work_to_the_picosecond),
    };

    return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
