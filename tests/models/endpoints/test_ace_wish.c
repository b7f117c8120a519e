/* test_ace_wish.c - what ACE would let into a phase next, which all NPUs may
 * have to: nothing that has no room there, and of two what goes first */
#include "tests/test.h"

#include "models/endpoints/ace_impl.h"

typedef struct {
    Watch watch;
    EndpointHost host;
    uint64_t n_entries[COLL_MAX_PHASES];
    Chunk chunks[2];
    Ace ace;
} Phase;

/* Its partition has two slots, and two chunks that could enter. */
static Phase *phase_new(void)
{
    Phase *p = lines_new0(sizeof *p);

    p->host.watch = &p->watch;
    p->host.n_entries = p->n_entries;
    p->ace.base.host = &p->host;
    p->ace.terminal = 1;
    p->ace.partitions[0].n_slots = 2;
    p->ace.partitions[0].candidates = g_ptr_array_new();
    for (guint i = 0; i < 2; i++) {
        p->chunks[i].order = 9 - i;
        g_ptr_array_add(p->ace.partitions[0].candidates, &p->chunks[i]);
    }
    return p;
}

static void phase_free(Phase *p)
{
    g_ptr_array_unref(p->ace.partitions[0].candidates);
    lines_free(p);
}

static void ace_wishes_what_goes_first_of_what_could_enter(void **state)
{
    Phase *p = phase_new();

    (void)state;
    assert_ptr_equal(ace_accord.wish(&p->ace, ACCORD_PHASE(0)), &p->chunks[1]);
    assert_true(ace_accord.goes_before(&p->chunks[1], &p->chunks[0]));
    assert_false(ace_accord.goes_before(&p->chunks[0], &p->chunks[1]));
    phase_free(p);
}

static void ace_wishes_nothing_without_a_slot(void **state)
{
    Phase *p = phase_new();

    (void)state;
    p->ace.partitions[0].n_used = 1;
    assert_ptr_equal(ace_accord.wish(&p->ace, ACCORD_PHASE(0)), &p->chunks[1]);
    p->ace.partitions[0].n_used = 2;
    assert_null(ace_accord.wish(&p->ace, ACCORD_PHASE(0)));
    phase_free(p);
}

static void ace_that_is_behind_wishes_nothing(void **state)
{
    Phase *p = phase_new();

    (void)state;
    ace_accord.decide(&p->ace, ACCORD_PHASE(0), &p->chunks[0]);
    assert_int_equal(p->chunks[0].entry[0], 1);
    assert_null(ace_accord.wish(&p->ace, ACCORD_PHASE(0)));
    phase_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ace_wishes_what_goes_first_of_what_could_enter),
        cmocka_unit_test(ace_wishes_nothing_without_a_slot),
        cmocka_unit_test(ace_that_is_behind_wishes_nothing),
    };

    return cmocka_run_group_tests_name("ace_wish", tests, NULL, NULL);
}
