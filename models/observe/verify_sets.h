/*
 * verify_sets.h - which parts of a chunk an NPU works on, phase by phase
 *
 * The payload of a chunk is cut into atoms, equally many for each rank of a
 * group and for each block of a phase; that of a message is one.  Where each
 * rank begins with a block, an NPU has the atoms of its own, else all of them,
 * whether they mean something yet or not.  Who is in no group has none.  A
 * block of a phase is a part of what the NPU works on; of a gather or an
 * all-gather it is a part of what some rank has.
 *
 * Owner    the caller owns the sets
 * Assumes  nothing of the plan: one that makes no sense gives sets that keep
 *          no promise, and blocks that do not exist
 */
#ifndef MODELS_OBSERVE_VERIFY_SETS_H
#define MODELS_OBSERVE_VERIFY_SETS_H

#include "models/collectives/chunk.h"

/* Atoms in a row, by number. */
typedef struct {
    uint32_t n;
    const uint32_t *atoms; /* borrowed */
} Atoms;

typedef struct VerifySets VerifySets;

/* @kind is what was promised, whatever the plan of the chunk does. */
VerifySets *verify_sets_new(const Chunk *chunk, CollKind kind,
                            const CollMembers *members);
void verify_sets_free(VerifySets *sets);

/* How many there are. */
uint32_t verify_sets_n_atoms(const VerifySets *sets);
/* What @npu works on in @phase; after the last one, what it ends with. */
Atoms verify_sets_of(const VerifySets *sets, uint32_t phase, uint32_t npu);
/* None where there is no such block. */
Atoms verify_sets_block(const VerifySets *sets, const Chunk *chunk,
                        uint32_t phase, uint32_t npu, uint32_t block);

/* What the algorithm says of a step, whose number has to be in range. */
CollStep verify_step_of(const Chunk *chunk, uint32_t phase, uint32_t npu,
                        uint32_t step);

#endif
