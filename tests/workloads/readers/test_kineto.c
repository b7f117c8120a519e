/*
 * Tests of the reader of Kineto's and Chrome's traces: which events become
 * nodes, their times, their launches and their dependencies.
 */
#include "tests/workloads/readers/kineto_fixture.h"

extern const ReadOps reader_kineto;

/* One event of category @cat: {'ph': 'X', ...}. */
#define EVENT(cat, name, tid, ts, dur, args)                                   \
    "{'ph': 'X', 'cat': '" cat "', 'name': '" name "', 'pid': 1, 'tid': " tid  \
    ", 'ts': " ts ", 'dur': " dur ", 'args': {" args "}}"

static RecordNode *node_at_index(const Recording *recording, guint i)
{
    return record_node(record_rank(recording, 0), i);
}

static void kineto_events_of_all_versions_become_nodes(void **state)
{
    static const char *const categories[] = {
        "kernel",      "Kernel",      "gpu_memcpy",   "Memcpy",
        "gpu_memset",  "Memset",      "cuda_runtime", "Runtime",
        "cuda_driver", "hip_runtime", "mine",
    };
    static const RecordKind kinds[] = {
        RECORD_KERNEL, RECORD_KERNEL, RECORD_COPY, RECORD_COPY,
        RECORD_COPY,   RECORD_COPY,   RECORD_HOST, RECORD_HOST,
        RECORD_HOST,   RECORD_HOST,   RECORD_OTHER
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(categories); i++) {
        g_autofree char *event = g_strdup_printf(
            "{'ph': 'X', 'cat': '%s', 'name': 'n', 'ts': 1, 'dur': 2}",
            categories[i]);
        g_autoptr(Recording) recording = kineto_recording_of_events(event);

        assert_int_equal(record_rank(recording, 0)->nodes->len, 1);
        assert_int_equal(node_at_index(recording, 0)->kind, kinds[i]);
        assert_int_equal(node_at_index(recording, 0)->flags,
                         i >= 6 ? RECORD_ON_HOST : 0);
    }
}

static void skipped_kineto_events_are_counted(void **state)
{
    g_autoptr(Recording) recording = kineto_recording_of_events(
        EVENT("cpu_op", "aten::add", "1", "1", "2", "") "," EVENT(
            "Operator", "aten::add", "1", "1", "2",
            "") "," EVENT("python_function", "f", "1", "1", "2",
                          "") "," EVENT("user_annotation", "nccl:x", "1", "1",
                                        "2",
                                        "") "," EVENT("gpu_user_annotation",
                                                      "ProfilerStep#1", "1",
                                                      "1", "2",
                                                      "") ","
                                                          "{'ph': 's', 'id': 1, 'cat': 'ac2g'}, {'ph': 'M', 'name': 'p'}, 7,"
                                                          "{'name': 'Memory', 'ph': 'i', 'cat': 'kernel'}");
    const RecordRank *rank = record_rank(recording, 0);

    (void)state;
    assert_int_equal(rank->n_found, 9);
    assert_int_equal(rank->nodes->len, 0);
    assert_int_equal(rank->streams->len, 0);
    assert_string_equal(recording->format, "kineto");
}

static void kineto_times_are_exact_to_the_ps(void **state)
{
    g_autoptr(Recording) recording = kineto_recording_of("{'traceEvents': [" EVENT(
        "kernel", "a", "7", "4458676522690.655", "41.407",
        "") "," EVENT("kernel", "b", "7", "4458676522690", "0",
                      "") "," EVENT("kernel", "c", "7", "4458676522691.6551",
                                    "1e-6",
                                    "") ","
                                        "{'ph': 'X', 'cat': 'kernel', 'name': 'd'}],"
                                        "'baseTimeNanoseconds': 1711964646000000000}");
    const RecordRank *rank = record_rank(recording, 0);

    (void)state;
    assert_int_equal(rank->base_ns, 1711964646000000000 + 4458676522690655);
    assert_int_equal(node_at_index(recording, 0)->begin_ps, 0);
    assert_int_equal(node_at_index(recording, 0)->duration_ps, 41407000);
    assert_int_equal(node_at_index(recording, 1)->begin_ps, -655000);
    assert_int_equal(node_at_index(recording, 2)->begin_ps, 1000100);
    assert_int_equal(node_at_index(recording, 2)->duration_ps, 1);
    assert_true(node_at_index(recording, 3)->begin_ps == RECORD_NO_TIME);
}

