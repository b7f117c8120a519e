/* Tests of workloads/readers/timeline/: timelines as JSON, and refused ones */
#include "tests/test.h"

#include <string.h>

#include "workloads/readers/reader_table.h"

/* The timeline of two NPUs, one of which was simulated: a kernel, an all-reduce
 * of both NPUs, and a host call. */
static const char whole[] =
    "{\"displayTimeUnit\":\"ns\",\"acesim\":{\"causes\":1,\"workload\":\"p\","
    "\"npus\":2,\"simulated\":1,\"iterations\":1,\"watched\":[0],"
    "\"place of\":[0,0],\"groups\":[{\"name\":\"all\",\"ranks\":[[0,1]]},"
    "{\"name\":\"pair\",\"ranks\":[[0,1]]}]},\"traceEvents\":[\n"
    "{\"ph\":\"B\",\"pid\":1,\"tid\":5,\"ts\":0,\"args\":{\"iteration\":0,"
    "\"flop\":100,\"HBM bytes\":8,\"written bytes\":3,\"op\":0,"
    "\"kind\":\"kernel\",\"layer\":\"k\",\"alone ps\":5000000,\"after\":[]}},\n"
    "{\"ph\":\"E\",\"pid\":1,\"tid\":5,\"ts\":5},\n"
    "{\"ph\":\"B\",\"pid\":2,\"tid\":6,\"ts\":5,\"args\":{\"iteration\":0,"
    "\"payload bytes\":64,\"op\":1,\"kind\":\"collective\",\"layer\":\"r\","
    "\"collective\":\"all-reduce\",\"group\":1,\"from\":0,\"to\":0,"
    "\"priority\":0,\"after\":[[0,0]]}},\n"
    "{\"ph\":\"E\",\"pid\":2,\"tid\":6,\"ts\":9},\n"
    "{\"ph\":\"B\",\"pid\":1,\"tid\":17,\"ts\":0,\"args\":{\"iteration\":0,"
    "\"op\":2,\"kind\":\"host\",\"layer\":\"h\",\"alone ps\":1000000,"
    "\"after\":[[1,0]],\"queue\":\"q\"}},\n"
    "{\"ph\":\"E\",\"pid\":1,\"tid\":17,\"ts\":1}\n"
    "],\"otherData\":{\"iteration ps\":9000000,\"slices_left_out\":\"0\"}}";

static Recording *read_timeline_text(const char *text, GError **error)
{
    g_autoptr(Source) source = source_from_memory("x.json", text, strlen(text));
    g_autoptr(Recording) recording = recording_new();

    if (!read_recording_file(READ_AUTO, source, NULL, recording, error))
        return NULL;
    return g_steal_pointer(&recording);
}

/* Returns the timeline with the first @from replaced by @to.  The caller frees
 * it. */
static char *replace_in_timeline(const char *from, const char *to)
{
    const char *at = strstr(whole, from);

    if (!at)
        fail_msg("there is no %s", from);
    return g_strdup_printf("%.*s%s%s", (int)(at - whole), whole, to,
                           at + strlen(from));
}

static void assert_changed_timeline_refused(const char *from, const char *to,
                                            const char *message)
{
    g_autofree char *text = replace_in_timeline(from, to);
    GError *error = NULL;

    if (read_timeline_text(text, &error))
        fail_msg("it is read with %s", to);
    if (!g_str_equal(error->message, message))
        fail_msg("%s", error->message);
    g_error_free(error);
}

