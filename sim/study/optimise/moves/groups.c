/*
 * groups.c - which tensors go together in a message
 *
 * The first are groups of equal counts and of equal bytes, and the plan that
 * ends first by the model of grouping.h.  From there groups are cut, joined, or
 * hand over tensors to a neighbour: mostly those that go without a break up to
 * the end, since what goes before a break can save nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/study/optimise/messages.h"
#include "sim/study/optimise/moves/value_impl.h"

#define KIND "groups"

static gboolean has_something(const Known *known)
{
    return known->n_tensors > 1 &&
           strcmp(known_exchange(known), "parameter-server") != 0;
}

static char *sets_of(const Known *known, const GArray *counts)
{
    g_autoptr(GString) more = g_string_new(", groups: [");

    for (guint i = 0; i < counts->len; i++)
        g_string_append_printf(more, "%s%u", i > 0 ? ", " : "",
                               g_array_index(counts, uint32_t, i));
    g_string_append_c(more, ']');
    return known_exchange_sets(known, KIND, more->str);
}

/* Takes @counts. */
static void add(const Known *known, GArray *counts, GPtrArray *ret)
{
    g_ptr_array_add(ret, sets_of(known, counts));
    g_array_unref(counts);
}

static void probe(const Known *known, GPtrArray *ret)
{
    static const guint some[] = { 64, 32, 16, 8, 4, 2, 1 };
    g_autoptr(GArray) alike = g_array_new(FALSE, TRUE, sizeof(GroupingTensor));

    if (!has_something(known))
        return;
    g_array_set_size(alike, known->n_tensors);
    add(known, grouping_by_count(alike, known->n_tensors), ret);
    for (guint i = 0; i < G_N_ELEMENTS(some); i++)
        if (some[i] < known->n_tensors)
            add(known, grouping_by_count(alike, some[i]), ret);
}

static void seed(const Known *known, GPtrArray *ret)
{
    static const guint some[] = {
        3, 5, 6, 10, 12, 14, 20, 24, 28, 40, 50, 100
    };

    if (!has_something(known) || known->tensors->len == 0)
        return;
    add(known, grouping_plan(known->tensors, known->messages), ret);
    for (guint i = 0; i < G_N_ELEMENTS(some); i++)
        if (some[i] < known->n_tensors)
            add(known, grouping_by_count(known->tensors, some[i]), ret);
    for (guint n = 2; n <= 64 && n < known->n_tensors; n *= 2)
        add(known, grouping_by_bytes(known->tensors, n), ret);
}

/* ---- near another -------------------------------------------------------- */

static GArray *counts_of(const char *sets)
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

static uint32_t *count_at(GArray *counts, guint g)
{
    return &g_array_index(counts, uint32_t, g);
}

static void cut(GArray *counts, guint g, Draw *draw)
{
    uint32_t n = *count_at(counts, g), first;

    if (n < 2)
        return;
    first = 1 + draw_below(draw, n - 1);
    *count_at(counts, g) = n - first;
    g_array_insert_val(counts, g, first);
}

static void join(GArray *counts, guint g)
{
    if (g + 1 >= counts->len)
        return;
    *count_at(counts, g) += *count_at(counts, g + 1);
    g_array_remove_index(counts, g + 1);
}

/* From the one of two neighbours to the other. */
static void hand_over(GArray *counts, guint g, Draw *draw)
{
    guint from = g, to = g + 1;
    uint32_t most, n;

    if (to >= counts->len)
        return;
    if (draw_below(draw, 2) == 0) {
        from = g + 1;
        to = g;
    }
    most = *count_at(counts, from) - 1;
    if (most == 0)
        return;
    n = 1 + draw_below(draw, MIN(most, 1u << draw_below(draw, 5)));
    *count_at(counts, from) -= n;
    *count_at(counts, to) += n;
}

static char *vary(const Known *known, const char *sets, Draw *draw)
{
    g_autoptr(GArray) counts = NULL;
    guint first = 0, g, n;

    if (known->tensors->len == 0 || !value_is_exchange(sets, KIND))
        return NULL;
    counts = counts_of(sets);
    if (counts->len == 0)
        return NULL;
    (void)grouping_end_ps(known->tensors, known->messages, counts, &first);
    first = first > 0 ? first - 1 : 0; /* its neighbour can take from it */
    if (draw_below(draw, 4) == 0)
        first = 0;
    n = 1 + draw_below(draw, 2);
    for (guint i = 0; i < n; i++) {
        g = MIN(first +
                    draw_below(draw, counts->len - MIN(first, counts->len - 1)),
                counts->len - 1);
        switch (draw_below(draw, 4)) {
        case 0:
            cut(counts, g, draw);
            break;
        case 1:
            join(counts, g);
            break;
        default:
            hand_over(counts, g, draw);
        }
    }
    return sets_of(known, counts);
}

const Move move_groups = {
    .name = "groups",
    .summary = "which tensors go together in a message",
    .aspect = ASPECT_EXCHANGE,
    .is_of_messages = TRUE,
    .seeds = seed,
    .vary = vary,
    .probes = probe,
};