static void kineto_device_and_job_are_read(void **state)
{
    g_autoptr(Recording) recording = kineto_recording_of(
        "{'schemaVersion': 1, 'deviceProperties': ["
        "{'id': 0, 'name': 'A', 'numSms': 80}, 3,"
        "{'id': 1, 'name': 'B', 'numSms': 108}],"
        "'distributedInfo': {'backend': 'nccl', 'rank': 3, 'world_size': 8},"
        "'traceEvents': [" EVENT("kernel", "k", "7", "1", "1",
                                 "'device': 1, 'stream': 7") "]}");
    const RecordRank *rank = record_rank(recording, 0);

    (void)state;
    assert_string_equal(recording->version, "1");
    assert_int_equal(recording->n_world, 8);
    assert_int_equal(rank->rank, 3);
    assert_string_equal(rank->device, "B");
    assert_int_equal(rank->n_sms, 108);
    assert_string_equal(rank->file, "t.json");
}

static void a_kineto_array_without_metadata_has_no_rank(void **state)
{
    g_autoptr(Recording) recording =
        kineto_recording_of("[" EVENT("kernel", "k", "7", "1", "1", "") "]");

    (void)state;
    assert_int_equal(record_rank(recording, 0)->rank, RECORD_NO_RANK);
    assert_int_equal(record_rank(recording, 0)->nodes->len, 1);
    assert_int_equal(node_at_index(recording, 0)->id, 1);
}

static void threads_and_device_streams_are_separate_streams(void **state)
{
    g_autoptr(Recording) recording = kineto_recording_of_events(
        EVENT("kernel", "a", "7", "1", "1", "'device': 2, 'stream': 7") "," EVENT(
            "cuda_runtime", "b", "7", "1", "1",
            "") "," EVENT("kernel", "c", "7", "1", "1",
                          "'device': 2, 'stream': 7") "," EVENT("kernel", "d",
                                                                "7", "1", "1",
                                                                "'device': 3, 'stream': 7") "," EVENT("kernel",
                                                                                                      "e",
                                                                                                      "20",
                                                                                                      "1",
                                                                                                      "1",
                                                                                                      "") ","
                                                                                                          "{'ph': 'X', 'cat': 'cuda_runtime', 'pid': 9, 'tid': 7, 'ts': 1}");
    static const struct {
        guint rank;
        uint64_t id;
        gboolean is_host;
    } expected[] = {
        /* A stream of an unknown device is of the first one. */
        { 0, 7, FALSE },
        { 0, 7, TRUE },
        { 0, 20, FALSE },
        { 0, (UINT64_C(9) << 32) + 7, TRUE },
        /* Each device is a rank, with the threads that launch nothing. */
        { 1, 7, TRUE },
        { 1, (UINT64_C(4) << 32) + 7, FALSE },
        { 1, (UINT64_C(9) << 32) + 7, TRUE },
    };

    (void)state;
    assert_int_equal(recording->ranks->len, 2);
    for (guint i = 0, s = 0; i < G_N_ELEMENTS(expected); i++, s++) {
        const GArray *streams;
        const RecordStream *stream;

        s = i > 0 && expected[i].rank != expected[i - 1].rank ? 0 : s;
        streams = record_rank(recording, expected[i].rank)->streams;
        assert_in_range(s, 0, streams->len - 1);
        stream = &g_array_index(streams, RecordStream, s);
        assert_int_equal(stream->id, expected[i].id);
        assert_int_equal(stream->is_host, expected[i].is_host);
    }
    assert_string_equal(
        g_array_index(record_rank(recording, 0)->streams, RecordStream, 0).name,
        "stream 7");
    assert_int_equal(node_at_index(recording, 2)->stream, 0);
}

