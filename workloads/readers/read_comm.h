/*
 * read_comm.h - for readers/ only: groups and uneven splits as PyTorch's files
 * say them
 *
 * Units    ranks of the world; bytes; rows, of which a tensor's first dimension
 *          has so many
 * Owner    the caller owns arrays that are returned, of uint64_t
 */
#ifndef WORKLOADS_READERS_READ_COMM_H
#define WORKLOADS_READERS_READ_COMM_H

#include "workloads/recording/recording.h"

#define READ_COMM_MAX_GROUP 65536 /* ranks, of a group that is no list */

/* "[0, 1]" as an array; NULL: it is none, or cut. */
GArray *read_list_of(const char *text);

/* A group of @ranks; RECORD_NONE: they are none. */
uint32_t read_add_group(Recording *recording, const GArray *ranks,
                        const char *name);
/* Of @n from @first on; RECORD_NONE: these numbers make no group. */
uint32_t read_add_stride(Recording *recording, int64_t first, int64_t stride,
                         int64_t n, const char *name);

/* As many bytes as each of @rows is of @bytes, which is all of them: a row is
 * as long as any other, and how long is not said.  NULL: @rows is NULL or
 * nothing. */
GArray *read_split_of(const GArray *rows, uint64_t bytes);

#endif
