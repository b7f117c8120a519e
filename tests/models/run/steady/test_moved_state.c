/*
 * test_moved_state.c - a run whose whole state is moved to a later time goes on
 * as before
 *
 * A skip moves the state of a run by whole periods, which hides a time that
 * stays behind unless the next period depends on it.  Here the state is moved
 * at random moments, whether or not anything repeats.  ACESIM_DRAWS=n draws n
 * times as many systems, and ACESIM_SEED=n draws others. */
#include "tests/models/run/steady/steady_setups.h"

#include "models/run/steady/state_snapshot.h"

#define N_SYSTEMS  20 /* for each topology */
#define MOST_MOVES 64 /* attempts in a run */

/* Moves the state of a run ahead some times, when nothing repeats. */
typedef struct {
    GRand *rand; /* borrowed */
    StateWalker walker;
    SimTime every_ps, shift_ps;
    guint n_left, n_moved;
} Mover;

/* Moves all state @mover->shift_ps ahead.  Returns FALSE if it cannot be
 * described at this moment. */
static gboolean move_state(Mover *mover, SimTime now_ps)
{
    StateWalker *walker = &mover->walker;
    const System *system = walker->system;
    const GPtrArray *pending = system->state.npus[0].pending;
    g_autoptr(GArray) none = g_array_new(FALSE, FALSE, sizeof(SteadyChange));
    g_autofree SimWide *grows = NULL;
    Snapshot *snapshot;

    if (pending->len == 0 || walker->other_events->len > 0)
        return FALSE;
    snapshot = snapshot_take(walker, g_ptr_array_index(pending, 0), 0);
    if (!snapshot)
        return FALSE;
    grows = g_new0(SimWide, snapshot->counts->len);
    state_walker_advance(walker, &(SteadyWalk){ .shift_ps = mover->shift_ps,
                                                .growth = grows,
                                                .changes = none });
    sim_engine_set_now_ps(system->state.engine, now_ps + mover->shift_ps);
    state_walker_put_moved(walker, mover->shift_ps);
    snapshot_free(snapshot);
    return TRUE;
}

static void on_move_due(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Mover *mover = self;
    SimEngine *engine = mover->walker.system->state.engine;

    (void)arg;
    state_walker_take_events(&mover->walker);
    if (move_state(mover, now_ps)) {
        mover->n_moved++;
    } else {
        sim_engine_set_now_ps(engine, now_ps);
        state_walker_put_events(&mover->walker);
    }
    if (--mover->n_left > 0)
        sim_engine_schedule(engine,
                            sim_engine_now_ps(engine) +
                                (SimTime)g_rand_double_range(
                                    mover->rand, 1, (double)mover->every_ps),
                            SIM_PHASE_SAMPLE, on_move_due, mover, 0);
}

/* Runs @s once as it is, and once with its state moved ahead at random moments.
 * Returns how often it was moved. */
static guint compare_moved_with_unmoved(GRand *rand, const Setup *s,
                                        FoldMode fold)
{
    Mover mover = { .rand = rand, .n_left = MOST_MOVES };
    Run full, moved;
    GError *error = NULL;
    SimTime span_ps;

    if (!run_with_skip_mode(s, fold, SKIP_OFF, &full))
        return 0;
    span_ps = system_result(full.system).span_ps;
    mover.every_ps = span_ps / MOST_MOVES * 2 + 2;
    mover.shift_ps = (SimTime)g_rand_int_range(rand, 1, G_MAXINT32);
    read_run_setup(&moved, s);
    moved.system = system_new(
        &moved.config, (RunOptions){ .fold = fold, .skip = SKIP_OFF }, &error);
    assert_no_error(error);
    state_walker_init(&mover.walker, moved.system);
    sim_engine_schedule(moved.system->state.engine, 1, SIM_PHASE_SAMPLE,
                        on_move_due, &mover, 0);
    if (!system_run(moved.system, &error))
        fail_msg("%s: %s", setup_text(s), error->message);
    if (system_result(moved.system).span_ps !=
        span_ps + mover.n_moved * mover.shift_ps)
        fail_msg("%s: %" G_GUINT64_FORMAT " ps instead of %" G_GUINT64_FORMAT
                 " after %u moves by %" G_GUINT64_FORMAT,
                 setup_text(s), system_result(moved.system).span_ps,
                 span_ps + mover.n_moved * mover.shift_ps, mover.n_moved,
                 mover.shift_ps);
    assert_equal_ports(s, full.system, moved.system);
    state_walker_clear(&mover.walker);
    run_clear(&full);
    run_clear(&moved);
    return mover.n_moved;
}

/* A skip moves the state to a later time.  Here it is moved when nothing
 * repeats, so no time that still has an effect may stay behind. */
static void test_moved_state_goes_on_as_before(void **state)
{
    (void)state;
    for (guint t = 0; topology_registry.kinds[t]; t++) {
        const char *kind = topology_registry.kinds[t]->name;
        GRand *rand = g_rand_new_with_seed(random_seed(41 + t));
        guint n_moves = 0, n = n_random_draws(N_SYSTEMS);

        for (guint i = 0; i < n; i++) {
            Setup s;

            if (i % 2 == 0)
                draw_steady_setup(rand, &s);
            else
                draw_steady_setup_on(rand, kind, &s);
            n_moves += compare_moved_with_unmoved(
                rand, &s, i % 3 == 0 ? FOLD_OFF : FOLD_AUTO);
        }
        g_rand_free(rand);
        if (g_getenv("ACESIM_DRAWS"))
            print_message("%s: %u moves in %u runs\n", kind, n_moves, n);
        assert_true(n_moves > n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moved_state_goes_on_as_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
