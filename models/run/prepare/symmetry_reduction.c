/*
 * symmetry_reduction.c - finds the NPUs that behave identically in a run; see
 * symmetry_reduction.h
 *
 *   constraints   what the caller has added
 *   translations  which constraints a translation preserves
 *   shapes        the dimensions of a platform whose units, or the parts of
 *                 whose units, may be permuted
 *   classes       the smallest step along each dimension
 *   selection     the shape with the fewest classes
 */
#include "models/run/prepare/symmetry_reduction.h"

#include "models/run/prepare/symmetry_bounds.h"

typedef struct {
    const uint32_t *colours; /* borrowed: the colour of each NPU; or NULL */
    /* Borrowed: the groups; only if .colours is NULL. */
    const CollMembers *members;
    CollGroup grid;
    RankMapping ranks;
    /* The constraint is a message: only the ranks .from and .to matter. */
    gboolean is_message;
    /* The result of groups_have_one_local_index() for .members.  FALSE where
     * units may not be permuted, because they share links. */
    gboolean is_one_local_index;
    uint32_t from, to;
    const char *why; /* borrowed: the cause, a clause for the user */
} Constraint;

struct SymmetryReduction {
    const Topology *topology; /* borrowed */
    GArray *constraints;      /* owned; the elements are Constraint */
};

/* A cyclic shift by .step along one dimension of NPU ids:
 *
 *     id = low + stride (x + size high),  x -> (x + step) mod size */
typedef struct {
    uint32_t stride, size, step;
    /* Ranks may be permuted within groups that have one local index. */
    gboolean groups_are_sets;
} Translation;

SymmetryReduction *symmetry_reduction_new(const Topology *topology)
{
    SymmetryReduction *reduction = g_new0(SymmetryReduction, 1);

    reduction->topology = topology;
    reduction->constraints = g_array_new(FALSE, FALSE, sizeof(Constraint));
    return reduction;
}

void symmetry_reduction_free(SymmetryReduction *reduction)
{
    if (!reduction)
        return;
    g_array_unref(reduction->constraints);
    g_free(reduction);
}

void symmetry_reduction_add_colours(SymmetryReduction *reduction,
                                    const uint32_t *colours, const char *why)
{
    Constraint constraint = { .colours = colours, .why = why };

    g_array_append_val(reduction->constraints, constraint);
}

/* Returns whether the members of each group have the same index in their units,
 * such as GPU 3 of every node. */
static gboolean groups_have_one_local_index(const CollMembers *members,
                                            uint32_t unit_ends)
{
    if (!members->positions) {
        for (uint32_t i = 0; i < members->n_digits; i++)
            if (members->digits[i].stride % unit_ends != 0)
                return FALSE;
        return TRUE;
    }
    for (uint32_t i = 0; i < members->n_npus && unit_ends > 1; i++)
        if (coll_members_contain(members, i) &&
            i % unit_ends !=
                coll_members_npu_in_same_group(members, i, 0) % unit_ends)
            return FALSE;
    return TRUE;
}

static gboolean members_have_equal_digits(const CollMembers *a,
                                          const CollMembers *b)
{
    if (a->positions || b->positions || a->n_digits != b->n_digits)
        return FALSE;
    for (uint32_t i = 0; i < a->n_digits; i++)
        if (a->digits[i].size != b->digits[i].size ||
            a->digits[i].stride != b->digits[i].stride)
            return FALSE;
    return TRUE;
}

static gboolean groups_have_equal_grids(const CollGroup *a, const CollGroup *b)
{
    if (a->n_dims != b->n_dims)
        return FALSE;
    for (uint32_t d = 0; d < a->n_dims; d++)
        if (a->dims[d] != b->dims[d])
            return FALSE;
    return TRUE;
}

/* Adds @added unless the same constraint is there: many collectives of a
 * program differ only in their payload. */
