#include "models/verify.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/rng.h"

/* Atoms in a row, by number. */
typedef struct {
    uint32_t n;
    uint32_t atoms[];
} AtomSet;

/* What a message carries. */
typedef struct {
    uint32_t n;
    struct {
        uint32_t atom;
        uint64_t value;
    } items[];
} Load;

/* A chunk under way.  .sets[p * n_npus + i] is what NPU i works on in phase
 * p, the last row what it ends with; .values is by NPU, lane and atom. */
typedef struct {
    AtomSet **sets;   /* owned, each owned */
    uint64_t *values; /* owned */
    uint64_t *gotten; /* owned: of an all-to-all, by NPU, lane and sender */
    uint64_t *sums;   /* owned: by atom, of all NPUs' numbers */
    uint32_t n_lanes; /* the most of any phase */
    uint32_t n_finished;
} Followed;

struct Verify {
    uint32_t n_npus;
    GHashTable *followed;  /* owned: Chunk.seq -> owned Followed */
    GHashTable *under_way; /* owned: message -> owned Load */
    GHashTable *arrived;   /* owned: text of a step -> owned Load */
    GHashTable *waiting;   /* owned: text of a lane -> number of messages */
    char *error;           /* owned */
    uint64_t n_chunks;
};

static void followed_free(gpointer data)
{
    Followed *f = data;

    for (AtomSet **set = f->sets; *set; set++)
        g_free(*set);
    g_free(f->sets);
    g_free(f->values);
    g_free(f->gotten);
    g_free(f->sums);
    g_free(f);
}

Verify *verify_new(uint32_t n_npus)
{
    Verify *verify = g_new0(Verify, 1);

    verify->n_npus = n_npus;
    verify->followed = g_hash_table_new_full(g_int64_hash, g_int64_equal,
                                             g_free, followed_free);
    verify->under_way =
        g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    verify->arrived =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    verify->waiting =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return verify;
}

void verify_free(Verify *verify)
{
    if (!verify)
        return;
    g_hash_table_unref(verify->followed);
    g_hash_table_unref(verify->under_way);
    g_hash_table_unref(verify->arrived);
    g_hash_table_unref(verify->waiting);
    g_free(verify->error);
    g_free(verify);
}

const char *verify_error(const Verify *verify)
{
    return verify->error;
}

uint64_t verify_n_chunks(const Verify *verify)
{
    return verify->n_chunks;
}

static void complain(Verify *verify, const VerifyStep *at, const char *format,
                     ...) G_GNUC_PRINTF(3, 4);

static void complain(Verify *verify, const VerifyStep *at, const char *format,
                     ...)
{
    g_autofree char *what = NULL;
    va_list arguments;

    if (verify->error)
        return;
    va_start(arguments, format);
    what = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    verify->error = g_strdup_printf(
        "NPU %u, chunk %u of a collective, phase %u, step %u, lane %u: %s",
        at->npu, at->chunk->index, at->phase, at->step, at->lane, what);
}

/* ---- what an NPU works on ----------------------------------------------- */

static AtomSet *set_new(uint32_t n)
{
    AtomSet *set = g_malloc(sizeof *set + n * sizeof set->atoms[0]);

    set->n = n;
    return set;
}

static AtomSet **set_of(const Verify *verify, const Followed *f, uint32_t phase,
                        uint32_t npu)
{
    return &f->sets[(gsize)phase * verify->n_npus + npu];
}

static const CollGroup *group_of(const Chunk *chunk, uint32_t phase)
{
    const CollPhase *p = chunk_phase(chunk, phase);

    return chunk->backwards >> phase & 1 ? &p->mirrored : &p->group;
}

static CollStep step_of(const Chunk *chunk, uint32_t phase, uint32_t npu,
                        uint32_t step)
{
    const CollPhase *p = chunk_phase(chunk, phase);
    CollStep what;

    p->algorithm->step(group_of(chunk, phase), coll_rank(p, npu), step, &what);
    return what;
}

/* A block's atoms: of an all-gather what that rank has, else a part of what
 * the NPU works on. */
