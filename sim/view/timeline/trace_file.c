/* trace_file.c - writes slices and counters to a file for trace viewers */
#include "sim/view/timeline/trace_file.h"

#include "sim/view/timeline/formats/trace_format.h"

struct TraceFile {
    const TraceFormat *format;
    Stream *stream;  /* owned */
    gpointer writer; /* owned: state of the format */
    uint64_t n_slices, max_slices, n_left_out;
};

TraceFile *trace_file_open(const char *path, const TraceFileHead *head,
                           uint64_t max_slices, GError **error)
{
    gboolean is_packed;
    const TraceFormat *format = trace_format_of_path(path, &is_packed);
    Stream *stream = is_packed ? output_stream_open_gzip(path, error)
                               : output_stream_open(path, error);
    TraceFile *file;

    if (!stream)
        return NULL;
    file = g_new0(TraceFile, 1);
    file->format = format;
    file->stream = stream;
    file->max_slices =
        max_slices == TRACE_FORMAT_LIMIT ? format->max_slices : max_slices;
    file->writer = format->open(stream, head);
    return file;
}

void trace_file_free(TraceFile *file)
{
    if (!file)
        return;
    file->format->free(file->writer);
    stream_free(file->stream);
    g_free(file);
}

void trace_file_name_process(TraceFile *file, uint32_t process, uint32_t under,
                             const char *name)
{
    g_assert(process > 0 && process != under);
    file->format->name_process(file->writer, process, under, name);
}

void trace_file_name_thread(TraceFile *file, TraceTrack track, const char *name)
{
    g_assert(track.process > 0 && track.thread > 0);
    file->format->name_thread(file->writer, track, name);
}

gboolean trace_file_begin_slice(TraceFile *file, TraceTrack track,
                                const char *name, const char *category,
                                SimTime at_ps, const TraceArgs *args)
{
    if (file->n_slices == file->max_slices) {
        file->n_left_out++;
        return FALSE;
    }
    file->n_slices++;
    file->format->begin(file->writer, track, name, category, at_ps, args);
    return TRUE;
}

void trace_file_end_slice(TraceFile *file, TraceTrack track, const char *name,
                          SimTime at_ps)
{
    file->format->end(file->writer, track, name, at_ps);
}

void trace_file_add_counter(TraceFile *file, uint32_t process, const char *name,
                            SimTime at_ps, const TraceArgs *values)
{
    file->format->count(file->writer, process, name, at_ps, values);
}

uint64_t trace_file_count_slices(const TraceFile *file)
{
    return file->n_slices;
}

uint64_t trace_file_count_left_out(const TraceFile *file)
{
    return file->n_left_out;
}

gboolean trace_file_finish(TraceFile *file, SimTime iteration_ps,
                           GError **error)
{
    const TraceFileTail tail = { iteration_ps, file->n_slices,
                                 file->n_left_out };

    file->format->finish(file->writer, &tail);
    return output_stream_finish(file->stream, error);
}
