/*
 * kernels_same.c - whether kernels of a run would have taken as long elsewhere
 *
 * A kernel's time is T(s, b) of the SMs s and the bandwidth b that its stream
 * has (compute.h), and is asked for whenever these change.  A run knows which
 * it ever gave (shares.h).  Of an NPU of S SMs the main stream gets what others
 * leave, s = S - taken, and on one of S' therefore s' = S' - taken, with the
 * same b, as long as that was the memory's to say alone: under `shared` it
 * hangs on what kernels could use.  So where for every kernel and each share
 *
 *     T'(s', b) = T(s, b)
 *
 * each kernel that starts or goes on ends when it did in the run, and the two
 * runs have no first event that differs.  Where others took all that there was
 * s' is not known; but without bandwidth a kernel that moves bytes stands
 * still, whatever SMs it has.  T is launch + roofline x scale, and
 * that all three are alike is more than is needed.
 */
#include "models/run/report/kernels_same.h"

#include "models/run/npu_impl.h"

static gboolean is_scale_same(ComputeScale a, ComputeScale b)
{
    return a.num == b.num && a.den == b.den && a.is_measured == b.is_measured;
}

static gboolean stands_still(const OpWork *work, const ShareGiven *share)
{
    return work->bytes > 0 && share->bytes_per_s == 0;
}

/* FALSE: it was nothing, of which nobody knows how much is missing. */
static gboolean elsewhere(const NpuConfig *npu, const NpuConfig *other,
                          ShareGiven *share)
{
    uint64_t taken = npu->n_sms - share->n_sms;

    if (share->stream != OP_STREAM_MAIN || npu->n_sms == other->n_sms)
        return TRUE;
    if (share->n_sms == 0 || taken >= other->n_sms)
        return FALSE;
    share->n_sms = other->n_sms - taken;
    return TRUE;
}

static gboolean is_kernel_same(const System *ran, const System *other,
                               uint32_t op)
{
    const NpuConfig *npu = &ran->config->platform.npu;
    const NpuConfig *others = &other->config->platform.npu;
    const Op *a = op_graph_op(ran->graph, op);
    const Op *b = op_graph_op(other->graph, op);

    if (!is_scale_same(ran->scales[op], other->scales[op]) ||
        compute_launch_ps(npu, &a->work, ran->scales[op]) !=
            compute_launch_ps(others, &b->work, other->scales[op]))
        return FALSE;
    for (guint i = 0; i < ran->shares.n; i++) {
        ShareGiven given = ran->shares.of[i], there = given;

        if (given.stream != a->stream ||
            (stands_still(&a->work, &given) && stands_still(&b->work, &there)))
            continue;
        if (!elsewhere(npu, others, &there) ||
            compute_roofline_ps(npu, &a->work, given.n_sms,
                                given.bytes_per_s) !=
                compute_roofline_ps(others, &b->work, there.n_sms,
                                    there.bytes_per_s))
            return FALSE;
    }
    return TRUE;
}

gboolean kernels_are_same(const System *ran, const System *other)
{
    const NpuConfig *npu = &ran->config->platform.npu;

    if (ran->asked_times || ran->shares.n > SHARES_MOST ||
        npu->hbm.policy != HBM_PARTITIONED ||
        other->graph->ops->len != ran->graph->ops->len)
        return FALSE;
    for (uint32_t op = 0; op < ran->graph->ops->len; op++)
        if (op_graph_op(ran->graph, op)->type == OP_COMPUTE &&
            !is_kernel_same(ran, other, op))
            return FALSE;
    return TRUE;
}
