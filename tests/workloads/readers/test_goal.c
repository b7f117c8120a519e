/* Tests of workloads/readers/goal.c */
#include "tests/test.h"

#include <string.h>

#include "workloads/readers/reader_table.h"

static Recording *read_goal_text(const char *text, GError **error)
{
    g_autoptr(Source) source = source_from_memory("x.goal", text, strlen(text));
    g_autoptr(Recording) recording = recording_new();
    ReadOptions options = { NULL, 0 };

    if (!read_recording_file(READ_AUTO, source, &options, recording, error))
        return NULL;
    return g_steal_pointer(&recording);
}

static char *recording_text(const Recording *recording)
{
    GString *out = g_string_new(NULL);

    for (guint r = 0; r < recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(recording, r);

        for (guint i = 0; i < rank->nodes->len; i++) {
            const RecordNode *node = record_node(rank, i);
            const RecordComm *comm = record_node_communication(rank, node);

            g_string_append_printf(out, "%u.%u %s", rank->rank, i,
                                   record_kind_names[node->kind]);
            if (comm)
                g_string_append_printf(out, " %u B %d tag %d",
                                       (guint)comm->bytes, (int)comm->peer,
                                       (int)comm->tag);
            else
                g_string_append_printf(out, " %u ns",
                                       (guint)(node->duration_ps / 1000));
            for (guint d = 0; d < node->n_deps; d++)
                g_string_append_printf(
                    out, " %s %u",
                    d < node->n_deps - node->n_control ? "<" : "~",
                    (guint)g_array_index(rank->deps, uint64_t,
                                         node->first_dep + d));
            g_string_append_c(out, '\n');
        }
    }
    return g_string_free(out, FALSE);
}

static void assert_text_reads(const char *text, const char *expected)
{
    GError *error = NULL;
    g_autoptr(Recording) recording = read_goal_text(text, &error);
    g_autofree char *got = NULL;

    if (!recording)
        fail_msg("%s", error->message);
    got = recording_text(recording);
    assert_string_equal(got, expected);
}

static void assert_read_refused(const char *text, const char *message)
{
    GError *error = NULL;

    assert_null(read_goal_text(text, &error));
    assert_string_equal(error->message, message);
    g_error_free(error);
}

static void test_a_schedule_has_sends_receives_and_calculations(void **state)
{
    (void)state;
    assert_text_reads("num_ranks 3\n\nrank 0 {\n"
                      "l1: calc 1000 cpu 2\n"
                      "l2: send 8b to 1 tag 5 cpu 1 nic 0\n"
                      "l3: recv 9b from -1 tag -1\n"
                      "l2 requires l1\nl3 irequires l2\nl3 requires l1\n}\n"
                      "rank 2 {\nsend 1b to 0\n}",
                      "0.0 kernel 1000 ns\n"
                      "0.1 send 8 B 1 tag 5 < 0\n"
                      "0.2 receive 9 B -1 tag -1 < 0 ~ 1\n"
                      "2.0 send 1 B 0 tag 0\n");
}

static void test_blanks_and_comments_may_stand_anywhere(void **state)
{
    (void)state;
    assert_text_reads(
        "num_ranks 2 // so many\n/* rank 1 { calc 1 } */ rank 0{a:calc "
        "5// five\n/**/b:calc 6/*x*/b requires/**/a}rank 1{}",
        "0.0 kernel 5 ns\n0.1 kernel 6 ns < 0\n");
}

static void test_trace_errors_have_their_position(void **state)
{
    (void)state;
    assert_read_refused(
        "num_ranks x\n",
        "x.goal:1:11: how many ranks there are is due, not 'x'");
    assert_read_refused("num_ranks 1\nrank 1 {}\n",
                        "x.goal:2:6: the number of a rank is due, not '1'");
    assert_read_refused(
        "num_ranks 1\nrank 0 {\ncalc 1\n",
        "x.goal:4:1: the text ends where an operation or } is due");
    assert_read_refused(
        "num_ranks 2\nrank 0 {\nsend 8x to 1\n}\n",
        "x.goal:3:6: a number of bytes such as '8b' is due, not '8x'");
    assert_read_refused("num_ranks 2\nrank 0 {\nsend 8b to 2\n}\n",
                        "x.goal:3:12: a rank is due, not '2'");
    assert_read_refused("num_ranks 2\nrank 0 {\nsend 8b from 1\n}\n",
                        "x.goal:3:9: to is due, not 'from'");
    assert_read_refused(
        "num_ranks 2\nrank 0 {\na: calc 1\na: calc 1\n}\n",
        "x.goal:4:1: a label that is not defined yet is due, not 'a:'");
    assert_read_refused(
        "num_ranks 2\nrank 0 {\na: calc 1\na requires b\n}\n",
        "x.goal:4:12: a label that was defined is due, not 'b'");
    assert_read_refused(
        "num_ranks 2\nrank 0 {\nloop 5\n}\n",
        "x.goal:3:1: an operation, or a label that was defined is due, not "
        "'loop'");
    assert_read_refused(
        "num_ranks 2\nrank 0 {}\nrank 0 {}\n",
        "x.goal:3:6: a rank that was not there yet is due, not '0'");
    assert_read_refused("num_ranks 0\nrank 0 {}\n",
                        "x.goal:2:1: nothing is due, not 'rank'");
}

static void test_invalid_texts_are_refused_with_a_position(void **state)
{
    const char *whole = "num_ranks 2 /* a */\nrank 0 {\nl1: calc 1 cpu 1 // b\n"
                        "l2: send 8b to 1 tag 3\nl2 requires l1\n}\n";
    gsize n = strlen(whole);

    (void)state;
    for (gsize i = 0; i < n; i++)
        for (guint way = 0; way < 8; way++) {
            g_autofree char *text = g_strndup(whole, way > 0 ? n : i);
            g_autoptr(Recording) recording = NULL;
            g_autoptr(GError) error = NULL;

            if (way > 0)
                text[i] = "\n 9{}/\xff"[way - 1];
            recording = read_goal_text(text, &error);
            if (!recording) {
                assert_true(g_str_has_prefix(error->message, "x.goal:"));
                assert_true(g_utf8_validate(error->message, -1, NULL));
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_schedule_has_sends_receives_and_calculations),
        cmocka_unit_test(test_blanks_and_comments_may_stand_anywhere),
        cmocka_unit_test(test_trace_errors_have_their_position),
        cmocka_unit_test(test_invalid_texts_are_refused_with_a_position),
    };

    return cmocka_run_group_tests_name("goal", tests, NULL, NULL);
}
