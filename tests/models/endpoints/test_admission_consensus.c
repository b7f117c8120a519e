/* test_admission_consensus.c - Tests of models/endpoints/admission_consensus.c.
 *
 * The chunk that goes first by order is admitted next on all NPUs, no matter
 * which NPU asked first. */
#include "tests/test.h"

#include "models/endpoints/admission_consensus.h"

#define N_NPUS 3

typedef struct Fixture Fixture;

typedef struct {
    Fixture *f;
    AdmissionRequester asker;
    /* The chunk that the NPU proposes to admit; NULL if it has no proposal. */
    const char *proposal_to_stage;
    /* The stage for which the NPU asks once when it proceeds; 0 for none. */
    uint32_t next_stage;
    gboolean is_full_attention_layer_type; /* TRUE if the NPU has no free
                                              capacity. */
    /* TRUE if the NPU falls behind after it has caught up with others. */
    gboolean falls_behind;
    gboolean stage_is_behind;
    guint n_proceeded;
} TestNpu;

struct Fixture {
    AdmissionConsensus consensus;
    TestNpu npus[N_NPUS];
    GString *log; /* The log contains each decided proposal and its stage. */
};

static gpointer proposed_collective_of_stage(gpointer self, uint32_t stage)
{
    (void)stage;
    return (gpointer)((TestNpu *)self)->proposal_to_stage;
}

static gboolean chunk_precedes_in_order(gconstpointer a, gconstpointer b)
{
    return strcmp(a, b) < 0;
}

static void decide_chunk_to_admit(gpointer self, uint32_t stage,
                                  gpointer proposal_to_stage)
{
    const TestNpu *npu = self;

    assert_ptr_equal(proposal_to_stage, npu->proposal_to_stage);
    g_string_append_printf(npu->f->log, "%s%u ", npu->proposal_to_stage, stage);
}

static void proceed_to_admission_stage(gpointer self, uint32_t stage)
{
    TestNpu *npu = self;
    uint32_t next_stage = npu->next_stage;

    (void)stage;
    npu->n_proceeded++;
    npu->next_stage = 0;
    if (next_stage > 0)
        admission_request_decision(&npu->f->consensus, &npu->asker, next_stage);
}

static gboolean stage_has_capacity(gpointer self, uint32_t stage)
{
    (void)stage;
    return !((const TestNpu *)self)->is_full_attention_layer_type;
}

static gboolean stage_is_behind(gpointer self, uint32_t stage)
{
    (void)stage;
    return ((const TestNpu *)self)->stage_is_behind;
}

static const AdmissionRequesterOps ops = {
    proposed_collective_of_stage, chunk_precedes_in_order,
    decide_chunk_to_admit,        proceed_to_admission_stage,
    stage_has_capacity,           stage_is_behind
};

static int setup(void **state)
{
    static const char *const proposals[N_NPUS] = { "b", "a", "c" };
    Fixture *f = g_new0(Fixture, 1);

    f->consensus.engine = sim_engine_new();
    f->log = g_string_new(NULL);
    for (guint i = 0; i < N_NPUS; i++) {
        f->npus[i] = (TestNpu){ .f = f, .proposal_to_stage = proposals[i] };
        f->npus[i].asker =
            (AdmissionRequester){ .ops = &ops, .self = &f->npus[i] };
    }
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    Fixture *f = *state;

    sim_engine_free(f->consensus.engine);
    g_string_free(f->log, TRUE);
    g_free(f);
    return 0;
}

static void request_decision(Fixture *f, guint npu, uint32_t stage)
{
    assert_false(admission_is_behind_other_regions(&f->consensus,
                                                   &f->npus[npu].asker, stage));
    admission_request_decision(&f->consensus, &f->npus[npu].asker, stage);
}

static void run_admission_until_settled(Fixture *f)
{
    assert_int_equal(sim_engine_run_events(f->consensus.engine, 1), 0);
}

static void test_all_npus_admit_the_first_chunk_by_order(void **state)
{
    Fixture *f = *state;

    for (guint first = 0; first < N_NPUS; first++)
        for (guint step = 1; step < N_NPUS; step++) {
            g_string_truncate(f->log, 0);
            for (guint i = 0; i < N_NPUS; i++)
                request_decision(f, (first + i * step) % N_NPUS, 1);
            run_admission_until_settled(f);
            assert_string_equal(f->log->str, "a1 ");
        }
    for (guint i = 0; i < N_NPUS; i++)
        assert_int_equal(f->npus[i].n_proceeded, N_NPUS * (N_NPUS - 1));
}

static void test_all_npus_proceed_if_no_chunk_is_proposed(void **state)
{
    Fixture *f = *state;

    for (guint i = 0; i < N_NPUS; i++) {
        f->npus[i].proposal_to_stage = NULL;
        request_decision(f, i, 1);
        request_decision(f, i, 1);
    }
    run_admission_until_settled(f);
    assert_string_equal(f->log->str, "");
    for (guint i = 0; i < N_NPUS; i++)
        assert_int_equal(f->npus[i].n_proceeded, 1);
}

static void test_the_last_stage_is_admitted_first(void **state)
{
    Fixture *f = *state;

    f->npus[0].next_stage = 2;
    request_decision(f, 0, ADMISSION_INTAKE);
    request_decision(f, 1, 3);
    request_decision(f, 2, 1);
    f->npus[2].next_stage = 3;
    run_admission_until_settled(f);
    assert_string_equal(f->log->str, "a3 c1 c3 b0 b2 ");
}

