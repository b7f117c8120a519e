/* Tests of the critical path over all NPUs: known paths, and the sums of random
 * programs. */
#include "tests/models/observe/random_program.h"
#include "tests/models/observe/rank_path_fixture.h"

#define COLL(name, after, bytes)                                               \
    "{kind: collective, collective: all-reduce, name: " name                   \
    ", after: [" after "], bytes: " #bytes " B}, "
#define AFTER(name, after, us)                                                 \
    "{kind: kernel, name: " name ", flop: 1, time: " #us " us, after: "        \
    "[" after "]}, "

static void test_rank_path_follows_kernels_over_iterations(void **state)
{
    Setup setup = lanes_setup("", KERNEL("a", 10) KERNEL("b", 5), 2);

    (void)state;
    assert_string_equal(rank_path_text(&setup, FOLD_AUTO), "0 a@0 0-10\n"
                                                           "0 b@0 10-15\n"
                                                           "0 a@1 15-25\n"
                                                           "0 b@1 25-30\n");
}

/* The all-reduce takes 9 us and is waited for.  The kernel that runs in
 * parallel is not on the path. */
static void test_rank_path_has_the_operation_that_ended_last(void **state)
{
    Setup setup = lanes_setup("",
                              KERNEL("a", 10) COLL("r", "a", 100000)
                                  KERNEL("beside", 8) AFTER("b", "r", 5),
                              1);

    (void)state;
    assert_string_equal(rank_path_text(&setup, FOLD_AUTO), "0 a@0 0-10\n"
                                                           "0 r@0 10-19\n"
                                                           "0 b@0 19-24\n");
    setup = lanes_setup("",
                        KERNEL("a", 10) COLL("r", "a", 100000)
                            KERNEL("beside", 12) AFTER("b", "r", 5),
                        1);
    assert_string_equal(rank_path_text(&setup, FOLD_AUTO), "0 a@0 0-10\n"
                                                           "0 beside@0 10-22\n"
                                                           "0 b@0 22-27\n");
}

/* NPU 2 has half the speed, and no NPU finishes before it has begun.  The
 * messages of the others wait for it, so that the collective takes 8 us instead
 * of 9 us. */
static void test_rank_path_leads_to_the_last_npu_of_a_collective(void **state)
{
    Setup setup = lanes_setup(
        "", KERNEL("a", 10) COLL("r", "a", 100000) AFTER("b", "r", 5), 1);
    FollowedPath f;

    (void)state;
    setup.perturb = "{npus: [{npu: 2, time_factor: 2}]}";
    follow_rank_path(&f, &setup, FOLD_AUTO);
    assert_string_equal(followed_path_text(&f), "2 a@0 0-20\n"
                                                "2 r@0 20-28\n"
                                                "2 b@0 28-38\n");
    assert_int_equal(rank_path_ready_ps(f.path, 0, 1, 0), US(10));
    assert_int_equal(rank_path_ready_ps(f.path, 2, 1, 0), US(20));
    followed_path_clear(&f);
    setup.workload =
        lanes_program_text("", KERNEL("a", 10) COLL("r", "a", 100000)
                                   AFTER("b", "r", 5) COLL("s", "b", 100000));
    setup.perturb = "{npus: [{npu: 2, time_factor: 0.5}, {npu: 3, "
                    "time_factor: 1.5}]}";
    assert_string_equal(rank_path_text(&setup, FOLD_AUTO), "3 a@0 0-15\n"
                                                           "3 r@0 15-23\n"
                                                           "3 b@0 23-30.5\n"
                                                           "1 s@0 30.5-39.5\n");
}

/* A message of 1000000 B takes 40 us and a hop.  The second stage is waited
 * for, and its kernel leads back to that of the first. */
static void test_rank_path_goes_from_role_to_role(void **state)
{
    static const char *const roles =
        "{kind: program, name: p, roles: [{name: one, ranks: {size: 2}, ops: ["
        "{kind: kernel, name: f, flop: 1, time: 7 us}, "
        "{kind: send, name: x, group: link, from: 0, to: 1, bytes: 1 MB, "
        "after: [f]}, "
        "{kind: receive, name: y, group: link, from: 1, to: 0, bytes: 1 MB, "
        "after: [x]}, "
        "{kind: kernel, name: w, flop: 1, time: 3 us, after: [y]}]}, "
        "{name: two, ranks: {size: 2, at: 1}, ops: ["
        "{kind: kernel, name: own, flop: 1, time: 9 us}, "
        "{kind: receive, name: x, group: link, from: 0, to: 1, bytes: 1 MB}, "
        "{kind: kernel, name: g, flop: 1, time: 5 us, after: [x]}, "
        "{kind: send, name: y, group: link, from: 1, to: 0, bytes: 1 MB, "
        "after: [g]}]}], groups: [{name: link, size: 2}]}";
    Setup setup = lanes_setup("", "", 1);

    (void)state;
    setup.workload = roles;
    assert_string_equal(rank_path_text(&setup, FOLD_OFF), "0 f@0 0-7\n"
                                                          "1 x@0 7-47.5\n"
                                                          "1 g@0 47.5-52.5\n"
                                                          "0 y@0 52.5-93\n"
                                                          "0 w@0 93-96\n");
    assert_string_equal(rank_path_text(&setup, FOLD_AUTO),
                        rank_path_text(&setup, FOLD_OFF));
}

