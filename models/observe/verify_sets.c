/* verify_sets.c - derives the atoms of each NPU and phase from the plan
 * alone */
#include "models/observe/verify_sets.h"

#include <stdlib.h>

typedef struct {
    uint32_t n;
    uint32_t atoms[];
} AtomSet;

/* The atoms of a chunk that each NPU works on in each phase. */
struct VerifySets {
    uint32_t n_npus, n_atoms, n_sets;
    /* Owned, each owned: the set of NPU i in phase p is at p * n_npus + i. */
    AtomSet **sets;
};

static AtomSet *set_new(uint32_t n)
{
    AtomSet *set = g_malloc(sizeof *set + (gsize)n * sizeof set->atoms[0]);

    set->n = n;
    return set;
}

static void add(AtomSet *set, Atoms atoms)
{
    for (uint32_t i = 0; i < atoms.n; i++)
        set->atoms[set->n++] = atoms.atoms[i];
}

static AtomSet **slot(VerifySets *sets, uint32_t phase, uint32_t npu)
{
    return &sets->sets[(gsize)phase * sets->n_npus + npu];
}

Atoms verify_sets_of(const VerifySets *sets, uint32_t phase, uint32_t npu)
{
    const AtomSet *set = sets->sets[(gsize)phase * sets->n_npus + npu];

    return (Atoms){ set->n, set->atoms };
}

CollStep verify_step_of(const Chunk *chunk, uint32_t phase, uint32_t npu,
                        uint32_t step)
{
    CollStep what;

    chunk_step(chunk, phase, coll_rank(chunk_phase(chunk, phase), npu), step,
               &what);
    return what;
}

uint32_t verify_sets_n_atoms(const VerifySets *sets)
{
    return sets->n_atoms;
}

static gboolean gathers(CollKind kind)
{
    return coll_contract(kind)->others_have == COLL_BLOCK;
}

Atoms verify_sets_block(const VerifySets *sets, const Chunk *chunk,
                        uint32_t phase, uint32_t npu, uint32_t block)
{
    const CollPhase *p = chunk_phase(chunk, phase);
    Atoms atoms = verify_sets_of(sets, phase, npu);
    uint32_t n_parts = p->n_blocks;

    if (block >= p->n_blocks || atoms.n == 0)
        return (Atoms){ 0, NULL };
    if (gathers(p->group.kind)) {
        n_parts = MAX(1, p->n_blocks / p->group.n_ranks);
        atoms = verify_sets_of(
            sets, phase,
            coll_peer(p, npu, MIN(block / n_parts, p->group.n_ranks - 1)));
        block %= n_parts;
    }
    atoms.n /= n_parts;
    atoms.atoms += (gsize)block * atoms.n;
    return atoms;
}

static int compare_atoms(gconstpointer a, gconstpointer b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return one < other ? -1 : one > other;
}

/* Returns the union of the atoms of all blocks, but no more than all atoms if a
 * plan gathers a block twice. */
static AtomSet *gather_atoms(const VerifySets *sets, const Chunk *chunk,
                             uint32_t phase, uint32_t npu)
{
    const CollPhase *p = chunk_phase(chunk, phase);
    AtomSet *all = set_new(sets->n_atoms);

    all->n = 0;
    for (uint32_t b = 0; b < p->n_blocks; b++) {
        Atoms block = verify_sets_block(sets, chunk, phase, npu, b);

        block.n = MIN(block.n, sets->n_atoms - all->n);
        add(all, block);
    }
    qsort(all->atoms, all->n, sizeof all->atoms[0], compare_atoms);
    return all;
}

/* Appends to @set the atoms that a reduce-scatter or a scatter leaves the NPU.
 * If the algorithm describes all ranks, that is the block of the last step.
 * Otherwise it is the rank's own share of the blocks. */
