/*
 * device_rows.c - reads kernels, copies, memory fills and graphs of devices
 *
 * Each row of a table of device activities becomes a node on a stream of its
 * rank.  Copies get the names that Kineto uses.
 */
#include <string.h>

#include "workloads/readers/nsys/nsys_state_impl.h"

/* Columns that all tables of device activities begin with. */
enum { START, END, DEVICE, STREAM, CORRELATION, PROCESS, N_COMMON };

#define COMMON                                                                 \
    { "start", TRUE }, { "end", TRUE }, { "deviceId", TRUE },                  \
        { "streamId", TRUE }, { "correlationId", FALSE },                      \
    {                                                                          \
        "globalPid", TRUE                                                      \
    }

/* Adds the current row as a node.  Returns RECORD_NONE if the row is invalid,
 * or if its process has no kernels. */
static uint32_t add_row_as_node(Nsys *nsys, RecordKind kind, const char *name,
                                uint32_t *ret_rank)
{
    NsysTables *tables = nsys->tables;
    int64_t process = nsys_row_value(tables, PROCESS);
    int64_t device = nsys_row_value(tables, DEVICE);
    NsysNode node = { .kind = kind,
                      .name = name,
                      .start_ns = nsys_row_value(tables, START),
                      .end_ns = nsys_row_value(tables, END),
                      .stream = nsys_row_value(tables, STREAM),
                      .correlation = nsys_row_value(tables, CORRELATION) };
    uint32_t rank = nsys_rank_of(nsys, process, device), added;

    *ret_rank = rank;
    if (rank == RECORD_NONE || nsys_has_error(tables))
        return RECORD_NONE;
    /* Work on a device without kernels of this process gets a separate
     * stream. */
    if (nsys_rank(nsys, rank)->device != device)
        node.stream =
            ((device & 0xffff) + 1) << 32 | (node.stream & UINT32_MAX);
    added = nsys_add_node(nsys, rank, &node);
    if (added != RECORD_NONE && node.correlation != NSYS_NONE)
        nsys_find_or_add_call(nsys, process, node.correlation)->rank = rank;
    return added;
}

/* ---- kernels ----------------------------------------------------------- */

static void set_kernel_communication(Nsys *nsys, uint32_t r, uint32_t i,
                                     int64_t n_blocks)
{
    RecordRank *rank = nsys_rank(nsys, r)->rank;
    RecordNode *node = record_node(rank, i);
    RecordKind as;
    CollKind kind = reader_communication_kind_of_name(node->name, &as);
    RecordComm *comm = record_add_comm(rank, i, kind);

    node->kind = (uint8_t)as;
    comm->is_guess = strstr(node->name, "SendRecv") != NULL;
    if (n_blocks > 0 && n_blocks <= UINT32_MAX)
        comm->n_blocks = (uint32_t)n_blocks;
}

static void read_kernel_rows(Nsys *nsys)
{
    enum { DEMANGLED = N_COMMON, SHORT, GRID };
    static const NsysTable kernels = {
        .name = "CUPTI_ACTIVITY_KIND_KERNEL",
        .columns = { COMMON,
                     { "demangledName", FALSE },
                     { "shortName", FALSE },
                     { "gridX", FALSE } },
    };

    nsys_begin_table(nsys->tables, &kernels);
    while (nsys_next_row(nsys->tables)) {
        int64_t n_blocks = nsys_row_value(nsys->tables, GRID);
        int64_t short_id = nsys_row_value(nsys->tables, SHORT);
        const char *name =
            nsys_text_of_name_id(nsys, nsys_row_value(nsys->tables, DEMANGLED));
        gboolean is_comm;
        uint32_t rank, node;

        if (!*name)
            name = nsys_text_of_name_id(nsys, short_id);
        is_comm = reader_is_communication_kernel(nsys->patterns, name);
        node = add_row_as_node(
            nsys, is_comm ? RECORD_COLLECTIVE : RECORD_KERNEL, name, &rank);
        if (is_comm && node != RECORD_NONE)
            set_kernel_communication(nsys, rank, node, n_blocks);
    }
}

/* Reads CUDA graphs that were traced as a whole; their kernels are not
 * known. */
