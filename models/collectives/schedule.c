/*
 * schedule.c - looks up the steps of a schedule, and makes schedules of trees
 *
 * In a broadcast along a tree, a parent sends to its children as soon as it has
 * the block, one child per step.  The first child is the one whose subtree
 * needs the most further steps, which minimises the total.  A reduce is the
 * same, reversed in time.  An all-reduce is a reduce and then a broadcast.
 */
#include "models/collectives/schedule.h"

CollSchedule *coll_schedule_new(CollKind kind, uint32_t n_ranks,
                                uint32_t n_steps, uint32_t n_blocks)
{
    CollSchedule *schedule = g_new0(CollSchedule, 1);

    g_assert(n_ranks >= 2 && n_steps > 0 && n_blocks > 0);
    schedule->kind = kind;
    schedule->n_ranks = n_ranks;
    schedule->n_steps = n_steps;
    schedule->n_blocks = n_blocks;
    schedule->steps = g_new(CollStep, (gsize)n_ranks * n_steps);
    for (uint32_t r = 0; r < n_ranks; r++)
        for (uint32_t s = 0; s < n_steps; s++)
            *coll_schedule_step_at(schedule, r, s) =
                (CollStep){ .send_to = r, .recv_from = r, .recv_none = TRUE };
    return schedule;
}

static gboolean step_is_idle(const CollStep *step)
{
    return step->n_blocks == 0 && step->recv_none;
}

void coll_schedule_finish(CollSchedule *schedule)
{
    GArray *steps = g_array_new(FALSE, FALSE, sizeof(CollStep));

    g_assert(!schedule->busy);
    schedule->n_words = (schedule->n_steps - 1) / 64 + 1;
    schedule->busy =
        g_new0(CollBusy, (gsize)schedule->n_ranks * schedule->n_words);
    for (uint32_t r = 0; r < schedule->n_ranks; r++)
        for (uint32_t s = 0; s < schedule->n_steps; s++) {
            CollBusy *busy =
                &schedule->busy[(gsize)r * schedule->n_words + s / 64];
            const CollStep *step = coll_schedule_step_at(schedule, r, s);

            if (s % 64 == 0)
                busy->first = steps->len;
            if (step_is_idle(step))
                continue;
            busy->bits |= UINT64_C(1) << s % 64;
            g_array_append_vals(steps, step, 1);
        }
    schedule->busy_steps = (CollStep *)(gpointer)g_array_free(steps, FALSE);
}

void coll_schedule_free(CollSchedule *schedule)
{
    if (!schedule)
        return;
    g_free(schedule->steps);
    g_free(schedule->busy_steps);
    g_free(schedule->busy);
    g_free(schedule);
}

/* ---- along a tree ----------------------------------------------------- */

typedef struct {
    const uint32_t *parents; /* borrowed: the parent of each rank */
    uint32_t n_ranks;
    uint32_t *n_after; /* owned: steps from the arrival at a rank until its
                          whole subtree has the block */
    /* Owned: step in which each rank receives the block. */
    uint32_t *received_in;
    uint32_t *order; /* owned: ranks, parents before their children */
} Tree;

static gboolean is_tree_root(const Tree *tree, uint32_t rank)
{
    return tree->parents[rank] == rank;
}

static uint32_t depth_in_tree(const Tree *tree, uint32_t rank)
{
    uint32_t depth = 0;

    for (; !is_tree_root(tree, rank); rank = tree->parents[rank]) {
        depth++;
        g_assert(depth < tree->n_ranks); /* the parents form no cycle */
    }
    return depth;
}

/* Sorts ranks by depth, then by number. */
static void sort_schedule_ranks(Tree *tree)
{
    uint32_t n = tree->n_ranks, n_sorted = 0;
    g_autofree uint32_t *depths = g_new(uint32_t, n);

    for (uint32_t r = 0; r < n; r++)
        depths[r] = depth_in_tree(tree, r);
    for (uint32_t depth = 0; n_sorted < n; depth++) {
        uint32_t n_before = n_sorted;

        for (uint32_t r = 0; r < n; r++)
            if (depths[r] == depth)
                tree->order[n_sorted++] = r;
        g_assert(depth > 0 ? n_sorted > n_before
                           : n_sorted == 1); /* the tree has exactly one root */
    }
}

static gint compare_children_by_steps(gconstpointer a, gconstpointer b,
                                      gpointer data)
{
    const Tree *tree = data;
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    if (tree->n_after[one] != tree->n_after[other])
        return tree->n_after[one] > tree->n_after[other] ? -1 : 1;
    return one < other ? -1 : one > other;
}

/* Returns the children of @rank in the order in which it sends to them. */
static GArray *sort_children_by_steps(const Tree *tree, uint32_t rank)
{
    GArray *children = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t i = 0; i < tree->n_ranks; i++)
        if (tree->parents[i] == rank && !is_tree_root(tree, i))
            g_array_append_val(children, i);
    g_array_sort_with_data(children, compare_children_by_steps, (gpointer)tree);
    return children;
}

/* Computes .n_after and .received_in.  Returns the number of steps of a
 * broadcast. */
