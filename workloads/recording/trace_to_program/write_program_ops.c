/*
 * write_program_ops.c - writes the operations of a role, one per line
 *
 * Times and gaps are written per NPU where they differ.  A collective belongs
 * to several roles and cannot have the gap of one role.  A separate operation
 * that takes no time is therefore written before it, and has the gap.
 */
#include "workloads/recording/trace_to_program/program_writer_impl.h"

typedef struct {
    Writer *w;
    const ImportedRole *role;
    const ReplayRank *reference;
    const RecordRank *from; /* rank of the recording that .reference replays */
    /* Owned: the name of each operation; the elements are char *. */
    GPtrArray *names;
    /* Owned: maps a kernel with messages (its node + 1) to the operation that
     * has the gap of all its messages (its index + 1). */
    GHashTable *gaps_of_kernels;
} RoleOpsWriter;

/* ---- names ------------------------------------------------------------ */

/* Returns whether a communication may have @name. */
static gboolean communication_may_have_name(const char *name)
{
    for (int kind = 0; kind < COLL_N_KINDS; kind++)
        if (g_str_equal(name, coll_kind_names[kind]))
            return TRUE;
    return g_str_equal(name, "message") || g_str_equal(name, "communication");
}

static char *op_name_without_number(const RoleOpsWriter *list,
                                    const ReplayOp *op)
{
    const RecordNode *node;
    g_autofree char *name = NULL;

    if (op->node == RECORD_NONE)
        return g_strdup("end");
    node = record_node(list->from, op->node);
    name = imported_short_name(node->name);
    if (imported_op_is_layer(list->w->imported, node))
        return g_strdup_printf("%s.%s", name, op_pass_names[node->pass]);
    if (communication_may_have_name(name))
        return g_strdup_printf("%s_", name);
    return g_steal_pointer(&name);
}

/* Returns whether the name of @op is usually unique: a pass of a layer, or the
 * end. */
static gboolean has_unique_name(const RoleOpsWriter *list, const ReplayOp *op)
{
    return op->node == RECORD_NONE ||
           imported_op_is_layer(list->w->imported,
                                record_node(list->from, op->node));
}

/* Names all operations; appends a number to names that need not be unique. */
static void name_program_ops(RoleOpsWriter *list)
{
    g_autoptr(GHashTable) counts =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    list->names = g_ptr_array_new_with_free_func(g_free);
    for (uint32_t i = 0; i < list->reference->ops->len; i++) {
        const ReplayOp *op = replay_op(list->reference, i);
        char *base;
        guint n;

        if (op->is_empty || op->kind == REPLAY_SHARED) {
            g_ptr_array_add(list->names,
                            op->is_empty ? NULL
                                         : g_strdup(imported_shared_op_of_node(
                                                        list->w->imported, op)
                                                        ->name));
            continue;
        }
        base = op_name_without_number(list, op);
        n = GPOINTER_TO_UINT(g_hash_table_lookup(counts, base)) + 1;
        g_ptr_array_add(list->names, n == 1 && has_unique_name(list, op)
                                         ? g_strdup(base)
                                         : g_strdup_printf("%s.%u", base, n));
        g_hash_table_insert(counts, base, GUINT_TO_POINTER(n));
    }
}

/* ---- times ------------------------------------------------------------ */

/* Returns the smallest p such that values[i] == values[i mod p] for all i < @n,
 * and p divides @n. */
static guint repetition_period_of_ops(const uint64_t *values, guint n)
{
    for (guint period = 1; period < n; period++) {
        guint i = period;

        while (n % period == 0 && i < n && values[i] == values[i - period])
            i++;
        if (n % period == 0 && i == n)
            return period;
    }
    return n;
}

static const ReplayOp *op_of_role_rank(const RoleOpsWriter *list, guint k,
                                       uint32_t i)
{
    return replay_op(replay_rank(list->w->imported->replay,
                                 g_array_index(list->role->ranks, uint32_t, k)),
                     i);
}

static uint64_t time_or_gap_on_npu_ps(const ReplayOp *op, gboolean is_gap)
{
    if (is_gap)
        return op->gap_ps;
    return op->kind == REPLAY_HOST ? op->time_ps : MAX(op->time_ps, 1);
}

/* Returns the time or the gap of operation @i on all NPUs of the role.  The
 * caller owns the array. */
