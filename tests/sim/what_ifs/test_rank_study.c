/* test_rank_study.c - tests of the critical path by class and NPU, and of
 * stragglers */
#include "tests/models/observe/rank_path_fixture.h"

#include "sim/study/ranks/rank_study.h"
#include "sim/view/text/ranks_text.h"

#define COLL(name, after, bytes)                                               \
    "{kind: collective, collective: all-reduce, name: " name                   \
    ", after: [" after "], bytes: " #bytes " B}, "

static RankStudy *rank_study_of_setup(FollowedPath *f, const Setup *setup)
{
    follow_rank_path(f, setup, FOLD_AUTO);
    return rank_study_new(f->run.system, f->path);
}

static void rank_study_clear(RankStudy *study, FollowedPath *f)
{
    rank_study_free(study);
    followed_path_clear(f);
}

static const RankClassTime *time_of_rank_class(const RankStudy *study,
                                               ClassKind kind, const char *name)
{
    for (guint i = 0; i < study->times->len; i++) {
        const RankClassTime *time = rank_study_class_time_at(study, i);
        const OpClass *class = op_class_at(&study->classes, time->class);

        if (class->kind == kind && g_str_equal(class->name, name))
            return time;
    }
    fail_msg("there is no class %s", name);
    return NULL;
}

static void assert_operation_class(const char *name, const char *expected)
{
    g_autofree char *class = op_class_name_pattern(name);

    assert_string_equal(class, expected);
}

static void test_an_operation_class_is_a_name_without_numbers(void **state)
{
    (void)state;
    assert_operation_class("conv1", "conv*");
    assert_operation_class("res2.1.conv12", "res*.*.conv*");
    assert_operation_class("encoder-embedding", "encoder-embedding");
    assert_operation_class("sgemm_128x64_nn.12", "sgemm_128x64_nn.*");
    assert_operation_class("7", "*");
    assert_operation_class("a.7", "a.*");
}

/* Per iteration, kernels a* take 4 and 6 us and an all-reduce takes 9 us; there
 * are two iterations. */
static void test_the_path_is_summed_by_class(void **state)
{
    Setup setup = lanes_setup("",
                              KERNEL("a1", 4) COLL("r", "a1", 100000)
                                  KERNEL("b", 2) "{kind: kernel, name: a2, "
                                                 "flop: 1, time: 6 us, "
                                                 "after: [r]}",
                              2);
    FollowedPath f;
    RankStudy *study = rank_study_of_setup(&f, &setup);

    (void)state;
    assert_int_equal(time_of_rank_class(study, CLASS_KERNEL, "a*")->path_ps,
                     US(20));
    assert_int_equal(time_of_rank_class(study, CLASS_KERNEL, "a*")->n_parts, 4);
    assert_int_equal(
        time_of_rank_class(study, CLASS_COLLECTIVE, "all-reduce")->path_ps,
        US(18));
    assert_int_equal(time_of_rank_class(study, CLASS_KERNEL, "b")->path_ps, 0);
    assert_int_equal(rank_study_class_time_at(study, 0)->path_ps, US(20));
    assert_int_equal(
        rank_study_path_time_of_pattern_ps(study, CLASS_KERNEL, "a?"), US(20));
    assert_int_equal(
        rank_study_path_time_of_pattern_ps(study, CLASS_KERNEL, "*2"), US(12));
    assert_null(rank_study_find_straggler(study));
    rank_study_clear(study, &f);
}

/* Layers of several roles have the role in their name, which the class leaves
 * out. */
static void test_layers_of_several_roles_share_a_class(void **state)
{
    Setup setup = lanes_setup("", "", 1);
    FollowedPath f;
    RankStudy *study;

    (void)state;
    setup.workload =
        "{kind: program, name: p, roles: [{name: r-0, ranks: {size: 2}, ops: "
        "[" KERNEL("k.1", 3)
            KERNEL("k.2", 4) "]}, {name: r-1, ranks: {size: "
                             "2, at: 1}, ops: [" KERNEL("k.1", 5) "]}]}";
    study = rank_study_of_setup(&f, &setup);
    assert_int_equal(time_of_rank_class(study, CLASS_KERNEL, "*k.*")->path_ps,
                     US(7));
    assert_int_equal(
        rank_study_path_time_of_pattern_ps(study, CLASS_KERNEL, "*k.*"), US(7));
    rank_study_clear(study, &f);
}

