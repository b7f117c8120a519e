/* trace_tree.h - a trace of a run, written and read back */
#ifndef TESTS_MODELS_OBSERVE_TRACE_TREE_H
#define TESTS_MODELS_OBSERVE_TRACE_TREE_H

#include "tests/core/json_value.h"
#include "tests/system_fixture.h"

typedef struct {
    const JsonValue *begin, *end; /* events */
    const char *name, *category;
    guint64 track;
    uint64_t from_ps, to_ps;
} Slice;

typedef struct {
    JsonValue *json;
    const GPtrArray *events; /* of .json */
    GArray *slices;          /* of Slice, in the order of their begins */
    SystemResult r;
} Trace;

static inline const JsonValue *trace_event(const Trace *trace, guint i)
{
    return g_ptr_array_index(trace->events, i);
}

static inline const Slice *trace_slice(const Trace *trace, guint i)
{
    return &g_array_index(trace->slices, Slice, i);
}

/* In the folder of the test.  Owner: the caller. */
char *trace_path(const char *name);

/* NULL: there is no such member, or it has none. */
const char *trace_text(const JsonValue *object, const char *key);
/* A member that counts microseconds with six decimals. */
uint64_t trace_ps(const JsonValue *object, const char *key);
gboolean trace_has(const JsonValue *event, const char *key, const char *value);
/* A tid is one thread of one process. */
guint64 trace_track(const JsonValue *event);

/* Runs @system with the timeline of @npus, into the file @path. */
void trace_write(System *system, const char *path, const char *npus,
                 uint64_t max_slices);
/* Runs @system with the timeline of @npus, and reads it. */
void trace_run(Trace *trace, System *system, const char *npus,
               uint64_t max_slices);
void trace_run_setup(Trace *trace, const Setup *setup, FoldMode fold,
                     const char *npus);
/* ResNet-50 on 4x4x4 as published. */
void trace_run_isca21(Trace *trace, const char *endpoint, uint64_t max_slices);
void trace_clear(Trace *trace);

#endif
