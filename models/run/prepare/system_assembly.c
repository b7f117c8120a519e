/* system_assembly.c - builds a system from its configuration, and frees it */
#include "models/run/admit/chunk_scheduler.h"
#include "models/run/admit/collective_lanes.h"
#include "models/run/admit/communicators.h"
#include "models/run/admit/fixed_time_queues.h"
#include "models/run/admit/multi_program_scheduler.h"
#include "models/run/chunk_impl.h"
#include "models/run/chunk_progress_impl.h"
#include "models/run/message_inbox_impl.h"
#include "models/run/on_demand/on_demand_messages.h"
#include "models/run/prepare/kernel_precision_check.h"
#include "models/run/prepare/kernel_times.h"
#include "models/run/prepare/measured_times_npu_check.h"
#include "models/run/prepare/op_times_by_npu.h"
#include "models/run/prepare/saturating_arithmetic.h"
#include "models/run/prepare/side_stream_share.h"
#include "models/run/regions/regions.h"
#include "models/run/report/run_notes.h"
#include "models/run/steady/steady.h"
#include "models/run/training_impl.h"
#include "models/run/wait_causes_impl.h"
#include "network/deadlock_check.h"
#include "workloads/jobs/jobs.h"

/* Returns FALSE and sets @error if the endpoint still has `auto` values.  They
 * are chosen by comparing several runs, so a single run cannot choose them. */
static gboolean check_no_auto_values(const SystemConfig *config, GError **error)
{
    EndpointMembers members;

    endpoint_find_members(&config->endpoint, &members);
    for (uint32_t i = 0; i < members.n; i++) {
        if (endpoint_n_auto_steps(&members.endpoints[i],
                                  &config->platform.npu) == 0)
            continue;
        config_set_error(error, members.endpoints[i].node,
                         CONFIG_ERROR_CONFLICT, "%s",
                         endpoint_ops_of_kind(&config->endpoint)->members
                             ? "`auto` is for the only endpoint of a run; give "
                               "numbers to each of several"
                             : "`auto` values of the endpoint have not been "
                               "chosen");
        return FALSE;
    }
    return TRUE;
}

/* Returns the index of the first dependent of each operation, in a list of the
 * dependents of all operations one after the other.  One more element holds the
 * length of that list.  The caller owns the array. */
