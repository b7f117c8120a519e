/*
 * segment_expansion.c - turns a plan of segments into the operations of a
 * program
 *
 * The result equals that of a program in which each stage is a role whose list
 * has all operations written out, in this order: for each unit the receive, the
 * operations of its segment, and the send.  So the operations are numbered as
 * those of such a program, and a run of both gives the same times.
 *
 *   runs      what each stage runs: one run of a segment for each unit, or two
 *             if a backward pass is made of an input and a weight segment
 *   lists     the entries of each stage's list: operations, receives, sends
 *   items     operations and messages; the two ends of a message are one item
 *   deps      what each item waits for
 */
#include "workloads/programs/program_collective_lanes.h"
#include "workloads/segments/segments.h"

/* A segment that a stage runs once in an iteration. */
typedef struct {
    uint32_t segment; /* index in the plan */
    UnitPass pass;    /* UNIT_N_PASSES: an update */
    uint32_t chunk, virtual_stage, micro_batch;
    uint32_t first; /* in .item_of: its first operation */
    uint32_t unit;  /* as Op.unit */
    /* Messages that it waits for and that it sends; NO_ITEM: none. */
    uint32_t received, sent;
    /* The runs of its stage whose exits its roots wait for; of the iteration
     * before if .is_first. */
    uint32_t before[2];
    guint n_before;
    gboolean is_first;
    gboolean is_first_of_segment, sends;
} Run;

typedef enum {
    ENTRY_RECEIVE,
    ENTRY_OP,
    ENTRY_SEND,
} EntryKind;

typedef struct {
    EntryKind kind;
    uint32_t run, op;
} Entry;

typedef struct {
    GArray *runs;    /* owned: of Run */
    GArray *entries; /* owned: of Entry */
    /* Owned: by segment: the first and the last run on the stage, or NO_RUN. */
    uint32_t *first_of, *last_of;
} Stage;

typedef struct {
    const SegmentPlan *plan;
    OpGraph *graph;
    SegmentItems *ret;
    Stage *stages;       /* owned */
    GArray *item_of;     /* owned: of uint32_t: items of the runs */
    uint32_t *messages;  /* owned: by direction, sender and micro-batch */
    GHashTable *senders; /* owned: template of the messages of a sender */
    /* Owned: by operation and pair of stages: the item of a collective that
     * mirrored stages share. */
    GHashTable *mirrored;
} Expansion;

#define NO_ITEM UINT32_MAX
#define NO_RUN  UINT32_MAX

/* ---- runs ---------------------------------------------------------------- */

static const Segment *segment_at_index(const Expansion *expansion, uint32_t i)
{
    return g_ptr_array_index(expansion->plan->segments, i);
}

static Run *segment_run_at_index(const Stage *stage, uint32_t i)
{
    return &g_array_index(stage->runs, Run, i);
}

/* Returns the virtual stage that @run sends its result to, or UINT32_MAX. */
static uint32_t virtual_stage_that_receives(const Expansion *expansion,
                                            const Run *run)
{
    const Schedule *schedule = expansion->plan->schedule;

    if (run->pass == UNIT_FORWARD)
        return run->virtual_stage + 1 < schedule->n_virtual_stages
                   ? run->virtual_stage + 1
                   : UINT32_MAX;
    if (run->pass == UNIT_BACKWARD || run->pass == UNIT_INPUT)
        return run->virtual_stage - 1; /* wraps to UINT32_MAX at 0 */
    return UINT32_MAX;
}

static uint32_t stage_of_virtual_stage(const Expansion *expansion,
                                       uint32_t virtual_stage,
                                       uint32_t micro_batch)
{
    return schedule_place(expansion->plan->schedule, virtual_stage, micro_batch)
        .stage;
}

