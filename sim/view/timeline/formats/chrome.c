/*
 * chrome.c - Chrome's trace-event format, for ui.perfetto.dev, chrome://tracing
 * and other viewers
 *
 * The file is a JSON object.  Its "traceEvents" are slices (a B and an E),
 * counters (C) and names (M). Times are microseconds with six decimals, which
 * are whole picoseconds.  Single events with a duration (X) are not used:
 * viewers compute their end in floating point, or round both numbers to
 * nanoseconds, so that the next slice seems to begin earlier.
 */
#include "sim/core/json.h"
#include "sim/view/timeline/formats/trace_format.h"

#define MAX_SLICES 2000000 /* about 300 MB */

typedef struct {
    Stream *stream; /* borrowed */
    GString *text;  /* owned: the event under construction */
    gboolean any;   /* at least one event was written */
    uint32_t max_process;
} Chrome;

static gpointer chrome_open(Stream *stream, const TraceHead *head)
{
    Chrome *c = g_new0(Chrome, 1);

    c->stream = stream;
    c->text = g_string_new(NULL);
    c->max_process = head->max_process;
    stream_add(stream,
               "{\"displayTimeUnit\":\"ns\",\"acesim\":%s,\"traceEvents\":[",
               head->json);
    return c;
}

static void chrome_free(gpointer self)
{
    Chrome *c = self;

    g_string_free(c->text, TRUE);
    g_free(c);
}

/* ---- writing one trace event --------------------------------------------- */

/* Appends a number with at least @n_digits digits.  printf() would take most of
 * the time of a timeline. */
static void add_number(GString *text, uint64_t number, guint n_digits)
{
    char digits[24];
    guint at = sizeof digits;

    while (number > 0 || at + n_digits > sizeof digits) {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    }
    g_string_append_len(text, digits + at, (gssize)(sizeof digits - at));
}

static void begin(Chrome *c, char ph, uint32_t process, const char *name)
{
    g_string_assign(c->text, c->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    g_string_append_c(c->text, ph);
    g_string_append(c->text, "\",\"pid\":");
    add_number(c->text, process, 1);
    g_string_append(c->text, ",\"name\":");
    json_append_quoted(c->text, name);
    c->any = TRUE;
}

/* Writes a thread id that is unique in the file, because some viewers ignore
 * the process. */
static void add_thread(Chrome *c, TraceTrack track)
{
    g_string_append(c->text, ",\"tid\":");
    add_number(c->text, trace_thread_id(c->max_process, track), 1);
}

static void add_time(Chrome *c, SimTime ps)
{
    g_string_append(c->text, ",\"ts\":");
    add_number(c->text, ps / SIM_US(1), 1);
    g_string_append_c(c->text, '.');
    add_number(c->text, ps % SIM_US(1), 6);
}

static void add_value(Chrome *c, const TraceArg *arg)
{
    uint64_t scale = 1;

    switch (arg->type) {
    case TRACE_NUMBER:
        add_number(c->text, arg->number, 1);
        return;
    case TRACE_DECIMAL:
        for (guint i = 0; i < arg->n_digits; i++)
            scale *= 10;
        add_number(c->text, arg->number / scale, 1);
        g_string_append_c(c->text, '.');
        add_number(c->text, arg->number % scale, arg->n_digits);
        return;
    case TRACE_FLAG:
        g_string_append(c->text, arg->number ? "true" : "false");
        return;
    case TRACE_TEXT:
        json_append_quoted(c->text, arg->text);
        return;
    case TRACE_LISTS:
        g_string_append(c->text, arg->text);
    }
}

static void end(Chrome *c, const TraceArgs *args)
{
    for (guint i = 0; args && i < args->n; i++) {
        g_string_append(c->text, i > 0 ? ",\"" : ",\"args\":{\"");
        g_string_append(c->text, args->args[i].name);
        g_string_append(c->text, "\":");
        add_value(c, &args->args[i]);
    }
    g_string_append(c->text, args && args->n > 0 ? "}}" : "}");
    stream_add_bytes(c->stream, c->text->str, c->text->len);
}

/* ---- names of processes and threads -------------------------------------- */

static void add_name(Chrome *c, const char *what, TraceTrack track,
                     const char *name)
{
    g_auto(TraceArgs) args = { 0 };

    trace_args_text(&args, "name", name);
    begin(c, 'M', track.process, what);
    add_thread(c, track);
    end(c, &args);
}

static void add_sort_index(Chrome *c, const char *what, TraceTrack track,
                           uint32_t place)
{
    g_auto(TraceArgs) args = { 0 };

    trace_args_number(&args, "sort_index", place);
    begin(c, 'M', track.process, what);
    add_thread(c, track);
    end(c, &args);
}

static void name_process(gpointer self, uint32_t process, uint32_t under,
                         const char *name)
{
    const TraceTrack track = { .process = process };

    (void)under;
    add_name(self, "process_name", track, name);
    add_sort_index(self, "process_sort_index", track, process);
}

static void name_thread(gpointer self, TraceTrack track, const char *name)
{
    add_name(self, "thread_name", track, name);
    add_sort_index(self, "thread_sort_index", track, track.thread);
}

/* ---- events of slices and counters --------------------------------------- */

static void add_slice_event(Chrome *c, char ph, TraceTrack track,
                            const char *name, SimTime at_ps)
{
    begin(c, ph, track.process, name);
    add_thread(c, track);
    add_time(c, at_ps);
}

static void chrome_begin(gpointer self, TraceTrack track, const char *name,
                         const char *category, SimTime at_ps,
                         const TraceArgs *args)
{
    Chrome *c = self;

    add_slice_event(c, 'B', track, name, at_ps);
    g_string_append(c->text, ",\"cat\":\"");
    g_string_append(c->text, category);
    g_string_append_c(c->text, '"');
    end(c, args);
}

/* Some viewers need the name at the end, too. */
static void chrome_end(gpointer self, TraceTrack track, const char *name,
                       SimTime at_ps)
{
    add_slice_event(self, 'E', track, name, at_ps);
    end(self, NULL);
}

static void chrome_count(gpointer self, uint32_t process, const char *name,
                         SimTime at_ps, const TraceArgs *values)
{
    begin(self, 'C', process, name);
    add_time(self, at_ps);
    end(self, values);
}

static void chrome_finish(gpointer self, const TraceTail *tail)
{
    Chrome *c = self;

    stream_add(c->stream,
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
    .open = chrome_open,
    .name_process = name_process,
    .name_thread = name_thread,
    .begin = chrome_begin,
    .end = chrome_end,
    .count = chrome_count,
    .finish = chrome_finish,
    .free = chrome_free,
};
