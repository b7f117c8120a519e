/* Tests of workloads/readers/nsys/ */
#include "tests/test.h"

#include "tests/workloads/readers/nsys_fixture.h"

/* ---- valid Nsight Systems exports ---------------------------------------- */

static void test_call_numbers_are_unique_per_process_only(void **state)
{
    (void)state;
    assert_nsys_reads(
        TABLES KERNEL "(1000, 3000, 0, 7, 21, " P7 ", 1, 1, 9),"
                      "(1100, 3300, 1, 7, 21, " P8 ", 2, 2, 24);" RUNTIME
                      "(900, 950, " T8 ", 21, 3),"
                      "(800, 820, " T7 ", 21, 3);",
        "rank 0\n"
        "0 kernel 'gemm' 0+2000 on stream 7 by 1\n"
        "1 host 'cudaLaunchKernel' -200+20 on thread 7\n"
        "rank 1\n"
        "0 collective 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)' "
        "100+2200 on stream 7 24 blocks by 1\n"
        "1 host 'cudaLaunchKernel' -100+50 on thread 8\n");
}

static void test_a_process_of_two_devices_is_two_ranks(void **state)
{
    (void)state;
    assert_nsys_reads(
        TABLES KERNEL "(1000, 3000, 1, 7, 21, " P7 ", 1, 1, 9),"
                      "(1100, 3300, 0, 7, 22, " P7 ", 1, 1, 9);" RUNTIME
                      "(800, 820, " T7 ", 21, 3),"
                      "(820, 830, " T7 ", 30, 5),"
                      "(840, 860, " T7 ", 22, 3);",
        "rank 0\n"
        "0 kernel 'gemm' 100+2200 on stream 7 by 1\n"
        "1 host 'cudaLaunchKernel' -160+20 on thread 7\n"
        "rank 1\n"
        "0 kernel 'gemm' 0+2000 on stream 7 by 1\n"
        "1 host 'cudaLaunchKernel' -200+20 on thread 7\n"
        "2 wait 'cudaStreamSynchronize_v3020' -180+10 on thread 7\n");
}

static void test_copies_have_their_bytes_and_direction(void **state)
{
    g_autoptr(Recording) recording = read_nsys_sql(
        TABLES ONE "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, "
                   "deviceId, streamId, correlationId, globalPid, bytes, "
                   "copyKind, srcKind, dstKind);"
                   "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES "
                   "(1, 2, 0, 8, 22, " P7 ", 512, 2, 2, 0), "
                   "(1, 2, 0, 8, 23, " P8 ", 512, 2, 2, 0);"
                   "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, "
                   "deviceId, streamId, correlationId, globalPid, bytes);"
                   "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES "
                   "(1, 2, 0, 8, 24, " P7 ", 64);" RUNTIME "(0, 9, " T7
                   ", 22, 3);");
    const RecordRank *rank = record_rank(recording, 0);
    const RecordWork *work = (const RecordWork *)rank->works->data;

    (void)state;
    assert_int_equal(recording->ranks->len, 1);
    assert_int_equal(rank->nodes->len, 4);
    assert_string_equal(record_node(rank, 1)->name,
                        "Memcpy DtoH (Device -> Pageable)");
    assert_int_equal(work[0].read_bytes, 512);
    assert_int_equal(work[0].written_bytes, 512);
    assert_int_equal(work[1].read_bytes, 0);
    assert_int_equal(work[1].written_bytes, 64);
    /* A call that copies to pageable memory waits for the copy. */
    assert_int_equal(record_node(rank, 3)->kind, RECORD_WAIT);
    assert_int_equal(record_node(rank, 3)->n_deps, 1);
}

