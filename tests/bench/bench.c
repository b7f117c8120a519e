/*
 * bench.c - benchmarks of the event queue and of whole runs
 *
 * Each case runs in separate processes, several times.  The shortest processor
 * time counts, because noise can only add time.  Peak memory is the largest
 * resident set.  Results go to stdout as CSV, progress to stderr.  The times
 * before the first event and after the last one are reported separately,
 * because they grow with NPUs and links, while the run grows with hops.
 *
 *   queue-hold-N   N pending entries: the first is popped and pushed again
 *                  with a later time; queue-floor is the cost of the loop
 *   others         one 64 MiB all-reduce on an ideal endpoint, in full or
 *                  folded; a hop is one message on one link; growth.py has
 *                  other kinds and topologies
 *
 * `acesim-bench --run FILE` runs one file in full and prints NPUs, hops,
 * seconds of the run, peak KiB, and seconds before and after the run.
 * bench_run() contains exactly the run, so that callgrind can count it alone
 * (--toggle-collect=bench_run).  `acesim-bench --trace FILE` reads a recorded
 * trace
 * once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "models/run/steady/skip_mode.h"
#include "workloads/readers/reader_table.h"

#define HOLD_STEPS 2000000

typedef struct {
    double seconds;
    /* The time includes building the system and adding up its counters. */
    double build_s;
    uint64_t n_hops;
    uint32_t n_npus, n_simulated;
} Measure;

typedef struct {
    const char *name;
    /* The text gives the sizes of a torus. NULL means a benchmark of the
     * queue. */
    const char *dims;
    const char *chunk; /* The chunk size is also the size of a message. */
    FoldMode fold;
    guint n_pending; /* The number of entries that the event queue holds. */
    guint n_repeats;
    const char *jitter;
} Case;

static double read_clock_s(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- benchmark of the event queue ---------------------------------------- */

static uint64_t next_random_number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1;
    return *state >> 33;
}

static void measure_event_queue(guint n_pending, Measure *ret)
{
    SimQueue *queue = sim_queue_new();
    uint64_t state = 1, key = 0;
    SimEvent event = { 0 };
    double start_s;

    for (guint i = 0; i < n_pending; i++)
        sim_queue_push(queue, next_random_number(&state) % 1000000, NULL, NULL,
                       i);
    start_s = read_clock_s();
    for (guint i = 0; i < HOLD_STEPS; i++) {
        uint64_t ahead = next_random_number(&state) % 1000000;

        if (n_pending == 0) {
            key += ahead;
            continue;
        }
        (void)sim_queue_pop(queue, &event);
        sim_queue_push(queue, event.key + ahead, NULL, NULL, event.arg);
    }
    ret->seconds = read_clock_s() - start_s;
    ret->n_hops = HOLD_STEPS;
    sim_queue_free(queue);
    if (key == 1)
        /* The call keeps the compiler from removing the loop of the case
         * queue-floor. */
        (void)fputs("", stderr);
}

/* ---- benchmark of whole runs --------------------------------------------- */

static char *benchmark_config_path(const Case *c)
{
    GString *text = g_string_new("platform: {topology: {kind: torus, dims: [");
    g_auto(GStrv) sizes = g_strsplit(c->dims, "x", -1);

    for (guint i = 0; sizes[i]; i++)
        g_string_append_printf(
            text, "%s{size: %s, links: 2, bandwidth: 50 GB/s, latency: 500 ns}",
            i > 0 ? ", " : "", sizes[i]);
    g_string_append_printf(
        text,
        "]}, npu: {sms: 80, clock: 1 GHz, flops: 100 TFLOPS, "
        "hbm: {bandwidth: 900 GB/s}}}\n"
        "endpoint: {kind: ideal}\n"
        "training: {iterations: 1}\n"
        "collectives: {chunk: %s, message: %s}\n"
        "perturb: {jitter: %s}\n",
        c->chunk, c->chunk, c->jitter ? c->jitter : "0 %");
    g_string_append(
        text, c->jitter ? "workload: {kind: data-parallel, name: w, batch: 1, "
                          "layers: [{kind: linear, name: a, in: 4096, "
                          "out: 8192}]}\n"
                        : "workload: {kind: collective, name: w, "
                          "collective: all-reduce, payload: 64 MiB}\n");
    return g_string_free(text, FALSE);
}

