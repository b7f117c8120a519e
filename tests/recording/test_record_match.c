/* test_record_match.c - tests of workloads/recording/iteration_window.h and
 * cross_rank_match.h */
#include "tests/recording/recording_fixture.h"

#include "workloads/recording/cross_rank_match.h"

/* ---- windows of one iteration -------------------------------------------- */

static void test_the_iteration_of_median_length_is_selected(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(RecordWindow) window = NULL;
    RecordRank *rank = add_rank_by_hand(recording, 0);
    uint32_t early, late;

    (void)state;
    add_step_by_hand(recording, rank, 0, 100);
    add_step_by_hand(recording, rank, 100, 50);
    add_step_by_hand(recording, rank, 150, 80);
    early = add_call_by_hand(recording, rank, "launch", 10, 2);
    add_kernel_by_hand(recording, rank, 7, "k", 20, 10, early);
    early = add_call_by_hand(recording, rank, "launch", 149, 2);
    late = add_call_by_hand(recording, rank, "launch", 150, 2);
    early = add_kernel_by_hand(recording, rank, 7, "k", 160, 10, early);
    late = add_kernel_by_hand(recording, rank, 7, "k", 240, 10, late);
    window = record_select_window(recording, RECORD_ITERATION_MEDIAN, NULL);
    assert_int_equal(window->iteration, 3);
    assert_int_equal(window->n_steps, 3);
    /* The host begins the iteration at 150 us; the device executes the previous
     * one until 170 us. */
    assert_int_equal(record_span_of_rank(window, 0)->begin_ps, 170 * US);
    assert_int_equal(record_span_of_rank(window, 0)->end_ps, 250 * US);
    assert_int_equal(window->iteration_ps, 80 * US);
    /* A kernel belongs to the step that launched it. */
    assert_false(record_span_of_rank(window, 0)->is_in_window[early]);
    assert_true(record_span_of_rank(window, 0)->is_in_window[late]);
}

static void test_an_iteration_ends_when_the_next_one_begins(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(RecordWindow) window = NULL;
    GError *error = NULL;

    (void)state;
    for (uint32_t r = 0; r < 2; r++) {
        RecordRank *rank = add_rank_by_hand(recording, r);

        add_step_by_hand(recording, rank, 0, 90);
        add_step_by_hand(recording, rank, 100 + 20 * r, 90);
    }
    window = record_select_window(recording, 1, NULL);
    assert_int_equal(window->iteration_ps, 110 * US);
    assert_null(record_select_window(recording, 3, &error));
    assert_string_equal(error->message, "there is no iteration 3 in the "
                                        "recording, which has 2");
    g_error_free(error);
}

static void test_a_recording_without_steps_is_one_iteration(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(RecordWindow) window = NULL;
    RecordRank *first = add_rank_by_hand(recording, 0);
    RecordRank *second = add_rank_by_hand(recording, 1);

    (void)state;
    second->base_ns = 5000;
    add_kernel_by_hand(recording, first, 7, "k", 10, 10, RECORD_NONE);
    add_kernel_by_hand(recording, second, 7, "k", 10, 10, RECORD_NONE);
    window = record_select_window(recording, RECORD_ITERATION_MEDIAN, NULL);
    assert_int_equal(window->iteration, 0);
    assert_int_equal(window->iteration_ps, 15 * US);
    assert_int_equal(record_span_of_rank(window, 1)->begin_ps, 15 * US);
}

/* ---- matching of collectives and messages between ranks ------------------ */

static void
test_the_time_of_a_collective_excludes_waiting_for_the_last_rank(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(RecordMatch) match = NULL;
    RecordInstance *instance;

    (void)state;
    for (uint32_t r = 0; r < 3; r++)
        add_collective_by_hand(recording, add_rank_by_hand(recording, r),
                               COLL_ALL_REDUCE, 1000, 100 * r, 210 - 100 * r,
                               RECORD_NONE);
    match = record_match_ranks(recording, NULL);
    assert_int_equal(match->instances->len, 1);
    instance = record_instance(match, 0);
    assert_int_equal(instance->n, 3);
    assert_int_equal(instance->n_expected, 3);
    assert_int_equal(instance->first_begin_ps, 0);
    assert_int_equal(record_instance_ps(recording, match, instance), 10 * US);
    assert_int_equal(match->n_by_order, 1);
    assert_int_equal(match->n_apart, 0);
}