static void add_constraint_once(SymmetryReduction *reduction,
                                const Constraint *added)
{
    for (guint i = 0; i < reduction->constraints->len; i++) {
        const Constraint *old =
            &g_array_index(reduction->constraints, Constraint, i);

        if (old->members && old->ranks == added->ranks &&
            old->is_message == added->is_message && old->from == added->from &&
            old->to == added->to &&
            groups_have_equal_grids(&old->grid, &added->grid) &&
            members_have_equal_digits(old->members, added->members))
            return;
    }
    g_array_append_val(reduction->constraints, *added);
}

void symmetry_reduction_add_groups(SymmetryReduction *reduction,
                                   const CollMembers *members,
                                   const CollGroup *grid, RankMapping ranks,
                                   const char *why)
{
    const Symmetry *offered = topology_get_symmetry(reduction->topology);
    Constraint constraint = { .members = members, .ranks = ranks, .why = why };

    if (grid)
        constraint.grid = *grid;
    constraint.is_one_local_index =
        offered->any_order &&
        groups_have_one_local_index(members, offered->unit_ends);
    add_constraint_once(reduction, &constraint);
}

void symmetry_reduction_add_message(SymmetryReduction *reduction,
                                    const CollMembers *members, uint32_t from,
                                    uint32_t to, const char *why)
{
    Constraint constraint = { .members = members,
                              .ranks = RANKS_FIXED,
                              .is_message = TRUE,
                              .from = from,
                              .to = to,
                              .why = why };

    add_constraint_once(reduction, &constraint);
}

static const Constraint *
symmetry_constraint_at(const SymmetryReduction *reduction, guint i)
{
    return &g_array_index(reduction->constraints, Constraint, i);
}

/* ---- which constraints a translation preserves ---------------------- */

/* Returns the NPU to which the translation @translation maps @npu. */
static uint32_t translate_npu(const Translation *translation, uint32_t npu)
{
    uint32_t x = npu / translation->stride % translation->size;

    return npu - x * translation->stride +
           (x + translation->step) % translation->size * translation->stride;
}

static gboolean translation_preserves_colours(const Constraint *constraint,
                                              const Translation *translation,
                                              uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (constraint->colours[i] !=
            constraint->colours[translate_npu(translation, i)])
            return FALSE;
    return TRUE;
}

/* Returns whether the image of @rank on @grid is @rank + @image_of_zero,
 * coordinate by coordinate, modulo the size of each dimension. */
static gboolean image_is_rotation(const CollGroup *grid, uint32_t rank,
                                  uint32_t image, uint32_t image_of_zero)
{
    for (uint32_t d = 0; d < grid->n_dims; d++) {
        uint32_t size = grid->dims[d];

        if (add_modulo_n(rank % size, image_of_zero % size, size) !=
            image % size)
            return FALSE;
        rank /= size;
        image /= size;
        image_of_zero /= size;
    }
    return TRUE;
}

/* Returns whether the image of @npu, a member of a group, is in the group to
 * which rank 0 maps, with a rank that is allowed. */
static gboolean translation_preserves_member(const Constraint *constraint,
                                             const Translation *translation,
                                             uint32_t npu)
{
    const CollMembers *m = constraint->members;
    uint32_t image = translate_npu(translation, npu);
    uint32_t image_of_zero =
        translate_npu(translation, coll_members_npu_in_same_group(m, npu, 0));
    uint32_t rank = coll_members_rank_of_npu(m, npu), image_rank,
             image_rank_of_zero;

    if (!coll_members_contain(m, image) ||
        !coll_members_contain(m, image_of_zero) ||
        coll_members_group_of_npu(m, image) !=
            coll_members_group_of_npu(m, image_of_zero))
        return FALSE;
    image_rank = coll_members_rank_of_npu(m, image);
    image_rank_of_zero = coll_members_rank_of_npu(m, image_of_zero);
    if (constraint->is_message && rank != constraint->from &&
        rank != constraint->to)
        return image_rank != constraint->from && image_rank != constraint->to;
    if (constraint->ranks == RANKS_FIXED)
        return image_rank == rank;
    if (constraint->ranks == RANKS_ANY)
        return TRUE;
    if (translation->groups_are_sets && constraint->is_one_local_index)
        return TRUE;
    return constraint->ranks == RANKS_XORED
               ? image_rank == (rank ^ image_rank_of_zero)
               : image_is_rotation(&constraint->grid, rank, image_rank,
                                   image_rank_of_zero);
}