static void kernel_launches_are_found_by_correlation(void **state)
{
    g_autoptr(Recording) recording = kineto_recording_of_events(
        EVENT("kernel", "a", "7", "5", "1", "'correlation': 12") "," EVENT("cuda_runtime", "cudaGraphLaunch", "1", "1", "1", "'correlation': 12") "," EVENT(
            "kernel", "b", "7", "6", "1",
            "'correlation': 12") "," EVENT("cuda_driver", "cuLaunchKernel", "1",
                                           "2", "1",
                                           "'correlation': '13'") "," EVENT("gpu_memset",
                                                                            "c",
                                                                            "7",
                                                                            "7",
                                                                            "1",
                                                                            "'correlation': 13") "," EVENT("kernel",
                                                                                                           "d",
                                                                                                           "7",
                                                                                                           "8",
                                                                                                           "1",
                                                                                                           "'correlation': 14") "," EVENT("kernel",
                                                                                                                                          "e",
                                                                                                                                          "7",
                                                                                                                                          "9",
                                                                                                                                          "1",
                                                                                                                                          ""));
    static const uint32_t launches[] = { 1,           RECORD_NONE, 1,
                                         RECORD_NONE, 3,           RECORD_NONE,
                                         RECORD_NONE };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(launches); i++)
        assert_int_equal(node_at_index(recording, i)->launch, launches[i]);
}

static void profiler_steps_are_marked(void **state)
{
    g_autoptr(Recording) recording = kineto_recording_of_events(
        EVENT("user_annotation", "ProfilerStep#10", "1", "1", "9", ""));

    (void)state;
    assert_int_equal(node_at_index(recording, 0)->kind, RECORD_OTHER);
    assert_int_equal(node_at_index(recording, 0)->flags,
                     RECORD_ON_HOST | RECORD_STEP);
    assert_string_equal(node_at_index(recording, 0)->name, "ProfilerStep#10");
}

static void waiting_host_calls_are_recognised_by_name(void **state)
{
    static const char *const names[] = { "cudaStreamSynchronize",
                                         "cudaDeviceSynchronize",
                                         "cudaEventSynchronize_v3020",
                                         "hipStreamSynchronize",
                                         "cuCtxSynchronize",
                                         "cudaStreamWaitEvent",
                                         "cudaEventQuery",
                                         "cudaStreamSynchronizeX",
                                         "cuda",
                                         "" };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *event =
            g_strdup_printf("{'ph': 'X', 'cat': 'cuda_runtime', 'ts': 1,"
                            "'dur': 1, 'name': '%s'}",
                            names[i]);
        g_autoptr(Recording) recording = kineto_recording_of_events(event);

        assert_int_equal(node_at_index(recording, 0)->kind,
                         i < 5 ? RECORD_WAIT : RECORD_HOST);
        assert_int_equal(node_at_index(recording, 0)->flags,
                         RECORD_ON_HOST | (i == 5 ? RECORD_STREAM_WAITS : 0));
    }
}

/* Returns the id of the dependency of node @i; 0: none. */
static uint64_t first_dependency_of_node(const Recording *recording, guint i)
{
    const RecordNode *node = node_at_index(recording, i);

    assert_true(node->n_deps <= 1);
    return node->n_deps ? g_array_index(record_rank(recording, 0)->deps,
                                        uint64_t, node->first_dep)
                        : 0;
}

#define COPY(call, copy)                                                       \
    EVENT("cuda_runtime", call, "1", "1", "9", "'correlation': 1")             \
    "," EVENT("gpu_memcpy", copy, "7", "2", "3", "'correlation': 1")

static void a_host_call_waits_for_its_blocking_copy(void **state)
{
    static const struct {
        const char *events;
        gboolean waits;
    } cases[] = {
        { COPY("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)"), TRUE },
        { COPY("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pinned)"), FALSE },
        { COPY("cudaMemcpyAsync", "Memcpy HtoD (Pageable -> Device)"), FALSE },
        { COPY("cudaMemcpy", "Memcpy HtoD (Pinned -> Device)"), TRUE },
        { COPY("cudaMemcpy", "Memcpy DtoD (Device -> Device)"), FALSE },
        { COPY("hipMemcpyWithStream", "Memcpy HtoD (Host -> Device)"), TRUE },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Recording) recording =
            kineto_recording_of_events(cases[i].events);

        assert_int_equal(node_at_index(recording, 0)->kind,
                         cases[i].waits ? RECORD_WAIT : RECORD_HOST);
        assert_int_equal(
            !!(node_at_index(recording, 0)->flags & RECORD_WAITS_FOR_DEPS),
            cases[i].waits);
        assert_int_equal(first_dependency_of_node(recording, 0),
                         cases[i].waits ? 2 : 0);
        assert_int_equal(node_at_index(recording, 1)->launch, 0);
    }
}

