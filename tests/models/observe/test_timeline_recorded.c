/* Tests that a timeline shows recorded events next to simulated ones. */
#include "tests/models/run/collective_lanes_fixture.h"

#include "sim/view/timeline/timeline.h"

static void add_recorded_kernel(Recording *recording, RecordRank *rank,
                                uint32_t stream, const char *name,
                                SimTime begin_us, SimTime took_us)
{
    RecordNode node = { .name =
                            recording_store_text(recording, name, strlen(name)),
                        .begin_ps = (int64_t)US(begin_us),
                        .duration_ps = US(took_us),
                        .stream = stream,
                        .comm = RECORD_NONE,
                        .launch = RECORD_NONE,
                        .kind = RECORD_KERNEL,
                        .pass = OP_N_PASSES };

    (void)record_add_node(rank, &node);
}

/* Rank 0 starts at 100 us with a of 10 us, b inside a, and c outside both.
 * Rank 5 is not simulated. */
static Recording *two_rank_recording(void)
{
    Recording *recording = recording_new();
    RecordRank *rank = record_add_rank(recording, "zero");
    uint32_t stream;

    rank->rank = 0;
    stream = record_add_stream(recording, rank, 7, FALSE, "stream 7");
    add_recorded_kernel(recording, rank, stream, "a", 100, 10);
    add_recorded_kernel(recording, rank, stream, "b", 102, 3);
    add_recorded_kernel(recording, rank, stream, "c", 108, 6);
    rank = record_add_rank(recording, "five");
    rank->rank = 5;
    stream = record_add_stream(recording, rank, 7, FALSE, "stream 7");
    add_recorded_kernel(recording, rank, stream, "far", 101, 1);
    return recording;
}

/* Returns the timeline as text.  The caller frees it. */
static char *timeline_text_of(const Setup *setup)
{
    g_autofree char *path = g_build_filename(
        g_getenv("TMPDIR") ?: g_get_tmp_dir(), "beside.json", NULL);
    g_autoptr(Recording) recording = two_rank_recording();
    g_autoptr(RecordWindow) window = record_select_whole(recording);
    g_autoptr(GArray) npus = timeline_parse_npus("0");
    g_autoptr(Timeline) timeline = NULL;
    const TimelineRecorded beside = { recording, window };
    GError *error = NULL;
    char *text = NULL;
    Run run;

    read_run_setup(&run, setup);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    timeline = timeline_open_with_recording(path, npus, 1000, &beside,
                                            run.system, &error);
    assert_no_error(error);
    (void)!system_run(run.system, &error);
    assert_no_error(error);
    (void)!timeline_finish(timeline, &error);
    assert_no_error(error);
    assert_true(g_file_get_contents(path, &text, NULL, &error));
    run_clear(&run);
    return text;
}

static void assert_text_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("there is no %s in\n%s", part, text);
}

/* Two iterations of 9 us are simulated; 14 us were recorded. */
static void test_a_recorded_rank_is_shown_under_its_npu(void **state)
{
    Setup setup = lanes_setup("", KERNEL("k", 9), 2);
    g_autofree char *text = timeline_text_of(&setup);

    (void)state;
    assert_text_contains(
        text, "\"pid\":4,\"name\":\"process_name\",\"tid\":4,\"args\":"
              "{\"name\":\"rank 0 recorded\"}");
    assert_text_contains(text,
                         "{\"ph\":\"B\",\"pid\":4,\"name\":\"a\",\"tid\":21,"
                         "\"ts\":0.000000,\"cat\":\"kernel\"}");
    assert_text_contains(text,
                         "{\"ph\":\"B\",\"pid\":4,\"name\":\"b\",\"tid\":21,"
                         "\"ts\":2.000000,\"cat\":\"kernel\"}");
    assert_text_contains(text,
                         "{\"ph\":\"E\",\"pid\":4,\"name\":\"a\",\"tid\":21,"
                         "\"ts\":10.000000}");
    assert_text_contains(text,
                         "{\"ph\":\"B\",\"pid\":4,\"name\":\"c\",\"tid\":38,"
                         "\"ts\":8.000000,\"cat\":\"kernel\"}");
    assert_text_contains(
        text, "\"name\":\"simulated ends 5.000 us earlier\",\"tid\":55,"
              "\"ts\":9.000000,\"cat\":\"difference\"");
    assert_null(strstr(text, "rank 5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_recorded_rank_is_shown_under_its_npu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
