/*
 * chrome_trace_format.c - Chrome's trace-event format, for ui.perfetto.dev,
 * chrome://tracing and other viewers
 *
 * The file is a JSON object.  Its "traceEvents" are slices (a B and an E),
 * counters (C) and names (M). Times are microseconds with six decimals, which
 * are whole picoseconds.  Single events with a duration (X) are not used:
 * viewers compute their end in floating point, or round both numbers to
 * nanoseconds, so that the next slice seems to begin earlier.
 */
#include "sim/core/json_writer.h"
#include "sim/view/timeline/formats/trace_format.h"

#define MAX_SLICES 2000000 /* about 300 MB */

typedef struct {
    Stream *stream;      /* borrowed */
    GString *text;       /* owned: the event under construction */
    gboolean has_events; /* at least one event was written */
    uint32_t max_process;
} ChromeWriter;

static gpointer chrome_open_file(Stream *stream, const TraceFileHead *head)
{
    ChromeWriter *writer = g_new0(ChromeWriter, 1);

    writer->stream = stream;
    writer->text = g_string_new(NULL);
    writer->max_process = head->max_process;
    output_stream_printf(
        stream, "{\"displayTimeUnit\":\"ns\",\"acesim\":%s,\"traceEvents\":[",
        head->json);
    return writer;
}

static void chrome_free(gpointer self)
{
    ChromeWriter *writer = self;

    g_string_free(writer->text, TRUE);
    g_free(writer);
}

/* ---- writing one trace event --------------------------------------------- */

/* Appends a number with at least @n_digits digits.  printf() would take most of
 * the time of a timeline. */
static void append_padded_number(GString *text, uint64_t number, guint n_digits)
{
    char digits[24];
    guint at = sizeof digits;

    while (number > 0 || at + n_digits > sizeof digits) {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    }
    g_string_append_len(text, digits + at, (gssize)(sizeof digits - at));
}

