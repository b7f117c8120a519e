/* first_link_of_steps.c - the first link of each step's message, for phases
 * without waits; see first_link_of_steps.h */
#include "models/run/on_demand/first_link_of_steps.h"

#include <string.h>

/* Paths alternate with the parity of the chunk: see TOPOLOGY_PATH_ID. */
#define N_TURNS 2

/* The first links of a phase, for chunks of one parity. */
typedef struct {
    /* Owned: the links of each simulated NPU; .links NULL: not computed yet. */
    StepLinks *of_npus;
    uint32_t n_npus, n_steps;
    /* The NPU that was computed last, whose pattern other NPUs may share. */
    const StepLinks *latest;
} PhaseStepLinks;

struct StepLinksTable {
    /* Owned, by parity of the chunk: maps CollPhase to PhaseStepLinks. */
    GHashTable *phases[N_TURNS];
};

static void phase_links_free(gpointer data)
{
    PhaseStepLinks *phase = data;

    for (uint32_t i = 0; i < phase->n_npus; i++) {
        StepLinks *step_links = &phase->of_npus[i];

        if (step_links->link_of_step)
            g_rc_box_release(step_links->link_of_step);
        g_free(step_links->first_steps);
        g_free(step_links->last_steps);
        g_free(step_links->links);
    }
    g_free(phase->of_npus);
    g_free(phase);
}

StepLinksTable *step_links_table_new(void)
{
    StepLinksTable *table = g_new0(StepLinksTable, 1);

    for (guint t = 0; t < N_TURNS; t++)
        table->phases[t] =
            g_hash_table_new_full(NULL, NULL, NULL, phase_links_free);
    return table;
}

void step_links_table_free(StepLinksTable *table)
{
    if (!table)
        return;
    for (guint t = 0; t < N_TURNS; t++)
        g_hash_table_unref(table->phases[t]);
    g_free(table);
}

/* Returns the index of @link in the array @links of length *@n; appends the
 * link if it is new. */
static uint32_t dense_number_of_link(uint32_t *links, uint32_t *n,
                                     uint32_t link)
{
    for (uint32_t i = *n; i > 0; i--)
        if (links[i - 1] == link)
            return i - 1;
    if (*n < STEP_LINKS_MAX)
        links[(*n)++] = link;
    return *n - 1;
}

static uint32_t first_link_of_step(const Npu *npu, const LaneRef *lane_ref,
                                   uint32_t step)
{
    CollStep what;

    step_look_up_actions(npu, lane_ref, step, &what);
    if (what.n_blocks == 0)
        return TOPOLOGY_NONE;
    return network_first_link_of_path(
        npu->system->state.network, npu->host.id,
        coll_npu_of_rank(lane_ref->phase, npu->host.id, what.send_to),
        step_links_first_link(lane_ref->chunk, lane_ref->phase, step));
}

static void compute_last_steps(StepLinks *step_links, uint32_t n_steps)
{
    step_links->first_steps = g_new(uint32_t, step_links->n + 1);
    step_links->last_steps = g_new(uint32_t, step_links->n + 1);
    memset(step_links->first_steps, 0xff,
           (step_links->n + 1) * sizeof *step_links->first_steps);
    memset(step_links->last_steps, 0xff,
           (step_links->n + 1) * sizeof *step_links->last_steps);
    for (uint32_t s = 0; s < n_steps; s++) {
        uint32_t exit = step_links->link_of_step[s];

        if (exit == STEP_LINK_NONE)
            continue;
        step_links->n_sent++;
        step_links->last = s;
        if (step_links->first_steps[exit] == UINT32_MAX)
            step_links->first_steps[exit] = s;
    }
    for (uint32_t s = 0; s < n_steps; s++)
        if (step_links->link_of_step[s] != STEP_LINK_NONE &&
            s != step_links->last)
            step_links->last_steps[step_links->link_of_step[s]] = s;
}

static void compute_npu_links(StepLinks *step_links, const Npu *npu,
                              const LaneRef *lane_ref)
{
    uint32_t n_steps = lane_ref->phase->n_steps;
    uint32_t links[STEP_LINKS_MAX];

    step_links->link_of_step = g_rc_box_alloc(n_steps);
    for (uint32_t s = 0; s < n_steps && step_links->n < STEP_LINKS_MAX; s++) {
        uint32_t link = first_link_of_step(npu, lane_ref, s);

        step_links->link_of_step[s] =
            (guint8)(link == TOPOLOGY_NONE
                         ? STEP_LINK_NONE
                         : dense_number_of_link(links, &step_links->n, link));
    }
    step_links->links = g_memdup2(links, MAX(step_links->n, 1) * sizeof *links);
    if (step_links->n == STEP_LINKS_MAX) {
        g_clear_pointer(&step_links->link_of_step, g_rc_box_release);
        return;
    }
    compute_last_steps(step_links, n_steps);
}

/* Shares the pattern of the NPU that was computed before if it is the same. */
static void reuse_equal_link_pattern(StepLinks *step_links,
                                     const PhaseStepLinks *phase)
{
    const StepLinks *like = phase->latest;

    if (!like || !like->link_of_step || !step_links->link_of_step ||
        memcmp(like->link_of_step, step_links->link_of_step, phase->n_steps) !=
            0)
        return;
    g_rc_box_release(step_links->link_of_step);
    step_links->link_of_step = g_rc_box_acquire(like->link_of_step);
}

static PhaseStepLinks *find_or_make_phase_links(GHashTable *phases,
                                                const Npu *npu,
                                                const CollPhase *coll_phase)
{
    PhaseStepLinks *phase = g_hash_table_lookup(phases, coll_phase);

    if (phase)
        return phase;
    phase = g_new0(PhaseStepLinks, 1);
    phase->n_npus = npu->system->plan.n_sim;
    phase->n_steps = coll_phase->n_steps;
    phase->of_npus = g_new0(StepLinks, phase->n_npus);
    g_hash_table_insert(phases, (gpointer)coll_phase, phase);
    return phase;
}

const StepLinks *step_links_for_phase(StepLinksTable *table, const Npu *npu,
                                      const Chunk *chunk, uint32_t phase_index)
{
    const CollPhase *of = chunk_phase(chunk, phase_index);
    const LaneRef lane_ref = { .chunk = (Chunk *)chunk,
                               .phase = of,
                               .phase_index = phase_index };
    PhaseStepLinks *phase = find_or_make_phase_links(
        table->phases[chunk->index % N_TURNS], npu, of);
    StepLinks *step_links = &phase->of_npus[npu->index];

    if (!step_links->links) {
        compute_npu_links(step_links, npu, &lane_ref);
        reuse_equal_link_pattern(step_links, phase);
        phase->latest = step_links;
    }
    return step_links;
}
