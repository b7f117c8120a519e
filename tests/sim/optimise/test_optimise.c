/* Tests of sim/study/optimise/: searches over whole runs */
#include <string.h>

#include "sim/config/config.h"
#include "sim/study/load.h"
#include "sim/study/optimise/memory.h"
#include "sim/study/optimise/optimise.h"
#include "sim/study/optimise/yaml.h"
#include "tests/test.h"

/* Five layers, whose gradients take longer than what computes them. */
static const char run_text[] =
    "platform:\n"
    "  name: four\n"
    "  topology: {kind: switch, npus: 4, bandwidth: 1 GB/s, latency: 20 us}\n"
    "  npu: {sms: 8, clock: 1 GHz, flops: 1 TFLOPS,\n"
    "        hbm: {bandwidth: 900 GB/s}}\n"
    "endpoint: {kind: ideal, name: i}\n"
    "workload:\n"
    "  kind: data-parallel\n"
    "  name: five\n"
    "  batch: 1\n"
    "  samples_per_s: 1000\n"
    "  layers:\n"
    "    - {kind: counted, name: a, tensors: [1000], forward_flop: 1000000, "
    "activations: 100}\n"
    "    - {kind: counted, name: b, tensors: [90000], forward_flop: 1000000, "
    "activations: 100}\n"
    "    - {kind: counted, name: c, tensors: [500], forward_flop: 1000000, "
    "activations: 100}\n"
    "    - {kind: counted, name: d, tensors: [70000], forward_flop: 1000000, "
    "activations: 100}\n"
    "    - {kind: counted, name: e, tensors: [2000], forward_flop: 1000000, "
    "activations: 100}\n"
    "training:\n"
    "  iterations: 1\n"
    "  compute: measured\n"
    "  synchronise: step\n"
    "  exchange: {kind: tensor}\n";

#define N_TENSORS 5

/* Who makes runs, and what he remembers. */
typedef struct {
    GHashTable *kept; /* owned: id -> text */
    guint n_made;
    guint n_most; /* made until it is interrupted; 0: never */
    gboolean backwards;
} Maker;

static ConfigDoc *open_text(gpointer self, GError **error)
{
    (void)self;
    return config_doc_parse("run.yaml", run_text, strlen(run_text), error);
}

static gboolean make(gpointer self, const RunMany *many, GError **error)
{
    Maker *m = self;

    for (guint k = 0; k < many->n; k++) {
        guint i = m->backwards ? many->n - 1 - k : k;
        g_autoptr(GString) text = g_string_new(NULL);

        if (m->n_most > 0 && m->n_made == m->n_most) {
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INTR, "enough");
            return FALSE;
        }
        m->n_made++;
        many->work(many->self, i, text);
        many->done(many->self, i, text, NULL);
    }
    return TRUE;
}

static const char *recall(gpointer self, const char *id)
{
    return g_hash_table_lookup(((Maker *)self)->kept, id);
}

static void keep(gpointer self, const char *id, const char *text)
{
    g_hash_table_replace(((Maker *)self)->kept, g_strdup(id), g_strdup(text));
}

static OptimiseTask task_of(Maker *m, const Move **allowed, guint n)
{
    *m = (Maker){ .kept = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                                g_free) };
    return (OptimiseTask){
        .maker = { .open = open_text,
                   .run_many = make,
                   .recall = recall,
                   .keep = keep,
                   .id = "a test",
                   .self = m },
        .moves = allowed,
        .seed = 1,
        .n_evaluations = n,
    };
}

static Optimised *run(const OptimiseTask *task)
{
    GError *error = NULL;
    Optimised *o = optimise_run(task, &error);

    assert_no_error(error);
    assert_true(o->best->time_ps <= o->begin->time_ps);
    return o;
}

static const Move **only(const Move **list, const char *name)
{
    list[0] = move_find(name);
    list[1] = NULL;
    assert_non_null(list[0]);
    return list;
}

/* The rows but for what was recalled, which is told nowhere in them. */
static char *rows(const Optimised *o)
{
    return g_string_free(optimised_csv(o), FALSE);
}

/* ---- what is found ------------------------------------------------------- */

