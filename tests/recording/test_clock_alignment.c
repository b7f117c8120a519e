/*
 * test_clock_alignment.c - tests of workloads/recording/clock_alignment.h
 *
 * The tests shift the clocks of hosts by known offsets and drifts, and check
 * that the alignment finds
 * them. */
#include "tests/recording/recording_fixture.h"

#include <math.h>

#include "sim/core/rng.h"
#include "workloads/recording/clock_alignment.h"

/* cmocka's assert_float_equal() has single precision only. */
#define assert_near(a, b, within) assert_true(fabs((a) - (b)) < (within))

/* A recording whose clocks have known errors. */
typedef struct {
    Recording *recording; /* The struct owns this memory. */
    double shift_us[8];   /* The error of the clock of each rank. */
    double drift[8];
} SkewedRecording;

static void skewed_ranks_init(SkewedRecording *s, uint32_t n,
                              gboolean has_hosts)
{
    static const char *const hosts[] = {
        "a", "a", "b", "b", "c", "c", "d", "d"
    };

    memset(s, 0, sizeof *s);
    s->recording = recording_new();
    for (uint32_t r = 0; r < n; r++) {
        RecordRank *rank = add_rank_by_hand(s->recording, r);

        rank->host = has_hosts ? hosts[r] : NULL;
    }
}

/* Adds a collective of rank @r from @begin_us to @end_us in true time; its
 * recorded time has the errors of the rank's clock.  Returns the index of the
 * node. */
static uint32_t add_node_by_skewed_clock(SkewedRecording *s, uint32_t r,
                                         double begin_us, double end_us,
                                         CollKind kind)
{
    RecordRank *rank = record_rank(s->recording, r);
    uint32_t node = add_collective_by_hand(s->recording, rank, kind, 1000, 0, 1,
                                           RECORD_NONE);
    double shown_us = begin_us + s->shift_us[r] + s->drift[r] * begin_us;

    record_node(rank, node)->begin_ps = llround(shown_us * 1000) * 1000;
    record_node(rank, node)->duration_ps =
        (uint64_t)llround((end_us - begin_us) * 1000) * 1000;
    return node;
}

/* Adds @n collectives of all ranks, one every @apart_us.  Ends differ by less
 * than @noise_us.  In each of them one rank arrives last and does not wait. */
static void add_skewed_collectives(SkewedRecording *s, guint n, double apart_us,
                                   double noise_us)
{
    RngStream rng = rng_new_stream(5, "test");

    for (guint i = 0; i < n; i++) {
        double end_us = i * apart_us + 500;
        uint32_t last = (uint32_t)(rng_value_at_indices(rng, i, 0, 0) %
                                   s->recording->ranks->len);

        for (uint32_t r = 0; r < s->recording->ranks->len; r++) {
            double late_us = (double)(rng_value_at_indices(rng, i, r, 1) % 300);
            double noise = (double)(rng_value_at_indices(rng, i, r, 2) % 1000) /
                           1000 * noise_us;

            add_node_by_skewed_clock(s, r,
                                     end_us - (r == last ? 40 : 100 + late_us),
                                     end_us + noise, COLL_ALL_REDUCE);
        }
    }
}

/* Checks that corrected clocks of ranks @r and 0 differ by less than @within_us
 * at the true time @at_us. */
static void assert_offset_found(const SkewedRecording *s, const Align *align,
                                uint32_t r, double at_us, double within_us)
{
    double shown_us = at_us + s->shift_us[r] + s->drift[r] * at_us;
    double zero_us = at_us + s->shift_us[0] + s->drift[0] * at_us;
    AlignEvent event = { align->host_of[r], shown_us };
    AlignEvent zero = { align->host_of[0], zero_us };

    assert_near(align_corrected_us(align->solution, event),
                align_corrected_us(align->solution, zero), within_us);
}

static Align *align_skewed_ranks(const SkewedRecording *s)
{
    g_autoptr(RecordMatch) match = record_match_ranks(s->recording, NULL);

    return align_clocks(s->recording, match);
}

