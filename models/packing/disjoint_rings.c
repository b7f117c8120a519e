/* disjoint_rings.c - finds rings that share no links: constructed, exact, or
 * greedy */
#include "models/packing/disjoint_rings.h"

#include <string.h>

#include "models/packing/integer_program.h"

/* The maximum number of nodes of the integer program.  Graphs of 8 ranks need
 * some tens. */
#define MAX_NODES 20000

/* Limit of steps in a search for a cycle; beyond it, the search finds none. */
#define MAX_TRIES 200000

typedef struct {
    const PackGraph *graph;
    GArray *cycles; /* cycles of n_ranks ranks (uint32_t) each */
    uint32_t order[PACK_MAX_RANKS];
    gboolean taken[PACK_MAX_RANKS];
    uint32_t n_tries, max_tries; /* number of ranks tried, and its limit */
    uint32_t max_cycles;
} Search;

static gboolean ring_search_must_stop(const Search *search)
{
    return search->cycles->len >=
               (guint)(search->max_cycles * search->graph->n) ||
           search->n_tries >= search->max_tries;
}

/* Lists all cycles from rank 0, in lexicographic order. */
static void search_cycles_from_rank(Search *search, uint32_t n)
{
    const PackGraph *graph = search->graph;
    uint32_t at = search->order[n - 1];

    if (n == graph->n && graph->links[at][0] > 0)
        g_array_append_vals(search->cycles, search->order, n);
    for (uint32_t to = 1;
         to < graph->n && n < graph->n && !ring_search_must_stop(search);
         to++) {
        if (search->taken[to] || graph->links[at][to] == 0)
            continue;
        search->n_tries++;
        search->taken[to] = TRUE;
        search->order[n] = to;
        search_cycles_from_rank(search, n + 1);
        search->taken[to] = FALSE;
    }
}

static GArray *list_cycles_of_graph(const PackGraph *graph, uint32_t max_cycles,
                                    uint32_t max_tries)
{
    Search s = { .graph = graph,
                 .cycles = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                 .max_tries = max_tries,
                 .max_cycles = max_cycles };

    search_cycles_from_rank(&s, 1);
    return s.cycles;
}

static PackRings *alloc_pack_rings(uint32_t n_ranks)
{
    PackRings *rings = g_new0(PackRings, 1);

    rings->n_ranks = n_ranks;
    return rings;
}

static void add_ring_copies(PackRings *rings, const uint32_t *order,
                            uint32_t times)
{
    gsize n = rings->n_ranks;

    rings->orders =
        g_renew(uint32_t, rings->orders, (rings->n_rings + times) * n);
    for (uint32_t i = 0; i < times; i++)
        memcpy(&rings->orders[rings->n_rings++ * n], order, n * sizeof *order);
}

/* Chooses as many cycles as possible by an integer program: maximises the sum
 * over cycles c of the number x_c of rings, within the existing links. */
static void choose_cycles_by_integer_program(PackRings *rings,
                                             const PackGraph *graph,
                                             const GArray *cycles)
{
    g_autoptr(PackIntegerProgram) program = pack_integer_program_new();
    uint32_t n = graph->n, n_cycles = cycles->len / n;
    const uint32_t *order = (const uint32_t *)(gconstpointer)cycles->data;
    g_autofree uint32_t *times = g_new0(uint32_t, n_cycles + 1);
    uint32_t row[PACK_MAX_EXACT][PACK_MAX_EXACT];

    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            row[a][b] = pack_integer_program_add_constraint(program, 0,
                                                            graph->links[a][b]);
    for (uint32_t c = 0; c < n_cycles; c++) {
        uint32_t column =
            pack_integer_program_add_variable(program, 1, PACK_MAX_LINKS);

        for (uint32_t i = 0; i < n; i++)
            pack_integer_program_set_coefficient(
                program, row[order[c * n + i]][order[c * n + (i + 1) % n]],
                column, 1);
    }
    if (n_cycles > 0)
        rings->is_exact =
            pack_integer_program_solve(program, MAX_NODES, times) ==
            PACK_PROGRAM_OPTIMAL;
    for (uint32_t c = 0; c < n_cycles; c++)
        add_ring_copies(rings, &order[c * n], times[c]);
}

/* Packs rings greedily: takes the first cycle, removes its links, and
 * repeats. */
static void take_disjoint_cycles_greedily(PackRings *rings,
                                          const PackGraph *graph)
{
    g_autofree PackGraph *unused_links = g_memdup2(graph, sizeof *graph);
    uint32_t n = graph->n;

    for (;;) {
        g_autoptr(GArray) cycle =
            list_cycles_of_graph(unused_links, 1, MAX_TRIES);
        const uint32_t *order = (const uint32_t *)(gconstpointer)cycle->data;

        if (cycle->len == 0)
            return;
        for (uint32_t i = 0; i < n; i++)
            unused_links->links[order[i]][order[(i + 1) % n]]--;
        add_ring_copies(rings, order, 1);
    }
}

/* ---- full meshes -------------------------------------------------------- */

