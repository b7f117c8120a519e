/*
 * npu_folding.c - decides which NPUs of a system are simulated
 *
 * The topology offers its translations, and symmetry_reduction.h finds those
 * that preserve roles, groups, messages and perturbations.  One NPU of each
 * class is simulated.
 *
 * No symmetry reduction is possible in these cases:
 *
 *   fidelity: packet   every link has separate buffers
 *   perturb            jitter is drawn for each NPU
 *   pairs of links     with a direct link between each pair of NPUs,
 *                      collectives by rotation and collectives by XOR load
 *                      different links, so both together make NPUs differ
 */
#include "models/run/run_state_impl.h"

#include "models/run/prepare/op_times_by_npu.h"
#include "models/run/prepare/symmetry_reduction.h"

/* ---- phases ------------------------------------------------------------ */

typedef gboolean (*PhaseFn)(const System *system, const CollPhase *phase);

/* Returns whether @is_it holds for a phase of the plans in @orders. */
static gboolean any_phase_of_orders(const System *system,
                                    const CollOrders *orders, PhaseFn is_it)
{
    for (uint32_t o = 0; o < orders->n; o++)
        for (uint32_t phase = 0; phase < orders->plans[o].n_phases; phase++)
            if (is_it(system, &orders->plans[o].phases[phase]))
                return TRUE;
    return FALSE;
}

/* Returns whether @is_it holds for a phase of any collective. */
static gboolean any_phase_of_system(const System *system, PhaseFn is_it)
{
    for (guint i = 0; i < system->plan.collective_classes.classes->len; i++)
        if (any_phase_of_orders(
                system,
                &collective_classes_at(&system->plan.collective_classes, i)
                     ->planned->orders,
                is_it))
            return TRUE;
    return FALSE;
}

static gboolean phase_is_by_rotation(const System *system,
                                     const CollPhase *phase)
{
    (void)system;
    return !phase->algorithm->partial &&
           phase->algorithm->symmetry == COLL_BY_ROTATION;
}

static gboolean phase_is_by_xor(const System *system, const CollPhase *phase)
{
    (void)system;
    return !phase->algorithm->partial &&
           phase->algorithm->symmetry == COLL_BY_XOR;
}

/* Returns whether @phase may make NPUs differ although each NPU does the same
 * work: ranks are idle in some steps, units have several NPUs, some NPUs are in
 * no group, or a permuted group uses other direct links. */
static gboolean phase_distinguishes_npus(const System *system,
                                         const CollPhase *phase)
{
    return phase->algorithm->partial ||
           topology_get_symmetry(system->plan.topology)->unit_ends > 1 ||
           phase->group.n_ranks != topology_n_npus(system->plan.topology) ||
           (phase->members.ids &&
            topology_has_link_per_npu_pair(system->plan.topology));
}

/* Returns the reason why no two NPUs are equivalent, a clause for the user, or
 * NULL if a symmetry reduction is possible. */
static const char *reason_against_folding(const System *system)
{
    gboolean by[2] = { FALSE, FALSE };

    if (system->plan.config->perturb.jitter_ppm > 0)
        return "`perturb` makes NPUs or links differ";
    if (system->plan.config->collectives.fidelity == FIDELITY_PACKET)
        return "`fidelity: packet` moves the packets of all";
    by[COLL_BY_ROTATION] = any_phase_of_system(system, phase_is_by_rotation);
    by[COLL_BY_XOR] = any_phase_of_system(system, phase_is_by_xor);
    if (topology_has_link_per_npu_pair(system->plan.topology) &&
        by[COLL_BY_ROTATION] && by[COLL_BY_XOR])
        return "on pairwise links, collectives by rotation and by XOR of "
               "ranks load different links";
    return NULL;
}

/* ---- constraints of the reduction ----------------------------------- */

/* Returns the NPU ids of @role as text, such as "0 to 3, 8"; after three ranges
 * the text ends with "and others". */
static char *ids_of_role(const CollPlacement *placement, uint32_t role)
{
    GString *text = g_string_new(NULL);
    uint32_t n_runs = 0;

    for (uint32_t i = 0; i < placement->n_npus; i++) {
        uint32_t first = i;

        if (coll_placement_role(placement, i) != role)
            continue;
        while (i + 1 < placement->n_npus &&
               coll_placement_role(placement, i + 1) == role)
            i++;
        if (n_runs++ == 3) {
            g_string_append(text, " and others");
            break;
        }
        g_string_append_printf(text, n_runs > 1 ? ", %u" : "%u", first);
        if (i > first)
            g_string_append_printf(text, " to %u", i);
    }
    return g_string_free(text, FALSE);
}

