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
    const CollOutcome *known; /* borrowed: SKIP_CHECK compares the record */
    const GArray *links;      /* borrowed, of uint32_t */
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
    SteadyWords *states;   /* state of the member at the end */
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
    SteadyWords key;
    /* Owned: by role, whether all its operations take a simulated time. */
    guint8 *is_simulated;
    uint64_t n_records;
};

static uint32_t count_member_npus(const QuiescentCollective *q)
{
    return q->coll->coll_class->set_sizes[q->set];
}

static void free_counter_arrays(GArray **counts, uint32_t n)
{
    for (uint32_t i = 0; counts && i < n; i++)
        g_array_unref(counts[i]);
    g_free(counts);
}

static void quiescent_collective_free(QuiescentCollective *q, uint32_t n)
{
    if (!q->is_replayed && q->outcome)
        coll_outcome_free(q->outcome);
    free_counter_arrays(q->counts, n);
    free_counter_arrays(q->counts_after, n);
    for (uint32_t i = 0; q->states && i < n; i++)
        steady_words_clear(&q->states[i]);
    g_free(q->states);
    g_free(q->window_full_ps);
    if (q->before)
        g_array_unref(q->before);
    g_free(q);
}

/* ---- is it quiescent ----------------------------------------------------- */

static gboolean npu_is_at_rest(const QuiescentCollectives *all, const Npu *npu)
{
    if (npu->n_in_flight > 0 || npu->inbox != INBOX_EMPTY ||
        npu->window_is_full || npu->quiescent || !all->is_simulated[npu->role])
        return FALSE;
    for (OpStream s = 0; s < OP_N_STREAMS; s++)
        if (npu->training->streams[s].running)
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
        for (uint32_t p = 0; p < orders->plans[o].n_phases; p++)
            if (orders->plans[o].phases[p].may_reverse)
                return TRUE;
    return FALSE;
}

