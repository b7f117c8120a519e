/*
 * host_et_impl.h - one communicating operation; private to host_et/
 *
 * Units    bytes; rows (the size of the first dimension of a tensor)
 */
#ifndef WORKLOADS_READERS_HOST_ET_IMPL_H
#define WORKLOADS_READERS_HOST_ET_IMPL_H

#include "sim/config/json/pull_parser.h"
#include "workloads/readers/communication_kernels.h"
#include "workloads/readers/reader_common_impl.h"

#define HOST_ET_NONE INT64_MIN /* value of an absent number */

typedef struct {
    uint64_t at;      /* line in the file */
    gboolean is_comm; /* the name is that of a communicating operation */
    uint64_t id, function_id, thread;
    /* From the inputs and outputs. */
    /* Kind such as "all_to_allv", in .texts; NULL: not read yet. */
    const char *word;
    /* The number before .word in the inputs: the rank in its group. */
    int64_t before;
    /* Bytes of all input tensors, and of all output tensors. */
    uint64_t in_bytes, out_bytes;
    /* Rows per rank, owned; NULL if absent; the elements are uint64_t. */
    GArray *in_rows, *out_rows;
    /* From the attributes. */
    const char *group; /* name of the group, in .texts; NULL if absent */
    /* Members of the group, such as "[0, 1]", in .texts; NULL if absent. */
    const char *group_ranks;
    int64_t group_start, group_stride, group_size;
} HostEtNode;

void host_et_clear(HostEtNode *node);

/* Read the next value: an array, or an object with an array "values".
 * host_et_read_inputs() also reads the arguments after the tensors. */
void host_et_read_inputs(JsonPull *pull, Recording *recording,
                         HostEtNode *node);
void host_et_read_outputs(JsonPull *pull, HostEtNode *node);

#endif
