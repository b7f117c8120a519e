/* lay.c - channels of one speed, laid until links are full */
#include "models/stacks/nccl/lay.h"

#include <string.h>

/* Steps to a GPU before it is left at what was found. */
#define MAX_STEPS (1U << 16)

typedef struct {
    const NcclWish *wish;
    const NcclSystem *system;
    uint64_t *room;     /* owned: what each link can still take */
    uint32_t *n_flows;  /* owned: on each */
    uint64_t *nic_room; /* owned: in, 2 i, and out, 2 i + 1 */
    uint32_t n, n_steps;
    uint32_t n_channels, most_channels; /* found so far; that can be */
    gboolean *close;                    /* owned: is_close() of [NIC, GPU] */
    uint32_t *nearest;       /* owned: for each GPU all others, nearest first */
    uint32_t *orders, *nics; /* owned */
    gboolean taken[PACK_MAX_RANKS]; /* GPUs of the channel in hand */
    NcclLaid *best;
} Lay;

static gboolean lay_channel(Lay *l);

/* ---- ways --------------------------------------------------------------- */

static gboolean has_room(const Lay *l, uint32_t link)
{
    const NcclLink *given = &l->system->links[link];
    gboolean at_gpu = given->from < l->n || given->to < l->n;

    if (given->reach != TOPOLOGY_NEAR && at_gpu &&
        l->n_flows[link] >= given->n_links)
        return FALSE;
    return l->room[link] >= l->wish->bytes_per_s;
}

static void give_back(Lay *l, uint32_t from, uint32_t until, uint32_t end)
{
    for (uint32_t at = from; at != until;) {
        uint32_t link = nccl_next(l->system, at, end);

        l->room[link] += l->wish->bytes_per_s;
        l->n_flows[link]--;
        at = l->system->links[link].to;
    }
}

/* FALSE: there is no room, and none is taken. */
static gboolean take(Lay *l, uint32_t from, uint32_t end)
{
    if (nccl_cost(l->system, from, end) == NCCL_FAR)
        return FALSE;
    for (uint32_t at = from; at != end;) {
        uint32_t link = nccl_next(l->system, at, end);

        if (!has_room(l, link)) {
            give_back(l, from, at, end);
            return FALSE;
        }
        l->room[link] -= l->wish->bytes_per_s;
        l->n_flows[link]++;
        at = l->system->links[link].to;
    }
    return TRUE;
}

static gboolean may_go(const Lay *l, uint32_t from, uint32_t to)
{
    return !l->wish->near_only || nccl_cost(l->system, from, to) < NCCL_HOST;
}

/* Whether no GPU is nearer to NIC @nic, or it does not matter; a NIC of
 * another GPU's own is out of reach. */
static gboolean is_nearest(const Lay *l, uint32_t gpu, uint32_t nic)
{
    uint32_t cost = nccl_cost(l->system, gpu, l->n + nic);

    if (cost == NCCL_FAR)
        return FALSE;
    for (uint32_t other = 0; other < l->n && l->wish->closest_nic; other++)
        if (nccl_cost(l->system, other, l->n + nic) < cost)
            return FALSE;
    return TRUE;
}

static gboolean is_close(const Lay *l, uint32_t gpu, uint32_t nic)
{
    return l->close[nic * l->n + gpu];
}

/* ---- NICs --------------------------------------------------------------- */

static gboolean take_in(Lay *l, uint32_t nic, uint32_t gpu)
{
    if (l->nic_room[2 * nic] < l->wish->bytes_per_s || !is_close(l, gpu, nic) ||
        !take(l, l->n + nic, gpu))
        return FALSE;
    l->nic_room[2 * nic] -= l->wish->bytes_per_s;
    return TRUE;
}

static void give_back_in(Lay *l, uint32_t nic, uint32_t gpu)
{
    give_back(l, l->n + nic, gpu, gpu);
    l->nic_room[2 * nic] += l->wish->bytes_per_s;
}

/* In turns with what comes in: the way back needs no room of its own, and the
 * GPU's own link to it is left to the chain. */