static void test_sequence_numbers_take_precedence_over_order(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(RecordMatch) match = NULL;

    (void)state;
    for (uint32_t r = 0; r < 2; r++) {
        RecordRank *rank = add_rank_by_hand(recording, r);

        /* Rank 1 lacks the first collective. */
        for (uint32_t i = r; i < 2; i++) {
            uint32_t node =
                add_collective_by_hand(recording, rank, COLL_ALL_REDUCE, 1000,
                                       100 * i, 10, RECORD_NONE);

            record_node_communication(rank, record_node(rank, node))
                ->has_sequence = TRUE;
            record_node_communication(rank, record_node(rank, node))->sequence =
                70 + i;
        }
    }
    match = record_match_ranks(recording, NULL);
    assert_int_equal(match->instances->len, 2);
    assert_int_equal(record_instance(match, 0)->n, 1);
    assert_int_equal(record_instance(match, 1)->n, 2);
    assert_int_equal(match->n_by_sequence, 1);
    assert_int_equal(match->n_partial, 1);
}

static void test_groups_are_matched_separately(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(RecordMatch) match = NULL;
    uint32_t pairs = record_add_group(
        recording,
        &(OpGroup){ .grouped_by = GROUP_STRIDE, .size = 2, .stride = 1 });

    (void)state;
    for (uint32_t r = 0; r < 4; r++) {
        RecordRank *rank = add_rank_by_hand(recording, r);
        uint32_t node = add_collective_by_hand(recording, rank, COLL_ALL_GATHER,
                                               1000, 0, 10, RECORD_NONE);

        record_node_communication(rank, record_node(rank, node))->group = pairs;
    }
    match = record_match_ranks(recording, NULL);
    assert_int_equal(match->instances->len, 2);
    assert_int_equal(record_instance(match, 1)->n, 2);
    assert_int_equal(record_instance(match, 1)->n_expected, 2);
    assert_int_equal(record_member(match, record_instance(match, 1), 0)->rank,
                     2);
    assert_int_equal(match->n_by_order, 2);
}

static void test_the_nth_send_matches_the_nth_receive(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(RecordMatch) match = NULL;
    RecordRank *receiver = add_rank_by_hand(recording, 1);
    RecordRank *sender = add_rank_by_hand(recording, 0);
    uint32_t first;

    (void)state;
    add_message_by_hand(recording, receiver, FALSE, 0, 10, 50, 10);
    add_message_by_hand(recording, receiver, FALSE, 0, 20, 70, 10);
    first = add_message_by_hand(recording, sender, TRUE, 1, 10, 40, 20);
    add_message_by_hand(recording, sender, TRUE, 1, 20, 65, 15);
    add_message_by_hand(recording, sender, TRUE, 1, 30, 95, 5);
    match = record_match_ranks(recording, NULL);
    assert_int_equal(match->n_messages, 2);
    assert_int_equal(match->n_alone, 1);
    /* The sender is the first member, although the receiver was added first. */
    assert_int_equal(record_member(match, record_instance(match, 0), 0)->rank,
                     1);
    assert_int_equal(record_member(match, record_instance(match, 0), 0)->node,
                     first);
}

static void test_operations_that_cannot_match_are_counted(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(RecordMatch) match = NULL;
    RecordRank *rank = add_rank_by_hand(recording, 0);
    uint32_t call;

    (void)state;
    add_collective_by_hand(recording, rank, COLL_ALL_REDUCE, 10, 0, 10,
                           RECORD_NONE);
    call = add_node_by_hand(recording, rank, RECORD_COLLECTIVE, RECORD_ON_HOST,
                            1, "c10d", 0, 1);
    record_add_comm(rank, call, COLL_ALL_REDUCE);
    add_collective_by_hand(recording, add_rank_by_hand(recording, 1),
                           COLL_ALL_REDUCE, 10, 20, 10, RECORD_NONE);
    match = record_match_ranks(recording, NULL);
    assert_int_equal(match->n_apart, 1);
    assert_int_equal(match->n_on_host, 1);
    assert_int_equal(match->instances->len, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_iteration_of_median_length_is_selected),
        cmocka_unit_test(test_an_iteration_ends_when_the_next_one_begins),
        cmocka_unit_test(test_a_recording_without_steps_is_one_iteration),
        cmocka_unit_test(
            test_the_time_of_a_collective_excludes_waiting_for_the_last_rank),
        cmocka_unit_test(test_sequence_numbers_take_precedence_over_order),
        cmocka_unit_test(test_groups_are_matched_separately),
        cmocka_unit_test(test_the_nth_send_matches_the_nth_receive),
        cmocka_unit_test(test_operations_that_cannot_match_are_counted),
    };

    return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