static const uint32_t *block_atoms(const Verify *verify, const Followed *f,
                                   const VerifyStep *at, uint32_t block,
                                   uint32_t *ret_n)
{
    const CollPhase *p = chunk_phase(at->chunk, at->phase);
    const AtomSet *set = *set_of(verify, f, at->phase, at->npu);

    if (p->group.kind == COLL_ALL_GATHER) {
        set = *set_of(verify, f, at->phase, coll_peer(p, at->npu, block));
        *ret_n = set->n;
        return set->atoms;
    }
    *ret_n = set->n / p->group.n_ranks;
    return &set->atoms[block * *ret_n];
}

static int compare_atoms(gconstpointer a, gconstpointer b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return one < other ? -1 : one > other;
}

static AtomSet *gathered(const Verify *verify, const Followed *f,
                         const VerifyStep *at)
{
    const CollPhase *p = chunk_phase(at->chunk, at->phase);
    AtomSet *all = set_new(verify->n_npus);

    all->n = 0;
    for (uint32_t r = 0; r < p->group.n_ranks; r++) {
        uint32_t n;
        const uint32_t *atoms = block_atoms(verify, f, at, r, &n);

        g_assert(all->n + n <= verify->n_npus);
        memcpy(&all->atoms[all->n], atoms, n * sizeof *atoms);
        all->n += n;
    }
    qsort(all->atoms, all->n, sizeof all->atoms[0], compare_atoms);
    return all;
}

/* What the NPU works on after the phase.  A reduce-scatter leaves it the block
 * that its last step brings. */
static AtomSet *next_set(const Verify *verify, const Followed *f,
                         const VerifyStep *at)
{
    const CollPhase *p = chunk_phase(at->chunk, at->phase);
    const AtomSet *set = *set_of(verify, f, at->phase, at->npu);
    const uint32_t *atoms = set->atoms;
    uint32_t n = set->n;
    AtomSet *next;

    if (p->group.kind == COLL_ALL_GATHER)
        return gathered(verify, f, at);
    if (p->group.kind == COLL_REDUCE_SCATTER)
        atoms = block_atoms(
            verify, f, at,
            step_of(at->chunk, at->phase, at->npu, p->n_steps - 1).recv_block,
            &n);
    next = set_new(n);
    memcpy(next->atoms, atoms, n * sizeof *atoms);
    return next;
}

/* All atoms; an all-gather begins with one's own. */
static AtomSet *first_set(const Verify *verify, const Chunk *chunk,
                          uint32_t npu)
{
    gboolean gathers = chunk->coll->plan->kind == COLL_ALL_GATHER;
    AtomSet *set = set_new(gathers ? 1 : verify->n_npus);

    for (uint32_t a = 0; a < set->n; a++)
        set->atoms[a] = gathers ? npu : a;
    return set;
}

static void make_sets(const Verify *verify, Followed *f, const Chunk *chunk)
{
    uint32_t n_phases = chunk->coll->plan->n_phases;

    f->sets = g_new0(AtomSet *, (n_phases + 1) * (gsize)verify->n_npus + 1);
    for (uint32_t npu = 0; npu < verify->n_npus; npu++)
        *set_of(verify, f, 0, npu) = first_set(verify, chunk, npu);
    for (uint32_t p = 0; p < n_phases; p++)
        for (uint32_t npu = 0; npu < verify->n_npus; npu++) {
            VerifyStep at = { .chunk = chunk, .npu = npu, .phase = p };

            *set_of(verify, f, p + 1, npu) = next_set(verify, f, &at);
        }
}

/* ---- values ------------------------------------------------------------- */

static uint64_t own_value(const Chunk *chunk, uint32_t npu, uint32_t atom)
{
    return rng_at(rng_stream(chunk->seq, "verify"), npu, atom, 0);
}

static uint64_t *row_of(const Verify *verify, const Followed *f,
                        uint64_t *values, uint32_t npu, uint32_t lane)
{
    return &values[((gsize)npu * f->n_lanes + lane) * verify->n_npus];
}

static void make_values(const Verify *verify, Followed *f, const Chunk *chunk)
{
    uint32_t n = verify->n_npus;
    gsize n_values = (gsize)n * f->n_lanes * n;

    f->values = g_new(uint64_t, n_values);
    f->sums = g_new0(uint64_t, n);
    for (uint32_t npu = 0; npu < n; npu++) {
        uint64_t *first = row_of(verify, f, f->values, npu, 0);

        for (uint32_t a = 0; a < n; a++) {
            first[a] = own_value(chunk, npu, a);
            f->sums[a] += first[a];
        }
        for (uint32_t l = 1; l < f->n_lanes; l++)
            memcpy(row_of(verify, f, f->values, npu, l), first,
                   n * sizeof *first);
    }
    if (chunk->coll->plan->kind == COLL_ALL_TO_ALL)
        f->gotten = g_new0(uint64_t, n_values);
}

