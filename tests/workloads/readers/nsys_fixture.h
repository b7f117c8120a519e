/*
 * nsys_fixture.h - creates exports of Nsight Systems by SQL, reads them, and
 * prints the recording as
 * text */
#ifndef TESTS_WORKLOADS_READERS_NSYS_FIXTURE_H
#define TESTS_WORKLOADS_READERS_NSYS_FIXTURE_H

#include <sqlite3.h>
#include <string.h>

#include "workloads/readers/reader_table.h"

/* ---- Nsight Systems files of a test -------------------------------------- */

/* Ids of two processes, 7 and 8, with one thread each, and the tables that most
 * tests need. */
#define P7 "117440512"
#define P8 "134217728"
#define T7 "117440519"
#define T8 "134217736"

#define TABLES                                                                 \
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"             \
    "INSERT INTO StringIds VALUES (1, 'gemm'), (2, "                           \
    "'ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)'), (3, 'cudaLaunchKernel'), " \
    "(4, 'ncclDevKernel_SendRecv(x)'), (5, 'cudaStreamSynchronize_v3020'), "   \
    "(6, 'ncclSend'), (7, 'ncclRecv'), (8, 'cudaEventRecord'), "               \
    "(9, 'cudaEventSynchronize'), (10, 'cudaDeviceSynchronize');"              \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, "          \
    "streamId, correlationId, globalPid, demangledName, shortName, gridX);"    \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, "        \
    "correlationId, nameId);"

#define KERNEL  "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
#define RUNTIME "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES "
#define ONE     KERNEL "(1000, 3000, 0, 7, 21, " P7 ", 1, 1, 9);"

typedef struct {
    /* The struct owns these bytes, which sqlite3_malloc() has allocated. */
    unsigned char *bytes;
    gsize n;
} File;

static inline File nsys_file_of_sql(const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_int64 n = 0;
    char *message = NULL;
    File file;

    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
    file.bytes = sqlite3_serialize(db, "main", &n, 0);
    file.n = (gsize)n;
    sqlite3_close(db);
    return file;
}

static inline Recording *read_bytes(const char *name, const void *bytes,
                                    gsize n, GError **error)
{
    g_autoptr(Source) source = source_from_memory(name, bytes, n);
    g_autoptr(Recording) recording = recording_new();
    const ReadOptions options = { .comm_patterns = NULL };

    if (!read_recording_file(READ_AUTO, source, &options, recording, error))
        return NULL;
    return g_steal_pointer(&recording);
}

static inline Recording *read_nsys_sql(const char *sql)
{
    File file = nsys_file_of_sql(sql);
    GError *error = NULL;
    Recording *recording = read_bytes("x.sqlite", file.bytes, file.n, &error);

    if (!recording)
        fail_msg("%s", error->message);
    sqlite3_free(file.bytes);
    return recording;
}

static inline void assert_nsys_refused(const char *sql, const char *message)
{
    File file = nsys_file_of_sql(sql);
    GError *error = NULL;

    assert_null(read_bytes("x.sqlite", file.bytes, file.n, &error));
    assert_string_equal(error->message, message);
    g_error_free(error);
    sqlite3_free(file.bytes);
}

/* ---- recordings as text -------------------------------------------------- */

static inline void append_nsys_node_text(const RecordRank *rank,
                                         const RecordNode *node, GString *out)
{
    const RecordComm *comm = record_node_communication(rank, node);

    g_string_append_printf(
        out, "%s '%s' %" G_GINT64_FORMAT "+%" G_GUINT64_FORMAT " on %s",
        record_kind_names[node->kind], node->name, node->begin_ps / 1000,
        node->duration_ps / 1000,
        g_array_index(rank->streams, RecordStream, node->stream).name);
    if (comm)
        g_string_append_printf(out, " %u blocks", comm->n_blocks);
    if (node->flags & RECORD_STEP)
        g_string_append(out, " step");
    if (node->launch != RECORD_NONE)
        g_string_append_printf(out, " by %u", node->launch);
    for (uint32_t d = 0; d < node->n_deps; d++)
        g_string_append_printf(
            out, " < id %" G_GUINT64_FORMAT,
            g_array_index(rank->deps, uint64_t, node->first_dep + d));
    g_string_append_c(out, '\n');
}

static inline void assert_nsys_reads(const char *sql, const char *expected)
{
    g_autoptr(Recording) recording = read_nsys_sql(sql);
    g_autoptr(GString) got = g_string_new(NULL);

    for (guint r = 0; r < recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(recording, r);

        g_string_append_printf(got, "rank %u\n", rank->rank);
        for (guint i = 0; i < rank->nodes->len; i++) {
            g_string_append_printf(got, "%u ", i);
            append_nsys_node_text(rank, record_node(rank, i), got);
        }
    }
    assert_string_equal(got->str, expected);
}

#endif
