/*
 * goal_schedule.c - writes a run as a GOAL schedule for other network
 * simulators
 *
 * A kernel becomes one `calc`, which requires the previous one on its stream
 * and the dependences of the graph.  A collective begins and ends with a `calc
 * 0`, because other operations wait for all of it; each phase of a chunk ends
 * with one, too.  Within a lane of a phase, a send requires the receive before
 * it, and a receive requires only the begin of the phase.
 */
#include "sim/study/export/goal_schedule.h"

#include "models/observe/ledger/message_ledger.h"
#include "sim/config/config.h"

#define PS_PER_NS 1000

typedef struct {
    const System *system;
    Ledger *ledger;
    GString *out;
    GoalCounts *counts;
    /* The state of the rank whose schedule is being written. */
    uint32_t npu, role;
    uint32_t n_labels;
    GHashTable *ends;    /* owned: label by operation and iteration */
    GHashTable *streams; /* owned: last label by stream */
    guint next;          /* index of the rank's next message */
    uint64_t sent_bytes;
} GoalWriter;

static gpointer hash_key_of(uint64_t high, uint32_t low)
{
    return (gpointer)(uintptr_t)(high << 32 | low);
}

static uint32_t write_goal_calc_line(GoalWriter *writer, uint64_t ns)
{
    writer->n_labels++;
    writer->counts->n_calcs++;
    g_string_append_printf(writer->out, "l%u: calc %" G_GUINT64_FORMAT "\n",
                           writer->n_labels, ns);
    return writer->n_labels;
}

/* Writes that @label requires @on, or nothing if @on is 0. */
static void write_requires_line(GoalWriter *writer, uint32_t label, uint32_t on)
{
    if (on == 0)
        return;
    writer->counts->n_requires++;
    g_string_append_printf(writer->out, "l%u requires l%u\n", label, on);
}

static uint32_t write_send_or_receive(GoalWriter *writer,
                                      const LedgerMessage *message)
{
    writer->n_labels++;
    g_string_append_printf(
        writer->out, "l%u: %s %" G_GUINT64_FORMAT "b %s %u tag %u\n",
        writer->n_labels, message->is_send ? "send" : "recv", message->bytes,
        message->is_send ? "to" : "from", message->peer, message->tag);
    if (message->is_send) {
        writer->counts->n_sends++;
        writer->sent_bytes += message->bytes;
    }
    return writer->n_labels;
}

/* ---- writing dependences between operations ------------------------------ */

/* Makes @label require the end of @op in @iteration, which has been written. */
static void write_end_requirement(GoalWriter *writer, uint32_t label,
                                  uint32_t op, uint64_t iteration)
{
    gpointer end =
        g_hash_table_lookup(writer->ends, hash_key_of(iteration, op));

    g_assert(end);
    write_requires_line(writer, label, GPOINTER_TO_UINT(end));
}

static void write_dependency_requirements(GoalWriter *writer, uint32_t label,
                                          uint32_t i, uint64_t iteration)
{
    const Op *op = op_graph_op(system_graph(writer->system), i);

    for (uint32_t d = 0; d < op->n_deps; d++) {
        const OpDep *dep = &op->deps[d];

        if (role_set_has(dep->roles, writer->role) &&
            dep->n_iterations_back <= iteration)
            write_end_requirement(writer, label, dep->op,
                                  iteration - dep->n_iterations_back);
    }
    if (op->type == OP_COLLECTIVE && iteration > 0)
        write_end_requirement(writer, label, i, iteration - 1);
}

/* ---- writing sends and receives ------------------------------------------ */

static const LedgerMessage *next_ledger_message(const GoalWriter *writer)
{
    const GArray *messages =
        ledger_messages_of_npu(writer->ledger, writer->npu);

    return writer->next < messages->len
               ? &g_array_index(messages, LedgerMessage, writer->next)
               : NULL;
}

static gboolean is_message_in_phase(const LedgerMessage *message,
                                    const LedgerMessage *first)
{
    return message && message->op == first->op &&
           message->iteration == first->iteration &&
           message->chunk == first->chunk && message->phase == first->phase;
}

/* Adds the remaining messages of the next message's lane, which begins after
 * @enter. */
