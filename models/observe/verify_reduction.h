/*
 * verify_reduction.h - numbers of messages that are reduced or gathered in a
 * switch, see verify_collectives.h
 *
 * For each atom the switch has the sum of what the NPUs have sent.  If only one
 * NPU has sent the atom (an all-gather), the sum is that NPU's number.
 *
 * Errors   a text that the caller frees, or NULL if all is right
 * Owner    the caller owns the reduction and the loads
 */
#ifndef MODELS_OBSERVE_VERIFY_REDUCTION_H
#define MODELS_OBSERVE_VERIFY_REDUCTION_H

#include "models/observe/verify_chunk.h"

typedef struct VerifyReduction VerifyReduction;

/* Returns the state for the messages of a group of @n_ranks and a chunk of
 * @n_atoms. */
VerifyReduction *verify_reduction_new(uint32_t n_ranks, uint32_t n_atoms);
void verify_reduction_free(VerifyReduction *reduction);

/* Adds the numbers of @up, which an NPU has sent to the switch. */
void verify_reduction_add_message(VerifyReduction *reduction,
                                  const VerifyNumbers *up);
/* Sets the checksums of @down, the message from the switch to an NPU, to those
 * of the sum that the switch has made.  @down lists the data that it should
 * hold. Returns what is wrong, or NULL; the caller owns the text. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_reduction_set_result(VerifyReduction *reduction,
                                  VerifyNumbers *down);
/* Returns whether all NPUs have received their message. */
gboolean verify_reduction_is_received_by_all(const VerifyReduction *reduction);

#endif