static void read_graph_rows(Nsys *nsys)
{
    static const NsysTable graphs = {
        .name = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        .columns = { COMMON, { "graphId", FALSE } },
    };

    nsys_begin_table(nsys->tables, &graphs);
    while (nsys_next_row(nsys->tables)) {
        g_autofree char *text =
            g_strdup_printf("CUDA graph %" G_GINT64_FORMAT,
                            nsys_row_value(nsys->tables, N_COMMON));
        uint32_t rank;

        add_row_as_node(
            nsys, RECORD_KERNEL,
            recording_store_text(nsys->recording, text, strlen(text)), &rank);
    }
}

/* ---- copies ------------------------------------------------------------ */

/* Names of CUpti_ActivityMemcpyKind and CUpti_ActivityMemoryKind, by number.
 * Files have tables of these names, too, but their content is untrusted. */
static const char *const copy_kinds[] = {
    "",     "HtoD",         "DtoH",         "HtoA",         "AtoH",
    "AtoA", "AtoD",         "DtoA",         "DtoD",         "HtoH",
    "PtoP", "unified HtoD", "unified DtoH", "unified DtoD",
};
static const char *const memory_kinds[] = {
    "Pageable", "Pinned", "Device", "Array", "Managed", "Device", "Managed",
};

static const char *sql_word_or_empty(const char *const *words, guint n,
                                     int64_t i)
{
    return i >= 0 && i < n ? words[i] : "";
}

/* Returns the name of a copy as Kineto writes it; cuda_waits.h recognises such
 * names. */
static const char *kineto_name_of_copy(Nsys *nsys, int64_t kind, int64_t from,
                                       int64_t to)
{
    g_autofree char *text = g_strdup_printf(
        "Memcpy %s (%s -> %s)",
        sql_word_or_empty(copy_kinds, G_N_ELEMENTS(copy_kinds), kind),
        sql_word_or_empty(memory_kinds, G_N_ELEMENTS(memory_kinds), from),
        sql_word_or_empty(memory_kinds, G_N_ELEMENTS(memory_kinds), to));

    return recording_store_text(nsys->recording, text, strlen(text));
}

/* Sets the number of bytes that a node reads and writes. */
static void set_node_bytes(Nsys *nsys, uint32_t r, uint32_t i, int64_t read,
                           int64_t written)
{
    RecordRank *rank = nsys_rank(nsys, r)->rank;
    RecordWork work = { .read_bytes = (uint64_t)MAX(read, 0),
                        .written_bytes = (uint64_t)MAX(written, 0) };

    g_array_append_val(rank->works, work);
    record_node(rank, i)->work = rank->works->len;
}

static void read_copy_rows(Nsys *nsys)
{
    enum { BYTES = N_COMMON, KIND, FROM, TO };
    static const NsysTable copies = {
        .name = "CUPTI_ACTIVITY_KIND_MEMCPY",
        .columns = { COMMON,
                     { "bytes", FALSE },
                     { "copyKind", FALSE },
                     { "srcKind", FALSE },
                     { "dstKind", FALSE } },
    };

    nsys_begin_table(nsys->tables, &copies);
    while (nsys_next_row(nsys->tables)) {
        int64_t bytes = nsys_row_value(nsys->tables, BYTES);
        const char *name =
            kineto_name_of_copy(nsys, nsys_row_value(nsys->tables, KIND),
                                nsys_row_value(nsys->tables, FROM),
                                nsys_row_value(nsys->tables, TO));
        uint32_t rank, node = add_row_as_node(nsys, RECORD_COPY, name, &rank);

        if (node != RECORD_NONE)
            set_node_bytes(nsys, rank, node, bytes, bytes);
    }
}

static void read_memory_fill_rows(Nsys *nsys)
{
    static const NsysTable sets = {
        .name = "CUPTI_ACTIVITY_KIND_MEMSET",
        .columns = { COMMON, { "bytes", FALSE } },
    };
    const char *name =
        recording_store_text(nsys->recording, "Memset", strlen("Memset"));

    nsys_begin_table(nsys->tables, &sets);
    while (nsys_next_row(nsys->tables)) {
        int64_t bytes = nsys_row_value(nsys->tables, N_COMMON);
        uint32_t rank, node = add_row_as_node(nsys, RECORD_COPY, name, &rank);

        if (node != RECORD_NONE)
            set_node_bytes(nsys, rank, node, 0, bytes);
    }
}

void nsys_read_device(Nsys *nsys)
{
    read_kernel_rows(nsys);
    read_graph_rows(nsys);
    read_copy_rows(nsys);
    read_memory_fill_rows(nsys);
}