/* The decided chunk need not be the one for which the NPU had no capacity. */
static void
test_an_npu_without_a_proposal_proceeds_after_a_decision(void **state)
{
    Fixture *f = *state;

    f->npus[0].proposal_to_stage = NULL;
    request_decision(f, 0, 1);
    run_admission_until_settled(f);
    request_decision(f, 0, 1);
    request_decision(f, 1, 2);
    run_admission_until_settled(f); /* The NPUs decide another stage. */
    assert_int_equal(f->npus[0].n_proceeded, 2);
    request_decision(f, 1, 1);
    run_admission_until_settled(f);
    assert_int_equal(f->npus[0].n_proceeded, 3);
    request_decision(f, 1, 1);
    run_admission_until_settled(f); /* NPU 0 no longer waits for a decision. */
    assert_int_equal(f->npus[0].n_proceeded, 3);
    assert_string_equal(f->log->str, "a2 a1 a1 ");
}

/* ---- other NPUs are decided in another thread ---------------------------- */

static void catch_up_with_decisions(gpointer self)
{
    Fixture *f = self;

    g_string_append(f->log, "up ");
    for (guint i = 0; i < N_NPUS; i++)
        f->npus[i].stage_is_behind = f->npus[i].falls_behind;
}

static void run_all_partitions_until_settled(gpointer self)
{
    g_string_append(((Fixture *)self)->log, "settle ");
}

static void fail_to_settle_other_regions(gpointer self)
{
    g_string_append(((Fixture *)self)->log, "cannot ");
}

static const AdmissionRegionsOps others = { catch_up_with_decisions,
                                            run_all_partitions_until_settled,
                                            fail_to_settle_other_regions };

static void set_npus_of_other_regions(Fixture *f)
{
    f->consensus.others = &others;
    f->consensus.self = f;
}

/* An NPU does not ask for a decision that it learns while catching up. */
static void test_an_npu_with_capacity_catches_up_before_asking(void **state)
{
    Fixture *f = *state;

    set_npus_of_other_regions(f);
    f->npus[1].falls_behind = TRUE;
    assert_true(
        admission_is_behind_other_regions(&f->consensus, &f->npus[1].asker, 1));
    assert_int_equal(f->consensus.asked, 0);
    /* An NPU without free capacity need not catch up. */
    f->npus[0].is_full_attention_layer_type = TRUE;
    request_decision(f, 0, 1);
    assert_false(admission_has_request_with_room(&f->consensus));
    request_decision(f, 2, 1);
    assert_true(admission_has_request_with_room(&f->consensus));
    run_admission_until_settled(f);
    assert_string_equal(f->log->str, "up up settle ");
}

/* NPU 0 asks in one part of the simulation, NPUs 1 and 2 in another. */
static void
test_admission_requests_of_all_regions_are_decided_together(void **state)
{
    Fixture *f = *state;
    AdmissionConsensus other_part = { .engine = f->consensus.engine };
    AdmissionConsensus *const both[] = { &f->consensus, &other_part };

    set_npus_of_other_regions(f);
    request_decision(f, 0, 1);
    other_part.is_due = TRUE;
    admission_request_decision(&other_part, &f->npus[1].asker, 1);
    admission_request_decision(&other_part, &f->npus[2].asker, 3);
    g_string_truncate(f->log, 0);
    admission_decide_all_requests(both, 2);
    assert_string_equal(f->log->str, "c3 a1 ");
    for (guint i = 0; i < N_NPUS; i++)
        assert_int_equal(f->npus[i].n_proceeded, 1);
    assert_false(f->consensus.is_due || other_part.is_due);
}

/* An NPU that has free capacity but no proposal would have to wait for the
 * decisions of the other parts, which is not possible. */
static void test_waiting_for_other_regions_is_refused(void **state)
{
    Fixture *f = *state;
    AdmissionConsensus *const alone[] = { &f->consensus };

    set_npus_of_other_regions(f);
    f->npus[0].proposal_to_stage = f->npus[1].proposal_to_stage = NULL;
    f->npus[1].is_full_attention_layer_type = TRUE;
    request_decision(f, 1, 1);
    run_admission_until_settled(f);
    g_string_truncate(f->log, 0);
    admission_decide_all_requests(alone, 1);
    assert_string_equal(f->log->str, "");
    request_decision(f, 0, 1);
    g_string_truncate(f->log, 0);
    admission_decide_all_requests(alone, 1);
    assert_string_equal(f->log->str, "cannot ");
    assert_null(f->consensus.waiting[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_all_npus_admit_the_first_chunk_by_order, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_all_npus_proceed_if_no_chunk_is_proposed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_last_stage_is_admitted_first,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_an_npu_without_a_proposal_proceeds_after_a_decision, setup,
            teardown),
        cmocka_unit_test_setup_teardown(
            test_an_npu_with_capacity_catches_up_before_asking, setup,
            teardown),
        cmocka_unit_test_setup_teardown(
            test_admission_requests_of_all_regions_are_decided_together, setup,
            teardown),
        cmocka_unit_test_setup_teardown(
            test_waiting_for_other_regions_is_refused, setup, teardown),
    };

    return cmocka_run_group_tests_name("accord", tests, NULL, NULL);
}