/* Returns the links of a set that is quiescent, or NULL if it is not. */
static const GArray *links_if_quiescent(QuiescentCollectives *all,
                                        const CollInstance *coll, uint32_t set)
{
    const GArray *links;

    if (coll->load || coll->plan->kind == COLL_SEND ||
        ring_directions_are_chosen_freely(&coll->coll_class->planned->orders))
        return NULL;
    for (uint32_t i = 0; i < coll->coll_class->set_sizes[set]; i++)
        if (!npu_is_at_rest(all, coll_set_member(coll, set, i)))
            return NULL;
    links = private_links_of_set(all->links, coll->coll_class, set);
    return links && links_are_at_rest(all->system->state.network, links) ? links
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
add_collective_in_progress(QuiescentCollectives *all, CollInstance *coll,
                           uint32_t set, const GArray *links)
{
    QuiescentCollective *q = g_new0(QuiescentCollective, 1);

    q->coll = coll;
    q->set = set;
    q->from_ps = sim_engine_now_ps(all->system->state.engine);
    q->links = links;
    q->n_messages_before =
        count_messages_of_links(all->system->state.network, links);
    for (uint32_t i = 0; i < count_member_npus(q); i++)
        coll_set_member(coll, set, i)->quiescent = q;
    g_ptr_array_add(all->in_progress, q);
    return q;
}

/* Releases the NPUs of @q, which the caller frees. */
static void remove_collective_in_progress(QuiescentCollectives *all,
                                          QuiescentCollective *q)
{
    for (uint32_t i = 0; i < count_member_npus(q); i++)
        coll_set_member(q->coll, q->set, i)->quiescent = NULL;
    g_ptr_array_remove_fast(all->in_progress, q);
}

/* ---- recording ----------------------------------------------------------- */

static void begin_recording_outcome(QuiescentCollectives *all,
                                    QuiescentCollective *q,
                                    const CollOutcome *known)
{
    uint32_t n = count_member_npus(q);

    q->outcome = coll_outcome_new();
    q->known = known;
    q->before = counters_of_links(all->system->state.network, q->links);
    steady_words_append(&q->outcome->key, all->key.at, all->key.n);
    q->states = g_new0(SteadyWords, n);
    q->counts = g_new(GArray *, n);
    q->counts_after = g_new(GArray *, n);
    for (uint32_t i = 0; i < n; i++) {
        SteadyWords state = { 0 };

        q->counts[i] = g_array_new(FALSE, FALSE, sizeof(SimWide));
        q->counts_after[i] = g_array_new(FALSE, FALSE, sizeof(SimWide));
        (void)coll_outcome_record_npu(coll_set_member(q->coll, q->set, i),
                                      q->from_ps, &state, q->counts[i]);
        steady_words_clear(&state);
    }
}

static void record_link_growth(const Network *network, QuiescentCollective *q)
{
    g_autoptr(GArray) after = counters_of_links(network, q->links);

    for (guint i = 0; i < q->links->len; i++) {
        const NetPortStats *from = &g_array_index(q->before, NetPortStats, i);
        const NetPortStats *to = &g_array_index(after, NetPortStats, i);
        LinkGrowth growth = {
            .link = g_array_index(q->links, uint32_t, i),
            .more = { .sent_bytes = to->sent_bytes - from->sent_bytes,
                      .n_messages = to->n_messages - from->n_messages,
                      .busy_ps = to->busy_ps - from->busy_ps }
        };

        if (growth.more.n_messages > 0)
            g_array_append_val(q->outcome->links, growth);
    }
}

static void record_member_growth(QuiescentCollective *q, uint32_t member)
{
    const GArray *before = q->counts[member], *after = q->counts_after[member];

    g_assert(before->len == after->len);
    for (guint i = 0; i < after->len; i++) {
        SimWide growth = g_array_index(after, SimWide, i) -
                         g_array_index(before, SimWide, i);

        g_array_append_val(q->outcome->growth, growth);
    }
    steady_words_append(&q->outcome->state, q->states[member].at,
                        q->states[member].n);
}

/* All members have ended.  Keeps the outcome, or compares it. */
static void complete_recorded_outcome(QuiescentCollectives *all,
                                      QuiescentCollective *q)
{
    const Network *network = all->system->state.network;
    uint32_t n = count_member_npus(q);
    CollOutcome *outcome = q->outcome;

    outcome->takes_ps = q->ends_ps - q->from_ps;
    outcome->is_usable = !q->is_unusable && outcome->takes_ps > 0 &&
                         links_are_at_rest(network, q->links);
    if (outcome->is_usable)
        record_link_growth(network, q);
    for (uint32_t i = 0; i < n && outcome->is_usable; i++)
        record_member_growth(q, i);
    remove_collective_in_progress(all, q);
    if (q->known) {
        g_assert(coll_outcomes_are_same(q->known, outcome));
        if (outcome->is_usable)
            all->system->counters.replay_counts.n_checked++;
    } else {
        all->n_records++;
        g_hash_table_add(all->outcomes, g_steal_pointer(&q->outcome));
    }
    quiescent_collective_free(q, n);
}

static uint32_t member_of_npu(const QuiescentCollective *q, const Npu *npu)
{
    uint32_t i = 0;

    while (coll_set_member(q->coll, q->set, i) != npu)
        i++;
    return i;
}

static void record_member_end(QuiescentCollective *q, Npu *npu, uint32_t member)
{
    SimTime now_ps = sim_engine_now_ps(npu->system->state.engine);

    if (q->n_ended++ == 0)
        q->ends_ps = now_ps;
    /* The HBM transfer may have caused the end and not be over yet. */
    if (q->ends_ps != now_ps || npu->window_is_full ||
        hbm_has_endpoint_demand(npu->hbm) ||
        !coll_outcome_record_npu(npu, q->from_ps, &q->states[member],
                                 q->counts_after[member]))
        q->is_unusable = TRUE;
}

static void on_chunk_ends(gpointer self, gconstpointer ended)
{
    Npu *npu = self;
    const Chunk *chunk = ended;
    QuiescentCollective *q = npu->quiescent;
    ChunkEnd end;

    if (q->is_replayed || chunk_record_of(chunk)->coll != q->coll)
        return;
    end = (ChunkEnd){ member_of_npu(q, npu), chunk->index };
    g_array_append_val(q->outcome->ends, end);
    if (q->coll->parts[npu->index].n_chunks_done + 1 < q->coll->n_chunks)
        return;
    record_member_end(q, npu, end.member);
    if (q->n_ended == count_member_npus(q))
        complete_recorded_outcome(npu->system->state.quiescent, q);
}

/* ---- replaying ----------------------------------------------------------- */

static gboolean chunks_are_replayed(gconstpointer npu, gconstpointer coll)
{
    const QuiescentCollective *q = ((const Npu *)npu)->quiescent;

    return q->is_replayed && q->coll == coll;
}

/* Asserts that a kernel may begin. */
static void on_kernel_begins(gconstpointer self)
{
    const Npu *npu = self;
    const QuiescentCollective *q = npu->quiescent;
    const CollPart *part = &q->coll->parts[npu->index];

    /* A member whose part of the recorded collective has ended continues
     * immediately. */
    g_assert(!q->is_replayed && part->n_chunks_done == q->coll->n_chunks);
}

/* Asserts that no message went along the links of a replay. */
static void assert_links_were_private(const Network *network,
                                      const QuiescentCollective *q)
{
    g_assert(links_are_at_rest(network, q->links));
    g_assert(count_messages_of_links(network, q->links) ==
             q->n_messages_before);
}

/* Ends chunk @chunk of @q on its member @member, at the end of all.  The last
 * chunk of the last set frees the collective. */
static void end_replayed_chunk(QuiescentCollective *q, uint32_t member,
                               uint32_t chunk)
{
    CollInstance *coll = q->coll;
    Npu *npu = coll_set_member(coll, q->set, member);

    if (coll->parts[npu->index].n_chunks_done + 1 == coll->n_chunks)
        npu->quiescent = NULL;
    chunk_end(npu, coll->chunks[chunk]);
}

/* Resets the time of a full window to that at the begin of @q. */
static void reset_window_time(const QuiescentCollective *q, SimTime now_ps)
{
    for (uint32_t i = 0; i < count_member_npus(q); i++) {
        Npu *npu = coll_set_member(q->coll, q->set, i);

        npu->window_full_ps = q->window_full_ps[i];
        npu->window_full_since_ps = now_ps;
    }
}

/* Event: a replayed collective ends. */
static void on_replay_end(gpointer self, uint32_t arg, uint64_t now_ps)
{
    QuiescentCollective *q = self;
    CollInstance *coll = q->coll;
    System *system = coll->system;
    const GArray *ends = q->outcome->ends;

    (void)arg;
    g_assert(now_ps == q->from_ps + q->outcome->takes_ps);
    assert_links_were_private(system->state.network, q);
    g_ptr_array_remove_fast(system->state.quiescent->in_progress, q);
    reset_window_time(q, now_ps);
    coll_outcome_apply(q->outcome, coll, q->set, q->from_ps);
    system->counters.replay_counts.n_replayed++;
    for (guint i = 0; i < ends->len; i++) {
        ChunkEnd end = g_array_index(ends, ChunkEnd, i);

        while (end.chunk >= coll->sets[q->set].n_chunks_decided)
            communicators_admit_replayed_chunk(coll, q->set);
        end_replayed_chunk(q, end.member, end.chunk);
    }
    quiescent_collective_free(q, 0);
}

static void begin_replay(QuiescentCollectives *all, QuiescentCollective *q,
                         CollOutcome *outcome)
{
    q->is_replayed = TRUE;
    q->outcome = outcome;
    q->window_full_ps = g_new(SimTime, count_member_npus(q));
    for (uint32_t i = 0; i < count_member_npus(q); i++)
        q->window_full_ps[i] =
            coll_set_member(q->coll, q->set, i)->window_full_ps;
    sim_engine_schedule(all->system->state.engine,
                        q->from_ps + outcome->takes_ps, SIM_PHASE_ACT,
                        on_replay_end, q, 0);
}

static void on_first_chunk_admitted(gpointer self, uint32_t set)
{
    CollInstance *coll = self;
    QuiescentCollectives *all = coll->system->state.quiescent;
    const GArray *links = links_if_quiescent(all, coll, set);
    CollOutcome key = { 0 }, *outcome;

    if (!links || !coll_outcome_write_key(coll, set, &all->key))
        return;
    key.key = all->key;
    outcome = g_hash_table_lookup(all->outcomes, &key);
    if (outcome && outcome->is_usable && !all->checks)
        begin_replay(all, add_collective_in_progress(all, coll, set, links),
                     outcome);
    else if ((outcome && all->checks) ||
             (!outcome &&
              all->n_records <
                  FIRST_RECORDS +
                      2 * all->system->counters.replay_counts.n_replayed))
        begin_recording_outcome(
            all, add_collective_in_progress(all, coll, set, links), outcome);
}

/* ---- disturbances -------------------------------------------------------- */

/* Starts the chunks that have begun already, in the order of their admission,
 * with the shares of the HBM that the NPUs had before. */
static void begin_replayed_chunks(gpointer self)
{
    const QuiescentCollective *q = self;
    const CollInstance *coll = q->coll;
    uint32_t n = coll->sets[q->set].n_chunks_decided;

    reset_window_time(q, q->from_ps);
    for (uint32_t i = 0; i < count_member_npus(q); i++) {
        Npu *npu = coll_set_member(coll, q->set, i);
        EndpointUse *use = npu_use_of_op(npu, coll->op);

        g_assert(npu->n_in_flight == n && use->n_in_flight == n);
        npu->n_in_flight = use->n_in_flight = use->n_reducing = 0;
        npu_update_after_chunks(npu);
        npu->n_in_flight = use->n_in_flight = n;
        use->n_reducing = n * coll->plan->reduces;
    }
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t i = 0; i < count_member_npus(q); i++) {
            Npu *npu = coll_set_member(coll, q->set, i);

            npu->endpoint->ops->advance(npu->endpoint, coll->chunks[c], 0);
        }
    for (uint32_t i = 0; i < count_member_npus(q); i++)
        npu_update_after_chunks(coll_set_member(coll, q->set, i));
}

