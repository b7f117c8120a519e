/* quiescent_collectives.c - simulates an undisturbed collective once, and
 * replays its outcome when it is repeated; see quiescent_collectives.h */
#include "models/run/quiescent/quiescent_collectives.h"

#include <string.h>

#include "models/run/admit/communicators.h"
#include "models/run/chunk_impl.h"
#include "models/run/quiescent/collective_outcome.h"
#include "models/run/quiescent/private_links.h"
#include "models/run/training_impl.h"
#include "network/transport/network_steady_state.h"

/* Outcomes that are recorded before the first is replayed.  Then two more are
 * recorded for each replay, so that a run in which nothing repeats stops
 * recording. */
#define FIRST_RECORDS 256

/* The part of one set in a collective that is recorded or replayed. */
struct QuiescentCollective {
    CollInstance *coll; /* borrowed */
    uint32_t set;
    gboolean is_replayed; /* else it is recorded */
    SimTime from_ps;
    /* A replay borrows it.  A record owns it until it is complete. */
    CollOutcome *outcome;
    const CollOutcome
        *expected_outcome; /* borrowed: SKIP_CHECK compares the record */
    const GArray *links;   /* borrowed, of uint32_t */
    /* Messages that all .links had carried at the begin. */
    uint64_t n_messages_before;
    /* Only of a record, owned: the counters of .links at the begin; the
     * elements are NetPortStats. */
    GArray *before;
    /* Only of a replay, owned, one per member: Npu.window_full_ps at the begin.
     * The NPU continues to count during the replay. */
    SimTime *window_full_ps;
    /* Only of a record, owned, one for each member of the collective: */
    GArray **counts;       /* counters of the member at the begin */
    GArray **counts_after; /* counters of the member at the end */
    StateWords *states;    /* state of the member at the end */
    uint32_t n_ended;      /* members that have ended */
    SimTime ends_ps;       /* end of the first member */
    gboolean is_unusable;
};

struct QuiescentCollectives {
    System *system; /* borrowed */
    gboolean checks;
    GHashTable *outcomes;   /* owned: set of owned CollOutcome */
    PrivateLinks *links;    /* owned */
    GPtrArray *in_progress; /* of owned QuiescentCollective */
    StateWords key;
    /* Owned: by role, whether all its operations take a simulated time. */
    guint8 *is_simulated;
    uint64_t n_records;
};

static uint32_t count_member_npus(const QuiescentCollective *collective)
{
    return collective->coll->coll_class->set_sizes[collective->set];
}

static void free_counter_arrays(GArray **counts, uint32_t n)
{
    for (uint32_t i = 0; counts && i < n; i++)
        g_array_unref(counts[i]);
    g_free(counts);
}

static void quiescent_collective_free(QuiescentCollective *collective,
                                      uint32_t n)
{
    if (!collective->is_replayed && collective->outcome)
        coll_outcome_free(collective->outcome);
    free_counter_arrays(collective->counts, n);
    free_counter_arrays(collective->counts_after, n);
    for (uint32_t i = 0; collective->states && i < n; i++)
        state_words_clear(&collective->states[i]);
    g_free(collective->states);
    g_free(collective->window_full_ps);
    if (collective->before)
        g_array_unref(collective->before);
    g_free(collective);
}

/* ---- is it quiescent ----------------------------------------------------- */

static gboolean npu_is_at_rest(const QuiescentCollectives *collectives,
                               const Npu *npu)
{
    if (npu->n_in_flight > 0 || npu->inbox != INBOX_EMPTY ||
        npu->window_is_full || npu->quiescent ||
        !collectives->is_simulated[npu->role])
        return FALSE;
    for (OpStream stream = 0; stream < OP_N_STREAMS; stream++)
        if (npu->training->streams[stream].running)
            return FALSE;
    return TRUE;
}

static gboolean links_are_at_rest(const Network *network, const GArray *links)
{
    for (guint i = 0; i < links->len; i++)
        if (!network_link_is_at_rest(network,
                                     g_array_index(links, uint32_t, i)))
            return FALSE;
    return TRUE;
}

static gboolean ring_directions_are_chosen_freely(const CollOrders *orders)
{
    for (uint32_t o = 0; o < orders->n; o++)
        for (uint32_t phase = 0; phase < orders->plans[o].n_phases; phase++)
            if (orders->plans[o].phases[phase].may_reverse)
                return TRUE;
    return FALSE;
}