static void test_a_wait_has_the_dependencies_of_its_record(void **state)
{
    (void)state;
    assert_nsys_reads(
        TABLES KERNEL "(1000, 3000, 0, 7, 21, " P7 ", 1, 1, 9),"
                      "(3100, 3300, 0, 7, 22, " P7 ", 1, 1, 9);" RUNTIME
                      "(800, 810, " T7 ", 21, 3), (810, 811, " T7 ", 31, 8),"
                      "(820, 830, " T7 ", 22, 3), (830, 3001, " T7 ", 32, 9),"
                      "(3010, 3301, " T7 ", 33, 5);"
                      "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (streamId, "
                      "correlationId, globalPid, eventSyncId);"
                      "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES "
                      "(7, 31, " P7 ", 4);"
                      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION ("
                      "correlationId, globalPid, streamId, eventSyncId);"
                      "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES "
                      "(32, " P7 ", 4294967295, 4), (33, " P7 ", 7, 0);",
        "rank 0\n"
        "0 kernel 'gemm' 0+2000 on stream 7 by 2\n"
        "1 kernel 'gemm' 2100+200 on stream 7 by 4\n"
        "2 host 'cudaLaunchKernel' -200+10 on thread 7\n"
        "3 host 'cudaEventRecord' -190+1 on thread 7\n"
        "4 host 'cudaLaunchKernel' -180+10 on thread 7\n"
        "5 wait 'cudaEventSynchronize' -170+2171 on thread 7 < id 1\n"
        "6 wait 'cudaStreamSynchronize_v3020' 2010+291 on thread 7 < id 2\n");
}

/* The rule applies with and without a record of the synchronisation. */
static void test_a_wait_for_the_device_is_for_all_streams(void **state)
{
    (void)state;
    assert_nsys_reads(
        TABLES KERNEL "(1000, 3000, 0, 7, 21, " P7 ", 1, 1, 9),"
                      "(1000, 2000, 0, 8, 22, " P7 ", 1, 1, 9);" RUNTIME
                      "(800, 810, " T7 ", 21, 3), (820, 830, " T7 ", 22, 3),"
                      "(840, 3010, " T7 ", 23, 10);",
        "rank 0\n"
        "0 kernel 'gemm' 0+2000 on stream 7 by 2\n"
        "1 kernel 'gemm' 0+1000 on stream 8 by 3\n"
        "2 host 'cudaLaunchKernel' -200+10 on thread 7\n"
        "3 host 'cudaLaunchKernel' -180+10 on thread 7\n"
        "4 wait 'cudaDeviceSynchronize' -160+2170 on thread 7 < id 1 < id "
        "2\n");
}

#define NVTX                                                                   \
    "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId, "          \
    "globalTid); INSERT INTO NVTX_EVENTS VALUES "

static void test_ranges_give_steps_and_single_messages(void **state)
{
    (void)state;
    assert_nsys_reads(
        TABLES KERNEL "(1000, 3000, 0, 7, 21, " P7 ", 4, 4, 2),"
                      "(3000, 3100, 0, 7, 22, " P7 ", 4, 4, 2),"
                      "(3100, 3200, 0, 7, 23, " P7 ", 4, 4, 2);" RUNTIME
                      "(800, 810, " T7 ", 21, 3), (820, 830, " T7 ", 22, 3),"
                      "(840, 850, " T7 ", 23, 3);" NVTX
                      "(790, 900, 59, 'step 12', NULL, " T7 "),"
                      "(790, 900, 59, 'step two', NULL, " T7 "),"
                      "(790, 900, 59, 'iteration 12', NULL, " T7 "),"
                      "(791, 792, 59, NULL, 6, " T7 "),"
                      "(792, 793, 59, NULL, 6, " T7 "),"
                      "(812, 813, 59, NULL, 7, " T7 "),"
                      "(832, 833, 59, NULL, 6, " T7 "),"
                      "(834, 835, 59, NULL, 7, " T7 ");",
        "rank 0\n"
        "0 send 'ncclDevKernel_SendRecv(x)' 0+2000 on stream 7 2 blocks by 3\n"
        "1 receive 'ncclDevKernel_SendRecv(x)' 2000+100 on stream 7 2 blocks "
        "by 4\n"
        "2 collective 'ncclDevKernel_SendRecv(x)' 2100+100 on stream 7 2 "
        "blocks by 5\n"
        "3 host 'cudaLaunchKernel' -200+10 on thread 7\n"
        "4 host 'cudaLaunchKernel' -180+10 on thread 7\n"
        "5 host 'cudaLaunchKernel' -160+10 on thread 7\n"
        "6 other 'step 12' -210+110 on thread 7 step\n");
}

static void test_a_graph_traced_as_a_whole_is_a_kernel(void **state)
{
    (void)state;
    assert_nsys_reads(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, "
        "deviceId, streamId, globalPid, graphId);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES "
        "(5, 9, 0, 7, " P7 ", 3);",
        "rank 0\n0 kernel 'CUDA graph 3' 0+4 on stream 7\n");
}

static void test_the_machine_and_its_clock_are_known(void **state)
{
    g_autoptr(Recording) recording = read_nsys_sql(
        TABLES ONE
        "CREATE TABLE TARGET_INFO_GPU (id, name, smCount);"
        "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100', 132);"
        "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs);"
        "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (5000000);"
        "CREATE TABLE ANALYSIS_DETAILS (startTime);"
        "INSERT INTO ANALYSIS_DETAILS VALUES (100);"
        "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name, value);"
        "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'n1');"
        "CREATE TABLE META_DATA_EXPORT (name, value);"
        "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3');");
    const RecordRank *rank = record_rank(recording, 0);

    (void)state;
    assert_string_equal(rank->device, "NVIDIA H100");
    assert_int_equal(rank->n_sms, 132);
    assert_int_equal(rank->base_ns, 5000000 - 100 + 1000);
    assert_string_equal(rank->host, "n1");
    assert_string_equal(recording->version, "3");
    assert_int_equal(recording->n_numbered, 1);
}

static void test_a_file_of_one_device_may_be_named_by_its_rank(void **state)
{
    File file = nsys_file_of_sql(TABLES ONE);
    g_autoptr(Recording) recording =
        read_bytes("job.5.sqlite", file.bytes, file.n, NULL);

    (void)state;
    assert_int_equal(record_rank(recording, 0)->rank, 5);
    assert_int_equal(recording->n_numbered, 0);
    sqlite3_free(file.bytes);
}

/* ---- refused Nsight Systems exports -------------------------------------- */

#define X "x.sqlite: table "
#define K "CUPTI_ACTIVITY_KIND_KERNEL: "

static void test_errors_name_the_table_and_the_row(void **state)
{
    (void)state;
    assert_nsys_refused(TABLES, X K "missing or empty: no work of a device "
                                    "was traced");
    assert_nsys_refused(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, deviceId, "
        "globalPid); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
        "(1, 0, 0);",
        X K "it has no column 'end'");
    assert_nsys_refused(TABLES ONE KERNEL "(1, NULL, 0, 7, 1, 0, 1, 1, 1);",
                        X K "row 2: it has no 'end'");
    assert_nsys_refused(TABLES ONE KERNEL "('x', 2, 0, 7, 1, 0, 1, 1, 1);",
                        X K "row 2: 'start' is no whole number");
    assert_nsys_refused(TABLES KERNEL "(5, 4, 0, 7, 1, 0, 1, 1, 1);", X K
                        "row 1: it ends before it starts, or 50 days after");
    assert_nsys_refused(
        TABLES ONE KERNEL
        "(9223372036854775807, 9223372036854775807, 0, 7, 1, 0, "
        "1, 1, 1);",
        X K "row 2: it starts more than 50 days from the first");
    assert_nsys_refused("CREATE TABLE NVTX_EVENTS (start, end);",
                        X K "missing or empty: no work of a device was "
                            "traced");
}

/* Views and functions of an untrusted schema could run code. */
static void test_no_view_is_read_and_no_function_runs(void **state)
{
    (void)state;
    assert_nsys_refused(
        "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE "
        "n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i "
        "AS start, i AS end, 0 AS deviceId, 0 AS streamId, 0 AS "
        "globalPid FROM n;",
        X K "missing or empty: no work of a device was "
            "traced");
    assert_nsys_refused(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, streamId, "
        "globalPid, deviceId AS (length(hex(zeroblob(1000000)))));"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 3, 4);",
        X K "it has no column 'deviceId'");
}