/* Returns whether @run sends a message to another stage. */
static gboolean run_sends_message(const Expansion *expansion, const Run *run)
{
    uint32_t to = virtual_stage_that_receives(expansion, run);

    return to != UINT32_MAX &&
           stage_of_virtual_stage(expansion, to, run->micro_batch) !=
               stage_of_virtual_stage(expansion, run->virtual_stage,
                                      run->micro_batch);
}

/* Adds a run of @segment behind the runs @before. */
static uint32_t append_segment_run(Stage *stage, Run run, uint32_t segment,
                                   const uint32_t *before, guint n_before)
{
    uint32_t index = stage->runs->len;

    run.segment = segment;
    run.received = run.sent = NO_ITEM;
    run.n_before = n_before;
    for (guint i = 0; i < n_before; i++)
        run.before[i] = before[i];
    run.is_first = n_before == 0;
    run.is_first_of_segment = stage->first_of[segment] == NO_RUN;
    if (run.is_first_of_segment)
        stage->first_of[segment] = index;
    stage->last_of[segment] = index;
    g_array_append_val(stage->runs, run);
    return index;
}

static gboolean set_no_segment_error(const Expansion *expansion, const Run *run,
                                     GError **error)
{
    const ScheduleOps *ops = expansion->plan->schedule->ops;

    config_set_error(error, expansion->plan->node, CONFIG_ERROR_CONFLICT,
                     "segments: schedule '%s' needs a segment of pass '%s' for "
                     "virtual stage %u",
                     ops->base.name,
                     run->pass == UNIT_WEIGHT     ? "weight-gradient"
                     : run->pass == UNIT_INPUT    ? "input-gradient"
                     : run->pass == UNIT_BACKWARD ? "backward"
                                                  : unit_pass_names[run->pass],
                     run->virtual_stage);
    return FALSE;
}

/* Adds the runs of @unit behind @before, and sets *@ret_last to the last of
 * them. */
static gboolean append_runs_of_unit(Expansion *expansion, uint32_t s,
                                    const ScheduleUnit *unit,
                                    const uint32_t *before, guint n_before,
                                    uint32_t *ret_last, GError **error)
{
    Stage *stage = &expansion->stages[s];
    const SegmentPlan *plan = expansion->plan;
    Run run = { .pass = unit->pass,
                .chunk = unit->chunk,
                .micro_batch = unit->micro_batch };
    uint32_t v = schedule_virtual_stage(plan->schedule, s, unit->chunk,
                                        unit->micro_batch);

    run.virtual_stage = v;
    if (segment_plan_find_segment(plan, run.pass, v)) {
        *ret_last = append_segment_run(
            stage, run, plan->segment_of[run.pass][v], before, n_before);
        return TRUE;
    }
    if (run.pass != UNIT_BACKWARD ||
        !segment_plan_find_segment(plan, UNIT_INPUT, v) ||
        !segment_plan_find_segment(plan, UNIT_WEIGHT, v))
        return set_no_segment_error(expansion, &run, error);
    run.pass = UNIT_INPUT;
    *ret_last = append_segment_run(stage, run, plan->segment_of[UNIT_INPUT][v],
                                   before, n_before);
    run.pass = UNIT_WEIGHT;
    *ret_last = append_segment_run(stage, run, plan->segment_of[UNIT_WEIGHT][v],
                                   ret_last, 1);
    return TRUE;
}

/* ---- lists --------------------------------------------------------------- */

static void append_stage_entry(Stage *stage, EntryKind kind, uint32_t run,
                               uint32_t op)
{
    const Entry entry = { kind, run, op };

    g_array_append_val(stage->entries, entry);
}

/* Adds the operations of the runs from @from to below @to, one after the
 * other. */
static void append_entries_of_runs(const Expansion *expansion, Stage *stage,
                                   uint32_t from, uint32_t to)
{
    for (uint32_t r = from; r < to; r++) {
        const Segment *segment = segment_at_index(
            expansion, segment_run_at_index(stage, r)->segment);

        append_stage_entry(stage, ENTRY_RECEIVE, r, 0);
        for (uint32_t op = 0; op < segment->ops->len; op++)
            append_stage_entry(stage, ENTRY_OP, r, op);
        append_stage_entry(stage, ENTRY_SEND, r, 0);
    }
}

