/*
 * read_impl.h - for readers/ only: what several formats have in common
 *
 * Texts of files are anybody's: what goes into a recording is UTF-8 without
 * control characters.
 */
#ifndef WORKLOADS_READERS_READ_IMPL_H
#define WORKLOADS_READERS_READ_IMPL_H

#include "workloads/readers/read.h"

#define READ_MAX_PS      UINT64_C(1000000000000000) /* of a node */
#define READ_PS_PER_S    UINT64_C(1000000000000)
#define READ_MAX_BYTES   (UINT64_C(1) << 50) /* of a payload */
#define READ_MAX_FLOP    (UINT64_C(1) << 60) /* of a node */
#define READ_MAX_STREAMS 4096                /* of a rank */

/* "FILE: byte N: what is wrong", of a binary file. */
void read_fail_at(GError **error, const Source *source, uint64_t at,
                  const char *format, ...) G_GNUC_PRINTF(4, 5);

/* record_text() of what may be anything; "" of nothing. */
const char *read_text(Recording *recording, const char *text, gsize n_bytes);

/* RANK of a file named "...NAME.RANK@suffix", or that and ".gz", NAME being
 * anything; else RECORD_NO_RANK. */
uint32_t read_rank_of_name(const char *file, const char *suffix);

/* A stream or a thread by its number, "stream 7"; RECORD_NONE with @error set:
 * the rank has too many of them. */
G_GNUC_WARN_UNUSED_RESULT
uint32_t read_add_stream(const Source *source, Recording *recording,
                         RecordRank *rank, uint64_t id, gboolean is_host,
                         GError **error);

/* "ncclKernel_AllReduce_RING", "c10d::reduce_scatter_": the kind that a name
 * has in it; COLL_N_ALL_KINDS: none.  @name needs no NUL behind it. */
CollKind read_kind_of_name(const char *name, gsize n_bytes);
/* "cudaStreamSynchronize": a thread waits for the device. */
gboolean read_is_wait(const char *name, gsize n_bytes);

/* What a kernel without a duration does: kernel @node of @rank does @flop and
 * moves @bytes.  Nothing, if both are 0, or @node is no kernel or has a
 * duration. */
void read_add_work(RecordRank *rank, uint32_t node, uint64_t flop,
                   uint64_t bytes);

#endif