static void begin_trace_event(ChromeWriter *writer, char ph, uint32_t process,
                              const char *name)
{
    g_string_assign(writer->text,
                    writer->has_events ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    g_string_append_c(writer->text, ph);
    g_string_append(writer->text, "\",\"pid\":");
    append_padded_number(writer->text, process, 1);
    g_string_append(writer->text, ",\"name\":");
    json_append_quoted(writer->text, name);
    writer->has_events = TRUE;
}

/* Writes a thread id that is unique in the file, because some viewers ignore
 * the process. */
static void append_thread_id(ChromeWriter *writer, TraceTrack track)
{
    g_string_append(writer->text, ",\"tid\":");
    append_padded_number(writer->text,
                         trace_thread_id(writer->max_process, track), 1);
}

static void append_timestamp(ChromeWriter *writer, SimTime ps)
{
    g_string_append(writer->text, ",\"ts\":");
    append_padded_number(writer->text, ps / SIM_US(1), 1);
    g_string_append_c(writer->text, '.');
    append_padded_number(writer->text, ps % SIM_US(1), 6);
}

static void append_arg_value(ChromeWriter *writer, const TraceArg *arg)
{
    uint64_t scale = 1;

    switch (arg->type) {
    case TRACE_NUMBER:
        append_padded_number(writer->text, arg->number, 1);
        return;
    case TRACE_DECIMAL:
        for (guint i = 0; i < arg->n_digits; i++)
            scale *= 10;
        append_padded_number(writer->text, arg->number / scale, 1);
        g_string_append_c(writer->text, '.');
        append_padded_number(writer->text, arg->number % scale, arg->n_digits);
        return;
    case TRACE_FLAG:
        g_string_append(writer->text, arg->number ? "true" : "false");
        return;
    case TRACE_TEXT:
        json_append_quoted(writer->text, arg->text);
        return;
    case TRACE_LISTS:
        g_string_append(writer->text, arg->text);
    }
}

static void end_trace_event(ChromeWriter *writer, const TraceArgs *args)
{
    for (guint i = 0; args && i < args->n; i++) {
        g_string_append(writer->text, i > 0 ? ",\"" : ",\"args\":{\"");
        g_string_append(writer->text, args->args[i].name);
        g_string_append(writer->text, "\":");
        append_arg_value(writer, &args->args[i]);
    }
    g_string_append(writer->text, args && args->n > 0 ? "}}" : "}");
    stream_write_bytes(writer->stream, writer->text->str, writer->text->len);
}

/* ---- names of processes and threads -------------------------------------- */

static void write_name_event(ChromeWriter *writer, const char *what,
                             TraceTrack track, const char *name)
{
    g_auto(TraceArgs) args = { 0 };

    trace_args_add_text(&args, "name", name);
    begin_trace_event(writer, 'M', track.process, what);
    append_thread_id(writer, track);
    end_trace_event(writer, &args);
}

static void write_sort_index_event(ChromeWriter *writer, const char *what,
                                   TraceTrack track, uint32_t place)
{
    g_auto(TraceArgs) args = { 0 };

    trace_args_add_number(&args, "sort_index", place);
    begin_trace_event(writer, 'M', track.process, what);
    append_thread_id(writer, track);
    end_trace_event(writer, &args);
}

static void write_process_name(gpointer self, uint32_t process, uint32_t under,
                               const char *name)
{
    const TraceTrack track = { .process = process };

    (void)under;
    write_name_event(self, "process_name", track, name);
    write_sort_index_event(self, "process_sort_index", track, process);
}

static void write_thread_name(gpointer self, TraceTrack track, const char *name)
{
    write_name_event(self, "thread_name", track, name);
    write_sort_index_event(self, "thread_sort_index", track, track.thread);
}

/* ---- events of slices and counters --------------------------------------- */

static void write_slice_event(ChromeWriter *writer, char ph, TraceTrack track,
                              const char *name, SimTime at_ps)
{
    begin_trace_event(writer, ph, track.process, name);
    append_thread_id(writer, track);
    append_timestamp(writer, at_ps);
}

static void chrome_begin_slice(gpointer self, TraceTrack track,
                               const char *name, const char *category,
                               SimTime at_ps, const TraceArgs *args)
{
    ChromeWriter *writer = self;

    write_slice_event(writer, 'B', track, name, at_ps);
    g_string_append(writer->text, ",\"cat\":\"");
    g_string_append(writer->text, category);
    g_string_append_c(writer->text, '"');
    end_trace_event(writer, args);
}

/* Some viewers need the name at the end, too. */
static void chrome_end_slice(gpointer self, TraceTrack track, const char *name,
                             SimTime at_ps)
{
    write_slice_event(self, 'E', track, name, at_ps);
    end_trace_event(self, NULL);
}

static void chrome_write_counter(gpointer self, uint32_t process,
                                 const char *name, SimTime at_ps,
                                 const TraceArgs *values)
{
    begin_trace_event(self, 'C', process, name);
    append_timestamp(self, at_ps);
    end_trace_event(self, values);
}

static void chrome_finish_file(gpointer self, const TraceFileTail *tail)
{
    ChromeWriter *writer = self;

    output_stream_printf(
        writer->stream,
        "\n],\"otherData\":{\"producer\":\"acesim " ACESIM_VERSION
        "\",\"iteration ps\":%" G_GUINT64_FORMAT
        ",\"slices\":\"%" G_GUINT64_FORMAT
        "\",\"slices_left_out\":\"%" G_GUINT64_FORMAT "\"}}\n",
        tail->iteration_ps, tail->n_slices, tail->n_left_out);
}

static const char *const endings[] = { ".json", NULL };

const TraceFormat trace_chrome = {
    .endings = endings,
    .max_slices = MAX_SLICES,
    .open = chrome_open_file,
    .name_process = write_process_name,
    .name_thread = write_thread_name,
    .begin = chrome_begin_slice,
    .end = chrome_end_slice,
    .count = chrome_write_counter,
    .finish = chrome_finish_file,
    .free = chrome_free,
};
