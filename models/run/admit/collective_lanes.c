/* collective_lanes.c - starts the collectives of lanes at run time
 * (workloads/collective_lane.h); see collective_lanes.h */
#include "models/run/admit/collective_lanes.h"

#include "models/run/admit/collective_lane_state.h"

struct Lanes {
    System *system;    /* borrowed */
    LaneState *states; /* owned: the state of each collective lane */
    LaneWait *waits;   /* owned: the wait of each operation for its lane */
    /* Owned: for each buffer operation, the number of loads of collectives that
     * used it so far. */
    uint32_t *n_uses;
    /* Owned: for each operation its load of collectives without a buffer, or
     * NULL. */
    LaneLoad **unfused;
    /* Owned: the loads of collectives by slot; NULL: the slot is free. The
     * elements are owned LaneLoad. */
    GPtrArray *loads;
    uint64_t *copied_bytes; /* owned: the copied bytes of each simulated NPU */
    /* The event on_lanes_update() is scheduled for this instant. */
    gboolean is_requested;
};

static uint32_t count_graph_lanes(const Lanes *lanes)
{
    return lanes->system->plan.graph->lanes->len;
}

Lanes *collective_lanes_new(System *system)
{
    guint n_ops = system->plan.graph->ops->len;
    Lanes *lanes;

    if (system->plan.graph->lanes->len == 0)
        return NULL;
    lanes = g_new0(Lanes, 1);
    lanes->system = system;
    lanes->states = g_new0(LaneState, count_graph_lanes(lanes));
    lanes->waits = g_new0(LaneWait, n_ops);
    lanes->n_uses = g_new0(uint32_t, n_ops);
    lanes->unfused = g_new0(LaneLoad *, n_ops);
    lanes->copied_bytes = g_new0(uint64_t, system->plan.n_sim);
    lanes->loads = g_ptr_array_new();
    for (uint32_t i = 0; i < count_graph_lanes(lanes); i++) {
        LaneState *lane = &lanes->states[i];

        lane->rules = op_graph_lane(system->plan.graph, i);
        lane->ready = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        lane->last_tick_ps = lane->tick_ps = SIM_TIME_MAX;
        g_queue_init(&lane->taken);
    }
    return lanes;
}

void collective_lanes_free(Lanes *lanes)
{
    if (!lanes)
        return;
    for (uint32_t i = 0; i < count_graph_lanes(lanes); i++) {
        g_array_unref(lanes->states[i].ready);
        g_queue_clear(&lanes->states[i].taken);
    }
    for (guint i = 0; i < lanes->loads->len; i++)
        g_free(g_ptr_array_index(lanes->loads, i));
    g_ptr_array_unref(lanes->loads);
    g_free(lanes->states);
    g_free(lanes->waits);
    g_free(lanes->n_uses);
    g_free(lanes->unfused);
    g_free(lanes->copied_bytes);
    g_free(lanes);
}

/* ---- loads ------------------------------------------------------------- */

static uint32_t find_or_add_free_load_slot(Lanes *lanes)
{
    guint slot = 0;

    while (slot < lanes->loads->len && g_ptr_array_index(lanes->loads, slot))
        slot++;
    if (slot == lanes->loads->len)
        g_ptr_array_add(lanes->loads, NULL);
    return slot;
}

/* Makes the load of collectives that @pick describes, of the ready operations
 * from @from on. */
static LaneLoad *lane_load_new(Lanes *lanes, LaneState *lane,
                               const NextLoad *pick, guint from)
{
    LaneLoad *load =
        g_malloc0(sizeof(LaneLoad) + pick->n * sizeof load->members[0]);
    TraceLoad *told = &load->trace_load;

    told->slot = find_or_add_free_load_slot(lanes);
    told->lane = (uint32_t)(lane - lanes->states);
    told->op = pick->op;
    told->bytes = pick->bytes;
    told->n_members = pick->n;
    told->members = load->members;
    told->taken_ps = sim_engine_now_ps(lanes->system->state.engine);
    for (uint32_t i = 0; i < pick->n; i++) {
        uint32_t op = g_array_index(lane->ready, uint32_t, from + i);
        LaneWait *wait = &lanes->waits[op];

        load->members[i] = (TraceMember){ op, wait->iteration };
        told->ready_ps = MAX(told->ready_ps, wait->ready_ps);
        lane->figures.waited_ps += told->taken_ps - wait->ready_ps;
        wait->n_handed = 0;
    }
    if (trace_is_fused(told)) {
        told->iteration = lanes->n_uses[told->op]++;
    } else {
        told->iteration = load->members[0].iteration;
        g_assert(!lanes->unfused[told->op]);
        lanes->unfused[told->op] = load;
    }
    g_ptr_array_index(lanes->loads, told->slot) = load;
    return load;
}

