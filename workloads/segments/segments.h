/*
 * segments.h - blocks of operations that a pipeline schedule runs many times
 *
 * A segment is a block of operations that is described once, such as the
 * forward pass of a virtual stage.  A schedule (schedules/schedule.h) runs it
 * once for each micro-batch; each such run is a unit.  A plan names the segment
 * of each pass and virtual stage, and segments_expand_to_items() turns it into
 * the operations of a program, by stage.  What one would have to write out as
 * roles with thousands of operations is thus written once.
 *
 * Order      The operations of a segment that wait for no others of the same
 *            iteration are its roots.  They wait for the exit of the unit
 * before in the list of the stage.  The exit is the last operation of a
 *            segment, unless the segment names another one, so that operations
 *            behind it go on beside the next unit.
 * Messages   If a segment passes bytes on, its unit sends them to the next
 *            virtual stage (backward: to the previous one) after its exit.  The
 *            receiver posts its receive at once; the roots of its unit wait for
 *            it.  No message is sent to the same stage.
 * Iteration  After its last unit, a stage runs its update segment, if it has
 *            one.  The first unit waits for the last of the iteration before.
 * Pairs      Two units side by side wait for the same unit before, and take
 *            turns in the list.  A turn ends with communication, so that
 * kernels of one unit run while the other communicates.
 *
 * Units    bytes
 * Errors   CONFIG_ERROR at the plan's node
 * Owner    the caller owns a plan and its segments; templates and nodes are
 *          borrowed and must outlive the items
 */
#ifndef WORKLOADS_SEGMENTS_SEGMENTS_H
#define WORKLOADS_SEGMENTS_SEGMENTS_H

#include "workloads/mesh/mesh.h"
#include "workloads/programs/program_state.h"
#include "workloads/schedules/schedule.h"

typedef enum {
    /* On operation .op of the same unit, which must stand earlier in the list
     * unless .n_iterations_back is set. */
    SEGMENT_DEP_LOCAL,
    /* On operation .op of the stage's first unit of segment .segment. */
    SEGMENT_DEP_FIRST,
    /* On operation .op of the stage's last unit of segment .segment. */
    SEGMENT_DEP_LAST,
} SegmentDepKind;

typedef struct {
    SegmentDepKind kind;
    uint32_t segment, op;
    uint32_t n_iterations_back; /* iterations */
    /* Only the first unit of the segment on its stage waits. */
    gboolean first_unit_only;
} SegmentDep;

typedef struct {
    ConfigVariant op; /* the template: an operation of a program */
    GArray *deps;     /* owned: of SegmentDep; NULL: none */
    gboolean is_ahead;
} SegmentOp;

typedef struct {
    const char *name; /* borrowed */
    GArray *ops;      /* owned: of SegmentOp */
    uint64_t passes_on_bytes;
    uint64_t
        keeps_bytes; /* activations, until they are read for the last time */
    uint32_t exit;   /* operation, or SEGMENT_NONE: the last one */
    const ConfigNode *node;
} Segment;

Segment *segment_new(const char *name, const ConfigNode *node);
void segment_free(Segment *segment);
/* Adds an operation and returns its index; @op is copied. */
uint32_t segment_add_op(Segment *segment, const ConfigVariant *op);
void segment_add_dep(Segment *segment, uint32_t op, const SegmentDep *dep);
/* Lets @op run ahead: it does not wait for the unit before nor for messages,
 * but for the iteration before.  An operation that waits for nothing but such
 * operations is still a root. */
void segment_mark_op_may_run_ahead(Segment *segment, uint32_t op);

#define SEGMENT_NONE UINT32_MAX

/* Returns the exit of @segment, which has an operation. */
static inline uint32_t segment_exit_op(const Segment *segment)
{
    return segment->exit != SEGMENT_NONE ? segment->exit
                                         : segment->ops->len - 1;
}

typedef struct {
    const Schedule *schedule; /* borrowed */
    const Mesh *mesh;         /* borrowed; its axis pp has the stages */
    GPtrArray *segments;      /* owned: of Segment */
    /* Owned: by pass and virtual stage: index of the segment, or
     * SEGMENT_NONE. */
    uint32_t *segment_of[UNIT_N_PASSES];
    uint32_t *updates; /* owned: by stage: index of the segment, or
                          SEGMENT_NONE */
    /* A stage waits until its messages have been sent. */
    gboolean messages_hold;
    const ConfigNode *node;
} SegmentPlan;

/* Returns a plan without segments. */
SegmentPlan *segment_plan_new(const Schedule *schedule, const Mesh *mesh,
                              const ConfigNode *node);
void segment_plan_free(SegmentPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SegmentPlan, segment_plan_free)

/* Returns the segment that runs as @pass of @virtual_stage, or NULL. */
const Segment *segment_plan_find_segment(const SegmentPlan *plan, UnitPass pass,
                                         uint32_t virtual_stage);

/* The operations of a plan, of all stages. */
typedef struct {
    GArray *items;    /* owned: of ProgramItem */
    GPtrArray *owned; /* owned: params of messages */
    GArray **lists;   /* owned: by stage: of uint32_t: items in order */
    uint32_t n_stages;
} SegmentItems;

/* Adds the roles of the stages and the groups of collectives and messages to
 * @graph, and returns the operations.  Returns NULL with @error set if a pass
 * has no segment. */
G_GNUC_WARN_UNUSED_RESULT
SegmentItems *segments_expand_to_items(const SegmentPlan *plan, OpGraph *graph,
                                       GError **error);
void segment_items_free(SegmentItems *items);

/* Appends the operations as the key `roles` of a program that needs no
 * segments. */
void segments_write_roles(const SegmentItems *items, const Mesh *mesh,
                          GString *out);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SegmentItems, segment_items_free)

#endif
