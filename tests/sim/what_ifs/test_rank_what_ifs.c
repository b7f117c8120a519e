/* test_rank_what_ifs.c - tests of what-ifs with faster operations: bounds and
 * refused requests */
#include "tests/models/observe/random_program.h"
#include "tests/models/observe/rank_path_fixture.h"

#include "sim/study/ranks/rank_what_ifs.h"
#include "sim/view/text/ranks_text.h"

typedef struct {
    FollowedPath f;
    RankStudy *study;
    GArray *what_ifs; /* The what-ifs of the request; NULL if it was refused. */
} Request;

static void request_rank_what_ifs(Request *a, const Setup *setup,
                                  const char *const *wishes, GError **error)
{
    g_autofree char *path = g_build_filename(
        g_getenv("TMPDIR") ?: g_get_tmp_dir(), "asked.yaml", NULL);

    assert_true(g_file_set_contents(path, setup_text(setup), -1, NULL));
    follow_rank_path(&a->f, setup, FOLD_AUTO);
    a->study = rank_study_new(a->f.run.system, a->f.path);
    a->what_ifs =
        rank_what_ifs_run(a->study, (char *const *)wishes, path, NULL,
                          (RunOptions){ 0 }, run_many_in_process, error);
}

static void rank_request_clear(Request *a)
{
    if (a->what_ifs)
        g_array_unref(a->what_ifs);
    rank_study_free(a->study);
    followed_path_clear(&a->f);
}

static const WhatIf *rank_what_if_at(const Request *a, guint i)
{
    return &g_array_index(a->what_ifs, WhatIf, i);
}

/* Without shared resources a faster operation delays nothing, and the old path
 * remains with its new times.  The iteration therefore takes at least the
 * predicted time, which saves only the operation's share of the path, and at
 * most the old time. */
static void test_an_operation_saves_at_most_its_share_of_the_path(void **state)
{
    const char *wishes[] = { "o0=50 %", "o1=10 %", "*=70 %", "o*=0", NULL };
    guint n_less = 0;

    (void)state;
    for (guint32 seed = 1; seed <= 60; seed++) {
        GRand *rand = g_rand_new_with_seed(seed);
        Setup setup = draw_program_setup(rand, DRAWN_FREE);
        GError *error = NULL;
        Request a;

        request_rank_what_ifs(&a, &setup, wishes, &error);
        assert_no_error(error);
        for (guint i = 0; i < a.what_ifs->len; i++) {
            const WhatIf *what_if = rank_what_if_at(&a, i);

            assert_string_equal(what_if->reason ?: "", "");
            assert_true(what_if->iteration_ps >= what_if->predicted_ps);
            assert_true(what_if->iteration_ps <= a.f.r.iteration_ps);
            n_less += what_if->iteration_ps > what_if->predicted_ps;
        }
        rank_request_clear(&a);
        g_rand_free(rand);
    }
    assert_true(n_less > 0);
}

/* The path has 10 us and 8 us in parallel, then 5 us. */
static const char *const two_paths =
    KERNEL("a1", 10) "{kind: host, name: b1, time: 8 us}, "
                     "{kind: kernel, name: c, flop: 1, time: 5 us, after: "
                     "[a1, b1]}, ";

