/*
 * program.c - workloads written out as roles with operations
 *
 * Each role is a set of NPUs with a list of kernels, collectives and messages.
 * `after` names the operations that must be done before; `name@-1` means the
 * operation `name` of the previous iteration.  A collective or message that
 * stands in several roles under one name is one operation.  An operation
 * without dependencies begins when its instance of the previous iteration is
 * done, so that it never overtakes itself.
 *
 * Kernels of a role and stream, and stages of a role and queue, run in the
 * order of the role's list.  All other operations run when their dependencies
 * are done.  A kernel has FLOP and bytes, or a time, which counts under
 * `compute: measured`.
 *
 * Operations that name a layer belong to it; each other operation is a layer.
 *
 * The platform assigns roles to NPUs (models/collectives/role_placement.h).
 */
#include "sim/config/config_write.h"
#include "workloads/fixed_time_queues.h"
#include "workloads/kernel.h"
#include "workloads/loop_impl.h"
#include "workloads/programs/program_build.h"
#include "workloads/programs/program_collective_lanes.h"
#include "workloads/programs/program_state.h"
#include "workloads/rank_weights.h"
#include "workloads/segments/segment_config.h"

typedef struct {
    WorkloadCommon common;
    Program program;
    MeshConfig mesh;
    ConfigVariant schedule; /* of the segments */
    ConfigList segments; /* of SegmentConfig; none: the roles are written out */
} ProgramParams;

static const ConfigField program_fields[] = {
    { .key = "name",
      .help = "what reports call the workload",
      .type = CONFIG_NAME,
      .offset = offsetof(ProgramParams, common.name) },
    { .key = "groups",
      .help = "of NPUs, by which operations name them; `all` is one",
      .type = CONFIG_LIST,
      .offset = offsetof(ProgramParams, program.groups),
      .max = PROGRAM_MAX_GROUPS,
      .item = &program_group_item,
      .item_size = sizeof(ProgramGroup),
      .fallback = "[]",
      .source = "only that of all" },
    { .key = "lanes",
      .help = "that let collectives begin, one after the other",
      .type = CONFIG_LIST,
      .offset = offsetof(ProgramParams, program.lanes),
      .max = PROGRAM_MAX_LANES,
      .item = &program_lane_item,
      .item_size = sizeof(ProgramLane),
      .fallback = "[]",
      .source = "none" },
    { .key = "mesh",
      .help = "axes of parallelism, by which operations name ranks",
      .type = CONFIG_SECTION,
      .offset = offsetof(ProgramParams, mesh),
      .fields = mesh_fields,
      .node_offset = offsetof(ProgramParams, mesh.node),
      .fallback = "{}",
      .source = "one axis, dp" },
    { .key = "schedule",
      .help = "the order in which each pipeline stage runs its segments",
      .type = CONFIG_KIND,
      .offset = offsetof(ProgramParams, schedule),
      .registry = &schedule_registry,
      .fallback = "{kind: 1f1b}",
      .source = "1f1b; used with segments only" },
    { .key = "segments",
      .help = "blocks of operations that the schedule runs; in place of roles",
      .type = CONFIG_LIST,
      .offset = offsetof(ProgramParams, segments),
      .max = SEGMENTS_MAX,
      .item = &segment_item,
      .item_size = sizeof(SegmentConfig),
      .fallback = "[]",
      .source = "the roles are written out" },
    { .key = "recorded",
      .help = "what it was made of, to be held against it",
      .type = CONFIG_SECTION,
      .offset = offsetof(ProgramParams, program.recorded),
      .fields = program_recorded_fields,
      .fallback = "{}",
      .source = "nothing" },
    { .key = "roles",
      .help = "disjoint, and all NPUs together",
      .type = CONFIG_LIST,
      .offset = offsetof(ProgramParams, program.roles),
      .max = OP_MAX_ROLES,
      .item = &program_role_item,
      .item_size = sizeof(ProgramRole),
      .fallback = "[]",
      .source = "those of the segments" },
    CONFIG_END,
};

typedef struct {
    const TrainingConfig *training;
    OpGraph *graph;
    GArray *items;
    GHashTable *n_named; /* number of items of each name */
    GHashTable *layers;  /* borrowed names -> layers of one operation, plus 1 */
    GHashTable *shared;  /* borrowed names -> layers that operations name,
                          * plus 1 */
    uint32_t *ops;       /* operation of each item */
} ProgramBuilder;

