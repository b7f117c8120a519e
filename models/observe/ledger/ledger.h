/*
 * ledger.h - what each NPU began in a run, and each message that it sent
 *
 * Listens to a run of all NPUs.  Deeds are kernels, stages and collectives, in
 * the order in which they began: whatever one waits for stands before it.
 * Tensors that went as one are one deed, with members; a collective of one NPU
 * has no messages.
 *
 * Units    ps; bytes on the wire
 * Order    ledger_new(), system_run(), the rest
 * Owner    the caller owns the Ledger; the system must outlive it
 * Cost     96 bytes a message, at both ends
 */
#ifndef MODELS_OBSERVE_LEDGER_LEDGER_H
#define MODELS_OBSERVE_LEDGER_LEDGER_H

#include "models/run/system.h"

typedef struct {
    uint32_t op;
    uint64_t iteration;
    SimTime begin_ps, end_ps; /* with the idle time before it; of a collective
                               * both are its begin */
    guint first_member, n_members; /* of those that went as one; 0: it is one */
} LedgerDeed;

/* Chunks that stand by each other, in order, are of one deed. */
typedef struct {
    uint64_t chunk;
    uint64_t iteration; /* of its deed */
    uint64_t bytes;
    uint32_t op; /* likewise */
    uint32_t peer;
    uint32_t tag; /* of the step, of all NPUs: no other message has it, that
                   * goes between the two */
    uint32_t step, lane;
    uint8_t phase;
    guint8 is_send;
    guint8 is_independent; /* waits for no step before it */
} LedgerMessage;

typedef struct Ledger Ledger;

/* All NPUs are simulated. */
Ledger *ledger_new(System *system);
void ledger_free(Ledger *ledger);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Ledger, ledger_free)

/* Of LedgerDeed; of TraceMember. */
const GArray *ledger_deeds(const Ledger *ledger, uint32_t npu);
const GArray *ledger_members(const Ledger *ledger, uint32_t npu);
/* Of LedgerMessage, sent and received, by deed (operation, then iteration),
 * chunk, phase, lane and step, of one step what is sent first. */
const GArray *ledger_messages(Ledger *ledger, uint32_t npu);

/* What went on and is not in it: static text; NULL: nothing. */
const char *ledger_left_out(const Ledger *ledger);

#endif
