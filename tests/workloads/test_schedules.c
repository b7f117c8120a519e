/*
 * test_schedules.c - pipeline schedules against closed forms, by replay
 *
 * Without communication, with F, B and W as the times of a forward, an input
 * and a weight pass, p stages, v chunks and enough micro-batches:
 *
 *   gpipe, 1f1b   the bubble is (p - 1) (F + B + W)
 *   interleaved   the same, with the times of a chunk
 *   zb-h1         (p - 1) (F + B - W) if W <= F, else (p - 1) max(F + B - W, B)
 *   zb-h2         the makespan exceeds the work by (p - 1) max(F + B - 2 W, F)
 *                 if W <= F
 */
#include "tests/test.h"

#include "workloads/schedules/schedule.h"

typedef struct {
    ConfigVariant kind;
} Root;

static const ConfigField root_fields[] = {
    { .key = "schedule",
      .help = "the one to test",
      .type = CONFIG_KIND,
      .offset = offsetof(Root, kind),
      .registry = &schedule_registry },
    CONFIG_END,
};

static ConfigDoc *doc; /* of the last schedule, which borrows from it */

/* Returns the schedule that @text describes, or NULL with @error set. */
static Schedule *read_schedule(const char *text, uint32_t p, uint32_t m,
                               GError **error)
{
    g_autofree char *yaml = g_strdup_printf("schedule: %s\n", text);
    Root root;

    g_clear_pointer(&doc, config_doc_free);
    doc = config_doc_parse("t.yaml", yaml, strlen(yaml), error);
    if (!doc || !config_doc_read(doc, root_fields, &root, error))
        return NULL;
    return schedule_new(&root.kind, p, m, error);
}

static Schedule *schedule_of(const char *name, uint32_t p, uint32_t v,
                             uint32_t m, GError **error)
{
    gboolean has_chunks = g_str_equal(name, "interleaved");
    g_autofree char *text =
        has_chunks ? g_strdup_printf("{kind: %s, chunks: %u}", name, v)
                   : g_strdup_printf("{kind: %s}", name);

    return read_schedule(text, p, m, error);
}

static ScheduleFigures figures_of_pipeline_schedule(const char *name,
                                                    uint32_t p, uint32_t v,
                                                    uint32_t m,
                                                    const ScheduleTimes *times)
{
    GError *error = NULL;
    g_autoptr(Schedule) schedule = schedule_of(name, p, v, m, &error);
    g_autofree char *fault = NULL;
    ScheduleFigures figures;

    if (!schedule)
        fail_msg("%s: %s", name, error->message);
    if (!schedule_replay(schedule, times, &figures, NULL, &fault))
        fail_msg("%s, p %u, v %u, m %u: %s", name, p, v, m, fault);
    return figures;
}

static const ScheduleTimes all_times[] = {
    { 10, 10, 10, 0, NULL }, { 10, 12, 8, 0, NULL },    { 10, 11, 9, 0, NULL },
    { 10, 20, 15, 0, NULL }, { 7, 13, 5, 0, NULL },     { 10, 10, 20, 0, NULL },
    { 3, 10, 4, 0, NULL },   { 100, 130, 99, 0, NULL },
};

/* Calls @check for 2 to 16 stages, some numbers of micro-batches and all
 * times. */
static void check_for_pipeline_shapes(void (*check)(uint32_t p, uint32_t m,
                                                    const ScheduleTimes *times))
{
    for (uint32_t p = 2; p <= 16; p++)
        for (uint32_t n = 2; n <= 5; n++)
            for (gsize t = 0; t < G_N_ELEMENTS(all_times); t++)
                check(p, n * p + (n == 5 ? 3 : 0), &all_times[t]);
}

static void check_schedule_is_synchronous(uint32_t p, uint32_t m,
                                          const ScheduleTimes *t)
{
    uint64_t unit_ps = t->forward_ps + t->input_ps + t->weight_ps;
    static const char *const names[] = { "gpipe", "1f1b" };

    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        ScheduleFigures f = figures_of_pipeline_schedule(names[i], p, 1, m, t);

        assert_int_equal(f.makespan_ps, (m + p - 1) * unit_ps);
        assert_int_equal(f.work_ps, m * unit_ps);
        assert_int_equal(f.most_in_flight, i == 0 ? m : MIN(m, p));
    }
}

static void test_gpipe_and_1f1b_have_the_bubble_of_the_closed_form(void **state)
{
    (void)state;
    check_for_pipeline_shapes(check_schedule_is_synchronous);
}

