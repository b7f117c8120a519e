/* reader_table.c - the table of readers */
#include "workloads/readers/reader_table.h"

#include <string.h>

#include "sim/config/config.h"
#include "workloads/recording/file_format_counts.h"

/* To add a reader, add a file and a line here: its ReadOps and the name of the
 * format, which must be equal to its .name. */
/* clang-format off */
#define READERS(Add)                       \
    Add(reader_chakra, "chakra")           \
    Add(reader_host_et, "host-et")         \
    Add(reader_chakra_json, "chakra-json") \
    Add(read_timeline, "timeline")         \
    Add(reader_dpro, "dpro")               \
    Add(reader_kineto, "kineto")           \
    Add(reader_astra_text, "astra-text")   \
    Add(reader_goal, "goal")               \
    Add(reader_comm_groups, READ_COMM_GROUPS) \
    Add(reader_nsys, "nsys")               \
    Add(reader_megatron, "megatron")
/* clang-format on */

#define DECLARE(Reader, name) extern const ReadOps Reader;
#define KIND(Reader, name)    &Reader.base,
#define NAME(Reader, name)    name,

READERS(DECLARE)

static const ConfigKind *const read_kinds[] = { READERS(KIND) NULL };

const ConfigRegistry read_registry = { .noun = "reader", .kinds = read_kinds };

const char *const read_names[] = { "auto", READERS(NAME) NULL };

/* Returns the reader that recognises the file, or NULL if there is none. */
static const ReadOps *recognise_format(Source *source)
{
    for (guint i = 0; read_kinds[i]; i++) {
        const ReadOps *ops = (const ReadOps *)read_kinds[i];

        if (ops->recognises(source))
            return ops;
    }
    return NULL;
}

static const ReadOps *find_reader_of_format(int format, Source *source,
                                            GError **error)
{
    const ReadOps *ops = format == READ_AUTO
                             ? recognise_format(source)
                             : (const ReadOps *)read_kinds[format - 1];
    gsize n;

    if (ops)
        return ops;
    source_peek(source, 1, &n);
    if (source_finish(source, error))
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE, "%s:1:1: %s",
                    source_name(source),
                    n == 0 ? "it is empty"
                           : "no reader knows how this begins; say which by "
                             "--format, or 'format' in a workload");
    return NULL;
}

/* Skips a UTF-8 byte order mark at the start of the file. */
static void skip_byte_order_mark(Source *source)
{
    gsize n;
    const uint8_t *first = source_peek(source, 3, &n);

    if (n >= 3 && memcmp(first, "\xef\xbb\xbf", 3) == 0)
        source_skip(source, 3);
}

const char *reader_detect_format(Source *source)
{
    const ReadOps *ops;

    skip_byte_order_mark(source);
    ops = recognise_format(source);
    return ops ? ops->base.name : NULL;
}

gboolean read_recording_file(int format, Source *source,
                             const ReadOptions *options, Recording *recording,
                             GError **error)
{
    const ReadOps *ops;
    g_autoptr(GError) wrong = NULL;
    gboolean ok;

    skip_byte_order_mark(source);
    ops = find_reader_of_format(format, source, error);
    if (!ops)
        return FALSE;
    if (!ops->read) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE,
                    "%s:1:1: it describes a job and holds no recording; name "
                    "it alone in acesim import, which writes a run file",
                    source_name(source));
        return FALSE;
    }
    record_add_file(recording, ops->base.name);
    ok = ops->read(source, options, recording, &wrong);
    /* An error of the source comes before an error in the content that was
     * read. */
    if (!source_finish(source, error))
        return FALSE;
    if (!ok)
        g_propagate_error(error, g_steal_pointer(&wrong));
    return ok;
}

/* ---- descriptions of jobs ------------------------------------------------ */

static ReadJob *read_job_new(void)
{
    ReadJob *job = g_new0(ReadJob, 1);

    job->model = g_string_new(NULL);
    job->run = g_string_new(NULL);
    job->notes = g_ptr_array_new_with_free_func(g_free);
    return job;
}

void read_job_free(ReadJob *job)
{
    if (!job)
        return;
    g_string_free(job->model, TRUE);
    g_string_free(job->run, TRUE);
    g_ptr_array_unref(job->notes);
    g_free(job);
}

static const ReadOps *find_job_reader(int format, Source *source)
{
    const ReadOps *ops = format == READ_AUTO
                             ? recognise_format(source)
                             : (const ReadOps *)read_kinds[format - 1];

    return ops && ops->read_job ? ops : NULL;
}

gboolean reader_file_describes_job(int format, Source *source)
{
    skip_byte_order_mark(source);
    return find_job_reader(format, source) != NULL;
}

ReadJob *read_job_file(int format, Source *source,
                       const ReadJobOptions *options, GError **error)
{
    g_autoptr(ReadJob) job = read_job_new();
    g_autoptr(GError) wrong = NULL;
    const ReadOps *ops;
    gboolean ok;

    skip_byte_order_mark(source);
    ops = find_job_reader(format, source);
    g_return_val_if_fail(ops, NULL);
    ok = ops->read_job(source, options, job, &wrong);
    if (!source_finish(source, error))
        return NULL;
    if (ok)
        return g_steal_pointer(&job);
    g_propagate_error(error, g_steal_pointer(&wrong));
    return NULL;
}
