/* timeline_checks.c - checks that a timeline is complete and consistent */
#include "workloads/readers/timeline/timeline_state_impl.h"

#include "sim/config/config.h"

/* Returns the position for a message; line 1 of packets is the whole file.  The
 * caller owns the text. */
static char *error_position_text(const TimelineRead *t, uint64_t line)
{
    if (!t->is_packets)
        return g_strdup_printf("%" G_GUINT64_FORMAT ":1: ", line);
    return line == 1 ? g_strdup(" ")
                     : g_strdup_printf(" byte %" G_GUINT64_FORMAT ": ", line);
}

gboolean timeline_set_error(const TimelineRead *t, uint64_t line,
                            GError **error, const char *format, ...)
{
    g_autofree char *text = NULL, *place = error_position_text(t, line);
    va_list arguments;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT, "%s:%s%s",
                source_name(t->source), place, text);
    return FALSE;
}

/* Returns the number of simulated NPUs that have slices in the file. */
static guint n_npus_with_slices(const TimelineRead *t)
{
    g_autoptr(GHashTable) places = g_hash_table_new(NULL, NULL);

    for (guint i = 0; i < t->watched->len; i++) {
        uint32_t npu = g_array_index(t->watched, uint32_t, i);

        if (npu < t->place_of->len)
            g_hash_table_add(places, GUINT_TO_POINTER(g_array_index(
                                         t->place_of, uint32_t, npu)));
    }
    return g_hash_table_size(places);
}

static gboolean check_timeline_groups(const TimelineRead *t, GError **error)
{
    for (guint i = 0; i < t->groups->len; i++) {
        const TimelineGroup *group = timeline_group(t, i);

        if (group->n == 0)
            return timeline_set_error(t, 1, error, "groups: '%s' has no ranks",
                                      group->name);
        for (guint at = 0; at < group->ids->len; at++)
            if (g_array_index(group->ids, uint32_t, at) >= t->n_npus)
                return timeline_set_error(t, 1, error,
                                          "groups: '%s' has more than the NPUs "
                                          "there are",
                                          group->name);
    }
    if ((uint64_t)t->groups->len * t->n_npus > TIMELINE_MAX_NODES)
        return timeline_set_error(t, 1, error,
                                  "groups: too many for so many NPUs");
    return TRUE;
}

gboolean timeline_check_head(const TimelineRead *t, GError **error)
{
    if (t->causes != 1)
        return timeline_set_error(t, 1, error,
                                  "causes are told in way %" G_GUINT64_FORMAT
                                  ", and this reads way 1",
                                  t->causes);
    if (t->n_npus == 0 || t->n_simulated == 0 || t->n_processes == 0 ||
        t->place_of->len != t->n_npus || t->groups->len == 0)
        return timeline_set_error(
            t, 1, error,
            "acesim: 'npus', 'simulated', 'place of' and 'groups' do "
            "not fit together");
    for (guint i = 0; i < t->place_of->len; i++)
        if (g_array_index(t->place_of, uint32_t, i) >= t->n_simulated)
            return timeline_set_error(t, 1, error, "place of: NPU %u has none",
                                      i);
    if (n_npus_with_slices(t) < t->n_simulated)
        return timeline_set_error(t, 1, error,
                                  "the timeline is of %u of %" G_GUINT64_FORMAT
                                  " NPUs; write one by --timeline-npus=all",
                                  n_npus_with_slices(t), t->n_simulated);
    if (t->n_left_out > 0)
        return timeline_set_error(t, 1, error,
                                  "%" G_GUINT64_FORMAT
                                  " slices were left out; write one "
                                  "with more --timeline-events",
                                  t->n_left_out);
    return check_timeline_groups(t, error);
}

/* Checks that a program can repeat the communication @s; returns FALSE and sets
 * an error otherwise. */
static gboolean check_slice_communication(const TimelineRead *t,
                                          const TimelineSlice *s,
                                          GError **error)
{
    const TimelineGroup *group;

    if (s->lane)
        return timeline_set_error(
            t, s->line, error,
            "collectives waited in a lane, '%s', which a program made "
            "of a timeline would not have",
            s->lane);
    if (s->is_uneven)
        return timeline_set_error(
            t, s->line, error,
            "an all-to-all of uneven parts whose sizes are unknown");
    if (s->group >= t->groups->len || s->payload_bytes == TIMELINE_NONE ||
        s->payload_bytes > READ_MAX_BYTES || s->priority > UINT32_MAX)
        return timeline_set_error(t, s->line, error,
                                  "'group' or 'payload bytes' is wrong");
    group = timeline_group(t, (guint)s->group);
    if (s->from >= group->size || s->to >= group->size)
        return timeline_set_error(t, s->line, error,
                                  "'from' and 'to' are ranks of a group of %u",
                                  group->size);
    return TRUE;
}

gboolean timeline_check_slice(const TimelineRead *t, const TimelineSlice *s,
                              GError **error)
{
    if (!s->has_causes || !s->layer)
        return timeline_set_error(t, s->line, error,
                                  "an operation without 'after' or 'layer'");
    if (s->end_ps < s->begin_ps)
        return timeline_set_error(
            t, s->line, error, "operation %" G_GUINT64_FORMAT " does not end",
            s->op);
    if (s->place >= t->n_simulated)
        return timeline_set_error(t, s->line, error,
                                  "an NPU that was not simulated");
    if (timeline_is_comm(s))
        return check_slice_communication(t, s, error);
    if (s->alone_ps > READ_MAX_PS || s->gap_ps > READ_MAX_PS)
        return timeline_set_error(t, s->line, error,
                                  "'alone ps' or 'gap ps' is wrong");
    if (s->flop > INT64_MAX || s->hbm_bytes > INT64_MAX ||
        s->written_bytes > INT64_MAX)
        return timeline_set_error(
            t, s->line, error,
            "'flop', 'HBM bytes' or 'written bytes' is wrong");
    return TRUE;
}
