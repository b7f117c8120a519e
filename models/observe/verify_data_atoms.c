/* verify_data_atoms.c - derives the atoms of each NPU and phase from the plan
 * alone */
#include "models/observe/verify_data_atoms.h"

#include <stdlib.h>

#include "sim/core/integer_math.h"

typedef struct {
    uint32_t n;
    uint32_t atoms[];
} AtomSet;

/* The atoms of a chunk that each NPU works on in each phase. */
struct VerifyAtomSets {
    uint32_t n_npus, n_atoms, n_sets;
    /* Owned, each owned: the set of NPU i in phase p is at p * n_npus + i. */
    AtomSet **sets;
};

static AtomSet *alloc_atom_set(uint32_t n)
{
    AtomSet *set = g_malloc(sizeof *set + (gsize)n * sizeof set->atoms[0]);

    set->n = n;
    return set;
}

static void append_atoms_to_set(AtomSet *set, Atoms atoms)
{
    for (uint32_t i = 0; i < atoms.n; i++)
        set->atoms[set->n++] = atoms.atoms[i];
}

static AtomSet **atom_set_of_phase_and_npu(VerifyAtomSets *sets, uint32_t phase,
                                           uint32_t npu)
{
    return &sets->sets[(gsize)phase * sets->n_npus + npu];
}

Atoms verify_sets_atoms_of_phase(const VerifyAtomSets *sets, uint32_t phase,
                                 uint32_t npu)
{
    const AtomSet *set = sets->sets[(gsize)phase * sets->n_npus + npu];

    return (Atoms){ set->n, set->atoms };
}

CollStep verify_algorithm_step(const Chunk *chunk, uint32_t phase, uint32_t npu,
                               uint32_t step)
{
    CollStep what;

    chunk_look_up_step(chunk, phase,
                       coll_rank_of_npu(chunk_phase(chunk, phase), npu), step,
                       &what);
    return what;
}

uint32_t verify_sets_n_atoms(const VerifyAtomSets *sets)
{
    return sets->n_atoms;
}

static gboolean collective_gathers_blocks(CollKind kind)
{
    return coll_contract(kind)->others_have == COLL_BLOCK;
}

Atoms verify_sets_atoms_of_block(const VerifyAtomSets *sets, const Chunk *chunk,
                                 uint32_t phase, uint32_t npu, uint32_t block)
{
    const CollPhase *coll_phase = chunk_phase(chunk, phase);
    Atoms atoms = verify_sets_atoms_of_phase(sets, phase, npu);
    uint32_t n_parts = coll_phase->n_blocks;

    if (block >= coll_phase->n_blocks || atoms.n == 0)
        return (Atoms){ 0, NULL };
    if (collective_gathers_blocks(coll_phase->group.kind)) {
        n_parts = MAX(1, coll_phase->n_blocks / coll_phase->group.n_ranks);
        atoms = verify_sets_atoms_of_phase(
            sets, phase,
            coll_npu_of_rank(
                coll_phase, npu,
                MIN(block / n_parts, coll_phase->group.n_ranks - 1)));
        block %= n_parts;
    }
    atoms.n /= n_parts;
    atoms.atoms += (gsize)block * atoms.n;
    return atoms;
}

static int compare_data_atoms(gconstpointer a, gconstpointer b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return one < other ? -1 : one > other;
}

/* Returns the union of the atoms of all blocks, but no more than all atoms if a
 * plan gathers a block twice. */
static AtomSet *union_of_block_atoms(const VerifyAtomSets *sets,
                                     const Chunk *chunk, uint32_t phase,
                                     uint32_t npu)
{
    const CollPhase *coll_phase = chunk_phase(chunk, phase);
    AtomSet *all = alloc_atom_set(sets->n_atoms);

    all->n = 0;
    for (uint32_t b = 0; b < coll_phase->n_blocks; b++) {
        Atoms block = verify_sets_atoms_of_block(sets, chunk, phase, npu, b);

        block.n = MIN(block.n, sets->n_atoms - all->n);
        append_atoms_to_set(all, block);
    }
    qsort(all->atoms, all->n, sizeof all->atoms[0], compare_data_atoms);
    return all;
}

/* Appends to @set the atoms that a reduce-scatter or a scatter leaves the NPU.
 * If the algorithm describes all ranks, that is the block of the last step.
 * Otherwise it is the rank's own share of the blocks. */
