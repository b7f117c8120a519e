/* split_ranks_by_device.c - makes a rank of each device of a file; see
 * split_ranks_by_device.h */
#include "workloads/recording/split_ranks_by_device.h"

typedef struct {
    Recording *recording;
    const RecordRank *from;
    RecordRank *to;
    uint32_t device;   /* as RecordStream.device */
    gboolean is_first; /* streams of unknown devices are of the first one */
    /* Owned, by stream of .from: its index in .to, or RECORD_NONE. */
    uint32_t *streams;
    /* Owned, by node of .from: its index in .to, or RECORD_NONE. */
    uint32_t *nodes;
    GHashTable *left_out; /* owned: ids of nodes that are not in .to */
} DeviceSplit;

static const RecordStream *stream_of_rank(const RecordRank *rank, uint32_t i)
{
    return &g_array_index(rank->streams, RecordStream, i);
}

static int compare_device_numbers(gconstpointer a, gconstpointer b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* Returns the devices of @rank in ascending order (of uint32_t); the caller
 * owns the array. */
static GArray *list_devices_of_rank(const RecordRank *rank)
{
    GArray *devices = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t s = 0; s < rank->streams->len; s++) {
        uint32_t device = stream_of_rank(rank, s)->device;
        gboolean is_known = device == 0;

        for (guint i = 0; i < devices->len; i++)
            is_known |= g_array_index(devices, uint32_t, i) == device;
        if (!is_known)
            g_array_append_val(devices, device);
    }
    g_array_sort(devices, compare_device_numbers);
    return devices;
}

static gboolean is_stream_of_device(const DeviceSplit *split,
                                    const RecordStream *stream)
{
    return !stream->is_host && (stream->device == split->device ||
                                (stream->device == 0 && split->is_first));
}

/* Sets .streams, and adds the streams of the device and the threads that belong
 * to it. */
static void copy_streams_of_device(DeviceSplit *split)
{
    const RecordRank *from = split->from;
    guint n = from->streams->len;
    g_autofree gboolean *launches = g_new0(gboolean, n);
    g_autofree gboolean *is_kept = g_new0(gboolean, n);

    for (uint32_t i = 0; i < from->nodes->len; i++) {
        const RecordNode *node = record_node(from, i);
        const RecordStream *stream = stream_of_rank(from, node->stream);
        uint32_t thread;

        if (node->flags & RECORD_STEP)
            is_kept[node->stream] = TRUE;
        if (stream->is_host || node->launch == RECORD_NONE)
            continue;
        thread = record_node(from, node->launch)->stream;
        launches[thread] = TRUE;
        if (is_stream_of_device(split, stream))
            is_kept[thread] = TRUE;
    }
    split->streams = g_new(uint32_t, n);
    for (uint32_t s = 0; s < n; s++) {
        const RecordStream *stream = stream_of_rank(from, s);

        split->streams[s] = RECORD_NONE;
        if (stream->is_host ? is_kept[s] || !launches[s]
                            : is_stream_of_device(split, stream))
            split->streams[s] =
                record_add_stream(split->recording, split->to, stream->id,
                                  stream->is_host, stream->name);
    }
}

/* Copies the dependencies of @node to the latest node of .to, but those on
 * nodes that are left out. */
static void copy_dependencies_of_node(DeviceSplit *split,
                                      const RecordNode *node)
{
    for (uint32_t d = 0; d < node->n_deps; d++) {
        uint64_t id =
            g_array_index(split->from->deps, uint64_t, node->first_dep + d);

        if (!g_hash_table_contains(split->left_out, GSIZE_TO_POINTER(id + 1)))
            record_add_dep(split->to, id, d >= node->n_deps - node->n_control);
    }
}

/* Copies node number @i of .from, whose stream is in .to, except references to
 * other nodes. */
static void copy_node_without_references(DeviceSplit *split, uint32_t i)
{
    const RecordRank *from = split->from;
    const RecordNode *node = record_node(from, i);
    RecordNode copy = *node;
    RecordNode *added;

    copy.stream = split->streams[node->stream];
    if (node->comm != RECORD_NONE) {
        RecordComm comm = *record_node_communication(from, node);

        if (comm.in_split)
            g_array_ref(comm.in_split);
        if (comm.out_split)
            g_array_ref(comm.out_split);
        copy.comm = split->to->comms->len;
        g_array_append_val(split->to->comms, comm);
    }
    if (node->work > 0) {
        g_array_append_val(
            split->to->works,
            g_array_index(from->works, RecordWork, node->work - 1));
        copy.work = split->to->works->len;
    }
    split->nodes[i] = record_add_node(split->to, &copy);
    copy_dependencies_of_node(split, node);
    added = record_node(split->to, split->nodes[i]);
    if (node->kind == RECORD_WAIT && node->flags & RECORD_ON_HOST &&
        node->n_deps > 0 && added->n_deps == 0) {
        added->kind = RECORD_HOST;
        added->flags &= (uint8_t)~RECORD_WAITS_FOR_DEPS;
    }
}

/* Makes nodes refer to the copies of the nodes that they referred to. */
static void update_references_of_nodes(DeviceSplit *split)
{
    for (uint32_t i = 0; i < split->to->nodes->len; i++) {
        RecordNode *node = record_node(split->to, i);

        if (node->launch != RECORD_NONE)
            node->launch = split->nodes[node->launch];
        if (node->part_of > 0)
            node->part_of = split->nodes[node->part_of - 1] + 1;
    }
}

static void make_rank_of_device(Recording *recording, const RecordRank *from,
                                uint32_t device, gboolean is_first)
{
    DeviceSplit split = { .recording = recording,
                          .from = from,
                          .to = record_add_rank(recording, from->file),
                          .device = device,
                          .is_first = is_first,
                          .left_out = g_hash_table_new(NULL, NULL) };

    split.to->host = from->host;
    split.to->base_ns = from->base_ns;
    split.to->device_id = device - 1;
    split.to->n_devices = 1;
    split.to->contents = from->contents;
    split.nodes = g_new(uint32_t, from->nodes->len);
    copy_streams_of_device(&split);
    for (uint32_t i = 0; i < from->nodes->len; i++) {
        const RecordNode *node = record_node(from, i);

        split.nodes[i] = RECORD_NONE;
        if (split.streams[node->stream] == RECORD_NONE)
            g_hash_table_add(split.left_out, GSIZE_TO_POINTER(node->id + 1));
    }
    for (uint32_t i = 0; i < from->nodes->len; i++)
        if (split.streams[record_node(from, i)->stream] != RECORD_NONE)
            copy_node_without_references(&split, i);
    update_references_of_nodes(&split);
    g_hash_table_unref(split.left_out);
    g_free(split.streams);
    g_free(split.nodes);
}

void record_split_rank_by_device(Recording *recording, RecordRank *rank)
{
    g_autoptr(GArray) devices = list_devices_of_rank(rank);
    guint at = recording->ranks->len - 1;

    g_assert(record_rank(recording, at) == rank);
    if (devices->len < 2)
        return;
    for (guint i = 0; i < devices->len; i++)
        make_rank_of_device(recording, rank,
                            g_array_index(devices, uint32_t, i), i == 0);
    record_rank(recording, at + 1)->n_found = rank->n_found;
    record_rank(recording, at + 1)->n_assumed = rank->n_assumed;
    recording->n_device_ranks += devices->len;
    g_ptr_array_remove_index(recording->ranks, at);
    for (guint i = at; i < recording->ranks->len; i++)
        record_rank(recording, i)->rank = i;
    recording->n_numbered += devices->len;
    recording->n_world = MAX(recording->n_world, recording->ranks->len);
}
