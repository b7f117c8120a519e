/* rings.c - rings through all ranks that share no link */
#include "models/packing/rings.h"

#include <string.h>

#include "models/packing/program.h"

#define MAX_NODES 20000 /* of the program: 8 ranks take some tens */

/* Looks at, in all, before it is said that no more cycle was found. */
#define MAX_LOOKS 200000

typedef struct {
    const PackGraph *graph;
    GArray *cycles; /* uint32_t: n_ranks each */
    uint32_t order[PACK_MAX_RANKS];
    gboolean taken[PACK_MAX_RANKS];
    uint32_t n_looks, max_looks; /* at a next rank */
    uint32_t max_cycles;
} Search;

static gboolean is_over(const Search *s)
{
    return s->cycles->len >= (guint)(s->max_cycles * s->graph->n) ||
           s->n_looks >= s->max_looks;
}

/* All cycles from rank 0 in order of numbers. */
static void search(Search *s, uint32_t n)
{
    const PackGraph *graph = s->graph;
    uint32_t at = s->order[n - 1];

    if (n == graph->n && graph->links[at][0] > 0)
        g_array_append_vals(s->cycles, s->order, n);
    for (uint32_t to = 1; to < graph->n && n < graph->n && !is_over(s); to++) {
        if (s->taken[to] || graph->links[at][to] == 0)
            continue;
        s->n_looks++;
        s->taken[to] = TRUE;
        s->order[n] = to;
        search(s, n + 1);
        s->taken[to] = FALSE;
    }
}

static GArray *list_cycles(const PackGraph *graph, uint32_t max_cycles,
                           uint32_t max_looks)
{
    Search s = { .graph = graph,
                 .cycles = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                 .max_looks = max_looks,
                 .max_cycles = max_cycles };

    search(&s, 1);
    return s.cycles;
}

static PackRings *rings_new(uint32_t n_ranks)
{
    PackRings *rings = g_new0(PackRings, 1);

    rings->n_ranks = n_ranks;
    return rings;
}

static void add(PackRings *rings, const uint32_t *order, uint32_t times)
{
    gsize n = rings->n_ranks;

    rings->orders =
        g_renew(uint32_t, rings->orders, (rings->n_rings + times) * n);
    for (uint32_t i = 0; i < times; i++)
        memcpy(&rings->orders[rings->n_rings++ * n], order, n * sizeof *order);
}

/* max sum x_c, where of each link no more is taken than there is. */
static void choose(PackRings *rings, const PackGraph *graph,
                   const GArray *cycles)
{
    g_autoptr(PackProgram) program = pack_program_new();
    uint32_t n = graph->n, n_cycles = cycles->len / n;
    const uint32_t *order = (const uint32_t *)(gconstpointer)cycles->data;
    g_autofree uint32_t *times = g_new0(uint32_t, n_cycles + 1);
    uint32_t row[PACK_MAX_EXACT][PACK_MAX_EXACT];

    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            row[a][b] = pack_program_add_row(program, 0, graph->links[a][b]);
    for (uint32_t c = 0; c < n_cycles; c++) {
        uint32_t column = pack_program_add_column(program, 1, PACK_MAX_LINKS);

        for (uint32_t i = 0; i < n; i++)
            pack_program_set(program,
                             row[order[c * n + i]][order[c * n + (i + 1) % n]],
                             column, 1);
    }
    if (n_cycles > 0)
        rings->is_exact =
            pack_program_solve(program, MAX_NODES, times) == PACK_PROGRAM_MOST;
    for (uint32_t c = 0; c < n_cycles; c++)
        add(rings, &order[c * n], times[c]);
}

/* The first cycle there is, and again of what is left. */
static void take_some(PackRings *rings, const PackGraph *graph)
{
    g_autofree PackGraph *left = g_memdup2(graph, sizeof *graph);
    uint32_t n = graph->n;

    for (;;) {
        g_autoptr(GArray) cycle = list_cycles(left, 1, MAX_LOOKS);
        const uint32_t *order = (const uint32_t *)(gconstpointer)cycle->data;

        if (cycle->len == 0)
            return;
        for (uint32_t i = 0; i < n; i++)
            left->links[order[i]][order[(i + 1) % n]]--;
        add(rings, order, 1);
    }
}

PackRings *pack_rings(const PackGraph *graph)
{
    PackRings *rings = rings_new(graph->n);
    uint32_t order[PACK_MAX_RANKS];

    rings->is_exact = TRUE;
    if (graph->n == 1)
        return rings;
    for (uint32_t i = 0; i < graph->n; i++)
        order[i] = i;
    if (graph->n_ports > 0) {
        add(rings, order, graph->n_ports);
    } else if (graph->n <= PACK_MAX_EXACT) {
        g_autoptr(GArray) cycles =
            list_cycles(graph, G_MAXUINT32 / PACK_MAX_EXACT, G_MAXUINT32);

        choose(rings, graph, cycles);
    } else {
        rings->is_exact = FALSE;
        take_some(rings, graph);
    }
    return rings;
}

void pack_rings_free(PackRings *rings)
{
    if (!rings)
        return;
    g_free(rings->orders);
    g_free(rings);
}