/* Each of two kernels takes 20 us on NPU 3 and 10 us on the others.  An
 * all-reduce takes about 9 us after the last arrival, so the others arrive at
 * 10 and 39 us, NPU 3 at 20 and 49 us. */
static void test_the_straggler_and_its_cause_are_named(void **state)
{
    Setup setup = lanes_setup(
        "",
        KERNEL("a", 10) COLL(
            "r", "a", 100000) "{kind: kernel, name: b, flop: 1, time: "
                              "10 us, after: [r]}, " COLL("s", "b", 100000),
        1);
    FollowedPath f;
    RankStudy *study;
    const RankNpu *straggler;
    g_autofree char *text = NULL;

    (void)state;
    setup.perturb = "{npus: [{npu: 3, time_factor: 2}]}";
    study = rank_study_of_setup(&f, &setup);
    straggler = rank_study_find_straggler(study);
    assert_int_equal(straggler->npu, 3);
    assert_int_equal(straggler->n_begun_last, 2);
    assert_int_equal(study->n_collectives, 2);
    assert_int_equal(straggler->held_ps, straggler->late_ps);
    assert_in_range(straggler->held_ps, US(19), US(20));
    assert_in_range(straggler->waited_ps, straggler->late_ps, US(20));
    assert_int_equal(straggler->excess_kind, CLASS_KERNEL);
    assert_int_equal(straggler->excess_ps, US(20));
    assert_int_equal(straggler->excess_class_ps, US(10));
    text = ranks_text(study, NULL);
    assert_non_null(strstr(text, "NPU 3 is late: for 19"));
    assert_non_null(strstr(text, "its kernels take 20.00 us an iteration"));
    rank_study_clear(study, &f);
}

/* Both all-reduces wait for the same 10 us of NPU 1, which count twice as
 * lateness and once as time held up. */
static void test_simultaneous_waiting_counts_once(void **state)
{
    Setup setup = lanes_setup(
        "", KERNEL("a", 10) COLL("r", "a", 100000) COLL("s", "a", 100000), 1);
    FollowedPath f;
    RankStudy *study;

    (void)state;
    setup.perturb = "{npus: [{npu: 1, time_factor: 2}]}";
    study = rank_study_of_setup(&f, &setup);
    assert_int_equal(rank_study_find_straggler(study)->late_ps, US(20));
    assert_int_equal(rank_study_find_straggler(study)->held_ps, US(10));
    rank_study_clear(study, &f);
}

static void test_the_rank_study_csv_has_a_row_per_path_part(void **state)
{
    Setup setup = lanes_setup(
        "{name: l}", KERNEL("k1", 10) REDUCE("a", "k1", 100000, "l"), 1);
    FollowedPath f;
    RankStudy *study = rank_study_of_setup(&f, &setup);
    g_autoptr(GString) rows = g_string_new(NULL);

    (void)state;
    rank_study_append_csv(rows, study);
    assert_string_equal(
        rows->str,
        "from_us,to_us,npu,role,kind,class,operation,pass,iteration\n"
        "0.000000,10.000000,0,all,kernel,k*,k1,forward,0\n"
        "10.000000,19.000000,0,all,collective,all-reduce,a,forward,0\n");
    rank_study_clear(study, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_operation_class_is_a_name_without_numbers),
        cmocka_unit_test(test_the_path_is_summed_by_class),
        cmocka_unit_test(test_layers_of_several_roles_share_a_class),
        cmocka_unit_test(test_the_straggler_and_its_cause_are_named),
        cmocka_unit_test(test_simultaneous_waiting_counts_once),
        cmocka_unit_test(test_the_rank_study_csv_has_a_row_per_path_part),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
