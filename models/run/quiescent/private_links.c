/* private_links.c - the links of a set of NPUs that no message of others takes;
 * see private_links.h */
#include "models/run/quiescent/private_links.h"

#include "network/topology.h"

#define NOT_FIRST UINT32_MAX

/* A path of some set along a link. */
typedef struct {
    uint32_t link; /* or the number of links + the node of an adder */
    /* Index of the simulated NPU that sends, if @link is the first link of the
     * path; else NOT_FIRST. */
    uint32_t sender;
    uint32_t receiver; /* index of the simulated NPU that receives */
} LinkUse;

typedef struct {
    const CollectiveClass *coll_class;
    uint32_t set;
    GArray *links; /* owned; NULL: they are not private */
} SetLinks;

struct PrivateLinks {
    const System *system; /* borrowed */
    uint32_t n_links;
    GArray *uses;      /* owned, of LinkUse: sorted, each once */
    gboolean too_many; /* there are more than PRIVATE_LINKS_MOST_HOPS hops */
    GPtrArray *sets;   /* owned, of owned SetLinks: answers to questions */
    GHashTable *by_set;
};

/* ---- paths ------------------------------------------------------------ */

typedef struct {
    GArray *uses; /* of LinkUse; it is appended to */
    uint32_t n_links;
    uint32_t sender, receiver;
    gboolean via_switch;
    gboolean is_first;
} PathWalk;

static void record_use_of_link(gpointer self, uint32_t link, uint32_t node)
{
    PathWalk *walk = self;
    LinkUse use = { link, walk->is_first ? walk->sender : NOT_FIRST,
                    walk->receiver };
    LinkUse adder = { walk->n_links + node, NOT_FIRST, walk->receiver };

    walk->is_first = FALSE;
    g_array_append_val(walk->uses, use);
    if (walk->via_switch)
        g_array_append_val(walk->uses, adder);
}

static void visit_paths_to_npu(const System *system, const CollPhase *phase,
                               uint32_t sender, uint32_t dst, PathWalk *walk)
{
    uint32_t src = symmetry_fold_representative_end(system->plan.fold, sender);

    walk->sender = sender;
    walk->receiver = symmetry_fold_class_of_end(system->plan.fold, dst);
    walk->via_switch = phase->algorithm->via_switch;
    for (uint32_t turn = 0; turn < 2; turn++) {
        walk->is_first = TRUE;
        network_visit_path(system->state.network, src, dst,
                           coll_path_id(phase, turn), record_use_of_link, walk);
    }
}

/* Walks along all paths on which simulated NPU @sender may send in @phase. */
static void visit_paths_of_phase(const System *system, const CollPhase *phase,
                                 CollKind kind, uint32_t sender, PathWalk *walk)
{
    uint32_t id = symmetry_fold_representative_end(system->plan.fold, sender);
    uint32_t own = coll_rank_of_npu(phase, id);

    if (phase->algorithm->via_switch) {
        visit_paths_to_npu(system, phase, sender, id, walk);
        return;
    }
    for (uint32_t r = 0; r < phase->members.n_ranks; r++)
        if (r != own && (kind != COLL_SEND ||
                         (own == phase->group.from && r == phase->group.to)))
            visit_paths_to_npu(system, phase, sender,
                               coll_npu_of_rank(phase, id, r), walk);
}

static void visit_paths_of_npu(const System *system,
                               const CollectiveClass *coll_class, uint32_t npu,
                               PathWalk *walk)
{
    const CollOrders *orders = &coll_class->planned->orders;

    for (uint32_t o = 0; o < orders->n; o++)
        for (uint32_t phase = 0; phase < orders->plans[o].n_phases; phase++)
            visit_paths_of_phase(system, &orders->plans[o].phases[phase],
                                 orders->plans[o].kind, npu, walk);
}

static gint compare_link_uses(gconstpointer a, gconstpointer b)
{
    const LinkUse *use = a, *y = b;

    if (use->link != y->link)
        return use->link < y->link ? -1 : 1;
    if (use->sender != y->sender)
        return use->sender < y->sender ? -1 : 1;
    return use->receiver < y->receiver ? -1 : use->receiver > y->receiver;
}

/* Sorts @uses and keeps one of several equal ones. */
static void sort_link_uses(GArray *uses)
{
    guint n = 0;

    g_array_sort(uses, compare_link_uses);
    for (guint i = 0; i < uses->len; i++) {
        LinkUse *last = &g_array_index(uses, LinkUse, n > 0 ? n - 1 : 0);
        const LinkUse *use = &g_array_index(uses, LinkUse, i);

        if (n == 0 || compare_link_uses(last, use) != 0)
            g_array_index(uses, LinkUse, n++) = *use;
    }
    g_array_set_size(uses, n);
}