static void append_atoms_left_by_reduce_scatter(AtomSet *set,
                                                const VerifyAtomSets *sets,
                                                const Chunk *chunk,
                                                uint32_t phase, uint32_t npu)
{
    const CollPhase *coll_phase = chunk_phase(chunk, phase);
    uint32_t n = MAX(1, coll_phase->n_blocks / coll_phase->group.n_ranks);
    uint32_t first = coll_rank_of_npu(coll_phase, npu) * n;

    if (!coll_phase->algorithm->partial)
        first =
            verify_algorithm_step(chunk, phase, npu, coll_phase->n_steps - 1)
                .recv_block;
    for (uint32_t b = first; b < first + n; b++)
        append_atoms_to_set(
            set, verify_sets_atoms_of_block(sets, chunk, phase, npu, b));
}

static gboolean collective_leaves_one_block(CollKind kind)
{
    return coll_contract(kind)->others_get == COLL_BLOCK;
}

/* Returns the atoms that the NPU works on after the phase. */
static AtomSet *atoms_after_phase(const VerifyAtomSets *sets,
                                  const Chunk *chunk, uint32_t phase,
                                  uint32_t npu)
{
    const CollPhase *coll_phase = chunk_phase(chunk, phase);
    Atoms atoms = verify_sets_atoms_of_phase(sets, phase, npu);
    AtomSet *next;

    if (atoms.n == 0) /* the NPU is in no group */
        return alloc_atom_set(0);
    if (collective_gathers_blocks(coll_phase->group.kind))
        return union_of_block_atoms(sets, chunk, phase, npu);
    next = alloc_atom_set(atoms.n);
    next->n = 0;
    if (collective_leaves_one_block(coll_phase->group.kind))
        append_atoms_left_by_reduce_scatter(next, sets, chunk, phase, npu);
    else
        append_atoms_to_set(next, atoms);
    return next;
}

static AtomSet *atoms_before_first_phase(CollKind kind,
                                         const CollMembers *members,
                                         uint32_t n_atoms, uint32_t npu)
{
    uint32_t first = 0;
    AtomSet *set;

    if (!coll_members_contain(members, npu))
        return alloc_atom_set(0);
    if (collective_gathers_blocks(kind)) {
        n_atoms /= members->n_ranks;
        first = coll_members_rank_of_npu(members, npu) * n_atoms;
    }
    set = alloc_atom_set(n_atoms);
    for (uint32_t a = 0; a < n_atoms; a++)
        set->atoms[a] = first + a;
    return set;
}

/* Returns the number of atoms: a multiple of @n_ranks that each phase can
 * divide evenly by its number of blocks. */
static uint32_t count_atoms_of_chunk(const Chunk *chunk, CollKind kind,
                                     uint32_t n_ranks)
{
    uint32_t n = n_ranks, times = 1;

    if (kind == COLL_SEND)
        return 1;
    for (uint32_t p = 0; p < chunk->plan->n_phases; p++) {
        const CollPhase *phase = chunk_phase(chunk, p);
        uint32_t n_blocks = (uint32_t)(phase->divisor * phase->n_blocks);
        uint64_t more = n_blocks / greatest_common_divisor(n_blocks, n_ranks);

        times *= (uint32_t)(more / greatest_common_divisor(more, times));
    }
    return n * times;
}

VerifyAtomSets *verify_sets_new(const Chunk *chunk, CollKind kind,
                                const CollMembers *members)
{
    uint32_t n_npus = members->n_npus;
    uint32_t n_phases = chunk->plan->n_phases;
    uint32_t n_sets = (n_phases + 1) * n_npus;
    VerifyAtomSets *sets = g_new(VerifyAtomSets, 1);

    sets->n_npus = n_npus;
    sets->n_atoms = count_atoms_of_chunk(chunk, kind, members->n_ranks);
    sets->n_sets = n_sets;
    sets->sets = g_new(AtomSet *, n_sets);
    for (uint32_t npu = 0; npu < n_npus; npu++)
        *atom_set_of_phase_and_npu(sets, 0, npu) =
            atoms_before_first_phase(kind, members, sets->n_atoms, npu);
    for (uint32_t p = 0; p < n_phases; p++)
        for (uint32_t npu = 0; npu < n_npus; npu++)
            *atom_set_of_phase_and_npu(sets, p + 1, npu) =
                atoms_after_phase(sets, chunk, p, npu);
    return sets;
}

void verify_sets_free(VerifyAtomSets *sets)
{
    if (!sets)
        return;
    for (uint32_t i = 0; i < sets->n_sets; i++)
        g_free(sets->sets[i]);
    g_free(sets->sets);
    g_free(sets);
}
