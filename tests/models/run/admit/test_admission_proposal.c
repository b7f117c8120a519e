/* test_admission_proposal.c - Tests of the collective that an NPU proposes to
 * admit next.
 *
 * All NPUs may have to follow the proposal of one NPU.  An NPU proposes only a
 * collective for which its endpoint has capacity.  Of two collectives, it
 * proposes the one that its scheduler puts first. */
#include "tests/test.h"

#include "models/run/admit/chunk_scheduler.h"

#define N_COLLS 3

/* An NPU with pending collectives 0 to N_COLLS - 1. */
typedef struct {
    SystemConfig config;
    System system;
    CollPlan plan, exchange;
    Cut cut;
    CollPart parts[N_COLLS];
    CollInstance colls[N_COLLS];
    EndpointOps ops;
    Endpoint endpoint;
    Npu npu;
} AdmissionIntake;

static gboolean may_start(Endpoint *endpoint, uint64_t bytes)
{
    (void)endpoint;
    return bytes <= 100;
}

static AdmissionIntake *admission_intake_new(SchedulerKind scheduler)
{
    AdmissionIntake *in = g_new0(AdmissionIntake, 1);

    in->config.collectives.preempt = TRUE;
    in->system.whole = &in->system;
    in->system.plan.config = &in->config;
    in->system.plan.scheduler = scheduler;
    in->system.plan.window = 2;
    in->system.state.admissions = g_ptr_array_new();
    in->plan.kind = COLL_ALL_REDUCE;
    in->exchange.kind = COLL_ALL_TO_ALL;
    in->cut.chunk_bytes = 1000;
    in->ops.may_start = may_start;
    in->endpoint.ops = &in->ops;
    in->npu.system = &in->system;
    in->npu.endpoint = &in->endpoint;
    in->npu.pending = g_ptr_array_new();
    for (guint i = 0; i < N_COLLS; i++) {
        in->colls[i] = (CollInstance){ .system = &in->system,
                                       .seq = i,
                                       .plan = &in->plan,
                                       .cut = &in->cut,
                                       .payload_bytes = 100,
                                       .n_chunks = 1,
                                       .parts = &in->parts[i] };
        g_ptr_array_add(in->npu.pending, &in->colls[i]);
    }
    return in;
}

static void admission_intake_free(AdmissionIntake *in)
{
    g_ptr_array_unref(in->system.state.admissions);
    g_ptr_array_unref(in->npu.pending);
    g_free(in);
}

static const CollInstance *next_proposal_of_npu(AdmissionIntake *in)
{
    return scheduler_requester_ops.proposal(&in->npu, ADMISSION_INTAKE);
}

static void assert_admitted_before(const CollInstance *first,
                                   const CollInstance *then)
{
    assert_true(scheduler_requester_ops.proposal_precedes(first, then));
    assert_false(scheduler_requester_ops.proposal_precedes(then, first));
}

static void an_npu_proposes_the_first_collective_of_its_scheduler(void **state)
{
    AdmissionIntake *fifo = admission_intake_new(SCHEDULER_FIFO);
    AdmissionIntake *lifo = admission_intake_new(SCHEDULER_LIFO);

    (void)state;
    assert_ptr_equal(next_proposal_of_npu(fifo), &fifo->colls[0]);
    assert_admitted_before(&fifo->colls[0], &fifo->colls[1]);
    fifo->colls[1].plan = &fifo->exchange;
    assert_ptr_equal(next_proposal_of_npu(fifo), &fifo->colls[1]);
    assert_admitted_before(&fifo->colls[1], &fifo->colls[0]);
    assert_ptr_equal(next_proposal_of_npu(lifo), &lifo->colls[N_COLLS - 1]);
    assert_admitted_before(&lifo->colls[1], &lifo->colls[0]);
    admission_intake_free(fifo);
    admission_intake_free(lifo);
}

/* The NPU does not propose another collective instead: the first one waits for
 * capacity. */
static void
an_npu_proposes_nothing_if_its_endpoint_has_no_capacity(void **state)
{
    AdmissionIntake *in = admission_intake_new(SCHEDULER_FIFO);

    (void)state;
    in->colls[0].payload_bytes = 101;
    assert_null(next_proposal_of_npu(in));
    in->colls[0].payload_bytes = 100;
    assert_ptr_equal(next_proposal_of_npu(in), &in->colls[0]);
    admission_intake_free(in);
}

static void an_npu_with_a_full_window_proposes_nothing(void **state)
{
    AdmissionIntake *in = admission_intake_new(SCHEDULER_FIFO);

    (void)state;
    in->npu.n_in_flight = 1;
    assert_ptr_equal(next_proposal_of_npu(in), &in->colls[0]);
    in->npu.n_in_flight = 2;
    assert_null(next_proposal_of_npu(in));
    admission_intake_free(in);
}

static void an_npu_that_is_behind_proposes_nothing(void **state)
{
    AdmissionIntake *in = admission_intake_new(SCHEDULER_FIFO);

    (void)state;
    scheduler_requester_ops.decide(&in->npu, ADMISSION_INTAKE, &in->colls[1]);
    assert_null(next_proposal_of_npu(in));
    in->npu.n_admitted++;
    assert_ptr_equal(next_proposal_of_npu(in), &in->colls[0]);
    admission_intake_free(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_npu_proposes_the_first_collective_of_its_scheduler),
        cmocka_unit_test(
            an_npu_proposes_nothing_if_its_endpoint_has_no_capacity),
        cmocka_unit_test(an_npu_with_a_full_window_proposes_nothing),
        cmocka_unit_test(an_npu_that_is_behind_proposes_nothing),
    };

    return cmocka_run_group_tests_name("proposal", tests, NULL, NULL);
}