/* Returns whether @translation changes all groups of @members in the same way:
 * it moves each group onto a group, and its effect on a rank does not depend on
 * the group.  That is so if each digit of the ranks is above or below the digit
 * that @translation changes, or contains it. */
static gboolean translation_moves_groups_equally(const CollMembers *members,
                                                 const Translation *translation)
{
    uint32_t t_end = translation->stride * translation->size;

    if (members->positions)
        return FALSE;
    for (uint32_t i = 0; i < members->n_digits; i++) {
        const CollDigit *digit = &members->digits[i];
        uint32_t end = digit->stride * digit->size;
        gboolean is_below = translation->stride % end == 0;
        gboolean is_above = digit->stride % t_end == 0;
        gboolean contains =
            translation->stride % digit->stride == 0 && end % t_end == 0;

        if (!is_below && !is_above && !contains)
            return FALSE;
    }
    return TRUE;
}

static gboolean translation_preserves_groups(const Constraint *constraint,
                                             const Translation *translation,
                                             uint32_t n)
{
    const CollMembers *m = constraint->members;

    if (translation_moves_groups_equally(m, translation)) {
        for (uint32_t rank = 0; rank < m->n_ranks; rank++)
            if (!translation_preserves_member(
                    constraint, translation,
                    coll_members_npu_of_rank(m, 0, rank)))
                return FALSE;
        return TRUE;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (coll_members_contain(m, i)
                ? !translation_preserves_member(constraint, translation, i)
                : coll_members_contain(m, translate_npu(translation, i)))
            return FALSE;
    }
    return TRUE;
}

/* Returns the first constraint that @translation violates, or NULL if there is
 * none. */
static const Constraint *
first_violated_constraint(const SymmetryReduction *reduction,
                          const Translation *translation)
{
    uint32_t n = topology_n_npus(reduction->topology);

    for (guint i = 0; i < reduction->constraints->len; i++) {
        const Constraint *constraint = symmetry_constraint_at(reduction, i);

        if (constraint->colours
                ? !translation_preserves_colours(constraint, translation, n)
                : !translation_preserves_groups(constraint, translation, n))
            return constraint;
    }
    return NULL;
}

/* ---- the shape of a platform whose units may be permuted ------------ */

static void add_shape_dim(Symmetry *shape, uint32_t size)
{
    shape->dims[shape->n_dims].size = size;
    shape->dims[shape->n_dims++].translates = TRUE;
}

/* Appends dimensions to @shape that end at the @bounds between @first and
 * @end, and at @end itself: those that are a multiple of the one before and
 * divide @end, as long as one of the @n_most dimensions is left. */
static void add_dims_up_to(Symmetry *shape, const GArray *bounds,
                           uint32_t first, uint32_t end, uint32_t n_most)
{
    for (guint i = 0; i < bounds->len; i++) {
        uint32_t bound = g_array_index(bounds, uint32_t, i);

        if (bound <= first || bound >= end || bound % first != 0 ||
            end % bound != 0 || shape->n_dims + 1 >= n_most)
            continue;
        add_shape_dim(shape, bound / first);
        first = bound;
    }
    add_shape_dim(shape, end / first);
}

/* Appends the dimensions of @offered that lie between @first and @end NPUs. */
static void add_dims_offered_by_topology(Symmetry *shape,
                                         const Symmetry *offered,
                                         uint32_t first, uint32_t end)
{
    uint32_t below = offered->part_ends;

    for (uint32_t d = 0; d < offered->n_dims; d++) {
        if (below >= first && below * offered->dims[d].size <= end)
            shape->dims[shape->n_dims++] = offered->dims[d];
        below *= offered->dims[d].size;
    }
}

