/* test_export.c - tests of sim/study/export/goal_schedule.c: the exported text
 * is read back and replayed */
#include "tests/test.h"

#include <string.h>

#include "sim/study/export/goal_schedule.h"
#include "sim/study/load_run_file.h"
#include "workloads/readers/reader_table.h"

static const char *source_folder(void)
{
    return g_getenv("SRCDIR") ?: ".";
}

/* Returns @set, "KEY=VALUE", with a value that begins with "configs/" relative
 * to the source folder.  The caller frees it. */
static char *resolve_override_path(const char *set)
{
    const char *value = strchr(set, '=') + 1;

    if (!g_str_has_prefix(value, "configs/"))
        return g_strdup(set);
    return g_strdup_printf("%.*s%s/%s", (int)(value - set), set,
                           source_folder(), value);
}

static GString *export_run_as_goal(const char *run, const char *const *sets,
                                   uint64_t n, GoalCounts *counts,
                                   GError **error)
{
    g_autofree char *path = g_build_filename(source_folder(), run, NULL);
    g_auto(GStrv) full = g_new0(char *, g_strv_length((GStrv)sets) + 1);
    g_autoptr(ConfigDoc) doc = NULL;
    SystemConfig config;

    for (guint i = 0; sets[i]; i++)
        full[i] = resolve_override_path(sets[i]);
    doc = load_run(path, full, &config, error);
    return doc ? goal_export(&config, n, counts, error) : NULL;
}

static Recording *read_goal_text(const GString *text)
{
    g_autoptr(Source) source =
        source_from_memory("x.goal", text->str, text->len);
    Recording *recording = recording_new();
    ReadOptions options = { NULL, 0 };
    GError *error = NULL;

    if (!read_recording_file(READ_AUTO, source, &options, recording, &error))
        fail_msg("%s", error->message);
    assert_string_equal(recording->format, "goal");
    return recording;
}

/* Returns "FROM TO TAG BYTES" of a message, which is the same for its send and
 * its receive.  The caller frees it. */
static char *message_key_of_node(const RecordRank *rank, const RecordNode *node)
{
    const RecordComm *comm = record_node_communication(rank, node);
    gboolean is_send = node->kind == RECORD_SEND;

    return g_strdup_printf(
        "%u %u %u %" G_GUINT64_FORMAT, is_send ? rank->rank : comm->peer,
        is_send ? comm->peer : rank->rank, comm->tag, comm->bytes);
}

/* Returns TRUE if all dependencies of @node are done and, for a receive, its
 * message is in flight.  The message is removed from @in_flight. */
static gboolean goal_node_is_ready(const RecordRank *rank,
                                   const RecordNode *node, const gboolean *done,
                                   GHashTable *in_flight)
{
    g_autofree char *message = NULL;

    for (guint d = 0; d < node->n_deps; d++)
        if (!done[g_array_index(rank->deps, uint64_t, node->first_dep + d)])
            return FALSE;
    if (node->kind != RECORD_RECEIVE)
        return TRUE;
    message = message_key_of_node(rank, node);
    return g_hash_table_remove(in_flight, message);
}

/* Executes each operation of @rank that is ready.  Returns their number. */
static guint run_ready_goal_nodes(const RecordRank *rank, gboolean *done,
                                  GHashTable *in_flight, uint64_t *sent_bytes)
{
    guint n = 0;

    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);

        if (done[i] || !goal_node_is_ready(rank, node, done, in_flight))
            continue;
        done[i] = TRUE;
        n++;
        if (node->kind != RECORD_SEND)
            continue;
        *sent_bytes += record_node_communication(rank, node)->bytes;
        /* Messages in flight between two ranks must have different tags. */
        assert_true(
            g_hash_table_add(in_flight, message_key_of_node(rank, node)));
    }
    return n;
}

/* Replays @recording without time.  Checks that all operations complete,
 * that each message is received once, and that as many bytes are sent as in
 * the run. */
static void replay_goal_recording(const Recording *recording,
                                  const GoalCounts *counts)
{
    g_autoptr(GHashTable) in_flight =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    guint n_ranks = recording->ranks->len, n = 0, n_all = 0, n_run;
    g_autofree gboolean **done = g_new(gboolean *, n_ranks);
    uint64_t sent_bytes = 0;

    assert_int_equal(recording->n_world, counts->n_ranks);
    assert_int_equal(n_ranks, counts->n_ranks);
    for (guint r = 0; r < n_ranks; r++) {
        n_all += record_rank(recording, r)->nodes->len;
        done[r] = g_new0(gboolean, record_rank(recording, r)->nodes->len);
    }
    do {
        n_run = 0;
        for (guint r = 0; r < n_ranks; r++)
            n_run += run_ready_goal_nodes(record_rank(recording, r), done[r],
                                          in_flight, &sent_bytes);
        n += n_run;
    } while (n_run > 0);
    assert_int_equal(n, n_all);
    assert_int_equal(n_all, 2 * counts->n_sends + counts->n_calcs);
    assert_int_equal(g_hash_table_size(in_flight), 0);
    if (counts->n_counted == counts->n_ranks)
        assert_int_equal(sent_bytes, counts->sent_bytes);
    for (guint r = 0; r < n_ranks; r++)
        g_free(done[r]);
}

