/*
 * verify_collectives.h - carries data along with messages to prove that
 * collectives are correct
 *
 * The payload of a chunk is cut into atoms (verify_data_atoms.h). Initially
 * every NPU's copy of every atom is a different number. A message carries the
 * numbers that its blocks hold when it is sent. When the endpoint has processed
 * the message, its numbers are added (mod 2^64) or stored, as the endpoint
 * reports. At the end each NPU must hold what its collective promises
 * (workloads/collective.h): sums of all NPUs' numbers, or the numbers of each
 * NPU. A model that drops, duplicates, reorders or sends data too early ends
 * with other numbers, except with probability 2^-64.
 *
 * Numbers cannot show all errors, so more is checked.  A message must arrive
 * where its label says, from the expected sender, with as many bytes as its
 * atoms have.  Lanes that carry the same numbers in parallel must agree at the
 * end of a phase.  Operations must be done in the order of the workload, each
 * with its whole payload (verify_ops.h).
 *
 * A message that is reduced or gathered in a switch returns with the result,
 * and only after all NPUs have sent.
 *
 * Cost     memory of chunks in flight x NPUs^2 x lanes x 16 bytes
 * Errors   the first error is kept, see verify_first_error(), and ends the
 *          run with SYSTEM_ERROR_WRONG_DATA; later calls do nothing
 * Assumes  all NPUs are simulated
 */
#ifndef MODELS_OBSERVE_VERIFY_COLLECTIVES_H
#define MODELS_OBSERVE_VERIFY_COLLECTIVES_H

#include "models/run/system.h"

typedef struct Verify Verify;

/* Returns a verifier of the collectives of @graph, which is borrowed. */
Verify *collective_verifier_new(const OpGraph *graph, uint32_t n_npus);
/* Sets which NPUs run which operations in which groups.  @placement is
 * borrowed.  Without it all NPUs run all operations in one group. */
void verify_set_placement(Verify *verify, const CollPlacement *placement);
void collective_verifier_free(Verify *verify);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Verify, collective_verifier_free)

/* Returns the first error, or NULL if there is none so far. */
const char *verify_first_error(const Verify *verify);
/* Returns the number of chunks that were followed to their end on all NPUs. */
uint64_t verify_n_finished_chunks(const Verify *verify);

/* Returns a verifier that listens to @system from now on.  The caller frees it
 * after the run.  Returns NULL and sets @error if the run is too large. */
#define VERIFY_MAX_NPUS 512
G_GNUC_WARN_UNUSED_RESULT
Verify *verify_listen_to_system(System *system, GError **error);

/* ---- events of the run -------------------------------------------------- */

/* Records that @chunk begins on all NPUs. */
void verify_begin_chunk(Verify *verify, const Chunk *chunk);
/* Records that the NPU sends @message, of @bytes, with the numbers that it
 * holds. */
void verify_message_sent(Verify *verify, const TraceStep *step,
                         uint32_t message, uint64_t bytes);
/* Records that @message, of @bytes, arrives at the NPU.  It waits there until
 * the step is processed. */
void verify_message_arrives(Verify *verify, const TraceStep *step,
                            uint32_t message, uint64_t bytes);
/* Records that the message of the step is given to the endpoint. */
void verify_give_message_to_endpoint(Verify *verify, const TraceStep *step);
/* Records that the endpoint has added the message to its data, or stored it. */
void verify_process_message(Verify *verify, const TraceStep *step,
                            gboolean added);
/* Records that @npu leaves phase @phase of @chunk. */
void verify_leave_phase(Verify *verify, const Chunk *chunk, uint32_t npu,
                        uint32_t phase);
/* Checks the result of @chunk, which @npu has finished. */
void verify_finish_chunk(Verify *verify, const Chunk *chunk, uint32_t npu);
/* Records that all NPUs have finished @chunk, and its record will be reused. */
void verify_end_chunk(Verify *verify, const Chunk *chunk);

/* Records that instance @iteration of @op begins on @npu. */
void verify_begin_op(Verify *verify, uint32_t npu, uint32_t op,
                     uint64_t iteration);
/* Records that the current instance of @op ends on @npu. */
void verify_end_op(Verify *verify, uint32_t npu, uint32_t op);

/* A fused buffer of a collective lane is an operation that neither begins nor
 * ends alone. It begins as a load of collectives, before its members begin, and
 * ends before they end. */
void verify_begin_load(Verify *verify, uint32_t npu, const TraceLoad *load);
void verify_end_load(Verify *verify, uint32_t npu, const TraceLoad *load);

/* Checks at the end of the run that all NPUs have done @n_iterations, and that
 * no message is in flight. */
void verify_close_finished_run(Verify *verify, uint64_t n_iterations);
/* Checks a run that has stopped before its end, perhaps for lack of resources.
 * It is an error if a message was sent and never arrived and @may_be_lost, or
 * if a message that was due was not given to the endpoint. */
void verify_close_stopped_run(Verify *verify, gboolean may_be_lost);

#endif