/* Returns whether other NPUs take part in @entry, an operation. */
static gboolean entry_is_communication(const Expansion *expansion,
                                       const Stage *stage, const Entry *entry)
{
    const Segment *segment = segment_at_index(
        expansion, segment_run_at_index(stage, entry->run)->segment);

    return entry->kind == ENTRY_OP &&
           !program_op_is_local(
               &g_array_index(segment->ops, SegmentOp, entry->op).op);
}

/* Returns the end of the turn that begins with entry @i of @entries: behind its
 * next communication, and what follows that without a kernel between. */
static guint end_of_alternating_turn(const Expansion *expansion,
                                     const Stage *stage, const Entry *entries,
                                     guint i, guint end)
{
    while (i < end && !entry_is_communication(expansion, stage, &entries[i]))
        i++;
    while (i < end && entry_is_communication(expansion, stage, &entries[i]))
        i++;
    return i;
}

/* Adds the runs from @from to below @middle and from there to below @to.
 * Operations of both alternate in turns, each of which ends with communication:
 * kernels of a stream run in the order of the list, so those of one run lie
 * behind the communication that the next kernel of the other waits for. */
static void append_entries_of_paired_runs(const Expansion *expansion,
                                          Stage *stage, uint32_t from,
                                          uint32_t middle, uint32_t to)
{
    guint first = stage->entries->len, second, n;
    g_autofree Entry *entries = NULL;

    append_entries_of_runs(expansion, stage, from, middle);
    second = stage->entries->len - first;
    append_entries_of_runs(expansion, stage, middle, to);
    n = stage->entries->len - first;
    entries = g_memdup2(&g_array_index(stage->entries, Entry, first),
                        n * sizeof(Entry));
    g_array_set_size(stage->entries, first);
    for (guint a = 0, b = second; a < second || b < n;) {
        guint a_end =
            end_of_alternating_turn(expansion, stage, entries, a, second);
        guint b_end = end_of_alternating_turn(expansion, stage, entries, b, n);

        g_array_append_vals(stage->entries, entries + a, a_end - a);
        g_array_append_vals(stage->entries, entries + b, b_end - b);
        a = a_end;
        b = b_end;
    }
}

/* Lists the units of stage @s in the order in which it runs them, and their
 * operations. */
static gboolean list_entries_of_stage(Expansion *expansion, uint32_t s,
                                      GError **error)
{
    Stage *stage = &expansion->stages[s];
    const GArray *units = expansion->plan->schedule->units[s];
    uint32_t update = expansion->plan->updates[s];
    uint32_t before[2] = { 0 };
    guint n_before = 0;

    for (guint i = 0; i < units->len; i++) {
        const ScheduleUnit *unit = &g_array_index(units, ScheduleUnit, i);
        uint32_t from = stage->runs->len, middle;
        uint32_t last[2];

        if (!append_runs_of_unit(expansion, s, unit, before, n_before, &last[0],
                                 error))
            return FALSE;
        if (!unit->is_paired || i + 1 == units->len) {
            append_entries_of_runs(expansion, stage, from, stage->runs->len);
            n_before = 1;
        } else {
            middle = stage->runs->len;
            if (!append_runs_of_unit(expansion, s,
                                     &g_array_index(units, ScheduleUnit, ++i),
                                     before, n_before, &last[1], error))
                return FALSE;
            append_entries_of_paired_runs(expansion, stage, from, middle,
                                          stage->runs->len);
            n_before = 2;
        }
        before[0] = last[0];
        before[1] = last[1];
    }
    if (update != SEGMENT_NONE) {
        before[0] = append_segment_run(stage, (Run){ .pass = UNIT_N_PASSES },
                                       update, before, n_before);
        n_before = 1;
        append_entries_of_runs(expansion, stage, before[0], stage->runs->len);
    }
    for (guint r = 0; r < stage->runs->len; r++) {
        Run *run = segment_run_at_index(stage, r);

        run->sends = run_sends_message(expansion, run);
        if (!run->is_first)
            continue;
        run->n_before = n_before;
        run->before[0] = before[0];
        run->before[1] = before[1];
    }
    return TRUE;
}

