/* Tests how the stages of the input appear in a timeline and in an
 * explanation. */
#include "tests/models/observe/timeline_read_back.h"

#include <string.h>

#include "sim/study/explain/explain.h"
#include "sim/study/run_many.h"
#include "sim/view/text/explain/explain_text.h"

#define US(n) ((SimTime)(n)*1000000)

static Setup input_pipeline_setup(const char *input)
{
    return (Setup){
        .workload = "{kind: data-parallel, name: one, batch: 8, layers: "
                    "[{kind: linear, name: a, in: 256, out: 256, "
                    "forward_time: 40 us, weight_gradient_time: 80 us}]}",
        .training =
            format_text("{iterations: 2, compute: measured, synchronise: "
                        "step, input: %s}",
                        input),
    };
}

/* Returns slice @nth of the stages with this name. */
static const Slice *find_nth_slice(const Trace *trace, const char *name,
                                   guint nth)
{
    for (guint i = 0; i < trace->slices->len; i++) {
        const Slice *slice = trace_slice_at(trace, i);

        if (slice->category && g_str_equal(slice->category, "input") &&
            g_str_equal(slice->name, name) && nth-- == 0)
            return slice;
    }
    fail_msg("there is no %s", name);
    return NULL;
}

static void assert_slice_times(const Trace *trace, const char *name, guint nth,
                               SimTime from_ps, SimTime to_ps)
{
    const Slice *slice = find_nth_slice(trace, name, nth);

    assert_int_equal(slice->from_ps, from_ps);
    assert_int_equal(slice->to_ps, to_ps);
}

static void each_input_stage_has_a_separate_timeline_thread(void **state)
{
    const Setup setup =
        input_pipeline_setup("{read: {time: 300 us}, decode: {time: 50 "
                             "us}, copy: {time: 20 us}, prefetch: host}");
    Trace trace;

    (void)state;
    trace_run_setup(&trace, &setup, FOLD_AUTO, "0");
    assert_slice_times(&trace, "read", 0, 0, US(300));
    assert_slice_times(&trace, "decode", 0, US(300), US(350));
    assert_slice_times(&trace, "copy", 0, US(350), US(370));
    assert_slice_times(&trace, "read", 1, US(370), US(670));
    assert_slice_times(&trace, "copy", 1, US(720), US(740));
    assert_true(find_nth_slice(&trace, "read", 0)->track !=
                find_nth_slice(&trace, "decode", 0)->track);
    assert_true(find_nth_slice(&trace, "read", 0)->track ==
                find_nth_slice(&trace, "read", 1)->track);
    trace_clear(&trace);
}

static void an_explanation_names_the_limiting_input_stage(void **state)
{
    const Setup setup =
        input_pipeline_setup("{decode: {cores: 2, samples_per_s: 2000}, "
                             "copy: {time: 20 us}, prefetch: device}");
    g_autofree char *path = trace_file_path("input.yaml");
    const char *text = setup_text(&setup);
    g_autofree char *said = NULL;
    GError *error = NULL;
    Explanation *explanation;
    Run run;

    (void)state;
    assert_true(g_file_set_contents(path, text, -1, NULL));
    (void)run_to_result(&run, &setup, FOLD_AUTO);
    explanation = explain_new(path, NULL, (RunOptions){ 0 }, &run.config,
                              run.system, run_many_in_process, &error);
    assert_no_error(error);
    said = explain_text(explanation);
    assert_non_null(strstr(said, "of the iteration is exposed waiting, most"));
    assert_non_null(strstr(said, "for samples to be decoded; twice"));
    assert_non_null(strstr(said, "training.input.decode.samples_per_s=4000"));
    explain_free(explanation);
    run_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_input_stage_has_a_separate_timeline_thread),
        cmocka_unit_test(an_explanation_names_the_limiting_input_stage),
    };

    return cmocka_run_group_tests_name("input seen", tests, NULL, NULL);
}
