/*
 * verify_meeting.h - the numbers of messages that meet in a switch: verify.h
 *
 * Of every atom the switch has the sum of what went up, which is one NPU's own
 * number where only that NPU has sent it (an all-gather).
 *
 * Errors   a text that says what is wrong, for the caller to free; NULL: fine
 * Owner    the caller owns the meeting and the loads
 */
#ifndef MODELS_OBSERVE_VERIFY_MEETING_H
#define MODELS_OBSERVE_VERIFY_MEETING_H

#include "models/observe/verify_chunk.h"

typedef struct VerifyMeeting VerifyMeeting;

/* Of the messages of the @n_ranks of a group, and of a chunk's @n_atoms. */
VerifyMeeting *verify_meeting_new(uint32_t n_ranks, uint32_t n_atoms);
void verify_meeting_free(VerifyMeeting *meeting);

void verify_meeting_add(VerifyMeeting *meeting, const VerifyLoad *up);
/* Fills in the numbers of @down, which says which atoms are due. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_meeting_take(VerifyMeeting *meeting, VerifyLoad *down);
/* All have taken what came down for them. */
gboolean verify_meeting_is_over(const VerifyMeeting *meeting);

#endif
