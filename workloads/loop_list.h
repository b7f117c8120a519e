/* loop_list.h - all loops, in the order in which they are listed; a file in
 * loops/ and a line here are all that one more needs */
#ifndef WORKLOADS_LOOP_LIST_H
#define WORKLOADS_LOOP_LIST_H

/* clang-format off */
#define LOOPS(Add)           \
    Add(loop_data_parallel)  \
    Add(loop_dlrm)           \
    Add(loop_collective)     \
    Add(loop_beside)         \
    Add(loop_program)
/* clang-format on */

#endif