static uint32_t *index_first_dependents(const OpGraph *graph)
{
    guint n = graph->ops->len;
    uint32_t *first = g_new0(uint32_t, n + 1);

    for (uint32_t i = 0; i < n; i++) {
        const Op *op = op_graph_op(graph, i);

        for (uint32_t d = 0; d < op->n_deps; d++)
            first[op->deps[d].op + 1]++;
        first[i + 1] += op->type == OP_COLLECTIVE;
    }
    for (uint32_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    return first;
}

static void index_graph_dependents(System *system)
{
    const OpGraph *graph = system->plan.graph;
    guint n = graph->ops->len;
    uint32_t *first = index_first_dependents(graph);
    /* Index at which the next dependent of each operation is stored. */
    g_autofree uint32_t *next = g_memdup2(first, n * sizeof *first);

    system->plan.first_dependents = first;
    system->plan.dependents = g_new(uint32_t, first[n]);
    for (uint32_t i = 0; i < n; i++) {
        const Op *op = op_graph_op(graph, i);

        for (uint32_t d = 0; d < op->n_deps; d++)
            system->plan.dependents[next[op->deps[d].op]++] = i;
        /* The dependent is the next instance of the same operation. */
        if (op->type == OP_COLLECTIVE)
            system->plan.dependents[next[i]++] = i;
    }
    system->state.instances = g_new0(CollInstance *, n);
}

static void list_ops_by_role(System *system)
{
    const OpGraph *graph = system->plan.graph;

    system->plan.role_ops = g_new0(RoleOps, graph->roles->len);
    for (guint r = 0; r < graph->roles->len; r++) {
        system->plan.role_ops[r].ops =
            g_array_new(FALSE, FALSE, sizeof(uint32_t));
        for (OpStream stream = 0; stream < OP_N_STREAMS; stream++)
            system->plan.role_ops[r].by_stream[stream] =
                g_array_new(FALSE, FALSE, sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->is_buffer)
            continue;
        for (uint32_t r = role_set_first(op->roles); r != ROLE_SET_END;
             r = role_set_next(op->roles, r)) {
            g_array_append_val(system->plan.role_ops[r].ops, i);
            if (op->type == OP_COMPUTE)
                g_array_append_val(
                    system->plan.role_ops[r].by_stream[op->stream], i);
        }
    }
}

/* Gives operation @op the next number in each of its roles. */
static void number_slots_of_op(OpSlots *slots, const OpGraph *graph,
                               uint32_t op)
{
    const RoleSet *roles = op_graph_op(graph, op)->roles;

    if (role_set_has_one_role(roles)) {
        slots->of_op[op] = slots->n_slots[role_set_first(roles)]++;
        return;
    }
    slots->of_op[op] = OP_SLOT_SHARED + slots->shared->len;
    for (uint32_t r = role_set_first(roles); r != ROLE_SET_END;
         r = role_set_next(roles, r)) {
        uint32_t slot = slots->n_slots[r]++;

        g_array_append_val(slots->shared, slot);
    }
}

/* Numbers the operations of each role; see OpSlots. */
static void number_op_slots_of_roles(System *system)
{
    const OpGraph *graph = system->plan.graph;
    OpSlots *slots = &system->plan.slots;
    guint n_roles = graph->roles->len;

    slots->of_op = g_new(uint32_t, graph->ops->len);
    slots->shared = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    slots->n_slots = g_new0(uint32_t, n_roles);
    for (uint32_t i = 0; i < graph->ops->len; i++)
        if (op_graph_op(graph, i)->type == OP_COLLECTIVE)
            number_slots_of_op(slots, graph, i);
    slots->n_collectives =
        g_memdup2(slots->n_slots, n_roles * sizeof *slots->n_slots);
    for (uint32_t i = 0; i < graph->ops->len; i++)
        if (op_graph_op(graph, i)->type != OP_COLLECTIVE)
            number_slots_of_op(slots, graph, i);
}

static void on_endpoint_has_room(EndpointHost *host)
{
    scheduler_start_chunks(npu_of_endpoint_host(host));
}

/* The functions that endpoints call on the NPU on which they are. */
static const EndpointHostOps host_ops = {
    .enter = chunk_progress_enter_phase,
    .transmit = chunk_progress_transmit_message,
    .handled = chunk_progress_on_message_handled,
    .has_room = on_endpoint_has_room,
};

GArray *system_endpoint_tasks(const System *system, uint32_t role)
{
    GArray *tasks = g_array_new(FALSE, FALSE, sizeof(EndpointTask));

    for (CollKind kind = 0; kind < COLL_N_ALL_KINDS; kind++)
        for (guint i = 0; i < system->plan.collective_classes.classes->len;
             i++) {
            const CollectiveClass *coll_class =
                collective_classes_at(&system->plan.collective_classes, i);
            EndpointTask task = { kind, &coll_class->planned->orders,
                                  coll_class->max_chunk_bytes,
                                  coll_class->endpoint };

            if (coll_class->op->kind == kind &&
                !collective_class_is_recorded(coll_class) &&
                op_has_role(coll_class->op, role))
                g_array_append_val(tasks, task);
        }
    return tasks;
}

EndpointSite system_endpoint_site(const System *system, const GArray *tasks)
{
    return (EndpointSite){
        .npu = &system->plan.config->platform.npu,
        .topology = system->plan.topology,
        .tasks = (const EndpointTask *)(gpointer)tasks->data,
        .n_tasks = tasks->len,
        .endpoint_of_op = system->plan.endpoints.of_op,
        .members = &system->plan.endpoints.members,
    };
}

/* The part of a site that all NPUs of a role have in common. */
typedef struct {
    GArray *tasks;     /* owned: of EndpointTask; NULL: not listed yet */
    GHashTable *known; /* owned: see EndpointSite */
} RoleSite;

static void clear_role_site(gpointer data)
{
    RoleSite *site = data;

    if (!site->tasks)
        return;
    g_array_unref(site->tasks);
    g_hash_table_unref(site->known);
}

static EndpointSite endpoint_site_of_role(const System *system, uint32_t role,
                                          const GArray *sites)
{
    RoleSite *common = &g_array_index(sites, RoleSite, role);
    EndpointSite site;

    if (!common->tasks) {
        common->tasks = system_endpoint_tasks(system, role);
        common->known = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    }
    site = system_endpoint_site(system, common->tasks);
    site.known = common->known;
    return site;
}

static gboolean make_simulated_npu(System *whole, uint32_t i,
                                   const GArray *sites, GError **error)
{
    System *system = whole->regions ? region_system_of_npu(whole, i) : whole;
    Npu *npu = &system->state.npus[i];
    uint32_t role = coll_placement_role(
        &system->plan.placement,
        symmetry_fold_representative_end(system->plan.fold, i));
    const EndpointSite site = endpoint_site_of_role(system, role, sites);

    if (!npu_init(npu, system, i, &host_ops, &site, error))
        return FALSE;
    (void)training_new(npu);
    return TRUE;
}

static void make_network(System *system)
{
    const SystemConfig *config = system->plan.config;
    const CollectiveConfig *collectives = &config->collectives;

    system->state.network = network_new(
        system->state.engine, system->plan.topology, collectives->packet_bytes,
        system->plan.fold, inbox_deliver_message, system);
    system->state.step_links = step_links_table_new();
    network_set_on_demand_sender(system->state.network,
                                 on_demand_send_next_message);
    if (!endpoint_delays_messages(&config->endpoint))
        network_set_early_delivery_callback(system->state.network,
                                            chunk_progress_receive_early);
    if (collectives->fidelity == FIDELITY_PACKET)
        network_move_packets_individually(
            system->state.network,
            MAX(collectives->buffer_bytes, collectives->packet_bytes));
    perturb_scale_links(&config->perturb, system->plan.topology,
                        system->state.network);
}

static gboolean make_npus(System *system, uint32_t n_threads, GError **error)
{
    const EndpointInvariance *invariance =
        endpoint_ops_of_kind(&system->plan.config->endpoint)->invariance;
    g_autoptr(GArray) sites = g_array_new(FALSE, TRUE, sizeof(RoleSite));

    g_array_set_clear_func(sites, clear_role_site);
    g_array_set_size(sites, system->plan.graph->roles->len);
    system->state.npus = cache_lines_alloc_zeroed(system->plan.n_sim *
                                                  sizeof *system->state.npus);
    system->state.arrived = g_new(Npu *, system->plan.n_sim);
    regions_divide(system, n_threads, make_network,
                   endpoint_delays_messages(&system->plan.config->endpoint)
                       ? NULL
                       : chunk_progress_receive_early);
    system->counters.endpoint_notes = invariance && !system->regions
                                          ? g_malloc0(invariance->notes_size)
                                          : NULL;
    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        if (!make_simulated_npu(system, i, sites, error))
            return FALSE;
    return TRUE;
}

static uint32_t flow_of_message(gpointer self, const NetMessage *message)
{
    const System *system = self;
    const Chunk *chunk =
        g_ptr_array_index(system->state.chunks, message_chunk_slot(message));
    const Op *op = op_graph_op(system->plan.graph, chunk->op);

    return system->plan.job_of_role[role_set_first(op->roles)];
}

/* Lets the messages of several jobs share links fairly, so that no job waits
 * for all messages of another. */
static void share_links_between_jobs(System *system)
{
    const OpGraph *graph = system->plan.graph;

    if (graph->jobs->len < 2)
        return;
    system->plan.job_of_role = g_new0(guint8, graph->roles->len);
    for (guint8 i = 0; i < graph->jobs->len; i++) {
        const RoleSet *roles = op_graph_job(graph, i)->roles;

        for (uint32_t r = role_set_first(roles); r != ROLE_SET_END;
             r = role_set_next(roles, r))
            system->plan.job_of_role[r] = i;
    }
    network_set_flows(system->state.network, graph->jobs->len, flow_of_message,
                      system);
}

/* Returns whether some rank of some collective may receive nothing, so that it
 * does not wait for the other ranks. */
static gboolean some_rank_may_receive_nothing(const OpGraph *graph)
{
    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);
        const CollContract *contract = coll_contract(op->kind);

        if (op->type != OP_COLLECTIVE || op->kind == COLL_SEND ||
            op->is_recorded)
            continue;
        if (op->weights || contract->root_gets == COLL_NOTHING ||
            contract->others_get == COLL_NOTHING)
            return TRUE;
    }
    return FALSE;
}

