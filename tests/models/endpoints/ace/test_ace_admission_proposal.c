/* test_ace_admission_proposal.c - Tests of the chunk that ACE proposes to admit
 * to a phase next.
 *
 * All NPUs may have to follow the proposal of one. ACE proposes nothing without
 * a free slot, and of two chunks it proposes the one that goes first
 * by order. */
#include "tests/test.h"

#include "models/endpoints/ace/ace_impl.h"

typedef struct {
    Watch watch;
    EndpointHost host;
    uint64_t n_entries[COLL_MAX_PHASES];
    Chunk chunks[2];
    Ace ace;
} TestPhase;

/* Returns a phase with two slots and two chunks that could enter. */
static TestPhase *test_phase_new(void)
{
    TestPhase *p = cache_lines_alloc_zeroed(sizeof *p);

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

static void test_phase_free(TestPhase *p)
{
    g_ptr_array_unref(p->ace.partitions[0].candidates);
    cache_lines_free(p);
}

static void ace_proposes_the_first_chunk_by_order(void **state)
{
    TestPhase *p = test_phase_new();

    (void)state;
    assert_ptr_equal(ace_requester_ops.proposal(&p->ace, ADMISSION_PHASE(0)),
                     &p->chunks[1]);
    assert_true(
        ace_requester_ops.proposal_precedes(&p->chunks[1], &p->chunks[0]));
    assert_false(
        ace_requester_ops.proposal_precedes(&p->chunks[0], &p->chunks[1]));
    test_phase_free(p);
}

static void ace_proposes_nothing_without_a_free_slot(void **state)
{
    TestPhase *p = test_phase_new();

    (void)state;
    p->ace.partitions[0].n_used = 1;
    assert_ptr_equal(ace_requester_ops.proposal(&p->ace, ADMISSION_PHASE(0)),
                     &p->chunks[1]);
    p->ace.partitions[0].n_used = 2;
    assert_null(ace_requester_ops.proposal(&p->ace, ADMISSION_PHASE(0)));
    test_phase_free(p);
}

static void ace_that_is_behind_proposes_nothing(void **state)
{
    TestPhase *p = test_phase_new();

    (void)state;
    ace_requester_ops.decide(&p->ace, ADMISSION_PHASE(0), &p->chunks[0]);
    assert_int_equal(p->chunks[0].entry[0], 1);
    assert_null(ace_requester_ops.proposal(&p->ace, ADMISSION_PHASE(0)));
    test_phase_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ace_proposes_the_first_chunk_by_order),
        cmocka_unit_test(ace_proposes_nothing_without_a_free_slot),
        cmocka_unit_test(ace_that_is_behind_proposes_nothing),
    };

    return cmocka_run_group_tests_name("ace_proposal", tests, NULL, NULL);
}