static void count_items_by_name(ProgramBuilder *builder)
{
    for (guint i = 0; i < builder->items->len; i++) {
        const char *name =
            program_op_common(program_item_at(builder->items, i)->op)->name;
        guint n = GPOINTER_TO_UINT(g_hash_table_lookup(builder->n_named, name));

        g_hash_table_insert(builder->n_named, (gpointer)name,
                            GUINT_TO_POINTER(n + 1));
    }
}

/* Returns the item's name, with its role if several items have that name: they
 * are different layers. */
static char *layer_name_of_item(const ProgramBuilder *builder,
                                const ProgramItem *item)
{
    const char *name = program_op_common(item->op)->name;

    if (GPOINTER_TO_UINT(g_hash_table_lookup(builder->n_named, name)) == 1)
        return g_strdup(name);
    return g_strdup_printf(
        "%s.%s", op_graph_role(builder->graph, item->role)->name, name);
}

/* Returns the work of the kernel: that of its products, if it has some, and the
 * FLOP and bytes that it names. */
static OpWork program_kernel_work(const ProgramKernelWork *p,
                                  const TrainingConfig *training)
{
    int precision = p->precision > 0 ? p->precision - 1 : training->precision;
    OpWork work = { 0 };

    if (p->product.m > 0)
        work = kernel_product(p->product.m, p->product.n, p->product.k,
                              MAX(p->product.count, 1),
                              precision_bytes(precision));
    if (p->product.m > 0 && precision >= PRECISION_FP8) {
        uint64_t more = layer_multiply_saturating(
            layer_multiply_saturating(p->product.m, p->product.n),
            /* Results have two bytes, while operands have one. */
            MAX(p->product.count, 1));

        work.bytes = layer_add_saturating(work.bytes, more);
        work.written_bytes = layer_add_saturating(work.written_bytes, more);
    }
    work.product.cuts_sum = p->product.splits_sum;
    work.flop = layer_add_saturating(work.flop, p->flop);
    work.bytes =
        layer_add_saturating(work.bytes, p->read_bytes + p->written_bytes);
    work.written_bytes =
        layer_add_saturating(work.written_bytes, p->written_bytes);
    work.measured_ps = program_time_ps(&p->times);
    work.precision = (Precision)precision;
    work.class = (KernelClass)p->class;
    return work;
}

static gboolean add_kernel_of_item(ProgramBuilder *builder,
                                   const ProgramItem *item, uint32_t layer,
                                   uint32_t *ret, GError **error)
{
    const ProgramKernel *kernel = item->op->params;
    const ProgramKernelWork *p = kernel->work;
    OpWork work = program_kernel_work(p, builder->training);

    if (p->product.m > 0 && (p->product.n == 0 || p->product.k == 0)) {
        config_set_error(error, item->op->node, CONFIG_ERROR_CONFLICT,
                         "products: a product has 'm', 'n' and 'k'");
        return FALSE;
    }
    if (work.flop == 0 && work.bytes == 0 && work.measured_ps == 0) {
        config_set_error(error, item->op->node, CONFIG_ERROR_CONFLICT,
                         "name: kernel '%s' does nothing; give it 'flop', "
                         "'read', 'write' or 'time'",
                         kernel->common.name);
        return FALSE;
    }
    if (!loop_choose_time_source(builder->training, &work)) {
        config_set_error(error, item->op->node, CONFIG_ERROR_CONFLICT,
                         "name: kernel '%s' has a measured time but no shape: "
                         "give 'flop', 'read' or 'write', or set "
                         "'training.compute' to measured",
                         kernel->common.name);
        return FALSE;
    }
    *ret =
        op_graph_add_compute(builder->graph, layer, (OpPass)kernel->common.pass,
                             (OpStream)p->stream, &work);
    program_set_times(builder->graph, *ret, &p->times, builder->training,
                      work.measured_ps > 0);
    op_graph_set_roles(builder->graph, *ret, item->roles);
    return TRUE;
}

static gboolean add_stage_of_item(ProgramBuilder *builder,
                                  const ProgramItem *item, uint32_t layer,
                                  uint32_t *ret, GError **error)
{
    const ProgramStage *stage = item->op->params;

    if (!program_add_stage(builder->graph, item->op, layer, ret, error))
        return FALSE;
    program_set_times(builder->graph, *ret, &stage->times, builder->training,
                      TRUE);
    op_graph_set_roles(builder->graph, *ret, item->roles);
    return TRUE;
}

