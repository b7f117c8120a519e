/*
 * test_sample_plans.c - figures of sample plans, which have no start times
 *
 * Every figure of samples-expected.json for these samples is compared exactly.
 * test_sample_device_recordings.c has recordings of
 * devices. */
#include "tests/recording/sample_recordings.h"

#include <string.h>

#include "workloads/recording/cross_rank_match.h"

static int setup(void **state)
{
    *state = sample_figures_load();
    return 0;
}

static int teardown(void **state)
{
    sample_figures_free(*state);
    return 0;
}

static uint64_t sum_of_counts(const uint64_t values[RECORD_N_KINDS])
{
    uint64_t sum = 0;

    for (int kind = 0; kind < RECORD_N_KINDS; kind++)
        sum += values[kind];
    return sum;
}

/* ---- figures of Chakra samples ------------------------------------------- */

static uint64_t count_nodes_of_kind(const InventoryRank *found, RecordKind as)
{
    return found->n_by[INVENTORY_ON_DEVICE][as] +
           found->n_by[INVENTORY_ON_HOST][as];
}

static void check_node_type_counts(Samples *s, const InventoryRank *found,
                                   const char *prefix)
{
    uint64_t n_coll = count_nodes_of_kind(found, RECORD_COLLECTIVE);
    uint64_t n_send = count_nodes_of_kind(found, RECORD_SEND);
    uint64_t n_recv = count_nodes_of_kind(found, RECORD_RECEIVE);

    samples_expect_number(s, found->n_nodes - n_coll - n_send - n_recv,
                          "%s/by_type/COMP", prefix);
    if (n_coll)
        samples_expect_number(s, n_coll, "%s/by_type/COMM_COLL", prefix);
    if (n_send)
        samples_expect_number(s, n_send, "%s/by_type/COMM_SEND", prefix);
    if (n_recv)
        samples_expect_number(s, n_recv, "%s/by_type/COMM_RECV", prefix);
}

static void check_size_figures(Samples *s, const RecordRank *rank,
                               const char *prefix)
{
    guint n = 0;

    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);

        if (inventory_is_comm(node) && inventory_is_device(node))
            samples_expect_number(s,
                                  record_node_communication(rank, node)->bytes,
                                  "%s/comm_sizes/%u", prefix, n++);
    }
}

static void check_comm_figures(Samples *s, const InventoryRank *found,
                               RecordKind as, CollKind kind, const char *prefix,
                               const char *name)
{
    InventoryComm comm = samples_comm_of_kind(found, as, kind);

    samples_expect_number(s, comm.n, "%s/collectives/%s", prefix, name);
    samples_expect_number(s, comm.bytes, "%s/bytes/%s", prefix, name);
}

static void check_chakra_figures(Samples *s, const Inventory *all,
                                 const char *prefix)
{
    const InventoryRank *found = inventory_rank(all, 0);
    const uint64_t *device_ps = found->duration_ps_by[INVENTORY_ON_DEVICE];
    uint64_t comm_ps = device_ps[RECORD_COLLECTIVE] + device_ps[RECORD_SEND] +
                       device_ps[RECORD_RECEIVE];

    samples_expect_text(s, all->recording->version, "%s/version", prefix);
    samples_expect_number(s, found->n_nodes, "%s/nodes", prefix);
    samples_expect_number(s, found->n_data_deps, "%s/data_deps", prefix);
    samples_expect_number(s, found->n_control_deps, "%s/ctrl_deps", prefix);
    samples_expect_number(s, found->n_absent_deps, "%s/deps_on_absent_nodes",
                          prefix);
    samples_expect_us(
        s,
        sum_of_counts(device_ps) +
            sum_of_counts(found->duration_ps_by[INVENTORY_ON_HOST]),
        "%s/duration_us", prefix);
    samples_expect_number(s, sum_of_counts(found->n_by[INVENTORY_ON_DEVICE]),
                          "%s/device_nodes", prefix);
    samples_expect_us(s, sum_of_counts(device_ps), "%s/device_duration_us",
                      prefix);
    samples_expect_us(s, comm_ps, "%s/device_comm_duration_us", prefix);
    check_node_type_counts(s, found, prefix);
    check_size_figures(s, found->rank, prefix);
}