/* Returns the links of a set that is quiescent, or NULL if it is not. */
static const GArray *links_if_quiescent(QuiescentCollectives *collectives,
                                        const CollInstance *coll, uint32_t set)
{
    const GArray *links;

    if (coll->load || coll->plan->kind == COLL_SEND ||
        ring_directions_are_chosen_freely(&coll->coll_class->planned->orders))
        return NULL;
    for (uint32_t i = 0; i < coll->coll_class->set_sizes[set]; i++)
        if (!npu_is_at_rest(collectives, coll_set_member(coll, set, i)))
            return NULL;
    links = private_links_of_set(collectives->links, coll->coll_class, set);
    return links && links_are_at_rest(collectives->system->state.network, links)
               ? links
               : NULL;
}

/* ---- begin and end ------------------------------------------------------- */

static uint64_t count_messages_of_links(const Network *network,
                                        const GArray *links)
{
    uint64_t n = 0;

    for (guint i = 0; i < links->len; i++)
        n += network_link_stats(network, g_array_index(links, uint32_t, i))
                 .n_messages;
    return n;
}

static GArray *counters_of_links(const Network *network, const GArray *links)
{
    GArray *counters =
        g_array_sized_new(FALSE, FALSE, sizeof(NetPortStats), links->len);

    for (guint i = 0; i < links->len; i++) {
        NetPortStats stats =
            network_link_stats(network, g_array_index(links, uint32_t, i));

        g_array_append_val(counters, stats);
    }
    return counters;
}

static QuiescentCollective *
add_collective_in_progress(QuiescentCollectives *collectives,
                           CollInstance *coll, uint32_t set,
                           const GArray *links)
{
    QuiescentCollective *collective = g_new0(QuiescentCollective, 1);

    collective->coll = coll;
    collective->set = set;
    collective->from_ps = sim_engine_now_ps(collectives->system->state.engine);
    collective->links = links;
    collective->n_messages_before =
        count_messages_of_links(collectives->system->state.network, links);
    for (uint32_t i = 0; i < count_member_npus(collective); i++)
        coll_set_member(coll, set, i)->quiescent = collective;
    g_ptr_array_add(collectives->in_progress, collective);
    return collective;
}

/* Releases the NPUs of @collective, which the caller frees. */
static void remove_collective_in_progress(QuiescentCollectives *collectives,
                                          QuiescentCollective *collective)
{
    for (uint32_t i = 0; i < count_member_npus(collective); i++)
        coll_set_member(collective->coll, collective->set, i)->quiescent = NULL;
    g_ptr_array_remove_fast(collectives->in_progress, collective);
}

/* ---- recording ----------------------------------------------------------- */

static void begin_recording_outcome(QuiescentCollectives *collectives,
                                    QuiescentCollective *collective,
                                    const CollOutcome *known)
{
    uint32_t n = count_member_npus(collective);

    collective->outcome = coll_outcome_new();
    collective->expected_outcome = known;
    collective->before = counters_of_links(collectives->system->state.network,
                                           collective->links);
    state_words_append(&collective->outcome->key, collectives->key.words,
                       collectives->key.n);
    collective->states = g_new0(StateWords, n);
    collective->counts = g_new(GArray *, n);
    collective->counts_after = g_new(GArray *, n);
    for (uint32_t i = 0; i < n; i++) {
        StateWords state = { 0 };

        collective->counts[i] = g_array_new(FALSE, FALSE, sizeof(SimWide));
        collective->counts_after[i] =
            g_array_new(FALSE, FALSE, sizeof(SimWide));
        (void)coll_outcome_record_npu(
            coll_set_member(collective->coll, collective->set, i),
            collective->from_ps, &state, collective->counts[i]);
        state_words_clear(&state);
    }
}

static void record_link_growth(const Network *network,
                               QuiescentCollective *collective)
{
    g_autoptr(GArray) after = counters_of_links(network, collective->links);

    for (guint i = 0; i < collective->links->len; i++) {
        const NetPortStats *from =
            &g_array_index(collective->before, NetPortStats, i);
        const NetPortStats *to = &g_array_index(after, NetPortStats, i);
        LinkGrowth growth = {
            .link = g_array_index(collective->links, uint32_t, i),
            .increase = { .sent_bytes = to->sent_bytes - from->sent_bytes,
                          .n_messages = to->n_messages - from->n_messages,
                          .busy_ps = to->busy_ps - from->busy_ps }
        };

        if (growth.increase.n_messages > 0)
            g_array_append_val(collective->outcome->links, growth);
    }
}

