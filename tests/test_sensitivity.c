/* test_sensitivity.c - sim/cli/sensitivity/: what is assumed, what it moves */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "sim/cli/sensitivity/key.h"
#include "sim/cli/sensitivity/study_text.h"
#include "tests/test.h"

/* A ring of 4 that reduces 1 MiB; only what a comment says is assumed.  What
 * is not under test is from nowhere, so that the defaults alone are left. */
static const char run_text[] =
    "platform:\n"
    "  name: ring\n"
    "  topology:\n"
    "    kind: torus\n"
    "    dims:\n"
    "      - {size: 4, links: 2, bandwidth: 25 GB/s, latency: 500 ns}\n"
    "  npu:\n"
    "    sms: 80\n"
    "    clock: 1 GHz\n"
    "    flops: 100 TFLOPS\n"
    "    hbm:\n"
    "      bandwidth: 900 GB/s\n"
    "endpoint:\n"
    "  kind: ace\n"
    "  name: ace\n"
    "  memory_bandwidth: 128 GB/s # assumed: for the test\n"
    "workload:\n"
    "  kind: collective\n"
    "  name: c\n"
    "  collective: all-reduce\n"
    "  payload: 1 MiB\n"
    "training:\n"
    "  iterations: 1\n";

#define BASELINES                                                              \
    "baselines:\n"                                                             \
    "  - name: one\n"                                                          \
    "    set: {endpoint: {kind: baseline, name: one, sms: 1,\n"                \
    "          memory_bandwidth: 64 GB/s}}\n"                                  \
    "  - name: half\n"                                                         \
    "    set: {endpoint: {kind: baseline, name: half, sms: 1,\n"               \
    "          memory_bandwidth: 32 GB/s}}\n"

typedef struct {
    char *folder, *run, *file; /* owned */
    char **only;               /* owned */
    StudyOptions options;
} Fixture;

static int setup(void **state)
{
    Fixture *f = g_new0(Fixture, 1);

    f->folder = g_dir_make_tmp("sensitivity-XXXXXX", NULL);
    f->run = g_build_filename(f->folder, "run.yaml", NULL);
    f->file = g_build_filename(f->folder, "sensitivity.yaml", NULL);
    g_file_set_contents(f->run, run_text, -1, NULL);
    f->options = (StudyOptions){
        .path = f->run, .file = f->file, .metric = STUDY_SPEEDUP, .n_jobs = 2
    };
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    Fixture *f = *state;

    g_unlink(f->run);
    g_unlink(f->file);
    g_rmdir(f->folder);
    g_free(f->folder);
    g_free(f->run);
    g_free(f->file);
    g_strfreev(f->only);
    g_free(f);
    return 0;
}

/* A process is dear under sanitizers: only what is under test is varied. */
static void vary_only(Fixture *f, const char *names)
{
    f->only = g_strsplit(names, ",", -1);
    f->options.filter.only = f->only;
}

static void write_file(const Fixture *f, const char *text)
{
    assert_true(g_file_set_contents(f->file, text, -1, NULL));
}

static Study *study_of(const Fixture *f)
{
    g_autoptr(GError) error = NULL;
    int number;
    Study *study = study_run(&f->options, &number, &error);

    assert_no_error(error);
    assert_int_equal(number, 0);
    return study;
}

/* The study cannot be made, for this reason, which stands in FILE. */
static void assert_refused(const Fixture *f, const char *message)
{
    g_autofree char *expected =
        g_str_has_prefix(message, "--")
            ? g_strdup(message)
            : g_strdup_printf("%s:%s", f->file, message);
    GError *error = NULL;
    int number;

    assert_null(study_run(&f->options, &number, &error));
    assert_config_error(error, (gint)error->code, expected);
}

static const Assumption *find(const Study *study, const char *name)
{
    for (guint i = 0; i < study->all->len; i++)
        if (g_str_equal(assumption_at(study->all, i)->name, name))
            return assumption_at(study->all, i);
    return NULL;
}

static const Assumption *the(const Study *study, const char *name)
{
    const Assumption *assumption = find(study, name);

    if (!assumption)
        fail_msg("no assumption is called %s", name);
    return assumption;
}

static double value_of(const Study *study, const char *name, guint i)
{
    const Try *attempt = assumption_try(the(study, name), i);

    assert_true(attempt->outcome.ok);
    return attempt->outcome.value;
}

/* ---- keys ------------------------------------------------------------- */