static void test_alignment_keeps_correct_clocks(void **state)
{
    g_autoptr(Align) align = NULL;
    SkewedRecording s;

    (void)state;
    skewed_ranks_init(&s, 4, FALSE);
    add_skewed_collectives(&s, 50, 1000, 0);
    align = align_skewed_ranks(&s);
    assert_false(align->is_needed);
    assert_int_equal(align->n_collectives, 50);
    assert_true(align->max_shift_us < 0.01);
    recording_free(s.recording);
}

static void test_alignment_finds_clock_offsets_within_noise(void **state)
{
    static const double shifts_us[8] = { 0,     0,     -5300, -5300,
                                         81000, 81000, 4.2e9, 4.2e9 };
    g_autoptr(Align) align = NULL;
    SkewedRecording s;

    (void)state;
    skewed_ranks_init(&s, 8, TRUE);
    memcpy(s.shift_us, shifts_us, sizeof shifts_us);
    add_skewed_collectives(&s, 200, 1000, 4);
    align = align_skewed_ranks(&s);
    assert_true(align->is_needed);
    assert_int_equal(align->hosts->len, 4);
    assert_true(align->solution->n_broken_before > 0);
    assert_int_equal(align->solution->n_broken_after, 0);
    assert_true(align->solution->rms_after_us < 2);
    for (uint32_t r = 0; r < 8; r++)
        assert_offset_found(&s, align, r, 100000, 0.5);
    recording_free(s.recording);
}

static void test_alignment_finds_a_clock_drift(void **state)
{
    g_autoptr(Align) align = NULL;
    SkewedRecording s;

    (void)state;
    skewed_ranks_init(&s, 4, FALSE);
    s.shift_us[1] = 700;
    s.drift[1] = 20e-6;
    s.shift_us[3] = -90;
    s.drift[3] = -35e-6;
    add_skewed_collectives(&s, 400, 5000, 2);
    align = align_skewed_ranks(&s);
    assert_true(align->solution->has_drift);
    assert_true(align->solution->rms_after_us < 1);
    for (uint32_t r = 0; r < 4; r++)
        for (double at_us = 0; at_us < 2e6; at_us += 5e5)
            assert_offset_found(&s, align, r, at_us, 0.5);
    recording_free(s.recording);
}

/* Adds a message that @a sends to @b at true time @at_us and that takes
 * @way_us. */
static void add_skewed_message(SkewedRecording *s, uint32_t a, uint32_t b,
                               double at_us, double latency_us)
{
    const uint32_t ends[2] = { a, b };

    for (guint i = 0; i < 2; i++) {
        RecordRank *rank = record_rank(s->recording, ends[i]);
        uint32_t node = add_message_by_hand(s->recording, rank, i == 0,
                                            ends[1 - i], 64, 0, 0);
        double begin_us = at_us + s->shift_us[ends[i]];

        record_node(rank, node)->begin_ps = llround(begin_us * 1000) * 1000;
        record_node(rank, node)->duration_ps =
            (uint64_t)llround((i == 0 ? 3 : 3 + latency_us) * 1000) * 1000;
    }
}

static void test_messages_in_both_directions_show_a_clock_offset(void **state)
{
    g_autoptr(Align) align = NULL;
    SkewedRecording s;

    (void)state;
    skewed_ranks_init(&s, 3, FALSE);
    s.shift_us[1] = -12345;
    s.shift_us[2] = 777;
    for (guint i = 0; i < 30; i++) {
        add_skewed_message(&s, 0, 1, 200.0 * i, 10);
        add_skewed_message(&s, 1, 0, 200.0 * i + 50, 10);
        add_skewed_message(&s, 1, 2, 200.0 * i + 70, 25);
        add_skewed_message(&s, 2, 1, 200.0 * i + 90, 25);
    }
    align = align_skewed_ranks(&s);
    assert_int_equal(align->n_messages, 120);
    assert_int_equal(align->solution->n_broken_after, 0);
    for (uint32_t r = 0; r < 3; r++)
        assert_offset_found(&s, align, r, 1000, 0.01);
    recording_free(s.recording);
}