static gboolean takes_turns(const Lay *l)
{
    return l->wish->pattern == NCCL_TREE;
}

static gboolean take_out(Lay *l, uint32_t nic, uint32_t gpu)
{
    if (l->nic_room[2 * nic + 1] < l->wish->bytes_per_s ||
        !is_close(l, gpu, nic) ||
        (!takes_turns(l) && !take(l, gpu, l->n + nic)))
        return FALSE;
    l->nic_room[2 * nic + 1] -= l->wish->bytes_per_s;
    return TRUE;
}

static void give_back_out(Lay *l, uint32_t nic, uint32_t gpu)
{
    if (!takes_turns(l))
        give_back(l, gpu, l->n + nic, l->n + nic);
    l->nic_room[2 * nic + 1] += l->wish->bytes_per_s;
}

/* The step at which a channel goes out; n: at none. */
static uint32_t out_step(const Lay *l)
{
    if (!l->wish->has_network)
        return l->n;
    switch (l->wish->pattern) {
    case NCCL_RING:
        return l->n - 1;
    case NCCL_TREE:
        return 0;
    default:
        return MIN(1, l->n - 1);
    }
}

/* ---- one channel -------------------------------------------------------- */

static uint32_t *order(Lay *l)
{
    return &l->orders[l->n_channels * l->n];
}

static void keep(Lay *l)
{
    NcclLaid *best = l->best;

    if (l->n_channels <= best->n_channels)
        return;
    best->n_channels = l->n_channels;
    memcpy(best->orders, l->orders,
           (gsize)l->n_channels * l->n * sizeof *l->orders);
    memcpy(best->nics, l->nics, (gsize)l->n_channels * 2 * sizeof *l->nics);
}

/* It stands; TRUE: no more are wanted. */
static gboolean finish(Lay *l)
{
    gboolean taken[PACK_MAX_RANKS], is_done;

    l->n_channels++;
    keep(l);
    memcpy(taken, l->taken, sizeof taken);
    memset(l->taken, 0, sizeof taken);
    is_done = l->n_channels == l->most_channels || lay_channel(l);
    memcpy(l->taken, taken, sizeof taken);
    l->n_channels--;
    return is_done;
}

static gboolean close_ring(Lay *l)
{
    uint32_t first = order(l)[0], last = order(l)[l->n - 1];
    gboolean closes = l->wish->pattern == NCCL_SPLIT_TREE_LOOP ||
                      (l->wish->pattern == NCCL_RING && !l->wish->has_network);
    gboolean is_done;

    if (!closes || l->n == 1)
        return finish(l);
    if (!may_go(l, last, first) || !take(l, last, first))
        return FALSE;
    is_done = finish(l);
    give_back(l, last, first, first);
    return is_done;
}

/* Where the ring has to go out at a GPU near the NIC, one must be left. */
static gboolean can_end(const Lay *l)
{
    uint32_t nic = l->nics[2 * l->n_channels];

    if (!l->wish->has_network || l->wish->pattern != NCCL_RING)
        return TRUE;
    for (uint32_t gpu = 0; gpu < l->n; gpu++)
        if (!l->taken[gpu] && is_close(l, gpu, nic))
            return TRUE;
    return FALSE;
}

static gboolean place(Lay *l, uint32_t gpu, uint32_t step);

static gboolean try_gpu(Lay *l, uint32_t at, uint32_t gpu, uint32_t step)
{
    gboolean is_done;

    if (!may_go(l, at, gpu) || !take(l, at, gpu))
        return FALSE;
    is_done = place(l, gpu, step);
    give_back(l, at, gpu, gpu);
    return is_done;
}

static gboolean go_on(Lay *l, uint32_t at, uint32_t step)
{
    const uint32_t *nearest = &l->nearest[at * l->n];

    if (step == l->n)
        return close_ring(l);
    if (!can_end(l))
        return FALSE;
    /* As the channel before it. */
    if (l->n_channels > 0) {
        const uint32_t *before = order(l) - l->n;

        if (before[step - 1] == at && !l->taken[before[step]] &&
            try_gpu(l, at, before[step], step))
            return TRUE;
    }
    for (uint32_t i = 0; i + 1 < l->n && l->n_steps < MAX_STEPS; i++)
        if (!l->taken[nearest[i]] && try_gpu(l, at, nearest[i], step))
            return TRUE;
    return FALSE;
}