static uint32_t compute_tree_steps(Tree *tree)
{
    for (uint32_t i = tree->n_ranks; i-- > 0;) {
        uint32_t rank = tree->order[i];
        g_autoptr(GArray) children = sort_children_by_steps(tree, rank);

        for (guint c = 0; c < children->len; c++) {
            uint32_t child = g_array_index(children, uint32_t, c);

            tree->n_after[rank] =
                MAX(tree->n_after[rank], c + 1 + tree->n_after[child]);
        }
    }
    for (uint32_t i = 0; i < tree->n_ranks; i++) {
        uint32_t rank = tree->order[i];
        uint32_t first =
            is_tree_root(tree, rank) ? 0 : tree->received_in[rank] + 1;
        g_autoptr(GArray) children = sort_children_by_steps(tree, rank);

        for (guint c = 0; c < children->len; c++)
            tree->received_in[g_array_index(children, uint32_t, c)] = first + c;
    }
    return tree->n_after[tree->order[0]];
}

static void add_step_message(CollSchedule *schedule, uint32_t step,
                             uint32_t from, uint32_t to)
{
    CollStep *sent = coll_schedule_step_at(schedule, from, step);
    CollStep *received = coll_schedule_step_at(schedule, to, step);

    g_assert(sent->n_blocks == 0 && received->recv_none);
    sent->send_to = to;
    sent->n_blocks = 1;
    received->recv_from = from;
    received->n_recv_blocks = 1;
    received->recv_none = FALSE;
}

static void add_tree_messages(CollSchedule *schedule, const Tree *tree,
                              uint32_t n_down)
{
    uint32_t n_up = schedule->n_steps - n_down;

    for (uint32_t r = 0; r < tree->n_ranks; r++) {
        uint32_t parent = tree->parents[r];

        for (uint32_t s = 0; s < n_up; s++)
            coll_schedule_step_at(schedule, r, s)->reduces = TRUE;
        if (is_tree_root(tree, r))
            continue;
        if (n_up > 0)
            add_step_message(schedule, n_up - 1 - tree->received_in[r], r,
                             parent);
        if (n_down > 0)
            add_step_message(schedule, n_up + tree->received_in[r], parent, r);
    }
}

CollSchedule *coll_schedule_of_tree(CollKind kind, const uint32_t *parents,
                                    uint32_t n_ranks)
{
    g_autofree uint32_t *n_after = g_new0(uint32_t, n_ranks);
    g_autofree uint32_t *received_in = g_new0(uint32_t, n_ranks);
    g_autofree uint32_t *order = g_new0(uint32_t, n_ranks);
    Tree tree = { parents, n_ranks, n_after, received_in, order };
    gboolean up = kind != COLL_BROADCAST, down = kind != COLL_REDUCE;
    CollSchedule *schedule;
    uint32_t n_one_way;

    g_assert(kind == COLL_ALL_REDUCE || !up || !down);
    sort_schedule_ranks(&tree);
    n_one_way = compute_tree_steps(&tree);
    schedule = coll_schedule_new(kind, n_ranks,
                                 up && down ? 2 * n_one_way : n_one_way, 1);
    add_tree_messages(schedule, &tree, down ? n_one_way : 0);
    coll_schedule_finish(schedule);
    return schedule;
}

/* ---- the algorithm ---------------------------------------------------- */

static gboolean scheduled_supports(const CollGroup *group)
{
    const CollSchedule *schedule = group->schedule;

    return schedule && schedule->kind == group->kind &&
           schedule->n_ranks == group->n_ranks;
}

static uint32_t scheduled_n_steps(const CollGroup *group)
{
    return group->schedule->n_steps;
}

static uint32_t scheduled_n_blocks(const CollGroup *group)
{
    return group->schedule->n_blocks;
}

/* Counts set bits.  Without a machine instruction for it,
 * __builtin_popcountll() calls a function that needs twice as many
 * instructions. */
static inline uint32_t count_set_bits(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) +
           (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

static void scheduled_step(const CollGroup *group, uint32_t rank, uint32_t step,
                           CollStep *ret)
{
    const CollSchedule *schedule = group->schedule;
    const CollBusy *busy =
        schedule->busy + (gsize)rank * schedule->n_words + step / 64;
    uint64_t bit = UINT64_C(1) << step % 64;

    if (schedule->busy && busy->bits & bit)
        *ret = schedule->busy_steps[busy->first +
                                    count_set_bits(busy->bits & (bit - 1))];
    else
        *ret = *coll_schedule_step_at(schedule, rank, step);
}

static uint32_t search_next_active_step(const CollSchedule *schedule,
                                        uint32_t rank, uint32_t from)
{
    while (from < schedule->n_steps &&
           step_is_idle(coll_schedule_step_at(schedule, rank, from)))
        from++;
    return from;
}

static uint32_t scheduled_next_active_step(const CollGroup *group,
                                           uint32_t rank, uint32_t first_step)
{
    const CollSchedule *schedule = group->schedule;
    const CollBusy *words = schedule->busy + (gsize)rank * schedule->n_words;
    uint32_t at = first_step / 64;
    uint64_t left;

    if (first_step >= schedule->n_steps)
        return schedule->n_steps;
    if (!schedule->busy)
        return search_next_active_step(schedule, rank, first_step);
    left = words[at].bits >> first_step % 64 << first_step % 64;
    while (left == 0 && ++at < schedule->n_words)
        left = words[at].bits;
    return left == 0 ? schedule->n_steps
                     : 64 * at + (uint32_t)__builtin_ctzll(left);
}

const CollAlgorithm coll_scheduled = {
    .name = "scheduled",
    .summary = "steps that were decided beforehand, looked up in a table",
    .symmetry = COLL_BY_ROTATION,
    .partial = TRUE,
    .supports = scheduled_supports,
    .n_steps = scheduled_n_steps,
    .n_blocks = scheduled_n_blocks,
    .step = scheduled_step,
    .next_active_step = scheduled_next_active_step,
};