void verify_begin(Verify *verify, const Chunk *chunk)
{
    Followed *f = g_new0(Followed, 1);
    uint64_t *key = g_new(uint64_t, 1);

    for (uint32_t p = 0; p < chunk->coll->plan->n_phases; p++)
        f->n_lanes =
            MAX(f->n_lanes, chunk->first_lane[p + 1] - chunk->first_lane[p]);
    make_sets(verify, f, chunk);
    make_values(verify, f, chunk);
    *key = chunk->seq;
    g_hash_table_insert(verify->followed, key, f);
}

static Followed *followed(const Verify *verify, const Chunk *chunk)
{
    Followed *f = g_hash_table_lookup(verify->followed, &chunk->seq);

    g_assert(f);
    return f;
}

/* ---- messages ----------------------------------------------------------- */

/* The atoms of some blocks, with what the NPU's lane holds of them. */
static Load *load_new(const Verify *verify, const Followed *f,
                      const VerifyStep *at, uint32_t block, uint32_t n_blocks)
{
    const uint64_t *values = row_of(verify, f, f->values, at->npu, at->lane);
    Load *load =
        g_malloc(sizeof *load + verify->n_npus * sizeof load->items[0]);

    load->n = 0;
    for (uint32_t b = block; b < block + n_blocks; b++) {
        uint32_t n;
        const uint32_t *atoms = block_atoms(verify, f, at, b, &n);

        for (uint32_t i = 0; i < n; i++) {
            load->items[load->n].atom = atoms[i];
            load->items[load->n++].value = values[atoms[i]];
        }
    }
    return load;
}

void verify_send(Verify *verify, const VerifyStep *at, uint32_t message)
{
    const Followed *f = followed(verify, at->chunk);
    CollStep what = step_of(at->chunk, at->phase, at->npu, at->step);

    g_hash_table_insert(
        verify->under_way, GUINT_TO_POINTER(message),
        load_new(verify, f, at, what.send_block, what.n_blocks));
}

/* Stores what came, or adds it. */
static void take_in(Verify *verify, const VerifyStep *at, const Load *load)
{
    const Followed *f = followed(verify, at->chunk);
    CollStep what = step_of(at->chunk, at->phase, at->npu, at->step);
    uint64_t *values = row_of(verify, f, f->values, at->npu, at->lane);
    g_autofree Load *due =
        load_new(verify, f, at, what.recv_block, what.n_blocks);

    for (uint32_t i = 0; i < due->n; i++) {
        uint32_t atom = due->items[i].atom;

        if (load->n != due->n || load->items[i].atom != atom) {
            complain(verify, at, "another block came than was due");
            return;
        }
        if (f->gotten)
            row_of(verify, f, f->gotten, at->npu, at->lane)[coll_peer(
                chunk_phase(at->chunk, at->phase), at->npu, what.recv_from)] =
                load->items[i].value;
        else if (what.reduces)
            values[atom] += load->items[i].value;
        else
            values[atom] = load->items[i].value;
    }
}

/* Steps that wait for none are all alike to whoever takes them in. */
static gboolean is_independent(const VerifyStep *at)
{
    return chunk_phase(at->chunk, at->phase)->algorithm->independent;
}

static char *place_name(const VerifyStep *at)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT " %u %u %u %u", at->chunk->seq,
                           at->npu, at->phase, at->lane,
                           is_independent(at) ? 0 : at->step);
}

static void wait_more(Verify *verify, const char *place, int more)
{
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(verify->waiting, place));

    g_hash_table_insert(verify->waiting, g_strdup(place),
                        GUINT_TO_POINTER(n + (guint)more));
}

/* Where steps wait for none, what a message brings disturbs no other, so it
 * may be stored at once: the endpoint does not say which it has taken in. */
