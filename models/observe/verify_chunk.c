/*
 * verify_chunk.c - the numbers that each NPU holds of a chunk
 *
 * A chunk is divided into atoms, the smallest parts that an algorithm moves or
 * adds separately (verify_data_atoms.h).  One number stands for each atom.
 */
#include "models/observe/verify_chunk.h"

#include <string.h>

#include "models/observe/verify_data_atoms.h"
#include "sim/core/rng.h"

/* The numbers that all NPUs hold of one chunk. */
struct VerifyChunk {
    CollKind promised;
    const CollMembers *members; /* borrowed */
    uint32_t n_atoms;
    VerifyAtomSets *sets; /* owned: the atoms of each NPU and phase */
    uint64_t *values;     /* owned: the numbers by NPU, lane and atom */
    /* Owned: the sum of the numbers of a group's NPUs, by group and atom. */
    uint64_t *sums;
    /* Owned: TRUE if some NPU holds the atom after the collective, by group
     * and atom. */
    gboolean *is_held;
    /* Owned: progress_number_of_step() of the last step that was sent, by NPU
     * and lane. */
    uint64_t *sent;
    uint32_t n_lanes; /* largest number of parallel lanes of any phase */
    uint32_t n_finished;
};

static uint64_t initial_value_of_atom(const Chunk *chunk, uint32_t npu,
                                      uint32_t atom)
{
    return rng_value_at_indices(rng_new_stream(chunk->seq, "verify"), npu, atom,
                                0);
}

static uint64_t *values_of_npu_lane(const VerifyChunk *chunk, uint64_t *values,
                                    uint32_t npu, uint32_t lane)
{
    return &values[((gsize)npu * chunk->n_lanes + lane) * chunk->n_atoms];
}

static uint64_t progress_number_of_step(const TraceStep *step)
{
    return ((uint64_t)step->phase << 32 | step->step) + 1;
}

/* Returns the index of @atom in the group of @npu. */
static gsize index_of_atom_in_group(const VerifyChunk *chunk, uint32_t npu,
                                    uint32_t atom)
{
    return (gsize)coll_members_group_of_npu(chunk->members, npu) *
               chunk->n_atoms +
           atom;
}

static void make_initial_values(VerifyChunk *verify_chunk, const Chunk *chunk)
{
    uint32_t n_npus = verify_chunk->members->n_npus, n = verify_chunk->n_atoms;
    gsize n_values = (gsize)n_npus * verify_chunk->n_lanes * n;

    verify_chunk->values = g_new(uint64_t, n_values);
    verify_chunk->sums =
        g_new0(uint64_t, (gsize)verify_chunk->members->n_groups * n);
    verify_chunk->is_held =
        g_new0(gboolean, (gsize)verify_chunk->members->n_groups * n);
    verify_chunk->sent =
        g_new0(uint64_t, (gsize)n_npus * verify_chunk->n_lanes);
    for (uint32_t npu = 0; npu < n_npus; npu++) {
        uint64_t *first =
            values_of_npu_lane(verify_chunk, verify_chunk->values, npu, 0);

        for (uint32_t a = 0; a < n; a++) {
            first[a] = initial_value_of_atom(chunk, npu, a);
            if (coll_members_contain(verify_chunk->members, npu))
                verify_chunk
                    ->sums[index_of_atom_in_group(verify_chunk, npu, a)] +=
                    first[a];
        }
        for (uint32_t l = 1; l < verify_chunk->n_lanes; l++)
            memcpy(
                values_of_npu_lane(verify_chunk, verify_chunk->values, npu, l),
                first, n * sizeof *first);
    }
}

VerifyChunk *verify_chunk_new(const Chunk *chunk, CollKind kind,
                              const CollMembers *members)
{
    VerifyChunk *verify_chunk = g_new0(VerifyChunk, 1);

    verify_chunk->promised = kind;
    verify_chunk->members = members;
    for (uint32_t p = 0; p < chunk->plan->n_phases; p++)
        verify_chunk->n_lanes =
            MAX(verify_chunk->n_lanes, chunk_n_lanes_of_phase(chunk, p));
    verify_chunk->sets = verify_sets_new(chunk, kind, members);
    verify_chunk->n_atoms = verify_sets_n_atoms(verify_chunk->sets);
    make_initial_values(verify_chunk, chunk);
    return verify_chunk;
}

