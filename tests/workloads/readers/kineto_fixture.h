/*
 * kineto_fixture.h - reads Kineto traces that tests give as texts, with ' in
 * place of "
 *
 * Owner    the caller owns recordings
 */
#ifndef TESTS_WORKLOADS_READERS_KINETO_FIXTURE_H
#define TESTS_WORKLOADS_READERS_KINETO_FIXTURE_H

#include "tests/test.h"

#include <string.h>

#include "sim/config/config.h"
#include "workloads/readers/reader_table.h"

/* Adds the trace in @text, a file "t.json", to @recording. */
static inline gboolean read_kineto_text(const char *text, const char *pattern,
                                        Recording *recording, GError **error)
{
    const char *const patterns[] = { pattern, NULL };
    ReadOptions options = { .comm_patterns = patterns };
    g_autofree char *quoted = g_strdelimit(g_strdup(text), "'", '"');
    g_autoptr(Source) source =
        source_from_memory("t.json", quoted, strlen(quoted));

    return read_recording_file(READ_AUTO, source, &options, recording, error);
}

static inline Recording *kineto_recording_of(const char *text)
{
    Recording *recording = recording_new();
    g_autoptr(GError) error = NULL;
    gboolean ok = read_kineto_text(text, NULL, recording, &error);

    assert_no_error(error);
    assert_true(ok);
    return recording;
}

/* Returns the recording of a trace that has only these events. */
static inline Recording *kineto_recording_of_events(const char *events)
{
    g_autofree char *text = g_strdup_printf("{'traceEvents': [%s]}", events);

    return kineto_recording_of(text);
}

static inline void assert_kineto_refused(const char *text, int code,
                                         const char *message)
{
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(GError) error = NULL;

    assert_false(read_kineto_text(text, NULL, recording, &error));
    assert_config_error(error, code, message);
}

/* Returns the communication of the first rank, which must have only one. */
static inline const RecordComm *single_kineto_comm(const Recording *recording)
{
    const RecordRank *rank = record_rank(recording, 0);

    assert_int_equal(rank->comms->len, 1);
    return &g_array_index(rank->comms, RecordComm, 0);
}

#endif
