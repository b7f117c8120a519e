/*
 * tensor_grouping.c - the move that chooses which tensors are sent in one
 * message
 *
 * The first proposals are the best plan of the model in
 * tensor_grouping_model.h, and plans with groups of equal counts or equal bytes
 * that end almost as early in the model.  Later proposals cut groups, join
 * them, or move tensors to a neighbouring group.  Groups on the critical path
 * are chosen more often, in proportion to their time there, because a change of
 * other groups cannot save anything.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/study/optimise/gradient_messages.h"
#include "sim/study/optimise/moves/setting_values_impl.h"

#define KIND  "groups"
#define DRAWS 4 /* number of variants, of which the model chooses one */
/* A plan is proposed if it ends within this factor of the best plan's end.  The
 * factor allows for errors of the model. */
#define NEAR 1.05

static gboolean is_grouping_applicable(const RunProfile *profile)
{
    return profile->n_tensors > 1 && run_profile_may_group_gradients(profile);
}

static char *make_grouping_settings(const RunProfile *profile,
                                    const GArray *counts)
{
    g_autoptr(GString) more = g_string_new(", groups: [");

    for (guint i = 0; i < counts->len; i++)
        g_string_append_printf(more, "%s%u", i > 0 ? ", " : "",
                               g_array_index(counts, uint32_t, i));
    g_string_append_c(more, ']');
    return run_profile_exchange_sets(profile, KIND, more->str);
}

/* Adds the settings of @counts, which it frees. */
static void add_plan_settings(const RunProfile *profile, GArray *counts,
                              GPtrArray *ret)
{
    g_ptr_array_add(ret, make_grouping_settings(profile, counts));
    g_array_unref(counts);
}

static void propose_message_probes(const RunProfile *profile, GPtrArray *ret)
{
    static const guint some[] = { 64, 32, 16, 8, 4, 2, 1 };
    g_autoptr(GArray) equal_tensors =
        g_array_new(FALSE, TRUE, sizeof(GroupingTensor));

    if (!is_grouping_applicable(profile))
        return;
    g_array_set_size(equal_tensors, profile->n_tensors);
    add_plan_settings(
        profile, grouping_split_by_count(equal_tensors, profile->n_tensors),
        ret);
    for (guint i = 0; i < G_N_ELEMENTS(some); i++)
        if (some[i] < profile->n_tensors)
            add_plan_settings(
                profile, grouping_split_by_count(equal_tensors, some[i]), ret);
}

/* Adds the settings of @counts if the plan ends by @most_ps in the model; frees
 * @counts. */
static void add_plan_if_fast(const RunProfile *profile, GArray *counts,
                             double most_ps, GPtrArray *ret)
{
    guint first;

    if (grouping_plan_end_ps(profile->tensors, profile->messages, counts,
                             &first) <= most_ps)
        add_plan_settings(profile, counts, ret);
    else
        g_array_unref(counts);
}

static void propose_first_groupings(const RunProfile *profile, GPtrArray *ret)
{
    static const guint some[] = {
        3, 5, 6, 10, 12, 14, 20, 24, 28, 40, 50, 100
    };
    GArray *plan;
    double most_ps;
    guint first;

    if (!is_grouping_applicable(profile) || profile->tensors->len == 0)
        return;
    plan = grouping_find_best_plan(profile->tensors, profile->messages);
    most_ps = grouping_plan_end_ps(profile->tensors, profile->messages, plan,
                                   &first) *
              NEAR;
    add_plan_settings(profile, plan, ret);
    for (guint i = 0; i < G_N_ELEMENTS(some); i++)
        if (some[i] < profile->n_tensors)
            add_plan_if_fast(profile,
                             grouping_split_by_count(profile->tensors, some[i]),
                             most_ps, ret);
    for (guint n = 2; n <= 64 && n < profile->n_tensors; n *= 2)
        add_plan_if_fast(profile, grouping_split_by_bytes(profile->tensors, n),
                         most_ps, ret);
}

/* ---- varying the groups of an existing candidate ------------------------- */

static GArray *parse_group_counts(const char *sets)
{
    GArray *counts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    const char *at = strstr(sets, "groups: [");

    at = at ? at + strlen("groups: [") : "";
    while (g_ascii_isdigit(*at)) {
        uint32_t count = (uint32_t)strtoul(at, (char **)&at, 10);

        g_array_append_val(counts, count);
        at += strspn(at, ", ");
    }
    return counts;
}

static uint64_t sum_group_counts(const GArray *counts)
{
    uint64_t sum = 0;

    for (guint g = 0; g < counts->len; g++)
        sum += g_array_index(counts, uint32_t, g);
    return sum;
}

static uint32_t *tensor_count_of_group_at(GArray *counts, guint g)
{
    return &g_array_index(counts, uint32_t, g);
}

static void split_message_group(GArray *counts, guint g, RandomDraw *draw)
{
    uint32_t n = *tensor_count_of_group_at(counts, g), first;

    if (n < 2)
        return;
    first = 1 + draw_integer_below(draw, n - 1);
    *tensor_count_of_group_at(counts, g) = n - first;
    g_array_insert_val(counts, g, first);
}