static gboolean op_needs_communicator(const Op *op)
{
    return op->type == OP_COLLECTIVE && !op->is_recorded;
}

/* Returns whether some role has collectives of several groups. */
static gboolean any_role_has_several_groups(const OpGraph *graph)
{
    /* the group of the collectives of each role + 1, or 0 */
    g_autofree uint32_t *groups = g_new0(uint32_t, graph->roles->len);

    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (!op_needs_communicator(op))
            continue;
        for (uint32_t r = role_set_first(op->roles); r != ROLE_SET_END;
             r = role_set_next(op->roles, r)) {
            if (groups[r] != 0 && groups[r] != op->group + 1)
                return TRUE;
            groups[r] = op->group + 1;
        }
    }
    return FALSE;
}

/* Makes each group of the program a communicator.  Communicators share nothing
 * if collectives are not preempted, or if no role has several groups. */
static void find_communicators(System *system)
{
    const CollectiveConfig *config = &system->plan.config->collectives;
    const OpGraph *graph = system->plan.graph;

    system->plan.scheduler = (SchedulerKind)config->scheduler;
    if (system->plan.scheduler != SCHEDULER_FAIR)
        return;
    if (!config->preempt || !any_role_has_several_groups(graph)) {
        system->plan.scheduler = SCHEDULER_FIFO;
        return;
    }
    system->plan.n_communicators = graph->groups->len;
    system->plan.communicator_of = g_new0(uint32_t, graph->ops->len);
    for (guint i = 0; i < graph->ops->len; i++)
        system->plan.communicator_of[i] = op_graph_op(graph, i)->group;
}