static void test_chakra_of_pytorch_has_the_expected_figures(void **state)
{
    const char *prefix = "chakra-resnet50-ddp.0.et.gz";
    g_autoptr(Recording) recording = samples_read_file(prefix);
    g_autoptr(Inventory) found = inventory_new(recording);
    uint64_t n_without = 0;

    check_chakra_figures(*state, found, prefix);
    check_comm_figures(*state, found->sum_of_ranks, RECORD_COLLECTIVE,
                       COLL_BROADCAST, prefix, "BROADCAST");
    check_comm_figures(*state, found->sum_of_ranks, RECORD_COLLECTIVE,
                       COLL_ALL_REDUCE, prefix, "ALL_REDUCE");
    for (guint i = 0; i < found->sum_of_ranks->comms->len; i++)
        n_without += g_array_index(found->sum_of_ranks->comms, InventoryComm, i)
                         .n_without_bytes;
    samples_expect_number(*state, n_without, "%s/comm_coll_nodes_without_size",
                          prefix);
}

static void
test_json_of_the_chakra_feeder_has_the_expected_figures(void **state)
{
    const char *prefix = "chakra-feeder-small.json";
    g_autoptr(Recording) recording = samples_read_file(prefix);
    g_autoptr(Inventory) found = inventory_new(recording);
    uint64_t device_ps =
        sum_of_counts(found->sum_of_ranks->duration_ps_by[INVENTORY_ON_DEVICE]);
    uint64_t host_ps =
        sum_of_counts(found->sum_of_ranks->duration_ps_by[INVENTORY_ON_HOST]);

    samples_expect_number(*state, found->sum_of_ranks->n_nodes, "%s/nodes",
                          prefix);
    check_node_type_counts(*state, found->sum_of_ranks, prefix);
    samples_expect_us(*state, device_ps + host_ps, "%s/runtime", prefix);
    samples_expect_us(*state, device_ps, "%s/device_runtime", prefix);
    samples_expect_number(*state, recording->n_world, "%s/ngpus", prefix);
}

static void test_chakra_of_astra_sim_has_the_expected_figures(void **state)
{
    const char *file = "astra2-et.tar.gz";
    const char *prefix = "astra2-et.tar.gz/custom_rank_0";
    const char *all = "astra2-et.tar.gz/custom_all_ranks";
    g_autoptr(Recording) custom =
        samples_read_tar(file, "*/custom_allreduce.*.et");
    g_autoptr(Recording) single = samples_read_tar(file, "*/all_reduce.0.et");
    g_autoptr(Inventory) found = inventory_new(custom);
    g_autoptr(Inventory) one = inventory_new(single);
    g_autoptr(RecordMatch) match = record_match_ranks(custom, NULL);

    check_chakra_figures(*state, found, prefix);
    samples_expect_number(*state, 0, "%s/comm_coll_nodes_without_size", prefix);
    check_comm_figures(*state, inventory_rank(found, 0), RECORD_SEND, COLL_SEND,
                       prefix, "COMM_SEND");
    check_comm_figures(*state, inventory_rank(found, 0), RECORD_RECEIVE,
                       COLL_SEND, prefix, "COMM_RECV");
    samples_expect_number(*state, found->sum_of_ranks->n_nodes, "%s/nodes",
                          all);
    samples_expect_number(
        *state,
        samples_comm_of_kind(found->sum_of_ranks, RECORD_SEND, COLL_SEND).bytes,
        "%s/send_bytes", all);
    samples_expect_number(
        *state,
        samples_comm_of_kind(found->sum_of_ranks, RECORD_SEND, COLL_SEND).n,
        "%s/sends", all);
    samples_expect_number(
        *state,
        found->sum_of_ranks
                ->duration_ps_by[INVENTORY_ON_DEVICE][RECORD_KERNEL] /
            1000000,
        "%s/comp_us", all);
    samples_expect_text(
        *state, match->n_alone == 0 && match->n_messages == 112 ? "true" : "",
        "%s/matched", all);
    samples_expect_number(*state, one->sum_of_ranks->n_nodes,
                          "%s/all_reduce_rank_0/nodes", file);
    samples_expect_number(*state,
                          samples_comm_of_kind(one->sum_of_ranks,
                                               RECORD_COLLECTIVE,
                                               COLL_ALL_REDUCE)
                              .bytes,
                          "%s/all_reduce_rank_0/bytes/ALL_REDUCE", file);
}