static void write_lane_messages(GoalWriter *writer, uint32_t enter,
                                GArray *sent, GArray *received)
{
    const LedgerMessage *first = next_ledger_message(writer);
    uint32_t before = enter;

    for (const LedgerMessage *message = first;
         is_message_in_phase(message, first) && message->lane == first->lane;
         message = next_ledger_message(writer)) {
        uint32_t label = write_send_or_receive(writer, message);

        write_requires_line(writer, label, message->is_send ? before : enter);
        g_array_append_val(message->is_send ? sent : received, label);
        if (!message->is_send && !message->is_independent)
            before = label;
        writer->next++;
    }
}

/* Adds the phase of the next message.  Returns the label of its end: when all
 * receives have arrived or, if the rank only sends, all sends are done. */
static uint32_t write_goal_phase(GoalWriter *writer, uint32_t enter)
{
    const LedgerMessage *first = next_ledger_message(writer);
    g_autoptr(GArray) sent = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_autoptr(GArray) received = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    const GArray *due = received;
    uint32_t label;

    while (is_message_in_phase(next_ledger_message(writer), first))
        write_lane_messages(writer, enter, sent, received);
    if (received->len == 0)
        due = sent;
    label = write_goal_calc_line(writer, 0);
    for (guint i = 0; i < due->len; i++)
        write_requires_line(writer, label, g_array_index(due, uint32_t, i));
    return label;
}

/* Sets .next to the first message of @deed, or to the place where it would
 * be. */
static void seek_first_message(GoalWriter *writer, const LedgerEntry *deed)
{
    const GArray *messages =
        ledger_messages_of_npu(writer->ledger, writer->npu);
    guint from = 0, to = messages->len;

    while (from < to) {
        guint middle = from + (to - from) / 2;
        const LedgerMessage *message =
            &g_array_index(messages, LedgerMessage, middle);

        if (message->op < deed->op ||
            (message->op == deed->op && message->iteration < deed->iteration))
            from = middle + 1;
        else
            to = middle;
    }
    writer->next = from;
}

/* Adds all chunks of a collective.  Chunks are independent; the phases of a
 * chunk follow one another.  Returns the label of the end. */
static uint32_t write_collective_chunks(GoalWriter *writer,
                                        const LedgerEntry *deed, uint32_t enter)
{
    g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    const LedgerMessage *message;
    uint32_t label;

    seek_first_message(writer, deed);
    while ((message = next_ledger_message(writer)) && message->op == deed->op &&
           message->iteration == deed->iteration) {
        uint64_t chunk = message->chunk;
        uint32_t last = enter;

        while ((message = next_ledger_message(writer)) &&
               message->op == deed->op &&
               message->iteration == deed->iteration && message->chunk == chunk)
            last = write_goal_phase(writer, last);
        g_array_append_val(ends, last);
    }
    label = write_goal_calc_line(writer, 0);
    for (guint i = 0; i < ends->len; i++)
        write_requires_line(writer, label, g_array_index(ends, uint32_t, i));
    if (ends->len == 0)
        write_requires_line(writer, label, enter);
    return label;
}

/* ---- writing kernels and collectives ------------------------------------- */

static void record_operation_end(GoalWriter *writer, uint32_t op,
                                 uint64_t iteration, uint32_t label)
{
    g_hash_table_insert(writer->ends, hash_key_of(iteration, op),
                        GUINT_TO_POINTER(label));
}

static void write_goal_collective(GoalWriter *writer, const LedgerEntry *deed)
{
    const GArray *members =
        ledger_fused_members_of_npu(writer->ledger, writer->npu);
    uint32_t enter = write_goal_calc_line(writer, 0), label;

    if (deed->n_members == 0)
        write_dependency_requirements(writer, enter, deed->op, deed->iteration);
    for (guint i = 0; i < deed->n_members; i++) {
        const TraceMember *member =
            &g_array_index(members, TraceMember, deed->first_member + i);

        write_dependency_requirements(writer, enter, member->op,
                                      member->iteration);
    }
    label = write_collective_chunks(writer, deed, enter);
    record_operation_end(writer, deed->op, deed->iteration, label);
    for (guint i = 0; i < deed->n_members; i++) {
        const TraceMember *member =
            &g_array_index(members, TraceMember, deed->first_member + i);

        record_operation_end(writer, member->op, member->iteration, label);
    }
}

