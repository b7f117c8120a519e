/*
 * verify_data_atoms.h - the atoms of a chunk that an NPU works on in each phase
 *
 * The payload of a chunk is cut into atoms, with equally many for each rank of
 * a group and for each block of a phase.  A message of a send has one atom.  If
 * each rank begins with a block, an NPU has the atoms of its block, otherwise
 * all atoms, whether they have a meaning yet or not.  An NPU that is in no
 * group has none.  A block of a phase is a part of what the NPU works on.  In a
 * gather or an all-gather it is a part of what some rank has.
 *
 * Owner    the caller owns the sets
 * Assumes  nothing about the plan: a wrong plan gives sets that break the
 *          contract, and blocks that do not exist
 */
#ifndef MODELS_OBSERVE_VERIFY_DATA_ATOMS_H
#define MODELS_OBSERVE_VERIFY_DATA_ATOMS_H

#include "models/collectives/chunk.h"

/* A sequence of atoms by number. */
typedef struct {
    uint32_t n;
    const uint32_t *atoms; /* borrowed */
} Atoms;

typedef struct VerifyAtomSets VerifyAtomSets;

/* Returns the sets of @chunk.  @kind is the promised collective, independent of
 * the plan. */
VerifyAtomSets *verify_sets_new(const Chunk *chunk, CollKind kind,
                                const CollMembers *members);
void verify_sets_free(VerifyAtomSets *sets);

/* Returns the number of atoms of the payload. */
uint32_t verify_sets_n_atoms(const VerifyAtomSets *sets);
/* Returns the atoms that @npu works on in @phase or, after the last phase, ends
 * with. */
Atoms verify_sets_atoms_of_phase(const VerifyAtomSets *sets, uint32_t phase,
                                 uint32_t npu);
/* Returns the atoms of a block; none if the block does not exist. */
Atoms verify_sets_atoms_of_block(const VerifyAtomSets *sets, const Chunk *chunk,
                                 uint32_t phase, uint32_t npu, uint32_t block);

/* Returns step @step of the algorithm of phase @phase on @npu.  @step must be
 * in range. */
CollStep verify_algorithm_step(const Chunk *chunk, uint32_t phase, uint32_t npu,
                               uint32_t step);

#endif
