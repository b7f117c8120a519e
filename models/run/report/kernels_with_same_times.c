/*
 * kernels_with_same_times.c - whether kernels of a run would have taken as long
 * on another NPU
 *
 * A kernel takes a time T(s, b) with s SMs and the bandwidth b of its stream
 * (kernel_time.h).  T is evaluated whenever s or b changes.  A run records
 * every pair (s, b) that it gave to a stream (granted_npu_shares.h).
 *
 * On an NPU of S SMs the main stream has s = S - taken, the SMs that others
 * leave.  On an NPU of S' SMs it has s' = S' - taken, with the same b, if only
 * the memory determines b.  Under `shared` this is not so, because b depends on
 * what kernels could use.  The condition that is checked is, for every kernel
 * and share,
 *
 *     T'(s', b) = T(s, b)
 *
 * Then each kernel that starts or continues ends at the same time as in the
 * run, and no event can be the first that differs.  If others take all SMs, s'
 * is not known.  But a kernel that moves bytes stands still without bandwidth,
 * whatever its SMs are.
 *
 * T is launch + roofline x scale.  The code requires that all three are equal,
 * which is more than is necessary.
 */
#include "models/run/report/kernels_with_same_times.h"

#include "models/run/npu_impl.h"

static gboolean compute_scale_is_same(ComputeScale a, ComputeScale b)
{
    return a.num == b.num && a.den == b.den && a.is_measured == b.is_measured;
}

static gboolean kernel_has_no_bandwidth(const OpWork *work,
                                        const GrantedShare *share)
{
    return work->bytes > 0 && share->bytes_per_s == 0;
}

/* Sets @share to the share that the same stream would have on NPU @other.
 * Returns FALSE if the share is not known, because the stream had no SMs or
 * @other has too few. */
static gboolean share_on_other_npu(const NpuConfig *npu, const NpuConfig *other,
                                   GrantedShare *share)
{
    uint64_t taken = npu->n_sms - share->n_sms;

    if (share->stream != OP_STREAM_MAIN || npu->n_sms == other->n_sms)
        return TRUE;
    if (share->n_sms == 0 || taken >= other->n_sms)
        return FALSE;
    share->n_sms = other->n_sms - taken;
    return TRUE;
}

static gboolean kernel_time_is_same(const System *ran, const System *other,
                                    uint32_t op)
{
    const NpuConfig *npu = &ran->plan.config->platform.npu;
    const NpuConfig *others = &other->plan.config->platform.npu;
    const Op *a = op_graph_op(ran->plan.graph, op);
    const Op *b = op_graph_op(other->plan.graph, op);

    if (!compute_scale_is_same(ran->plan.kernel_scales[op],
                               other->plan.kernel_scales[op]) ||
        kernel_launch_time_ps(npu, a->work, ran->plan.kernel_scales[op]) !=
            kernel_launch_time_ps(others, b->work,
                                  other->plan.kernel_scales[op]))
        return FALSE;
    for (guint i = 0; i < ran->counters.shares.n; i++) {
        GrantedShare given = ran->counters.shares.shares[i], there = given;

        if (given.stream != a->stream ||
            (kernel_has_no_bandwidth(a->work, &given) &&
             kernel_has_no_bandwidth(b->work, &there)))
            continue;
        if (!share_on_other_npu(npu, others, &there) ||
            kernel_roofline_time_ps(npu, a->work, given.n_sms,
                                    given.bytes_per_s) !=
                kernel_roofline_time_ps(others, b->work, there.n_sms,
                                        there.bytes_per_s))
            return FALSE;
    }
    return TRUE;
}

gboolean kernel_times_are_same(const System *ran, const System *other)
{
    const NpuConfig *npu = &ran->plan.config->platform.npu;

    if (ran->plan.depends_on_times || ran->counters.shares.n > SHARES_MAX ||
        npu->hbm.policy != HBM_PARTITIONED ||
        other->plan.graph->ops->len != ran->plan.graph->ops->len)
        return FALSE;
    for (uint32_t op = 0; op < ran->plan.graph->ops->len; op++)
        if (op_graph_op(ran->plan.graph, op)->type == OP_COMPUTE &&
            !kernel_time_is_same(ran, other, op))
            return FALSE;
    return TRUE;
}
