/* row_nodes.c - adds rows as nodes of a rank, and finds calls by number */
#include <string.h>

#include "workloads/readers/nsys/nsys_state_impl.h"

/* Longest name.  Longer names are demangled templates, whose remainder is cut
 * off. */
#define MAX_NAME_BYTES 1024

/* ---- calls ------------------------------------------------------------- */

guint nsys_hash_call(gconstpointer call)
{
    const NsysCall *of = call;

    return g_int64_hash(&of->process) * 31 + g_int64_hash(&of->number);
}

gboolean nsys_calls_are_equal(gconstpointer a, gconstpointer b)
{
    const NsysCall *x = a, *y = b;

    return x->process == y->process && x->number == y->number;
}

NsysCall *nsys_find_or_add_call(Nsys *nsys, int64_t process, int64_t number)
{
    const NsysCall key = { .process = process, .number = number };
    NsysCall *call = g_hash_table_lookup(nsys->calls, &key);

    if (call)
        return call;
    call = g_new(NsysCall, 1);
    *call = (NsysCall){ process, number, RECORD_NONE, RECORD_NONE };
    g_hash_table_add(nsys->calls, call);
    return call;
}

const NsysCall *nsys_find_call(const Nsys *nsys, int64_t process,
                               int64_t number)
{
    const NsysCall key = { .process = process, .number = number };

    return g_hash_table_lookup(nsys->calls, &key);
}

/* ---- names ------------------------------------------------------------- */

const char *nsys_text_of_name_id(Nsys *nsys, int64_t id)
{
    const char *found = NULL;
    const char *name;

    if (id > 0 && id <= UINT32_MAX)
        found = g_hash_table_lookup(nsys->names, GSIZE_TO_POINTER((gsize)id));
    if (found)
        return found;
    name = nsys_string_of_id(nsys->tables, id);
    if (!name)
        return reader_store_text(nsys->recording, NULL, 0);
    found =
        reader_store_text(nsys->recording, name, strnlen(name, MAX_NAME_BYTES));
    if (id > 0 && id <= UINT32_MAX)
        g_hash_table_insert(nsys->names, GSIZE_TO_POINTER((gsize)id),
                            (gpointer)found);
    return found;
}

/* ---- streams ----------------------------------------------------------- */

static gpointer stream_table_key(int64_t id, gboolean is_host)
{
    return GSIZE_TO_POINTER((gsize)id << 1 | (is_host ? 1 : 0));
}

uint32_t nsys_find_or_add_stream(const NsysRank *rank, int64_t id,
                                 gboolean is_host)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(
               rank->streams, stream_table_key(id, is_host))) -
           1;
}

static uint32_t add_rank_stream(Nsys *nsys, NsysRank *rank, int64_t id,
                                gboolean is_host)
{
    uint32_t stream = nsys_find_or_add_stream(rank, id, is_host);
    g_autofree char *name = NULL;

    if (stream != RECORD_NONE)
        return stream;
    if (rank->rank->streams->len == READ_MAX_STREAMS) {
        nsys_set_row_error(nsys->tables,
                           "more than %d threads and streams of a rank",
                           READ_MAX_STREAMS);
        return 0;
    }
    name = g_strdup_printf("%s %" G_GINT64_FORMAT,
                           is_host ? "thread" : "stream", id);
    stream = record_add_stream(nsys->recording, rank->rank, (uint64_t)id,
                               is_host, name);
    g_hash_table_insert(rank->streams, stream_table_key(id, is_host),
                        GUINT_TO_POINTER(stream + 1));
    return stream;
}

/* ---- nodes ------------------------------------------------------------- */

/* Largest time: half of the range, so that adding a duration cannot
 * overflow. */
#define MAX_NS (INT64_MAX / 2 / 1000)

static gboolean set_node_times(Nsys *nsys, const NsysNode *from,
                               RecordNode *node)
{
    int64_t since_ns, ns;

    if (__builtin_sub_overflow(from->start_ns, nsys->origin_ns, &since_ns) ||
        since_ns > MAX_NS || since_ns < -MAX_NS) {
        nsys_set_row_error(nsys->tables,
                           "it starts more than 50 days from the first");
        return FALSE;
    }
    if (__builtin_sub_overflow(from->end_ns, from->start_ns, &ns) || ns < 0 ||
        ns > MAX_NS) {
        nsys_set_row_error(nsys->tables,
                           "it ends before it starts, or 50 days after");
        return FALSE;
    }
    node->begin_ps = since_ns * 1000;
    node->duration_ps = (uint64_t)ns * 1000;
    return TRUE;
}

uint32_t nsys_add_node(Nsys *nsys, uint32_t r, const NsysNode *from)
{
    NsysRank *rank = nsys_rank(nsys, r);
    gboolean is_host = (from->flags & RECORD_ON_HOST) != 0;
    RecordNode node = { .id = ++rank->rank->n_found,
                        .file_position = nsys_row_number(nsys->tables),
                        .name = from->name,
                        .comm = RECORD_NONE,
                        .launch = RECORD_NONE,
                        .kind = (uint8_t)from->kind,
                        .flags = from->flags,
                        .pass = OP_N_PASSES };

    if (!set_node_times(nsys, from, &node))
        return RECORD_NONE;
    node.stream = add_rank_stream(nsys, rank, from->stream, is_host);
    if (nsys_has_error(nsys->tables))
        return RECORD_NONE;
    g_array_append_val(rank->correlations, from->correlation);
    return record_add_node(rank->rank, &node);
}
