/* reader_common_impl.c - helpers that several readers share; see
 * reader_common_impl.h */
#include "workloads/readers/reader_common_impl.h"

#include <stdarg.h>
#include <string.h>

#include "sim/config/config.h"

void reader_set_binary_error(GError **error, const Source *source, uint64_t at,
                             const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE,
                "%s: byte %" G_GUINT64_FORMAT ": %s", source_name(source), at,
                text);
}

const char *reader_store_text(Recording *recording, const char *text,
                              gsize n_bytes)
{
    g_autofree char *valid = NULL;

    if (!text)
        return recording_store_text(recording, "", 0);
    valid = g_utf8_make_valid(text, (gssize)n_bytes);
    for (char *c = valid; *c; c++)
        if (g_ascii_iscntrl(*c))
            *c = ' ';
    return recording_store_text(recording, valid, strlen(valid));
}

uint32_t reader_rank_of_file_name(const char *file, const char *suffix)
{
    g_autofree char *name = g_path_get_basename(file);
    char *dot;
    uint64_t rank;

    if (g_str_has_suffix(name, ".gz"))
        name[strlen(name) - 3] = '\0';
    if (!g_str_has_suffix(name, suffix))
        return RECORD_NO_RANK;
    name[strlen(name) - strlen(suffix)] = '\0';
    dot = strrchr(name, '.');
    if (!dot || !g_ascii_string_to_unsigned(dot + 1, 10, 0, RECORD_NO_RANK - 1,
                                            &rank, NULL))
        return RECORD_NO_RANK;
    return (uint32_t)rank;
}

uint32_t reader_add_stream(const Source *source, Recording *recording,
                           RecordRank *rank, uint64_t id, gboolean is_host,
                           GError **error)
{
    g_autofree char *name = g_strdup_printf("%s %" G_GUINT64_FORMAT,
                                            is_host ? "thread" : "stream", id);
    uint32_t stream = record_add_stream(recording, rank, id, is_host, name);

    if (stream < READ_MAX_STREAMS)
        return stream;
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                "%s: it has more than %d threads and streams",
                source_name(source), READ_MAX_STREAMS);
    return RECORD_NONE;
}

/* Words in names and their kinds.  A word must stand before any word that is a
 * part of it. */
static const struct {
    const char *word; /* a word in lower-case letters only */
    CollKind kind;
} kind_words[] = {
    { "allreduce", COLL_ALL_REDUCE }, { "reducescatter", COLL_REDUCE_SCATTER },
    { "allgather", COLL_ALL_GATHER }, { "alltoallv", COLL_ALL_TO_ALLV },
    { "alltoall", COLL_ALL_TO_ALL },  { "broadcast", COLL_BROADCAST },
    { "barrier", COLL_BARRIER },      { "reduce", COLL_REDUCE },
    { "gather", COLL_GATHER },        { "scatter", COLL_SCATTER },
};

/* A kind of collective is searched in so many first letters of a name. */
#define MAX_NAME 256

CollKind reader_collective_kind_of_name(const char *name, gsize n_bytes)
{
    char plain[MAX_NAME + 1];
    gsize n = 0;

    for (gsize i = 0; name && i < n_bytes && n < MAX_NAME; i++)
        if (g_ascii_isalpha(name[i]))
            plain[n++] = g_ascii_tolower(name[i]);
    plain[n] = '\0';
    for (guint i = 0; i < G_N_ELEMENTS(kind_words); i++)
        if (strstr(plain, kind_words[i].word))
            return kind_words[i].kind;
    return COLL_N_ALL_KINDS;
}

gboolean reader_is_device_wait_call(const char *name, gsize n_bytes)
{
    static const char *const waits[] = {
        "DeviceSynchronize",
        "StreamSynchronize",
        "EventSynchronize",
        "CtxSynchronize",
        NULL,
    };
    g_autofree char *text = g_strndup(name ? name : "", n_bytes);

    for (guint i = 0; waits[i]; i++)
        if (strstr(text, waits[i]))
            return TRUE;
    return FALSE;
}

/* Words that the name of a step begins with, before a number. */
static const char *const step_words[] = { "ProfilerStep", "iteration", "iter",
                                          "train_step",   "step",      "batch",
                                          "training_step" };

/* The last word of the name that PyTorch Lightning's profiler gives a step:
 * "[pl][profile]run_training_batch". */
#define LIGHTNING_STEP "run_training_batch"

int reader_find_step_word(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(step_words); i++) {
        gsize n = strlen(step_words[i]);
        const char *rest = name + n;

        if (g_ascii_strncasecmp(name, step_words[i], n) != 0)
            continue;
        rest += strspn(rest, " #:_=");
        if (g_ascii_isdigit(*rest) && !rest[strspn(rest, "0123456789")])
            return (int)i;
    }
    return g_str_has_prefix(name, "[pl]") &&
                   g_str_has_suffix(name, LIGHTNING_STEP)
               ? (int)G_N_ELEMENTS(step_words)
               : -1;
}

void reader_add_kernel_work(RecordRank *rank, uint32_t node, uint64_t flop,
                            uint64_t bytes)
{
    RecordWork work = { .flop = flop, .read_bytes = bytes };
    RecordNode *to = record_node(rank, node);

    if (to->kind != RECORD_KERNEL || to->duration_ps > 0 ||
        (flop == 0 && bytes == 0))
        return;
    g_array_append_val(rank->works, work);
    to->work = rank->works->len;
}
