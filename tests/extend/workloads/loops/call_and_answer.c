/*
 * call_and_answer.c - an example of a loop kind with two roles
 *
 * NPUs form pairs.  The caller computes one kernel, sends the result to the
 * answerer and waits for the answer.  The answerer waits for the call, computes
 * twice as long, and sends as many bytes back.
 *
 *     iteration time    kernel + 2 messages + 2 x
 * kernel */
#include "workloads/loop_impl.h"

enum { CALLER, ANSWERER };

typedef struct {
    WorkloadCommon common;
    uint64_t flop;
    uint64_t message_bytes;
} CallParams;

static const ConfigField call_fields[] = {
    { .key = "name",
      .help = "what reports call the workload",
      .type = CONFIG_NAME,
      .offset = offsetof(CallParams, common.name) },
    { .key = "flop",
      .help = "of a caller's kernel",
      .type = CONFIG_COUNT,
      .offset = offsetof(CallParams, flop),
      .min = 1,
      .max = UINT64_C(1) << 40 },
    { .key = "message",
      .help = "bytes of a call, and of an answer",
      .type = CONFIG_BYTES,
      .offset = offsetof(CallParams, message_bytes),
      .min = 1,
      .max = UINT64_C(1) << 40 },
    CONFIG_END,
};

static uint32_t add_kernel_to_graph(OpGraph *graph, const char *name,
                                    uint32_t role, uint64_t flop)
{
    uint32_t layer = op_graph_add_layer(graph, name);
    uint32_t op = op_graph_add_compute(graph, layer, OP_FORWARD, OP_STREAM_MAIN,
                                       &(OpWork){ .flop = flop });

    op_graph_set_roles(graph, op,
                       role_sets_of_one_role(graph->role_sets, role));
    return op;
}

static uint32_t add_message_to_graph(OpGraph *graph, const char *name,
                                     uint32_t pairs, uint32_t from,
                                     uint64_t bytes)
{
    uint32_t layer = op_graph_add_layer(graph, name);
    uint32_t op = op_graph_add_send(graph, layer, OP_FORWARD, pairs, from,
                                    1 - from, bytes, 0);

    op_graph_set_message_roles(
        graph, op, role_sets_of_one_role(graph->role_sets, from),
        role_sets_of_one_role(graph->role_sets, 1 - from));
    return op;
}

static gboolean call_and_answer_build(const ConfigVariant *workload,
                                      const TrainingConfig *training,
                                      const WorkloadSite *site, OpGraph *graph,
                                      GError **error)
{
    const CallParams *p = workload->params;
    OpRole callers = { .name = "caller",
                       .ranks_by = RANKS_STRIDE,
                       .size = 2,
                       .stride = 1,
                       .remainder = CALLER };
    OpRole answerers = { .name = "answerer",
                         .ranks_by = RANKS_STRIDE,
                         .size = 2,
                         .stride = 1,
                         .remainder = ANSWERER };
    OpGroup pairs = {
        .name = "pairs", .grouped_by = GROUP_STRIDE, .size = 2, .stride = 1
    };
    uint32_t group, thought, call, answered, answer;

    (void)site;
    (void)training;
    /* If NPUs do not form pairs, the ranks of the roles report the error. */
    (void)error;
    op_graph_add_role(graph, &callers);
    op_graph_add_role(graph, &answerers);
    group = op_graph_add_group(graph, &pairs);
    thought = add_kernel_to_graph(graph, "thought", CALLER, p->flop);
    call = add_message_to_graph(graph, "call", group, CALLER, p->message_bytes);
    answered = add_kernel_to_graph(graph, "answered", ANSWERER, 2 * p->flop);
    answer = add_message_to_graph(graph, "answer", group, ANSWERER,
                                  p->message_bytes);
    op_graph_add_dep_for_roles(graph, call, thought, 0,
                               role_sets_of_one_role(graph->role_sets, CALLER));
    op_graph_add_dep(graph, answered, call, 0);
    op_graph_add_dep_for_roles(
        graph, answer, answered, 0,
        role_sets_of_one_role(graph->role_sets, ANSWERER));
    op_graph_add_dep(graph, thought, answer, 1);
    return TRUE;
}

const LoopOps loop_call_and_answer = {
    .base = { .name = "call-and-answer",
              .summary = "a toy: a loop with two roles",
              .fields = call_fields,
              .size = sizeof(CallParams) },
    .build = call_and_answer_build,
};
