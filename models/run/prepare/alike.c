/* alike.c - translations of a topology that all that is on it bears */
#include "models/run/prepare/alike.h"

typedef struct {
    const uint32_t *colours;    /* borrowed; or */
    const CollMembers *members; /* borrowed, whose ranks are on */
    CollGroup grid;
    AlikeRanks ranks;
    gboolean is_message;       /* of which only two ranks matter */
    gboolean is_of_one_number; /* members are the same ends of their units */
    uint32_t from, to;
    const char *why; /* borrowed */
} Trait;

struct Alike {
    const Topology *topology; /* borrowed */
    GArray *traits;           /* owned: of Trait */
};

/* A step along a dimension. */
typedef struct {
    uint32_t stride, size, step;
    gboolean by_sets; /* what peers are called does not matter */
} Move;

Alike *alike_new(const Topology *topology)
{
    Alike *alike = g_new0(Alike, 1);

    alike->topology = topology;
    alike->traits = g_array_new(FALSE, FALSE, sizeof(Trait));
    return alike;
}

void alike_free(Alike *alike)
{
    if (!alike)
        return;
    g_array_unref(alike->traits);
    g_free(alike);
}

void alike_add_colours(Alike *alike, const uint32_t *colours, const char *why)
{
    Trait trait = { .colours = colours, .why = why };

    g_array_append_val(alike->traits, trait);
}

static gboolean are_of_one_number(const CollMembers *members,
                                  uint32_t unit_ends)
{
    for (uint32_t i = 0; i < members->n_npus && unit_ends > 1; i++)
        if (coll_members_has(members, i) &&
            i % unit_ends != coll_members_id(members, i, 0) % unit_ends)
            return FALSE;
    return TRUE;
}

void alike_add_groups(Alike *alike, const CollMembers *members,
                      const CollGroup *grid, AlikeRanks ranks, const char *why)
{
    Trait trait = { .members = members, .ranks = ranks, .why = why };

    if (grid)
        trait.grid = *grid;
    trait.is_of_one_number = are_of_one_number(
        members, topology_symmetry(alike->topology)->unit_ends);
    g_array_append_val(alike->traits, trait);
}

void alike_add_message(Alike *alike, const CollMembers *members, uint32_t from,
                       uint32_t to, const char *why)
{
    Trait trait = { .members = members,
                    .ranks = ALIKE_SAME,
                    .is_message = TRUE,
                    .from = from,
                    .to = to,
                    .why = why };

    g_array_append_val(alike->traits, trait);
}

static const Trait *trait_at(const Alike *alike, guint i)
{
    return &g_array_index(alike->traits, Trait, i);
}

/* ---- what bears a step ------------------------------------------------ */

static uint32_t moved(const Move *move, uint32_t end)
{
    uint32_t x = end / move->stride % move->size;

    return end - x * move->stride +
           (x + move->step) % move->size * move->stride;
}

static gboolean bear_colours(const Trait *trait, const Move *move, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (trait->colours[i] != trait->colours[moved(move, i)])
            return FALSE;
    return TRUE;
}

/* Whether @to is @from moved as rank 0 is to @zero_to, on the grid. */
static gboolean is_rotated(const CollGroup *grid, uint32_t from, uint32_t to,
                           uint32_t zero_to)
{
    for (uint32_t d = 0; d < grid->n_dims; d++) {
        uint32_t size = grid->dims[d];

        if (coll_ahead(from % size, zero_to % size, size) != to % size)
            return FALSE;
        from /= size;
        to /= size;
        zero_to /= size;
    }
    return TRUE;
}

static gboolean bears_rank(const Trait *trait, const Move *move, uint32_t npu)
{
    const CollMembers *m = trait->members;
    uint32_t other = moved(move, npu);
    uint32_t zero_other = moved(move, coll_members_id(m, npu, 0));
    uint32_t rank = coll_members_rank(m, npu), to, zero_to;

    if (!coll_members_has(m, other) || !coll_members_has(m, zero_other) ||
        coll_members_group(m, other) != coll_members_group(m, zero_other))
        return FALSE;
    to = coll_members_rank(m, other);
    zero_to = coll_members_rank(m, zero_other);
    if (trait->is_message && rank != trait->from && rank != trait->to)
        return to != trait->from && to != trait->to;
    if (trait->ranks == ALIKE_SAME)
        return to == rank;
    if (trait->ranks == ALIKE_ANY)
        return TRUE;
    if (move->by_sets && trait->is_of_one_number)
        return TRUE;
    return trait->ranks == ALIKE_XORED
               ? to == (rank ^ zero_to)
               : is_rotated(&trait->grid, rank, to, zero_to);
}

