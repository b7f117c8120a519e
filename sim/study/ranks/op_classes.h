/*
 * op_classes.h - groups operations by kind and name into classes
 *
 * The class of a kernel, a stage or a message is a pattern made from its name:
 *
 *     res2.1.conv1      res*.*.conv*    each number becomes *
 *     sgemm_128x64.12   sgemm_128x64.*  if a point and a number end the name,
 *                       only that number (imported programs)
 *     rank-3.sgemm.12   *sgemm.*        a role at the beginning becomes *
 *
 * The operations of a class match its pattern; others may match it, too.  The
 * class of a collective is its kind: "all-reduce".
 *
 * After the classes of operations there is one class per lane, and the last one
 * is for gaps.
 *
 * Owner    the caller owns the OpClasses; the graph must outlive it
 */
#ifndef SIM_STUDY_RANKS_OP_CLASSES_H
#define SIM_STUDY_RANKS_OP_CLASSES_H

#include "workloads/graph.h"

typedef enum {
    CLASS_KERNEL,
    CLASS_HOST,   /* work of a host thread or of the input pipeline */
    CLASS_DEVICE, /* work of the device other than kernels */
    CLASS_COLLECTIVE,
    CLASS_MESSAGE,
    CLASS_LANE, /* waiting in a lane before a collective */
    CLASS_GAP,  /* time without any known work */
    CLASS_N_KINDS,
} ClassKind;

extern const char *const class_kind_names[CLASS_N_KINDS + 1];

typedef struct {
    ClassKind kind;
    const char *name; /* owned by the OpClasses */
    uint32_t n_ops;
} OpClass;

typedef struct {
    GArray *classes;       /* owned: of OpClass; lanes follow operations, and
                            * CLASS_GAP       is the last */
    uint32_t *class_of_op; /* owned: class of each operation */
    uint32_t first_lane;
    GStringChunk *texts; /* owned: the names */
} OpClasses;

/* Fills @classes, which op_classes_clear() frees. */
void op_classes_init(OpClasses *classes, const OpGraph *graph);
void op_classes_clear(OpClasses *classes);

static inline const OpClass *op_class_at(const OpClasses *classes, uint32_t i)
{
    return &g_array_index(classes->classes, OpClass, i);
}

ClassKind op_class_kind_of_op(const Op *op);
/* Returns the pattern of a name, "res*.*.conv*" for "res2.1.conv1", which the
 * caller owns. */
char *op_class_name_pattern(const char *name);

#endif