static uint64_t *times_or_gaps_of_op(const RoleOpsWriter *list, uint32_t i,
                                     gboolean is_gap)
{
    const ImportedProgram *program = list->w->imported;
    const GArray *npus = list->role->npus;
    uint64_t *values = g_new(uint64_t, npus->len + 1);

    for (guint k = 0; k < npus->len; k++) {
        uint32_t reference =
            program->source_of_npu[g_array_index(npus, uint32_t, k)];

        values[k] = time_or_gap_on_npu_ps(
            replay_op(replay_rank(program->replay, reference), i), is_gap);
    }
    return values;
}

/* Writes ", time: 3 us", or ", times: 3 4.5 us" if NPUs differ.  The values are
 * a single text, as YAML lists of many NPUs would dominate the file. */
static void write_time_or_gap(const RoleOpsWriter *list, uint32_t i,
                              gboolean is_gap, const char *key)
{
    GString *out = list->w->out;
    uint64_t first = time_or_gap_on_npu_ps(op_of_role_rank(list, 0, i), is_gap),
             max_ps = first;
    g_autofree uint64_t *values = NULL;
    guint n;

    for (guint k = 1; k < list->role->ranks->len; k++)
        max_ps = MAX(
            max_ps, time_or_gap_on_npu_ps(op_of_role_rank(list, k, i), is_gap));
    if (is_gap && (max_ps == 0 || list->w->options->without_gaps))
        return;
    values = list->role->ranks->len > 1 ? times_or_gaps_of_op(list, i, is_gap)
                                        : NULL;
    n = values ? repetition_period_of_ops(values, list->role->npus->len) : 1;
    g_string_append_printf(out, ", %s%s: ", key, n > 1 ? "s" : "");
    if (n == 1) {
        write_time_with_unit(out, first);
        return;
    }
    for (guint k = 0; k < n; k++) {
        write_microseconds(out, values[k]);
        g_string_append_c(out, ' ');
    }
    g_string_append(out, "us");
}

static void count_reported_gaps(const RoleOpsWriter *list, uint32_t i)
{
    RecordReport *report = &list->w->imported->replay->report;

    for (guint k = 0; k < list->role->ranks->len; k++) {
        uint64_t gap_ps = op_of_role_rank(list, k, i)->gap_ps;

        report->n[REPORT_GAPS] += gap_ps > 0 ? 1 : 0;
        report->n[REPORT_GAP_PS] += gap_ps;
    }
}

static gboolean op_has_gap(const RoleOpsWriter *list, uint32_t i)
{
    if (list->w->options->without_gaps || list->w->imported->replay->is_plan)
        return FALSE;
    for (guint k = 0; k < list->role->ranks->len; k++)
        if (op_of_role_rank(list, k, i)->gap_ps > 0)
            return TRUE;
    return FALSE;
}

/* ---- dependencies ------------------------------------------------------ */

/* Returns whether the order of the list implies that @op follows @predecessor.
 * Copies are on a separate queue in a program, although they share a stream
 * with kernels. */
static gboolean stream_order_implies_dependency(const ReplayOp *op,
                                                const ReplayOp *predecessor)
{
    return op->chain == predecessor->chain && op->kind == predecessor->kind &&
           op->kind != REPLAY_SHARED;
}

static void write_op_dependencies(const RoleOpsWriter *list, const ReplayOp *op)
{
    RecordReport *report = &list->w->imported->replay->report;
    const char *before = ", after: [";

    for (uint32_t d = 0; d < op->n_deps; d++) {
        const ReplayDep *dep = replay_dep(list->reference, op, d);

        if (!dep->is_before && stream_order_implies_dependency(
                                   op, replay_op(list->reference, dep->op)))
            continue;
        if (!g_ptr_array_index(list->names, dep->op))
            continue;
        g_string_append_printf(
            list->w->out, "%s%s%s", before,
            (const char *)g_ptr_array_index(list->names, dep->op),
            dep->is_before ? "@-1" : "");
        report->n[REPORT_DEPS]++;
        before = ", ";
    }
    if (*before == ',' && before[2] == '\0')
        g_string_append_c(list->w->out, ']');
}

/* ---- operations ------------------------------------------------------- */

