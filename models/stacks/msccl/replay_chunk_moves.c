/*
 * replay_chunk_moves.c - replays a proved schedule, and finds for each chunk
 * that is moved whose contributions it holds
 */
#include "models/stacks/msccl/replay_chunk_moves_impl.h"

#include "models/stacks/msccl/contribution_sets_impl.h"
#include "models/stacks/msccl/prove_schedule.h"

/* Contents of a place: a version of the GPU's value of a chunk, or received
 * chunks that are not yet part of the value, possibly added together. */
typedef struct {
    uint32_t chunk, version;
    /* Owned: the moves (uint32_t) that wait to be added; NULL: the place holds
     * a version of the value. */
    GArray *waiting;
} Contents;

typedef struct {
    const MscclSchedule *msccl;
    GArray *moves;         /* owned: elements are Move */
    uint32_t *first_place; /* owned: first place of each buffer of each GPU */
    Contents *places;      /* owned: the contents of each place */
    uint32_t n_places, n_messages;
    uint32_t *versions;            /* owned: latest version of each value, see
                                      index_of_chunk_value() */
    MscclContributionSets *values; /* owned: the contributions in each value */
    GPtrArray *content;            /* owned: the contributions in each move
                                      (MscclContributionSets) */
    /* Owned: per sending thread block, the moves (uint32_t) in flight. */
    GQueue *sent;
} Replay;

/* Returns the index of the value of @chunk on @gpu. */
static uint32_t index_of_chunk_value(const Replay *replay, uint32_t gpu,
                                     uint32_t chunk)
{
    return gpu * replay->msccl->n_chunks + chunk;
}

static void clear_held_contents(Contents *contents)
{
    g_clear_pointer(&contents->waiting, g_array_unref);
}

static void copy_held_contents(Contents *contents, const Contents *value)
{
    GArray *waiting = value->waiting ? g_array_copy(value->waiting) : NULL;

    clear_held_contents(contents);
    *contents = *value;
    contents->waiting = waiting;
}

/* ---- construction ------------------------------------------------------ */

static void free_contribution_sets(gpointer sets)
{
    msccl_contributions_free(sets);
}

static void init_msccl_replay(Replay *replay, const MscclSchedule *schedule)
{
    uint32_t n_tracks = schedule->n_gpus * schedule->n_chunks;

    *replay = (Replay){ .msccl = schedule };
    replay->moves = g_array_new(FALSE, FALSE, sizeof(Move));
    replay->first_place = g_new(uint32_t, schedule->n_gpus * MSCCL_N_BUFFERS);
    for (uint32_t g = 0; g < schedule->n_gpus; g++)
        for (int b = 0; b < MSCCL_N_BUFFERS; b++) {
            replay->first_place[g * MSCCL_N_BUFFERS + (uint32_t)b] =
                replay->n_places;
            replay->n_places += msccl_get_gpu(schedule, g)->n_chunks[b];
        }
    replay->places = g_new0(Contents, replay->n_places);
    replay->versions = g_new0(uint32_t, n_tracks);
    replay->values = msccl_contributions_new(n_tracks, schedule->n_gpus);
    replay->content = g_ptr_array_new_with_free_func(free_contribution_sets);
    replay->sent = g_new0(GQueue, schedule->tbs->len);
    for (uint32_t g = 0; g < schedule->n_gpus; g++)
        for (uint32_t c = 0; c < schedule->n_chunks; c++) {
            msccl_contributions_set_single_gpu(
                replay->values, index_of_chunk_value(replay, g, c), c, g);
            replay->places[replay->first_place[g * MSCCL_N_BUFFERS] + c].chunk =
                c;
        }
}

static void clear_msccl_replay(Replay *replay)
{
    for (uint32_t p = 0; p < replay->n_places; p++)
        clear_held_contents(&replay->places[p]);
    for (uint32_t t = 0; t < replay->msccl->tbs->len; t++)
        g_queue_clear(&replay->sent[t]);
    g_free(replay->sent);
    g_free(replay->places);
    g_free(replay->versions);
    g_free(replay->first_place);
    msccl_contributions_free(replay->values);
    g_ptr_array_unref(replay->content);
    g_clear_pointer(&replay->moves, g_array_unref);
}

/* ---- values -------------------------------------------------------------- */