static void test_interleaved_divides_the_bubble_by_its_chunks(void **state)
{
    (void)state;
    for (uint32_t p = 2; p <= 16; p++)
        for (uint32_t v = 2; v <= 4; v++)
            for (uint32_t groups = 1; groups <= 3; groups++)
                for (gsize i = 0; i < G_N_ELEMENTS(all_times); i++) {
                    const ScheduleTimes *t = &all_times[i];
                    uint64_t unit_ps =
                        t->forward_ps + t->input_ps + t->weight_ps;
                    ScheduleFigures f = figures_of_pipeline_schedule(
                        "interleaved", p, v, groups * p, t);

                    assert_int_equal(f.makespan_ps,
                                     (v * groups * p + p - 1) * unit_ps);
                }
}

static void check_zb_h1(uint32_t p, uint32_t m, const ScheduleTimes *t)
{
    ScheduleFigures f = figures_of_pipeline_schedule("zb-h1", p, 1, m, t);
    uint64_t rest_ps = t->forward_ps + t->input_ps - t->weight_ps;
    uint64_t expected_ps =
        t->weight_ps <= t->forward_ps ? rest_ps : MAX(rest_ps, t->input_ps);

    assert_int_equal(f.makespan_ps - f.work_ps, (p - 1) * expected_ps);
}

static void check_zb_h2(uint32_t p, uint32_t m, const ScheduleTimes *t)
{
    ScheduleFigures f = figures_of_pipeline_schedule("zb-h2", p, 1, m, t);
    uint64_t both_ps = t->forward_ps + t->input_ps;
    uint64_t rest_ps =
        both_ps > 2 * t->weight_ps ? both_ps - 2 * t->weight_ps : 0;

    if (t->weight_ps <= t->forward_ps)
        assert_int_equal(f.makespan_ps - f.work_ps,
                         (p - 1) * MAX(rest_ps, t->forward_ps));
}

static void test_zero_bubble_schedules_have_their_closed_forms(void **state)
{
    (void)state;
    check_for_pipeline_shapes(check_zb_h1);
    check_for_pipeline_shapes(check_zb_h2);
}

static void test_zb_v_never_waits_with_equal_times(void **state)
{
    static const ScheduleTimes equal = { 10, 10, 10, 0, NULL };

    (void)state;
    for (uint32_t p = 1; p <= 12; p++)
        for (uint32_t m = 2 * p - 1; m <= 4 * p; m++) {
            ScheduleFigures f =
                figures_of_pipeline_schedule("zb-v", p, 1, m, &equal);

            assert_int_equal(f.bubble_ps, 0);
            assert_int_equal(f.makespan_ps, f.work_ps + (p - 1) * 10);
            assert_int_equal(f.most_in_flight, 2 * p); /* chunks: p stages */
        }
}

/* One micro-batch on two stages, messages of 1: stage 0 runs F [0, 10], stage 1
 * both of its chunks [11, 31], stage 0 chunk 1 F [32, 42], I [42, 52] and
 * W [52, 62], stage 1 I of chunk 1 [53, 63], W [63, 73] and I of chunk 0
 * [73, 83], stage 0 I of chunk 0 [84, 94] and W [94, 104]. */
static void test_zb_v_of_one_micro_batch_by_hand(void **state)
{
    static const ScheduleTimes times = { 10, 10, 10, 1, NULL };

    (void)state;
    assert_int_equal(
        figures_of_pipeline_schedule("zb-v", 2, 1, 1, &times).makespan_ps, 104);
}

/* Two stages and four micro-batches, messages of 1.  Stage 1 is the mirror
 * image of stage 0, which runs
 *
 *   F0 [0, 10], F2 [11, 21], F1 [21, 31], B2 [31, 51], F3 [51, 61] beside
 *   B0 [61, 81], B3 [81, 101], I1 [102, 112], W1 [112, 122]
 *
 * where F2 and I1 wait for a message. */
static void test_dualpipe_of_two_stages_by_hand(void **state)
{
    static const ScheduleTimes times = { 10, 10, 10, 1, NULL };

    (void)state;
    assert_int_equal(
        figures_of_pipeline_schedule("dualpipe", 2, 1, 4, &times).makespan_ps,
        122);
}