static void set_recorded_time(ProgramBuilder *builder, uint32_t op,
                              uint64_t time_ps)
{
    if (builder->training->communication == COMMUNICATION_RECORDED &&
        time_ps > 0)
        op_graph_set_recorded(builder->graph, op, time_ps);
}

static gboolean check_star_collective(const ProgramItem *item, GError **error)
{
    const ProgramShared *shared = item->op->params;

    if (coll_contract((CollKind)shared->collective)->collective_has_root)
        return TRUE;
    config_set_error(error, item->op->node, CONFIG_ERROR_CONFLICT,
                     "star: a collective of kind '%s' has no root that could "
                     "be a server",
                     coll_kind_name((CollKind)shared->collective));
    return FALSE;
}

static gboolean add_collective_or_message(ProgramBuilder *builder,
                                          const ProgramItem *item,
                                          uint32_t layer, uint32_t *ret,
                                          GError **error)
{
    const ProgramShared *shared = item->op->params;
    OpPass pass = (OpPass)shared->common.pass;
    uint32_t op;

    if (program_op_kind(item->op)->type == PROGRAM_MESSAGE) {
        op = op_graph_add_send(builder->graph, layer, pass, item->group,
                               (uint32_t)shared->from, (uint32_t)shared->to,
                               shared->bytes, (uint32_t)shared->priority);
        op_graph_set_message_roles(
            builder->graph, op, item->senders,
            role_sets_difference(builder->graph->role_sets, item->roles,
                                 item->senders));
        set_recorded_time(builder, op, shared->time_ps);
        if (shared->is_star)
            op_graph_set_star(builder->graph, op);
        *ret = op;
        return program_set_lane(builder->graph, op, shared->lane,
                                item->op->node, error);
    }
    op = op_graph_add_collective(builder->graph, layer, pass,
                                 (CollKind)shared->collective, shared->bytes,
                                 (uint32_t)shared->priority);
    op_graph_set_roles(builder->graph, op, item->roles);
    op_graph_set_group(builder->graph, op, item->group);
    set_recorded_time(builder, op, shared->time_ps);
    *ret = op;
    if (shared->is_star && !check_star_collective(item, error))
        return FALSE;
    if (shared->is_star)
        op_graph_set_star(builder->graph, op);
    return op_graph_set_root(builder->graph, op, shared->root, item->op->node,
                             error) &&
           rank_weights_set_of_op(builder->graph, op, &shared->weights,
                                  error) &&
           program_set_lane(builder->graph, op, shared->lane, item->op->node,
                            error);
}

/* Adds the operation of @item to the graph.  Sets @ret to its index. */
static gboolean add_op_of_item(ProgramBuilder *builder, const ProgramItem *item,
                               uint32_t layer, uint32_t *ret, GError **error)
{
    switch (program_op_kind(item->op)->type) {
    case PROGRAM_KERNEL:
        return add_kernel_of_item(builder, item, layer, ret, error);
    case PROGRAM_STAGE:
        return add_stage_of_item(builder, item, layer, ret, error);
    case PROGRAM_COLLECTIVE:
    case PROGRAM_MESSAGE:
        return add_collective_or_message(builder, item, layer, ret, error);
    }
    g_assert_not_reached();
}

/* Sets @ret to the layer of @item: the one that it names, which others may name
 * too, or a new one. */
static gboolean find_or_add_layer_of_item(ProgramBuilder *builder,
                                          const ProgramItem *item,
                                          uint32_t *ret, GError **error)
{
    const char *given = program_op_common(item->op)->layer;
    gboolean is_own = g_str_equal(given, PROGRAM_OWN_LAYER);
    g_autofree char *name =
        is_own ? layer_name_of_item(builder, item) : g_strdup(given);
    gpointer there =
        g_hash_table_lookup(is_own ? builder->layers : builder->shared, name);

    if (is_own ? there || g_hash_table_contains(builder->shared, name)
               : !there && g_hash_table_contains(builder->layers, name)) {
        config_set_error(error, item->op->node, CONFIG_ERROR_CONFLICT,
                         "name: there are two '%s', as reports call them",
                         name);
        return FALSE;
    }
    *ret = there ? GPOINTER_TO_UINT(there) - 1
                 : op_graph_add_layer(builder->graph, name);
    if (!there)
        g_hash_table_insert(is_own ? builder->layers : builder->shared,
                            g_ptr_array_index(builder->graph->layers, *ret),
                            GUINT_TO_POINTER(*ret + 1));
    return TRUE;
}

