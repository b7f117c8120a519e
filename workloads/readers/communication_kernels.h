/*
 * communication_kernels.h - communication kernels, groups and uneven splits in
 * PyTorch's formats; private to readers/
 *
 * Units    ranks of the world; bytes; rows (the size of the first dimension of
 *          a tensor)
 * Owner    the caller owns returned arrays; lists are of uint64_t
 */
#ifndef WORKLOADS_READERS_COMMUNICATION_KERNELS_H
#define WORKLOADS_READERS_COMMUNICATION_KERNELS_H

#include "workloads/recording/recording.h"

/* Largest group that can be given as a range. */
#define READ_COMM_MAX_GROUP 65536

/* Returns the compiled patterns (GPatternSpec) of ReadOptions.comm_patterns,
 * which may be NULL. */
GPtrArray *reader_compile_name_patterns(const char *const *patterns);
/* Returns whether @name is a kernel of NCCL or RCCL, or matches one of
 * @patterns. */
gboolean reader_is_communication_kernel(const GPtrArray *patterns,
                                        const char *name);
/* Returns the kind of a communication, and sets @as to its kind of node.  @name
 * comes from metadata, or is the name of a kernel without its arguments. */
CollKind reader_communication_kind_of_name(const char *name, RecordKind *as);

/* Parses a list such as "[0, 1]". Returns NULL if @text is not a list or is
 * truncated. */
GArray *reader_parse_number_list(const char *text);

/* Adds a group of @ranks and returns its index, or returns RECORD_NONE if they
 * are not valid ranks. */
uint32_t reader_add_group_of_ranks(Recording *recording, const GArray *ranks,
                                   const char *name);
/* Adds a group of which @text lists only the first ranks and perhaps the last,
 * as PyTorch writes a list of more than 30 ranks: "[0, 2, 4, ..., 126]".  The
 * differences of the ranks are continued up to @n ranks (the size of the group,
 * or less than 1 if it is unknown).  Returns its index, or RECORD_NONE if @text
 * is no such list, its differences do not repeat, or they do not lead to the
 * last rank. */
uint32_t reader_add_group_of_first_ranks(Recording *recording, const char *text,
                                         int64_t n, const char *name);
/* Adds a group of @n ranks from @first with a stride, and returns its index, or
 * returns RECORD_NONE if the numbers are not valid. */
uint32_t reader_add_group_by_stride(Recording *recording, int64_t first,
                                    int64_t stride, int64_t n,
                                    const char *name);

/* Divides @bytes in proportion to @rows, because all rows have the same unknown
 * size.  Returns NULL if @rows is NULL or its sum is 0. */
GArray *reader_bytes_of_splits(const GArray *rows, uint64_t bytes);

#endif