static void record_member_growth(QuiescentCollective *collective,
                                 uint32_t member)
{
    const GArray *before = collective->counts[member],
                 *after = collective->counts_after[member];

    g_assert(before->len == after->len);
    for (guint i = 0; i < after->len; i++) {
        SimWide growth = g_array_index(after, SimWide, i) -
                         g_array_index(before, SimWide, i);

        g_array_append_val(collective->outcome->growth, growth);
    }
    state_words_append(&collective->outcome->state,
                       collective->states[member].words,
                       collective->states[member].n);
}

/* All members have ended.  Keeps the outcome, or compares it. */
static void complete_recorded_outcome(QuiescentCollectives *collectives,
                                      QuiescentCollective *collective)
{
    const Network *network = collectives->system->state.network;
    uint32_t n = count_member_npus(collective);
    CollOutcome *outcome = collective->outcome;

    outcome->takes_ps = collective->ends_ps - collective->from_ps;
    outcome->is_usable = !collective->is_unusable && outcome->takes_ps > 0 &&
                         links_are_at_rest(network, collective->links);
    if (outcome->is_usable)
        record_link_growth(network, collective);
    for (uint32_t i = 0; i < n && outcome->is_usable; i++)
        record_member_growth(collective, i);
    remove_collective_in_progress(collectives, collective);
    if (collective->expected_outcome) {
        g_assert(coll_outcomes_are_same(collective->expected_outcome, outcome));
        if (outcome->is_usable)
            collectives->system->counters.replay_counts.n_checked++;
    } else {
        collectives->n_records++;
        g_hash_table_add(collectives->outcomes,
                         g_steal_pointer(&collective->outcome));
    }
    quiescent_collective_free(collective, n);
}

static uint32_t member_of_npu(const QuiescentCollective *collective,
                              const Npu *npu)
{
    uint32_t i = 0;

    while (coll_set_member(collective->coll, collective->set, i) != npu)
        i++;
    return i;
}

static void record_member_end(QuiescentCollective *collective, Npu *npu,
                              uint32_t member)
{
    SimTime now_ps = sim_engine_now_ps(npu->system->state.engine);

    if (collective->n_ended++ == 0)
        collective->ends_ps = now_ps;
    /* The HBM transfer may have caused the end and not be over yet. */
    if (collective->ends_ps != now_ps || npu->window_is_full ||
        hbm_has_endpoint_demand(npu->hbm) ||
        !coll_outcome_record_npu(npu, collective->from_ps,
                                 &collective->states[member],
                                 collective->counts_after[member]))
        collective->is_unusable = TRUE;
}

static void on_chunk_ends(gpointer self, gconstpointer ended)
{
    Npu *npu = self;
    const Chunk *chunk = ended;
    QuiescentCollective *collective = npu->quiescent;
    ChunkEnd end;

    if (collective->is_replayed ||
        chunk_record_around(chunk)->coll != collective->coll)
        return;
    end = (ChunkEnd){ member_of_npu(collective, npu), chunk->index };
    g_array_append_val(collective->outcome->ends, end);
    if (collective->coll->parts[npu->index].n_chunks_done + 1 <
        collective->coll->n_chunks)
        return;
    record_member_end(collective, npu, end.member);
    if (collective->n_ended == count_member_npus(collective))
        complete_recorded_outcome(npu->system->state.quiescent, collective);
}

/* ---- replaying ----------------------------------------------------------- */

static gboolean chunks_are_replayed(gconstpointer npu, gconstpointer coll)
{
    const QuiescentCollective *collective = ((const Npu *)npu)->quiescent;

    return collective->is_replayed && collective->coll == coll;
}

/* Asserts that a kernel may begin. */
static void on_kernel_begins(gconstpointer self)
{
    const Npu *npu = self;
    const QuiescentCollective *collective = npu->quiescent;
    const CollPart *part = &collective->coll->parts[npu->index];

    /* A member whose part of the recorded collective has ended continues
     * immediately. */
    g_assert(!collective->is_replayed &&
             part->n_chunks_done == collective->coll->n_chunks);
}

/* Asserts that no message went along the links of a replay. */
static void assert_links_were_private(const Network *network,
                                      const QuiescentCollective *collective)
{
    g_assert(links_are_at_rest(network, collective->links));
    g_assert(count_messages_of_links(network, collective->links) ==
             collective->n_messages_before);
}