/* Returns the dimensions that the constraints suggest, where units or the parts
 * of a unit may be permuted, and those that are offered otherwise.  A bound
 * becomes the end of a dimension if it is a multiple of the one before, divides
 * the number of NPUs, and a dimension is left.  @splits_xor_ranks_by_bit: ranks
 * by XOR get one dimension per bit.  That can use up the dimensions that groups
 * need, so callers try both. */
static Symmetry derive_symmetry_shape(const SymmetryReduction *reduction,
                                      const Symmetry *offered,
                                      gboolean splits_xor_ranks_by_bit)
{
    uint32_t n_npus = topology_n_npus(reduction->topology);
    g_autoptr(GArray) bounds = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    Symmetry shape = *offered;

    for (guint i = 0; i < reduction->constraints->len; i++) {
        const Constraint *constraint = symmetry_constraint_at(reduction, i);

        if (constraint->colours)
            symmetry_bounds_add_colours(bounds, constraint->colours, n_npus);
        else
            symmetry_bounds_add_groups(bounds, constraint->members,
                                       splits_xor_ranks_by_bit &&
                                           constraint->ranks == RANKS_XORED);
    }
    symmetry_bounds_sort(bounds);
    shape.n_dims = 0;
    if (offered->part_ends < offered->unit_ends) {
        if (offered->any_part_order)
            add_dims_up_to(&shape, bounds, offered->part_ends,
                           offered->node_ends, TOPOLOGY_MAX_DIMS);
        else
            add_dims_offered_by_topology(&shape, offered, offered->part_ends,
                                         offered->node_ends);
        add_dims_offered_by_topology(&shape, offered, offered->node_ends,
                                     offered->unit_ends);
    }
    if (offered->any_order)
        add_dims_up_to(&shape, bounds, offered->unit_ends, n_npus,
                       shape.n_dims + TOPOLOGY_MAX_DIMS);
    else
        add_dims_offered_by_topology(&shape, offered, offered->unit_ends,
                                     n_npus);
    return shape;
}

/* ---- classes -------------------------------------------------------- */

static char *
reason_dimension_is_not_symmetric(const SymmetryReduction *reduction,
                                  uint32_t d, const Translation *translation)
{
    const Symmetry *offered = topology_get_symmetry(reduction->topology);

    if (translation->stride >= offered->node_ends &&
        translation->stride < offered->unit_ends)
        return g_strdup_printf("%u nodes share links of the outer topology",
                               offered->unit_ends / offered->node_ends);
    return g_strdup_printf("dimension %u of the %s is no ring, and what has "
                           "ends cannot be moved along",
                           d, topology_kind(reduction->topology));
}

/* Returns the smallest step along dimension @d of @shape that preserves all
 * constraints, or the size of the dimension if no smaller one does.  Sets
 * *@ret_why to the cause that excludes a step of 1 unless it is set already.
 * Uses t->step as a variable. */
static uint32_t smallest_preserving_step(const SymmetryReduction *reduction,
                                         const Symmetry *shape, uint32_t d,
                                         Translation *translation,
                                         char **ret_why)
{
    if (!shape->dims[d].translates) {
        if (!*ret_why && translation->size > 1)
            *ret_why =
                reason_dimension_is_not_symmetric(reduction, d, translation);
        return translation->size;
    }
    for (translation->step = 1; translation->step < translation->size;
         translation->step++) {
        const Constraint *violated;

        if (translation->size % translation->step != 0)
            continue;
        violated = first_violated_constraint(reduction, translation);
        if (!violated)
            return translation->step;
        if (!*ret_why)
            *ret_why = g_strdup(violated->why);
    }
    return translation->size;
}

/* Returns whether all members of each group are in one class.  Only then is it
 * valid to preserve groups as sets. */