/* ---- items --------------------------------------------------------------- */

static uint32_t append_program_item(Expansion *expansion,
                                    const ConfigVariant *op, uint32_t role,
                                    uint32_t group)
{
    ProgramItem item = { .op = op, .role = role, .group = group };

    g_array_append_val(expansion->ret->items, item);
    return expansion->ret->items->len - 1;
}

static void add_role_to_item(Expansion *expansion, uint32_t index,
                             uint32_t role, gboolean sends)
{
    ProgramItem *item = program_item_at(expansion->ret->items, index);

    item->roles =
        role_sets_add_role(expansion->graph->role_sets, item->roles, role);
    if (sends)
        item->senders = role_sets_add_role(expansion->graph->role_sets,
                                           item->senders, role);
}

/* Returns the template of the messages that @run sends. */
static const ConfigVariant *find_or_make_message_template(Expansion *expansion,
                                                          const Run *run)
{
    const Segment *segment = segment_at_index(expansion, run->segment);
    uint32_t from =
        stage_of_virtual_stage(expansion, run->virtual_stage, run->micro_batch);
    uint32_t to = stage_of_virtual_stage(
        expansion, virtual_stage_that_receives(expansion, run),
        run->micro_batch);
    g_autofree char *key = g_strdup_printf("%u %u %u", run->segment, from, to);
    ConfigVariant *variant = g_hash_table_lookup(expansion->senders, key);
    ProgramShared *shared;
    char *name;

    if (variant)
        return variant;
    name = g_strdup_printf("%s.message", segment->name);
    shared = g_new0(ProgramShared, 1);
    shared->common.name = shared->common.layer = name;
    shared->common.pass =
        run->pass == UNIT_FORWARD ? OP_FORWARD : OP_INPUT_GRADIENT;
    shared->from = from;
    shared->to = to;
    shared->bytes = segment->passes_on_bytes;
    shared->group = "all";
    shared->lane = PROGRAM_NO_LANE;
    shared->axis = mesh_axis_names[MESH_PP];
    variant = g_new0(ConfigVariant, 1);
    variant->kind = config_find_kind(&program_op_registry, "send");
    variant->params = shared;
    variant->node = segment->node;
    g_ptr_array_add(expansion->ret->owned, name);
    g_ptr_array_add(expansion->ret->owned, shared);
    g_ptr_array_add(expansion->ret->owned, variant);
    g_hash_table_insert(expansion->senders, g_steal_pointer(&key), variant);
    return variant;
}

/* Returns the item of the message from virtual stage @v, forward or backward,
 * which is NO_ITEM until one end has been listed. */
static uint32_t *item_slot_of_message(const Expansion *expansion,
                                      gboolean is_forward, uint32_t v,
                                      uint32_t micro_batch)
{
    const Schedule *schedule = expansion->plan->schedule;
    gsize row = (is_forward ? 0 : schedule->n_virtual_stages) + v;

    return &expansion
                ->messages[row * schedule->shape.n_micro_batches + micro_batch];
}

/* Returns the run of the segment that sends to @run, as far as it matters to a
 * message: pass, virtual stage and micro-batch; or FALSE if none sends. */
