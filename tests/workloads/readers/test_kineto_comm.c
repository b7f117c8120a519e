/*
 * Tests of communication in Kineto traces: kinds by metadata and by name,
 * payloads by acesim's convention, groups, peers, and uneven
 * splits. */
#include "tests/workloads/readers/kineto_fixture.h"

/* A kernel of NCCL with these args. */
#define KERNEL(name, args)                                                     \
    "{'ph': 'X', 'cat': 'kernel', 'name': '" name "', 'pid': 0, 'tid': 7,"     \
    " 'ts': 5, 'dur': 1, 'args': {'grid': [8, 1, 1], " args "}}"
#define META(collective, in, out, more)                                        \
    KERNEL("ncclDevKernel_X(ncclWork*)",                                       \
           "'Collective name': '" collective "', 'In msg nelems': " in         \
           ", 'Out msg nelems': " out                                          \
           ", 'Group size': 4, 'dtype': 'Half'" more)

static RecordKind record_kind_of_kernel(const Recording *recording)
{
    return (RecordKind)record_node(record_rank(recording, 0), 0)->kind;
}

static void the_name_of_a_kernel_determines_its_kind(void **state)
{
    static const struct {
        const char *name;
        CollKind kind;
    } cases[] = {
        { "ncclKernel_AllReduce_RING_LL_Sum_float(x)", COLL_ALL_REDUCE },
        { "ncclDevKernel_ReduceScatter_Sum_f32(x)", COLL_REDUCE_SCATTER },
        { "ncclDevKernel_AllGather_RING_LL(x)", COLL_ALL_GATHER },
        { "ncclKernel_SendRecv_RING(x)", COLL_ALL_TO_ALL },
        { "ncclDevKernel_Broadcast_RING_LL(x)", COLL_BROADCAST },
        { "ncclDevKernel_Reduce_Sum_f32(x)", COLL_REDUCE },
        { "ncclDevKernel_Generic_4(reduce)", COLL_N_ALL_KINDS },
        { "void rccl_main_kernel", COLL_N_ALL_KINDS },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *event = g_strdup_printf(
            "{'ph': 'X', 'cat': 'kernel', 'ts': 1, 'name': '%s'}",
            cases[i].name);
        g_autoptr(Recording) recording = kineto_recording_of_events(event);
        const RecordComm *comm = single_kineto_comm(recording);

        assert_int_equal(record_kind_of_kernel(recording), RECORD_COLLECTIVE);
        assert_int_equal(comm->kind, cases[i].kind);
        assert_false(comm->has_bytes);
        assert_int_equal(comm->group, RECORD_NONE);
        assert_int_equal(comm->n_blocks, 0);
    }
}

static void an_all_reduce_payload_is_the_whole_vector(void **state)
{
    static const struct {
        const char *event;
        CollKind kind;
        uint64_t bytes;
    } cases[] = {
        { META("allreduce", "100", "100", ""), COLL_ALL_REDUCE, 200 },
        { META("_allgather_base", "100", "400", ""), COLL_ALL_GATHER, 800 },
        { META("allgather", "100", "0", ""), COLL_ALL_GATHER, 800 },
        { META("_reduce_scatter_base", "400", "100", ""), COLL_REDUCE_SCATTER,
          800 },
        { META("broadcast", "7", "7", ""), COLL_BROADCAST, 14 },
        { META("reduce", "7", "7", ""), COLL_REDUCE, 14 },
        { META("gather", "10", "0", ""), COLL_GATHER, 80 },
        { META("scatter", "0", "10", ""), COLL_SCATTER, 80 },
        { META("all_to_all", "64", "64", ""), COLL_ALL_TO_ALL, 128 },
        { META("all_to_allv", "64", "32", ""), COLL_ALL_TO_ALLV, 128 },
        { META("barrier", "1", "1", ""), COLL_BARRIER, 2 },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Recording) recording =
            kineto_recording_of_events(cases[i].event);
        const RecordComm *comm = single_kineto_comm(recording);

        assert_int_equal(comm->kind, cases[i].kind);
        assert_true(comm->has_bytes);
        assert_int_equal(comm->bytes, cases[i].bytes);
        assert_int_equal(comm->n_blocks, 8);
        assert_null(comm->in_split);
    }
}