static gboolean each_group_is_in_one_class(const SymmetryReduction *reduction,
                                           const SymmetryFold *fold)
{
    uint32_t n = topology_n_npus(reduction->topology);

    for (guint t = 0; t < reduction->constraints->len; t++) {
        const Constraint *constraint = symmetry_constraint_at(reduction, t);

        if (constraint->colours || constraint->ranks == RANKS_FIXED ||
            constraint->ranks == RANKS_ANY || !constraint->is_one_local_index)
            continue;
        for (uint32_t i = 0; i < n; i++)
            if (coll_members_contain(constraint->members, i) &&
                symmetry_fold_class_of_end(fold, i) !=
                    symmetry_fold_class_of_end(fold,
                                               coll_members_npu_in_same_group(
                                                   constraint->members, i, 0)))
                return FALSE;
    }
    return TRUE;
}

/* Returns the classes of the translations along the dimensions of @shape. */
static SymmetryFold *find_classes_of_shape(const SymmetryReduction *reduction,
                                           const Symmetry *shape,
                                           gboolean groups_are_sets,
                                           char **ret_why)
{
    uint32_t steps[SYMMETRY_MAX_DIMS], stride = shape->part_ends;

    *ret_why = NULL;
    for (uint32_t d = 0; d < shape->n_dims; d++) {
        Translation t = { .stride = stride,
                          .size = shape->dims[d].size,
                          .groups_are_sets = groups_are_sets };

        steps[d] = smallest_preserving_step(reduction, shape, d, &t, ret_why);
        stride *= shape->dims[d].size;
    }
    return symmetry_fold_new(reduction->topology, shape, steps);
}

/* ---- selection ------------------------------------------------------ */

typedef struct {
    SymmetryFold *fold; /* owned, as is .why; NULL: no candidate so far */
    char *why;
} Selection;

/* Keeps the candidate if it has fewer classes than the best so far, else frees
 * it.  Takes ownership of @fold and @why. */
static void keep_candidate_if_fewer_classes(Selection *best, SymmetryFold *fold,
                                            char *why)
{
    Selection rejected = { fold, why };

    if (!best->fold || symmetry_fold_n_simulated_ends(fold) <
                           symmetry_fold_n_simulated_ends(best->fold)) {
        rejected = *best;
        *best = (Selection){ fold, why };
    }
    g_clear_pointer(&rejected.fold, symmetry_fold_free);
    g_free(rejected.why);
}

static void try_symmetry_shape(Selection *best,
                               const SymmetryReduction *reduction,
                               const Symmetry *shape, gboolean groups_are_sets)
{
    char *why;
    SymmetryFold *fold =
        find_classes_of_shape(reduction, shape, groups_are_sets, &why);

    if (!groups_are_sets || each_group_is_in_one_class(reduction, fold)) {
        keep_candidate_if_fewer_classes(best, fold, why);
        return;
    }
    symmetry_fold_free(fold);
    g_free(why);
}

/* Considers the derived shapes: first with groups as sets, then, if that is
 * never valid, rank by rank. */
static void try_derived_symmetry_shapes(Selection *best,
                                        const SymmetryReduction *reduction,
                                        const Symmetry *offered)
{
    const Symmetry derived[] = {
        derive_symmetry_shape(reduction, offered, TRUE),
        derive_symmetry_shape(reduction, offered, FALSE)
    };

    for (guint i = 0; i < G_N_ELEMENTS(derived); i++)
        try_symmetry_shape(best, reduction, &derived[i], TRUE);
    if (best->fold)
        return;
    for (guint i = 0; i < G_N_ELEMENTS(derived); i++)
        try_symmetry_shape(best, reduction, &derived[i], FALSE);
    try_symmetry_shape(best, reduction, offered, FALSE);
}

SymmetryFold *symmetry_reduction_find(const SymmetryReduction *reduction,
                                      char **ret_why)
{
    const Symmetry *offered = topology_get_symmetry(reduction->topology);
    Selection best = { 0 };

    if (offered->any_order || offered->any_part_order)
        try_derived_symmetry_shapes(&best, reduction, offered);
    else
        try_symmetry_shape(&best, reduction, offered, FALSE);
    if (!best.why && offered->part_ends > 1)
        best.why = g_strdup_printf("a %s has %u NPUs with different "
                                   "connections",
                                   topology_kind(reduction->topology),
                                   offered->part_ends);
    *ret_why = best.why;
    return best.fold;
}
