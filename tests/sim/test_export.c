/* Tests of sim/study/export/goal.c, by reading back what it writes */
#include "tests/test.h"

#include <string.h>

#include "sim/study/export/goal.h"
#include "sim/study/load.h"
#include "workloads/readers/read.h"

static const char *root(void)
{
    return g_getenv("SRCDIR") ?: ".";
}

/* What @set, "KEY=configs/X" or "KEY=VALUE", says where tests are run. */
static char *rooted(const char *set)
{
    const char *value = strchr(set, '=') + 1;

    if (!g_str_has_prefix(value, "configs/"))
        return g_strdup(set);
    return g_strdup_printf("%.*s%s/%s", (int)(value - set), set, root(), value);
}

static GString *export(const char *run, const char *const *sets, uint64_t n,
                       GoalCounts *counts, GError **error)
{
    g_autofree char *path = g_build_filename(root(), run, NULL);
    g_auto(GStrv) full = g_new0(char *, g_strv_length((GStrv)sets) + 1);
    g_autoptr(ConfigDoc) doc = NULL;
    SystemConfig config;

    for (guint i = 0; sets[i]; i++)
        full[i] = rooted(sets[i]);
    doc = load_run(path, full, &config, error);
    return doc ? goal_export(&config, n, counts, error) : NULL;
}

static Recording *read_back(const GString *text)
{
    g_autoptr(Source) source = source_of("x.goal", text->str, text->len);
    Recording *recording = recording_new();
    ReadOptions options = { NULL, 0 };
    GError *error = NULL;

    if (!read_source(READ_AUTO, source, &options, recording, &error))
        fail_msg("%s", error->message);
    assert_string_equal(recording->format, "goal");
    return recording;
}

/* "FROM TO TAG BYTES" of a message, from either end. */
static char *message_of(const RecordRank *rank, const RecordNode *node)
{
    const RecordComm *comm = record_comm(rank, node);
    gboolean is_send = node->kind == RECORD_SEND;

    return g_strdup_printf(
        "%u %u %u %" G_GUINT64_FORMAT, is_send ? rank->rank : comm->peer,
        is_send ? comm->peer : rank->rank, comm->tag, comm->bytes);
}

/* Ready: all that it requires is done and, of a receive, what it receives is
 * on its way. */
static gboolean is_ready(const RecordRank *rank, const RecordNode *node,
                         const gboolean *done, GHashTable *on_the_way)
{
    g_autofree char *message = NULL;

    for (guint d = 0; d < node->n_deps; d++)
        if (!done[g_array_index(rank->deps, uint64_t, node->first_dep + d)])
            return FALSE;
    if (node->kind != RECORD_RECEIVE)
        return TRUE;
    message = message_of(rank, node);
    return g_hash_table_remove(on_the_way, message);
}

/* How many of @rank's operations are done that were not. */
static guint go_on(const RecordRank *rank, gboolean *done,
                   GHashTable *on_the_way, uint64_t *sent_bytes)
{
    guint n = 0;

    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);

        if (done[i] || !is_ready(rank, node, done, on_the_way))
            continue;
        done[i] = TRUE;
        n++;
        if (node->kind != RECORD_SEND)
            continue;
        *sent_bytes += record_comm(rank, node)->bytes;
        /* No two between the same ranks have one tag. */
        assert_true(g_hash_table_add(on_the_way, message_of(rank, node)));
    }
    return n;
}

/* Plays it without time: all of it comes to pass, every message is received
 * once, and as much is sent as the run says. */
