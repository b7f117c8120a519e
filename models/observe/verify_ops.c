/* verify_ops.c - counts the instances of operations and the bytes carried for
 * them */
#include "models/observe/verify_ops.h"

typedef struct {
    uint64_t n_ended;       /* number of instances that have ended */
    uint64_t carried_bytes; /* bytes carried for the current instance */
} Count;

struct VerifyOps {
    const OpGraph *graph; /* borrowed */
    const CollPlacement
        *placement; /* borrowed; NULL if all NPUs run all operations */
    uint32_t n_npus;
    Count *counts; /* owned: the counts of each NPU and operation */
};

VerifyOps *verify_ops_new(const OpGraph *graph, uint32_t n_npus)
{
    VerifyOps *ops = g_new0(VerifyOps, 1);

    ops->graph = graph;
    ops->n_npus = n_npus;
    ops->counts = g_new0(Count, (gsize)n_npus * graph->ops->len);
    return ops;
}

void verify_ops_set_placement(VerifyOps *ops, const CollPlacement *placement)
{
    ops->placement = placement;
}

void verify_ops_free(VerifyOps *ops)
{
    if (!ops)
        return;
    g_free(ops->counts);
    g_free(ops);
}

static uint32_t role_of_npu(const VerifyOps *ops, uint32_t npu)
{
    return ops->placement ? coll_placement_role(ops->placement, npu) : 0;
}

/* Returns whether the group has one rank, so that nothing is carried. */
static gboolean group_has_single_rank(const VerifyOps *ops, const Op *op)
{
    return (ops->placement ? coll_placement_members(ops->placement, op)->n_ranks
                           : ops->n_npus) == 1;
}

static Count *count_of_op_on_npu(const VerifyOps *ops, uint32_t npu,
                                 uint32_t op)
{
    return &ops->counts[(gsize)npu * ops->graph->ops->len + op];
}

/* Returns a text such as "NPU 1, all-reduce of fc (weight-gradient), iteration
 * 0: ...". */
G_GNUC_PRINTF(5, 6)
static char *describe_op_fault(const VerifyOps *ops, uint32_t npu, uint32_t op,
                               uint64_t iteration, const char *format, ...)
{
    GString *text = g_string_new(NULL);
    va_list arguments;

    g_string_append_printf(text, "NPU %u, ", npu);
    op_graph_append_op_name(ops->graph, op, text);
    g_string_append_printf(text, ", iteration %" G_GUINT64_FORMAT ": ",
                           iteration);
    va_start(arguments, format);
    g_string_append_vprintf(text, format, arguments);
    va_end(arguments);
    return g_string_free(text, FALSE);
}

char *verify_ops_begin_instance(const VerifyOps *ops, uint32_t npu, uint32_t op,
                                uint64_t iteration)
{
    const Op *o = op_graph_op(ops->graph, op);

    if (o->is_buffer)
        return NULL;
    if (count_of_op_on_npu(ops, npu, op)->n_ended != iteration)
        return describe_op_fault(ops, npu, op, iteration,
                                 "begins when %" G_GUINT64_FORMAT " have ended",
                                 count_of_op_on_npu(ops, npu, op)->n_ended);
    for (uint32_t d = 0; d < o->n_deps; d++) {
        const OpDep *dep = &o->deps[d];
        g_autoptr(GString) other = NULL;

        if (!role_set_has(dep->roles, role_of_npu(ops, npu)) ||
            count_of_op_on_npu(ops, npu, dep->op)->n_ended +
                    dep->n_iterations_back >
                iteration)
            continue;
        other = g_string_new(NULL);
        op_graph_append_op_name(ops->graph, dep->op, other);
        return describe_op_fault(ops, npu, op, iteration,
                                 "begins before %s has ended", other->str);
    }
    return NULL;
}

char *verify_ops_add_carried_bytes(VerifyOps *ops, uint32_t npu, uint32_t op,
                                   uint64_t iteration, uint64_t bytes)
{
    Count *count = count_of_op_on_npu(ops, npu, op);

    if (count->n_ended != iteration)
        return describe_op_fault(
            ops, npu, op, iteration,
            "has data when %" G_GUINT64_FORMAT " have ended", count->n_ended);
    count->carried_bytes += bytes;
    return NULL;
}

char *verify_ops_end_instance(VerifyOps *ops, uint32_t npu, uint32_t op)
{
    const Op *o = op_graph_op(ops->graph, op);
    Count *count = count_of_op_on_npu(ops, npu, op);
    uint64_t carried_bytes = count->carried_bytes;

    if (o->is_buffer)
        return NULL;
    count->carried_bytes = 0;
    count->n_ended++;
    if (o->type == OP_COLLECTIVE && !o->is_recorded &&
        !group_has_single_rank(ops, o) && carried_bytes != o->payload_bytes)
        return describe_op_fault(ops, npu, op, count->n_ended - 1,
                                 "ends with %" G_GUINT64_FORMAT
                                 " of %" G_GUINT64_FORMAT " bytes",
                                 carried_bytes, o->payload_bytes);
    return NULL;
}

/* Returns whether @npu must have done @op. Buffers of collective lanes are used
 * as needed. */
static gboolean npu_must_do_op(const VerifyOps *ops, uint32_t npu, uint32_t op)
{
    const Op *o = op_graph_op(ops->graph, op);

    return op_has_role(o, role_of_npu(ops, npu)) && !o->is_buffer;
}

char *verify_ops_check_all_done(const VerifyOps *ops, uint64_t n_iterations)
{
    for (uint32_t npu = 0; npu < ops->n_npus; npu++)
        for (uint32_t op = 0; op < ops->graph->ops->len; op++)
            if (npu_must_do_op(ops, npu, op) &&
                count_of_op_on_npu(ops, npu, op)->n_ended != n_iterations)
                return describe_op_fault(
                    ops, npu, op, count_of_op_on_npu(ops, npu, op)->n_ended,
                    "was never done");
    return NULL;
}