static char *role_difference_text(const CollPlacement *placement)
{
    g_autofree char *ids = ids_of_role(placement, 0);

    return g_strdup_printf("role `%s` is only on NPUs %s",
                           op_graph_role(placement->graph, 0)->name, ids);
}

static uint32_t *role_colours(const CollPlacement *placement)
{
    uint32_t *colours = g_new(uint32_t, placement->n_npus);

    for (uint32_t i = 0; i < placement->n_npus; i++)
        colours[i] = coll_placement_role(placement, i);
    return colours;
}

/* Returns whether @group consists of all NPUs, with its ranks on the same grid
 * as the NPUs. */
static gboolean group_is_on_npu_grid(const CollGroup *group,
                                     const Topology *topology)
{
    if (group->n_ranks != topology_n_npus(topology) ||
        group->n_dims != topology_n_dims(topology))
        return FALSE;
    for (uint32_t d = 0; d < group->n_dims; d++)
        if (group->dims[d] != topology_dimension(topology, d)->size)
            return FALSE;
    return TRUE;
}

/* Returns whether every translation preserves @phase, so that it need not be
 * checked.  This holds if the ranks of an algorithm by rotation lie on the grid
 * of the platform, because a translation rotates single dimensions of that
 * grid. */
static gboolean phase_is_always_preserved(const CollPlan *plan,
                                          const CollPhase *phase,
                                          const Topology *topology)
{
    return !phase->algorithm->partial &&
           phase->algorithm->symmetry == COLL_BY_ROTATION &&
           ((plan->by_dims &&
             phase->group.n_ranks ==
                 topology_dimension(topology, phase->dim)->size) ||
            group_is_on_npu_grid(&phase->group, topology)) &&
           !topology_get_symmetry(topology)->any_order;
}

/* Returns whether operations of @coll_class take their recorded time and only
 * some NPUs wait for each other in them. */
static gboolean
recorded_collective_waits_for_some(const System *system,
                                   const CollectiveClass *coll_class)
{
    return collective_class_is_recorded(coll_class) &&
           (coll_class->op->kind == COLL_SEND ||
            coll_placement_members(&system->plan.placement, coll_class->op)
                    ->n_ranks < system->plan.placement.n_npus);
}

static gboolean any_recorded_collective_waits_for_some(const System *system)
{
    for (guint i = 0; i < system->plan.collective_classes.classes->len; i++)
        if (recorded_collective_waits_for_some(
                system,
                collective_classes_at(&system->plan.collective_classes, i)))
            return TRUE;
    return FALSE;
}

/* Returns whether each NPU has the same relation to all others, because the
 * platform is a switch or has a direct link between each pair.  Then no NPU can
 * differ, for any rule that numbers the peers (but see
 * reason_against_folding()). */
static gboolean every_npu_pair_is_equivalent(const System *system)
{
    if (system->plan.placement.roles ||
        system->plan.config->perturb.npus.n > 0 ||
        system->plan.config->perturb.links.n > 0 ||
        !(topology_get_symmetry(system->plan.topology)->any_order ||
          topology_has_link_per_npu_pair(system->plan.topology)))
        return FALSE;
    return !any_phase_of_system(system, phase_distinguishes_npus) &&
           !any_recorded_collective_waits_for_some(system);
}

/* Adds the symmetry constraint of one phase; its algorithm determines how ranks
 * may map. */
static void add_phase_constraint(SymmetryReduction *reduction,
                                 const CollPhase *phase, const char *why)
{
    const CollAlgorithm *algorithm = phase->algorithm;

    if (phase->group.kind == COLL_SEND)
        symmetry_reduction_add_message(reduction, &phase->members,
                                       phase->group.from, phase->group.to, why);
    else
        symmetry_reduction_add_groups(reduction, &phase->members, &phase->group,
                                      algorithm->partial ? RANKS_FIXED
                                      : algorithm->symmetry == COLL_BY_XOR
                                          ? RANKS_XORED
                                          : RANKS_ROTATED,
                                      why);
}

static void add_plan_constraints(SymmetryReduction *reduction,
                                 const System *system, const CollPlan *plan,
                                 const char *why)
{
    for (uint32_t phase = 0; phase < plan->n_phases; phase++)
        if (!phase_is_always_preserved(plan, &plan->phases[phase],
                                       system->plan.topology))
            add_phase_constraint(reduction, &plan->phases[phase], why);
}

