/* verify_listener.c - passes the events of a run to the verifier */
#include "models/observe/verify_collectives.h"

#include "models/run/prepare/size_estimate.h"

static void on_chunk_created(gpointer self, const Chunk *chunk, SimTime now_ps)
{
    (void)now_ps;
    verify_begin_chunk(self, chunk);
}

static void on_chunk_freed(gpointer self, const Chunk *chunk, SimTime now_ps)
{
    (void)now_ps;
    verify_end_chunk(self, chunk);
}

static void on_phase_ends(gpointer self, const TraceChunk *chunk,
                          uint32_t phase, SimTime now_ps)
{
    (void)now_ps;
    verify_leave_phase(self, chunk->chunk, chunk->npu, phase);
}

static void on_chunk_ends(gpointer self, const TraceChunk *chunk,
                          SimTime now_ps)
{
    (void)now_ps;
    verify_finish_chunk(self, chunk->chunk, chunk->npu);
}

static void on_message_sent(gpointer self, const TraceStep *step,
                            uint32_t message, uint64_t bytes, SimTime now_ps)
{
    (void)now_ps;
    verify_message_sent(self, step, message, bytes);
}

static void on_message_arrives(gpointer self, const TraceStep *step,
                               uint32_t message, uint64_t bytes, SimTime now_ps)
{
    (void)now_ps;
    verify_message_arrives(self, step, message, bytes);
}

static void on_message_given_to_endpoint(gpointer self, const TraceStep *step,
                                         SimTime now_ps)
{
    (void)now_ps;
    verify_give_message_to_endpoint(self, step);
}

static void on_message_processed(gpointer self, const TraceStep *step,
                                 gboolean added, SimTime now_ps)
{
    (void)now_ps;
    verify_process_message(self, step, added);
}

static void on_op_begins(gpointer self, uint32_t npu, uint32_t op,
                         uint64_t iteration, SimTime now_ps)
{
    (void)now_ps;
    verify_begin_op(self, npu, op, iteration);
}

static void on_op_ends(gpointer self, uint32_t npu, uint32_t op,
                       uint64_t iteration, SimTime now_ps)
{
    (void)iteration;
    (void)now_ps;
    verify_end_op(self, npu, op);
}

static void on_load_begins(gpointer self, uint32_t npu, const TraceLoad *load,
                           SimTime now_ps)
{
    (void)now_ps;
    verify_begin_load(self, npu, load);
}

static void on_load_ends(gpointer self, uint32_t npu, const TraceLoad *load,
                         SimTime now_ps)
{
    (void)now_ps;
    verify_end_load(self, npu, load);
}

static gboolean verification_must_stop_run(gpointer self)
{
    return verify_first_error(self) != NULL;
}

/* Event: the run ends.  Detects missing data, and sets @error to the first
 * error. */
static gboolean on_run_ends(gpointer self, const TraceEnd *end, GError **error)
{
    if (!verify_first_error(self) && !end->is_past_range) {
        if (end->is_done)
            verify_close_finished_run(self, end->n_iterations);
        else
            verify_close_stopped_run(self, end->is_lost);
    }
    if (!verify_first_error(self))
        return TRUE;
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_WRONG_DATA,
                "data went wrong, which is a bug in acesim: %s",
                verify_first_error(self));
    return FALSE;
}

/* The verifier accepts events that are reported early, so the run is the same
 * as without listeners. */
static const TraceOps ops = {
    .ahead = TRUE,
    .stops = verification_must_stop_run,
    .ends = on_run_ends,
    .kernel_begins = on_op_begins,
    .kernel_ends = on_op_ends,
    .stage_begins = on_op_begins,
    .stage_ends = on_op_ends,
    .collective_begins = on_op_begins,
    .collective_ends = on_op_ends,
    .load_begins = on_load_begins,
    .load_ends = on_load_ends,
    .chunk_made = on_chunk_created,
    .chunk_gone = on_chunk_freed,
    .phase_ends = on_phase_ends,
    .chunk_ends = on_chunk_ends,
    .step_sent = on_message_sent,
    .step_arrives = on_message_arrives,
    .step_received = on_message_given_to_endpoint,
    .step_handled = on_message_processed,
};

/* The memory of a message in bytes: 40 in verify_chunk.h, and its entry in a
 * table; rounded up for malloc() (assumed). */
#define LOAD_BYTES 100

/* Returns the memory for the chunks of a collective on all NPUs: a number for
 * each atom in each parallel lane, and at most as much again in messages. */
static SimWide memory_for_verified_chunks(const System *system, uint32_t op)
{
    SystemFlight flight = system_op_in_flight(system, op);
    SimWide n_npus = system_n_simulated_npus(system);
    SimWide n_atoms = n_npus * flight.n_lanes;

    return n_npus * flight.n_chunks *
           (n_atoms * 2 * sizeof(uint64_t) +
            (SimWide)flight.n_messages * LOAD_BYTES);
}

static gboolean check_verify_memory(const System *system, GError **error)
{
    SimWide most = 0, bytes = system_estimate_size(system).memory_bytes;

    for (uint32_t op = 0; op < system_graph(system)->ops->len; op++)
        most = MAX(most, memory_for_verified_chunks(system, op));
    bytes += most;
    if (bytes <= system_memory_limit_bytes(system))
        return TRUE;
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE,
                "the run and the data carried along would take some %.3g GiB "
                "of memory, more than the %.3g GiB that they may have; a "
                "smaller collectives.window or a larger collectives.message "
                "take less",
                (double)bytes / (1 << 30),
                (double)system_memory_limit_bytes(system) / (1 << 30));
    return FALSE;
}

Verify *verify_listen_to_system(System *system, GError **error)
{
    uint32_t n_npus = system_n_simulated_npus(system);
    Verify *verify;

    g_assert(n_npus == topology_n_npus(system_topology(system)));
    if (n_npus > VERIFY_MAX_NPUS) {
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE,
                    "data can be carried along for %d NPUs at most, not %u",
                    VERIFY_MAX_NPUS, n_npus);
        return NULL;
    }
    system_reserve_for_listeners(system);
    if (!check_verify_memory(system, error))
        return NULL;
    verify = collective_verifier_new(system_graph(system), n_npus);
    verify_set_placement(verify, system_placement(system));
    system_add_listener(system, &ops, verify);
    return verify;
}