/* ---- figures of ASTRA-sim text samples ----------------------------------- */

static const char *const parts[] = { "fwd", "ig", "wg" };

static const char *collective_kind_word(CollKind kind)
{
    switch (kind) {
    case COLL_ALL_REDUCE:
        return "ALLREDUCE";
    case COLL_ALL_GATHER:
        return "ALLGATHER";
    case COLL_REDUCE_SCATTER:
        return "REDUCESCATTER";
    default:
        return "ALLTOALL";
    }
}

/* Returns a label as "ig ALLTOALL_EP"; the group is part of it only if the text
 * names it.  The caller frees it. */
static char *label_of_text_node(const Recording *recording,
                                const RecordNode *node, const RecordComm *comm)
{
    const char *group =
        comm->group == RECORD_NONE
            ? ""
            : g_array_index(recording->groups, OpGroup, comm->group).name;
    gboolean is_named = g_str_equal(group, "EP") || g_str_equal(group, "DP_EP");

    return g_strdup_printf("%s %s%s%s", parts[node->pass],
                           collective_kind_word(comm->kind),
                           is_named ? "_" : "", is_named ? group : "");
}

typedef struct {
    uint64_t n, bytes;
} Sum;

typedef struct {
    uint64_t pass_ns[OP_N_PASSES], not_computed_ns, total_bytes;
    GHashTable *comms; /* The table maps a label to its Sum. */
    /* The table holds operations seen so far: a recomputed one is listed twice
     * and counts once. */
    GHashTable *seen;
} TextSums;

static gboolean is_first_rank_of_node(TextSums *sums, const RecordNode *node)
{
    char *key =
        g_strdup_printf("%" G_GUINT64_FORMAT " %u %d", node->file_position,
                        node->pass, node->comm != RECORD_NONE);

    return g_hash_table_add(sums->seen, key);
}

static void sum_up_text_node(const Recording *recording, const RecordNode *node,
                             TextSums *sums)
{
    const RecordComm *comm =
        record_node_communication(record_rank(recording, 0), node);
    char *label;
    Sum *sum;

    if (!is_first_rank_of_node(sums, node))
        return;
    if (!comm) {
        sums->pass_ns[node->pass] += node->duration_ps / 1000;
        if (node->kind == RECORD_OTHER && node->pass == OP_INPUT_GRADIENT)
            sums->not_computed_ns += node->duration_ps / 1000;
        return;
    }
    label = label_of_text_node(recording, node, comm);
    sum = g_hash_table_lookup(sums->comms, label);
    if (!sum) {
        sum = g_new0(Sum, 1);
        g_hash_table_insert(sums->comms, g_strdup(label), sum);
    }
    g_free(label);
    sum->n++;
    sum->bytes += comm->bytes;
    sums->total_bytes += comm->bytes;
}

static void check_text_head(Samples *s, const char *version, const char *prefix)
{
    g_auto(GStrv) words = g_strsplit(version, " ", 2);

    samples_expect_text(s, words[0], "%s/policy", prefix);
    samples_expect_text(s, words[1] ? words[1] : "", "%s/header", prefix);
}

static void check_text_sums(Samples *s, const TextSums *sums, gboolean is_data,
                            const char *prefix)
{
    GHashTableIter iter;
    gpointer label, sum;
    uint64_t all_ns = 0;

    for (guint i = 0; i < 3; i++) {
        samples_expect_number(s, sums->pass_ns[i], "%s/compute_fwd_ig_wg/%u",
                              prefix, i);
        all_ns += sums->pass_ns[i];
    }
    samples_expect_number(s, all_ns, "%s/compute_sum", prefix);
    samples_expect_number(s, sums->pass_ns[OP_UPDATE], "%s/update_sum", prefix);
    samples_expect_number(s, sums->total_bytes, "%s/total_bytes", prefix);
    if (is_data)
        samples_expect_number(s, all_ns - sums->not_computed_ns,
                              "%s/compute_of_a_pass", prefix);
    g_hash_table_iter_init(&iter, sums->comms);
    while (g_hash_table_iter_next(&iter, &label, &sum)) {
        samples_expect_number(s, ((Sum *)sum)->n, "%s/collectives/%s", prefix,
                              (char *)label);
        samples_expect_number(s, ((Sum *)sum)->bytes, "%s/bytes/%s", prefix,
                              (char *)label);
    }
}