static void test_a_star_is_every_item(void **state)
{
    g_autofree char *pattern = key_pattern("platform.topology.dims.12.size");

    (void)state;
    assert_string_equal(pattern, "platform.topology.dims.*.size");
    assert_true(key_matches("a.*.b", "a.0.b"));
    assert_false(key_matches("a.*.b", "a.x.b"));
    assert_false(key_matches("a.*.b", "a.0.b.c"));
    assert_true(key_matches("a.1.b", "a.1.b"));
    assert_false(key_matches("a.1.b", "a.2.b"));
    assert_true(key_is_below("a.b", "a"));
    assert_false(key_is_below("ab", "a"));
}

static void test_a_key_of_any_kind_is_known(void **state)
{
    (void)state;
    assert_true(key_is_known("endpoint.sram"));
    assert_true(key_is_known("endpoint.sms"));
    assert_true(key_is_known("platform.topology.dims.*.latency"));
    assert_true(key_is_known("workload.calibrated.forward"));
    assert_true(key_is_known("endpoint"));
    assert_false(key_is_known("endpoint.srams"));
    assert_false(key_is_known("platform.topology.dims.x.latency"));
    assert_false(key_is_known(""));
}

static void test_a_factor_is_an_x_and_a_number(void **state)
{
    double factor;

    (void)state;
    assert_true(change_factor("x0.5", &factor));
    assert_true(factor == 0.5);
    assert_true(change_factor("x2", &factor));
    assert_false(change_factor("2", &factor));
    assert_false(change_factor("x", &factor));
    assert_false(change_factor("xy", &factor));
    assert_false(change_factor("x2 GB/s", &factor));
    assert_false(change_factor("x0", &factor));
}

/* ---- what is assumed -------------------------------------------------- */

static void test_a_comment_and_a_default_make_an_assumption(void **state)
{
    Fixture *f = *state;
    g_autoptr(Study) study = NULL;

    vary_only(f, "endpoint,collectives.window");
    write_file(f, BASELINES);
    study = study_of(f);
    assert_non_null(find(study, "endpoint.memory_bandwidth of ace"));
    assert_non_null(find(study, "endpoint.sram_split of ace")); /* default */
    assert_non_null(find(study, "collectives.window"));
    assert_null(find(study, "platform.npu.sms"));
    assert_null(find(study, "endpoint.memory_bandwidth of one"));
    assert_string_equal(the(study, "endpoint.memory_bandwidth of ace")->source,
                        "assumed: for the test");
}

static void assert_labels(const Study *study, const char *name,
                          const char *expected)
{
    const Assumption *assumption = the(study, name);
    g_autoptr(GString) labels = g_string_new(NULL);

    for (guint i = 0; i < assumption->tries->len; i++)
        g_string_append_printf(labels, "%s%s", i > 0 ? ", " : "",
                               assumption_try(assumption, i)->label);
    assert_string_equal(labels->str, expected);
}

static void test_numbers_are_halved_and_doubled_within_their_range(void **state)
{
    Fixture *f = *state;
    g_autoptr(Study) study = NULL;

    vary_only(f, "endpoint,platform.npu.hbm");
    write_file(f, BASELINES);
    study = study_of(f);
    assert_labels(study, "endpoint.memory_bandwidth of ace",
                  "64 GB/s, 256 GB/s");
    /* no more than the peak, and nothing below 1 */
    assert_labels(study, "platform.npu.hbm.efficiency", "50 %");
    assert_labels(study, "platform.npu.hbm.compute_weight", "2");
    assert_labels(study, "endpoint.sram_split of ace",
                  "equal, bandwidth, bandwidth-x-chunk");
    /* half and twice of nothing is nothing */
    assert_labels(study, "platform.npu.hbm.turnaround", "");
}

static void test_a_range_takes_the_place_of_the_rule(void **state)
{
    Fixture *f = *state;
    g_autoptr(Study) study = NULL;

    vary_only(f, "platform");
    write_file(f, BASELINES
               "ranges:\n"
               "  - {key: platform.npu.sms, values: [40, x2], why: w}\n"
               "  - {key: platform.topology.dims.*.latency,\n"
               "     values: [x0.5], why: w}\n"
               "skip:\n"
               "  - {key: collectives.window, why: w}\n");
    study = study_of(f);
    assert_labels(study, "platform.npu.sms", "40, 160");
    assert_labels(study, "platform.topology.dims.*.latency", "250 ns");
    assert_string_equal(the(study, "platform.npu.sms")->why, "w");
    assert_null(find(study, "collectives.window"));
}