static gboolean find_run_that_sends(const Expansion *expansion, const Run *run,
                                    Run *ret)
{
    const Schedule *schedule = expansion->plan->schedule;

    *ret = (Run){ .pass = run->pass, .micro_batch = run->micro_batch };
    if (run->pass == UNIT_FORWARD && run->virtual_stage > 0) {
        ret->virtual_stage = run->virtual_stage - 1;
    } else if ((run->pass == UNIT_BACKWARD || run->pass == UNIT_INPUT) &&
               run->virtual_stage + 1 < schedule->n_virtual_stages) {
        ret->virtual_stage = run->virtual_stage + 1;
        if (!segment_plan_find_segment(expansion->plan, ret->pass,
                                       ret->virtual_stage))
            ret->pass = ret->pass == UNIT_BACKWARD ? UNIT_INPUT : UNIT_BACKWARD;
    } else {
        return FALSE;
    }
    ret->segment = expansion->plan->segment_of[ret->pass][ret->virtual_stage];
    return ret->segment != SEGMENT_NONE && run_sends_message(expansion, ret);
}

/* Adds one end of the message that @sender sends, and sets *@ret to its
 * item. */
static gboolean add_one_end_of_message(Expansion *expansion, const Run *sender,
                                       uint32_t role, gboolean sends,
                                       uint32_t *ret, GError **error)
{
    uint32_t *slot =
        item_slot_of_message(expansion, sender->pass == UNIT_FORWARD,
                             sender->virtual_stage, sender->micro_batch);
    const ConfigVariant *template =
        find_or_make_message_template(expansion, sender);
    uint32_t group;

    /* groups are numbered in the order in which the list needs them */
    if (!program_find_group(expansion->graph, expansion->plan->mesh, template,
                            &group, error))
        return FALSE;
    if (*slot == NO_ITEM)
        *slot = append_program_item(expansion, template, role, group);
    add_role_to_item(expansion, *slot, role, sends);
    g_array_append_val(expansion->ret->lists[role], *slot);
    *ret = *slot;
    return TRUE;
}

/* Returns where the item of @op is kept that stage @role and its mirror share:
 * NO_ITEM until one of them has added it. */
static uint32_t *item_slot_of_mirrored_op(Expansion *expansion, uint32_t role,
                                          const SegmentOp *op)
{
    g_autofree char *key =
        g_strdup_printf("%p %u", (const void *)op,
                        MIN(role, expansion->ret->n_stages - 1 - role));
    uint32_t *slot = g_hash_table_lookup(expansion->mirrored, key);

    if (slot)
        return slot;
    slot = g_new(uint32_t, 1);
    *slot = NO_ITEM;
    g_hash_table_insert(expansion->mirrored, g_steal_pointer(&key), slot);
    return slot;
}

/* Returns whether @op is a collective of a stage and its mirror, which is in
 * the update of both. */
static gboolean op_is_shared_with_mirror_stage(const SegmentOp *op)
{
    return !program_op_is_local(&op->op) &&
           g_str_has_prefix(((const ProgramShared *)op->op.params)->axis,
                            "mirror");
}

static gboolean add_item_of_run_op(Expansion *expansion, uint32_t role,
                                   const Run *run, uint32_t op, GError **error)
{
    const Segment *segment = segment_at_index(expansion, run->segment);
    const SegmentOp *template = &g_array_index(segment->ops, SegmentOp, op);
    uint32_t item, group = OP_GROUP_ALL, *slot;

    if (!program_op_is_local(&template->op) &&
        !program_find_group(expansion->graph, expansion->plan->mesh,
                            &template->op, &group, error))
        return FALSE;
    slot = op_is_shared_with_mirror_stage(template)
               ? item_slot_of_mirrored_op(expansion, role, template)
               : NULL;
    item = slot && *slot != NO_ITEM
               ? *slot
               : append_program_item(expansion, &template->op, role, group);
    if (slot)
        *slot = item;
    program_item_at(expansion->ret->items, item)->unit = run->unit;
    add_role_to_item(expansion, item, role, FALSE);
    g_array_index(expansion->item_of, uint32_t, run->first + op) = item;
    g_array_append_val(expansion->ret->lists[role], item);
    return TRUE;
}

