/* channel_layout.c - depth-first search for the orders of channels */
#include "models/stacks/nccl/channel_layout.h"

#include <string.h>

/* Limit of the steps to a GPU, after which the best result so far counts. */
#define MAX_STEPS (1U << 16)

typedef struct {
    const NcclLayoutRequest *request;
    const NcclSystem *system;
    uint64_t *room;    /* owned: free rate of each link */
    uint32_t *n_flows; /* owned: number of channels on each link */
    /* Owned: the free rate of NIC i, into the machine at 2 i and out of it at
     * 2 i + 1. */
    uint64_t *nic_room;
    uint32_t n, n_steps;
    uint32_t n_channels, most_channels; /* current number, and upper bound */
    gboolean *is_usable; /* owned: result of gpu_may_use_nic() at [NIC, GPU] */
    uint32_t *nearest;   /* owned: for each GPU all others, nearest first */
    uint32_t *orders, *nics; /* owned: orders and NICs of current channels */
    gboolean taken[PACK_MAX_RANKS]; /* whether the channel contains each GPU */
    NcclLayout *best;
} Search;

static gboolean search_next_channel(Search *search);

/* ---- paths ------------------------------------------------------------- */

/* Returns whether link @link can carry one more channel. */
static gboolean link_can_carry_channel(const Search *search, uint32_t link)
{
    const NcclLink *given = &search->system->links[link];
    gboolean at_gpu = given->from < search->n || given->to < search->n;

    if (given->reach != TOPOLOGY_NEAR && at_gpu &&
        search->n_flows[link] >= given->n_links)
        return FALSE;
    return search->room[link] >= search->request->bytes_per_s;
}

/* Releases the path from @from towards @end, up to node @until. */
static void release_path_bandwidth(Search *search, uint32_t from,
                                   uint32_t until, uint32_t end)
{
    for (uint32_t at = from; at != until;) {
        uint32_t link = nccl_next_link_on_path(search->system, at, end);

        search->room[link] += search->request->bytes_per_s;
        search->n_flows[link]--;
        at = search->system->links[link].to;
    }
}

/* Reserves the path from @from to @end.  Returns FALSE and reserves nothing if
 * some link is full. */
static gboolean reserve_path_bandwidth(Search *search, uint32_t from,
                                       uint32_t end)
{
    if (nccl_path_cost(search->system, from, end) == NCCL_UNREACHABLE)
        return FALSE;
    for (uint32_t at = from; at != end;) {
        uint32_t link = nccl_next_link_on_path(search->system, at, end);

        if (!link_can_carry_channel(search, link)) {
            release_path_bandwidth(search, from, at, end);
            return FALSE;
        }
        search->room[link] -= search->request->bytes_per_s;
        search->n_flows[link]++;
        at = search->system->links[link].to;
    }
    return TRUE;
}

static gboolean path_is_allowed(const Search *search, uint32_t from,
                                uint32_t to)
{
    return !search->request->near_only ||
           nccl_path_cost(search->system, from, to) < NCCL_HOST_LINK_COST;
}

/* Returns whether @gpu may use NIC @nic: no other GPU is nearer, or any GPU may
 * be used.  A NIC that belongs to another GPU cannot be reached. */
static gboolean gpu_may_use_nic(const Search *search, uint32_t gpu,
                                uint32_t nic)
{
    uint32_t cost = nccl_path_cost(search->system, gpu, search->n + nic);

    if (cost == NCCL_UNREACHABLE)
        return FALSE;
    for (uint32_t other = 0; other < search->n && search->request->closest_nic;
         other++)
        if (nccl_path_cost(search->system, other, search->n + nic) < cost)
            return FALSE;
    return TRUE;
}

static gboolean gpu_may_use_nic_cached(const Search *search, uint32_t gpu,
                                       uint32_t nic)
{
    return search->is_usable[nic * search->n + gpu];
}

/* ---- NICs --------------------------------------------------------------- */

static gboolean reserve_path_from_nic(Search *search, uint32_t nic,
                                      uint32_t gpu)
{
    if (search->nic_room[2 * nic] < search->request->bytes_per_s ||
        !gpu_may_use_nic_cached(search, gpu, nic) ||
        !reserve_path_bandwidth(search, search->n + nic, gpu))
        return FALSE;
    search->nic_room[2 * nic] -= search->request->bytes_per_s;
    return TRUE;
}

static void release_path_from_nic(Search *search, uint32_t nic, uint32_t gpu)
{
    release_path_bandwidth(search, search->n + nic, gpu, gpu);
    search->nic_room[2 * nic] += search->request->bytes_per_s;
}

/* Returns whether outgoing data alternates with incoming data.  If so, the path
 * out needs no reservation, and the chain can use the GPU's link to the
 * host. */
