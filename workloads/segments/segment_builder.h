/*
 * segment_builder.h - makes the operations of segments in memory
 *
 * Units    FLOP, bytes
 * Owner    @owned of the builder keeps the parameters of all operations; it
 *          must live as long as the segments
 */
#ifndef WORKLOADS_SEGMENTS_SEGMENT_BUILDER_H
#define WORKLOADS_SEGMENTS_SEGMENT_BUILDER_H

#include "workloads/segments/segments.h"

typedef struct {
    Segment *segment;       /* borrowed */
    GPtrArray *owned;       /* borrowed */
    const ConfigNode *node; /* for messages */
    OpPass pass;
} SegmentBuilder;

/* Each function adds an operation without dependencies and returns its index in
 * the segment.  @part is what reports call it; it and @name are borrowed. */
uint32_t segment_builder_add_kernel(SegmentBuilder *builder, const char *part,
                                    const char *name, KernelClass class,
                                    uint64_t flop, uint64_t read_bytes,
                                    uint64_t written_bytes);
/* Adds .count products of m x n results, each a sum of k.  @precision is 0 for
 * that of `training`, else a Precision + 1. */
uint32_t segment_builder_add_product(SegmentBuilder *builder, const char *part,
                                     const char *name, int precision,
                                     ProgramProduct product);
/* Adds work of the host of a known time.  If @is_ahead, it does not wait for
 * its unit: see segment_mark_op_may_run_ahead(). */
uint32_t segment_builder_add_host_time(SegmentBuilder *builder,
                                       const char *part, const char *name,
                                       uint64_t time_ps, gboolean is_ahead);
/* Adds a collective of @bytes on @axes, which is borrowed. */
uint32_t segment_builder_add_collective(SegmentBuilder *builder,
                                        const char *part, const char *name,
                                        CollKind kind, const char *axes,
                                        uint64_t bytes);
/* Sets the weights of @op, an all-to-allv that was added with that kind: one of
 * uint64_t for each rank, borrowed.  See rank_weights.h. */
void segment_builder_set_rank_weights(SegmentBuilder *builder, uint32_t op,
                                      const ConfigList *weights);
/* Makes @op wait for @dependency of the same unit. */
void segment_builder_add_dependency(SegmentBuilder *builder, uint32_t op,
                                    uint32_t dependency);

#endif