static void test_dualpipe_holds_one_activation_more_than_stages(void **state)
{
    static const ScheduleTimes equal = { 10, 10, 10, 0, NULL };

    (void)state;
    for (uint32_t p = 2; p <= 16; p += 2)
        for (uint32_t m = 2 * p; m <= 4 * p; m += 2) {
            ScheduleFigures f =
                figures_of_pipeline_schedule("dualpipe", p, 1, m, &equal);

            assert_int_equal(f.most_in_flight, p + 1);
            assert_int_equal(f.makespan_ps, f.work_ps + (p / 2 - 1) * 10);
        }
}

/* ---- all kinds ----------------------------------------------------------- */

/* Checks that each step of @order stands behind those of its stage, and that
 * there are as many as units. */
static void check_order_of_schedule(const Schedule *schedule,
                                    const GArray *order)
{
    g_autofree guint *n = g_new0(guint, schedule->shape.n_stages);

    for (guint i = 0; i < order->len; i++) {
        const ScheduleStep *step = &g_array_index(order, ScheduleStep, i);

        assert_int_equal(step->unit, n[step->stage]++);
    }
    for (uint32_t s = 0; s < schedule->shape.n_stages; s++)
        assert_int_equal(n[s], schedule->units[s]->len);
}

static void test_every_kind_passes_its_replay(void **state)
{
    (void)state;
    for (const ConfigKind *const *kind = schedule_registry.kinds; *kind;
         kind++) {
        guint n_accepted = 0;

        if (g_str_equal((*kind)->name, "file"))
            continue;
        for (uint32_t p = 1; p <= 9; p++)
            for (uint32_t m = 1; m <= 3 * p; m++) {
                g_autoptr(GError) error = NULL;
                g_autoptr(Schedule) schedule =
                    schedule_of((*kind)->name, p, 3, m, &error);
                g_autoptr(GArray) order =
                    g_array_new(FALSE, FALSE, sizeof(ScheduleStep));
                g_autofree char *fault = NULL;

                if (!schedule) {
                    assert_int_equal(error->code, CONFIG_ERROR_CONFLICT);
                    assert_null(strstr(error->message, "pass of micro-batch"));
                    continue;
                }
                n_accepted++;
                assert_true(
                    schedule_replay(schedule, NULL, NULL, order, &fault));
                check_order_of_schedule(schedule, order);
            }
        assert_true(n_accepted >= 9);
    }
}

/* ---- faults -------------------------------------------------------------- */

static ScheduleUnit *schedule_unit_at(Schedule *schedule, uint32_t stage,
                                      guint i)
{
    return &g_array_index(schedule->units[stage], ScheduleUnit, i);
}

static void remove_schedule_unit(Schedule *schedule)
{
    g_array_set_size(schedule->units[0], schedule->units[0]->len - 1);
}

static void repeat_schedule_unit(Schedule *schedule)
{
    *schedule_unit_at(schedule, 0, 1) = *schedule_unit_at(schedule, 0, 0);
}

static void begin_with_weights(Schedule *schedule)
{
    ScheduleUnit first = *schedule_unit_at(schedule, 2, 0);
    guint last = schedule->units[2]->len - 1;

    *schedule_unit_at(schedule, 2, 0) = *schedule_unit_at(schedule, 2, last);
    *schedule_unit_at(schedule, 2, last) = first;
}

static void remove_schedule_chunks(Schedule *schedule)
{
    schedule_unit_at(schedule, 1, 2)->chunk = 1;
}

/* The first stage wants the gradient of a micro-batch before it passes on the
 * one that the last stage does first. */
static void wait_in_a_circle(Schedule *schedule)
{
    ScheduleUnit first = *schedule_unit_at(schedule, 0, 0);
    guint i = 0;

    while (schedule_unit_at(schedule, 0, i)->pass != UNIT_INPUT)
        i++;
    *schedule_unit_at(schedule, 0, 0) = *schedule_unit_at(schedule, 0, i);
    *schedule_unit_at(schedule, 0, i) = first;
}