static void test_a_timeline_is_read_as_a_plan_with_dependencies(void **state)
{
    g_autoptr(Recording) recording = read_timeline_text(whole, NULL);
    const RecordRank *rank = record_rank(recording, 0);
    const RecordNode *kernel = record_node(rank, 0);
    const RecordNode *reduce = record_node(rank, 1);
    const RecordWork *work = (const RecordWork *)rank->works->data;

    (void)state;
    assert_string_equal(recording->format, "timeline");
    assert_int_equal(recording->n_world, 2);
    assert_int_equal(recording->iteration_ps, 9000000);
    assert_int_equal(recording->ranks->len, 1);
    assert_int_equal(rank->rank, RECORD_NO_RANK);
    assert_int_equal(rank->nodes->len, 3);
    assert_true(kernel->begin_ps == RECORD_NO_TIME);
    assert_int_equal(kernel->duration_ps, 5000000);
    assert_int_equal(work->flop, 100);
    assert_int_equal(work->read_bytes, 5);
    assert_int_equal(work->written_bytes, 3);
    assert_int_equal(reduce->kind, RECORD_COLLECTIVE);
    assert_int_equal(reduce->duration_ps, 4000000);
    assert_int_equal(reduce->n_deps, 1);
    assert_int_equal(record_node_communication(rank, reduce)->bytes, 64);
    assert_int_equal(record_node(rank, 2)->kind, RECORD_HOST);
}

static void test_a_head_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    assert_changed_timeline_refused(
        "\"causes\":1", "\"causes\":2",
        "x.json:1:1: causes are told in way 2, and this reads way "
        "1");
    assert_changed_timeline_refused(
        "\"npus\":2", "\"npus\":3",
        "x.json:1:1: acesim: 'npus', 'simulated', 'place of' and "
        "'groups' do not fit together");
    assert_changed_timeline_refused(
        "\"npus\":2", "\"npus\":99999999",
        "x.json:1:68: npus: a number of at most 16777216");
    assert_changed_timeline_refused("\"place of\":[0,0]", "\"place of\":[0,1]",
                                    "x.json:1:1: place of: NPU 1 has none");
    assert_changed_timeline_refused(
        "\"watched\":[0]", "\"watched\":[]",
        "x.json:1:1: the timeline is of 0 of 1 NPUs; write one by "
        "--timeline-npus=all");
    assert_changed_timeline_refused(
        "\"slices_left_out\":\"0\"", "\"slices_left_out\":\"7\"",
        "x.json:1:1: 7 slices were left out; write one with more "
        "--timeline-events");
}

static void test_groups_have_only_existing_npus(void **state)
{
    (void)state;
    assert_changed_timeline_refused("\"pair\",\"ranks\":[[0,1]]",
                                    "\"pair\",\"rnks\":[[0,1]]",
                                    "x.json:1:1: groups: 'pair' has no ranks");
    assert_changed_timeline_refused("\"pair\",\"ranks\":[[0,1]]",
                                    "\"pair\",\"ranks\":[[0,2]]",
                                    "x.json:1:198: ranks: NPUs' numbers");
    assert_changed_timeline_refused(
        "\"pair\",\"ranks\":[[0,1]]", "\"pair\",\"ranks\":[[0],[]]",
        "x.json:1:200: ranks: sets of a group are equally large");
    assert_changed_timeline_refused("\"pair\",\"ranks\":[[0,1]]",
                                    "\"pair\",\"ranks\":[]",
                                    "x.json:1:195: ranks: none");
    assert_changed_timeline_refused("\"pair\",\"ranks\":[[0,1]]",
                                    "\"pair\",\"ranks\":[0]",
                                    "x.json:1:195: ranks: a list of lists");
    /* The number of NPUs becomes smaller after the groups were read. */
    assert_changed_timeline_refused(
        "{\"name\":\"pair\",\"ranks\":[[0,1]]}]",
        "{\"name\":\"pair\",\"ranks\":[[0,1]]}],\"npus\":1,\"place "
        "of\":[]",
        "x.json:1:1: acesim: 'npus', 'simulated', 'place of' and "
        "'groups' do not fit together");
}

