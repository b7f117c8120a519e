/*
 * message_ledger.h - lists what each NPU began in a run, and each message that
 * it sent or received
 *
 * The listener needs a run in which all NPUs are simulated.  Entries are
 * kernels, stages and collectives, in the order in which they began, so an
 * entry comes after all entries that it waited for.  Collectives that were
 * fused are one entry with members.  A collective of one NPU has no messages.
 *
 * Units    ps; bytes on the wire
 * Order    message_ledger_new(), system_run(), then the other functions
 * Owner    the caller owns the Ledger; the system must outlive it
 * Cost     96 bytes for each message, at both ends
 */
#ifndef MODELS_OBSERVE_LEDGER_MESSAGE_LEDGER_H
#define MODELS_OBSERVE_LEDGER_MESSAGE_LEDGER_H

#include "models/run/system.h"

typedef struct {
    uint32_t op;
    uint64_t iteration;
    /* Start and end, including the idle time before.  For a collective, both
     * are its start. */
    SimTime begin_ps, end_ps;
    /* The range of fused collectives in the members; 0 if it is not fused. */
    guint first_member, n_members;
} LedgerEntry;

/* A message as its sender or its receiver sees it.  Chunks with adjacent
 * numbers belong to the same entry. */
typedef struct {
    uint64_t chunk;
    uint64_t iteration; /* iteration of the entry that it belongs to */
    uint64_t bytes;
    uint32_t op; /* operation of the entry that it belongs to */
    uint32_t peer;
    uint32_t tag; /* unique for each pair of NPUs, so that both ends match */
    uint32_t step, lane;
    uint8_t phase;
    guint8 is_send;
    guint8 is_independent; /* its step waits for no earlier step */
} LedgerMessage;

typedef struct Ledger Ledger;

/* Returns a ledger of @system, whose NPUs must all be simulated. */
Ledger *message_ledger_new(System *system);
void message_ledger_free(Ledger *ledger);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Ledger, message_ledger_free)

/* Returns the entries of @npu as LedgerEntry, and the members of fused entries
 * as TraceMember. */
const GArray *ledger_entries_of_npu(const Ledger *ledger, uint32_t npu);
const GArray *ledger_fused_members_of_npu(const Ledger *ledger, uint32_t npu);
/* Returns the messages of @npu as LedgerMessage, sorted by entry (operation,
 * then iteration), chunk, phase, lane and step.  Within a step, sent messages
 * come first. */
const GArray *ledger_messages_of_npu(Ledger *ledger, uint32_t npu);

/* Returns a description of activity that the ledger lacks, as static text, or
 * NULL if it is complete. */
const char *ledger_unsupported_activity(const Ledger *ledger);

#endif