static void write_layer_key(const RoleOpsWriter *list, const RecordNode *node)
{
    if (!node || !imported_op_is_layer(list->w->imported, node))
        return;
    g_string_append(list->w->out, ", layer: ");
    config_write_quoted(list->w->out, node->name);
    if (node->pass != OP_FORWARD)
        g_string_append_printf(list->w->out, ", pass: %s",
                               op_pass_names[node->pass]);
}

static void write_kernel_work(const RoleOpsWriter *list, const ReplayOp *op)
{
    const RecordNode *node = record_node(list->from, op->node);
    const RecordWork *work;

    if (node->work == 0)
        return;
    work = &g_array_index(list->from->works, RecordWork, node->work - 1);
    if (work->flop > 0 || work->read_bytes + work->written_bytes == 0)
        g_string_append_printf(list->w->out, ", flop: %" G_GUINT64_FORMAT,
                               work->flop);
    if (work->read_bytes > 0) {
        g_string_append(list->w->out, ", read: ");
        write_bytes(list->w->out, work->read_bytes);
    }
    if (work->written_bytes > 0) {
        g_string_append(list->w->out, ", write: ");
        write_bytes(list->w->out, work->written_bytes);
    }
}

static gboolean op_time_is_roofline(const RoleOpsWriter *list,
                                    const ReplayOp *op)
{
    return op->kind == REPLAY_KERNEL &&
           record_is_roofline(record_node(list->from, op->node));
}

static void write_unrepeated_op(const RoleOpsWriter *list, uint32_t i)
{
    static const char *const kinds[] = { [REPLAY_KERNEL] = "kernel",
                                         [REPLAY_DEVICE] = "device",
                                         [REPLAY_HOST] = "host" };
    const ReplayOp *op = replay_op(list->reference, i);
    GString *out = list->w->out;

    g_string_append_printf(out, "      - {kind: %s, name: %s", kinds[op->kind],
                           (const char *)g_ptr_array_index(list->names, i));
    if (!op_time_is_roofline(list, op))
        write_time_or_gap(list, i, FALSE, "time");
    write_time_or_gap(list, i, TRUE, "gap");
    if (op->kind == REPLAY_KERNEL)
        write_kernel_work(list, op);
    if (op->kind == REPLAY_DEVICE ||
        (op->kind == REPLAY_HOST && list->w->imported->replay->is_plan))
        g_string_append_printf(
            out, ", queue: s%" G_GUINT64_FORMAT,
            g_array_index(list->from->streams, RecordStream, op->chain).id);
    write_layer_key(list, op->node == RECORD_NONE
                              ? NULL
                              : record_node(list->from, op->node));
    write_op_dependencies(list, op);
    g_string_append(out, "}\n");
}

/* Writes a YAML comment with the wait of the first rank, and with unknown
 * sizes. */
static void write_wait_comment(const RoleOpsWriter *list,
                               const SharedOp *shared)
{
    GString *out = list->w->out;

    if (list->w->imported->replay->is_plan)
        return;
    if (shared->bytes == 0)
        g_string_append(out, "  # its bytes are not in the recording");
    if (shared->wait_ps > shared->time_ps) {
        g_string_append(out, shared->bytes == 0 ? "; the first rank waited "
                                                : "  # the first rank waited ");
        write_time_with_unit(out, shared->wait_ps);
    }
}

static void write_root_or_ends(const RoleOpsWriter *list,
                               const SharedOp *shared,
                               const RecordInstance *instance)
{
    GString *out = list->w->out;

    if (instance->kind == COLL_SEND)
        g_string_append_printf(out, ", from: %u, to: %u", shared->from,
                               shared->to);
    else if (shared->from > 0)
        g_string_append_printf(out, ", root: %u", shared->from);
    for (guint i = 0; shared->weights && i < shared->weights->len; i++)
        g_string_append_printf(out, "%s%" G_GUINT64_FORMAT "%s",
                               i == 0 ? ", weights: [" : ", ",
                               g_array_index(shared->weights, uint64_t, i),
                               i == shared->weights->len - 1 ? "]" : "");
}

/* Writes the operation that has the gap of shared operation @i, and returns its
 * name without ".late".  The messages of one kernel begin together, so they
 * share this operation. */