/* Adds @run of stage @s to the units of the graph. */
static void add_schedule_unit_to_graph(const Expansion *expansion, uint32_t s,
                                       Run *run)
{
    const OpUnit unit = { .stage = s,
                          .chunk = run->chunk,
                          .micro_batch = run->micro_batch,
                          .pass = run->pass == UNIT_N_PASSES
                                      ? "update"
                                      : unit_pass_names[run->pass] };

    g_array_append_val(expansion->graph->units, unit);
    run->unit = expansion->graph->units->len;
}

/* Adds the items of all stages, in the order of their lists. */
static gboolean add_items_of_all_stages(Expansion *expansion, GError **error)
{
    for (uint32_t s = 0; s < expansion->ret->n_stages; s++) {
        Stage *stage = &expansion->stages[s];

        /* The operations of a run need not be neighbours in the list, but their
         * items are found by their number in the run. */
        for (guint r = 0, n = expansion->item_of->len; r < stage->runs->len;
             r++) {
            segment_run_at_index(stage, r)->first = n;
            add_schedule_unit_to_graph(expansion, s,
                                       segment_run_at_index(stage, r));
            n += segment_at_index(expansion,
                                  segment_run_at_index(stage, r)->segment)
                     ->ops->len;
            g_array_set_size(expansion->item_of, n);
        }
        for (guint i = 0; i < stage->entries->len; i++) {
            const Entry *entry = &g_array_index(stage->entries, Entry, i);
            Run *run = segment_run_at_index(stage, entry->run), sender;

            if (entry->kind == ENTRY_RECEIVE) {
                if (find_run_that_sends(expansion, run, &sender) &&
                    !add_one_end_of_message(expansion, &sender, s, FALSE,
                                            &run->received, error))
                    return FALSE;
            } else if (entry->kind == ENTRY_SEND) {
                if (run->sends &&
                    !add_one_end_of_message(expansion, run, s, TRUE, &run->sent,
                                            error))
                    return FALSE;
            } else if (!add_item_of_run_op(expansion, s, run, entry->op,
                                           error)) {
                return FALSE;
            }
        }
    }
    return TRUE;
}

/* ---- dependencies -------------------------------------------------------- */

static uint32_t item_of_run_op(const Expansion *expansion, const Run *run,
                               uint32_t op)
{
    g_assert(op < segment_at_index(expansion, run->segment)->ops->len);
    return g_array_index(expansion->item_of, uint32_t, run->first + op);
}

static uint32_t exit_item_of_run(const Expansion *expansion, const Run *run)
{
    return item_of_run_op(
        expansion, run,
        segment_exit_op(segment_at_index(expansion, run->segment)));
}

static void add_item_dependency(Expansion *expansion, uint32_t item,
                                uint32_t role, uint32_t dependency,
                                uint32_t back)
{
    program_add_dep(program_item_at(expansion->ret->items, item),
                    expansion->graph, dependency, back, role);
}

static gboolean op_waits_for_no_op_of_segment(const Segment *segment,
                                              const SegmentOp *op)
{
    for (guint i = 0; op->deps && i < op->deps->len; i++) {
        const SegmentDep *dep = &g_array_index(op->deps, SegmentDep, i);
        gboolean is_on_ahead =
            dep->kind == SEGMENT_DEP_LOCAL &&
            g_array_index(segment->ops, SegmentOp, dep->op).is_ahead;

        if (dep->n_iterations_back == 0 && !dep->first_unit_only &&
            !is_on_ahead)
            return FALSE;
    }
    return TRUE;
}