/* Returns the key of the stream: operations with the same key run one after
 * another. */
static gpointer stream_key_of(const Op *op)
{
    return op->type == OP_COMPUTE ? hash_key_of(0, op->stream)
                                  : hash_key_of(1 + op->stage, op->queue);
}

static void write_kernel_calc(GoalWriter *writer, const LedgerEntry *deed)
{
    const Op *op = op_graph_op(system_graph(writer->system), deed->op);
    SimTime took_ps = deed->end_ps - deed->begin_ps;
    uint32_t label = write_goal_calc_line(
        writer, (uint64_t)((took_ps + PS_PER_NS / 2) / PS_PER_NS));

    write_requires_line(writer, label,
                        GPOINTER_TO_UINT(g_hash_table_lookup(
                            writer->streams, stream_key_of(op))));
    write_dependency_requirements(writer, label, deed->op, deed->iteration);
    g_hash_table_insert(writer->streams, stream_key_of(op),
                        GUINT_TO_POINTER(label));
    record_operation_end(writer, deed->op, deed->iteration, label);
}

static void write_rank_schedule(GoalWriter *writer, uint32_t npu)
{
    const GArray *deeds = ledger_entries_of_npu(writer->ledger, npu);

    writer->npu = npu;
    writer->role = coll_placement_role(system_placement(writer->system), npu);
    writer->n_labels = 0;
    writer->sent_bytes = 0;
    g_hash_table_remove_all(writer->ends);
    g_hash_table_remove_all(writer->streams);
    g_string_append_printf(writer->out, "\nrank %u {\n", npu);
    for (guint i = 0; i < deeds->len; i++) {
        const LedgerEntry *deed = &g_array_index(deeds, LedgerEntry, i);

        if (op_graph_op(system_graph(writer->system), deed->op)->type ==
            OP_COLLECTIVE)
            write_goal_collective(writer, deed);
        else
            write_kernel_calc(writer, deed);
    }
    g_string_append(writer->out, "}\n");
    if (op_graph_role(system_graph(writer->system), writer->role)->serves)
        return;
    writer->counts->n_counted++;
    writer->counts->sent_bytes += writer->sent_bytes;
}

static GString *write_goal_schedule(const System *system, Ledger *ledger,
                                    GoalCounts *counts)
{
    GoalWriter w = { .system = system, .ledger = ledger, .counts = counts };

    w.out = g_string_new(NULL);
    w.ends = g_hash_table_new(NULL, NULL);
    w.streams = g_hash_table_new(NULL, NULL);
    g_string_append_printf(w.out, "num_ranks %u\n", counts->n_ranks);
    for (uint32_t npu = 0; npu < counts->n_ranks; npu++)
        write_rank_schedule(&w, npu);
    g_hash_table_unref(w.ends);
    g_hash_table_unref(w.streams);
    return w.out;
}

GString *goal_export(const SystemConfig *config, uint64_t n_iterations,
                     GoalCounts *ret, GError **error)
{
    SystemConfig once = *config;
    g_autoptr(System) system = NULL;
    g_autoptr(Ledger) ledger = NULL;
    SystemResult result;

    *ret = (GoalCounts){ 0 };
    once.training.n_iterations = n_iterations;
    once.training.drain = TRUE;
    system = system_new(&once, (RunOptions){ .fold = FOLD_OFF }, error);
    if (!system)
        return NULL;
    ledger = message_ledger_new(system);
    if (!system_run(system, error))
        return NULL;
    if (ledger_unsupported_activity(ledger)) {
        config_set_error(error, config->collectives.node, CONFIG_ERROR_CONFLICT,
                         "the run has %s, which GOAL cannot say",
                         ledger_unsupported_activity(ledger));
        return NULL;
    }
    result = system_result(system);
    ret->n_ranks = result.n_npus;
    ret->run_sent_bytes = result.sent_bytes;
    return write_goal_schedule(system, ledger, ret);
}