static void an_unknown_element_type_has_no_size(void **state)
{
    g_autoptr(Recording) recording = kineto_recording_of_events(
        KERNEL("nccl", "'Collective name': 'allreduce', 'In msg nelems': 9,"
                       "'dtype': 'Quarter'"));
    g_autoptr(Recording) huge = kineto_recording_of_events(
        META("allreduce", "1000000000000000000", "1", ""));

    (void)state;
    assert_false(single_kineto_comm(recording)->has_bytes);
    assert_false(single_kineto_comm(huge)->has_bytes);
}

static void all_to_all_splits_are_rows_of_all_bytes(void **state)
{
    g_autoptr(Recording) recording =
        kineto_recording_of_events(META("all_to_all", "60", "40",
                                        ", 'In split size': '[1, 2, 0, 3]',"
                                        "'Out split size': '[5, 5, 5, 5]'"));
    g_autoptr(Recording) cut = kineto_recording_of_events(
        META("all_to_allv", "60", "40", ", 'In split size': '[1, 2, ...]'"));
    const RecordComm *comm = single_kineto_comm(recording);
    static const uint64_t in[] = { 20, 40, 0, 60 }, out[] = { 20, 20, 20, 20 };

    (void)state;
    assert_int_equal(comm->kind, COLL_ALL_TO_ALLV);
    assert_int_equal(comm->in_split->len, 4);
    assert_memory_equal(comm->in_split->data, in, sizeof in);
    assert_memory_equal(comm->out_split->data, out, sizeof out);
    assert_null(single_kineto_comm(cut)->in_split);
    assert_int_equal(single_kineto_comm(cut)->bytes, 120);
}

static void kineto_messages_have_their_peer(void **state)
{
    g_autoptr(Recording) send =
        kineto_recording_of_events(META("send", "8", "8", ", 'Dst Rank': 5"));
    g_autoptr(Recording) receive =
        kineto_recording_of_events(META("recv", "8", "8", ", 'Src Rank': 2"));

    (void)state;
    assert_int_equal(record_kind_of_kernel(send), RECORD_SEND);
    assert_int_equal(single_kineto_comm(send)->kind, COLL_SEND);
    assert_int_equal(single_kineto_comm(send)->peer, 5);
    assert_int_equal(record_kind_of_kernel(receive), RECORD_RECEIVE);
    assert_int_equal(single_kineto_comm(receive)->peer, 2);
    assert_int_equal(single_kineto_comm(receive)->bytes, 16);
}

/* ---- communication groups of Kineto traces ------------------------------- */

static void assert_group_ranks(const Recording *recording, guint n,
                               const uint32_t *ids)
{
    const RecordComm *comm = single_kineto_comm(recording);
    const OpGroup *group;

    assert_int_equal(comm->group, 0);
    assert_int_equal(recording->groups->len, 1);
    group = &g_array_index(recording->groups, OpGroup, 0);
    assert_int_equal(group->grouped_by, GROUP_LISTS);
    assert_int_equal(group->size, n);
    assert_memory_equal(group->ids, ids, n * sizeof ids[0]);
}

static void a_group_is_read_from_list_name_or_stride(void **state)
{
    static const uint32_t list[] = { 4, 5, 8 }, stride[] = { 2, 5, 8, 11 },
                          all[] = { 0, 1, 2, 3 };
    g_autoptr(Recording) listed = kineto_recording_of_events(
        META("broadcast", "1", "1", ", 'Process Group Ranks': '[4, 5, 8]'"));
    g_autoptr(Recording) named = kineto_recording_of(
        "{'distributedInfo': {'pg_config': [{'pg_name': 'a', 'ranks': [0]},"
        "{'pg_name': 'b', 'ranks': [4, 5, 8]}, {'pg_name': 'c'}]},"
        "'traceEvents': [" META("broadcast", "1", "1",
                                ", 'Process Group Ranks': '[4, ...]',"
                                "'Process Group Name': 'b'") "]}");
    g_autoptr(Recording) strided =
        kineto_recording_of_events(META("broadcast", "1", "1",
                                        ", 'Process Group Ranks': '[2, ...]',"
                                        "'Global rank start': 2,"
                                        "'Global rank stride': 3"));
    g_autoptr(Recording) whole = kineto_recording_of(
        "{'distributedInfo': {'world_size': 4}, 'traceEvents': [" META(
            "broadcast", "1", "1", "") "]}");

    (void)state;
    assert_group_ranks(listed, 3, list);
    assert_int_equal(single_kineto_comm(named)->group, 1);
    assert_int_equal(named->groups->len, 2);
    assert_group_ranks(strided, 4, stride);
    assert_group_ranks(whole, 4, all);
}