static void add_dependencies_on_units_before(Expansion *expansion, uint32_t s,
                                             const Run *run, uint32_t item)
{
    const Stage *stage = &expansion->stages[s];

    for (guint i = 0; i < run->n_before; i++) {
        const Run *before = segment_run_at_index(stage, run->before[i]);

        add_item_dependency(expansion, item, s,
                            exit_item_of_run(expansion, before),
                            run->is_first ? 1 : 0);
        if (expansion->plan->messages_hold && before->sent != NO_ITEM)
            add_item_dependency(expansion, item, s, before->sent,
                                run->is_first ? 1 : 0);
    }
}

static void add_dependencies_of_run_op(Expansion *expansion, uint32_t s,
                                       const Run *run, uint32_t op)
{
    const Stage *stage = &expansion->stages[s];
    const Segment *segment = segment_at_index(expansion, run->segment);
    const SegmentOp *template = &g_array_index(segment->ops, SegmentOp, op);
    uint32_t item = item_of_run_op(expansion, run, op);

    if (template->is_ahead) {
        if (run->is_first)
            add_dependencies_on_units_before(expansion, s, run, item);
    } else if (op_waits_for_no_op_of_segment(segment, template)) {
        if (run->received != NO_ITEM)
            add_item_dependency(expansion, item, s, run->received, 0);
        add_dependencies_on_units_before(expansion, s, run, item);
    }
    for (guint i = 0; template->deps && i < template->deps->len; i++) {
        const SegmentDep *dep = &g_array_index(template->deps, SegmentDep, i);
        uint32_t dependency = (uint32_t)(run - segment_run_at_index(stage, 0));

        if (dep->first_unit_only && !run->is_first_of_segment)
            continue;
        if (dep->kind == SEGMENT_DEP_FIRST)
            dependency = stage->first_of[dep->segment];
        else if (dep->kind == SEGMENT_DEP_LAST)
            dependency = stage->last_of[dep->segment];
        if (dependency != NO_RUN)
            add_item_dependency(
                expansion, item, s,
                item_of_run_op(expansion,
                               segment_run_at_index(stage, dependency),
                               dep->op),
                dep->n_iterations_back);
    }
}

static void add_dependencies_of_all_runs(Expansion *expansion)
{
    for (uint32_t s = 0; s < expansion->ret->n_stages; s++) {
        const Stage *stage = &expansion->stages[s];

        for (guint i = 0; i < stage->entries->len; i++) {
            const Entry *entry = &g_array_index(stage->entries, Entry, i);
            const Run *run = segment_run_at_index(stage, entry->run);

            if (entry->kind == ENTRY_OP)
                add_dependencies_of_run_op(expansion, s, run, entry->op);
            else if (entry->kind == ENTRY_SEND && run->sent != NO_ITEM)
                add_item_dependency(expansion, run->sent, s,
                                    exit_item_of_run(expansion, run), 0);
        }
    }
}

/* ---- the expansion ------------------------------------------------------- */

/* Checks that segments that send have something to send, so that the receiver
 * has a message to wait for, and that no segment is empty. */
static gboolean check_segments_are_complete(const Expansion *expansion,
                                            GError **error)
{
    for (guint i = 0; i < expansion->plan->segments->len; i++) {
        const Segment *segment = segment_at_index(expansion, i);

        if (segment->ops->len > 0)
            continue;
        config_set_error(error, segment->node, CONFIG_ERROR_CONFLICT,
                         "segments: '%s' has no operations", segment->name);
        return FALSE;
    }
    for (uint32_t s = 0; s < expansion->ret->n_stages; s++)
        for (guint r = 0; r < expansion->stages[s].runs->len; r++) {
            const Run *run = segment_run_at_index(&expansion->stages[s], r);
            const Segment *segment = segment_at_index(expansion, run->segment);

            if (!run->sends || segment->passes_on_bytes > 0)
                continue;
            config_set_error(error, segment->node, CONFIG_ERROR_CONFLICT,
                             "segments: '%s' sends to another stage; give it "
                             "'passes_on', the bytes of a micro-batch",
                             segment->name);
            return FALSE;
        }
    return TRUE;
}

