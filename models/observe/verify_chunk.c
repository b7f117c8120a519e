/* verify_chunk.c - the numbers that each NPU holds of a chunk */
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
    /* Owned: whether some NPU has ended with an atom, by group and atom. */
    gboolean *kept;
    /* Owned: progress_number_of_step() of the last step that was sent, by NPU
     * and lane. */
    uint64_t *sent;
    uint32_t n_lanes; /* largest number of parallel lanes of any phase */
    uint32_t n_finished;
};

static uint64_t initial_value_of_atom(const Chunk *chunk, uint32_t npu,
                                      uint32_t atom)
{
    return rng_value_at(rng_new_stream(chunk->seq, "verify"), npu, atom, 0);
}

static uint64_t *values_of_npu_lane(const VerifyChunk *c, uint64_t *values,
                                    uint32_t npu, uint32_t lane)
{
    return &values[((gsize)npu * c->n_lanes + lane) * c->n_atoms];
}

static uint64_t progress_number_of_step(const TraceStep *at)
{
    return ((uint64_t)at->phase << 32 | at->step) + 1;
}

/* Returns the index of @atom in the group of @npu. */
static gsize index_of_atom_in_group(const VerifyChunk *c, uint32_t npu,
                                    uint32_t atom)
{
    return (gsize)coll_members_group(c->members, npu) * c->n_atoms + atom;
}

static void make_initial_values(VerifyChunk *c, const Chunk *chunk)
{
    uint32_t n_npus = c->members->n_npus, n = c->n_atoms;
    gsize n_values = (gsize)n_npus * c->n_lanes * n;

    c->values = g_new(uint64_t, n_values);
    c->sums = g_new0(uint64_t, (gsize)c->members->n_groups * n);
    c->kept = g_new0(gboolean, (gsize)c->members->n_groups * n);
    c->sent = g_new0(uint64_t, (gsize)n_npus * c->n_lanes);
    for (uint32_t npu = 0; npu < n_npus; npu++) {
        uint64_t *first = values_of_npu_lane(c, c->values, npu, 0);

        for (uint32_t a = 0; a < n; a++) {
            first[a] = initial_value_of_atom(chunk, npu, a);
            if (coll_members_contain(c->members, npu))
                c->sums[index_of_atom_in_group(c, npu, a)] += first[a];
        }
        for (uint32_t l = 1; l < c->n_lanes; l++)
            memcpy(values_of_npu_lane(c, c->values, npu, l), first,
                   n * sizeof *first);
    }
}

VerifyChunk *verify_chunk_new(const Chunk *chunk, CollKind kind,
                              const CollMembers *members)
{
    VerifyChunk *c = g_new0(VerifyChunk, 1);

    c->promised = kind;
    c->members = members;
    for (uint32_t p = 0; p < chunk->plan->n_phases; p++)
        c->n_lanes = MAX(c->n_lanes, chunk_n_lanes(chunk, p));
    c->sets = verify_sets_new(chunk, kind, members);
    c->n_atoms = verify_sets_n_atoms(c->sets);
    make_initial_values(c, chunk);
    return c;
}

void verify_chunk_free(VerifyChunk *c)
{
    verify_sets_free(c->sets);
    g_free(c->values);
    g_free(c->sums);
    g_free(c->kept);
    g_free(c->sent);
    g_free(c);
}

/* Returns a copy of the numbers of @n_blocks blocks from @first on, in the
 * parallel lane of the NPU. */
static VerifyNumbers *copy_numbers_of_blocks(const VerifyChunk *c,
                                             const TraceStep *at,
                                             const CollStep *what,
                                             uint32_t first, uint32_t n_blocks)
{
    const uint64_t *values =
        values_of_npu_lane(c, c->values, at->npu, at->lane);
    uint32_t n_all = chunk_phase(at->chunk, at->phase)->n_blocks, n = 0;
    VerifyNumbers *load;

    for (uint32_t b = 0; b < n_blocks; b++)
        n += verify_sets_atoms_of_block(c->sets, at->chunk, at->phase, at->npu,
                                        coll_block_at(what, first, b, n_all))
                 .n;
    load = g_malloc(sizeof *load + n * sizeof load->items[0]);
    *load = (VerifyNumbers){ .seq = at->chunk->seq,
                             .phase = at->phase,
                             .lane = at->lane,
                             .step = at->step,
                             .npu = at->npu,
                             .n_blocks = n_blocks };
    for (uint32_t b = 0; b < n_blocks; b++) {
        Atoms atoms =
            verify_sets_atoms_of_block(c->sets, at->chunk, at->phase, at->npu,
                                       coll_block_at(what, first, b, n_all));

        for (uint32_t i = 0; i < atoms.n; i++) {
            load->items[load->n].atom = atoms.atoms[i];
            load->items[load->n++].value = values[atoms.atoms[i]];
        }
    }
    return load;
}

gboolean verify_chunk_has_sent_step(const VerifyChunk *c, const TraceStep *at)
{
    return c->sent[(gsize)at->npu * c->n_lanes + at->lane] >=
           progress_number_of_step(at);
}

VerifyNumbers *verify_chunk_send_step(VerifyChunk *c, const TraceStep *at)
{
    CollStep what =
        verify_algorithm_step(at->chunk, at->phase, at->npu, at->step);

    c->sent[(gsize)at->npu * c->n_lanes + at->lane] =
        progress_number_of_step(at);
    return copy_numbers_of_blocks(c, at, &what, what.send_block, what.n_blocks);
}