static void test_the_command_line_has_the_last_word(void **state)
{
    Fixture *f = *state;
    char range[] = "collectives.window=8..16..x4";
    char name[] = "collectives";
    char *ranges[] = { range, NULL };
    char *only[] = { name, NULL };
    g_autoptr(Study) study = NULL;

    write_file(f,
               BASELINES "ranges:\n"
                         "  - {key: collectives.window, values: [1], why: w}\n"
                         "skip:\n"
                         "  - {key: collectives.window, why: w}\n");
    f->options.filter.ranges = ranges;
    f->options.filter.only = only;
    study = study_of(f);
    assert_labels(study, "collectives.window", "8, 16, 256");
    assert_null(find(study, "endpoint.sram_split of ace"));
}

/* ---- what it moves ---------------------------------------------------- */

static void test_the_best_baseline_counts(void **state)
{
    Fixture *f = *state;
    char name[] = "collectives.chunk";
    char *only[] = { name, NULL };
    g_autoptr(Study) both = NULL, time = NULL, alone = NULL;
    char half[] = "half";
    char *names[] = { half, NULL };

    write_file(f, BASELINES);
    f->options.filter.only = only;
    both = study_of(f);
    assert_string_equal(both->base.best, "one");
    f->options.baselines = names;
    alone = study_of(f);
    assert_string_equal(alone->base.best, "half");
    assert_true(alone->base.value > both->base.value);
    /* without a speedup to tell, only the offload is run */
    f->options.metric = "iteration_time_us";
    time = study_of(f);
    assert_null(time->base.best);
    assert_true(time->n_runs < alone->n_runs);
}

static void test_the_largest_effect_comes_first(void **state)
{
    Fixture *f = *state;
    g_autoptr(Study) study = NULL;

    vary_only(f, "platform,endpoint");
    write_file(f, BASELINES "ranges:\n"
                            "  - {key: platform.topology.dims.*.bandwidth,\n"
                            "     values: [x0.5, x16], why: w}\n");
    study = study_of(f);
    for (guint i = 1; i < study->all->len; i++)
        assert_true(study_effect(study, assumption_at(study->all, i - 1)) >=
                    study_effect(study, assumption_at(study->all, i)));
    assert_true(study_effect(study, assumption_at(study->all, 0)) > 0);
    assert_true(
        study_effect(study, the(study, "platform.topology.dims.*.bandwidth")) >
        0.05);
}

static void test_what_changes_nothing_has_no_effect(void **state)
{
    Fixture *f = *state;
    g_autoptr(Study) study = NULL;
    g_autofree char *text = NULL;

    vary_only(f, "training,platform.npu.hbm");
    write_file(f, BASELINES);
    study = study_of(f);
    /* nothing computes */
    assert_true(study_effect(study, the(study, "training.precision")) <= 0);
    text = study_text(study, 100);
    assert_non_null(strstr(text, "do not matter: "));
    assert_non_null(strstr(text, "have no range: "));
}

static void test_a_case_may_concern_the_baselines_alone(void **state)
{
    Fixture *f = *state;
    g_autoptr(Study) study = NULL;

    vary_only(f, "share,own share");
    write_file(f, BASELINES "cases:\n"
                            "  - name: share\n"
                            "    of: baselines\n"
                            "    now: small\n"
                            "    try:\n"
                            "      smaller: {endpoint.memory_bandwidth: x0.5}\n"
                            "    why: w\n"
                            "  - name: own share\n"
                            "    of: offload\n"
                            "    now: large\n"
                            "    try:\n"
                            "      tiny: {endpoint.memory_bandwidth: 1 GB/s}\n"
                            "    why: w\n");
    study = study_of(f);
    assert_true(value_of(study, "share", 0) > 1.5 * study->base.value);
    assert_true(value_of(study, "own share", 0) < 0.5 * study->base.value);
}

static void test_an_assumption_may_turn_the_answer_round(void **state)
{
    Fixture *f = *state;
    g_autoptr(Study) study = NULL;
    g_autofree char *sentence = NULL;
    const Try *attempt;

    vary_only(f, "engine,collectives.window");
    write_file(f, BASELINES
               "cases:\n"
               "  - name: engine\n"
               "    of: offload\n"
               "    now: fast\n"
               "    try: {slow: {endpoint.memory_bandwidth: 1 GB/s}}\n"
               "    why: w\n");
    study = study_of(f);
    assert_true(study->base.value > 1);
    attempt = assumption_try(the(study, "engine"), 0);
    assert_true(study_turns(study, &attempt->outcome));
    sentence = study_sentence(study);
    assert_non_null(strstr(sentence, "With engine (slow) a baseline wins."));
}