static void test_alignment_satisfies_a_violated_bound(void **state)
{
    g_autoptr(Align) align = NULL;
    SkewedRecording s;
    uint32_t node;

    (void)state;
    skewed_ranks_init(&s, 2, FALSE);
    /* Ends differ by +100 and by -120 us, so least squares alone shift rank 1
     * by 10 us.  The bound needs the same shift: the second collective ends on
     * rank 1 at 280 us, but begins on rank 0 at 290 us. */
    add_node_by_skewed_clock(&s, 0, 0, 100, COLL_ALL_REDUCE);
    add_node_by_skewed_clock(&s, 1, 0, 200, COLL_ALL_REDUCE);
    node = add_node_by_skewed_clock(&s, 0, 290, 400, COLL_ALL_REDUCE);
    add_node_by_skewed_clock(&s, 1, 200, 280, COLL_ALL_REDUCE);
    align = align_skewed_ranks(&s);
    (void)node;
    assert_int_equal(align->solution->n_broken_before, 1);
    assert_int_equal(align->solution->n_broken_after, 0);
    /* The least-squares solution alone is 10 us. */
    assert_near(g_array_index(align->solution->clocks, AlignClock, 1).shift_us,
                10, 0.01);
    recording_free(s.recording);
}

static void test_an_alignment_bound_overrides_least_squares(void **state)
{
    g_autoptr(Align) align = NULL;
    SkewedRecording s;

    (void)state;
    skewed_ranks_init(&s, 2, FALSE);
    /* Least squares alone give 0.  The third operation, a broadcast from rank
     * 0, needs a shift of 50: rank 1 must not end it (400 us) before rank 0
     * begins it (450 us). */
    add_node_by_skewed_clock(&s, 0, 0, 100, COLL_ALL_REDUCE);
    add_node_by_skewed_clock(&s, 1, 0, 100, COLL_ALL_REDUCE);
    add_node_by_skewed_clock(&s, 0, 200, 300, COLL_ALL_REDUCE);
    add_node_by_skewed_clock(&s, 1, 200, 300, COLL_ALL_REDUCE);
    add_node_by_skewed_clock(&s, 0, 450, 460, COLL_BROADCAST);
    add_node_by_skewed_clock(&s, 1, 390, 400, COLL_BROADCAST);
    for (guint r = 0; r < 2; r++)
        g_array_index(record_rank(s.recording, r)->comms, RecordComm, 2).peer =
            0;
    align = align_skewed_ranks(&s);
    assert_int_equal(align->n_bounds, 5);
    assert_int_equal(align->solution->n_broken_after, 0);
    assert_near(g_array_index(align->solution->clocks, AlignClock, 1).shift_us,
                48, 2.01);
    recording_free(s.recording);
}

static void test_an_aligned_recording_needs_no_alignment(void **state)
{
    g_autoptr(Align) align = NULL;
    g_autoptr(Align) again = NULL;
    SkewedRecording s;

    (void)state;
    skewed_ranks_init(&s, 6, FALSE);
    for (uint32_t r = 0; r < 6; r++)
        s.shift_us[r] = 1234.567 * r * (r % 2 ? 1 : -1);
    add_skewed_collectives(&s, 40, 700, 3);
    align = align_skewed_ranks(&s);
    align_apply_corrections(align, s.recording);
    again = align_skewed_ranks(&s);
    assert_int_equal(again->solution->n_broken_before, 0);
    assert_true(again->max_shift_us < 0.01);
    recording_free(s.recording);
}

static void test_clocks_without_common_events_are_not_changed(void **state)
{
    g_autoptr(Align) align = NULL;
    g_autofree char *text = NULL;
    SkewedRecording s;

    (void)state;
    skewed_ranks_init(&s, 2, FALSE);
    add_kernel_by_hand(s.recording, record_rank(s.recording, 0), 7, "k", 0, 5,
                       RECORD_NONE);
    align = align_skewed_ranks(&s);
    text = align_text(align);
    assert_false(align->is_needed);
    assert_string_equal(text, "2 clocks, which nothing ties together");
    recording_free(s.recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alignment_keeps_correct_clocks),
        cmocka_unit_test(test_alignment_finds_clock_offsets_within_noise),
        cmocka_unit_test(test_alignment_finds_a_clock_drift),
        cmocka_unit_test(test_messages_in_both_directions_show_a_clock_offset),
        cmocka_unit_test(test_alignment_satisfies_a_violated_bound),
        cmocka_unit_test(test_an_alignment_bound_overrides_least_squares),
        cmocka_unit_test(test_an_aligned_recording_needs_no_alignment),
        cmocka_unit_test(test_clocks_without_common_events_are_not_changed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
