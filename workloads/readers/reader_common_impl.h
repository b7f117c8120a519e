/*
 * reader_common_impl.h - helpers that several readers share; private to
 * readers/
 *
 * Texts of files are untrusted.  All texts in a recording are valid UTF-8
 * without control characters.
 */
#ifndef WORKLOADS_READERS_READER_COMMON_IMPL_H
#define WORKLOADS_READERS_READER_COMMON_IMPL_H

#include "workloads/readers/reader_table.h"

#define READ_MAX_PS   UINT64_C(1000000000000000) /* longest time of a node */
#define READ_PS_PER_S UINT64_C(1000000000000)
/* Largest payload of a communication. */
#define READ_MAX_BYTES (UINT64_C(1) << 50)
#define READ_MAX_FLOP  (UINT64_C(1) << 60) /* largest work of a node */
/* Largest number of streams per rank. */
#define READ_MAX_STREAMS 4096

/* Sets "FILE: byte N: what is wrong", the error of a binary file. */
void reader_set_binary_error(GError **error, const Source *source, uint64_t at,
                             const char *format, ...) G_GNUC_PRINTF(4, 5);

/* Returns recording_store_text() of bytes that need not be valid text; "" if
 * @n_bytes is 0. */
const char *reader_store_text(Recording *recording, const char *text,
                              gsize n_bytes);

/* Returns the rank in the name of @file, "ANYTHING.RANK@suffix", with or
 * without ".gz", or RECORD_NO_RANK if the name has another form. */
uint32_t reader_rank_of_file_name(const char *file, const char *suffix);

/* Returns the stream or host thread with number @id, named "stream 7", and adds
 * it if it is new.  Returns RECORD_NONE and sets @error if the rank has too
 * many. */
G_GNUC_WARN_UNUSED_RESULT
uint32_t reader_add_stream(const Source *source, Recording *recording,
                           RecordRank *rank, uint64_t id, gboolean is_host,
                           GError **error);

/* Returns the kind of collective that @name contains, such as
 * "ncclKernel_AllReduce_RING" or "c10d::reduce_scatter_". Returns
 * COLL_N_ALL_KINDS if there is none.  @name need not end with NUL. */
CollKind reader_collective_kind_of_name(const char *name, gsize n_bytes);
/* Returns whether the call @name waits for the device, such as
 * "cudaStreamSynchronize". */
gboolean reader_is_device_wait_call(const char *name, gsize n_bytes);

/* Returns which word makes @name that of a step, or -1 if none does: a word
 * such as "step" or "iteration" with a number, as "step 12" or
 * "ProfilerStep#3", or Lightning's name of a step.  Equal words have equal
 * numbers. */
int reader_find_step_word(const char *name);
static inline gboolean reader_is_step_mark(const char *name)
{
    return reader_find_step_word(name) >= 0;
}

/* Sets the work of node @node of @rank, a kernel without a duration.  Does
 * nothing if @flop and @bytes are 0, or if the node has a duration or is no
 * kernel. */
void reader_add_kernel_work(RecordRank *rank, uint32_t node, uint64_t flop,
                            uint64_t bytes);

#endif