static void
test_the_path_may_change_so_that_less_than_predicted_is_saved(void **state)
{
    Setup setup = lanes_setup("", two_paths, 1);
    const char *wishes[] = { "host:*=50 %", NULL };
    GError *error = NULL;
    g_autofree char *text = NULL;
    Request a;

    (void)state;
    request_rank_what_ifs(&a, &setup, wishes, &error);
    assert_no_error(error);
    assert_int_equal(a.what_ifs->len, 3);
    assert_string_equal(rank_what_if_at(&a, 0)->name, "kernel a*");
    assert_int_equal(rank_what_if_at(&a, 0)->predicted_ps, US(10));
    assert_int_equal(rank_what_if_at(&a, 0)->iteration_ps, US(13));
    assert_string_equal(rank_what_if_at(&a, 1)->name, "kernel c");
    assert_int_equal(rank_what_if_at(&a, 1)->iteration_ps, US(12) + US(1) / 2);
    assert_string_equal(rank_what_if_at(&a, 2)->name, "host:*=50 %");
    assert_int_equal(rank_what_if_at(&a, 2)->predicted_ps, US(15));
    assert_int_equal(rank_what_if_at(&a, 2)->iteration_ps, US(15));
    text = ranks_text(a.study, a.what_ifs);
    assert_non_null(strstr(text, "kernel a*              10.00 us   13.00 us"));
    rank_request_clear(&a);
}

/* Kernel `a` takes 20 us, and twice as long on NPU 3.  The perturbation of NPU
 * 3 remains in other what-ifs. */
static void
test_a_what_if_makes_the_straggler_as_fast_as_the_others(void **state)
{
    Setup setup = lanes_setup(
        "",
        KERNEL("a", 20) "{kind: collective, collective: all-reduce, name: r, "
                        "after: [a], bytes: 4 B, time: 5 us}, ",
        1);
    const char *wishes[] = { "r=0", NULL };
    GError *error = NULL;
    Request a;

    (void)state;
    setup.training = "{iterations: 1, compute: measured, optimiser: none, "
                     "drain: true, communication: recorded}";
    setup.perturb = "{ops: [{match: a, npus: [3], time_factor: 2}]}";
    request_rank_what_ifs(&a, &setup, wishes, &error);
    assert_no_error(error);
    assert_int_equal(a.what_ifs->len, 4);
    assert_string_equal(rank_what_if_at(&a, 0)->name, "kernel a");
    assert_int_equal(rank_what_if_at(&a, 0)->iteration_ps, US(25));
    assert_string_equal(rank_what_if_at(&a, 1)->name, "collective, all");
    assert_string_equal(rank_what_if_at(&a, 2)->name,
                        "NPU 3's kernels as the others' mean");
    assert_int_equal(rank_what_if_at(&a, 2)->predicted_ps, US(25));
    assert_int_equal(rank_what_if_at(&a, 2)->iteration_ps, US(25));
    assert_int_equal(rank_what_if_at(&a, 3)->iteration_ps, US(40));
    rank_request_clear(&a);
}

static void assert_what_if_refused(const char *wish, int code,
                                   const char *message)
{
    Setup setup = lanes_setup("", two_paths, 1);
    const char *wishes[] = { wish, NULL };
    GError *error = NULL;
    Request a;

    request_rank_what_ifs(&a, &setup, wishes, &error);
    assert_null(a.what_ifs);
    assert_gerror(error, CONFIG_ERROR, code, message);
    rank_request_clear(&a);
}

static void test_invalid_rank_what_if_requests_are_errors(void **state)
{
    static const char *const form =
        "--what-if: expected [KIND:]PATTERN=FACTOR such as 'kernel:conv*=50 "
        "%', KIND being kernel, host, device, collective or message; got 'a'";

    (void)state;
    assert_what_if_refused("a", CONFIG_ERROR_TYPE, form);
    assert_what_if_refused("x*=50 %", CONFIG_ERROR_UNKNOWN_KEY,
                           "--what-if: no operation with a given time is "
                           "called 'x*'");
    assert_what_if_refused(
        "a1=fast", CONFIG_ERROR_TYPE,
        "--what-if: 'a1=fast': 'fast' is no fraction; expected "
        "one such as '94 %'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_operation_saves_at_most_its_share_of_the_path),
        cmocka_unit_test(
            test_the_path_may_change_so_that_less_than_predicted_is_saved),
        cmocka_unit_test(
            test_a_what_if_makes_the_straggler_as_fast_as_the_others),
        cmocka_unit_test(test_invalid_rank_what_if_requests_are_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