void verify_chunk_free(VerifyChunk *chunk)
{
    verify_sets_free(chunk->sets);
    g_free(chunk->values);
    g_free(chunk->sums);
    g_free(chunk->is_held);
    g_free(chunk->sent);
    g_free(chunk);
}

/* Returns a copy of the numbers of @n_blocks blocks from @first on, in the
 * parallel lane of the NPU. */
static VerifyNumbers *copy_numbers_of_blocks(const VerifyChunk *chunk,
                                             const TraceStep *step,
                                             const CollStep *coll_step,
                                             uint32_t first, uint32_t n_blocks)
{
    const uint64_t *values =
        values_of_npu_lane(chunk, chunk->values, step->npu, step->lane);
    uint32_t n_all = chunk_phase(step->chunk, step->phase)->n_blocks, n = 0;
    VerifyNumbers *load;

    for (uint32_t b = 0; b < n_blocks; b++)
        n += verify_sets_atoms_of_block(
                 chunk->sets, step->chunk, step->phase, step->npu,
                 coll_nth_block_of_step(coll_step, first, b, n_all))
                 .n;
    load = g_malloc(sizeof *load + n * sizeof load->items[0]);
    *load = (VerifyNumbers){ .seq = step->chunk->seq,
                             .phase = step->phase,
                             .lane = step->lane,
                             .step = step->step,
                             .npu = step->npu,
                             .n_blocks = n_blocks };
    for (uint32_t b = 0; b < n_blocks; b++) {
        Atoms atoms = verify_sets_atoms_of_block(
            chunk->sets, step->chunk, step->phase, step->npu,
            coll_nth_block_of_step(coll_step, first, b, n_all));

        for (uint32_t i = 0; i < atoms.n; i++) {
            load->items[load->n].atom = atoms.atoms[i];
            load->items[load->n++].value = values[atoms.atoms[i]];
        }
    }
    return load;
}

gboolean verify_chunk_has_sent_step(const VerifyChunk *chunk,
                                    const TraceStep *step)
{
    return chunk->sent[(gsize)step->npu * chunk->n_lanes + step->lane] >=
           progress_number_of_step(step);
}

VerifyNumbers *verify_chunk_send_step(VerifyChunk *chunk, const TraceStep *step)
{
    CollStep what =
        verify_algorithm_step(step->chunk, step->phase, step->npu, step->step);

    chunk->sent[(gsize)step->npu * chunk->n_lanes + step->lane] =
        progress_number_of_step(step);
    return copy_numbers_of_blocks(chunk, step, &what, what.send_block,
                                  what.n_blocks);
}

VerifyNumbers *verify_chunk_expected_message(const VerifyChunk *chunk,
                                             const TraceStep *step)
{
    CollStep what =
        verify_algorithm_step(step->chunk, step->phase, step->npu, step->step);

    return copy_numbers_of_blocks(chunk, step, &what, what.recv_block,
                                  coll_step_n_received_blocks(&what));
}

char *verify_chunk_apply_message(VerifyChunk *chunk, const TraceStep *step,
                                 const VerifyNumbers *load, gboolean added)
{
    uint64_t *values =
        values_of_npu_lane(chunk, chunk->values, step->npu, step->lane);
    g_autofree VerifyNumbers *due = verify_chunk_expected_message(chunk, step);

    if (load->n != due->n)
        return g_strdup("more or less came than was due");
    for (uint32_t i = 0; i < due->n; i++) {
        uint32_t atom = due->items[i].atom;

        if (load->items[i].atom != atom)
            return g_strdup("another block came than was due");
        values[atom] = load->items[i].value + (added ? values[atom] : 0);
    }
    return NULL;
}

char *verify_chunk_leave_phase(VerifyChunk *chunk, TraceStep *step)
{
    const uint64_t *first =
        values_of_npu_lane(chunk, chunk->values, step->npu, 0);
    Atoms set =
        verify_sets_atoms_of_phase(chunk->sets, step->phase + 1, step->npu);
    uint32_t n_lanes = chunk_n_lanes_of_phase(step->chunk, step->phase);

    for (step->lane = 1; step->lane < chunk->n_lanes; step->lane++) {
        uint64_t *values =
            values_of_npu_lane(chunk, chunk->values, step->npu, step->lane);

        for (uint32_t i = 0; i < set.n && step->lane < n_lanes; i++)
            if (values[set.atoms[i]] != first[set.atoms[i]])
                return g_strdup("lanes hold different data");
        memcpy(values, first, chunk->n_atoms * sizeof *values);
    }
    return NULL;
}