static void join_two_groups(GArray *counts, guint g)
{
    if (g + 1 >= counts->len)
        return;
    *tensor_count_of_group_at(counts, g) +=
        *tensor_count_of_group_at(counts, g + 1);
    g_array_remove_index(counts, g + 1);
}

/* Moves some tensors of one of two neighbouring groups to the other. */
static void move_tensors_between_groups(GArray *counts, guint g,
                                        RandomDraw *draw)
{
    guint from = g, to = g + 1;
    uint32_t most, n;

    if (to >= counts->len)
        return;
    if (draw_integer_below(draw, 2) == 0) {
        from = g + 1;
        to = g;
    }
    most = *tensor_count_of_group_at(counts, from) - 1;
    if (most == 0)
        return;
    n = 1u << draw_integer_below(draw, 5);
    n = 1 + draw_integer_below(draw, MIN(most, n));
    *tensor_count_of_group_at(counts, from) -= n;
    *tensor_count_of_group_at(counts, to) += n;
}

/* Returns the time of each group on the critical path of the trial that is
 * varied (of SimTime), or NULL if that trial had other groups. */
static GArray *group_times_on_path(const RunProfile *profile, const char *sets,
                                   guint n_groups)
{
    const Trial *at = profile->current;
    g_autoptr(GArray) messages = NULL;
    GArray *ret;

    if (!at || g_strcmp0(at->candidate->sets[ASPECT_EXCHANGE], sets) != 0)
        return NULL;
    messages = g_array_copy(at->messages);
    gradient_messages_sort(messages);
    ret = g_array_new(FALSE, FALSE, sizeof(SimTime));
    for (guint i = 0; i < messages->len; i++) {
        const GradientMessage *message =
            &g_array_index(messages, GradientMessage, i);

        if (message->kind != COLL_ALL_GATHER || messages->len == n_groups)
            g_array_append_val(ret, message->path_ps);
    }
    if (ret->len == n_groups)
        return ret;
    g_array_unref(ret);
    return NULL;
}

/* Draws a group on the path, with its time there as weight; in a quarter of the
 * draws, or if no time is profile, any group from @first on. */
static guint draw_group_on_path(const GArray *times, guint first, guint n,
                                RandomDraw *draw)
{
    SimTime sum_ps = 0, at_ps;

    for (guint g = 0; times && g < times->len; g++)
        sum_ps += g_array_index(times, SimTime, g);
    if (sum_ps == 0 || draw_integer_below(draw, 4) == 0)
        return MIN(first, n - 1) +
               draw_integer_below(draw, n - MIN(first, n - 1));
    at_ps = (SimTime)(draw_unit_fraction(draw) * (double)sum_ps);
    for (guint g = 0; g < times->len; g++) {
        if (at_ps < g_array_index(times, SimTime, g))
            return MIN(g, n - 1);
        at_ps -= g_array_index(times, SimTime, g);
    }
    return n - 1;
}

static void vary_group_counts(const GArray *times, GArray *counts, guint first,
                              RandomDraw *draw)
{
    guint n = 1 + draw_integer_below(draw, 2);

    for (guint i = 0; i < n; i++) {
        guint g = draw_group_on_path(times, first, counts->len, draw);

        /* The change can also concern the neighbour before. */
        g -= g > 0 && draw_integer_below(draw, 2) == 0;
        switch (draw_integer_below(draw, 4)) {
        case 0:
            split_message_group(counts, g, draw);
            break;
        case 1:
            join_two_groups(counts, g);
            break;
        default:
            move_tensors_between_groups(counts, g, draw);
        }
    }
}

/* Returns the one of DRAWS variants that ends first in the model. */
static char *vary_grouping(const RunProfile *profile, const char *sets,
                           RandomDraw *draw)
{
    g_autoptr(GArray) counts = NULL, times = NULL, best = NULL;
    double best_ps = 0;
    guint first = 0;

    if (profile->tensors->len == 0 ||
        !candidate_settings_use_exchange(sets, KIND))
        return NULL;
    counts = parse_group_counts(sets);
    if (counts->len == 0 || sum_group_counts(counts) != profile->tensors->len)
        return NULL; /* with the other changes, the number of tensors to group
                      * differs */
    times = group_times_on_path(profile, sets, counts->len);
    (void)grouping_plan_end_ps(profile->tensors, profile->messages, counts,
                               &first);
    for (guint i = 0; i < DRAWS; i++) {
        g_autoptr(GArray) other = g_array_copy(counts);
        double end_ps;
        guint at;

        vary_group_counts(times, other, first, draw);
        end_ps = grouping_plan_end_ps(profile->tensors, profile->messages,
                                      other, &at);
        if (best && end_ps >= best_ps)
            continue;
        g_clear_pointer(&best, g_array_unref);
        best = g_steal_pointer(&other);
        best_ps = end_ps;
    }
    return make_grouping_settings(profile, best);
}

const SearchMove move_groups = {
    .name = "groups",
    .summary = "which tensors go together in a message",
    .aspect = ASPECT_EXCHANGE,
    .saves = SAVES_EXCHANGE,
    .seeds = propose_first_groupings,
    .vary = vary_grouping,
    .probes = propose_message_probes,
};