static void assert_export_replays(const char *run, const char *const *sets,
                                  uint64_t n)
{
    GoalCounts counts;
    GError *error = NULL;
    g_autoptr(GString) text = export_run_as_goal(run, sets, n, &counts, &error);
    g_autoptr(Recording) recording = NULL;

    if (!text)
        fail_msg("%s", error->message);
    recording = read_goal_text(text);
    replay_goal_recording(recording, &counts);
    assert_int_equal(counts.sent_bytes / counts.n_counted / n,
                     counts.run_sent_bytes);
}

#define SMALL "workload=configs/workloads/alexnet.yaml"

static void test_an_exported_torus_run_replays(void **state)
{
    (void)state;
    assert_export_replays(
        "configs/runs/isca21.yaml",
        (const char *[]){ SMALL, "platform=configs/platforms/ace-4x2x2.yaml",
                          "endpoint=configs/endpoints/ideal.yaml",
                          "collectives.chunk=8 MiB",
                          "collectives.message=8 MiB", NULL },
        2);
}

static void test_bytes_of_protocols_are_exported(void **state)
{
    (void)state;
    assert_export_replays(
        "configs/runs/isca21.yaml",
        (const char *[]){ SMALL, "platform=configs/platforms/dgx-1v.yaml",
                          "stack=configs/stacks/nccl.yaml",
                          "endpoint=configs/endpoints/ideal.yaml",
                          "collectives.chunk=8 MiB",
                          "collectives.message=8 MiB", NULL },
        1);
}

/* Gradients are fused in buffers of a lane. */
static void test_fused_gradients_are_one_collective(void **state)
{
    (void)state;
    assert_export_replays(
        "configs/runs/isca21.yaml",
        (const char *[]){ SMALL, "platform=configs/platforms/dgx-1v.yaml",
                          "stack=configs/stacks/horovod-nccl2.yaml",
                          "training.exchange={kind: fusion}",
                          "endpoint=configs/endpoints/ideal.yaml",
                          "collectives.chunk=8 MiB",
                          "collectives.message=8 MiB", NULL },
        2);
}

static void test_runs_with_servers_and_roles_replay(void **state)
{
    (void)state;
    assert_export_replays("configs/runs/servers.yaml",
                          (const char *[]){ SMALL, NULL }, 1);
    assert_export_replays(
        "configs/runs/isca21.yaml",
        (const char *[]){ "platform=configs/platforms/ace-4x2x2.yaml",
                          "workload=configs/workloads/pipeline-2.yaml",
                          "endpoint=configs/endpoints/ideal.yaml",
                          "collectives.chunk=8 MiB",
                          "collectives.message=8 MiB", NULL },
        1);
}

static void test_in_switch_reductions_cannot_be_exported(void **state)
{
    GoalCounts counts;
    GError *error = NULL;

    (void)state;
    assert_null(export_run_as_goal(
        "configs/runs/isca21.yaml",
        (const char *[]){ SMALL, "platform=configs/platforms/hgx-h100.yaml",
                          "collectives.algorithm=in-switch",
                          "endpoint=configs/endpoints/ideal.yaml",
                          "collectives.chunk=8 MiB",
                          "collectives.message=8 MiB", NULL },
        1, &counts, &error));
    if (!strstr(error->message, "the run has sums that switches make, which "
                                "GOAL cannot say"))
        fail_msg("%s", error->message);
    g_error_free(error);
}

/* ---- exported GOAL text -------------------------------------------------- */

#define TWO                                                                    \
    "platform:\n"                                                              \
    "  topology: {kind: switch, npus: %u, bandwidth: 1 GB/s, latency: 2 us}\n" \
    "  npu: {sms: 8, clock: 1 GHz, flops: 1 TFLOPS,\n"                         \
    "        hbm: {bandwidth: 900 GB/s}}\n"                                    \
    "endpoint: {kind: ideal, name: i}\n"                                       \
    "collectives: {algorithm: %s, chunk: 1 kB, message: 1 kB}\n"               \
    "%s"