static void lane_load_free(Lanes *lanes, LaneLoad *load)
{
    if (!trace_is_fused(&load->trace_load))
        lanes->unfused[load->trace_load.op] = NULL;
    g_ptr_array_index(lanes->loads, load->trace_load.slot) = NULL;
    g_free(load);
}

const TraceLoad *collective_lanes_find_load_of_op(const System *system,
                                                  uint32_t op)
{
    const LaneLoad *load = system->state.lanes->unfused[op];

    g_assert(load);
    return &load->trace_load;
}

/* Returns the load of collectives in @slot, which has been started. */
static const TraceLoad *collective_lanes_get_load_in_slot(const System *system,
                                                          uint32_t slot)
{
    const LaneLoad *load = g_ptr_array_index(system->state.lanes->loads, slot);

    return &load->trace_load;
}

/* ---- start ---------------------------------------------------------- */

static void count_load_in_lane_figures(LaneState *lane, const TraceLoad *load)
{
    LaneFigures *figures = &lane->figures;

    figures->n_begun += load->n_members;
    figures->waited_ps += load->n_members * (load->begin_ps - load->taken_ps);
    if (!trace_is_fused(load))
        return;
    figures->n_fused += load->n_members;
    figures->n_buffers++;
    figures->fused_bytes += load->bytes;
}

LaneFigures system_collective_lane_figures(const System *system, uint32_t lane)
{
    return system->state.lanes->states[lane].figures;
}

static gboolean npu_takes_part_in_load(const CollectiveClass *coll_class,
                                       uint32_t npu)
{
    return !coll_class->set_of ||
           coll_class->set_of[npu] != COLLECTIVE_CLASS_NO_SET;
}

static void on_load_begin(gpointer self, uint32_t slot, uint64_t now_ps)
{
    const Lanes *lanes = self;
    System *system = lanes->system;
    const TraceLoad *load = collective_lanes_get_load_in_slot(system, slot);
    const CollectiveClass *coll_class =
        system->plan.collective_classes.class_of_op[load->op];

    (void)now_ps;
    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        Npu *npu = &system->state.npus[i];

        if (!npu_takes_part_in_load(coll_class, i))
            continue;
        TRACE(&system->state.watch, load_begins, npu->host.id, load);
        npu->callbacks->load_begins(npu, load);
    }
}

/* Starts @load, for which the collective lane has room. The negotiation begins
 * when the load of collectives is formed, so it may be over already. */
static void start_lane_load(Lanes *lanes, LaneState *lane, LaneLoad *load)
{
    SimEngine *engine = lanes->system->state.engine;
    TraceLoad *told = &load->trace_load;

    lane->n_in_flight++;
    lane->in_flight_bytes += told->bytes;
    told->begin_ps =
        MAX(sim_time_add(told->taken_ps, lane->rules->negotiate_ps),
            sim_engine_now_ps(engine));
    count_load_in_lane_figures(lane, told);
    TRACE(&lanes->system->state.watch, load_released, told);
    sim_engine_schedule(engine, told->begin_ps, SIM_PHASE_ACT, on_load_begin,
                        lanes, told->slot);
}

/* Forms and starts loads of collectives while the collective lane has room;
 * sorts the ready operations only once. */
static void start_ready_lane_loads(Lanes *lanes, LaneState *lane)
{
    const OpGraph *graph = lanes->system->plan.graph;

    lane_sort_waiting_ops(lane, graph, lanes->waits);
    while (lane->ready->len > 0) {
        NextLoad pick = lane_next_load(lane, graph, 0);

        if (!lane_limits_allow_load(lane, pick.bytes))
            return;
        start_lane_load(lanes, lane, lane_load_new(lanes, lane, &pick, 0));
        g_array_remove_range(lane->ready, 0, pick.n);
    }
}

/* Forms loads of all ready operations at a tick. The loads of collectives start
 * when the collective lane has room. */
static void form_loads_of_all_lanes(Lanes *lanes, LaneState *lane)
{
    const OpGraph *graph = lanes->system->plan.graph;
    NextLoad pick;

    lane_sort_waiting_ops(lane, graph, lanes->waits);
    for (guint i = 0; i < lane->ready->len; i += pick.n) {
        pick = lane_next_load(lane, graph, i);
        g_queue_push_tail(&lane->taken, lane_load_new(lanes, lane, &pick, i));
    }
    g_array_set_size(lane->ready, 0);
}

static void start_formed_lane_loads(Lanes *lanes, LaneState *lane)
{
    LaneLoad *load;

    while ((load = g_queue_peek_head(&lane->taken)) &&
           lane_limits_allow_load(lane, load->trace_load.bytes))
        start_lane_load(lanes, lane, g_queue_pop_head(&lane->taken));
}

static void on_lane_cycle_begins(gpointer self, uint32_t arg, uint64_t now_ps);