static void record_use_of_move(Replay *replay, uint32_t move, MoveEffect effect)
{
    Move *m = &g_array_index(replay->moves, Move, move);
    uint32_t t = index_of_chunk_value(replay, m->to, m->chunk);
    const MscclContributionSets *content =
        g_ptr_array_index(replay->content, move);

    g_assert(m->effect == MOVE_UNUSED);
    m->effect = effect;
    m->made = ++replay->versions[t];
    if (effect == MOVE_ADDED)
        msccl_contributions_add(replay->values, t, content, 0);
    else
        msccl_contributions_copy(replay->values, t, content, 0);
}

static gboolean chunk_holds_latest_value(const Replay *replay, uint32_t gpu,
                                         const Contents *contents)
{
    return !contents->waiting &&
           contents->version == replay->versions[index_of_chunk_value(
                                    replay, gpu, contents->chunk)];
}

/* Adds the contents @other to the contents @contents of a place of @gpu.
 * Returns FALSE if neither is the latest value of the chunk on the GPU. */
static gboolean merge_contents_of_place(Replay *replay, uint32_t gpu,
                                        Contents *contents,
                                        const Contents *other)
{
    const Contents *own =
        chunk_holds_latest_value(replay, gpu, contents) ? contents : other;
    const Contents *more = own == contents ? other : contents;

    g_assert(contents->chunk == other->chunk);
    if (contents->waiting && other->waiting) {
        g_array_append_vals(contents->waiting, other->waiting->data,
                            other->waiting->len);
        return TRUE;
    }
    if (!chunk_holds_latest_value(replay, gpu, own) || !more->waiting)
        return FALSE;
    for (guint i = 0; i < more->waiting->len; i++) {
        uint32_t move = g_array_index(more->waiting, uint32_t, i);

        if (g_array_index(replay->moves, Move, move).effect != MOVE_UNUSED)
            return FALSE;
        record_use_of_move(replay, move, MOVE_ADDED);
    }
    clear_held_contents(contents);
    contents->version =
        replay->versions[index_of_chunk_value(replay, gpu, contents->chunk)];
    return TRUE;
}

/* Returns the contents after move @move has arrived.  If it includes the GPU's
 * value, it becomes the new value; otherwise it waits to be added. */
static Contents contents_of_arrived_move(Replay *replay, uint32_t gpu,
                                         uint32_t move)
{
    uint32_t chunk = g_array_index(replay->moves, Move, move).chunk;
    uint32_t t = index_of_chunk_value(replay, gpu, chunk);
    Contents held = { .chunk = chunk };

    if (msccl_contributions_is_subset(
            replay->values, t, g_ptr_array_index(replay->content, move), 0)) {
        record_use_of_move(replay, move, MOVE_STORED);
        held.version = replay->versions[t];
        return held;
    }
    held.waiting = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_array_append_val(held.waiting, move);
    return held;
}

/* ---- steps --------------------------------------------------------------- */

typedef struct {
    const MscclDone *done;
    const MscclStep *s;
    const MscclThreadBlock *tb;
} CurrentStep;

static Contents *contents_at_buffer_place(const Replay *replay,
                                          const CurrentStep *current_step,
                                          MscclPlace place, uint32_t i)
{
    uint32_t first =
        replay->first_place[current_step->tb->gpu * MSCCL_N_BUFFERS +
                            (uint32_t)place.buffer];

    return &replay->places[first + place.first_chunk + i];
}

static gboolean replay_send_of_chunk(Replay *replay,
                                     const CurrentStep *current_step,
                                     const Contents *contents, GError **error)
{
    Move move = { .from = current_step->tb->gpu,
                  .to = (uint32_t)current_step->tb->send_to,
                  .chunk = contents->chunk,
                  .version = contents->version,
                  .message = replay->n_messages,
                  .step = current_step->done->step };
    MscclContributionSets *content =
        msccl_contributions_new(1, replay->msccl->n_gpus);

    g_ptr_array_add(replay->content, content);
    msccl_contributions_copy(
        content, 0, replay->values,
        index_of_chunk_value(replay, move.from, move.chunk));
    if (!chunk_holds_latest_value(replay, move.from, contents)) {
        msccl_set_error(
            replay->msccl, current_step->s, error,
            "GPU %u sends data that are not its own sum of chunk %u: that is "
            "valid, but cannot be run here",
            move.from, move.chunk);
        return FALSE;
    }
    g_queue_push_tail(&replay->sent[current_step->done->tb],
                      GUINT_TO_POINTER(replay->moves->len));
    g_array_append_val(replay->moves, move);
    return TRUE;
}

