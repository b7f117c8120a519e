/* test_accord.c - what goes first is next for all, whoever asked first */
#include "tests/test.h"

#include "models/endpoints/accord.h"

#define N_NPUS 3

typedef struct Fixture Fixture;

typedef struct {
    Fixture *f;
    AccordAsker asker;
    const char *wish; /* NULL: it has none */
    uint32_t then;    /* asks for that stage as it goes on, once; or 0 */
    gboolean is_full; /* it has no room */
    gboolean learns;  /* of a decision, when it has caught up */
    gboolean is_behind;
    guint n_gone_on;
} Asking;

struct Fixture {
    Accord accord;
    Asking npus[N_NPUS];
    GString *log; /* what was decided, and of which stage */
};

static gpointer wish(gpointer self, uint32_t stage)
{
    (void)stage;
    return (gpointer)((Asking *)self)->wish;
}

static gboolean goes_before(gconstpointer a, gconstpointer b)
{
    return strcmp(a, b) < 0;
}

static void decide(gpointer self, uint32_t stage, gpointer wish)
{
    const Asking *npu = self;

    assert_ptr_equal(wish, npu->wish);
    g_string_append_printf(npu->f->log, "%s%u ", npu->wish, stage);
}

static void go_on(gpointer self, uint32_t stage)
{
    Asking *npu = self;
    uint32_t then = npu->then;

    (void)stage;
    npu->n_gone_on++;
    npu->then = 0;
    if (then > 0)
        accord_ask(&npu->f->accord, &npu->asker, then);
}

static gboolean has_room(gpointer self, uint32_t stage)
{
    (void)stage;
    return !((const Asking *)self)->is_full;
}

static gboolean is_behind(gpointer self, uint32_t stage)
{
    (void)stage;
    return ((const Asking *)self)->is_behind;
}

static const AccordOps ops = { wish,  goes_before, decide,
                               go_on, has_room,    is_behind };

static int setup(void **state)
{
    static const char *const wishes[N_NPUS] = { "b", "a", "c" };
    Fixture *f = g_new0(Fixture, 1);

    f->accord.engine = sim_engine_new();
    f->log = g_string_new(NULL);
    for (guint i = 0; i < N_NPUS; i++) {
        f->npus[i] = (Asking){ .f = f, .wish = wishes[i] };
        f->npus[i].asker = (AccordAsker){ .ops = &ops, .self = &f->npus[i] };
    }
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    Fixture *f = *state;

    sim_engine_free(f->accord.engine);
    g_string_free(f->log, TRUE);
    g_free(f);
    return 0;
}

static void ask(Fixture *f, guint npu, uint32_t stage)
{
    assert_false(accord_is_late(&f->accord, &f->npus[npu].asker, stage));
    accord_ask(&f->accord, &f->npus[npu].asker, stage);
}

static void settle(Fixture *f)
{
    assert_int_equal(sim_engine_run_events(f->accord.engine, 1), 0);
}

static void test_what_goes_first_is_next_whoever_asked_first(void **state)
{
    Fixture *f = *state;

    for (guint first = 0; first < N_NPUS; first++)
        for (guint step = 1; step < N_NPUS; step++) {
            g_string_truncate(f->log, 0);
            for (guint i = 0; i < N_NPUS; i++)
                ask(f, (first + i * step) % N_NPUS, 1);
            settle(f);
            assert_string_equal(f->log->str, "a1 ");
        }
    for (guint i = 0; i < N_NPUS; i++)
        assert_int_equal(f->npus[i].n_gone_on, N_NPUS * (N_NPUS - 1));
}

static void test_where_nobody_wishes_all_go_on(void **state)
{
    Fixture *f = *state;

    for (guint i = 0; i < N_NPUS; i++) {
        f->npus[i].wish = NULL;
        ask(f, i, 1);
        ask(f, i, 1);
    }
    settle(f);
    assert_string_equal(f->log->str, "");
    for (guint i = 0; i < N_NPUS; i++)
        assert_int_equal(f->npus[i].n_gone_on, 1);
}

static void
test_the_last_stage_is_first_and_who_asks_meanwhile_is_seen(void **state)
{
    Fixture *f = *state;

    f->npus[0].then = 2;
    ask(f, 0, ACCORD_INTAKE);
    ask(f, 1, 3);
    ask(f, 2, 1);
    f->npus[2].then = 3;
    settle(f);
    assert_string_equal(f->log->str, "a3 c1 c3 b0 b2 ");
}