static void test_baselines_are_added_and_left_out(void **state)
{
    Fixture *f = *state;
    g_autoptr(Study) study = NULL;

    vary_only(f, "more,fewer");
    write_file(f, BASELINES
               "cases:\n"
               "  - name: more\n"
               "    now: two\n"
               "    add:\n"
               "      others:\n"
               "        endpoint: {kind: baseline, name: more, sms: 1,\n"
               "                   memory_bandwidth: 1 GB/s}\n"
               "        endpoint.sms: [1, 8]\n"
               "        endpoint.memory_bandwidth: [100 GB/s, 450 GB/s]\n"
               "    why: w\n"
               "  - name: fewer\n"
               "    now: two\n"
               "    without: {slow ones: [one], all: [one, half]}\n"
               "    why: w\n");
    study = study_of(f);
    assert_true(value_of(study, "more", 0) < study->base.value);
    assert_string_equal(assumption_try(the(study, "more"), 0)->outcome.best,
                        "more, 8, 450 GB/s");
    assert_true(value_of(study, "fewer", 0) > study->base.value);
    assert_string_equal(assumption_try(the(study, "fewer"), 1)->outcome.reason,
                        "no baseline is left");
}

static void test_what_cannot_be_is_said_and_ranks_nowhere(void **state)
{
    Fixture *f = *state;
    g_autoptr(Study) study = NULL;
    g_autofree char *text = NULL;

    vary_only(f, "SMs");
    write_file(f, BASELINES "cases:\n"
                            "  - name: SMs\n"
                            "    of: baselines\n"
                            "    now: few\n"
                            "    try: {too many: {endpoint.sms: 200}}\n"
                            "    why: w\n");
    study = study_of(f);
    assert_false(assumption_try(the(study, "SMs"), 0)->outcome.ok);
    assert_true(study_effect(study, the(study, "SMs")) <= 0);
    text = study_text(study, 100);
    assert_non_null(strstr(text, "SMs cannot be 'too many': one: "));
}

static const Combination *combination(const Study *study, const char *name)
{
    for (guint i = 0; i < study->combinations->len; i++)
        if (g_str_equal(study_combination(study, i)->name, name))
            return study_combination(study, i);
    return NULL;
}

static void test_several_go_farther_than_one(void **state)
{
    Fixture *f = *state;
    g_autoptr(Study) study = NULL;
    const Combination *lowest, *pair;

    vary_only(f, "a,c,endpoint.fsms");
    write_file(f,
               BASELINES "cases:\n"
                         "  - {name: a, of: offload, now: x, why: w,\n"
                         "     try: {b: {endpoint.memory_bandwidth: x0.25}}}\n"
                         "  - {name: c, of: baselines, now: x, why: w,\n"
                         "     try: {d: {endpoint.memory_bandwidth: x1.25,\n"
                         "               endpoint.sms: x2}}}\n");
    study = study_of(f);
    lowest = combination(study, STUDY_LOWEST);
    pair = combination(study, STUDY_PAIR);
    assert_non_null(lowest);
    assert_non_null(pair);
    assert_true(lowest->outcome.value < value_of(study, "a", 0));
    assert_true(lowest->outcome.value < value_of(study, "c", 0));
    assert_int_equal(pair->members->len, 2);
    assert_true(combination(study, STUDY_HIGHEST) == NULL ||
                combination(study, STUDY_HIGHEST)->outcome.value >
                    study->base.value);
}

static void test_a_baseline_keeps_what_makes_it_one(void **state)
{
    Fixture *f = *state;
    g_autoptr(Study) study = NULL;

    vary_only(f, "collectives.window");
    write_file(f, "baselines:\n"
                  "  - name: once\n"
                  "    set: {endpoint: {kind: baseline, sms: 1,\n"
                  "          memory_bandwidth: 64 GB/s},\n"
                  "          collectives.window: 1}\n"
                  "ranges:\n"
                  "  - {key: collectives.window, values: [2], why: w}\n");
    study = study_of(f);
    /* the offload has less, the baseline what it had */
    assert_true(value_of(study, "collectives.window", 0) < study->base.value);
}