static void print_error_and_exit(const GError *error)
{
    (void)fprintf(stderr, "bench: %s\n", error->message);
    exit(1);
}

gboolean bench_run(System *system, GError **error);

/* A separate function, so that profilers find it by its name. */
__attribute__((noipa)) gboolean bench_run(System *system, GError **error)
{
    return system_run(system, error);
}

static void measure_simulation_of_config(ConfigDoc *doc, FoldMode fold,
                                         Measure *ret)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(System) system = NULL;
    SystemConfig config;
    SystemResult result;
    double start_s, run_s, end_s;

    if (!config_doc_read(doc, system_fields, &config, &error))
        print_error_and_exit(error);
    start_s = read_clock_s();
    /* The benchmark counts hops, so no iteration may be skipped. */
    system = system_new(&config, (RunOptions){ .fold = fold, .skip = SKIP_OFF },
                        &error);
    run_s = read_clock_s();
    if (!system || !bench_run(system, &error))
        print_error_and_exit(error);
    end_s = read_clock_s();
    result = system_result(system);
    ret->seconds = end_s - run_s;
    ret->build_s = read_clock_s() - end_s + run_s - start_s;
    ret->n_hops = result.n_hops;
    ret->n_npus = result.n_npus;
    ret->n_simulated = result.n_simulated;
}

static void measure_simulation_run(const Case *c, Measure *ret)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = benchmark_config_path(c);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(c->name, text, strlen(text), &error);

    if (!doc)
        print_error_and_exit(error);
    measure_simulation_of_config(doc, c->fold, ret);
}

/* Runs a file in full and prints its figures for scripts. */
static int benchmark_config_file(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc = config_doc_load(path, &error);
    struct rusage usage;
    Measure m;

    if (!doc)
        print_error_and_exit(error);
    measure_simulation_of_config(doc, FOLD_OFF, &m);
    (void)getrusage(RUSAGE_SELF, &usage);
    (void)printf("%u,%" G_GUINT64_FORMAT ",%.6f,%ld,%.6f\n", m.n_npus, m.n_hops,
                 m.seconds, usage.ru_maxrss, m.build_s);
    return 0;
}

/* ---- benchmark cases in child processes ---------------------------------- */

/* Runs one repetition in a child process.  Returns its peak memory in KiB. */
static long measure_case_in_child_process(const Case *c, Measure *ret)
{
    struct rusage usage;
    int pipe_fds[2], status = 0;
    pid_t pid;

    if (pipe(pipe_fds) != 0 || (pid = fork()) < 0) {
        perror("bench");
        exit(1);
    }
    if (pid == 0) {
        Measure measure = { 0 };

        if (c->dims)
            measure_simulation_run(c, &measure);
        else
            measure_event_queue(c->n_pending, &measure);
        _exit(write(pipe_fds[1], &measure, sizeof measure) !=
              (ssize_t)sizeof measure);
    }
    (void)close(pipe_fds[1]);
    if (read(pipe_fds[0], ret, sizeof *ret) != (ssize_t)sizeof *ret ||
        wait4(pid, &status, 0, &usage) != pid || status != 0) {
        (void)fprintf(stderr, "bench: %s failed\n", c->name);
        exit(1);
    }
    (void)close(pipe_fds[0]);
    return usage.ru_maxrss;
}

static void benchmark_case(const Case *c)
{
    Measure best = { .seconds = 1e9 };
    long peak_kib = 0;

    for (guint i = 0; i < c->n_repeats; i++) {
        Measure m;
        long kib = measure_case_in_child_process(c, &m);

        peak_kib = MAX(peak_kib, kib);
        if (m.seconds < best.seconds)
            best = m;
    }
    (void)printf("%s,%u,%u,%" G_GUINT64_FORMAT ",%.6f,%.6f,%.1f,%ld,%ld\n",
                 c->name, best.n_npus, best.n_simulated, best.n_hops,
                 best.build_s, best.seconds,
                 best.seconds * 1e9 / (double)MAX(1, best.n_hops), peak_kib,
                 best.n_npus ? peak_kib * 1024 / (long)best.n_npus : 0);
    (void)fflush(stdout);
    (void)fprintf(stderr, "  %-24s %9.3f ms %8.1f MiB\n", c->name,
                  best.seconds * 1e3, (double)peak_kib / 1024);
}