/* GPU @gpu is number @step of the channel. */
static gboolean place(Lay *l, uint32_t gpu, uint32_t step)
{
    uint32_t nic = l->nics[2 * l->n_channels];
    gboolean is_done = FALSE;

    l->n_steps++;
    l->taken[gpu] = TRUE;
    order(l)[step] = gpu;
    if (step != out_step(l)) {
        is_done = go_on(l, gpu, step + 1);
    } else if (take_out(l, nic, gpu)) {
        is_done = go_on(l, gpu, step + 1);
        give_back_out(l, nic, gpu);
    }
    l->taken[gpu] = FALSE;
    return is_done;
}

static gboolean lay_from_nic(Lay *l, uint32_t nic)
{
    gboolean is_done = FALSE;

    l->nics[2 * l->n_channels] = l->nics[2 * l->n_channels + 1] = nic;
    for (uint32_t gpu = 0; gpu < l->n && !is_done; gpu++) {
        if (!take_in(l, nic, gpu))
            continue;
        is_done = place(l, gpu, 0);
        give_back_in(l, nic, gpu);
    }
    return is_done;
}

/* One more, and what follows; TRUE: all that are wanted stand. */
static gboolean lay_channel(Lay *l)
{
    uint32_t n_nics = l->system->n_nics;
    gboolean is_done = FALSE;

    if (l->wish->has_network) {
        for (uint32_t i = 0; i < n_nics && !is_done; i++)
            is_done = lay_from_nic(l, (l->n_channels + i) % n_nics);
        return is_done;
    }
    for (uint32_t gpu = 0; gpu < l->n && !is_done; gpu++)
        is_done = l->n_steps < MAX_STEPS && place(l, gpu, 0);
    return is_done;
}

/* ---- what is known before ------------------------------------------------ */

/* Lists for each GPU the others by the cost of the way, those of the same cost
 * in the order of their numbers from its own on. */
static void sort_nearest(Lay *l)
{
    for (uint32_t at = 0; at < l->n; at++) {
        uint32_t *sorted = &l->nearest[at * l->n];

        for (uint32_t i = 1; i < l->n; i++) {
            uint32_t gpu = (at + i) % l->n, k = i - 1;
            uint32_t cost = nccl_cost(l->system, at, gpu);

            for (; k > 0 && nccl_cost(l->system, at, sorted[k - 1]) > cost; k--)
                sorted[k] = sorted[k - 1];
            sorted[k] = gpu;
        }
    }
}

/* How many channels link @link can carry. */
static uint64_t n_fit(const Lay *l, uint32_t link)
{
    const NcclLink *given = &l->system->links[link];
    uint64_t fits = l->room[link] / l->wish->bytes_per_s;
    gboolean at_gpu = given->from < l->n || given->to < l->n;

    return given->reach != TOPOLOGY_NEAR && at_gpu ? MIN(fits, given->n_links)
                                                   : fits;
}

/* Each channel comes in once at each GPU, and goes out once at each. */
static uint64_t bound_by_gpus(const Lay *l, gboolean goes_out)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t gpu = 0; gpu < l->n; gpu++) {
        uint64_t fits = 0;

        for (uint32_t i = 0; i < l->system->n_links; i++) {
            const NcclLink *link = &l->system->links[i];

            if ((goes_out ? link->from : link->to) == gpu)
                fits += n_fit(l, i);
        }
        least = MIN(least, fits);
    }
    return least;
}

/* Each channel takes its speed of what a NIC brings in and takes out, and comes
 * in by the last link of a way from that NIC to a GPU close to it. */
