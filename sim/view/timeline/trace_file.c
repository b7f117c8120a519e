/*
 * trace_file.c - Chrome's trace-event format, which ui.perfetto.dev and
 * chrome://tracing open
 */
#include "sim/view/timeline/trace_file.h"

#include "sim/core/json.h"
#include "sim/host/stream.h"

struct TraceFile {
    Stream *stream; /* owned */
    GString *text;  /* owned: the event that is being put together */
    gboolean any;   /* events written */
    uint32_t max_process;
    uint64_t n_slices, max_slices, n_left_out;
};

TraceFile *trace_file_open(const char *path, const char *head,
                           uint64_t max_slices, uint32_t max_process,
                           GError **error)
{
    Stream *stream = stream_open(path, error);
    TraceFile *file;

    if (!stream)
        return NULL;
    file = g_new0(TraceFile, 1);
    file->stream = stream;
    file->text = g_string_new(NULL);
    file->max_slices = max_slices;
    file->max_process = max_process;
    stream_add(stream, "{\"displayTimeUnit\":\"ns\",%s\"traceEvents\":[", head);
    return file;
}

void trace_file_free(TraceFile *file)
{
    if (!file)
        return;
    stream_free(file->stream);
    g_string_free(file->text, TRUE);
    g_free(file);
}

/* ---- one event -------------------------------------------------------- */

static void begin(TraceFile *file, const char *ph, uint32_t process,
                  const char *name)
{
    g_string_printf(file->text, "%s\n{\"ph\":\"%s\",\"pid\":%u,\"name\":",
                    file->any ? "," : "", ph, process);
    json_append_quoted(file->text, name);
    file->any = TRUE;
}

/* There are viewers to whom a tid is one thread, whatever its pid. */
static void add_thread(TraceFile *file, TraceTrack track)
{
    guint64 tid =
        track.thread * (guint64)(file->max_process + 1) + track.process;

    g_string_append_printf(file->text, ",\"tid\":%" G_GUINT64_FORMAT, tid);
}

static void add_time(TraceFile *file, SimTime ps)
{
    g_string_append_printf(file->text,
                           ",\"ts\":%" G_GUINT64_FORMAT ".%06" G_GUINT64_FORMAT,
                           ps / SIM_US(1), ps % SIM_US(1));
}

static void end(TraceFile *file, const char *args)
{
    if (args)
        g_string_append_printf(file->text, ",\"args\":{%s}", args);
    g_string_append_c(file->text, '}');
    stream_add(file->stream, "%s", file->text->str);
}

static void name_it(TraceFile *file, const char *what, TraceTrack track,
                    const char *name)
{
    g_autoptr(GString) args = g_string_new("\"name\":");

    json_append_quoted(args, name);
    begin(file, "M", track.process, what);
    add_thread(file, track);
    end(file, args->str);
}

static void place_it(TraceFile *file, const char *what, TraceTrack track,
                     uint32_t place)
{
    g_autofree char *args = g_strdup_printf("\"sort_index\":%u", place);

    begin(file, "M", track.process, what);
    add_thread(file, track);
    end(file, args);
}

void trace_file_name_process(TraceFile *file, uint32_t process,
                             const char *name)
{
    name_it(file, "process_name", (TraceTrack){ process, 0 }, name);
    place_it(file, "process_sort_index", (TraceTrack){ process, 0 }, process);
}

void trace_file_name_thread(TraceFile *file, TraceTrack track, const char *name)
{
    name_it(file, "thread_name", track, name);
    place_it(file, "thread_sort_index", track, track.thread);
}

static void add_slice_event(TraceFile *file, const char *ph, TraceTrack track,
                            const char *name, SimTime at_ps)
{
    begin(file, ph, track.process, name);
    add_thread(file, track);
    add_time(file, at_ps);
}

gboolean trace_file_begin(TraceFile *file, TraceTrack track, const char *name,
                          const char *category, SimTime at_ps, const char *args)
{
    if (file->n_slices == file->max_slices) {
        file->n_left_out++;
        return FALSE;
    }
    file->n_slices++;
    add_slice_event(file, "B", track, name, at_ps);
    g_string_append_printf(file->text, ",\"cat\":\"%s\"", category);
    end(file, args);
    return TRUE;
}

/* Some viewers want the name again. */
void trace_file_end(TraceFile *file, TraceTrack track, const char *name,
                    SimTime at_ps)
{
    add_slice_event(file, "E", track, name, at_ps);
    end(file, NULL);
}

void trace_file_add_counter(TraceFile *file, uint32_t process, const char *name,
                            SimTime at_ps, const char *values)
{
    begin(file, "C", process, name);
    add_time(file, at_ps);
    end(file, values);
}

uint64_t trace_file_n_slices(const TraceFile *file)
{
    return file->n_slices;
}

uint64_t trace_file_n_left_out(const TraceFile *file)
{
    return file->n_left_out;
}

gboolean trace_file_finish(TraceFile *file, SimTime iteration_ps,
                           GError **error)
{
    stream_add(file->stream,
               "\n],\"otherData\":{\"producer\":\"acesim " ACESIM_VERSION
               "\",\"iteration ps\":%" G_GUINT64_FORMAT
               ",\"slices\":\"%" G_GUINT64_FORMAT
               "\",\"slices_left_out\":\"%" G_GUINT64_FORMAT "\"}}\n",
               iteration_ps, file->n_slices, file->n_left_out);
    return stream_finish(file->stream, error);
}