/* Returns the operations of rank 0 in the exported text of @n iterations, which
 * the caller frees. */
static char *exported_rank_0_of_ring(uint32_t n_npus, const char *algorithm,
                                     const char *rest, uint64_t n)
{
    g_autofree char *text = g_strdup_printf(TWO, n_npus, algorithm, rest);
    GError *error = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("r.yaml", text, strlen(text), &error);
    g_autoptr(GString) goal = NULL;
    const char *begin, *end;
    GoalCounts counts;
    SystemConfig config;

    assert_no_error(error);
    assert_true(config_doc_read(doc, system_fields, &config, &error));
    goal = goal_export(&config, n, &counts, &error);
    assert_no_error(error);
    begin = strstr(goal->str, "rank 0 {\n");
    assert_non_null(begin);
    begin += strlen("rank 0 {\n");
    end = strchr(begin, '}');
    assert_non_null(end);
    return g_strndup(begin, (gsize)(end - begin));
}

/* Same, for one collective of 900 B on a ring of three NPUs. */
static char *exported_rank_0_of_collective(const char *algorithm,
                                           const char *collective)
{
    g_autofree char *rest = g_strdup_printf(
        "workload: {kind: collective, name: s, collective: %s, payload: 900 "
        "B}\n"
        "training: {iterations: 1}\n",
        collective);

    return exported_rank_0_of_ring(3, algorithm, rest, 1);
}

/* Times are rounded to the nearest nanosecond, halves up.  Device queues run in
 * parallel, each in order across iterations.  The collective of the second
 * iteration depends on that of the first. */
static void test_queues_and_iterations_have_their_dependencies(void **state)
{
    g_autofree char *text = exported_rank_0_of_ring(
        2, "direct",
        "workload:\n"
        "  kind: program\n"
        "  name: p\n"
        "  roles:\n"
        "    - name: all\n"
        "      ops:\n"
        "        - {kind: device, name: a, time: 100600 ps, queue: s1}\n"
        "        - {kind: device, name: b, time: 200400 ps, queue: s2}\n"
        "        - {kind: kernel, name: k, time: 10500 ps, after: [a, b]}\n"
        "        - {kind: collective, name: s, collective: all-gather,\n"
        "           bytes: 1 kB, after: [k]}\n"
        "        - {kind: kernel, name: l, time: 1 us}\n"
        "training: {compute: measured, iterations: 1}\n",
        2);

    (void)state;
    assert_string_equal(
        text,
        "l1: calc 101\n"
        "l2: calc 200\n"
        "l3: calc 101\nl3 requires l1\n"
        "l4: calc 11\nl4 requires l1\nl4 requires l2\n"
        "l5: calc 200\nl5 requires l2\n"
        "l6: calc 0\nl6 requires l4\n"
        "l7: send 500b to 1 tag 0\nl7 requires l6\n"
        "l8: recv 500b from 1 tag 0\nl8 requires l6\n"
        "l9: calc 0\nl9 requires l8\n"
        "l10: calc 0\nl10 requires l9\n"
        "l11: calc 1000\nl11 requires l4\n"
        "l12: calc 11\nl12 requires l11\nl12 requires l3\nl12 requires l5\n"
        "l13: calc 1000\nl13 requires l12\n"
        "l14: calc 0\nl14 requires l12\nl14 requires l10\n"
        "l15: send 500b to 1 tag 1\nl15 requires l14\n"
        "l16: recv 500b from 1 tag 1\nl16 requires l14\n"
        "l17: calc 0\nl17 requires l16\n"
        "l18: calc 0\nl18 requires l17\n");
}

/* A send of a ring depends on the receive of the previous step.  All receives
 * are posted at the start. */
static void
test_sends_depend_on_receives_and_receives_are_posted_at_the_start(void **state)
{
    g_autofree char *text = exported_rank_0_of_collective("ring", "all-gather");

    (void)state;
    assert_string_equal(text, "l1: calc 0\n"
                              "l2: send 300b to 1 tag 0\nl2 requires l1\n"
                              "l3: recv 300b from 2 tag 0\nl3 requires l1\n"
                              "l4: send 300b to 1 tag 1\nl4 requires l3\n"
                              "l5: recv 300b from 2 tag 1\nl5 requires l1\n"
                              "l6: calc 0\nl6 requires l3\nl6 requires l5\n"
                              "l7: calc 0\nl7 requires l6\n");
}

/* The root of a broadcast over two trees receives nothing, so that its end is
 * that of all sends. */
