/* segment_builder.c - makes operations of segments; see segment_builder.h */
#include "workloads/segments/segment_builder.h"

#include "workloads/programs/program_collective_lanes.h"

static uint32_t append_segment_op(SegmentBuilder *builder, const char *kind,
                                  gpointer params)
{
    const ConfigVariant op = { .kind =
                                   config_find_kind(&program_op_registry, kind),
                               .params = params,
                               .node = builder->node };

    g_ptr_array_add(builder->owned, params);
    return segment_add_op(builder->segment, &op);
}

static uint32_t append_kernel_op(SegmentBuilder *builder, const char *part,
                                 const char *name, ProgramKernelWork work)
{
    ProgramKernel *kernel = g_new0(ProgramKernel, 1);
    ProgramKernelWork *copy = g_memdup2(&work, sizeof work);

    kernel->common.name = name;
    kernel->common.layer = part;
    kernel->common.pass = (int)builder->pass;
    kernel->work = copy;
    g_ptr_array_add(builder->owned, copy);
    return append_segment_op(builder, "kernel", kernel);
}

uint32_t segment_builder_add_kernel(SegmentBuilder *builder, const char *part,
                                    const char *name, KernelClass class,
                                    uint64_t flop, uint64_t read_bytes,
                                    uint64_t written_bytes)
{
    return append_kernel_op(builder, part, name,
                            (ProgramKernelWork){ .class = (int)class,
                                                 .flop = flop,
                                                 .read_bytes = read_bytes,
                                                 .written_bytes = written_bytes,
                                                 .product.count = 1 });
}

uint32_t segment_builder_add_product(SegmentBuilder *builder, const char *part,
                                     const char *name, int precision,
                                     ProgramProduct product)
{
    return append_kernel_op(
        builder, part, name,
        (ProgramKernelWork){ .precision = precision, .product = product });
}

uint32_t segment_builder_add_host_time(SegmentBuilder *builder,
                                       const char *part, const char *name,
                                       uint64_t time_ps, gboolean is_ahead)
{
    ProgramStage *stage = g_new0(ProgramStage, 1);
    uint32_t op;

    stage->common.name = name;
    stage->common.layer = part;
    stage->common.pass = (int)builder->pass;
    stage->times.time_ps = time_ps;
    stage->queue = "launch";
    op = append_segment_op(builder, "host", stage);
    if (is_ahead)
        segment_mark_op_may_run_ahead(builder->segment, op);
    return op;
}

uint32_t segment_builder_add_collective(SegmentBuilder *builder,
                                        const char *part, const char *name,
                                        CollKind kind, const char *axes,
                                        uint64_t bytes)
{
    ProgramShared *shared = g_new0(ProgramShared, 1);

    shared->common.name = name;
    shared->common.layer = part;
    shared->common.pass = (int)builder->pass;
    shared->collective = (int)kind;
    shared->bytes = bytes;
    shared->group = "all";
    shared->axis = axes;
    shared->lane = PROGRAM_NO_LANE;
    return append_segment_op(builder, "collective", shared);
}

void segment_builder_set_rank_weights(SegmentBuilder *builder, uint32_t op,
                                      const ConfigList *weights)
{
    ProgramShared *shared =
        (gpointer)g_array_index(builder->segment->ops, SegmentOp, op).op.params;

    shared->weights = *weights;
}

void segment_builder_add_dependency(SegmentBuilder *builder, uint32_t op,
                                    uint32_t dependency)
{
    segment_add_dep(
        builder->segment, op,
        &(SegmentDep){ .kind = SEGMENT_DEP_LOCAL, .op = dependency });
}