/* Implements WorkloadSite.kernel_times, and notes that the program depends on
 * kernel times.  @data is a pointer to the System. */
static void compute_kernel_times(gconstpointer data, const OpGraph *graph,
                                 uint64_t *ret_ps)
{
    System *system = *(System *const *)data;

    system->plan.depends_on_times = TRUE;
    list_kernel_times(&system->plan.config->platform.npu, graph, ret_ps);
}

static OpGraph *build_graph(System *system, GError **error)
{
    const SystemConfig *config = system->plan.config;
    const WorkloadSite site = { .n_npus =
                                    topology_n_npus(system->plan.topology),
                                .memory_bytes =
                                    config->platform.npu.hbm.capacity_bytes,
                                .kernel_times = compute_kernel_times,
                                .data = &system };

    return workload_build(&config->workload, &config->training, &site, error);
}

/* Builds the operation graph, the stack, the plans and the cuts.  A rehearsal
 * already has its graph and its stack. */
static gboolean make_graph_plans_and_chunkings(System *system,
                                               const RehearsalOps *ops,
                                               GError **error)
{
    const SystemConfig *config = system->plan.config;

    if (!system->plan.graph) {
        system->plan.graph = build_graph(system, error);
        if (system->plan.graph &&
            (!measured_times_npu_check(&config->platform, system->plan.graph,
                                       error) ||
             !kernel_precision_check(&config->platform.npu, system->plan.graph,
                                     error)))
            return FALSE;
    }
    if (system->plan.graph && !system->plan.stack)
        system->plan.stack =
            comm_stack_new(&config->stack, system->plan.topology, error);
    if (!system->plan.stack ||
        !coll_placement_init(&system->plan.placement, system->plan.graph,
                             system->plan.topology, error) ||
        !op_endpoints_init(&system->plan.endpoints, &config->endpoint,
                           system->plan.graph, error) ||
        !collective_classes_init(&system->plan.collective_classes,
                                 &config->collectives, &system->plan.endpoints,
                                 &system->plan.placement, system->plan.topology,
                                 system->plan.stack, error))
        return FALSE;
    find_communicators(system);
    if (!system_choose_chunkings(system, ops, error))
        return FALSE;
    system->plan.may_run_ahead =
        some_rank_may_receive_nothing(system->plan.graph);
    system->state.ring_bytes =
        g_new0(RingBytes, system->plan.collective_classes.n_audiences);
    kernel_works_set_tiles(&config->platform.npu, system->plan.graph);
    system->state.demands = kernel_demands_new(&config->platform.npu,
                                               system->plan.graph->works->len);
    system->plan.kernel_scales =
        compute_kernel_time_scales(&config->platform.npu, system->plan.graph);
    system->plan.op_npu_indices = op_times_npu_indices(&system->plan.placement);
    index_graph_dependents(system);
    list_ops_by_role(system);
    number_op_slots_of_roles(system);
    system->plan.side_share = side_share_choose(system);
    return op_rules_new(&config->perturb, system->plan.graph,
                        system->plan.topology, &system->plan.op_rules, error);
}