static void replay(const Recording *recording, const GoalCounts *counts)
{
    g_autoptr(GHashTable) on_the_way =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    guint n_ranks = recording->ranks->len, n = 0, n_all = 0, more;
    g_autofree gboolean **done = g_new(gboolean *, n_ranks);
    uint64_t sent_bytes = 0;

    assert_int_equal(recording->n_world, counts->n_ranks);
    assert_int_equal(n_ranks, counts->n_ranks);
    for (guint r = 0; r < n_ranks; r++) {
        n_all += record_rank(recording, r)->nodes->len;
        done[r] = g_new0(gboolean, record_rank(recording, r)->nodes->len);
    }
    do {
        more = 0;
        for (guint r = 0; r < n_ranks; r++)
            more += go_on(record_rank(recording, r), done[r], on_the_way,
                          &sent_bytes);
        n += more;
    } while (more > 0);
    assert_int_equal(n, n_all);
    assert_int_equal(n_all, 2 * counts->n_sends + counts->n_calcs);
    assert_int_equal(g_hash_table_size(on_the_way), 0);
    if (counts->n_counted == counts->n_ranks)
        assert_int_equal(sent_bytes, counts->sent_bytes);
    for (guint r = 0; r < n_ranks; r++)
        g_free(done[r]);
}

static void assert_plays(const char *run, const char *const *sets, uint64_t n)
{
    GoalCounts counts;
    GError *error = NULL;
    g_autoptr(GString) text = export(run, sets, n, &counts, &error);
    g_autoptr(Recording) recording = NULL;

    if (!text)
        fail_msg("%s", error->message);
    recording = read_back(text);
    replay(recording, &counts);
    assert_int_equal(counts.sent_bytes / counts.n_counted / n,
                     counts.run_sent_bytes);
}

#define SMALL "workload=configs/workloads/alexnet.yaml"

static void test_a_torus_plays_as_it_ran(void **state)
{
    (void)state;
    assert_plays("configs/runs/isca21.yaml",
                 (const char *[]){ SMALL,
                                   "platform=configs/platforms/ace-4x2x2.yaml",
                                   "endpoint=configs/endpoints/ideal.yaml",
                                   "collectives.chunk=8 MiB",
                                   "collectives.message=8 MiB", NULL },
                 2);
}

static void test_what_protocols_add_is_sent(void **state)
{
    (void)state;
    assert_plays("configs/runs/isca21.yaml",
                 (const char *[]){ SMALL,
                                   "platform=configs/platforms/dgx-1v.yaml",
                                   "stack=configs/stacks/nccl.yaml",
                                   "endpoint=configs/endpoints/ideal.yaml",
                                   "collectives.chunk=8 MiB",
                                   "collectives.message=8 MiB", NULL },
                 1);
}

/* Gradients that go as one, in buffers of a lane. */
static void test_fused_gradients_are_one_collective(void **state)
{
    (void)state;
    assert_plays("configs/runs/isca21.yaml",
                 (const char *[]){ SMALL,
                                   "platform=configs/platforms/dgx-1v.yaml",
                                   "stack=configs/stacks/horovod-nccl2.yaml",
                                   "training.exchange={kind: fusion}",
                                   "endpoint=configs/endpoints/ideal.yaml",
                                   "collectives.chunk=8 MiB",
                                   "collectives.message=8 MiB", NULL },
                 2);
}

static void test_servers_and_messages_between_roles_play(void **state)
{
    (void)state;
    assert_plays("configs/runs/servers.yaml", (const char *[]){ SMALL, NULL },
                 1);
    assert_plays("configs/runs/isca21.yaml",
                 (const char *[]){ "platform=configs/platforms/ace-4x2x2.yaml",
                                   "workload=configs/workloads/pipeline-2.yaml",
                                   "endpoint=configs/endpoints/ideal.yaml",
                                   "collectives.chunk=8 MiB",
                                   "collectives.message=8 MiB", NULL },
                 1);
}

static void test_a_switch_that_adds_cannot_be_said(void **state)
{
    GoalCounts counts;
    GError *error = NULL;

    (void)state;
    assert_null(export(
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_torus_plays_as_it_ran),
        cmocka_unit_test(test_what_protocols_add_is_sent),
        cmocka_unit_test(test_fused_gradients_are_one_collective),
        cmocka_unit_test(test_servers_and_messages_between_roles_play),
        cmocka_unit_test(test_a_switch_that_adds_cannot_be_said),
    };

    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
