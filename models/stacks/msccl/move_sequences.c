/* move_sequences.c - groups moves to runs and finds the order between runs */
#include "models/stacks/msccl/list_schedule_impl.h"

#define NONE UINT32_MAX

/* Linked lists of the moves out of and into each value.  The value of chunk c
 * on GPU g has index g * n_chunks + c. */
typedef struct {
    const MscclSchedule *msccl;
    const GArray *moves;
    GArray *runs;
    uint32_t *run_of; /* owned: run of each move */
    /* Owned: for each value, the first move out of it and the first into it. */
    uint32_t *out, *in;
    /* Owned: for each move, the next one out of and into the same value. */
    uint32_t *next_out, *next_in;
} Links;

static const Move *chunk_move_by_index(const Links *links, uint32_t move)
{
    return &g_array_index(links->moves, Move, move);
}

static void group_moves_to_runs(Links *links)
{
    for (uint32_t i = 0; i < links->moves->len; i++) {
        const Move *move = chunk_move_by_index(links, i),
                   *before = i > 0 ? move - 1 : NULL;
        MscclRun run = {
            i, 1, move->from, move->to, move->effect == MOVE_ADDED, 0, NULL
        };

        if (before && before->message == move->message &&
            before->chunk + 1 == move->chunk &&
            before->effect == move->effect) {
            g_array_index(links->runs, MscclRun, links->runs->len - 1).n++;
        } else {
            run.successors = g_array_new(FALSE, FALSE, sizeof(MscclEdge));
            g_array_append_val(links->runs, run);
        }
        links->run_of[i] = links->runs->len - 1;
    }
}

static void link_moves_by_value(Links *links)
{
    uint32_t n_chunks = links->msccl->n_chunks;
    uint32_t n_tracks = links->msccl->n_gpus * n_chunks;

    for (uint32_t t = 0; t < n_tracks; t++)
        links->out[t] = links->in[t] = NONE;
    for (uint32_t i = links->moves->len; i-- > 0;) {
        const Move *move = chunk_move_by_index(links, i);
        uint32_t from = move->from * n_chunks + move->chunk;
        uint32_t to = move->to * n_chunks + move->chunk;

        links->next_out[i] = links->out[from];
        links->out[from] = i;
        links->next_in[i] = links->in[to];
        links->in[to] = i;
    }
}

/* Requires that the run of move @then has a step at least @n_apart after that
 * of @first. */
static void require_step_order_of_runs(Links *links, uint32_t first,
                                       uint32_t then, uint32_t n_apart)
{
    MscclEdge edge = { links->run_of[then], n_apart };

    g_array_append_val(
        g_array_index(links->runs, MscclRun, links->run_of[first]).successors,
        edge);
}

/* Orders a move out of a value and a move into it: the outgoing move carries
 * all moves that came in before, and is sent before later ones come in. */
static void order_outgoing_and_incoming_move(Links *links, uint32_t out,
                                             uint32_t in)
{
    if (chunk_move_by_index(links, in)->made <=
        chunk_move_by_index(links, out)->version)
        require_step_order_of_runs(links, in, out, 1);
    else
        require_step_order_of_runs(links, out, in, 0);
}

/* Orders two moves into the same value.  Moves that add may come in any order;
 * any other pair is ordered by the versions that they make. */
static void order_two_incoming_moves(Links *links, uint32_t a, uint32_t b)
{
    const Move *one = chunk_move_by_index(links, a),
               *other = chunk_move_by_index(links, b);

    if (one->effect == MOVE_ADDED && other->effect == MOVE_ADDED)
        return;
    if (one->made < other->made)
        require_step_order_of_runs(links, a, b, 1);
    else
        require_step_order_of_runs(links, b, a, 1);
}

static uint32_t length_of_move_list(const uint32_t *next, uint32_t from)
{
    uint32_t n = 0;

    for (uint32_t i = from; i != NONE; i = next[i])
        n++;
    return n;
}

static gboolean order_all_moves_of_value(Links *links, uint32_t track,
                                         GError **error)
{
    if (length_of_move_list(links->next_out, links->out[track]) >
            MSCCL_MAX_STEPS ||
        length_of_move_list(links->next_in, links->in[track]) >
            MSCCL_MAX_STEPS) {
        uint32_t any =
            links->out[track] != NONE ? links->out[track] : links->in[track];

        msccl_set_error(
            links->msccl,
            msccl_get_step(links->msccl, chunk_move_by_index(links, any)->step),
            error,
            "chunk %u is sent more than %u times from or to one GPU: "
            "that holds, but cannot be run here",
            chunk_move_by_index(links, any)->chunk, MSCCL_MAX_STEPS);
        return FALSE;
    }
    for (uint32_t in = links->in[track]; in != NONE; in = links->next_in[in]) {
        for (uint32_t o = links->out[track]; o != NONE; o = links->next_out[o])
            order_outgoing_and_incoming_move(links, o, in);
        for (uint32_t b = links->next_in[in]; b != NONE; b = links->next_in[b])
            order_two_incoming_moves(links, in, b);
    }
    return TRUE;
}

GArray *msccl_group_moves_to_runs(const MscclSchedule *msccl,
                                  const GArray *moves, GError **error)
{
    uint32_t n_tracks = msccl->n_gpus * msccl->n_chunks;
    g_autofree uint32_t *run_of = g_new(uint32_t, moves->len);
    g_autofree uint32_t *out = g_new(uint32_t, n_tracks);
    g_autofree uint32_t *in = g_new(uint32_t, n_tracks);
    g_autofree uint32_t *next_out = g_new(uint32_t, moves->len);
    g_autofree uint32_t *next_in = g_new(uint32_t, moves->len);
    Links l = { msccl,    moves,  g_array_new(FALSE, FALSE, sizeof(MscclRun)),
                run_of,   out,    in,
                next_out, next_in };

    group_moves_to_runs(&l);
    link_moves_by_value(&l);
    for (uint32_t t = 0; t < n_tracks; t++)
        if (!order_all_moves_of_value(&l, t, error)) {
            msccl_runs_free(l.runs);
            return NULL;
        }
    return l.runs;
}

void msccl_runs_free(GArray *runs)
{
    for (guint i = 0; i < runs->len; i++)
        g_array_free(g_array_index(runs, MscclRun, i).successors, TRUE);
    g_array_free(runs, TRUE);
}
