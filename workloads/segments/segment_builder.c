/* segment_builder.c - makes operations of segments; see segment_builder.h */
#include "workloads/segments/segment_builder.h"

#include "workloads/programs/program_lanes.h"

static uint32_t append_segment_op(SegmentBuilder *b, const char *kind,
                                  gpointer params)
{
    const ConfigVariant op = { .kind =
                                   config_find_kind(&program_op_registry, kind),
                               .params = params,
                               .node = b->node };

    g_ptr_array_add(b->owned, params);
    return segment_add_op(b->segment, &op);
}

static uint32_t append_kernel_op(SegmentBuilder *b, const char *part,
                                 const char *name, ProgramKernelWork work)
{
    ProgramKernel *kernel = g_new0(ProgramKernel, 1);
    ProgramKernelWork *copy = g_memdup2(&work, sizeof work);

    kernel->common.name = name;
    kernel->common.layer = part;
    kernel->common.pass = (int)b->pass;
    kernel->work = copy;
    g_ptr_array_add(b->owned, copy);
    return append_segment_op(b, "kernel", kernel);
}

uint32_t segment_builder_add_kernel(SegmentBuilder *b, const char *part,
                                    const char *name, KernelClass class,
                                    uint64_t flop, uint64_t read_bytes,
                                    uint64_t written_bytes)
{
    return append_kernel_op(b, part, name,
                            (ProgramKernelWork){ .class = (int)class,
                                                 .flop = flop,
                                                 .read_bytes = read_bytes,
                                                 .written_bytes = written_bytes,
                                                 .product.count = 1 });
}

uint32_t segment_builder_add_product(SegmentBuilder *b, const char *part,
                                     const char *name, int precision,
                                     ProgramProduct product)
{
    return append_kernel_op(
        b, part, name,
        (ProgramKernelWork){ .precision = precision, .product = product });
}

uint32_t segment_builder_add_host_time(SegmentBuilder *b, const char *part,
                                       const char *name, uint64_t time_ps,
                                       gboolean is_ahead)
{
    ProgramStage *p = g_new0(ProgramStage, 1);
    uint32_t op;

    p->common.name = name;
    p->common.layer = part;
    p->common.pass = (int)b->pass;
    p->times.time_ps = time_ps;
    p->queue = "launch";
    op = append_segment_op(b, "host", p);
    if (is_ahead)
        segment_mark_op_may_run_ahead(b->segment, op);
    return op;
}

uint32_t segment_builder_add_collective(SegmentBuilder *b, const char *part,
                                        const char *name, CollKind kind,
                                        const char *axes, uint64_t bytes)
{
    ProgramShared *p = g_new0(ProgramShared, 1);

    p->common.name = name;
    p->common.layer = part;
    p->common.pass = (int)b->pass;
    p->collective = (int)kind;
    p->bytes = bytes;
    p->group = "all";
    p->axis = axes;
    p->lane = PROGRAM_NO_LANE;
    return append_segment_op(b, "collective", p);
}

void segment_builder_set_rank_weights(SegmentBuilder *b, uint32_t op,
                                      const ConfigList *weights)
{
    ProgramShared *p =
        (gpointer)g_array_index(b->segment->ops, SegmentOp, op).op.params;

    p->weights = *weights;
}

void segment_builder_add_dependency(SegmentBuilder *b, uint32_t op, uint32_t on)
{
    segment_add_dep(b->segment, op,
                    &(SegmentDep){ .kind = SEGMENT_DEP_LOCAL, .op = on });
}
