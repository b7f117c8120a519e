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

static const AccordOps ops = { wish, goes_before, decide, go_on };

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
    };

    return cmocka_run_group_tests_name("accord", tests, NULL, NULL);
}