/* Starts loads of @lane while it has room, and schedules its next tick. */
static void start_ready_or_formed_loads(Lanes *lanes, LaneState *lane)
{
    SimEngine *engine = lanes->system->state.engine;
    SimTime now_ps = sim_engine_now_ps(engine);

    start_formed_lane_loads(lanes, lane);
    if (!lane_concurrency_is_used_up(lane)) {
        if (lane->ready->len == 0 && !lane->was_full)
            return;
        if (lane_may_form_loads(lane, now_ps)) {
            if (lane->rules->cycle_ps == 0)
                start_ready_lane_loads(lanes, lane);
            else
                form_loads_of_all_lanes(lanes, lane);
            start_formed_lane_loads(lanes, lane);
        } else if (lane->ready->len > 0 && lane->tick_ps != lane->next_ps) {
            lane->tick_ps = lane->next_ps;
            sim_engine_schedule(engine, lane->tick_ps, SIM_PHASE_ACT,
                                on_lane_cycle_begins, lanes, 0);
        }
    }
    lane->was_full = lane_concurrency_is_used_up(lane);
}

/* Event: lets each collective lane start loads of collectives, when nothing
 * more happens at this instant. */
static void on_lanes_update(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Lanes *lanes = self;
    SimEngine *engine = lanes->system->state.engine;

    if (sim_engine_has_more_events_now(engine, SIM_PHASE_ACT)) {
        sim_engine_schedule(engine, now_ps, SIM_PHASE_ACT, on_lanes_update,
                            lanes, arg);
        return;
    }
    lanes->is_requested = FALSE;
    for (uint32_t i = 0; i < count_graph_lanes(lanes); i++)
        start_ready_or_formed_loads(lanes, &lanes->states[i]);
}

static void request_lanes_update(Lanes *lanes)
{
    SimEngine *engine = lanes->system->state.engine;

    if (lanes->is_requested)
        return;
    lanes->is_requested = TRUE;
    sim_engine_schedule(engine, sim_engine_now_ps(engine), SIM_PHASE_ACT,
                        on_lanes_update, lanes, 0);
}

static void on_lane_cycle_begins(gpointer self, uint32_t arg, uint64_t now_ps)
{
    (void)arg;
    (void)now_ps;
    request_lanes_update(self);
}

/* ---- calls of NPUs -------------------------------------------------- */

void collective_lanes_submit_op(Npu *npu, uint32_t op, uint64_t iteration)
{
    System *system = npu->system;
    Lanes *lanes = system->state.lanes;
    LaneWait *wait = &lanes->waits[op];

    TRACE(&system->state.watch, collective_queued, npu->host.id, op, iteration);
    g_assert(wait->n_handed == 0 || wait->iteration == iteration);
    wait->iteration = iteration;
    wait->n_handed++;
    if (wait->n_handed <
        system->plan.collective_classes.class_of_op[op]->n_parts)
        return;
    wait->ready_ps = sim_engine_now_ps(system->state.engine);
    g_array_append_val(
        lanes->states[op_graph_op(system->plan.graph, op)->lane].ready, op);
    request_lanes_update(lanes);
}

void collective_lanes_record_npu_done(Npu *npu, const TraceLoad *told)
{
    System *system = npu->system;
    Lanes *lanes = system->state.lanes;
    LaneState *lane = &lanes->states[told->lane];
    LaneLoad *load = g_ptr_array_index(lanes->loads, told->slot);

    load->n_parts_done++;
    if (load->n_parts_done <
        system->plan.collective_classes.class_of_op[told->op]->n_parts)
        return;
    lane->n_in_flight--;
    lane->in_flight_bytes -= told->bytes;
    lane_load_free(lanes, load);
    request_lanes_update(lanes);
}

void collective_lanes_count_copy(Npu *npu, uint64_t bytes)
{
    npu->system->state.lanes->copied_bytes[npu->index] += bytes;
}

uint64_t collective_lanes_copied_bytes(const Npu *npu)
{
    const Lanes *lanes = npu->system->state.lanes;

    return lanes ? lanes->copied_bytes[npu->index] : 0;
}

void collective_lanes_explain_wait(const System *system, uint32_t op,
                                   GString *text)
{
    const Lanes *lanes = system->state.lanes;
    const OpLane *rules = op_graph_lane(
        system->plan.graph, op_graph_op(system->plan.graph, op)->lane);
    const LaneWait *wait = &lanes->waits[op];
    uint32_t n_parts = system->plan.collective_classes.class_of_op[op]->n_parts;

    if (wait->n_handed == n_parts)
        g_string_append_printf(text, " waits for its turn in lane %s",
                               rules->name);
    else if (wait->n_handed > 0)
        g_string_append_printf(text,
                               " waits in lane %s, to which %u of %u NPUs have "
                               "handed it",
                               rules->name, wait->n_handed, n_parts);
    else
        g_string_append_printf(text, " goes as part of what lane %s let go",
                               rules->name);
}
