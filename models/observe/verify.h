/*
 * verify.h - data carried along, to prove that collectives keep their promise
 *
 * The payload of a chunk is cut into atoms (verify_sets.h), and every NPU's
 * copy of every atom begins as a number of its own.  Messages carry the numbers
 * that their blocks hold when they are sent; when the endpoint has taken one
 * in, its numbers are added (mod 2^64) or stored, as the endpoint says it did.
 * In the end each NPU must hold what its collective promises
 * (workloads/collective.h): sums of all NPUs' numbers, or every NPU's own.  A
 * model that drops, duplicates, reorders or sends too early ends with other
 * numbers, but for one time in 2^64.
 *
 * Numbers cannot see everything.  So a message must also come where its label
 * says, from whom it is due, with as many bytes as its atoms are; lanes, which
 * carry the same numbers side by side, must agree when a phase ends; and
 * operations must be done in the order of the workload, each with all of its
 * payload (verify_ops.h).
 *
 * A message that met those of all others in a switch comes with what that made
 * of them, sums or blocks side by side, and not before all have gone up.
 *
 * Cost     memory of chunks in flight x NPUs^2 x lanes x 16 bytes
 * Errors   the first thing wrong is kept, verify_error(), and ends the run
 *          with SYSTEM_ERROR_WRONG_DATA; later calls do nothing
 * Assumes  every NPU is simulated
 */
#ifndef MODELS_OBSERVE_VERIFY_H
#define MODELS_OBSERVE_VERIFY_H

#include "models/run/system.h"

typedef struct Verify Verify;

/* @graph is borrowed. */
Verify *verify_new(const OpGraph *graph, uint32_t n_npus);
/* Who runs what, in which groups: borrowed.  Else all NPUs run all, in one. */
void verify_set_cast(Verify *verify, const CollCast *cast);
void verify_free(Verify *verify);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Verify, verify_free)

/* NULL: nothing is wrong so far. */
const char *verify_error(const Verify *verify);
/* Chunks that were followed to their end on every NPU. */
uint64_t verify_n_chunks(const Verify *verify);

/* Listens to @system from now on.  The caller frees it after the run. */
#define VERIFY_MAX_NPUS 512
G_GNUC_WARN_UNUSED_RESULT
Verify *verify_listen(System *system, GError **error);

/* ---- what it is told -------------------------------------------------- */

void verify_begin(Verify *verify, const Chunk *chunk);
/* @message, of @bytes, sets out with what the NPU has now. */
void verify_send(Verify *verify, const TraceStep *at, uint32_t message,
                 uint64_t bytes);
/* @message, of @bytes now, is at the NPU; it waits there until the step is
 * handled. */
void verify_arrive(Verify *verify, const TraceStep *at, uint32_t message,
                   uint64_t bytes);
/* The endpoint is handed what came for the step, */
void verify_receive(Verify *verify, const TraceStep *at);
/* and has @added it to what was there, or stored it. */
void verify_handle(Verify *verify, const TraceStep *at, gboolean added);
/* The NPU leaves @phase. */
void verify_leave(Verify *verify, const Chunk *chunk, uint32_t npu,
                  uint32_t phase);
/* The NPU is done with @chunk. */
void verify_finish(Verify *verify, const Chunk *chunk, uint32_t npu);
/* All are, and its record will serve another. */
void verify_end(Verify *verify, const Chunk *chunk);

/* Instance @iteration of @op begins on @npu; the one that has begun ends. */
void verify_begin_op(Verify *verify, uint32_t npu, uint32_t op,
                     uint64_t iteration);
void verify_end_op(Verify *verify, uint32_t npu, uint32_t op);

/* A buffer of a lane is an operation that neither begins nor ends; it does so
 * as a load, before its members begin, and before they end. */
void verify_begin_load(Verify *verify, uint32_t npu, const TraceLoad *load);
void verify_end_load(Verify *verify, uint32_t npu, const TraceLoad *load);

/* All NPUs have done @n_iterations, and nothing moves any more. */
void verify_close(Verify *verify, uint64_t n_iterations);
/* Nothing moves any more, but not all is done.  That may be for want of some
 * resource; it is an error where something went out and never came, if
 * @may_be_lost, or came when it was due and was not handed on. */
void verify_stall(Verify *verify, gboolean may_be_lost);

#endif
