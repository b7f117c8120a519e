/*
 * few.c - few trees with rates that are multiples of a fraction of a link
 *
 * max sum x_t, where x_t whole and of every link no more than den c is taken;
 * then, with that sum, the fewest trees: min sum y_t, x_t <= most_t y_t.
 */
#include <string.h>

#include "models/packing/program.h"
#include "models/packing/trees_impl.h"

/* Nodes of each search; they take some tens. */
#define MAX_NODES 200

typedef struct {
    const PackGraph *graph;
    const PackTrees *trees; /* candidates */
    uint32_t den;
    uint32_t *times; /* owned: of each candidate */
    uint32_t sum;
} Few;

/* The most that link @parent - @child lets through, in 1 / den. */
static uint32_t room_of(const Few *f, uint32_t parent, uint32_t child)
{
    return f->den * pack_room(f->graph, f->trees->use, parent, child);
}

static uint32_t most_of(const Few *f, uint32_t tree)
{
    const uint32_t *parents = pack_tree(f->trees, tree);
    uint32_t least = G_MAXUINT32;

    for (uint32_t rank = 0; rank < f->graph->n; rank++)
        if (parents[rank] != rank)
            least = MIN(least, room_of(f, parents[rank], rank));
    return least;
}

/* One row a link, whose first columns are the candidates. */
static void limit_links(const Few *f, PackProgram *program)
{
    uint32_t n = f->graph->n;
    gboolean both = f->trees->use == PACK_BOTH;

    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = both ? a + 1 : 0; b < n; b++) {
            uint32_t row, room = room_of(f, a, b);

            if (room == 0)
                continue;
            row = pack_program_add_row(program, 0, room);
            for (uint32_t t = 0; t < f->trees->n_trees; t++) {
                const uint32_t *parents = pack_tree(f->trees, t);

                if ((parents[b] == a && a != b) || (both && parents[a] == b))
                    pack_program_set(program, row, t, 1);
            }
        }
}

/* @bound: what no sum exceeds, so that the search can end there. */
static void find_most(Few *f, uint32_t bound)
{
    g_autoptr(PackProgram) program = pack_program_new();
    uint32_t row = pack_program_add_row(program, 0, bound);

    for (uint32_t t = 0; t < f->trees->n_trees; t++) {
        pack_program_add_column(program, 1, most_of(f, t));
        pack_program_set(program, row, t, 1);
    }
    limit_links(f, program);
    pack_program_solve(program, MAX_NODES, f->times);
    for (uint32_t t = 0; t < f->trees->n_trees; t++)
        f->sum += f->times[t];
}

static uint32_t n_used(const uint32_t *times, uint32_t n)
{
    uint32_t n_trees = 0;

    for (uint32_t t = 0; t < n; t++)
        n_trees += times[t] > 0 ? 1 : 0;
    return n_trees;
}

static void find_fewest(Few *f)
{
    g_autoptr(PackProgram) program = pack_program_new();
    uint32_t n = f->trees->n_trees;
    g_autofree uint32_t *times = g_new0(uint32_t, 2 * (gsize)n);
    uint32_t row = pack_program_add_row(program, f->sum, f->sum);

    for (uint32_t t = 0; t < n; t++) {
        pack_program_add_column(program, 0, most_of(f, t));
        pack_program_set(program, row, t, 1);
    }
    limit_links(f, program);
    for (uint32_t t = 0; t < n; t++) {
        uint32_t most = most_of(f, t);
        uint32_t is_used = pack_program_add_column(program, -1, 1);

        row = pack_program_add_row(program, 0, most);
        pack_program_set(program, row, is_used, most);
        pack_program_set(program, row, t, -1);
    }
    if (pack_program_solve(program, MAX_NODES, times) != PACK_PROGRAM_NOTHING &&
        n_used(times, n) < n_used(f->times, n))
        memcpy(f->times, times, n * sizeof *times);
}

static PackTrees *keep_used(const Few *f)
{
    PackTrees *few = pack_trees_new(f->trees->use, f->trees->n_ranks);

    for (uint32_t t = 0; t < f->trees->n_trees; t++)
        if (f->times[t] > 0)
            pack_trees_add(few, pack_tree(f->trees, t),
                           (double)f->times[t] / f->den);
    pack_trees_count(few, f->den);
    return few;
}

static PackRatio bound_of(const PackGraph *graph, const PackTrees *trees)
{
    g_autofree PackGraph *turned = g_new(PackGraph, 1);
    const uint32_t *parents = trees->parents;
    uint32_t root = 0;

    if (trees->use == PACK_BOTH)
        return pack_all_reduce_bound(graph);
    while (parents[root] != root)
        root++;
    pack_graph_transpose(graph, turned);
    return (PackRatio){
        pack_broadcast_bound(trees->use == PACK_UP ? turned : graph, root), 1
    };
}

PackTrees *pack_trees_few(const PackGraph *graph, const PackTrees *candidates,
                          double slack, uint32_t max_den)
{
    Few best = { graph, candidates, 1, NULL, 0 };
    PackRatio bound;
    PackTrees *few;

    g_assert(graph->n_ports == 0 && max_den > 0);
    if (candidates->n_trees == 0) {
        few = pack_trees_new(candidates->use, graph->n);
        pack_trees_count(few, 1);
        return few;
    }
    bound = bound_of(graph, candidates);
    for (uint32_t den = 1; den <= max_den; den++) {
        uint32_t most = (uint32_t)((uint64_t)bound.num * den / bound.den);
        Few f = { graph, candidates, den, g_new0(uint32_t, candidates->n_trees),
                  0 };

        /* Not worth a try. */
        if (most * (uint64_t)best.den > best.sum * (uint64_t)den)
            find_most(&f, most);
        if (!best.times || f.sum * best.den > best.sum * f.den) {
            g_free(best.times);
            best = f;
        } else {
            g_free(f.times);
        }
        if (best.sum >= (1 - slack) * pack_ratio_value(bound) * best.den)
            break;
    }
    find_fewest(&best);
    few = keep_used(&best);
    g_free(best.times);
    return few;
}

static PackTrees *few_or_disjoint(const PackGraph *graph, PackTrees *many,
                                  PackUse use, uint32_t root)
{
    g_autoptr(PackTrees) disjoint = pack_trees_disjoint(graph, use, root);
    g_autoptr(PackTrees) few = NULL;

    for (uint32_t t = 0; t < disjoint->n_trees; t++)
        pack_trees_add(many, pack_tree(disjoint, t), disjoint->rates[t]);
    few = pack_trees_few(graph, many, 0, 1);
    /* The search may have ended too early. */
    return pack_trees_rate(few) < pack_trees_rate(disjoint)
               ? g_steal_pointer(&disjoint)
               : g_steal_pointer(&few);
}

PackTrees *pack_trees(const PackGraph *graph, PackUse use, uint32_t root)
{
    g_autoptr(PackTrees) many = NULL;

    if (graph->n_ports > 0)
        return pack_trees_on_switch(graph, use, root);
    many = pack_trees_by_weights(graph, use, root, PACK_EPSILON);
    return use == PACK_BOTH
               ? pack_trees_few(graph, many, PACK_SLACK, PACK_MAX_DEN)
               : few_or_disjoint(graph, many, use, root);
}