static gboolean plan_new_system(System *system, const RehearsalOps *ops,
                                GError **error)
{
    const SystemConfig *config = system->plan.config;

    system->state.engine = sim_engine_new();
    system->state.consensus.engine = system->state.engine;
    system->state.watch.engine = system->state.engine;
    system->state.chunks = g_ptr_array_new();
    system->state.free_chunks = g_ptr_array_new();
    system->state.admissions = g_ptr_array_new();
    if (!check_no_auto_values(config, error))
        return FALSE;
    if (!system->plan.topology)
        system->plan.topology = topology_new(&config->platform.topology, error);
    return system->plan.topology &&
           (config->collectives.fidelity != FIDELITY_PACKET ||
            topology_check_no_packet_deadlock(
                system->plan.topology, config->collectives.node, error)) &&
           make_graph_plans_and_chunkings(system, ops, error);
}

static gboolean init_system(System *system, const RehearsalOps *ops,
                            RunOptions options, GError **error)
{
    const SystemConfig *config = system->plan.config;

    system->plan.skip = options.skip;
    if (!plan_new_system(system, ops, error) ||
        !system_check_limits(system, error) ||
        !perturb_check(&config->perturb, system->plan.topology, error) ||
        !system_decide_folding(system, options.fold, error))
        return FALSE;
    collective_classes_find_sets(&system->plan.collective_classes,
                                 &system->plan.placement, system->plan.fold,
                                 system->plan.n_communicators > 0 ||
                                     graph_has_wait_causes(system->plan.graph));
    if (!system_check_size(system, options.limits, error))
        return FALSE;
    if (system->plan.n_communicators > 0)
        system->state.communicators = communicators_new(system);
    else if (system->plan.placement.roles)
        system->state.multi_program = multi_program_new(system);
    system->plan.keeps_intake_order = system->state.communicators ||
                                      system->state.multi_program ||
                                      system->plan.endpoints.members.n > 1 ||
                                      system_kernels_may_starve(system);
    system->state.lanes = collective_lanes_new(system);
    system->state.stages = fixed_time_queues_new(system);
    make_network(system);
    share_links_between_jobs(system);
    return make_npus(system, MAX(options.n_threads, 1), error);
}

/* ---- rehearsals -------------------------------------------------------- */

/* Returns a graph that contains only the collective @rehearsal->op, for all
 * NPUs. If only some roles run the operation, the system cannot be built from
 * the graph. */
static OpGraph *rehearsal_graph(const System *system,
                                const Rehearsal *rehearsal)
{
    OpGraph *graph = op_graph_new();
    Op op = *rehearsal->op;

    for (guint i = 1; i < system->plan.graph->groups->len; i++)
        (void)op_graph_add_group(graph, op_graph_group(system->plan.graph, i));
    op.layer = op_graph_add_layer(graph, "rehearsal");
    op.payload_bytes = rehearsal->payload_bytes;
    op.sender_roles = role_set_has(op.sender_roles, 0)
                          ? role_sets_of_one_role(graph->role_sets, 0)
                          : NULL;
    op.lane = OP_NO_LANE;
    op.is_buffer = op.is_packed = FALSE;
    op.n_deps = op.n_times = op.n_gaps = 0;
    op.deps = NULL;
    op.times_ps = op.gaps_ps = NULL;
    (void)op_graph_add(graph, &op);
    return graph;
}

