/* cuda_sync_waits.c - adds the dependencies that cuda_sync events record */
#include "workloads/readers/cuda_waits.h"
#include "workloads/readers/kineto/kineto_state_impl.h"

/* Returns the index of the stream with @id, or RECORD_NONE if there is none. */
static uint32_t find_stream_by_id(const Kineto *kineto, int64_t id)
{
    gpointer found = NULL;

    if (id >= 0)
        found = g_hash_table_lookup(kineto->streams,
                                    GSIZE_TO_POINTER((gsize)id << 1));
    return found ? GPOINTER_TO_UINT(found) - 1 : RECORD_NONE;
}

void kineto_set_waits(Kineto *kineto)
{
    g_autoptr(GArray) syncs = g_array_new(FALSE, FALSE, sizeof(ReadSync));

    for (guint i = 0; i < kineto->syncs->len; i++) {
        const KinetoSync *from = &g_array_index(kineto->syncs, KinetoSync, i);
        ReadSync sync = { .call = from->call, .record = from->record };

        sync.stream = find_stream_by_id(kineto, from->record == RECORD_NONE
                                                    ? from->stream
                                                    : from->wait_stream);
        if (from->call != RECORD_NONE)
            g_array_append_val(syncs, sync);
    }
    reader_add_blocking_copy_dependencies(kineto->rank);
    reader_add_synchronisation_dependencies(kineto->rank, syncs);
}
