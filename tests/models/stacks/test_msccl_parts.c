/* Tests of models/stacks/msccl/independent_chunk_schedules.h */
#include "tests/models/stacks/msccl_file.h"

#include "models/stacks/msccl/independent_chunk_schedules.h"
#include "models/stacks/msccl/prove_schedule.h"

static GArray *msccl_parts_of_text(const char *text, GError **error)
{
    g_autoptr(MscclSchedule) m = parse_msccl_schedule(text);
    g_autoptr(GArray) order = NULL;

    assert_true(msccl_prove_all_reduce(m, &order, NULL));
    return msccl_find_independent_parts(m, order, error);
}

static uint64_t count_blocks_sent_by_rank(const CollSchedule *schedule,
                                          uint32_t rank)
{
    uint64_t n = 0;

    for (uint32_t s = 0; s < schedule->n_steps; s++)
        n += coll_schedule_step_at(schedule, rank, s)->n_blocks;
    return n;
}

/* Add within the pair, exchange between pairs, forward within the pair. */
static void the_sample_is_twelve_times_three_steps(void **state)
{
    g_autofree char *text = read_msccl_sample("allreduce-ncv4.xml");
    GArray *parts = msccl_parts_of_text(text, NULL);
    const MscclPart *part = &g_array_index(parts, MscclPart, 0);
    const CollStep *across = coll_schedule_step_at(part->schedule, 0, 1);

    (void)state;
    assert_int_equal(parts->len, 1);
    assert_int_equal(part->n_copies, 12);
    assert_int_equal(part->schedule->n_blocks, 2);
    assert_int_equal(part->schedule->n_steps, 3);
    for (uint32_t r = 0; r < 4; r++)
        assert_int_equal(count_blocks_sent_by_rank(part->schedule, r), 3);
    assert_int_equal(across->send_to, 2);
    assert_int_equal(across->recv_from, 2);
    assert_true(across->reduces);
    assert_false(coll_schedule_step_at(part->schedule, 0, 2)->reduces);
    msccl_parts_free(parts);
}

static void a_ring_is_one_part_of_as_many_steps(void **state)
{
    g_autofree char *text = read_msccl_sample("allreduce-ring-8.xml");
    GArray *parts = msccl_parts_of_text(text, NULL);
    const MscclPart *part = &g_array_index(parts, MscclPart, 0);

    (void)state;
    assert_int_equal(parts->len, 1);
    assert_int_equal(part->n_copies, 1);
    assert_int_equal(part->schedule->n_blocks, 8);
    assert_int_equal(part->schedule->n_steps, 14);
    assert_int_equal(count_blocks_sent_by_rank(part->schedule, 5), 14);
    msccl_parts_free(parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_is_twelve_times_three_steps),
        cmocka_unit_test(a_ring_is_one_part_of_as_many_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