/* Of all ways to put five tensors into groups. */
static SimTime least_of_all(const OptimiseTask *task)
{
    g_auto(Trials) trials = { 0 };
    g_autoptr(GPtrArray) all =
        g_ptr_array_new_with_free_func((GDestroyNotify)candidate_free);
    g_autoptr(Candidate) plain = candidate_new();

    for (guint cuts = 0; cuts < 1 << (N_TENSORS - 1); cuts++) {
        g_autoptr(GString) sets =
            g_string_new("training.exchange={kind: groups, groups: [");
        guint count = 0;

        for (guint i = 0; i < N_TENSORS; i++) {
            count++;
            if (i + 1 < N_TENSORS && !(cuts >> i & 1))
                continue;
            g_string_append_printf(sets, "%u%s", count,
                                   i + 1 < N_TENSORS ? ", " : "");
            count = 0;
        }
        g_string_append(sets, "]}");
        g_ptr_array_add(all, candidate_with(plain, ASPECT_EXCHANGE, sets->str));
    }
    trials_init(&trials, &task->maker, all->len);
    assert_true(trials_make(&trials, all, "all", NULL));
    assert_int_equal(trials.all->len, 1 << (N_TENSORS - 1));
    return trials.best->time_ps;
}

static void test_groups_end_with_the_best_of_all_that_there_are(void **state)
{
    const Move *list[2];
    Maker m;
    OptimiseTask task = task_of(&m, only(list, "groups"), 200);
    g_autoptr(Optimised) o = run(&task);

    (void)state;
    assert_int_equal(o->trials.best->time_ps, least_of_all(&task));
    assert_true((double)o->best->time_ps <=
                (double)o->trials.best->time_ps * (1 + OPTIMISE_ALIKE));
    assert_true(o->best->time_ps < o->begin->time_ps);
    assert_int_equal(o->worths->len, 1);
    assert_int_equal(g_array_index(o->worths, OptimiseWorth, 0).alone_ps,
                     o->best->time_ps);
    assert_int_equal(g_array_index(o->worths, OptimiseWorth, 0).without_ps,
                     o->begin->time_ps);
    g_hash_table_unref(m.kept);
}

static void test_no_move_ends_with_more_than_the_default(void **state)
{
    (void)state;
    for (guint i = 0; moves[i]; i++) {
        const Move *list[2];
        Maker m;
        OptimiseTask task = task_of(&m, only(list, moves[i]->name), 40);
        g_autoptr(Optimised) o = run(&task);

        assert_true(o->trials.all->len >= 1);
        g_hash_table_unref(m.kept);
    }
}

static void test_what_is_written_takes_what_was_found(void **state)
{
    Maker m;
    OptimiseTask task = task_of(&m, (const Move **)moves, 120);
    g_autoptr(Optimised) o = run(&task);
    GError *error = NULL;
    g_autoptr(GString) text = optimised_file(o, ".", "one\ntwo", &error);
    g_autoptr(ConfigDoc) doc = NULL;
    g_autoptr(System) system = NULL;
    SystemConfig config;

    (void)state;
    assert_no_error(error);
    assert_true(g_str_has_prefix(text->str, "# one\n# two\nplatform:\n"));
    doc = config_doc_parse("best.yaml", text->str, text->len, &error);
    assert_no_error(error);
    assert_true(config_doc_read(doc, system_fields, &config, &error));
    system = system_new(&config, FOLD_AUTO, &error);
    assert_no_error(error);
    assert_true(system_run(system, &error));
    assert_int_equal(system_result(system).iteration_ps, o->best->time_ps);
    g_hash_table_unref(m.kept);
}

/* ---- order --------------------------------------------------------------- */

static void test_who_is_done_first_does_not_matter(void **state)
{
    Maker forwards, backwards;
    OptimiseTask a = task_of(&forwards, (const Move **)moves, 150);
    OptimiseTask b = task_of(&backwards, (const Move **)moves, 150);
    g_autoptr(Optimised) x = run(&a);
    g_autoptr(Optimised) y = NULL;
    g_autofree char *first = rows(x);
    g_autofree char *second = NULL;

    (void)state;
    backwards.backwards = TRUE;
    y = run(&b);
    second = rows(y);
    assert_string_equal(first, second);
    g_hash_table_unref(forwards.kept);
    g_hash_table_unref(backwards.kept);
}

static void test_a_search_that_goes_on_ends_as_one_in_one_go(void **state)
{
    Maker whole, parts;
    OptimiseTask a = task_of(&whole, (const Move **)moves, 150);
    OptimiseTask b = task_of(&parts, (const Move **)moves, 150);
    g_autoptr(Optimised) x = run(&a);
    g_autofree char *first = rows(x);
    guint n_made = 0;

    (void)state;
    for (guint n = 7;; n += 31) {
        g_autoptr(Optimised) y = NULL;
        g_autofree char *second = NULL;

        parts.n_most = n;
        parts.n_made = 0;
        y = run(&b);
        n_made += parts.n_made;
        if (y->interrupted)
            continue;
        second = rows(y);
        assert_string_equal(first, second);
        break;
    }
    assert_int_equal(n_made, whole.n_made); /* nothing was run twice */
    g_hash_table_unref(whole.kept);
    g_hash_table_unref(parts.kept);
}