static uint64_t bound_by_nics(const Lay *l)
{
    const NcclSystem *s = l->system;
    g_autofree gboolean *is_last = g_new0(gboolean, s->n_links + 1);
    uint64_t by_nics = 0, by_links = 0;

    for (uint32_t nic = 0; nic < s->n_nics; nic++) {
        gboolean has_gpu = FALSE;

        for (uint32_t gpu = 0; gpu < l->n; gpu++) {
            uint32_t last = NCCL_NONE;

            if (!is_close(l, gpu, nic) ||
                nccl_cost(s, l->n + nic, gpu) == NCCL_FAR)
                continue;
            for (uint32_t at = l->n + nic; at != gpu; at = s->links[last].to)
                last = nccl_next(s, at, gpu);
            is_last[last] = has_gpu = TRUE;
        }
        if (has_gpu)
            by_nics += s->nic_out[nic] / l->wish->bytes_per_s;
    }
    for (uint32_t i = 0; i < s->n_links; i++)
        if (is_last[i])
            by_links += n_fit(l, i);
    return MIN(by_nics, by_links);
}

/* No more channels than this can stand at a time, whatever their order: the
 * search ends when it has found as many, and would find no more. */
static uint32_t bound_channels(const Lay *l)
{
    NcclPattern pattern = l->wish->pattern;
    gboolean has_network = l->wish->has_network;
    gboolean is_ring = pattern == NCCL_RING || pattern == NCCL_SPLIT_TREE_LOOP;
    uint64_t bound = l->wish->most_channels;

    if (has_network)
        bound = MIN(bound, bound_by_nics(l));
    if (has_network || (is_ring && l->n > 1))
        bound = MIN(bound, bound_by_gpus(l, FALSE));
    if (is_ring && l->n > 1)
        bound = MIN(bound, bound_by_gpus(l, TRUE));
    return (uint32_t)bound;
}

/* ---- all ---------------------------------------------------------------- */

static NcclLaid *laid_new(uint32_t n_gpus, uint32_t most)
{
    NcclLaid *laid = g_new0(NcclLaid, 1);

    laid->orders = g_new0(uint32_t, (gsize)n_gpus * most);
    laid->nics = g_new0(uint32_t, 2 * (gsize)most);
    return laid;
}

void nccl_laid_free(NcclLaid *laid)
{
    if (!laid)
        return;
    g_free(laid->orders);
    g_free(laid->nics);
    g_free(laid);
}

NcclLaid *nccl_lay(const NcclWish *wish)
{
    const NcclSystem *s = wish->system;
    uint32_t most = wish->most_channels;
    NcclLaid *best = laid_new(s->n_gpus, most);
    g_autoptr(NcclLaid) hand = laid_new(s->n_gpus, most + 1);
    g_autofree uint64_t *room = g_new(uint64_t, s->n_links + 1);
    g_autofree uint64_t *nic_room = g_new(uint64_t, 2 * s->n_nics + 1);
    g_autofree uint32_t *n_flows = g_new0(uint32_t, s->n_links + 1);
    g_autofree gboolean *close = g_new(gboolean, s->n_nics * s->n_gpus + 1);
    g_autofree uint32_t *nearest = g_new(uint32_t, s->n_gpus * s->n_gpus);
    Lay l = { .wish = wish,
              .system = s,
              .room = room,
              .n_flows = n_flows,
              .nic_room = nic_room,
              .close = close,
              .nearest = nearest,
              .n = s->n_gpus,
              .orders = hand->orders,
              .nics = hand->nics,
              .best = best };

    g_assert(most > 0 && wish->bytes_per_s > 0);
    for (uint32_t i = 0; i < s->n_links; i++)
        room[i] = s->links[i].link_bytes_per_s * s->links[i].n_links;
    for (uint32_t i = 0; i < 2 * s->n_nics; i++)
        nic_room[i] = s->nic_out[i / 2];
    for (uint32_t i = 0; i < s->n_nics * s->n_gpus; i++)
        close[i] = is_nearest(&l, i % s->n_gpus, i / s->n_gpus);
    sort_nearest(&l);
    l.most_channels = bound_channels(&l);
    if (l.most_channels > 0)
        lay_channel(&l);
    return best;
}