static void add_recorded_constraint(SymmetryReduction *reduction,
                                    const CollPlacement *placement,
                                    const Op *op, const char *why)
{
    const CollMembers *members = coll_placement_members(placement, op);

    if (op->kind == COLL_SEND)
        symmetry_reduction_add_message(reduction, members, op->from, op->to,
                                       why);
    else
        symmetry_reduction_add_groups(reduction, members, NULL, RANKS_ANY, why);
}

static void add_class_constraints(SymmetryReduction *reduction,
                                  const System *system,
                                  const CollectiveClass *coll_class,
                                  GPtrArray *texts)
{
    const OpGroup *group =
        op_graph_group(system->plan.graph, coll_class->op->group);
    const CollOrders *orders = &coll_class->planned->orders;
    char *why;

    if (coll_class->planned->plan.n_phases == 0 &&
        !recorded_collective_waits_for_some(system, coll_class))
        return;
    why = g_strdup_printf(
        coll_class->op->kind == COLL_SEND
            ? "in group `%s` one sends and another receives"
            : "group `%s` is not moved onto groups, rank by rank",
        group->name);
    g_ptr_array_add(texts, why);
    if (collective_class_is_recorded(coll_class)) {
        add_recorded_constraint(reduction, &system->plan.placement,
                                coll_class->op, why);
        return;
    }
    for (uint32_t o = 0; o < orders->n; o++)
        add_plan_constraints(reduction, system, &orders->plans[o], why);
}

/* ---- the decision ------------------------------------------------------ */

static SymmetryFold *find_npu_classes(const System *system, char **ret_why)
{
    g_autoptr(SymmetryReduction) reduction =
        symmetry_reduction_new(system->plan.topology);
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    g_autofree uint32_t *roles = NULL, *perturbed = NULL, *timed = NULL;
    g_autofree uint32_t *linked = NULL;
    gboolean is_alike;

    if (system->plan.placement.roles) {
        roles = role_colours(&system->plan.placement);
        g_ptr_array_add(texts, role_difference_text(&system->plan.placement));
        symmetry_reduction_add_colours(reduction, roles,
                                       g_ptr_array_index(texts, 0));
    }
    perturbed = perturb_npu_colours(&system->plan.config->perturb,
                                    system->plan.topology);
    if (perturbed)
        symmetry_reduction_add_colours(reduction, perturbed,
                                       "`perturb` makes NPUs or links differ");
    linked = perturb_link_colours(&system->plan.config->perturb,
                                  system->plan.topology);
    if (linked)
        symmetry_reduction_add_colours(reduction, linked,
                                       "`perturb` makes NPUs or links differ");
    timed = op_times_npu_classes(&system->plan.placement,
                                 system->plan.op_npu_indices,
                                 system->plan.op_rules);
    if (timed)
        symmetry_reduction_add_colours(
            reduction, timed,
            system->plan.op_npu_indices
                ? "`times` or `gaps` of operations differ"
                : "`perturb` makes NPUs or links differ");
    is_alike = !timed && every_npu_pair_is_equivalent(system);
    for (guint i = 0;
         i < system->plan.collective_classes.classes->len && !is_alike; i++)
        add_class_constraints(
            reduction, system,
            collective_classes_at(&system->plan.collective_classes, i), texts);
    return symmetry_reduction_find(reduction, ret_why);
}

/* Decides which NPUs are simulated.  Sets .fold, .is_alike, .n_sim and
 * .unfolded_reason of @system. */
gboolean system_decide_folding(System *system, FoldMode mode, GError **error)
{
    const char *refusal = reason_against_folding(system);
    uint32_t n = topology_n_npus(system->plan.topology);
    g_autofree char *why = g_strdup(refusal);

    if (!refusal)
        system->plan.fold = find_npu_classes(system, &why);
    system->plan.is_alike = system->plan.fold && symmetry_fold_n_simulated_ends(
                                                     system->plan.fold) == 1;
    if (mode == FOLD_REQUIRE && n > 1 &&
        (refusal || symmetry_fold_simulates_all_ends(system->plan.fold))) {
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_CANNOT_FOLD,
                    "cannot fold: %s", why);
        return FALSE;
    }
    if (mode == FOLD_OFF && !refusal &&
        (n == 1 || !symmetry_fold_simulates_all_ends(system->plan.fold))) {
        g_clear_pointer(&system->plan.fold, symmetry_fold_free);
        g_free(why);
        why = g_strdup("as asked for");
    }
    if (!system->plan.fold)
        system->plan.fold = symmetry_fold_new(
            system->plan.topology, topology_get_symmetry(system->plan.topology),
            NULL);
    system->plan.unfolded_reason = g_steal_pointer(&why);
    system->plan.n_sim = symmetry_fold_n_simulated_ends(system->plan.fold);
    return TRUE;
}