static void add_own(AtomSet *set, const VerifySets *sets, const Chunk *chunk,
                    uint32_t phase, uint32_t npu)
{
    const CollPhase *p = chunk_phase(chunk, phase);
    uint32_t n = MAX(1, p->n_blocks / p->group.n_ranks);
    uint32_t first = coll_rank(p, npu) * n;

    if (!p->algorithm->partial)
        first = verify_step_of(chunk, phase, npu, p->n_steps - 1).recv_block;
    for (uint32_t b = first; b < first + n; b++)
        add(set, verify_sets_block(sets, chunk, phase, npu, b));
}

static gboolean narrows(CollKind kind)
{
    return coll_contract(kind)->others_get == COLL_BLOCK;
}

/* Returns the atoms that the NPU works on after the phase. */
static AtomSet *next_set(const VerifySets *sets, const Chunk *chunk,
                         uint32_t phase, uint32_t npu)
{
    const CollPhase *p = chunk_phase(chunk, phase);
    Atoms atoms = verify_sets_of(sets, phase, npu);
    AtomSet *next;

    if (atoms.n == 0) /* the NPU is in no group */
        return set_new(0);
    if (gathers(p->group.kind))
        return gather_atoms(sets, chunk, phase, npu);
    next = set_new(atoms.n);
    next->n = 0;
    if (narrows(p->group.kind))
        add_own(next, sets, chunk, phase, npu);
    else
        add(next, atoms);
    return next;
}

static AtomSet *first_set(CollKind kind, const CollMembers *members,
                          uint32_t n_atoms, uint32_t npu)
{
    uint32_t first = 0;
    AtomSet *set;

    if (!coll_members_has(members, npu))
        return set_new(0);
    if (gathers(kind)) {
        n_atoms /= members->n_ranks;
        first = coll_members_rank(members, npu) * n_atoms;
    }
    set = set_new(n_atoms);
    for (uint32_t a = 0; a < n_atoms; a++)
        set->atoms[a] = first + a;
    return set;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t remainder = a % b;

        a = b;
        b = remainder;
    }
    return a;
}

/* Returns the number of atoms: a multiple of @n_ranks that each phase can
 * divide evenly by its number of blocks. */
static uint32_t count_atoms(const Chunk *chunk, CollKind kind, uint32_t n_ranks)
{
    uint32_t n = n_ranks, times = 1;

    if (kind == COLL_SEND)
        return 1;
    for (uint32_t p = 0; p < chunk->plan->n_phases; p++) {
        const CollPhase *phase = chunk_phase(chunk, p);
        uint32_t n_blocks = (uint32_t)(phase->divisor * phase->n_blocks);
        uint32_t more = n_blocks / common_divisor(n_blocks, n_ranks);

        times *= more / common_divisor(more, times);
    }
    return n * times;
}

VerifySets *verify_sets_new(const Chunk *chunk, CollKind kind,
                            const CollMembers *members)
{
    uint32_t n_npus = members->n_npus;
    uint32_t n_phases = chunk->plan->n_phases;
    uint32_t n_sets = (n_phases + 1) * n_npus;
    VerifySets *sets = g_new(VerifySets, 1);

    sets->n_npus = n_npus;
    sets->n_atoms = count_atoms(chunk, kind, members->n_ranks);
    sets->n_sets = n_sets;
    sets->sets = g_new(AtomSet *, n_sets);
    for (uint32_t npu = 0; npu < n_npus; npu++)
        *slot(sets, 0, npu) = first_set(kind, members, sets->n_atoms, npu);
    for (uint32_t p = 0; p < n_phases; p++)
        for (uint32_t npu = 0; npu < n_npus; npu++)
            *slot(sets, p + 1, npu) = next_set(sets, chunk, p, npu);
    return sets;
}

void verify_sets_free(VerifySets *sets)
{
    if (!sets)
        return;
    for (uint32_t i = 0; i < sets->n_sets; i++)
        g_free(sets->sets[i]);
    g_free(sets->sets);
    g_free(sets);
}