static void test_a_rank_that_only_sends_ends_with_its_sends(void **state)
{
    g_autofree char *text =
        exported_rank_0_of_collective("direct", "broadcast");

    (void)state;
    assert_string_equal(text, "l1: calc 0\n"
                              "l2: send 450b to 2 tag 0\nl2 requires l1\n"
                              "l3: send 450b to 1 tag 1\nl3 requires l1\n"
                              "l4: calc 0\nl4 requires l2\nl4 requires l3\n"
                              "l5: calc 0\nl5 requires l4\n");
}

/* In a direct all-gather a rank sends its own data to each other rank, which
 * depends on no receive. */
static void test_independent_steps_wait_for_no_receive(void **state)
{
    g_autofree char *text =
        exported_rank_0_of_collective("direct", "all-gather");

    (void)state;
    assert_string_equal(text, "l1: calc 0\n"
                              "l2: send 300b to 1 tag 0\nl2 requires l1\n"
                              "l3: recv 300b from 2 tag 0\nl3 requires l1\n"
                              "l4: send 300b to 2 tag 1\nl4 requires l1\n"
                              "l5: recv 300b from 1 tag 1\nl5 requires l1\n"
                              "l6: calc 0\nl6 requires l3\nl6 requires l5\n"
                              "l7: calc 0\nl7 requires l6\n");
}

/* A fused buffer depends on both of its gradients, in the iteration of the
 * buffer. */
static void
test_a_fused_buffer_depends_on_gradients_of_its_iteration(void **state)
{
    g_autofree char *text = exported_rank_0_of_ring(
        2, "ring",
        "workload:\n"
        "  kind: data-parallel\n"
        "  name: d\n"
        "  batch: 1\n"
        "  layers:\n"
        "    - {kind: counted, name: a, tensors: [100], forward_flop: 1000000, "
        "activations: 100}\n"
        "    - {kind: counted, name: b, tensors: [100], forward_flop: 1000000, "
        "activations: 100}\n"
        "training: {iterations: 1, optimiser: none, exchange: {kind: fusion, "
        "cycle: 10 us, negotiation: 0 us}}\n",
        2);

    (void)state;
    assert_string_equal(
        text,
        "l1: calc 1000\n"
        "l2: calc 1000\nl2 requires l1\n"
        "l3: calc 1000\nl3 requires l2\n"
        "l4: calc 1000\nl4 requires l3\n"
        "l5: calc 1000\nl5 requires l4\n"
        "l6: calc 0\nl6 requires l3\nl6 requires l5\n"
        "l7: send 200b to 1 tag 0\nl7 requires l6\n"
        "l8: recv 200b from 1 tag 0\nl8 requires l6\n"
        "l9: send 200b to 1 tag 1\nl9 requires l8\n"
        "l10: recv 200b from 1 tag 1\nl10 requires l6\n"
        "l11: calc 0\nl11 requires l8\nl11 requires l10\n"
        "l12: calc 0\nl12 requires l11\n"
        "l13: calc 1000\nl13 requires l5\nl13 requires l12\n"
        "l14: calc 1000\nl14 requires l13\nl14 requires l12\n"
        "l15: calc 1000\nl15 requires l14\n"
        "l16: calc 1000\nl16 requires l15\n"
        "l17: calc 1000\nl17 requires l16\n"
        "l18: calc 0\nl18 requires l15\nl18 requires l12\nl18 requires l17\nl18 requires l12\n"
        "l19: send 200b to 1 tag 2\nl19 requires l18\n"
        "l20: recv 200b from 1 tag 2\nl20 requires l18\n"
        "l21: send 200b to 1 tag 3\nl21 requires l20\n"
        "l22: recv 200b from 1 tag 3\nl22 requires l18\n"
        "l23: calc 0\nl23 requires l20\nl23 requires l22\n"
        "l24: calc 0\nl24 requires l23\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_exported_torus_run_replays),
        cmocka_unit_test(test_bytes_of_protocols_are_exported),
        cmocka_unit_test(test_fused_gradients_are_one_collective),
        cmocka_unit_test(test_runs_with_servers_and_roles_replay),
        cmocka_unit_test(test_in_switch_reductions_cannot_be_exported),
        cmocka_unit_test(test_queues_and_iterations_have_their_dependencies),
        cmocka_unit_test(
            test_sends_depend_on_receives_and_receives_are_posted_at_the_start),
        cmocka_unit_test(test_a_rank_that_only_sends_ends_with_its_sends),
        cmocka_unit_test(test_independent_steps_wait_for_no_receive),
        cmocka_unit_test(
            test_a_fused_buffer_depends_on_gradients_of_its_iteration),
    };

    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
