/*
 * verify_meeting.h - numbers of messages that are reduced or gathered in a
 * switch, see verify.h
 *
 * For each atom the switch has the sum of what the NPUs have sent.  If only one
 * NPU has sent the atom (an all-gather), the sum is that NPU's number.
 *
 * Errors   a text that the caller frees, or NULL if all is right
 * Owner    the caller owns the reduction and the loads
 */
#ifndef MODELS_OBSERVE_VERIFY_MEETING_H
#define MODELS_OBSERVE_VERIFY_MEETING_H

#include "models/observe/verify_chunk.h"

typedef struct VerifyMeeting VerifyMeeting;

/* Returns the state for the messages of a group of @n_ranks and a chunk of
 * @n_atoms. */
VerifyMeeting *verify_meeting_new(uint32_t n_ranks, uint32_t n_atoms);
void verify_meeting_free(VerifyMeeting *reduction);

/* Adds the numbers of @up, which an NPU has sent to the switch. */
void verify_meeting_add(VerifyMeeting *reduction, const VerifyLoad *up);
/* Sets the numbers of @down, which names the atoms that are due. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_meeting_take(VerifyMeeting *reduction, VerifyLoad *down);
/* Returns whether all NPUs have received their message. */
gboolean verify_meeting_is_over(const VerifyMeeting *reduction);

#endif