static gboolean sends_and_receives_alternate(const Search *search)
{
    return search->request->pattern == NCCL_TREE;
}

static gboolean reserve_path_to_nic(Search *search, uint32_t nic, uint32_t gpu)
{
    if (search->nic_room[2 * nic + 1] < search->request->bytes_per_s ||
        !gpu_may_use_nic_cached(search, gpu, nic) ||
        (!sends_and_receives_alternate(search) &&
         !reserve_path_bandwidth(search, gpu, search->n + nic)))
        return FALSE;
    search->nic_room[2 * nic + 1] -= search->request->bytes_per_s;
    return TRUE;
}

static void release_path_to_nic(Search *search, uint32_t nic, uint32_t gpu)
{
    if (!sends_and_receives_alternate(search))
        release_path_bandwidth(search, gpu, search->n + nic, search->n + nic);
    search->nic_room[2 * nic + 1] += search->request->bytes_per_s;
}

/* Returns the step at which a channel leaves the machine, or n if it does not
 * leave. */
static uint32_t step_at_which_channel_leaves(const Search *search)
{
    if (!search->request->has_network)
        return search->n;
    switch (search->request->pattern) {
    case NCCL_RING:
        return search->n - 1;
    case NCCL_TREE:
        return 0;
    default:
        return MIN(1, search->n - 1);
    }
}

/* ---- one channel -------------------------------------------------------- */

static uint32_t *gpu_order_of_current_channel(Search *search)
{
    return &search->orders[search->n_channels * search->n];
}

/* Copies the current channels to the best ones if there are more of them. */
static void keep_channels_if_best(Search *search)
{
    NcclLayout *best = search->best;

    if (search->n_channels <= best->n_channels)
        return;
    best->n_channels = search->n_channels;
    memcpy(best->orders, search->orders,
           (gsize)search->n_channels * search->n * sizeof *search->orders);
    memcpy(best->nics, search->nics,
           (gsize)search->n_channels * 2 * sizeof *search->nics);
}

/* Completes the current channel and searches for the next.  Returns TRUE if
 * enough channels have been found. */
static gboolean complete_channel_and_search_next(Search *search)
{
    gboolean taken[PACK_MAX_RANKS], is_done;

    search->n_channels++;
    keep_channels_if_best(search);
    memcpy(taken, search->taken, sizeof taken);
    memset(search->taken, 0, sizeof taken);
    is_done = search->n_channels == search->most_channels ||
              search_next_channel(search);
    memcpy(search->taken, taken, sizeof taken);
    search->n_channels--;
    return is_done;
}

/* Completes a channel.  Reserves the path from the last GPU to the first if the
 * pattern is a closed ring. */
static gboolean close_channel_to_ring(Search *search)
{
    uint32_t first = gpu_order_of_current_channel(search)[0],
             last = gpu_order_of_current_channel(search)[search->n - 1];
    gboolean closes = search->request->pattern == NCCL_SPLIT_TREE_LOOP ||
                      (search->request->pattern == NCCL_RING &&
                       !search->request->has_network);
    gboolean is_done;

    if (!closes || search->n == 1)
        return complete_channel_and_search_next(search);
    if (!path_is_allowed(search, last, first) ||
        !reserve_path_bandwidth(search, last, first))
        return FALSE;
    is_done = complete_channel_and_search_next(search);
    release_path_bandwidth(search, last, first, first);
    return is_done;
}

/* Returns whether the ring can still leave: a free GPU must be near the NIC. */
static gboolean ring_can_still_reach_nic(const Search *search)
{
    uint32_t nic = search->nics[2 * search->n_channels];

    if (!search->request->has_network || search->request->pattern != NCCL_RING)
        return TRUE;
    for (uint32_t gpu = 0; gpu < search->n; gpu++)
        if (!search->taken[gpu] && gpu_may_use_nic_cached(search, gpu, nic))
            return TRUE;
    return FALSE;
}

static gboolean place_gpu_in_channel(Search *search, uint32_t gpu,
                                     uint32_t step);

static gboolean try_gpu_as_next_in_channel(Search *search, uint32_t at,
                                           uint32_t gpu, uint32_t step)
{
    gboolean is_done;

    if (!path_is_allowed(search, at, gpu) ||
        !reserve_path_bandwidth(search, at, gpu))
        return FALSE;
    is_done = place_gpu_in_channel(search, gpu, step);
    release_path_bandwidth(search, at, gpu, gpu);
    return is_done;
}

