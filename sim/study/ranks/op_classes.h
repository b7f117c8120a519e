/*
 * op_classes.h - operations that are of one sort, by kind and name
 *
 * The class of a kernel, a stage, a message is its name without its numbers:
 * "res2.1.conv1" is of "res*.*.conv*".  A name that ends in a point and a
 * number, as those of imported programs do, keeps what stands before it:
 * "sgemm_128x64.12" is of "sgemm_128x64.*".  A role that is named first is any:
 * "rank-3.sgemm.12" is of "*sgemm.*".  So the name of a class is a
 * pattern that its operations match, others perhaps, too.  The class of a
 * collective is its kind: "all-reduce".
 *
 * Behind the classes of operations stand those of what is none: a lane each,
 * and gaps.
 *
 * Owner    the caller owns the OpClasses; the graph must outlive it
 */
#ifndef SIM_STUDY_RANKS_OP_CLASSES_H
#define SIM_STUDY_RANKS_OP_CLASSES_H

#include "workloads/graph.h"

typedef enum {
    CLASS_KERNEL,
    CLASS_HOST,   /* of a host's thread, and of the input */
    CLASS_DEVICE, /* of the device, beside its kernels */
    CLASS_COLLECTIVE,
    CLASS_MESSAGE,
    CLASS_LANE, /* waits in it */
    CLASS_GAP,  /* nothing, that is known */
    CLASS_N_KINDS,
} ClassKind;

extern const char *const class_kind_names[CLASS_N_KINDS + 1];

typedef struct {
    ClassKind kind;
    const char *name; /* owned by the OpClasses */
    uint32_t n_ops;
} OpClass;

typedef struct {
    GArray *all;  /* owned, of OpClass; the last is CLASS_GAP's */
    uint32_t *of; /* owned: by operation */
    uint32_t first_lane;
    GStringChunk *texts; /* owned */
} OpClasses;

void op_classes_init(OpClasses *classes, const OpGraph *graph);
void op_classes_clear(OpClasses *classes);

static inline const OpClass *op_class(const OpClasses *classes, uint32_t i)
{
    return &g_array_index(classes->all, OpClass, i);
}

ClassKind op_class_kind(const Op *op);
/* "res*.*.conv*" of "res2.1.conv1".  Owner: the caller. */
char *op_class_name(const char *name);

#endif
