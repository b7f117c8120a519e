/*
 * astra_text_fixture.h - reads ASTRA-sim's text, and prints the recording as
 * text
 */
#ifndef TESTS_WORKLOADS_READERS_ASTRA_TEXT_FIXTURE_H
#define TESTS_WORKLOADS_READERS_ASTRA_TEXT_FIXTURE_H

#include <string.h>

#include "workloads/readers/reader_table.h"

static inline Recording *read_text_for_npus(const char *text, uint32_t n_npus,
                                            GError **error)
{
    g_autoptr(Source) source = source_from_memory("x.txt", text, strlen(text));
    g_autoptr(Recording) recording = recording_new();
    ReadOptions options = { .n_npus = n_npus };

    if (!read_recording_file(READ_AUTO, source, &options, recording, error))
        return NULL;
    return g_steal_pointer(&recording);
}

/* Returns, by node, its index among the replayed nodes.  Ids of the recording
 * are indices among all nodes.  The caller owns the array. */
static inline GArray *sorted_places_of_rank(const RecordRank *rank)
{
    GArray *ret = g_array_new(FALSE, FALSE, sizeof(guint));
    guint n = 0;

    for (guint i = 0; i < rank->nodes->len; i++) {
        g_array_append_val(ret, n);
        n += record_node(rank, i)->kind != RECORD_OTHER;
    }
    return ret;
}

static inline void append_group_text(const Recording *recording, uint32_t i,
                                     GString *out)
{
    const OpGroup *group;

    if (i == RECORD_NONE) {
        g_string_append(out, " of ?");
        return;
    }
    group = &g_array_index(recording->groups, OpGroup, i);
    if (group->grouped_by == GROUP_STRIDE)
        g_string_append_printf(out, " of %s %u/%u", group->name, group->size,
                               group->stride);
    else if (group->grouped_by == GROUP_DIMS)
        g_string_append_printf(out, " of dims %u", group->dims_mask);
}

static inline void append_node_text(const Recording *recording,
                                    const RecordRank *rank,
                                    const RecordNode *node, GString *out)
{
    const RecordComm *comm = record_node_communication(rank, node);

    g_string_append_printf(out, "%s ", node->name);
    if (comm) {
        g_string_append_printf(out, "%s %" G_GUINT64_FORMAT " B",
                               coll_kind_name(comm->kind), comm->bytes);
        append_group_text(recording, comm->group, out);
    } else
        g_string_append_printf(
            out, "%s %" G_GUINT64_FORMAT " ns", op_pass_names[node->pass],
            node->flags & RECORD_NO_OP ? 0 : node->duration_ps / 1000);
}

/* Returns the replayed nodes as text, which the caller frees.  "< 3@1" is a
 * dependency on node 3 of the previous iteration. */
static inline char *recording_text(const Recording *recording)
{
    const RecordRank *rank = record_rank(recording, 0);
    g_autoptr(GArray) place = sorted_places_of_rank(rank);
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);

        if (node->kind == RECORD_OTHER)
            continue;
        g_string_append_printf(out, "%u ", g_array_index(place, guint, i));
        append_node_text(recording, rank, node, out);
        for (guint d = 0; d < node->n_deps; d++) {
            guint on =
                (guint)g_array_index(rank->deps, uint64_t, node->first_dep + d);

            g_string_append_printf(out, " < %u%s",
                                   g_array_index(place, guint, on),
                                   on > i ? "@1" : "");
        }
        g_string_append_c(out, '\n');
    }
    return g_string_free(out, FALSE);
}

#endif