static void test_a_file_that_is_no_database_is_refused(void **state)
{
    GError *error = NULL;
    int format = 0;

    (void)state;
    while (strcmp(read_names[format], "nsys") != 0)
        format++;
    for (guint i = 0; i < 2; i++) {
        g_autoptr(Source) source =
            source_from_memory("x", i ? "SQLite format 3" : "", 15 * i);
        g_autoptr(Recording) recording = recording_new();

        assert_false(
            read_recording_file(format, source, NULL, recording, &error));
        assert_string_equal(
            error->message,
            "x: byte 0: it does not begin as SQLite's files do");
        g_clear_error(&error);
    }
    assert_null(read_bytes("x", "SQLite format 3\0abc", 19, &error));
    assert_true(g_str_has_prefix(error->message, "x: "));
    g_error_free(error);
}

/* Truncated files, and files with a changed byte, are read or refused. */
static void test_damaged_files_are_read_or_refused(void **state)
{
    File file =
        nsys_file_of_sql(TABLES ONE RUNTIME "(800, 820, " T7 ", 21, 3);");

    (void)state;
    for (gsize i = 16; i < file.n; i += i < 256 ? 7 : 97)
        for (guint way = 0; way < 3; way++) {
            g_autofree unsigned char *bytes = g_memdup2(file.bytes, file.n);
            g_autoptr(Recording) recording = NULL;
            GError *error = NULL;

            if (way > 0)
                bytes[i] = way == 1 ? 0xff : (unsigned char)(bytes[i] + 1);
            recording =
                read_bytes("x.sqlite", bytes, way > 0 ? file.n : i, &error);
            if (!recording) {
                assert_true(g_str_has_prefix(error->message, "x.sqlite: "));
                assert_true(g_utf8_validate(error->message, -1, NULL));
            }
            g_clear_error(&error);
        }
    sqlite3_free(file.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_call_numbers_are_unique_per_process_only),
        cmocka_unit_test(test_a_process_of_two_devices_is_two_ranks),
        cmocka_unit_test(test_copies_have_their_bytes_and_direction),
        cmocka_unit_test(test_a_wait_has_the_dependencies_of_its_record),
        cmocka_unit_test(test_a_wait_for_the_device_is_for_all_streams),
        cmocka_unit_test(test_ranges_give_steps_and_single_messages),
        cmocka_unit_test(test_a_graph_traced_as_a_whole_is_a_kernel),
        cmocka_unit_test(test_the_machine_and_its_clock_are_known),
        cmocka_unit_test(test_a_file_of_one_device_may_be_named_by_its_rank),
        cmocka_unit_test(test_errors_name_the_table_and_the_row),
        cmocka_unit_test(test_no_view_is_read_and_no_function_runs),
        cmocka_unit_test(test_a_file_that_is_no_database_is_refused),
        cmocka_unit_test(test_damaged_files_are_read_or_refused),
    };

    return cmocka_run_group_tests_name("nsys", tests, NULL, NULL);
}