void verify_arrive(Verify *verify, const VerifyStep *at, uint32_t message)
{
    g_autofree char *place = place_name(at);
    g_autofree Load *load = NULL;
    gpointer stolen;

    if (!g_hash_table_steal_extended(
            verify->under_way, GUINT_TO_POINTER(message), NULL, &stolen)) {
        complain(verify, at, "a message came that nobody sent");
        return;
    }
    load = stolen;
    if (is_independent(at)) {
        take_in(verify, at, load);
        wait_more(verify, place, 1);
        return;
    }
    if (g_hash_table_contains(verify->arrived, place))
        complain(verify, at, "a message came twice");
    g_hash_table_insert(verify->arrived, g_steal_pointer(&place),
                        g_steal_pointer(&load));
}

void verify_handle(Verify *verify, const VerifyStep *at)
{
    g_autofree char *place = place_name(at);
    const Load *load = g_hash_table_lookup(verify->arrived, place);
    gboolean came = is_independent(at)
                        ? g_hash_table_lookup(verify->waiting, place) != NULL
                        : load != NULL;

    if (!came) {
        complain(verify, at, "was handled before it came, or twice");
    } else if (is_independent(at)) {
        wait_more(verify, place, -1);
    } else {
        take_in(verify, at, load);
        g_hash_table_remove(verify->arrived, place);
    }
}

/* ---- ends --------------------------------------------------------------- */

void verify_leave(Verify *verify, const Chunk *chunk, uint32_t npu,
                  uint32_t phase)
{
    const Followed *f = followed(verify, chunk);
    const AtomSet *set = *set_of(verify, f, phase + 1, npu);
    uint64_t *first = row_of(verify, f, f->values, npu, 0);
    uint32_t n_lanes = chunk->first_lane[phase + 1] - chunk->first_lane[phase];

    for (uint32_t l = 1; l < f->n_lanes; l++) {
        uint64_t *values = row_of(verify, f, f->values, npu, l);

        for (uint32_t i = 0; i < set->n && l < n_lanes; i++)
            if (values[set->atoms[i]] != first[set->atoms[i]])
                complain(verify, &(VerifyStep){ chunk, npu, phase, l, 0 },
                         "lanes hold different data");
        memcpy(values, first, verify->n_npus * sizeof *values);
    }
}

static void check_gotten(Verify *verify, const Followed *f, const Chunk *chunk,
                         uint32_t npu)
{
    uint32_t n_lanes = chunk->first_lane[1] - chunk->first_lane[0];

    for (uint32_t l = 0; l < n_lanes; l++)
        for (uint32_t from = 0; from < verify->n_npus; from++)
            if (from != npu && row_of(verify, f, f->gotten, npu, l)[from] !=
                                   own_value(chunk, from, npu))
                complain(verify, &(VerifyStep){ chunk, npu, 0, l, 0 },
                         "has not what NPU %u was to send", from);
}

void verify_finish(Verify *verify, const Chunk *chunk, uint32_t npu)
{
    const CollPlan *plan = chunk->coll->plan;
    Followed *f = followed(verify, chunk);
    const AtomSet *set = *set_of(verify, f, plan->n_phases, npu);
    const uint64_t *values = row_of(verify, f, f->values, npu, 0);
    VerifyStep at = { .chunk = chunk, .npu = npu, .phase = plan->n_phases };

    f->n_finished++;
    if (f->gotten) {
        check_gotten(verify, f, chunk, npu);
        return;
    }
    if (set->n != (plan->kind == COLL_REDUCE_SCATTER ? 1 : verify->n_npus))
        complain(verify, &at, "ends with %u of %u parts", set->n,
                 verify->n_npus);
    for (uint32_t i = 0; i < set->n; i++) {
        uint32_t atom = set->atoms[i];
        uint64_t due = plan->kind == COLL_ALL_GATHER
                           ? own_value(chunk, atom, atom)
                           : f->sums[atom];

        if (values[atom] != due)
            complain(verify, &at, "part %u of the result is wrong", atom);
    }
}

void verify_end(Verify *verify, const Chunk *chunk)
{
    const Followed *f = followed(verify, chunk);

    if (f->n_finished != verify->n_npus)
        complain(verify, &(VerifyStep){ .chunk = chunk },
                 "%u of %u NPUs finished it", f->n_finished, verify->n_npus);
    verify->n_chunks++;
    (void)g_hash_table_remove(verify->followed, &chunk->seq);
}