/* Returns the rank that begins with @atom, for kinds in which each rank begins
 * with a block. */
static uint32_t rank_that_begins_with_atom(const VerifyChunk *chunk,
                                           uint32_t atom)
{
    return atom / (chunk->n_atoms / chunk->members->n_ranks);
}

/* Returns the group of the promised collective, whose root is a rank of the
 * collective.  A channel may have its own order of ranks, in which its plan
 * names the root. */
static CollGroup group_of_promised_collective(const VerifyChunk *chunk,
                                              const TraceStep *step)
{
    const CollPhase *phase = chunk_phase(step->chunk, 0);
    CollGroup group = phase->group;

    if (phase->members.n_ranks != chunk->members->n_ranks)
        return group;
    group.from = coll_members_rank_of_npu(
        chunk->members,
        coll_members_npu_in_same_group(&phase->members, step->npu, group.from));
    group.to = coll_members_rank_of_npu(
        chunk->members,
        coll_members_npu_in_same_group(&phase->members, step->npu, group.to));
    return group;
}

/* Returns the number that @npu must have for @atom at the end.  An all-to-all
 * moves atoms between ranks (algorithm.h), but a rank that is sent nothing
 * keeps its own. */
static uint64_t expected_final_value(const VerifyChunk *chunk,
                                     const TraceStep *step, uint32_t atom)
{
    const CollContract *contract = coll_contract(chunk->promised);
    const CollGroup group = group_of_promised_collective(chunk, step);
    uint32_t rank = coll_members_rank_of_npu(chunk->members, step->npu),
             from = rank;

    if (contract->adds)
        return chunk->sums[index_of_atom_in_group(chunk, step->npu, atom)];
    if (coll_is_any_all_to_all(chunk->promised)) {
        if (group.weights && !coll_has_weight(group.weights, rank))
            return initial_value_of_atom(step->chunk, step->npu, atom);
        from = translate_rank_on_grid(
            &group, rank, rank_that_begins_with_atom(chunk, atom), TRUE);
    } else if (chunk->promised == COLL_SHIFT)
        from = subtract_modulo_n(rank, 1, chunk->members->n_ranks);
    else if (contract->others_have == COLL_BLOCK)
        from = rank_that_begins_with_atom(chunk, atom);
    else if (coll_weight_share_through_rank(&group, rank) != COLL_NOTHING)
        from = group.from;
    return initial_value_of_atom(
        step->chunk,
        coll_members_npu_in_same_group(chunk->members, step->npu, from), atom);
}

/* Returns whether the collective promises nothing to the NPU, so that its
 * result does not matter. */
static gboolean npu_is_promised_nothing(const VerifyChunk *chunk,
                                        const TraceStep *step)
{
    const CollGroup group = group_of_promised_collective(chunk, step);

    return chunk->promised != COLL_SEND &&
           coll_weight_share_through_rank(
               &group, coll_members_rank_of_npu(chunk->members, step->npu)) ==
               COLL_NOTHING;
}

char *verify_chunk_finish_on_npu(VerifyChunk *chunk, TraceStep *step)
{
    Atoms set = verify_sets_atoms_of_phase(chunk->sets, step->phase, step->npu);
    const uint64_t *values =
        values_of_npu_lane(chunk, chunk->values, step->npu, 0);
    gboolean narrows = coll_contract(chunk->promised)->others_get == COLL_BLOCK;

    chunk->n_finished++;
    if (npu_is_promised_nothing(chunk, step))
        return NULL;
    if (set.n !=
        (narrows ? chunk->n_atoms / chunk->members->n_ranks : chunk->n_atoms))
        return g_strdup_printf("ends with %u of %u parts", set.n,
                               chunk->n_atoms);
    for (uint32_t i = 0; i < set.n; i++) {
        uint32_t atom = set.atoms[i];

        if (values[atom] != expected_final_value(chunk, step, atom))
            return g_strdup_printf("part %u of the result is wrong", atom);
        if (narrows &&
            chunk->is_held[index_of_atom_in_group(chunk, step->npu, atom)])
            return g_strdup_printf("ends with part %u, as another NPU does",
                                   atom);
        chunk->is_held[index_of_atom_in_group(chunk, step->npu, atom)] = TRUE;
    }
    return NULL;
}

uint32_t verify_chunk_n_atoms(const VerifyChunk *chunk)
{
    return chunk->n_atoms;
}

uint32_t verify_chunk_n_finished(const VerifyChunk *chunk)
{
    return chunk->n_finished;
}