/* What is decided need not be what it had no room for. */
static void test_who_had_no_wish_goes_on_once_another_has_decided(void **state)
{
    Fixture *f = *state;

    f->npus[0].wish = NULL;
    ask(f, 0, 1);
    settle(f);
    ask(f, 0, 1);
    ask(f, 1, 2);
    settle(f); /* of another stage */
    assert_int_equal(f->npus[0].n_gone_on, 2);
    ask(f, 1, 1);
    settle(f);
    assert_int_equal(f->npus[0].n_gone_on, 3);
    ask(f, 1, 1);
    settle(f); /* it waits no longer */
    assert_int_equal(f->npus[0].n_gone_on, 3);
    assert_string_equal(f->log->str, "a2 a1 a1 ");
}

/* ---- where others ask elsewhere ------------------------------------------ */

static void catch_up(gpointer self)
{
    Fixture *f = self;

    g_string_append(f->log, "up ");
    for (guint i = 0; i < N_NPUS; i++)
        f->npus[i].is_behind = f->npus[i].learns;
}

static void settle_all(gpointer self)
{
    g_string_append(((Fixture *)self)->log, "settle ");
}

static void cannot(gpointer self)
{
    g_string_append(((Fixture *)self)->log, "cannot ");
}

static const AccordOthers others = { catch_up, settle_all, cannot };

static void have_others(Fixture *f)
{
    f->accord.others = &others;
    f->accord.self = f;
}

/* It asks for nothing that it has been told meanwhile. */
static void test_who_has_room_catches_up_before_it_asks(void **state)
{
    Fixture *f = *state;

    have_others(f);
    f->npus[1].learns = TRUE;
    assert_true(accord_is_late(&f->accord, &f->npus[1].asker, 1));
    assert_int_equal(f->accord.asked, 0);
    f->npus[0].is_full = TRUE; /* whatever it would be told */
    ask(f, 0, 1);
    assert_false(accord_is_open(&f->accord));
    ask(f, 2, 1);
    assert_true(accord_is_open(&f->accord));
    settle(f);
    assert_string_equal(f->log->str, "up up settle ");
}

/* What NPU 0 asks here and NPUs 1 and 2 there. */
static void test_all_that_ask_anywhere_are_looked_at_together(void **state)
{
    Fixture *f = *state;
    Accord there = { .engine = f->accord.engine };
    Accord *const both[] = { &f->accord, &there };

    have_others(f);
    ask(f, 0, 1);
    there.is_due = TRUE;
    accord_ask(&there, &f->npus[1].asker, 1);
    accord_ask(&there, &f->npus[2].asker, 3);
    g_string_truncate(f->log, 0);
    accord_decide(both, 2);
    assert_string_equal(f->log->str, "c3 a1 ");
    for (guint i = 0; i < N_NPUS; i++)
        assert_int_equal(f->npus[i].n_gone_on, 1);
    assert_false(f->accord.is_due || there.is_due);
}

/* Who has room, and no wish, would have to be told what others decide. */
static void test_who_would_wait_for_others_cannot(void **state)
{
    Fixture *f = *state;
    Accord *const alone[] = { &f->accord };

    have_others(f);
    f->npus[0].wish = f->npus[1].wish = NULL;
    f->npus[1].is_full = TRUE;
    ask(f, 1, 1);
    settle(f);
    g_string_truncate(f->log, 0);
    accord_decide(alone, 1);
    assert_string_equal(f->log->str, "");
    ask(f, 0, 1);
    g_string_truncate(f->log, 0);
    accord_decide(alone, 1);
    assert_string_equal(f->log->str, "cannot ");
    assert_null(f->accord.waiting[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_what_goes_first_is_next_whoever_asked_first, setup, teardown),
        cmocka_unit_test_setup_teardown(test_where_nobody_wishes_all_go_on,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_the_last_stage_is_first_and_who_asks_meanwhile_is_seen, setup,
            teardown),
        cmocka_unit_test_setup_teardown(
            test_who_had_no_wish_goes_on_once_another_has_decided, setup,
            teardown),
        cmocka_unit_test_setup_teardown(
            test_who_has_room_catches_up_before_it_asks, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_all_that_ask_anywhere_are_looked_at_together, setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_would_wait_for_others_cannot,
                                        setup, teardown),
    };

    return cmocka_run_group_tests_name("accord", tests, NULL, NULL);
}