/* Returns the thread block that sends to @tb. */
static uint32_t sending_thread_block_of(const MscclSchedule *schedule,
                                        const MscclThreadBlock *tb)
{
    const MscclGpu *gpu = msccl_get_gpu(schedule, (uint32_t)tb->recv_from);

    for (uint32_t t = gpu->first_tb; t < gpu->first_tb + gpu->n_tbs; t++)
        if (msccl_get_thread_block(schedule, t)->send_to == (int32_t)tb->gpu &&
            msccl_get_thread_block(schedule, t)->channel == tb->channel)
            return t;
    g_assert_not_reached();
}

/* Sets *@contents to chunk @i of the step's result.  Returns FALSE and sets
 * @error if the step cannot be expressed. */
static gboolean compute_chunk_of_step(Replay *replay,
                                      const CurrentStep *current_step,
                                      uint32_t i, Contents *contents,
                                      GError **error)
{
    const MscclType *type = current_step->s->type;
    uint32_t gpu = current_step->tb->gpu;
    gboolean is_sum = TRUE;

    if (type->receives) {
        GQueue *sent = &replay->sent[sending_thread_block_of(replay->msccl,
                                                             current_step->tb)];
        uint32_t move = GPOINTER_TO_UINT(g_queue_pop_head(sent));

        g_array_index(replay->moves, Move, move).taken =
            current_step->done->step;
        if (!type->adds) {
            *contents = contents_of_arrived_move(replay, gpu, move);
            return TRUE;
        }
        contents->chunk = g_array_index(replay->moves, Move, move).chunk;
        contents->waiting = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        g_array_append_val(contents->waiting, move);
        is_sum = merge_contents_of_place(
            replay, gpu, contents,
            contents_at_buffer_place(replay, current_step, current_step->s->src,
                                     i));
    } else {
        copy_held_contents(contents,
                           contents_at_buffer_place(replay, current_step,
                                                    current_step->s->src, i));
        if (type->adds)
            is_sum = merge_contents_of_place(
                replay, gpu, contents,
                contents_at_buffer_place(replay, current_step,
                                         current_step->s->dst, i));
    }
    if (!is_sum)
        msccl_set_error(
            replay->msccl, current_step->s, error,
            "GPU %u adds to data that are not its own sum of chunk %u: that "
            "is valid, but cannot be run here",
            gpu, contents->chunk);
    return is_sum;
}

static gboolean replay_step(Replay *replay, const CurrentStep *current_step,
                            GError **error)
{
    const MscclType *type = current_step->s->type;
    gboolean is_right = TRUE;

    if (!type->reads && !type->writes)
        return TRUE;
    for (uint32_t i = 0; i < current_step->s->n_chunks && is_right; i++) {
        Contents held = { 0 };

        is_right =
            compute_chunk_of_step(replay, current_step, i, &held, error) &&
            (!type->sends ||
             replay_send_of_chunk(replay, current_step, &held, error));
        if (is_right && type->writes)
            copy_held_contents(contents_at_buffer_place(replay, current_step,
                                                        current_step->s->dst,
                                                        i),
                               &held);
        clear_held_contents(&held);
    }
    replay->n_messages += type->sends ? 1 : 0;
    return is_right;
}

static gboolean all_moves_are_used(const Replay *replay, GError **error)
{
    for (guint i = 0; i < replay->moves->len; i++) {
        const Move *move = &g_array_index(replay->moves, Move, i);

        if (move->effect != MOVE_UNUSED)
            continue;
        msccl_set_error(
            replay->msccl, msccl_get_step(replay->msccl, move->step), error,
            "of chunk %u, GPU %u never uses what it sends: that is valid, but "
            "cannot be run here",
            move->chunk, move->to);
        return FALSE;
    }
    return TRUE;
}

GArray *msccl_find_moves(const MscclSchedule *msccl, const GArray *order,
                         GError **error)
{
    gboolean is_right = TRUE;
    GArray *moves = NULL;
    Replay r;

    init_msccl_replay(&r, msccl);
    for (guint i = 0; i < order->len && is_right; i++) {
        const MscclDone *done = &g_array_index(order, MscclDone, i);
        CurrentStep at = { done, msccl_get_step(msccl, done->step),
                           msccl_get_thread_block(msccl, done->tb) };

        is_right = replay_step(&r, &at, error);
    }
    if (is_right && all_moves_are_used(&r, error))
        moves = g_steal_pointer(&r.moves);
    clear_msccl_replay(&r);
    return moves;
}