static void test_planted_faults_are_found(void **state)
{
    static const struct {
        void (*plant)(Schedule *schedule);
        const char *fault;
    } faults[] = {
        { remove_schedule_unit, "is missing" },
        { repeat_schedule_unit, "stands twice" },
        { begin_with_weights, "never begins" },
        { remove_schedule_chunks, "does not exist" },
        { wait_in_a_circle, "never begins" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(faults); i++) {
        GError *error = NULL;
        g_autoptr(Schedule) schedule = schedule_of("zb-h1", 3, 1, 6, &error);
        g_autofree char *fault = NULL;

        assert_no_error(error);
        faults[i].plant(schedule);
        assert_false(schedule_replay(schedule, NULL, NULL, NULL, &fault));
        if (!strstr(fault, faults[i].fault))
            fail_msg("fault %zu: %s", i, fault);
    }
}

static void test_schedules_can_be_written_out(void **state)
{
    GError *error = NULL;
    g_autoptr(Schedule) schedule = read_schedule(
        "{kind: file, units: ['F0 F1 B0 B1', 'F0 B0 F1 B1']}", 2, 2, &error);

    (void)state;
    assert_no_error(error);
    assert_int_equal(schedule_unit_at(schedule, 1, 1)->pass, UNIT_BACKWARD);
    assert_false(schedule_unit_at(schedule, 1, 1)->is_paired);
}

static void test_written_units_can_be_pairs(void **state)
{
    GError *error = NULL;
    g_autoptr(Schedule) schedule =
        read_schedule("{kind: file, units: ['F0 F1+B0 B1']}", 1, 2, &error);

    (void)state;
    assert_no_error(error);
    assert_true(schedule_unit_at(schedule, 0, 1)->is_paired);
    assert_int_equal(schedule_unit_at(schedule, 0, 2)->pass, UNIT_BACKWARD);
    assert_false(schedule_unit_at(schedule, 0, 2)->is_paired);
}

static void test_written_schedules_are_checked(void **state)
{
    static const struct {
        const char *units, *message;
    } wrong[] = {
        { "['F0 F1 B0 B1']", "lists of units for 1 stages" },
        { "['F0 F1 B0 B1', 'F0 B0 F1']", "never begins" },
        { "['F0 F1 B0 B1', 'F0 B0 F1 X1']", "got 'X1'" },
        { "['F0 F1 B0 B1', 'F0 B0 F1+ B1']", "got 'F1+ B1'" },
        { "['F0 F1 B0 B1', 'F0 B0 F1 B1+']", "got 'B1+'" },
        { "['F0+F1+B0 B1', 'F0 B0 F1 B1']", "got" },
        { "['F0 F1 B0 B1', 'F1 B1 B0 F0']", "never begins" },
        { "['F0 F1 B0 B1', 'F0 B0 F1 B1.7']", "does not exist" },
        { "['F0 F1 B0 B1', 'F0 B0 F1 B99999999999999999999']", "got 'B999" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *text =
            g_strdup_printf("{kind: file, units: %s}", wrong[i].units);
        g_autoptr(GError) error = NULL;

        assert_null(read_schedule(text, 2, 2, &error));
        if (!strstr(error->message, wrong[i].message))
            fail_msg("%s", error->message);
    }
}

static void test_shapes_that_a_schedule_cannot_have_are_refused(void **state)
{
    static const struct {
        const char *kind;
        uint32_t p, m;
        const char *message;
    } wrong[] = {
        { "interleaved", 8, 4, "as many micro-batches as stages (8)" },
        { "interleaved", 4, 6, "no whole number of groups" },
        { "dualpipe", 7, 14, "an even number of stages, not 7" },
        { "dualpipe", 4, 6, "two micro-batches for each stage (8)" },
        { "dualpipe", 4, 9, "an even number of them, not 9" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;

        assert_null(
            schedule_of(wrong[i].kind, wrong[i].p, 2, wrong[i].m, &error));
        if (!strstr(error->message, wrong[i].message))
            fail_msg("%s", error->message);
    }
}

static int free_doc(void **state)
{
    (void)state;
    g_clear_pointer(&doc, config_doc_free);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_gpipe_and_1f1b_have_the_bubble_of_the_closed_form),
        cmocka_unit_test(test_interleaved_divides_the_bubble_by_its_chunks),
        cmocka_unit_test(test_zero_bubble_schedules_have_their_closed_forms),
        cmocka_unit_test(test_zb_v_never_waits_with_equal_times),
        cmocka_unit_test(test_zb_v_of_one_micro_batch_by_hand),
        cmocka_unit_test(test_dualpipe_of_two_stages_by_hand),
        cmocka_unit_test(test_dualpipe_holds_one_activation_more_than_stages),
        cmocka_unit_test(test_every_kind_passes_its_replay),
        cmocka_unit_test(test_planted_faults_are_found),
        cmocka_unit_test(test_schedules_can_be_written_out),
        cmocka_unit_test(test_written_units_can_be_pairs),
        cmocka_unit_test(test_written_schedules_are_checked),
        cmocka_unit_test(test_shapes_that_a_schedule_cannot_have_are_refused),
    };

    return cmocka_run_group_tests_name("schedules", tests, NULL, free_doc);
}
