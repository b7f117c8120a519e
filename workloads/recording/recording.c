/* recording.c - creates recordings, and adds ranks, nodes and groups */
#include "workloads/recording/recording.h"

#include <string.h>

const char *const record_kind_names[RECORD_N_KINDS + 1] = {
    [RECORD_KERNEL] = "kernel",
    [RECORD_COPY] = "copy",
    [RECORD_HOST] = "host",
    [RECORD_WAIT] = "wait",
    [RECORD_COLLECTIVE] = "collective",
    [RECORD_SEND] = "send",
    [RECORD_RECEIVE] = "receive",
    [RECORD_OTHER] = "other",
    [RECORD_N_KINDS] = NULL,
};

static void clear_communication(gpointer item)
{
    RecordComm *comm = item;

    g_clear_pointer(&comm->in_split, g_array_unref);
    g_clear_pointer(&comm->out_split, g_array_unref);
}

static void clear_recorded_group(gpointer item)
{
    OpGroup *group = item;

    g_free(group->ids);
}

static void free_recorded_rank(gpointer data)
{
    RecordRank *rank = data;

    g_array_unref(rank->nodes);
    g_array_unref(rank->deps);
    g_array_unref(rank->comms);
    g_array_unref(rank->works);
    g_array_unref(rank->streams);
    g_free(rank);
}

Recording *recording_new(void)
{
    Recording *recording = g_new0(Recording, 1);

    recording->ranks = g_ptr_array_new_with_free_func(free_recorded_rank);
    recording->groups = g_array_new(FALSE, FALSE, sizeof(OpGroup));
    g_array_set_clear_func(recording->groups, clear_recorded_group);
    recording->texts = g_string_chunk_new(1 << 16);
    return recording;
}

void recording_free(Recording *recording)
{
    if (!recording)
        return;
    g_clear_pointer(&recording->formats, g_array_unref);
    g_ptr_array_unref(recording->ranks);
    g_clear_pointer(&recording->named, g_hash_table_unref);
    g_array_unref(recording->groups);
    g_string_chunk_free(recording->texts);
    g_free(recording);
}

const char *recording_store_text(Recording *recording, const char *text,
                                 gsize n_bytes)
{
    g_autofree char *ended = g_strndup(text, n_bytes);

    return g_string_chunk_insert_const(recording->texts, ended);
}

RecordRank *record_add_rank(Recording *recording, const char *file)
{
    RecordRank *rank = g_new0(RecordRank, 1);

    rank->rank = RECORD_NO_RANK;
    rank->file = recording_store_text(recording, file, strlen(file));
    rank->nodes = g_array_new(FALSE, FALSE, sizeof(RecordNode));
    rank->deps = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    rank->works = g_array_new(FALSE, FALSE, sizeof(RecordWork));
    rank->comms = g_array_new(FALSE, FALSE, sizeof(RecordComm));
    g_array_set_clear_func(rank->comms, clear_communication);
    rank->streams = g_array_new(FALSE, FALSE, sizeof(RecordStream));
    g_ptr_array_add(recording->ranks, rank);
    return rank;
}

uint32_t record_add_stream(Recording *recording, RecordRank *rank, uint64_t id,
                           gboolean is_host, const char *name)
{
    RecordStream added = { .id = id, .is_host = is_host };

    for (guint i = 0; i < rank->streams->len; i++) {
        const RecordStream *s = &g_array_index(rank->streams, RecordStream, i);

        if (s->id == id && s->is_host == is_host)
            return i;
    }
    added.name = recording_store_text(recording, name, strlen(name));
    g_array_append_val(rank->streams, added);
    return rank->streams->len - 1;
}

static gboolean is_same_group(const OpGroup *a, const OpGroup *b)
{
    return a->grouped_by == b->grouped_by && a->dims_mask == b->dims_mask &&
           a->size == b->size && a->stride == b->stride &&
           a->n_lists == b->n_lists &&
           (a->n_lists == 0 ||
            memcmp(a->ids, b->ids,
                   (gsize)a->n_lists * a->size * sizeof a->ids[0]) == 0);
}

uint32_t record_add_group(Recording *recording, const OpGroup *group)
{
    OpGroup added = *group;

    g_assert(group->grouped_by != GROUP_LISTS ||
             (group->n_lists > 0 && group->ids));
    for (guint i = 0; i < recording->groups->len; i++)
        if (is_same_group(&g_array_index(recording->groups, OpGroup, i),
                          group)) {
            g_free(group->ids);
            return i;
        }
    if (group->name)
        added.name =
            recording_store_text(recording, group->name, strlen(group->name));
    g_array_append_val(recording->groups, added);
    return recording->groups->len - 1;
}

uint32_t record_add_node(RecordRank *rank, const RecordNode *node)
{
    RecordNode added = *node;

    g_assert(node->stream < rank->streams->len && node->name);
    added.first_dep = rank->deps->len;
    added.n_deps = 0;
    added.n_control = 0;
    g_array_append_val(rank->nodes, added);
    return rank->nodes->len - 1;
}

void record_add_dep(RecordRank *rank, uint64_t id, gboolean is_control)
{
    RecordNode *node = record_node(rank, rank->nodes->len - 1);

    g_assert(node->first_dep + node->n_deps == rank->deps->len);
    g_array_append_val(rank->deps, id);
    g_assert(is_control || node->n_control == 0);
    node->n_deps++;
    if (is_control) {
        node->n_control++;
        rank->n_control_deps++;
    }
}

RecordComm *record_add_comm(RecordRank *rank, uint32_t node, CollKind kind)
{
    RecordComm comm = { .kind = kind,
                        .group = RECORD_NONE,
                        .peer = RECORD_NONE };
    RecordNode *of = record_node(rank, node);

    g_assert(of->comm == RECORD_NONE);
    of->comm = rank->comms->len;
    g_array_append_val(rank->comms, comm);
    return &g_array_index(rank->comms, RecordComm, of->comm);
}

RecordComm *record_node_communication(const RecordRank *rank,
                                      const RecordNode *node)
{
    return node->comm == RECORD_NONE
               ? NULL
               : &g_array_index(rank->comms, RecordComm, node->comm);
}

int64_t record_begin_ps(const RecordRank *rank, const RecordNode *node,
                        int64_t first_ns)
{
    return (rank->base_ns - first_ns) * 1000 + node->begin_ps;
}