/* Two kernels on stream 7 and one on stream 20, launched in the order of their
 * numbers. */
#define QUEUED                                                                                                                                                          \
    EVENT("cuda_runtime", "launch", "1", "10", "1", "'correlation': 1")                                                                                                 \
    "," EVENT("cuda_runtime", "launch", "1", "20", "1", "'correlation': 2") "," EVENT("cuda_runtime", "cudaEventRecord", "1", "25", "1", "'correlation': 3") "," EVENT( \
        "cuda_runtime", "launch", "1", "30", "1",                                                                                                                       \
        "'correlation': 4") "," EVENT("kernel", "k", "7", "40", "1",                                                                                                    \
                                      "'correlation': 1, 'stream': 7") "," EVENT("kernel",                                                                              \
                                                                                 "k",                                                                                   \
                                                                                 "7",                                                                                   \
                                                                                 "50",                                                                                  \
                                                                                 "1",                                                                                   \
                                                                                 "'correlation': 2, 'stream': 7") "," EVENT("kernel",                                   \
                                                                                                                            "k",                                        \
                                                                                                                            "20",                                       \
                                                                                                                            "5",                                        \
                                                                                                                            "1",                                        \
                                                                                                                            "'correlation': 4, 'stream': 20") ","
#define SYNC(args) EVENT("cuda_sync", "Sync", "7", "60", "1", args)

static void cuda_sync_events_give_the_waits(void **state)
{
    g_autoptr(Recording) stream = kineto_recording_of_events(QUEUED EVENT(
        "cuda_runtime", "cudaStreamSynchronize", "1", "35", "9",
        "'correlation': 9") "," SYNC("'correlation': 9, 'stream': 20"));
    g_autoptr(Recording) event = kineto_recording_of_events(QUEUED EVENT(
        "cuda_runtime", "cudaStreamWaitEvent", "1", "35", "9",
        "'correlation': 9") "," SYNC("'correlation': 9, 'stream': 20, 'wait_on_stream': 7,"
                                     "'wait_on_cuda_event_record_corr_id': 3"));
    g_autoptr(Recording) unknown = kineto_recording_of_events(QUEUED EVENT(
        "cuda_runtime", "cudaEventSynchronize", "1", "35", "9",
        "'correlation': 9") "," SYNC("'correlation': 9, 'stream': 20, 'wait_on_stream': 7,"
                                     "'wait_on_cuda_event_record_corr_id': -1"));
    g_autoptr(Recording) all = kineto_recording_of_events(
        QUEUED EVENT("cuda_runtime", "cudaDeviceSynchronize", "1", "35", "9",
                     "'correlation': 9") "," SYNC("'correlation': 9"));

    (void)state;
    assert_int_equal(first_dependency_of_node(stream, 7), 7);
    assert_int_equal(node_at_index(stream, 7)->flags,
                     RECORD_ON_HOST | RECORD_WAITS_FOR_DEPS);
    assert_int_equal(first_dependency_of_node(event, 7), 6);
    assert_int_equal(node_at_index(event, 7)->flags,
                     RECORD_ON_HOST | RECORD_STREAM_WAITS);
    assert_int_equal(first_dependency_of_node(unknown, 7), 0);
    assert_int_equal(node_at_index(unknown, 7)->flags, RECORD_ON_HOST);
    assert_int_equal(node_at_index(all, 7)->n_deps, 2);
}