/* Ends chunk @chunk of @collective on its member @member, at the end of all.
 * The last chunk of the last set frees the collective. */
static void end_replayed_chunk(QuiescentCollective *collective, uint32_t member,
                               uint32_t chunk)
{
    CollInstance *coll = collective->coll;
    Npu *npu = coll_set_member(coll, collective->set, member);

    if (coll->parts[npu->index].n_chunks_done + 1 == coll->n_chunks)
        npu->quiescent = NULL;
    chunk_end(npu, coll->chunks[chunk]);
}

/* Resets the time of a full window to that at the begin of @collective. */
static void reset_window_time(const QuiescentCollective *collective,
                              SimTime now_ps)
{
    for (uint32_t i = 0; i < count_member_npus(collective); i++) {
        Npu *npu = coll_set_member(collective->coll, collective->set, i);

        npu->window_full_ps = collective->window_full_ps[i];
        npu->window_full_since_ps = now_ps;
    }
}

/* Event: a replayed collective ends. */
static void on_replay_end(gpointer self, uint32_t arg, uint64_t now_ps)
{
    QuiescentCollective *collective = self;
    CollInstance *coll = collective->coll;
    System *system = coll->system;
    const GArray *ends = collective->outcome->ends;

    (void)arg;
    g_assert(now_ps == collective->from_ps + collective->outcome->takes_ps);
    assert_links_were_private(system->state.network, collective);
    g_ptr_array_remove_fast(system->state.quiescent->in_progress, collective);
    reset_window_time(collective, now_ps);
    coll_outcome_apply(collective->outcome, coll, collective->set,
                       collective->from_ps);
    system->counters.replay_counts.n_replayed++;
    for (guint i = 0; i < ends->len; i++) {
        ChunkEnd end = g_array_index(ends, ChunkEnd, i);

        while (end.chunk >= coll->sets[collective->set].n_chunks_decided)
            communicators_admit_replayed_chunk(coll, collective->set);
        end_replayed_chunk(collective, end.member, end.chunk);
    }
    quiescent_collective_free(collective, 0);
}

static void begin_replay(QuiescentCollectives *collectives,
                         QuiescentCollective *collective, CollOutcome *outcome)
{
    collective->is_replayed = TRUE;
    collective->outcome = outcome;
    collective->window_full_ps = g_new(SimTime, count_member_npus(collective));
    for (uint32_t i = 0; i < count_member_npus(collective); i++)
        collective->window_full_ps[i] =
            coll_set_member(collective->coll, collective->set, i)
                ->window_full_ps;
    sim_engine_schedule(collectives->system->state.engine,
                        collective->from_ps + outcome->takes_ps, SIM_PHASE_ACT,
                        on_replay_end, collective, 0);
}

static void on_first_chunk_admitted(gpointer self, uint32_t set)
{
    CollInstance *coll = self;
    QuiescentCollectives *collectives = coll->system->state.quiescent;
    const GArray *links = links_if_quiescent(collectives, coll, set);
    CollOutcome key = { 0 }, *outcome;

    if (!links || !coll_outcome_write_key(coll, set, &collectives->key))
        return;
    key.key = collectives->key;
    outcome = g_hash_table_lookup(collectives->outcomes, &key);
    if (outcome && outcome->is_usable && !collectives->checks)
        begin_replay(collectives,
                     add_collective_in_progress(collectives, coll, set, links),
                     outcome);
    else if ((outcome && collectives->checks) ||
             (!outcome &&
              collectives->n_records <
                  FIRST_RECORDS + 2 * collectives->system->counters
                                          .replay_counts.n_replayed))
        begin_recording_outcome(
            collectives,
            add_collective_in_progress(collectives, coll, set, links), outcome);
}

/* ---- disturbances -------------------------------------------------------- */

/* Starts the chunks that have begun already, in the order of their admission,
 * with the shares of the HBM that the NPUs had before. */