static const Case cases[] = {
    { .name = "queue-floor", .n_pending = 0, .n_repeats = 5 },
    { .name = "queue-hold-1000", .n_pending = 1000, .n_repeats = 5 },
    { .name = "queue-hold-100000", .n_pending = 100000, .n_repeats = 5 },
    { .name = "queue-hold-1000000", .n_pending = 1000000, .n_repeats = 3 },
    { "ring-1024-full", "1024", "64 MiB", FOLD_OFF, 0, 5, NULL },
    { "ring-1024-folded", "1024", "64 MiB", FOLD_REQUIRE, 0, 5, NULL },
    { "ring-1024-jitter", "1024", "64 MiB", FOLD_OFF, 0, 5, "1 %" },
    { "16x16x16-full", "16x16x16", "16 MiB", FOLD_OFF, 0, 5, NULL },
    { "16x16x16-folded", "16x16x16", "16 MiB", FOLD_REQUIRE, 0, 5, NULL },
    { "16x16x16-jitter", "16x16x16", "16 MiB", FOLD_OFF, 0, 5, "1 %" },
    { "16x8x8-full", "16x8x8", "1 MiB", FOLD_OFF, 0, 3, NULL },
    { "16x8x8-folded", "16x8x8", "1 MiB", FOLD_REQUIRE, 0, 5, NULL },
    { "16x8x8-jitter", "16x8x8", "1 MiB", FOLD_OFF, 0, 3, "1 %" },
    { "16x16x16-64-chunks-full", "16x16x16", "1 MiB", FOLD_OFF, 0, 1, NULL },
    { "32x32x32-full", "32x32x32", "64 MiB", FOLD_OFF, 0, 3, NULL },
    { "4x2x2-64-chunks-folded", "4x2x2", "1 MiB", FOLD_REQUIRE, 0, 5, NULL },
    { "16x16x16-64-chunks-folded", "16x16x16", "1 MiB", FOLD_REQUIRE, 0, 5,
      NULL },
    { "64x64x64-64-chunks-folded", "64x64x64", "1 MiB", FOLD_REQUIRE, 0, 5,
      NULL },
    { "64x128x128-64-chunks-folded", "64x128x128", "1 MiB", FOLD_REQUIRE, 0, 5,
      NULL },
};

/* ---- benchmark of trace readers ------------------------------------------ */

/* Measures a trace reader alone, without the passes that follow. */
static int benchmark_trace_reader(const char *path)
{
    const ReadOptions options = { 0 };
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(GError) error = NULL;
    g_autoptr(Source) source = source_open(path, &error);
    double begin_s = read_clock_s(), seconds;
    struct rusage usage;
    uint64_t n_nodes = 0;

    if (!source ||
        !read_recording_file(READ_AUTO, source, &options, recording, &error)) {
        (void)fprintf(stderr, "%s\n", error->message);
        return 1;
    }
    seconds = read_clock_s() - begin_s;
    (void)getrusage(RUSAGE_SELF, &usage);
    for (guint i = 0; i < recording->ranks->len; i++)
        n_nodes += record_rank(recording, i)->nodes->len;
    (void)printf("trace_mb,n_nodes,s,mb_per_s,user_s,peak_kib\n");
    (void)printf("%.1f,%" G_GUINT64_FORMAT ",%.2f,%.1f,%.2f,%ld\n",
                 (double)source_offset(source) * 1e-6, n_nodes, seconds,
                 (double)source_offset(source) * 1e-6 / seconds,
                 (double)usage.ru_utime.tv_sec +
                     (double)usage.ru_utime.tv_usec * 1e-6,
                 usage.ru_maxrss);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--trace") == 0)
        return benchmark_trace_reader(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--run") == 0)
        return benchmark_config_file(argv[2]);
    (void)printf(
        "case,n_npus,n_simulated,n_hops,build_s,run_s,ns_per_hop,peak_kib,"
        "bytes_per_npu\n");
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        if (argc < 2 || strstr(cases[i].name, argv[1]))
            benchmark_case(&cases[i]);
    return 0;
}