static void test_what_is_interrupted_keeps_what_it_has(void **state)
{
    Maker m;
    OptimiseTask task = task_of(&m, (const Move **)moves, 150);
    g_autoptr(Optimised) o = NULL;
    g_autofree char *csv = NULL;
    g_auto(GStrv) lines = NULL;

    (void)state;
    m.n_most = 20;
    o = run(&task);
    csv = rows(o);
    assert_non_null(o->interrupted);
    assert_string_equal(o->interrupted->message, "enough");
    assert_true(o->best->time_ps < o->begin->time_ps);
    lines = g_strsplit(csv, "\n", -1);
    assert_int_equal(g_strv_length(lines), 20 + 2);
    g_hash_table_unref(m.kept);
}

/* ---- moves with mistakes ------------------------------------------------- */

/* Leaves out most layers; a wrong key; no YAML. */
static void seed_badly(const Known *known, GPtrArray *ret)
{
    (void)known;
    g_ptr_array_add(ret, g_strdup("workload.layers=[{kind: counted, name: a, "
                                  "tensors: [10], forward_flop: 10, "
                                  "activations: 10}]"));
    g_ptr_array_add(ret, g_strdup("collectives.chunks=1 MB"));
    g_ptr_array_add(ret, g_strdup("training.exchange={kind"));
}

static char *vary_badly(const Known *known, const char *sets, Draw *draw)
{
    (void)known;
    (void)sets;
    return g_strdup_printf("workload.batch=%u", draw_below(draw, 2));
}

static void test_a_move_with_mistakes_is_caught(void **state)
{
    static const Move bad = {
        .name = "bad",
        .summary = "leaves out what is to be done",
        .aspect = ASPECT_CHUNK,
        .seeds = seed_badly,
        .vary = vary_badly,
    };
    const Move *list[] = { &bad, NULL };
    Maker m;
    OptimiseTask task = task_of(&m, list, 20);
    g_autoptr(Optimised) o = run(&task);
    const Trial *less = g_ptr_array_index(o->trials.all, 1);

    (void)state;
    assert_true(o->best == o->begin || o->best->time_ps == o->begin->time_ps);
    assert_string_equal(less->reason, "it does less than the default: a "
                                      "mistake of who proposed it");
    for (guint i = 2; i < 4; i++)
        assert_non_null(
            ((const Trial *)g_ptr_array_index(o->trials.all, i))->reason);
    g_hash_table_unref(m.kept);
}

static void test_what_needs_too_much_memory_is_refused(void **state)
{
    const Move *list[2];
    Maker m;
    OptimiseTask task = task_of(&m, only(list, "order"), 20);
    GError *error = NULL;
    guint64 needs;

    (void)state;
    {
        g_autoptr(Optimised) o = run(&task);

        needs = o->begin->memory_bytes;
    }
    /* 163,500 weights in 2 bytes, their gradients likewise, and 500 values */
    assert_int_equal(needs, 163500 * 4 + 500 * 2);
    task.maker.memory_bytes = needs;
    optimised_free(run(&task));
    task.maker.memory_bytes = needs - 1;
    assert_null(optimise_run(&task, &error));
    assert_true(g_str_has_prefix(error->message, "a rank needs 655000 B"));
    g_clear_error(&error);
    g_hash_table_unref(m.kept);
}

/* Two forward passes take as long again; parts of a batch keep its FLOP. */
static void test_memory_is_saved_by_parts_of_a_batch_or_by_time(void **state)
{
    const struct {
        const char *set;
        uint64_t activation_bytes;
        SimTime least_ps, most_ps; /* of the kernels */
    } cases[] = {
        /* 1000 samples a second, of each 500 values of 2 bytes are kept */
        { "workload.batch=4", 4 * 1000, 3999999000, 4000001000 },
        { "training.micro_batches=2", 2 * 1000, 3999999000, 4000001000 },
        { "training.micro_batches=4", 1000, 3999999000, 4000001000 },
        { "training.recompute=true", 4 * 1000, 5333330000, 5333335000 },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        g_autoptr(ConfigDoc) doc = open_text(NULL, &error);
        g_autoptr(System) system = NULL;
        SystemConfig config;
        SystemResult result;

        assert_true(config_doc_set(doc, "workload.batch", "t", "4", &error));
        assert_true(load_apply_set(doc, cases[i].set, &error));
        assert_true(config_doc_read(doc, system_fields, &config, &error));
        system = system_new(&config, FOLD_AUTO, &error);
        assert_no_error(error);
        assert_true(system_run(system, &error));
        result = system_result(system);
        assert_int_equal(memory_parts(system).activation_bytes,
                         cases[i].activation_bytes);
        assert_in_range(result.compute_ps, cases[i].least_ps, cases[i].most_ps);
    }
}