static void check_text_trace(Samples *s, const char *prefix)
{
    g_autoptr(Recording) recording = samples_read_file(prefix);
    const RecordRank *rank = record_rank(recording, 0);
    TextSums sums = {
        .comms = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
        .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)
    };

    for (guint i = 0; i < rank->nodes->len; i++)
        sum_up_text_node(recording, record_node(rank, i), &sums);
    check_text_head(s, recording->version, prefix);
    samples_expect_number(s, rank->n_found, "%s/layers", prefix);
    /* The reader refuses text after the last layer, so no token remains. */
    samples_expect_number(s, 0, "%s/leftover_tokens", prefix);
    check_text_sums(s, &sums, g_str_equal(recording->version, "DATA"), prefix);
    g_hash_table_unref(sums.comms);
    g_hash_table_unref(sums.seen);
}

static void test_text_traces_have_the_expected_figures(void **state)
{
    static const char *const files[] = {
        "astra1-Resnet50_DataParallel.txt",
        "astra1-DLRM_HybridParallel.txt",
        "astra1-Transformer_HybridParallel_Fwd_In_Bckwd.txt",
        "aicb-gpt175b-tp8.txt",
        "simai-moe-9216gpu.txt",
    };

    for (guint i = 0; i < G_N_ELEMENTS(files); i++)
        check_text_trace(*state, files[i]);
}

/* ---- figures of GOAL samples --------------------------------------------- */

static void test_goal_has_the_expected_figures(void **state)
{
    const char *prefix = "goal-binary-tree-32.goal";
    g_autoptr(Recording) recording = samples_read_file(prefix);
    g_autoptr(Inventory) found = inventory_new(recording);
    g_autoptr(RecordMatch) match = record_match_ranks(recording, NULL);
    InventoryComm send =
        samples_comm_of_kind(found->sum_of_ranks, RECORD_SEND, COLL_SEND);
    InventoryComm recv =
        samples_comm_of_kind(found->sum_of_ranks, RECORD_RECEIVE, COLL_SEND);

    samples_expect_number(*state, send.n, "%s/send", prefix);
    samples_expect_number(*state, send.bytes, "%s/send bytes", prefix);
    samples_expect_number(*state, recv.n, "%s/recv", prefix);
    samples_expect_number(*state, recv.bytes, "%s/recv bytes", prefix);
    samples_expect_number(*state, found->sum_of_ranks->n_data_deps,
                          "%s/requires", prefix);
    samples_expect_number(*state, recording->ranks->len, "%s/ranks", prefix);
    samples_expect_text(*state, match->n_alone == 0 ? "true" : "false",
                        "%s/all_matched", prefix);
}

/* ---- all expected figures were compared ---------------------------------- */

static void test_all_figures_of_plans_were_compared(void **state)
{
    static const char *const others[] = {
        "kineto-", "hostet-", "nsys-", "msccl-",
        "astra2-et.tar.gz/custom_allreduce.msccl.xml"
    };
    g_autofree char *first = NULL;

    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        sample_recordings_ignore_figures(*state, others[i]);
    sample_recordings_n_remaining(*state, "", &first);
    assert_string_equal(first ? first : "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chakra_of_pytorch_has_the_expected_figures),
        cmocka_unit_test(
            test_json_of_the_chakra_feeder_has_the_expected_figures),
        cmocka_unit_test(test_chakra_of_astra_sim_has_the_expected_figures),
        cmocka_unit_test(test_text_traces_have_the_expected_figures),
        cmocka_unit_test(test_goal_has_the_expected_figures),
        cmocka_unit_test(test_all_figures_of_plans_were_compared),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