static gboolean add_item_to_graph(ProgramBuilder *builder, uint32_t i,
                                  GError **error)
{
    const ProgramItem *item = program_item_at(builder->items, i);
    uint32_t layer;

    if (!find_or_add_layer_of_item(builder, item, &layer, error) ||
        !add_op_of_item(builder, item, layer, &builder->ops[i], error))
        return FALSE;
    op_graph_set_node(builder->graph, builder->ops[i], item->op->node);
    g_array_index(builder->graph->ops, Op, builder->ops[i]).unit = item->unit;
    return TRUE;
}

static void add_dependencies_of_item(ProgramBuilder *builder, uint32_t i)
{
    const ProgramItem *item = program_item_at(builder->items, i);

    for (guint d = 0; d < program_item_n_deps(item); d++) {
        const ProgramDep *dep = &g_array_index(item->deps, ProgramDep, d);

        op_graph_add_dep_for_roles(builder->graph, builder->ops[i],
                                   builder->ops[dep->on],
                                   dep->n_iterations_back, dep->roles);
    }
}

static gboolean add_ops_in_order(ProgramBuilder *builder, const uint32_t *order,
                                 GError **error)
{
    for (guint i = 0; i < builder->items->len; i++)
        if (!add_item_to_graph(builder, order[i], error))
            return FALSE;
    for (guint i = 0; i < builder->items->len; i++)
        add_dependencies_of_item(builder, i);
    for (uint32_t lane = 0; lane < builder->graph->lanes->len; lane++)
        op_graph_add_fusion_buffers(builder->graph, lane);
    return TRUE;
}

gboolean program_build_items(const TrainingConfig *training, OpGraph *graph,
                             GArray *items, GError **error)
{
    g_autofree uint32_t *order = program_sort_items(items, error);
    ProgramBuilder b = { .training = training, .graph = graph, .items = items };
    gboolean ok;

    if (!order)
        return FALSE;
    b.n_named = g_hash_table_new(g_str_hash, g_str_equal);
    b.layers = g_hash_table_new(g_str_hash, g_str_equal);
    b.shared = g_hash_table_new(g_str_hash, g_str_equal);
    b.ops = g_new(uint32_t, items->len);
    count_items_by_name(&b);
    ok = add_ops_in_order(&b, order, error);
    g_hash_table_unref(b.n_named);
    g_hash_table_unref(b.layers);
    g_hash_table_unref(b.shared);
    g_free(b.ops);
    return ok;
}

static void copy_recording_facts(const ProgramRecorded *from, OpGraph *graph)
{
    const char *const *notes = from->notes.items;
    GStrvBuilder *builder;

    graph->recorded = from->facts;
    graph->recorded.from = g_strdup(from->facts.from);
    if (from->notes.n == 0)
        return;
    builder = g_strv_builder_new();
    for (guint i = 0; i < from->notes.n; i++)
        g_strv_builder_add(builder, notes[i]);
    graph->recorded.notes = g_strv_builder_end(builder);
    g_strv_builder_unref(builder);
}

/* The segments of a program, expanded. */
typedef struct {
    Mesh mesh;
    GPtrArray *owned;    /* owned: memory of operations */
    Schedule *schedule;  /* owned */
    SegmentPlan *plan;   /* owned */
    SegmentItems *items; /* owned */
} ExpandedProgram;

