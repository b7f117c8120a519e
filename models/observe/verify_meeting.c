/* verify_meeting.c - sums of the numbers that reach a switch */
#include "models/observe/verify_meeting.h"

struct VerifyMeeting {
    uint32_t n_ranks, n_up, n_down;
    uint64_t *sums;    /* owned: by atom */
    uint32_t *n_added; /* owned: number of terms of each sum */
};

VerifyMeeting *verify_meeting_new(uint32_t n_ranks, uint32_t n_atoms)
{
    VerifyMeeting *meeting = g_new0(VerifyMeeting, 1);

    meeting->n_ranks = n_ranks;
    meeting->sums = g_new0(uint64_t, n_atoms);
    meeting->n_added = g_new0(uint32_t, n_atoms);
    return meeting;
}

void verify_meeting_free(VerifyMeeting *meeting)
{
    if (!meeting)
        return;
    g_free(meeting->sums);
    g_free(meeting->n_added);
    g_free(meeting);
}

void verify_meeting_add(VerifyMeeting *meeting, const VerifyLoad *up)
{
    meeting->n_up++;
    for (uint32_t i = 0; i < up->n; i++) {
        meeting->sums[up->items[i].atom] += up->items[i].value;
        meeting->n_added[up->items[i].atom]++;
    }
}

char *verify_meeting_take(VerifyMeeting *meeting, VerifyLoad *down)
{
    meeting->n_down++;
    if (meeting->n_up != meeting->n_ranks)
        return g_strdup_printf("came down when %u of %u NPUs had sent theirs",
                               meeting->n_up, meeting->n_ranks);
    for (uint32_t i = 0; i < down->n; i++) {
        uint32_t atom = down->items[i].atom;

        if (meeting->n_added[atom] == 0)
            return g_strdup_printf("part %u came down and never went up", atom);
        down->items[i].value = meeting->sums[atom];
    }
    return NULL;
}

gboolean verify_meeting_is_over(const VerifyMeeting *meeting)
{
    return meeting->n_down == meeting->n_ranks;
}