static void test_an_operation_needs_all_its_properties(void **state)
{
    (void)state;
    assert_changed_timeline_refused(
        ",\"after\":[]", "",
        "x.json:2:1: an operation without 'after' or 'layer'");
    assert_changed_timeline_refused(
        "\"layer\":\"r\",", "",
        "x.json:4:1: an operation without 'after' or 'layer'");
    assert_changed_timeline_refused(
        "{\"ph\":\"E\",\"pid\":1,\"tid\":5,\"ts\":5},\n", "",
        "x.json:2:1: operation 0 does not end");
    assert_changed_timeline_refused(
        "\"pid\":1,\"tid\":5,\"ts\":0",
        "\"pid\":4,\"tid\":5,"
        "\"ts\":0",
        "x.json:2:1: an NPU that was not simulated");
    assert_changed_timeline_refused(
        "\"alone ps\":5000000", "\"alone ps\":\"long\"",
        "x.json:2:1: 'alone ps' or 'gap ps' is wrong");
    assert_changed_timeline_refused(
        "\"flop\":100", "\"flop\":-1",
        "x.json:2:1: 'flop', 'HBM bytes' or 'written bytes' is "
        "wrong");
    assert_changed_timeline_refused("\"op\":2", "\"op\":0",
                                    "x.json:6:1: operation 0 is there twice");
    assert_changed_timeline_refused("\"after\":[[0,0]]", "\"after\":[0]",
                                    "x.json:4:188: after: [[operation, back]]");
    assert_changed_timeline_refused("\"after\":[[0,0]]", "\"after\":[[-1,0]]",
                                    "x.json:4:189: after: [operation, back]");
    assert_changed_timeline_refused("\"ts\":5,", "\"ts\":-5,",
                                    "x.json:4:32: ts: a time in us");
}

static void test_communication_is_within_its_group(void **state)
{
    (void)state;
    assert_changed_timeline_refused(
        "\"group\":1", "\"group\":2",
        "x.json:4:1: 'group' or 'payload bytes' is wrong");
    assert_changed_timeline_refused(
        "\"payload bytes\":64", "\"payload bytes\":null",
        "x.json:4:1: 'group' or 'payload bytes' is wrong");
    assert_changed_timeline_refused(
        "\"from\":0", "\"from\":2",
        "x.json:4:1: 'from' and 'to' are ranks of a group of 2");
    assert_changed_timeline_refused("\"all-reduce\"", "\"some-reduce\"",
                                    "x.json:4:1: operation 1 is not NPU 0's");
    assert_changed_timeline_refused(
        "\"priority\":0", "\"uneven\":true",
        "x.json:4:1: an all-to-all of uneven parts whose sizes are "
        "unknown");
    assert_changed_timeline_refused(
        "\"priority\":0", "\"waits in lane\":\"nccl\"",
        "x.json:4:1: collectives waited in a lane, 'nccl', which a "
        "program made of a timeline would not have");
}

/* Every beginning, and every text with a byte changed, is read or refused by
 * its place. */
static void test_damaged_timelines_are_read_or_refused(void **state)
{
    gsize n = strlen(whole);

    (void)state;
    for (gsize i = 0; i < n; i++)
        for (guint way = 0; way < 4; way++) {
            g_autofree char *text = g_strndup(whole, way > 0 ? n : i);
            g_autoptr(Recording) recording = NULL;
            GError *error = NULL;

            if (way > 0)
                text[i] = "9]\""[way - 1];
            recording = read_timeline_text(text, &error);
            assert_true(recording ||
                        g_str_has_prefix(error->message, "x.json:"));
            g_clear_error(&error);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_timeline_is_read_as_a_plan_with_dependencies),
        cmocka_unit_test(test_a_head_that_does_not_fit_is_refused),
        cmocka_unit_test(test_groups_have_only_existing_npus),
        cmocka_unit_test(test_an_operation_needs_all_its_properties),
        cmocka_unit_test(test_communication_is_within_its_group),
        cmocka_unit_test(test_damaged_timelines_are_read_or_refused),
    };

    return cmocka_run_group_tests_name("timeline reader", tests, NULL, NULL);
}