/* Returns the configuration of a rehearsal: message trains, and no
 * perturbations. */
static SystemConfig rehearsal_config(const System *system,
                                     const Rehearsal *rehearsal)
{
    const Op *first = op_graph_op(system->plan.graph, 0);
    SystemConfig config = *system->plan.config;

    config.endpoint = *op_endpoints_variant(&system->plan.endpoints,
                                            (uint32_t)(rehearsal->op - first));
    config.training.n_iterations = 1;
    config.perturb = (PerturbConfig){ .seed = config.perturb.seed };
    config.collectives.fidelity = FIDELITY_MESSAGE;
    config.collectives.order = (int)rehearsal->order;
    config.collectives.chunk_bytes = rehearsal->cut.chunk_bytes;
    config.collectives.message_bytes = rehearsal->cut.message_bytes;
    config.collectives.window = rehearsal->cut.window;
    if (rehearsal->algorithm != 0)
        config.collectives.algorithm = rehearsal->algorithm;
    return config;
}

/* Returns a system that simulates only the collective @rehearsal, on the same
 * platform.  The new system is not initialised, and borrows the stack and the
 * topology of @system. */
static System *rehearsal_new(const System *system, const SystemConfig *config,
                             const Rehearsal *rehearsal)
{
    System *trial = g_new0(System, 1);

    trial->plan.config = config;
    trial->whole = trial;
    trial->plan.graph = rehearsal_graph(system, rehearsal);
    trial->plan.stack = system->plan.stack;
    trial->plan.topology = system->plan.topology;
    return trial;
}

static void rehearsal_free(System *trial)
{
    trial->plan.stack = NULL;
    trial->plan.topology = NULL;
    system_free(trial);
}

#define COARSEST_MESSAGE_BYTES (UINT64_C(1) << 30)

/* Implements RehearsalOps.n_sim.  The result is the same for all valid cuts, so
 * the coarsest one is used. */
static uint32_t rehearsal_n_simulated_npus(const System *system,
                                           const Rehearsal *rehearsal)
{
    const Rehearsal coarsest = { .op = rehearsal->op,
                                 .payload_bytes = rehearsal->payload_bytes,
                                 .order = rehearsal->order,
                                 .cut = {
                                     .chunk_bytes = rehearsal->payload_bytes,
                                     .message_bytes = COARSEST_MESSAGE_BYTES,
                                     .window = 1 } };
    const SystemConfig config = rehearsal_config(system, &coarsest);
    System *trial = rehearsal_new(system, &config, &coarsest);
    uint32_t n_sim = 0;

    if (plan_new_system(trial, NULL, NULL) &&
        system_decide_folding(trial, FOLD_AUTO, NULL))
        n_sim = symmetry_fold_n_simulated_ends(trial->plan.fold);
    rehearsal_free(trial);
    return n_sim;
}

/* Implements RehearsalOps.time_ps. */
static SimTime rehearsal_time_ps(const System *system,
                                 const Rehearsal *rehearsal)
{
    const SystemConfig config = rehearsal_config(system, rehearsal);
    System *trial = rehearsal_new(system, &config, rehearsal);
    const RunOptions options = { .limits.n_hops = rehearsal->most_hops };
    SimTime ps = SIM_TIME_MAX;

    if (init_system(trial, NULL, options, NULL) && system_run(trial, NULL))
        ps = system_result(trial).iteration_ps;
    rehearsal_free(trial);
    return ps;
}

static const RehearsalOps rehearsal_ops = {
    .n_sim = rehearsal_n_simulated_npus,
    .time_ps = rehearsal_time_ps,
};

