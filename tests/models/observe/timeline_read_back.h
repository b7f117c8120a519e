/* timeline_read_back.h - writes the trace of a run and reads it back */
#ifndef TESTS_MODELS_OBSERVE_TIMELINE_READ_BACK_H
#define TESTS_MODELS_OBSERVE_TIMELINE_READ_BACK_H

#include "tests/core/json_value.h"
#include "tests/system_fixture.h"

typedef struct {
    /* The begin event and the end event of a slice. */
    const JsonValue *begin, *end;
    const char *name, *category;
    guint64 track;
    uint64_t from_ps, to_ps;
} Slice;

typedef struct {
    JsonValue *json;
    const GPtrArray *events; /* The events of the JSON file, owned by .json. */
    /* The array holds each Slice, in the order of their start. */
    GArray *slices;
    SystemResult r;
} Trace;

static inline const JsonValue *trace_event_at(const Trace *trace, guint i)
{
    return g_ptr_array_index(trace->events, i);
}

static inline const Slice *trace_slice_at(const Trace *trace, guint i)
{
    return &g_array_index(trace->slices, Slice, i);
}

/* Returns the path of a file in the test's folder.  The caller frees it. */
char *trace_file_path(const char *name);

/* Returns the text of a member, or NULL if it is absent or has none. */
const char *trace_member_text(const JsonValue *object, const char *key);
/* Returns a member in microseconds with six decimals as picoseconds. */
uint64_t trace_member_ps(const JsonValue *object, const char *key);
gboolean trace_member_equals(const JsonValue *event, const char *key,
                             const char *value);
/* Returns the tid of @event, which is one thread of one process. */
guint64 trace_track_of_event(const JsonValue *event);

/* Runs @system with the timeline of @npus, into the file @path. */
void trace_write_timeline(System *system, const char *path, const char *npus,
                          uint64_t max_slices);
/* Runs @system with the timeline of @npus, and reads it. */
void trace_run_system(Trace *trace, System *system, const char *npus,
                      uint64_t max_slices);
void trace_run_setup(Trace *trace, const Setup *setup, FoldMode fold,
                     const char *npus);
/* Runs ResNet-50 on the 4x4x4 platform as in the ISCA 2021 paper, and reads its
 * trace. */
void trace_run_isca21(Trace *trace, const char *endpoint, uint64_t max_slices);
void trace_clear(Trace *trace);

#endif