static void undo_replay(QuiescentCollectives *all, QuiescentCollective *q)
{
    System *system = all->system;

    assert_links_were_private(system->state.network, q);
    remove_collective_in_progress(all, q);
    system->counters.n_events += communicators_catch_up(
        system->state.communicators, q->from_ps, begin_replayed_chunks, q);
    system->counters.replay_counts.n_taken_back++;
    quiescent_collective_free(q, 0);
}

static void on_collective_issued(gconstpointer self, uint32_t set)
{
    const CollInstance *coll = self;
    QuiescentCollectives *all = coll->system->state.quiescent;

    for (uint32_t i = 0; i < coll->coll_class->set_sizes[set]; i++) {
        QuiescentCollective *q = coll_set_member(coll, set, i)->quiescent;

        if (!q)
            continue;
        if (q->is_replayed) {
            undo_replay(all, q);
        } else {
            remove_collective_in_progress(all, q);
            quiescent_collective_free(q, count_member_npus(q));
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
            (!op->is_recorded &&
             system->plan.collective_classes.of[i]->planned->plan.n_phases > 0))
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
    QuiescentCollectives *all;

    if (system->plan.skip == SKIP_OFF || !system->state.communicators ||
        system->state.lanes || system->state.stages ||
        system->plan.job_of_role || system->regions ||
        !trace_watch_receives_only_operation_events(&system->state.watch) ||
        config->collectives.fidelity == FIDELITY_PACKET ||
        !op_endpoints_are_final_at_chunk_end(&system->plan.endpoints))
        return NULL;
    all = g_new0(QuiescentCollectives, 1);
    all->system = system;
    all->checks = system->plan.skip == SKIP_CHECK;
    all->outcomes =
        g_hash_table_new_full(coll_outcome_hash, coll_outcome_keys_are_equal,
                              coll_outcome_free, NULL);
    all->links = private_links_new(system);
    all->in_progress = g_ptr_array_new();
    all->is_simulated = find_simulated_roles(system);
    system->state.quiescent_listener = &listener;
    return all;
}

void quiescent_collectives_free(QuiescentCollectives *all)
{
    if (!all)
        return;
    for (guint i = 0; i < all->in_progress->len; i++) {
        QuiescentCollective *q = g_ptr_array_index(all->in_progress, i);

        quiescent_collective_free(q, count_member_npus(q));
    }
    g_ptr_array_unref(all->in_progress);
    g_hash_table_unref(all->outcomes);
    private_links_free(all->links);
    steady_words_clear(&all->key);
    g_free(all->is_simulated);
    g_free(all);
}
