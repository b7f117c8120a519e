/*
 * host_et_impl.h - for host_et/ only: one operation that communicates, as its
 * node says it
 *
 * Units    bytes; rows, of which a tensor's first dimension has so many
 */
#ifndef WORKLOADS_READERS_HOST_ET_IMPL_H
#define WORKLOADS_READERS_HOST_ET_IMPL_H

#include "workloads/readers/json/pull.h"
#include "workloads/readers/read_comm.h"
#include "workloads/readers/read_impl.h"

#define HOST_ET_NONE INT64_MIN /* a number that is not there */

typedef struct {
    uint64_t at;      /* line */
    gboolean is_comm; /* its name says so */
    uint64_t id, function_id, thread;
    /* of its inputs and outputs */
    const char *word; /* "all_to_allv", of .texts; NULL: none yet */
    int64_t before;   /* the number before that word: the rank in its group */
    uint64_t in_bytes, out_bytes; /* of all tensors */
    GArray *in_rows, *out_rows;   /* of uint64_t, owned; NULL: none */
    /* of its attributes */
    const char *group;       /* of .texts; NULL */
    const char *group_ranks; /* "[0, 1]", of .texts; NULL */
    int64_t group_start, group_stride, group_size;
} HostEtNode;

void host_et_clear(HostEtNode *node);

/* The value that comes next: an array, or an object that has one as "values".
 * What follows the tensors is read of inputs only. */
void host_et_read_inputs(JsonPull *pull, Recording *recording,
                         HostEtNode *node);
void host_et_read_outputs(JsonPull *pull, HostEtNode *node);

#endif
