/*
 * segment_shards.h - adds the operations of a sharding to a segment
 *
 * Owner    the caller; all members are borrowed
 */
#ifndef WORKLOADS_SHARDING_SEGMENT_SHARDS_H
#define WORKLOADS_SHARDING_SEGMENT_SHARDS_H

#include "workloads/segments/segment_builder.h"
#include "workloads/sharding/shard_builder.h"

typedef struct {
    ShardBuilder base;
    SegmentBuilder *segment;
    const char *part;         /* name of the operations in reports; static */
    const uint32_t *backward; /* segments of the backward passes, by number;
                                 NULL: no operation waits for them */
} SegmentShards;

SegmentShards segment_shards(SegmentBuilder *segment, const char *part,
                             const uint32_t *backward);

#endif