static void begin_replayed_chunks(gpointer self)
{
    const QuiescentCollective *collective = self;
    const CollInstance *coll = collective->coll;
    uint32_t n = coll->sets[collective->set].n_chunks_decided;

    reset_window_time(collective, collective->from_ps);
    for (uint32_t i = 0; i < count_member_npus(collective); i++) {
        Npu *npu = coll_set_member(coll, collective->set, i);
        EndpointUse *use = npu_endpoint_use_of_op(npu, coll->op);

        g_assert(npu->n_in_flight == n && use->n_in_flight == n);
        npu->n_in_flight = use->n_in_flight = use->n_reducing = 0;
        npu_update_after_chunks(npu);
        npu->n_in_flight = use->n_in_flight = n;
        use->n_reducing = n * coll->plan->reduces;
    }
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t i = 0; i < count_member_npus(collective); i++) {
            Npu *npu = coll_set_member(coll, collective->set, i);

            npu->endpoint->ops->advance(npu->endpoint, coll->chunks[c], 0);
        }
    for (uint32_t i = 0; i < count_member_npus(collective); i++)
        npu_update_after_chunks(coll_set_member(coll, collective->set, i));
}

static void undo_replay(QuiescentCollectives *collectives,
                        QuiescentCollective *collective)
{
    System *system = collectives->system;

    assert_links_were_private(system->state.network, collective);
    remove_collective_in_progress(collectives, collective);
    system->counters.n_events += communicators_run_missed_events(
        system->state.communicators, collective->from_ps, begin_replayed_chunks,
        collective);
    system->counters.replay_counts.n_taken_back++;
    quiescent_collective_free(collective, 0);
}

static void on_collective_issued(gconstpointer self, uint32_t set)
{
    const CollInstance *coll = self;
    QuiescentCollectives *collectives = coll->system->state.quiescent;

    for (uint32_t i = 0; i < coll->coll_class->set_sizes[set]; i++) {
        QuiescentCollective *collective =
            coll_set_member(coll, set, i)->quiescent;

        if (!collective)
            continue;
        if (collective->is_replayed) {
            undo_replay(collectives, collective);
        } else {
            remove_collective_in_progress(collectives, collective);
            quiescent_collective_free(collective,
                                      count_member_npus(collective));
        }
    }
}

/* ---- a run ------------------------------------------------------------ */

static const QuiescentListener listener = {
    .first_chunk = on_first_chunk_admitted,
    .issued = on_collective_issued,
    .is_replayed = chunks_are_replayed,
    .chunk_ends = on_chunk_ends,
    .kernel_begins = on_kernel_begins,
};

static guint8 *find_simulated_roles(const System *system)
{
    const OpGraph *graph = system->plan.graph;
    guint8 *is_simulated = g_new(guint8, graph->roles->len);

    memset(is_simulated, TRUE, graph->roles->len);
    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type != OP_COLLECTIVE ||
            (!op->is_recorded && system->plan.collective_classes.class_of_op[i]
                                         ->planned->plan.n_phases > 0))
            continue;
        for (uint32_t r = role_set_first(op->roles); r != ROLE_SET_END;
             r = role_set_next(op->roles, r))
            is_simulated[r] = FALSE;
    }
    return is_simulated;
}

QuiescentCollectives *quiescent_collectives_new(System *system)
{
    const SystemConfig *config = system->plan.config;
    QuiescentCollectives *collectives;

    if (system->plan.skip == SKIP_OFF || !system->state.communicators ||
        system->state.lanes || system->state.stages ||
        system->plan.job_of_role || system->regions ||
        !trace_watch_receives_only_operation_events(&system->state.watch) ||
        config->collectives.fidelity == FIDELITY_PACKET ||
        !op_endpoints_are_final_at_chunk_end(&system->plan.endpoints))
        return NULL;
    collectives = g_new0(QuiescentCollectives, 1);
    collectives->system = system;
    collectives->checks = system->plan.skip == SKIP_CHECK;
    collectives->outcomes =
        g_hash_table_new_full(coll_outcome_hash, coll_outcome_keys_are_equal,
                              coll_outcome_free, NULL);
    collectives->links = private_links_new(system);
    collectives->in_progress = g_ptr_array_new();
    collectives->is_simulated = find_simulated_roles(system);
    system->state.quiescent_callbacks = &listener;
    return collectives;
}

void quiescent_collectives_free(QuiescentCollectives *collectives)
{
    if (!collectives)
        return;
    for (guint i = 0; i < collectives->in_progress->len; i++) {
        QuiescentCollective *collective =
            g_ptr_array_index(collectives->in_progress, i);

        quiescent_collective_free(collective, count_member_npus(collective));
    }
    g_ptr_array_unref(collectives->in_progress);
    g_hash_table_unref(collectives->outcomes);
    private_links_free(collectives->links);
    state_words_clear(&collectives->key);
    g_free(collectives->is_simulated);
    g_free(collectives);
}