static gboolean continue_channel_from_gpu(Search *search, uint32_t at,
                                          uint32_t step)
{
    const uint32_t *nearest = &search->nearest[at * search->n];

    if (step == search->n)
        return close_channel_to_ring(search);
    if (!ring_can_still_reach_nic(search))
        return FALSE;
    /* First try the GPU that the previous channel visits after this one. */
    if (search->n_channels > 0) {
        const uint32_t *before =
            gpu_order_of_current_channel(search) - search->n;

        if (before[step - 1] == at && !search->taken[before[step]] &&
            try_gpu_as_next_in_channel(search, at, before[step], step))
            return TRUE;
    }
    for (uint32_t i = 0; i + 1 < search->n && search->n_steps < MAX_STEPS; i++)
        if (!search->taken[nearest[i]] &&
            try_gpu_as_next_in_channel(search, at, nearest[i], step))
            return TRUE;
    return FALSE;
}

/* Puts @gpu at position @step of the current channel and continues.  Returns
 * TRUE if enough channels have been found. */
static gboolean place_gpu_in_channel(Search *search, uint32_t gpu,
                                     uint32_t step)
{
    uint32_t nic = search->nics[2 * search->n_channels];
    gboolean is_done = FALSE;

    search->n_steps++;
    search->taken[gpu] = TRUE;
    gpu_order_of_current_channel(search)[step] = gpu;
    if (step != step_at_which_channel_leaves(search)) {
        is_done = continue_channel_from_gpu(search, gpu, step + 1);
    } else if (reserve_path_to_nic(search, nic, gpu)) {
        is_done = continue_channel_from_gpu(search, gpu, step + 1);
        release_path_to_nic(search, nic, gpu);
    }
    search->taken[gpu] = FALSE;
    return is_done;
}

static gboolean search_channels_from_nic(Search *search, uint32_t nic)
{
    gboolean is_done = FALSE;

    search->nics[2 * search->n_channels] =
        search->nics[2 * search->n_channels + 1] = nic;
    for (uint32_t gpu = 0; gpu < search->n && !is_done; gpu++) {
        if (!reserve_path_from_nic(search, nic, gpu))
            continue;
        is_done = place_gpu_in_channel(search, gpu, 0);
        release_path_from_nic(search, nic, gpu);
    }
    return is_done;
}

/* Searches for one more channel and all that follow it.  Returns TRUE if enough
 * channels have been found. */
static gboolean search_next_channel(Search *search)
{
    uint32_t n_nics = search->system->n_nics;
    gboolean is_done = FALSE;

    if (search->request->has_network) {
        for (uint32_t i = 0; i < n_nics && !is_done; i++)
            is_done = search_channels_from_nic(
                search, (search->n_channels + i) % n_nics);
        return is_done;
    }
    for (uint32_t gpu = 0; gpu < search->n && !is_done; gpu++)
        is_done =
            search->n_steps < MAX_STEPS && place_gpu_in_channel(search, gpu, 0);
    return is_done;
}

/* ---- precomputed values -------------------------------------------------- */

/* Lists for each GPU the other GPUs by the cost of the path.  GPUs at the same
 * cost are in the order of their indices, starting after the GPU itself. */
static void sort_gpus_by_path_cost(Search *search)
{
    for (uint32_t at = 0; at < search->n; at++) {
        uint32_t *sorted = &search->nearest[at * search->n];

        for (uint32_t i = 1; i < search->n; i++) {
            uint32_t gpu = (at + i) % search->n, k = i - 1;
            uint32_t cost = nccl_path_cost(search->system, at, gpu);

            for (; k > 0 &&
                   nccl_path_cost(search->system, at, sorted[k - 1]) > cost;
                 k--)
                sorted[k] = sorted[k - 1];
            sorted[k] = gpu;
        }
    }
}

/* Returns the number of channels that link @link can carry. */
static uint64_t n_channels_that_fit_link(const Search *search, uint32_t link)
{
    const NcclLink *given = &search->system->links[link];
    uint64_t fits = search->room[link] / search->request->bytes_per_s;
    gboolean at_gpu = given->from < search->n || given->to < search->n;

    return given->reach != TOPOLOGY_NEAR && at_gpu ? MIN(fits, given->n_links)
                                                   : fits;
}

/* Returns the number of channels that the links of each GPU allow: a channel
 * enters every GPU once, or, if @goes_out, leaves it once. */
static uint64_t bound_channels_by_gpu_links(const Search *search,
                                            gboolean goes_out)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t gpu = 0; gpu < search->n; gpu++) {
        uint64_t fits = 0;

        for (uint32_t i = 0; i < search->system->n_links; i++) {
            const NcclLink *link = &search->system->links[i];

            if ((goes_out ? link->from : link->to) == gpu)
                fits += n_channels_that_fit_link(search, i);
        }
        least = MIN(least, fits);
    }
    return least;
}

/* Returns the number of channels that the NICs allow.  A channel uses its speed
 * of a NIC and the last link of a path from that NIC to a GPU that may use the
 * NIC. */