VerifyNumbers *verify_chunk_expected_message(const VerifyChunk *c,
                                             const TraceStep *at)
{
    CollStep what =
        verify_algorithm_step(at->chunk, at->phase, at->npu, at->step);

    return copy_numbers_of_blocks(c, at, &what, what.recv_block,
                                  coll_n_received(&what));
}

char *verify_chunk_apply_message(VerifyChunk *c, const TraceStep *at,
                                 const VerifyNumbers *load, gboolean added)
{
    uint64_t *values = values_of_npu_lane(c, c->values, at->npu, at->lane);
    g_autofree VerifyNumbers *due = verify_chunk_expected_message(c, at);

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

char *verify_chunk_leave_phase(VerifyChunk *c, TraceStep *at)
{
    const uint64_t *first = values_of_npu_lane(c, c->values, at->npu, 0);
    Atoms set = verify_sets_atoms_of_phase(c->sets, at->phase + 1, at->npu);
    uint32_t n_lanes = chunk_n_lanes(at->chunk, at->phase);

    for (at->lane = 1; at->lane < c->n_lanes; at->lane++) {
        uint64_t *values = values_of_npu_lane(c, c->values, at->npu, at->lane);

        for (uint32_t i = 0; i < set.n && at->lane < n_lanes; i++)
            if (values[set.atoms[i]] != first[set.atoms[i]])
                return g_strdup("lanes hold different data");
        memcpy(values, first, c->n_atoms * sizeof *values);
    }
    return NULL;
}

/* Returns the rank that begins with @atom, for kinds in which each rank begins
 * with a block. */
static uint32_t rank_that_begins_with_atom(const VerifyChunk *c, uint32_t atom)
{
    return atom / (c->n_atoms / c->members->n_ranks);
}

/* Returns the group of the promised collective, whose root is a rank of the
 * collective.  A channel may have its own order of ranks, in which its plan
 * names the root. */
static CollGroup group_of_promised_collective(const VerifyChunk *c,
                                              const TraceStep *at)
{
    const CollPhase *phase = chunk_phase(at->chunk, 0);
    CollGroup group = phase->group;

    if (phase->members.n_ranks != c->members->n_ranks)
        return group;
    group.from = coll_members_rank_of_npu(
        c->members,
        coll_members_npu_in_same_group(&phase->members, at->npu, group.from));
    group.to = coll_members_rank_of_npu(
        c->members,
        coll_members_npu_in_same_group(&phase->members, at->npu, group.to));
    return group;
}

/* Returns the number that @npu must have for @atom at the end.  An all-to-all
 * moves atoms between ranks (algorithm.h), but a rank that is sent nothing
 * keeps its own. */
static uint64_t expected_final_value(const VerifyChunk *c, const TraceStep *at,
                                     uint32_t atom)
{
    const CollContract *promise = coll_contract(c->promised);
    const CollGroup group = group_of_promised_collective(c, at);
    uint32_t rank = coll_members_rank_of_npu(c->members, at->npu), from = rank;

    if (promise->adds)
        return c->sums[index_of_atom_in_group(c, at->npu, atom)];
    if (coll_is_any_all_to_all(c->promised)) {
        if (group.weights && !coll_has_weight(group.weights, rank))
            return initial_value_of_atom(at->chunk, at->npu, atom);
        from = translate_rank_on_grid(
            &group, rank, rank_that_begins_with_atom(c, atom), TRUE);
    } else if (promise->others_have == COLL_BLOCK)
        from = rank_that_begins_with_atom(c, atom);
    else if (coll_weight_share_through_rank(&group, rank) != COLL_NOTHING)
        from = group.from;
    return initial_value_of_atom(
        at->chunk, coll_members_npu_in_same_group(c->members, at->npu, from),
        atom);
}

/* Returns whether the collective promises nothing to the NPU, so that its
 * result does not matter. */
static gboolean npu_is_promised_nothing(const VerifyChunk *c,
                                        const TraceStep *at)
{
    const CollGroup group = group_of_promised_collective(c, at);

    return c->promised != COLL_SEND &&
           coll_weight_share_through_rank(
               &group, coll_members_rank_of_npu(c->members, at->npu)) ==
               COLL_NOTHING;
}

char *verify_chunk_finish_on_npu(VerifyChunk *c, TraceStep *at)
{
    Atoms set = verify_sets_atoms_of_phase(c->sets, at->phase, at->npu);
    const uint64_t *values = values_of_npu_lane(c, c->values, at->npu, 0);
    gboolean narrows = coll_contract(c->promised)->others_get == COLL_BLOCK;

    c->n_finished++;
    if (npu_is_promised_nothing(c, at))
        return NULL;
    if (set.n != (narrows ? c->n_atoms / c->members->n_ranks : c->n_atoms))
        return g_strdup_printf("ends with %u of %u parts", set.n, c->n_atoms);
    for (uint32_t i = 0; i < set.n; i++) {
        uint32_t atom = set.atoms[i];

        if (values[atom] != expected_final_value(c, at, atom))
            return g_strdup_printf("part %u of the result is wrong", atom);
        if (narrows && c->kept[index_of_atom_in_group(c, at->npu, atom)])
            return g_strdup_printf("ends with part %u, as another NPU does",
                                   atom);
        c->kept[index_of_atom_in_group(c, at->npu, atom)] = TRUE;
    }
    return NULL;
}

uint32_t verify_chunk_n_atoms(const VerifyChunk *c)
{
    return c->n_atoms;
}

uint32_t verify_chunk_n_finished(const VerifyChunk *c)
{
    return c->n_finished;
}