static gboolean bear_groups(const Trait *trait, const Move *move, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (coll_members_has(trait->members, i)
                ? !bears_rank(trait, move, i)
                : coll_members_has(trait->members, moved(move, i)))
            return FALSE;
    }
    return TRUE;
}

/* What does not bear it; NULL: all does. */
static const Trait *first_against(const Alike *alike, const Move *move)
{
    uint32_t n = topology_n_npus(alike->topology);

    for (guint i = 0; i < alike->traits->len; i++) {
        const Trait *trait = trait_at(alike, i);

        if (trait->colours ? !bear_colours(trait, move, n)
                           : !bear_groups(trait, move, n))
            return trait;
    }
    return NULL;
}

/* ---- dimensions where any order will do ------------------------------- */

static uint32_t gcd(uint32_t a, uint32_t b)
{
    while (b > 0) {
        uint32_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static void add_bound(GArray *bounds, uint32_t bound)
{
    g_array_append_val(bounds, bound);
}

/* Where runs of one colour end, and after how many NPUs they come again. */
static void add_bounds_of_colours(GArray *bounds, const uint32_t *colours,
                                  uint32_t n)
{
    uint32_t run = n;

    for (uint32_t i = 1; i < n; i++)
        if (colours[i] != colours[i - 1])
            run = gcd(run, i);
    add_bound(bounds, run);
    for (uint32_t period = 1; period < n; period++) {
        uint32_t i = period;

        if (n % period != 0)
            continue;
        while (i < n && colours[i] == colours[i - period])
            i++;
        if (i < n)
            continue;
        add_bound(bounds, period);
        return;
    }
}

static void add_bounds_of_groups(GArray *bounds, const Trait *trait,
                                 gboolean with_bits)
{
    for (uint32_t i = 0; i < trait->members->n_digits; i++) {
        const CollDigit *digit = &trait->members->digits[i];

        add_bound(bounds, digit->stride);
        add_bound(bounds, digit->stride * digit->size);
    }
    if (with_bits && trait->ranks == ALIKE_XORED)
        for (uint32_t bit = 2; bit < trait->members->n_npus; bit *= 2)
            add_bound(bounds, bit);
}

static gint compare_bounds(gconstpointer a, gconstpointer b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void add_dim(Symmetry *shape, uint32_t size)
{
    shape->dims[shape->n_dims].size = size;
    shape->dims[shape->n_dims++].translates = TRUE;
}

/* As many of the bounds as divide each other, and as there are dimensions.
 * Bits, of which ranks by XOR have one each, may leave none for groups. */
static Symmetry shape_of(const Alike *alike, const Symmetry *offered,
                         gboolean with_bits)
{
    uint32_t n = topology_n_npus(alike->topology), last = offered->unit_ends;
    g_autoptr(GArray) bounds = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    Symmetry shape = { .unit_ends = offered->unit_ends, .any_order = TRUE };

    for (guint i = 0; i < alike->traits->len; i++) {
        const Trait *trait = trait_at(alike, i);

        if (trait->colours)
            add_bounds_of_colours(bounds, trait->colours, n);
        else
            add_bounds_of_groups(bounds, trait, with_bits);
    }
    g_array_sort(bounds, compare_bounds);
    for (guint i = 0; i < bounds->len; i++) {
        uint32_t bound = g_array_index(bounds, uint32_t, i);

        if (bound <= last || bound >= n || bound % last != 0 ||
            n % bound != 0 || shape.n_dims + 1 == TOPOLOGY_MAX_DIMS)
            continue;
        add_dim(&shape, bound / last);
        last = bound;
    }
    add_dim(&shape, n / last);
    return shape;
}

/* ---- the least steps -------------------------------------------------- */

static char *why_not_dim(const Alike *alike, uint32_t d)
{
    const char *kind = topology_kind(alike->topology);

    return g_strdup_printf("dimension %u of the %s is no ring, and what has "
                           "ends cannot be moved along",
                           d, kind);
}

/* *@ret_why is set where the step is not 1, unless it is already. */
static uint32_t least_step(const Alike *alike, const Symmetry *shape,
                           uint32_t d, Move *move, char **ret_why)
{
    if (!shape->dims[d].translates) {
        if (!*ret_why && move->size > 1)
            *ret_why = why_not_dim(alike, d);
        return move->size;
    }
    for (move->step = 1; move->step < move->size; move->step++) {
        const Trait *against;

        if (move->size % move->step != 0)
            continue;
        against = first_against(alike, move);
        if (!against)
            return move->step;
        if (!*ret_why)
            *ret_why = g_strdup(against->why);
    }
    return move->size;
}

/* Whether each group is of one class, which then knows no other peers. */
static gboolean are_of_one_class(const Alike *alike, const Fold *fold)
{
    uint32_t n = topology_n_npus(alike->topology);

    for (guint t = 0; t < alike->traits->len; t++) {
        const Trait *trait = trait_at(alike, t);

        if (trait->colours || trait->ranks == ALIKE_SAME ||
            trait->ranks == ALIKE_ANY || !trait->is_of_one_number)
            continue;
        for (uint32_t i = 0; i < n; i++)
            if (coll_members_has(trait->members, i) &&
                fold_index(fold, i) !=
                    fold_index(fold, coll_members_id(trait->members, i, 0)))
                return FALSE;
    }
    return TRUE;
}

static Fold *fold_shape(const Alike *alike, const Symmetry *shape,
                        gboolean by_sets, char **ret_why)
{
    uint32_t steps[TOPOLOGY_MAX_DIMS], stride = shape->unit_ends;

    *ret_why = NULL;
    for (uint32_t d = 0; d < shape->n_dims; d++) {
        Move move = { .stride = stride,
                      .size = shape->dims[d].size,
                      .by_sets = by_sets };

        steps[d] = least_step(alike, shape, d, &move, ret_why);
        stride *= shape->dims[d].size;
    }
    return fold_new(alike->topology, shape, steps);
}

/* ---- the choice ------------------------------------------------------- */

typedef struct {
    Fold *fold; /* owned, as the text; NULL: none yet */
    char *why;
} Choice;

/* Takes over @fold and @why; the first of those with fewest classes stays. */
static void choose(Choice *choice, Fold *fold, char *why)
{
    Choice other = { fold, why };

    if (!choice->fold || fold_n(fold) < fold_n(choice->fold)) {
        other = *choice;
        *choice = (Choice){ fold, why };
    }
    g_clear_pointer(&other.fold, fold_free);
    g_free(other.why);
}

static void choose_shape(Choice *choice, const Alike *alike,
                         const Symmetry *shape, gboolean by_sets)
{
    char *why;
    Fold *fold = fold_shape(alike, shape, by_sets, &why);

    if (!by_sets || are_of_one_class(alike, fold)) {
        choose(choice, fold, why);
        return;
    }
    fold_free(fold);
    g_free(why);
}

/* On shapes of our own: by sets of peers where that goes, else rank by rank. */
static void choose_made(Choice *choice, const Alike *alike,
                        const Symmetry *offered)
{
    const Symmetry made[] = { shape_of(alike, offered, TRUE),
                              shape_of(alike, offered, FALSE) };

    for (guint i = 0; i < G_N_ELEMENTS(made); i++)
        choose_shape(choice, alike, &made[i], TRUE);
    if (choice->fold)
        return;
    for (guint i = 0; i < G_N_ELEMENTS(made); i++)
        choose_shape(choice, alike, &made[i], FALSE);
    choose_shape(choice, alike, offered, FALSE);
}

Fold *alike_fold(const Alike *alike, char **ret_why)
{
    const Symmetry *offered = topology_symmetry(alike->topology);
    Choice choice = { 0 };

    if (offered->any_order)
        choose_made(&choice, alike, offered);
    else
        choose_shape(&choice, alike, offered, FALSE);
    if (!choice.why && offered->unit_ends > 1)
        choice.why =
            g_strdup_printf("a %s has %u NPUs that are each joined in "
                            "a way of their own",
                            topology_kind(alike->topology), offered->unit_ends);
    *ret_why = choice.why;
    return choice.fold;
}
