/* segment_shards.c - shardings in segments; see segment_shards.h */
#include "workloads/sharding/segment_shards.h"

static uint32_t add_collective_to_segment(const ShardBuilder *self,
                                          const ShardMessage *message)
{
    const SegmentShards *shards = (const SegmentShards *)self;

    return segment_builder_add_collective(shards->segment, shards->part,
                                          message->name, message->kind,
                                          message->axes, message->bytes);
}

static uint32_t add_kernel_to_segment(const ShardBuilder *self,
                                      const char *name, const OpWork *work)
{
    const SegmentShards *shards = (const SegmentShards *)self;

    return segment_builder_add_kernel(
        shards->segment, shards->part, name, work->class, work->flop,
        work->bytes - work->written_bytes, work->written_bytes);
}

static void add_dependency_in_segment(const ShardBuilder *self, uint32_t op,
                                      uint32_t on)
{
    segment_builder_add_dependency(((const SegmentShards *)self)->segment, op,
                                   on);
}

static void add_dependency_on_backward_segment(const ShardBuilder *self,
                                               uint32_t op, guint pass,
                                               uint32_t on)
{
    const SegmentShards *shards = (const SegmentShards *)self;

    segment_add_dep(shards->segment->segment, op,
                    &(SegmentDep){ .kind = SEGMENT_DEP_LAST,
                                   .segment = shards->backward[pass],
                                   .op = on });
}

SegmentShards segment_shards(SegmentBuilder *segment, const char *part,
                             const uint32_t *backward)
{
    return (SegmentShards){
        .base = { .add_collective = add_collective_to_segment,
                  .add_kernel = add_kernel_to_segment,
                  .add_dependency = add_dependency_in_segment,
                  .add_backward_dependency =
                      add_dependency_on_backward_segment },
        .segment = segment,
        .part = part,
        .backward = backward,
    };
}