static void slices_of_other_tracers_are_kept(void **state)
{
    g_autoptr(Recording) recording = kineto_recording_of(
        "[{'ph': 'B', 'name': 'outer', 'pid': 1, 'tid': 1, 'ts': 10},"
        "{'ph': 'B', 'name': 'inner', 'pid': 1, 'tid': 1, 'ts': 12},"
        "{'ph': 'B', 'name': 'other', 'pid': 1, 'tid': 'x', 'ts': 13},"
        "{'ph': 'E', 'pid': 1, 'tid': 1, 'ts': 15},"
        "{'ph': 'E', 'pid': 1, 'tid': 1, 'ts': 19},"
        "{'ph': 'E', 'pid': 1, 'tid': 1, 'ts': 20}]");

    (void)state;
    assert_int_equal(record_rank(recording, 0)->nodes->len, 3);
    assert_int_equal(node_at_index(recording, 0)->duration_ps, 9000000);
    assert_int_equal(node_at_index(recording, 1)->duration_ps, 3000000);
    assert_int_equal(node_at_index(recording, 2)->duration_ps, 0);
    assert_int_equal(node_at_index(recording, 1)->kind, RECORD_OTHER);
}

static void kineto_errors_have_their_position(void **state)
{
    (void)state;
    assert_kineto_refused("{'ph': 1}", CONFIG_ERROR_MISSING_KEY,
                          "t.json:1:9: the object has no array 'traceEvents'");
    assert_kineto_refused("{'traceEvents': [{'ph': 'X',\n'cat'",
                          CONFIG_ERROR_SYNTAX,
                          "t.json:2:6: the file ends behind a key");
    assert_kineto_refused("[{'ph': 'X', 'dur': -1}]", CONFIG_ERROR_RANGE,
                          "t.json:1:21: dur is between 0 and 100 days, in us");
    assert_kineto_refused(
        "[{'ph': 'X', 'ts': 1},{'ph': 'X', 'ts': 1e15}]", CONFIG_ERROR_RANGE,
        "t.json:1:45: this is more than 50 days from the first "
        "event");
    assert_kineto_refused("[{'ph': 'X', 'ts': 1e300}]", CONFIG_ERROR_RANGE,
                          "t.json:1:20: ts is less than 290 years, in us");
    assert_kineto_refused("[{'ph': 'X', 'ts': 1}] []", CONFIG_ERROR_SYNTAX,
                          "t.json:1:24: something stands behind the end");
    assert_kineto_refused("[{'ph': 'X', 'tid': 1e20}]", CONFIG_ERROR_RANGE,
                          "t.json:1:21: an id is a whole number");
}

static void a_truncated_trace_is_an_error_with_its_position(void **state)
{
    const char *text =
        "{'deviceProperties': [{'id': 0, 'name': '\\u20ac'}],\n"
        "'distributedInfo': {'rank': 0, 'pg_config': [{'ranks': [0]}]},\n"
        "'traceEvents': [" EVENT("kernel", "nccl", "7", "1", "2",
                                 "'grid': [8], 'In split size': '[1]'") "]}";

    (void)state;
    for (gsize n = 0; n < strlen(text); n++) {
        g_autofree char *cut = g_strdelimit(g_strndup(text, n), "'", '"');
        g_autoptr(Source) source = source_from_memory("t.json", cut, n);
        g_autoptr(Recording) recording = recording_new();
        g_autoptr(GError) error = NULL;

        assert_false(reader_kineto.read(source, NULL, recording, &error));
        assert_true(g_str_has_prefix(error->message, "t.json:"));
        assert_non_null(strstr(error->message, ": the file ends"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kineto_events_of_all_versions_become_nodes),
        cmocka_unit_test(skipped_kineto_events_are_counted),
        cmocka_unit_test(kineto_times_are_exact_to_the_ps),
        cmocka_unit_test(kineto_device_and_job_are_read),
        cmocka_unit_test(a_kineto_array_without_metadata_has_no_rank),
        cmocka_unit_test(threads_and_device_streams_are_separate_streams),
        cmocka_unit_test(kernel_launches_are_found_by_correlation),
        cmocka_unit_test(profiler_steps_are_marked),
        cmocka_unit_test(waiting_host_calls_are_recognised_by_name),
        cmocka_unit_test(a_host_call_waits_for_its_blocking_copy),
        cmocka_unit_test(cuda_sync_events_give_the_waits),
        cmocka_unit_test(slices_of_other_tracers_are_kept),
        cmocka_unit_test(kineto_errors_have_their_position),
        cmocka_unit_test(a_truncated_trace_is_an_error_with_its_position),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
