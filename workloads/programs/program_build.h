/*
 * program_build.h - builds a graph from the items of a program
 *
 * Errors   CONFIG_ERROR at the operation
 */
#ifndef WORKLOADS_PROGRAMS_PROGRAM_BUILD_H
#define WORKLOADS_PROGRAMS_PROGRAM_BUILD_H

#include "workloads/mesh/mesh.h"
#include "workloads/workload.h"

/* Adds the operations of @items, an array of ProgramItem, to @graph. */
G_GNUC_WARN_UNUSED_RESULT
gboolean program_build_items(const TrainingConfig *training, OpGraph *graph,
                             GArray *items, GError **error);
/* Appends the keys of a program's file that precede its groups and roles. */
void program_write_head(GString *out, const char *name, const MeshConfig *mesh);

#endif