static void test_rows_are_tidy(void **state)
{
    Fixture *f = *state;
    g_autoptr(Study) study = NULL;
    g_autoptr(GString) csv = NULL;
    g_autoptr(CsvTable) table = NULL;
    g_autoptr(GError) error = NULL;
    guint role;

    vary_only(f, "endpoint.memory_bandwidth");
    write_file(f, BASELINES);
    study = study_of(f);
    csv = study_csv(study);
    table = csv_table_parse("s.csv", csv->str, csv->len, &error);
    assert_no_error(error);
    assert_true(csv_table_column(table, "role", &role, &error));
    assert_string_equal(csv_table_text(table, 0, role), "base");
    assert_string_equal(csv_table_text(table, 1, role), "try");
}

/* ---- mistakes --------------------------------------------------------- */

static void test_mistakes_in_the_file_have_a_place(void **state)
{
    const struct {
        const char *text, *message;
    } cases[] = {
        { "ranges:\n  - {key: endpoint.sram_spilt, values: [1], why: w}\n",
          "2:11: key: no configuration has 'endpoint.sram_spilt'; did you mean "
          "'endpoint.sram_split'?" },
        { "ranges:\n  - {key: endpoint.sram, values: [], why: w}\n",
          "2:34: values: expected 1 to 64 items, got 0" },
        { "ranges:\n  - {key: endpoint.sram, valeus: [1 MiB], why: w}\n",
          "2:26: unknown key 'valeus'; did you mean 'values'?" },
        { BASELINES "cases:\n  - {name: a, now: b, why: w}\n",
          "9:5: a case has to have something under try:, add: or without:" },
        { BASELINES "cases:\n  - {name: a, now: b, why: w,\n"
                    "     without: {c: [on]}}\n",
          "10:20: no baseline here is called 'on'; did you mean 'one'?" },
        { BASELINES "ranges:\n"
                    "  - {key: endpoint.sram, values: [5 parsecs], why: w}\n",
          "9:35: sram: '5 parsecs' is no size; expected one such as '64 KiB'" },
    };
    const Fixture *f = *state;

    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        write_file(f, cases[i].text);
        assert_refused(f, cases[i].message);
    }
}

static void test_mistakes_on_the_command_line_are_named(void **state)
{
    Fixture *f = *state;
    char range[] = "endpoint.fsmss=1..2";
    char foreign[] = "platform.topology.npus=4";
    char name[] = "relaese";
    char *ranges[] = { range, NULL };
    char *names[] = { name, NULL };

    write_file(f, BASELINES "cases:\n"
                            "  - {name: release, now: n, why: w,\n"
                            "     try: {a: {endpoint.alus: 1}}}\n");
    f->options.filter.ranges = ranges;
    assert_refused(f, "--range endpoint.fsmss:1:1: key: no configuration has "
                      "'endpoint.fsmss'; did you mean 'endpoint.fsms'?");
    ranges[0] = foreign;
    assert_refused(f, "--range platform.topology.npus:1:1: this configuration "
                      "has no 'platform.topology.npus'");
    f->options.filter.ranges = NULL;
    f->options.filter.only = names;
    assert_refused(f, "--only: nothing assumed is called 'relaese'; did you "
                      "mean 'release'?");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_star_is_every_item),
        cmocka_unit_test(test_a_key_of_any_kind_is_known),
        cmocka_unit_test(test_a_factor_is_an_x_and_a_number),
        TEST(test_a_comment_and_a_default_make_an_assumption),
        TEST(test_numbers_are_halved_and_doubled_within_their_range),
        TEST(test_a_range_takes_the_place_of_the_rule),
        TEST(test_the_command_line_has_the_last_word),
        TEST(test_the_best_baseline_counts),
        TEST(test_the_largest_effect_comes_first),
        TEST(test_what_changes_nothing_has_no_effect),
        TEST(test_a_case_may_concern_the_baselines_alone),
        TEST(test_an_assumption_may_turn_the_answer_round),
        TEST(test_baselines_are_added_and_left_out),
        TEST(test_what_cannot_be_is_said_and_ranks_nowhere),
        TEST(test_several_go_farther_than_one),
        TEST(test_a_baseline_keeps_what_makes_it_one),
        TEST(test_rows_are_tidy),
        TEST(test_mistakes_in_the_file_have_a_place),
        TEST(test_mistakes_on_the_command_line_are_named),
    };

    return cmocka_run_group_tests_name("sensitivity", tests, NULL, NULL);
}