/* The search for rings in a full mesh: n ranks with one link between each pair
 * have n - 1 rings that use each link once. */
typedef struct {
    uint32_t n, n_tries;
    gboolean used[PACK_MAX_RANKS]
                 [PACK_MAX_RANKS]; /* whether link [from][to] is used */
    gboolean taken[PACK_MAX_RANKS]
                  [PACK_MAX_RANKS]; /* whether ring [ring] has rank [rank] */
    uint32_t *orders;
} Mesh;

static gboolean extend_mesh_ring(Mesh *mesh, uint32_t ring, uint32_t place);

/* Tries rank @to as the next rank of @ring, at @place.  Returns whether all
 * further ranks and rings can be completed. */
static gboolean try_rank_as_next_of_ring(Mesh *mesh, uint32_t ring,
                                         uint32_t place, uint32_t to)
{
    uint32_t at = mesh->orders[ring * mesh->n + place - 1];

    if (mesh->taken[ring][to] || mesh->used[at][to])
        return FALSE;
    mesh->n_tries++;
    mesh->taken[ring][to] = mesh->used[at][to] = TRUE;
    mesh->orders[ring * mesh->n + place] = to;
    if (extend_mesh_ring(mesh, ring, place + 1))
        return TRUE;
    mesh->taken[ring][to] = mesh->used[at][to] = FALSE;
    return FALSE;
}

/* Closes @ring by a link to rank 0, and starts the next ring, which leaves rank
 * 0 for another rank. */
static gboolean close_mesh_ring(Mesh *mesh, uint32_t ring)
{
    uint32_t last = mesh->orders[ring * mesh->n + mesh->n - 1];

    if (mesh->used[last][0])
        return FALSE;
    mesh->used[last][0] = TRUE;
    if (ring + 2 == mesh->n ||
        try_rank_as_next_of_ring(mesh, ring + 1, 1, ring + 2))
        return TRUE;
    mesh->used[last][0] = FALSE;
    return FALSE;
}

/* Tries to extend @ring by each unused rank, in cyclic order from the previous
 * rank on. */
static gboolean extend_mesh_ring(Mesh *mesh, uint32_t ring, uint32_t place)
{
    uint32_t at = mesh->orders[ring * mesh->n + place - 1];

    if (place == mesh->n)
        return close_mesh_ring(mesh, ring);
    for (uint32_t i = 1; i < mesh->n && mesh->n_tries < MAX_TRIES; i++)
        if (try_rank_as_next_of_ring(mesh, ring, place, (at + i) % mesh->n))
            return TRUE;
    return FALSE;
}

/* Returns the number of links of each pair; 0 if it is not the same for all. */
static uint32_t n_links_per_pair_of_mesh(const PackGraph *graph)
{
    for (uint32_t a = 0; a < graph->n; a++)
        for (uint32_t b = 0; b < graph->n; b++)
            if (a != b && graph->links[a][b] != graph->links[0][1])
                return 0;
    return graph->links[0][1];
}

/* Constructs the rings of a full mesh.  Returns FALSE if the graph is not a
 * full mesh, or if too few rings are found: 4 and 6 ranks do not have n - 1. */
static gboolean add_rings_of_full_mesh(PackRings *rings, const PackGraph *graph)
{
    uint32_t n = graph->n, n_links = n_links_per_pair_of_mesh(graph);
    g_autofree Mesh *mesh = NULL;
    g_autofree uint32_t *orders = NULL;

    if (n_links == 0)
        return FALSE;
    mesh = g_new0(Mesh, 1);
    orders = g_new0(uint32_t, (gsize)n * (n - 1));
    mesh->n = n;
    mesh->orders = orders;
    for (uint32_t ring = 0; ring + 1 < n; ring++)
        mesh->taken[ring][0] = TRUE;
    if (!try_rank_as_next_of_ring(mesh, 0, 1, 1))
        return FALSE;
    for (uint32_t ring = 0; ring + 1 < n; ring++)
        add_ring_copies(rings, &orders[ring * n], n_links);
    return TRUE;
}

PackRings *pack_disjoint_rings(const PackGraph *graph)
{
    PackRings *rings = alloc_pack_rings(graph->n);
    uint32_t order[PACK_MAX_RANKS];

    rings->is_exact = TRUE;
    if (graph->n == 1)
        return rings;
    for (uint32_t i = 0; i < graph->n; i++)
        order[i] = i;
    if (graph->n_ports > 0) {
        add_ring_copies(rings, order, graph->n_ports);
    } else if (add_rings_of_full_mesh(rings, graph)) {
        return rings;
    } else if (graph->n <= PACK_MAX_EXACT) {
        g_autoptr(GArray) cycles = list_cycles_of_graph(
            graph, G_MAXUINT32 / PACK_MAX_EXACT, G_MAXUINT32);

        choose_cycles_by_integer_program(rings, graph, cycles);
    } else {
        rings->is_exact = FALSE;
        take_disjoint_cycles_greedily(rings, graph);
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