static void find_all_uses(PrivateLinks *links)
{
    const System *system = links->system;
    PathWalk walk = { .uses = links->uses, .n_links = links->n_links };

    for (guint i = 0;
         i < system->plan.collective_classes.classes->len && !links->too_many;
         i++) {
        const CollectiveClass *coll_class =
            collective_classes_at(&system->plan.collective_classes, i);

        if (collective_class_is_recorded(coll_class))
            continue;
        for (uint32_t npu = 0; npu < system->plan.n_sim; npu++)
            if (coll_class->set_of[npu] != COLLECTIVE_CLASS_NO_SET &&
                walk.uses->len <= PRIVATE_LINKS_MOST_HOPS)
                visit_paths_of_npu(system, coll_class, npu, &walk);
        links->too_many = walk.uses->len > PRIVATE_LINKS_MOST_HOPS;
    }
    sort_link_uses(links->uses);
}

/* ---- questions ----------------------------------------------------------- */

static guint hash_set_links(gconstpointer data)
{
    const SetLinks *set = data;

    return g_direct_hash(set->coll_class) * 31 + set->set;
}

static gboolean set_links_are_equal(gconstpointer a, gconstpointer b)
{
    const SetLinks *links = a, *y = b;

    return links->coll_class == y->coll_class && links->set == y->set;
}

static void set_links_free(gpointer data)
{
    SetLinks *set = data;

    if (set->links)
        g_array_unref(set->links);
    g_free(set);
}

PrivateLinks *private_links_new(const System *system)
{
    PrivateLinks *links = g_new0(PrivateLinks, 1);

    links->system = system;
    links->n_links = topology_n_links(system->plan.topology);
    links->sets = g_ptr_array_new_with_free_func(set_links_free);
    links->by_set = g_hash_table_new(hash_set_links, set_links_are_equal);
    return links;
}

void private_links_free(PrivateLinks *links)
{
    if (!links)
        return;
    if (links->uses)
        g_array_unref(links->uses);
    g_hash_table_unref(links->by_set);
    g_ptr_array_unref(links->sets);
    g_free(links);
}

static gboolean npu_is_in_set(const SetLinks *set, uint32_t npu)
{
    return npu != NOT_FIRST && set->coll_class->set_of[npu] == set->set;
}

/* Returns the index in .uses of the first one of @link or a later link. */
static guint first_use_of_link(const PrivateLinks *links, uint32_t link)
{
    guint from = 0, to = links->uses->len;

    while (from < to) {
        guint middle = from + (to - from) / 2;

        if (g_array_index(links->uses, LinkUse, middle).link < link)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static gboolean link_is_private(const PrivateLinks *links, const SetLinks *set,
                                uint32_t link)
{
    for (guint i = first_use_of_link(links, link); i < links->uses->len; i++) {
        const LinkUse *use = &g_array_index(links->uses, LinkUse, i);

        if (use->link != link)
            break;
        if (!npu_is_in_set(set, use->receiver) &&
            !npu_is_in_set(set, use->sender))
            return FALSE;
    }
    return TRUE;
}

/* Sets .links of @set if they are private. */
static void find_private_links(const PrivateLinks *links, SetLinks *set)
{
    g_autoptr(GArray) uses = g_array_new(FALSE, FALSE, sizeof(LinkUse));
    g_autoptr(GArray) own = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    PathWalk walk = { .uses = uses, .n_links = links->n_links };

    for (uint32_t npu = 0; npu < links->system->plan.n_sim; npu++)
        if (set->coll_class->set_of[npu] == set->set)
            visit_paths_of_npu(links->system, set->coll_class, npu, &walk);
    sort_link_uses(uses);
    for (guint i = 0; i < uses->len; i++) {
        uint32_t link = g_array_index(uses, LinkUse, i).link;

        if (i > 0 && link == g_array_index(uses, LinkUse, i - 1).link)
            continue;
        if (!link_is_private(links, set, link))
            return;
        if (link < links->n_links)
            g_array_append_val(own, link);
    }
    set->links = g_steal_pointer(&own);
}

const GArray *private_links_of_set(PrivateLinks *links,
                                   const CollectiveClass *coll_class,
                                   uint32_t set)
{
    const SetLinks key = { .coll_class = coll_class, .set = set };
    SetLinks *known = g_hash_table_lookup(links->by_set, &key);

    if (known)
        return known->links;
    if (!links->uses) {
        links->uses = g_array_new(FALSE, FALSE, sizeof(LinkUse));
        find_all_uses(links);
    }
    known = g_new(SetLinks, 1);
    *known = key;
    if (!links->too_many)
        find_private_links(links, known);
    g_ptr_array_add(links->sets, known);
    g_hash_table_add(links->by_set, known);
    return known->links;
}