gboolean system_find_faster_algorithm(const System *system,
                                      FasterAlgorithm *ret)
{
    return find_faster_algorithm(system, &rehearsal_ops, ret);
}

/* ---- systems ----------------------------------------------------------- */

System *system_new_plan(const SystemConfig *config, GError **error)
{
    g_autoptr(System) system = g_new0(System, 1);

    system->plan.config = config;
    system->whole = system;
    return plan_new_system(system, &rehearsal_ops, error)
               ? g_steal_pointer(&system)
               : NULL;
}

System *system_new(const SystemConfig *config, RunOptions options,
                   GError **error)
{
    g_autoptr(System) system = g_new0(System, 1);

    system->plan.config = config;
    system->whole = system;
    if (!init_system(system, &rehearsal_ops, options, error))
        return NULL;
    return g_steal_pointer(&system);
}

gboolean system_check_buildable(const SystemConfig *config, RunOptions options,
                                GPtrArray *notes, GError **error)
{
    g_autoptr(System) system = g_new0(System, 1);

    options.n_threads = 1;
    system->plan.config = config;
    system->whole = system;
    if (!init_system(system, NULL, options, error))
        return FALSE;
    if (notes)
        run_notes_add_known_before_run(notes, system);
    return TRUE;
}

static void free_simulated_npu(Npu *npu)
{
    training_free(npu->training);
    npu_clear(npu);
}

static void free_op_lists_of_roles(System *system)
{
    for (guint r = 0;
         system->plan.role_ops && r < system->plan.graph->roles->len; r++) {
        g_array_unref(system->plan.role_ops[r].ops);
        for (OpStream stream = 0; stream < OP_N_STREAMS; stream++)
            g_array_unref(system->plan.role_ops[r].by_stream[stream]);
    }
    g_free(system->plan.role_ops);
    g_free(system->plan.slots.of_op);
    g_free(system->plan.slots.n_slots);
    g_free(system->plan.slots.n_collectives);
    if (system->plan.slots.shared)
        g_array_unref(system->plan.slots.shared);
}

void system_free(System *system)
{
    if (!system)
        return;
    for (uint32_t i = 0; system->state.npus && i < system->plan.n_sim; i++)
        free_simulated_npu(&system->state.npus[i]);
    cache_lines_free(system->state.npus);
    regions_free(system->regions);
    g_free(system->state.arrived);
    g_free(system->counters.endpoint_notes);
    for (guint i = 0;
         system->state.instances && i < system->plan.graph->ops->len; i++)
        collective_instances_free(system->state.instances[i]);
    g_free(system->plan.dependents);
    g_free(system->plan.first_dependents);
    g_free(system->state.instances);
    free_op_lists_of_roles(system);
    step_links_table_free(system->state.step_links);
    chunks_free(system->state.chunks);
    g_ptr_array_unref(system->state.free_chunks);
    g_ptr_array_unref(system->state.admissions);
    multi_program_free(system->state.multi_program);
    communicators_free(system->state.communicators);
    g_free(system->plan.communicator_of);
    g_free(system->plan.communicator_windows);
    collective_lanes_free(system->state.lanes);
    fixed_time_queues_free(system->state.stages);
    steady_free(system->state.steady);
    collective_classes_clear(&system->plan.collective_classes);
    op_endpoints_clear(&system->plan.endpoints);
    comm_stack_free(system->plan.stack);
    coll_placement_clear(&system->plan.placement);
    g_free(system->state.ring_bytes);
    g_free(system->plan.unfolded_reason);
    g_free(system->plan.cuts);
    g_free(system->plan.n_chunks_before);
    g_free(system->plan.kernel_scales);
    kernel_demands_free(system->state.demands);
    g_free(system->plan.op_npu_indices);
    op_rules_free(system->plan.op_rules);
    g_free(system->plan.job_of_role);
    if (system->counters.communicated)
        g_array_unref(system->counters.communicated);
    trace_watch_clear(&system->state.watch);
    network_free(system->state.network);
    symmetry_fold_free(system->plan.fold);
    op_graph_free(system->plan.graph);
    topology_free(system->plan.topology);
    sim_engine_free(system->state.engine);
    g_free(system);
}