static void expanded_program_clear(ExpandedProgram *expanded)
{
    g_clear_pointer(&expanded->items, segment_items_free);
    g_clear_pointer(&expanded->plan, segment_plan_free);
    g_clear_pointer(&expanded->schedule, schedule_free);
    g_clear_pointer(&expanded->owned, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ExpandedProgram, expanded_program_clear)

static gboolean expand_segments(const ProgramParams *params, OpGraph *graph,
                                ExpandedProgram *ret, GError **error)
{
    ret->owned = g_ptr_array_new_with_free_func(g_free);
    ret->schedule =
        schedule_new(&params->schedule, ret->mesh.sizes[MESH_PP], 1, error);
    if (!ret->schedule)
        return FALSE;
    ret->plan =
        segment_plan_new(ret->schedule, &ret->mesh, params->schedule.node);
    if (!segments_read(ret->plan, &params->segments, ret->owned, error))
        return FALSE;
    ret->items = segments_expand_to_items(ret->plan, graph, error);
    return ret->items != NULL;
}

/* Checks that operations are given in one of two ways: roles or segments. */
static gboolean check_roles_or_segments_given(const ConfigVariant *workload,
                                              GError **error)
{
    const ProgramParams *params = workload->params;
    gboolean has_roles = params->program.roles.n > 0;

    if (has_roles != (params->segments.n > 0))
        return TRUE;
    config_set_error(error, workload->node,
                     has_roles ? CONFIG_ERROR_CONFLICT
                               : CONFIG_ERROR_MISSING_KEY,
                     has_roles ? "segments: they take the place of 'roles'; "
                                 "give one of them"
                               : "missing key 'roles' (disjoint, and all NPUs "
                                 "together), or 'segments'");
    return FALSE;
}

static gboolean program_build(const ConfigVariant *workload,
                              const TrainingConfig *training,
                              const WorkloadSite *site, OpGraph *graph,
                              GError **error)
{
    const ProgramParams *params = workload->params;
    g_auto(ExpandedProgram) expanded = { 0 };
    Mesh *mesh = &expanded.mesh;
    GArray *items;
    gboolean ok;

    if (!check_roles_or_segments_given(workload, error) ||
        !mesh_init(mesh, &params->mesh, site ? site->n_npus : 0, error) ||
        !program_add_groups(&params->program, graph, error) ||
        !program_add_roles(&params->program, graph, error) ||
        !program_add_lanes(&params->program.lanes, graph, error))
        return FALSE;
    copy_recording_facts(&params->program.recorded, graph);
    if (params->segments.n > 0)
        return expand_segments(params, graph, &expanded, error) &&
               program_build_items(training, graph, expanded.items->items,
                                   error);
    items = program_list_items(&params->program, graph, mesh, error);
    ok = items && program_build_items(training, graph, items, error);
    program_items_free(items);
    return ok;
}

void program_write_head(GString *out, const char *name, const MeshConfig *mesh)
{
    g_string_append(out, "kind: program\nname: ");
    config_write_text(out, name);
    g_string_append(out, "\nmesh: {");
    config_write_fields(out, mesh_fields, mesh);
    g_string_append(out, "}\n");
}

/* Appends the key @key with the items of @list, one in a line, if there are
 * any. */
static void write_list_of_key(GString *out, const char *key,
                              const ConfigList *list, const ConfigField *item,
                              gsize item_size)
{
    const guint8 *items = list->items;

    if (list->n == 0)
        return;
    g_string_append_printf(out, "%s:\n", key);
    for (guint i = 0; i < list->n; i++) {
        g_string_append(out, "  - {");
        config_write_fields(out, item->fields, items + i * item_size);
        g_string_append(out, "}\n");
    }
}

static gboolean program_write_flat(const ConfigVariant *workload,
                                   const TrainingConfig *training,
                                   const WorkloadSite *site, GString *out,
                                   GError **error)
{
    const ProgramParams *params = workload->params;
    g_auto(ExpandedProgram) expanded = { 0 };
    g_autoptr(OpGraph) graph = op_graph_new();

    (void)training;
    if (params->segments.n == 0) {
        config_set_error(error, workload->node, CONFIG_ERROR_CONFLICT,
                         "workload: the roles of this program are written out "
                         "already");
        return FALSE;
    }
    if (!mesh_init(&expanded.mesh, &params->mesh, site ? site->n_npus : 0,
                   error) ||
        !program_add_groups(&params->program, graph, error) ||
        !expand_segments(params, graph, &expanded, error))
        return FALSE;
    program_write_head(out, params->common.name, &params->mesh);
    write_list_of_key(out, "groups", &params->program.groups,
                      &program_group_item, sizeof(ProgramGroup));
    write_list_of_key(out, "lanes", &params->program.lanes, &program_lane_item,
                      sizeof(ProgramLane));
    segments_write_roles(expanded.items, &expanded.mesh, out);
    return TRUE;
}

const LoopOps loop_program = {
    .base = { .name = "program",
              .summary = "roles with kernels, collectives and messages",
              .fields = program_fields,
              .size = sizeof(ProgramParams) },
    .build = program_build,
    .write_flat = program_write_flat,
};
