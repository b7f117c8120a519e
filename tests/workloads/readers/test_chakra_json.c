/* Tests of workloads/readers/chakra_json.c: Chakra traces as JSON */
#include "tests/workloads/readers/kineto_fixture.h"

static void chakra_json_nodes_have_their_dependencies(void **state)
{
    g_autoptr(Recording) recording = kineto_recording_of(
        "{'workload_graph': ["
        "{'Id': 216, 'Name': 'aten::cat', 'NodeType': 4, 'ctrlDeps': [3],"
        " 'data_deps': [], 'runtime': 318, 'is_cpu_op': true},"
        "{'Id': 430, 'Name': 'void cat<4>', 'NodeType': 4, 'ctrlDeps': [429],"
        " 'data_deps': [216], 'runtime': 4, 'is_cpu_op': false},"
        "{'Id': 435, 'Name': 'ncclKernel_Broadcast_RING', 'NodeType': 7,"
        " 'ctrlDeps': [434], 'data_deps': [216, 430], 'runtime': 28},"
        "{'Id': 436, 'Name': 'x', 'NodeType': 7, 'comm_type': 2,"
        " 'comm_size': 64},"
        "{'Id': 437, 'Name': 'm', 'NodeType': 5, 'comm_size': 8,"
        " 'comm_dst': 3, 'comm_tag': 2},"
        "{'Id': 438, 'Name': 'M', 'NodeType': 1}], 'ngpus': 8}");
    const RecordRank *rank = record_rank(recording, 0);
    static const RecordKind kinds[] = { RECORD_HOST,       RECORD_KERNEL,
                                        RECORD_COLLECTIVE, RECORD_COLLECTIVE,
                                        RECORD_SEND,       RECORD_OTHER };
    const RecordComm *comms = (const RecordComm *)rank->comms->data;

    (void)state;
    assert_string_equal(recording->format, "chakra-json");
    assert_int_equal(recording->n_world, 8);
    assert_int_equal(rank->rank, RECORD_NO_RANK);
    assert_int_equal(rank->n_found, 6);
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        assert_int_equal(record_node(rank, i)->kind, kinds[i]);
    assert_int_equal(record_node(rank, 0)->duration_ps, 318000000);
    assert_true(record_node(rank, 0)->begin_ps == RECORD_NO_TIME);
    assert_int_equal(record_node(rank, 2)->n_deps, 3);
    assert_int_equal(record_node(rank, 2)->n_control, 1);
    assert_int_equal(rank->n_control_deps, 3);
    assert_int_equal(comms[0].kind, COLL_BROADCAST);
    assert_false(comms[0].has_bytes);
    assert_int_equal(comms[1].kind, COLL_ALL_GATHER);
    assert_true(comms[1].has_bytes && comms[1].is_share);
    assert_int_equal(comms[2].peer, 3);
    assert_int_equal(comms[2].tag, 2);
}

static void chakra_json_errors_have_their_position(void **state)
{
    (void)state;
    assert_kineto_refused(
        "{'workload_graph': 1}", CONFIG_ERROR_MISSING_KEY,
        "t.json:1:21: the object has no array 'workload_graph'");
    assert_kineto_refused("{'workload_graph': [3]}", CONFIG_ERROR_TYPE,
                          "t.json:1:21: a node is an object");
    assert_kineto_refused("{'workload_graph': [{'runtime': -3}]}",
                          CONFIG_ERROR_RANGE,
                          "t.json:1:33: runtime is a whole number from 0 to "
                          "1000000000");
    assert_kineto_refused("{'workload_graph': [{'data_deps': ['a']}]}",
                          CONFIG_ERROR_TYPE,
                          "t.json:1:36: a dependency is a whole number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chakra_json_nodes_have_their_dependencies),
        cmocka_unit_test(chakra_json_errors_have_their_position),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