static void a_group_without_a_description_is_unknown(void **state)
{
    g_autoptr(Recording) recording = kineto_recording_of_events(
        META("broadcast", "1", "1", ", 'Process Group Name': 'x'"));
    g_autoptr(Recording) wrong = kineto_recording_of_events(
        META("broadcast", "1", "1", ", 'Process Group Ranks': '[-1, 2]'"));

    (void)state;
    assert_int_equal(single_kineto_comm(recording)->group, RECORD_NONE);
    assert_int_equal(single_kineto_comm(wrong)->group, RECORD_NONE);
}

/* ---- host operations of the framework ------------------------------------ */

#define CALL                                                                   \
    "{'ph': 'X', 'cat': 'cuda_runtime', 'name': 'launch', 'tid': 3, 'ts': 10," \
    " 'dur': 2, 'args': {'correlation': 9}}"
#define OPERATION(thread, ts, args)                                             \
    "{'ph': 'X', 'cat': 'cpu_op', 'name': 'record_param_comms', 'tid': " thread \
    ", 'ts': " ts ", 'dur': 5, 'args': {" args "}}"

static void metadata_may_be_in_the_host_operation(void **state)
{
    g_autoptr(Recording) recording = kineto_recording_of_events(KERNEL(
        "ncclDevKernel_Generic",
        "'correlation': 9") "," CALL
                            "," OPERATION("3", "1", "'External id': 7") "," OPERATION(
                                "4", "9",
                                "'External id': 8") "," OPERATION("3", "8",
                                                                  "'External id': 77, 'Record function id': 66,"
                                                                  "'Collective name': '_allgather_base',"
                                                                  "'In msg nelems': 4, 'Out msg nelems': 16,"
                                                                  "'Group size': 4, 'dtype': 'Float', 'Seq': 12"));
    const RecordComm *comm = single_kineto_comm(recording);

    (void)state;
    assert_int_equal(comm->kind, COLL_ALL_GATHER);
    assert_int_equal(comm->bytes, 64);
    assert_true(comm->has_sequence);
    assert_int_equal(comm->sequence, 12);
    assert_int_equal(comm->framework_id, 66);
    assert_int_equal(record_rank(recording, 0)->nodes->len, 2);
}

static void a_kernel_without_host_operation_has_its_own_id(void **state)
{
    g_autoptr(Recording) recording = kineto_recording_of_events(KERNEL(
        "nccl", "'External id': 40, 'correlation': 9") "," CALL
                                                       "," OPERATION(
                                                           "3", "2",
                                                           "'External id': 7"));

    (void)state;
    assert_int_equal(single_kineto_comm(recording)->framework_id, 40);
    assert_false(single_kineto_comm(recording)->has_sequence);
}

static void patterns_select_further_communication_kernels(void **state)
{
    const char *text = "[{'ph': 'X', 'cat': 'kernel', 'ts': 1,"
                       " 'name': 'deep_ep::intranode::dispatch<8>'},"
                       "{'ph': 'X', 'cat': 'kernel', 'ts': 1,"
                       " 'name': 'my_all_gather_kernel'},"
                       "{'ph': 'X', 'cat': 'kernel', 'ts': 1, 'name': 'a'}]";
    g_autoptr(Recording) one = recording_new(), two = recording_new();

    (void)state;
    assert_true(read_kineto_text(text, "deep_ep::*", one, NULL));
    assert_true(read_kineto_text(text, "*gather*", two, NULL));
    assert_int_equal(single_kineto_comm(one)->kind, COLL_N_ALL_KINDS);
    assert_int_equal(record_kind_of_kernel(one), RECORD_COLLECTIVE);
    assert_int_equal(single_kineto_comm(two)->kind, COLL_ALL_GATHER);
    assert_int_equal(record_kind_of_kernel(two), RECORD_KERNEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_name_of_a_kernel_determines_its_kind),
        cmocka_unit_test(an_all_reduce_payload_is_the_whole_vector),
        cmocka_unit_test(an_unknown_element_type_has_no_size),
        cmocka_unit_test(all_to_all_splits_are_rows_of_all_bytes),
        cmocka_unit_test(kineto_messages_have_their_peer),
        cmocka_unit_test(a_group_is_read_from_list_name_or_stride),
        cmocka_unit_test(a_group_without_a_description_is_unknown),
        cmocka_unit_test(metadata_may_be_in_the_host_operation),
        cmocka_unit_test(a_kernel_without_host_operation_has_its_own_id),
        cmocka_unit_test(patterns_select_further_communication_kernels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
