/*
 * nsys.c - Nsight Systems' export to SQLite (nsys export --type sqlite)
 *
 *     CUPTI_ACTIVITY_KIND_KERNEL, _MEMCPY, _MEMSET, _GRAPH_TRACE   device
 *     CUPTI_ACTIVITY_KIND_RUNTIME                                  host
 *     CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, _CUDA_EVENT             waits
 *     NVTX_EVENTS                                                  ranges
 *     StringIds                                                    names
 *
 * A table exists only if it has rows, and columns vary with the version (here
 * 3.25, of 2026). A missing required column is an error; any other missing
 * column reads as NULL.
 *
 * One file has all processes of a host.  Each device on which a process ran
 * kernels is a rank (export_ranks.c). An export does not say how many bytes
 * NCCL moves, nor among which ranks.
 *
 * The id of a node counts the nodes of its rank; .file_position is the row in
 * its table.
 */
#include "workloads/readers/nsys/nsys_state_impl.h"

#include "sim/config/config.h"

static gboolean read_tables(Nsys *nsys, const Source *source, GError **error)
{
    if (nsys_find_ranks(nsys)) {
        for (guint i = 0; i < nsys->ranks->len; i++)
            nsys_rank(nsys, i)->rank =
                record_add_rank(nsys->recording, source_name(source));
        nsys_set_ranks(nsys);
        nsys_read_device(nsys);
        nsys_read_host(nsys);
        nsys_read_nvtx(nsys);
    } else if (!nsys_has_error(nsys->tables)) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_MISSING_KEY,
                    "%s: table CUPTI_ACTIVITY_KIND_KERNEL: missing or empty: "
                    "no work of a device was traced",
                    source_name(source));
        return FALSE;
    }
    return nsys_tables_finish(nsys->tables, error);
}

static gboolean nsys_read(Source *source, const ReadOptions *options,
                          Recording *recording, GError **error)
{
    g_autoptr(NsysTables) tables = NULL;
    Nsys nsys = { .recording = recording };
    gboolean ok;

    if (!nsys_is_sqlite(source)) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE,
                    "%s: byte 0: it does not begin as SQLite's files do",
                    source_name(source));
        return FALSE;
    }
    tables = nsys_tables_open(source, error);
    if (!tables)
        return FALSE;
    recording->can_mark_steps = TRUE;
    nsys.tables = tables;
    nsys.patterns =
        reader_compile_name_patterns(options ? options->comm_patterns : NULL);
    nsys.ranks = g_array_new(FALSE, TRUE, sizeof(NsysRank));
    g_array_set_clear_func(nsys.ranks, nsys_clear_rank);
    nsys.calls = g_hash_table_new_full(nsys_hash_call, nsys_calls_are_equal,
                                       g_free, NULL);
    nsys.names = g_hash_table_new(NULL, NULL);
    ok = read_tables(&nsys, source, error);
    g_hash_table_unref(nsys.names);
    g_hash_table_unref(nsys.calls);
    g_array_unref(nsys.ranks);
    g_ptr_array_unref(nsys.patterns);
    return ok;
}

const ReadOps reader_nsys = {
    .base = { .name = "nsys",
              .summary = "Nsight Systems' export to SQLite",
              .fields = (const ConfigField[]){ CONFIG_END } },
    .recognises = nsys_is_sqlite,
    .read = nsys_read,
};
