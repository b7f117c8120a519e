/* exits.c - see exits.h */
#include "models/run/follow/exits.h"

#include <string.h>

#define N_TURNS 2 /* of ways: see TOPOLOGY_WAY */

/* Of a phase and a turn. */
typedef struct {
    Exits
        *of_npus; /* owned: one for each simulated NPU; .links NULL: not yet */
    uint32_t n_npus, n_steps;
    const Exits *latest; /* worked out, which the next may be like */
} PhaseExits;

struct ExitsTable {
    GHashTable *phases[N_TURNS]; /* owned: CollPhase to PhaseExits */
};

static void phase_free(gpointer data)
{
    PhaseExits *phase = data;

    for (uint32_t i = 0; i < phase->n_npus; i++) {
        Exits *exits = &phase->of_npus[i];

        if (exits->of_steps)
            g_rc_box_release(exits->of_steps);
        g_free(exits->firsts);
        g_free(exits->befores);
        g_free(exits->links);
    }
    g_free(phase->of_npus);
    g_free(phase);
}

ExitsTable *exits_table_new(void)
{
    ExitsTable *table = g_new0(ExitsTable, 1);

    for (guint t = 0; t < N_TURNS; t++)
        table->phases[t] = g_hash_table_new_full(NULL, NULL, NULL, phase_free);
    return table;
}

void exits_table_free(ExitsTable *table)
{
    if (!table)
        return;
    for (guint t = 0; t < N_TURNS; t++)
        g_hash_table_unref(table->phases[t]);
    g_free(table);
}

/* The number of @link among @links, of which there are *@n; perhaps one more.
 */
static uint32_t number_of(uint32_t *links, uint32_t *n, uint32_t link)
{
    for (uint32_t i = *n; i > 0; i--)
        if (links[i - 1] == link)
            return i - 1;
    if (*n < EXITS_MOST)
        links[(*n)++] = link;
    return *n - 1;
}

static uint32_t first_link(const Npu *npu, const Place *at, uint32_t step)
{
    CollStep what;

    step_look_up(npu, at, step, &what);
    if (what.n_blocks == 0)
        return TOPOLOGY_NONE;
    return network_first_link(npu->system->network, npu->host.id,
                              coll_peer(at->phase, npu->host.id, what.send_to),
                              exits_way(at->chunk, at->phase, step));
}

static void note_steps(Exits *exits, uint32_t n_steps)
{
    exits->firsts = g_new(uint32_t, exits->n + 1);
    exits->befores = g_new(uint32_t, exits->n + 1);
    memset(exits->firsts, 0xff, (exits->n + 1) * sizeof *exits->firsts);
    memset(exits->befores, 0xff, (exits->n + 1) * sizeof *exits->befores);
    for (uint32_t s = 0; s < n_steps; s++) {
        uint32_t exit = exits->of_steps[s];

        if (exit == EXIT_NONE)
            continue;
        exits->n_sent++;
        exits->last = s;
        if (exits->firsts[exit] == UINT32_MAX)
            exits->firsts[exit] = s;
    }
    for (uint32_t s = 0; s < n_steps; s++)
        if (exits->of_steps[s] != EXIT_NONE && s != exits->last)
            exits->befores[exits->of_steps[s]] = s;
}

static void work_out(Exits *exits, const Npu *npu, const Place *at)
{
    uint32_t n_steps = at->phase->n_steps;
    uint32_t links[EXITS_MOST];

    exits->of_steps = g_rc_box_alloc(n_steps);
    for (uint32_t s = 0; s < n_steps && exits->n < EXITS_MOST; s++) {
        uint32_t link = first_link(npu, at, s);

        exits->of_steps[s] =
            (guint8)(link == TOPOLOGY_NONE ? EXIT_NONE
                                           : number_of(links, &exits->n, link));
    }
    exits->links = g_memdup2(links, MAX(exits->n, 1) * sizeof *links);
    if (exits->n == EXITS_MOST) {
        g_clear_pointer(&exits->of_steps, g_rc_box_release);
        return;
    }
    note_steps(exits, n_steps);
}

/* What is the same on NPUs is kept once. */
static void share(Exits *exits, const PhaseExits *phase)
{
    const Exits *like = phase->latest;

    if (!like || !like->of_steps || !exits->of_steps ||
        memcmp(like->of_steps, exits->of_steps, phase->n_steps) != 0)
        return;
    g_rc_box_release(exits->of_steps);
    exits->of_steps = g_rc_box_acquire(like->of_steps);
}

static PhaseExits *find_phase(GHashTable *phases, const Npu *npu,
                              const CollPhase *p)
{
    PhaseExits *phase = g_hash_table_lookup(phases, p);

    if (phase)
        return phase;
    phase = g_new0(PhaseExits, 1);
    phase->n_npus = npu->system->n_sim;
    phase->n_steps = p->n_steps;
    phase->of_npus = g_new0(Exits, phase->n_npus);
    g_hash_table_insert(phases, (gpointer)p, phase);
    return phase;
}

const Exits *exits_of(ExitsTable *table, const Npu *npu, const Chunk *chunk,
                      uint32_t p)
{
    const CollPhase *of = chunk_phase(chunk, p);
    const Place at = { .chunk = (Chunk *)chunk, .phase = of, .p = p };
    PhaseExits *phase =
        find_phase(table->phases[chunk->index % N_TURNS], npu, of);
    Exits *exits = &phase->of_npus[npu->index];

    if (!exits->links) {
        work_out(exits, npu, &at);
        share(exits, phase);
        phase->latest = exits;
    }
    return exits;
}