static void add_role_of_each_stage(Expansion *expansion)
{
    const Mesh *mesh = expansion->plan->mesh;

    for (uint32_t s = 0; s < mesh->sizes[MESH_PP] && mesh->sizes[MESH_PP] > 1;
         s++) {
        g_autofree char *name = g_strdup_printf("stage%u", s);
        const OpRole role = mesh_stage_role(mesh, name, s);

        op_graph_add_role(expansion->graph, &role);
    }
}

static void expansion_init(Expansion *expansion, const SegmentPlan *plan,
                           OpGraph *graph)
{
    const Schedule *schedule = plan->schedule;
    uint32_t n_stages = schedule->shape.n_stages;
    gsize n_messages =
        2 * (gsize)schedule->n_virtual_stages * schedule->shape.n_micro_batches;

    *expansion = (Expansion){ .plan = plan, .graph = graph };
    expansion->ret = g_new0(SegmentItems, 1);
    expansion->ret->n_stages = n_stages;
    expansion->ret->items = program_items_new();
    expansion->ret->owned = g_ptr_array_new_with_free_func(g_free);
    expansion->ret->lists = g_new0(GArray *, n_stages);
    expansion->stages = g_new0(Stage, n_stages);
    for (uint32_t s = 0; s < n_stages; s++) {
        expansion->ret->lists[s] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        expansion->stages[s].runs = g_array_new(FALSE, FALSE, sizeof(Run));
        expansion->stages[s].entries = g_array_new(FALSE, FALSE, sizeof(Entry));
        expansion->stages[s].first_of = g_new(uint32_t, plan->segments->len);
        expansion->stages[s].last_of = g_new(uint32_t, plan->segments->len);
        for (guint i = 0; i < plan->segments->len; i++)
            expansion->stages[s].first_of[i] = expansion->stages[s].last_of[i] =
                NO_RUN;
    }
    expansion->item_of = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    expansion->messages = g_new(uint32_t, n_messages);
    for (gsize i = 0; i < n_messages; i++)
        expansion->messages[i] = NO_ITEM;
    expansion->mirrored =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    expansion->senders =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

static void expansion_clear(Expansion *expansion)
{
    for (uint32_t s = 0; s < expansion->plan->schedule->shape.n_stages; s++) {
        g_array_unref(expansion->stages[s].runs);
        g_array_unref(expansion->stages[s].entries);
        g_free(expansion->stages[s].first_of);
        g_free(expansion->stages[s].last_of);
    }
    g_free(expansion->stages);
    g_array_unref(expansion->item_of);
    g_free(expansion->messages);
    g_hash_table_unref(expansion->senders);
    g_hash_table_unref(expansion->mirrored);
}

SegmentItems *segments_expand_to_items(const SegmentPlan *plan, OpGraph *graph,
                                       GError **error)
{
    Expansion e;
    gboolean ok = TRUE;

    expansion_init(&e, plan, graph);
    for (uint32_t s = 0; s < e.ret->n_stages && ok; s++)
        ok = list_entries_of_stage(&e, s, error);
    ok = ok && check_segments_are_complete(&e, error);
    if (ok) {
        add_role_of_each_stage(&e);
        ok = add_items_of_all_stages(&e, error);
    }
    if (ok)
        add_dependencies_of_all_runs(&e);
    expansion_clear(&e);
    if (!ok)
        g_clear_pointer(&e.ret, segment_items_free);
    return e.ret;
}

void segment_items_free(SegmentItems *items)
{
    if (!items)
        return;
    program_items_free(items->items);
    g_ptr_array_unref(items->owned);
    for (uint32_t s = 0; s < items->n_stages; s++)
        g_array_unref(items->lists[s]);
    g_free(items->lists);
    g_free(items);
}
