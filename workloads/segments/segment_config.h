/*
 * segment_config.h - segments as a program's file gives them
 *
 * Errors   CONFIG_ERROR at the segment or at the operation
 * Owner    params belong to the document; segments_read() copies the params of
 *          operations into an array of the caller
 */
#ifndef WORKLOADS_SEGMENTS_SEGMENT_CONFIG_H
#define WORKLOADS_SEGMENTS_SEGMENT_CONFIG_H

#include "workloads/segments/segments.h"

#define SEGMENTS_MAX        1000
#define SEGMENT_MAX_REPEATS 10000

typedef struct {
    const char *name;
    int pass; /* SegmentPass of segment_reader.c */
    const char
        *forward_segment; /* the forward segment with the same virtual stages */
    ConfigList where; /* of uint64_t: virtual stages, or stages of an update */
    uint64_t passes_on_bytes, keeps_bytes, n_repeats;
    ConfigList ops; /* of ConfigVariant */
    const ConfigNode *node;
} SegmentConfig;

extern const ConfigField segment_item;

/* Fills @plan with the segments of @list, an array of SegmentConfig.  Adds to
 * @owned the memory of the operations, which must live as long as the plan. */
G_GNUC_WARN_UNUSED_RESULT
gboolean segments_read(SegmentPlan *plan, const ConfigList *list,
                       GPtrArray *owned, GError **error);

#endif