static const char *write_late_dependency_op(const RoleOpsWriter *list,
                                            uint32_t i)
{
    const ReplayOp *op = replay_op(list->reference, i);
    const RecordNode *node = record_node(list->from, op->node);
    gpointer kernel =
        GUINT_TO_POINTER(node->part_of > 0 ? node->part_of : op->node + 1);
    guint found =
        GPOINTER_TO_UINT(g_hash_table_lookup(list->gaps_of_kernels, kernel));
    GString *out = list->w->out;

    if (found > 0)
        return g_ptr_array_index(list->names, found - 1);
    g_hash_table_insert(list->gaps_of_kernels, kernel, GUINT_TO_POINTER(i + 1));

    g_string_append_printf(out,
                           "      - {kind: device, name: %s.late, time: 0 ns",
                           (const char *)g_ptr_array_index(list->names, i));
    write_time_or_gap(list, i, TRUE, "gap");
    g_string_append_printf(
        out, ", queue: s%" G_GUINT64_FORMAT ".late",
        g_array_index(list->from->streams, RecordStream, node->stream).id);
    write_op_dependencies(list, op);
    g_string_append(out, "}\n");
    return g_ptr_array_index(list->names, i);
}

static void write_shared_op(const RoleOpsWriter *list, uint32_t i)
{
    const ReplayOp *op = replay_op(list->reference, i);
    const ImportedProgram *program = list->w->imported;
    const SharedOp *shared = imported_shared_op_of_node(program, op);
    const RecordInstance *instance =
        record_instance(program->replay->match, shared->instance);
    const char *name = g_ptr_array_index(list->names, i);
    gboolean sends = record_node(list->from, op->node)->kind == RECORD_SEND;
    GString *out = list->w->out;
    const char *late =
        op_has_gap(list, i) ? write_late_dependency_op(list, i) : NULL;

    if (instance->kind == COLL_SEND)
        g_string_append_printf(out, "      - {kind: %s, name: %s",
                               sends ? "send" : "receive", name);
    else
        g_string_append_printf(
            out, "      - {kind: collective, name: %s, collective: %s", name,
            coll_kind_name(instance->kind < COLL_N_KINDS ? instance->kind
                                                         : COLL_BARRIER));
    g_string_append(out, ", bytes: ");
    write_bytes(out, MAX(shared->bytes, 1));
    if (shared->group != OP_GROUP_ALL)
        g_string_append_printf(out, ", group: %s",
                               imported_group(program, shared->group)->name);
    else if (instance->kind == COLL_SEND)
        g_string_append(out, ", group: all");
    write_root_or_ends(list, shared, instance);
    if (!program->replay->is_plan || shared->time_ps > 0) {
        g_string_append(out, ", time: ");
        write_time_with_unit(out, MAX(shared->time_ps, 1));
    }
    if (shared->is_star)
        g_string_append(out, ", star: true");
    if (shared->priority > 0)
        g_string_append_printf(out, ", priority: %u", shared->priority);
    write_layer_key(list, imported_first_node_of_op(program, shared));
    if (late)
        g_string_append_printf(out, ", after: [%s.late]", late);
    else
        write_op_dependencies(list, op);
    g_string_append(out, "}");
    write_wait_comment(list, shared);
    g_string_append_c(out, '\n');
}

/* Writes a placeholder operation, because a role of a program must have one. */
static void write_idle_op(GString *out)
{
    g_string_append(out, "      - {kind: host, name: idle, time: 0 ns}  # "
                         "nothing was recorded of it\n");
}

void write_ops_of_role(Writer *writer, const ImportedRole *role)
{
    uint64_t n_before = writer->imported->replay->report.n[REPORT_OPS];
    RoleOpsWriter l = { .w = writer,
                        .role = role,
                        .reference = imported_first_rank_of_role(
                            writer->imported, role) };

    l.from = record_rank(writer->imported->replay->recording,
                         g_array_index(role->ranks, uint32_t, 0));
    l.gaps_of_kernels = g_hash_table_new(NULL, NULL);
    name_program_ops(&l);
    for (uint32_t i = 0; i < l.reference->ops->len; i++) {
        if (replay_op(l.reference, i)->is_empty)
            continue;
        writer->imported->replay->report.n[REPORT_OPS]++;
        count_reported_gaps(&l, i);
        if (replay_op(l.reference, i)->kind == REPLAY_SHARED)
            write_shared_op(&l, i);
        else
            write_unrepeated_op(&l, i);
    }
    if (writer->imported->replay->report.n[REPORT_OPS] == n_before)
        write_idle_op(writer->out);
    g_ptr_array_unref(l.names);
    g_hash_table_unref(l.gaps_of_kernels);
}