static void
test_rank_path_of_a_lane_wait_leads_to_the_collective_before(void **state)
{
    Setup setup = lanes_setup("{name: l}",
                              KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
                                  REDUCE("b", "k", 200000, "l"),
                              1);

    (void)state;
    assert_string_equal(rank_path_text(&setup, FOLD_AUTO), "0 k@0 0-10\n"
                                                           "0 a@0 10-19\n"
                                                           "0 b@0 19-34\n");
}

/* The collective is ready at 10 us, polled at 12, negotiated until 15, copied
 * for 2 us twice, and 15 us in flight.  Kernels take longer on NPU 1. */
static void test_rank_path_has_lane_cycle_and_negotiation(void **state)
{
    Setup setup = lanes_setup(
        "{name: l, fusion: 1 MiB, cycle: 6 us, negotiation: 3 us, copy: "
        "100 GB/s}",
        KERNEL("k", 10) REDUCE("a", "k", 100000, "l")
            REDUCE("b", "k", 100000, "l"),
        1);

    (void)state;
    assert_string_equal(rank_path_text(&setup, FOLD_AUTO), "0 k@0 0-10\n"
                                                           "0 cycle b@0 10-12\n"
                                                           "0 talk b@0 12-15\n"
                                                           "0 b@0 15-34\n");
}

static void test_rank_path_refuses_too_many_operations(void **state)
{
    Setup setup = lanes_setup(
        "",
        KERNEL("a", 1) KERNEL("b", 1) KERNEL("c", 1) KERNEL("d", 1)
            KERNEL("e", 1) KERNEL("f", 1) KERNEL("g", 1) KERNEL("h", 1)
                KERNEL("i", 1) KERNEL("j", 1) KERNEL("k", 1) KERNEL("l", 1)
                    KERNEL("m", 1) KERNEL("n", 1) KERNEL("o", 1) KERNEL("p", 1)
                        KERNEL("q", 1) KERNEL("r", 1),
        1000000);
    GError *error = NULL;
    Run run;

    (void)state;
    read_run_setup(&run, &setup);
    run.system = system_new(&run.config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    assert_null(rank_path_new(run.system, &error));
    assert_gerror(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE,
                  "the critical path through all NPUs is followed through "
                  "16777216 operations at most, and these are 18000000: fewer "
                  "iterations would do");
    run_clear(&run);
}

/* ---- critical paths of random programs ----------------------------------- */

/* Returns the path without NPUs, because equivalent NPUs can take each other's
 * place. */
static const char *path_times_text(const FollowedPath *f)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; i < rank_path_parts(f->path)->len; i++)
        g_string_append_printf(text, "%u %" G_GUINT64_FORMAT "\n",
                               rank_path_part_at(f, i)->op,
                               rank_path_part_at(f, i)->to_ps);
    return keep_text_until_exit(text->str);
}

static void test_rank_path_adds_up_folded_and_in_full(void **state)
{
    (void)state;
    for (guint32 seed = 1; seed <= 150; seed++) {
        GRand *rand = g_rand_new_with_seed(seed);
        Setup setup = draw_program_setup(rand, DRAWN_ANY);
        FollowedPath folded, full;

        follow_rank_path(&folded, &setup, FOLD_AUTO);
        follow_rank_path(&full, &setup, FOLD_OFF);
        assert_string_equal(path_times_text(&folded), path_times_text(&full));
        followed_path_clear(&folded);
        followed_path_clear(&full);
        g_rand_free(rand);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_path_follows_kernels_over_iterations),
        cmocka_unit_test(test_rank_path_has_the_operation_that_ended_last),
        cmocka_unit_test(test_rank_path_leads_to_the_last_npu_of_a_collective),
        cmocka_unit_test(test_rank_path_goes_from_role_to_role),
        cmocka_unit_test(
            test_rank_path_of_a_lane_wait_leads_to_the_collective_before),
        cmocka_unit_test(test_rank_path_has_lane_cycle_and_negotiation),
        cmocka_unit_test(test_rank_path_refuses_too_many_operations),
        cmocka_unit_test(test_rank_path_adds_up_folded_and_in_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