static char *text_with(const char *from, const char *to)
{
    g_auto(GStrv) parts = g_strsplit(run_text, from, 2);

    assert_int_equal(g_strv_length(parts), 2);
    return g_strjoinv(to, parts);
}

/* A batch of 8 whose activations do not fit, but for half of it. */
static ConfigDoc *open_large(gpointer self, GError **error)
{
    g_autofree char *text = text_with("batch: 1\n", "batch: 8\n");

    (void)self;
    return config_doc_parse("run.yaml", text, strlen(text), error);
}

static void test_what_does_not_fit_is_made_to(void **state)
{
    Maker m;
    OptimiseTask task = task_of(&m, (const Move **)moves, 60);
    g_autoptr(Optimised) o = NULL;
    GError *error = NULL;

    (void)state;
    task.maker.open = open_large;
    task.maker.memory_bytes = 163500 * 4 + 4 * 1000;
    o = optimise_run(&task, &error);
    assert_no_error(error);
    assert_int_equal(o->begin->time_ps, 0);
    assert_true(o->best->time_ps > 0);
    assert_true(o->best->memory_bytes <= task.maker.memory_bytes);
    assert_string_equal(o->best->candidate->sets[ASPECT_ACCUMULATE],
                        "training.micro_batches=2");
    g_hash_table_unref(m.kept);
}

/* Kernels of a program with gaps between them. */
static ConfigDoc *open_program(gpointer self, GError **error)
{
    static const char text[] =
        "platform:\n"
        "  topology: {kind: switch, npus: 4, bandwidth: 1 GB/s, latency: 2 us}\n"
        "  npu: {sms: 8, clock: 1 GHz, flops: 1 TFLOPS,\n"
        "        hbm: {bandwidth: 900 GB/s}}\n"
        "endpoint: {kind: ideal, name: i}\n"
        "workload:\n"
        "  kind: program\n"
        "  name: p\n"
        "  roles:\n"
        "    - name: all\n"
        "      ops:\n"
        "        - {kind: kernel, name: a, time: 100 us}\n"
        "        - {kind: kernel, name: b, time: 100 us, gap: 10 us}\n"
        "        - {kind: kernel, name: c, time: 100 us, gap: 20 us, after: [b]}\n"
        "        - {kind: collective, name: s, collective: all-reduce, "
        "bytes: 1 kB, after: [c]}\n"
        "        - {kind: kernel, name: d, time: 100 us, gap: 5 us, after: [s]}\n"
        "training: {compute: measured, iterations: 1}\n";

    (void)self;
    return config_doc_parse("run.yaml", text, strlen(text), error);
}

static void test_kernels_that_nobody_parts_become_one(void **state)
{
    const Move *list[2];
    Maker m;
    OptimiseTask task = task_of(&m, only(list, "operators"), 40);
    g_autoptr(Optimised) o = NULL;

    (void)state;
    task.maker.open = open_program;
    o = run(&task);
    assert_int_equal(o->begin->time_ps - o->best->time_ps,
                     30 * UINT64_C(1000000));
    assert_non_null(strstr(o->best->text, "workload.roles.0.ops.1.gap=0 ps"));
    assert_non_null(strstr(o->best->text, "workload.roles.0.ops.2.gap=0 ps"));
    assert_null(strstr(o->best->text, "ops.4.gap"));
    g_hash_table_unref(m.kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_end_with_the_best_of_all_that_there_are),
        cmocka_unit_test(test_no_move_ends_with_more_than_the_default),
        cmocka_unit_test(test_what_is_written_takes_what_was_found),
        cmocka_unit_test(test_who_is_done_first_does_not_matter),
        cmocka_unit_test(test_a_search_that_goes_on_ends_as_one_in_one_go),
        cmocka_unit_test(test_what_is_interrupted_keeps_what_it_has),
        cmocka_unit_test(test_a_move_with_mistakes_is_caught),
        cmocka_unit_test(test_what_needs_too_much_memory_is_refused),
        cmocka_unit_test(test_memory_is_saved_by_parts_of_a_batch_or_by_time),
        cmocka_unit_test(test_what_does_not_fit_is_made_to),
        cmocka_unit_test(test_kernels_that_nobody_parts_become_one),
    };

    return cmocka_run_group_tests_name("optimise", tests, NULL, NULL);
}