static uint64_t bound_channels_by_nics(const Search *search)
{
    const NcclSystem *nccl_system = search->system;
    g_autofree gboolean *is_last = g_new0(gboolean, nccl_system->n_links + 1);
    uint64_t by_nics = 0, by_links = 0;

    for (uint32_t nic = 0; nic < nccl_system->n_nics; nic++) {
        gboolean has_gpu = FALSE;

        for (uint32_t gpu = 0; gpu < search->n; gpu++) {
            uint32_t last = NCCL_NONE;

            if (!gpu_may_use_nic_cached(search, gpu, nic) ||
                nccl_path_cost(nccl_system, search->n + nic, gpu) ==
                    NCCL_UNREACHABLE)
                continue;
            for (uint32_t at = search->n + nic; at != gpu;
                 at = nccl_system->links[last].to)
                last = nccl_next_link_on_path(nccl_system, at, gpu);
            is_last[last] = has_gpu = TRUE;
        }
        if (has_gpu)
            by_nics += nccl_system->nic_out[nic] / search->request->bytes_per_s;
    }
    for (uint32_t i = 0; i < nccl_system->n_links; i++)
        if (is_last[i])
            by_links += n_channels_that_fit_link(search, i);
    return MIN(by_nics, by_links);
}

/* Returns an upper bound of the number of channels in any order.  The search
 * stops when it reaches the bound. */
static uint32_t upper_bound_of_channels(const Search *search)
{
    NcclPattern pattern = search->request->pattern;
    gboolean has_network = search->request->has_network;
    gboolean is_ring = pattern == NCCL_RING || pattern == NCCL_SPLIT_TREE_LOOP;
    uint64_t bound = search->request->most_channels;

    if (has_network)
        bound = MIN(bound, bound_channels_by_nics(search));
    if (has_network || (is_ring && search->n > 1))
        bound = MIN(bound, bound_channels_by_gpu_links(search, FALSE));
    if (is_ring && search->n > 1)
        bound = MIN(bound, bound_channels_by_gpu_links(search, TRUE));
    return (uint32_t)bound;
}

/* ---- search ------------------------------------------------------------ */

static NcclLayout *alloc_channel_layout(uint32_t n_gpus, uint32_t most)
{
    NcclLayout *layout = g_new0(NcclLayout, 1);

    layout->orders = g_new0(uint32_t, (gsize)n_gpus * most);
    layout->nics = g_new0(uint32_t, 2 * (gsize)most);
    return layout;
}

void nccl_layout_free(NcclLayout *layout)
{
    if (!layout)
        return;
    g_free(layout->orders);
    g_free(layout->nics);
    g_free(layout);
}

NcclLayout *nccl_layout_new(const NcclLayoutRequest *request)
{
    const NcclSystem *nccl_system = request->system;
    uint32_t most = request->most_channels;
    NcclLayout *best = alloc_channel_layout(nccl_system->n_gpus, most);
    g_autoptr(NcclLayout) current =
        alloc_channel_layout(nccl_system->n_gpus, most + 1);
    g_autofree uint64_t *room = g_new(uint64_t, nccl_system->n_links + 1);
    g_autofree uint64_t *nic_room =
        g_new(uint64_t, 2 * nccl_system->n_nics + 1);
    g_autofree uint32_t *n_flows = g_new0(uint32_t, nccl_system->n_links + 1);
    g_autofree gboolean *is_usable =
        g_new(gboolean, nccl_system->n_nics * nccl_system->n_gpus + 1);
    g_autofree uint32_t *nearest =
        g_new(uint32_t, nccl_system->n_gpus * nccl_system->n_gpus);
    Search l = { .request = request,
                 .system = nccl_system,
                 .room = room,
                 .n_flows = n_flows,
                 .nic_room = nic_room,
                 .is_usable = is_usable,
                 .nearest = nearest,
                 .n = nccl_system->n_gpus,
                 .orders = current->orders,
                 .nics = current->nics,
                 .best = best };

    g_assert(most > 0 && request->bytes_per_s > 0);
    for (uint32_t i = 0; i < nccl_system->n_links; i++)
        room[i] = nccl_system->links[i].link_bytes_per_s *
                  nccl_system->links[i].n_links;
    for (uint32_t i = 0; i < 2 * nccl_system->n_nics; i++)
        nic_room[i] = nccl_system->nic_out[i / 2];
    for (uint32_t i = 0; i < nccl_system->n_nics * nccl_system->n_gpus; i++)
        is_usable[i] = gpu_may_use_nic(&l, i % nccl_system->n_gpus,
                                       i / nccl_system->n_gpus);
    sort_gpus_by_path_cost(&l);
    l.most_channels = upper_bound_of_channels(&l);
    if (l.most_channels > 0)
        search_next_channel(&l);
    return best;
}
