/*
 * read_comm.h - for readers/ only: kernels, groups and uneven splits as
 * PyTorch's files say them
 *
 * Units    ranks of the world; bytes; rows, of which a tensor's first dimension
 *          has so many
 * Owner    the caller owns arrays that are returned; lists are of uint64_t
 */
#ifndef WORKLOADS_READERS_READ_COMM_H
#define WORKLOADS_READERS_READ_COMM_H

#include "workloads/recording/recording.h"

#define READ_COMM_MAX_GROUP 65536 /* ranks, of a group that is no list */

/* Of ReadOptions.comm_patterns, which may be NULL: of GPatternSpec. */
GPtrArray *read_patterns(const char *const *patterns);
/* A kernel of NCCL's or RCCL's, or that one of @patterns is like. */
gboolean read_is_comm(const GPtrArray *patterns, const char *name);
/* Of metadata, or of the name of a kernel up to its arguments. */
CollKind read_comm_kind(const char *name, RecordKind *as);

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
