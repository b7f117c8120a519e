/* Tests of sim/host/background_worker.h: a child that works in parallel, and
 * what-ifs that it runs */
#include "tests/test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/host/background_worker.h"
#include "sim/host/interrupt.h"
#include "sim/host/process_pool.h"
#include "sim/study/load_run_file.h"
#include "sim/study/what_ifs.h"
#include "sim/sweep/run_many_pool.h"

/* ---- pieces of work for a background worker ------------------------------ */

typedef struct {
    /* The counter of started pieces, shared between the processes. */
    volatile guint *begun;
    volatile guint *until; /* The pieces from this shared number on block. */
    guint n_done;
    GString *texts; /* The struct owns this memory. */
} WorkPieces;

static void write_piece_result(gpointer self, guint piece, GString *out)
{
    const WorkPieces *p = self;

    *p->begun = piece + 1;
    while (piece >= *p->until)
        g_usleep(1000);
    if (piece == 7)
        raise(SIGKILL);
    g_string_append_printf(out, "%u of %d\n", piece, getpid());
}

static void record_result_of_piece(gpointer self, guint piece,
                                   const GString *text)
{
    WorkPieces *p = self;

    assert_int_equal(piece, p->n_done);
    assert_int_equal(g_ascii_strtoull(text->str, NULL, 10), piece);
    g_string_append(p->texts, text->str);
    p->n_done++;
}

static void work_pieces_init(WorkPieces *p, guint until)
{
    guint *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(shared, MAP_FAILED);
    *p = (WorkPieces){ shared, shared + 1, 0, g_string_new(NULL) };
    *p->until = until;
}

static void work_pieces_clear(WorkPieces *p)
{
    munmap((gpointer)p->begun, 4096);
    g_string_free(p->texts, TRUE);
}

static void wait_until_pieces_begun(const WorkPieces *p, guint n)
{
    for (guint i = 0; *p->begun < n; i++) {
        assert_true(i < 30000);
        g_usleep(1000);
    }
}

static void take_finished_pieces(BackgroundWorker *worker, WorkPieces *p)
{
    while (background_worker_receive_result(worker, record_result_of_piece, p))
        ;
}

static void
a_stopped_background_worker_finishes_only_started_pieces(void **state)
{
    BackgroundWorker *worker;
    WorkPieces p;

    (void)state;
    work_pieces_init(&p, 2);
    worker = background_worker_start(5, write_piece_result, &p);
    assert_non_null(worker);
    wait_until_pieces_begun(&p, 3);
    assert_int_equal(background_worker_stop(worker), 3);
    *p.until = 5;
    take_finished_pieces(worker, &p);
    assert_int_equal(p.n_done, 3);
    assert_int_equal(*p.begun, 3);
    background_worker_free(worker);
    work_pieces_clear(&p);
}

static void a_background_worker_does_all_pieces_in_order(void **state)
{
    g_autofree char *here = g_strdup_printf(" of %d\n", getpid());
    BackgroundWorker *worker;
    WorkPieces p;

    (void)state;
    work_pieces_init(&p, 5);
    worker = background_worker_start(5, write_piece_result, &p);
    wait_until_pieces_begun(&p, 5);
    assert_int_equal(background_worker_stop(worker), 5);
    take_finished_pieces(worker, &p);
    assert_int_equal(p.n_done, 5);
    assert_null(strstr(p.texts->str, here));
    background_worker_free(worker);
    work_pieces_clear(&p);
}

static void results_of_a_dead_background_worker_are_kept(void **state)
{
    BackgroundWorker *worker;
    WorkPieces p;

    (void)state;
    work_pieces_init(&p, 20);
    worker = background_worker_start(20, write_piece_result, &p);
    wait_until_pieces_begun(&p, 8);
    (void)background_worker_stop(worker);
    take_finished_pieces(worker, &p);
    assert_int_equal(p.n_done, 7);
    background_worker_free(worker);
    work_pieces_clear(&p);
}

static void a_busy_background_worker_is_killed(void **state)
{
    BackgroundWorker *worker;
    WorkPieces p;

    (void)state;
    work_pieces_init(&p, 0);
    worker = background_worker_start(1, write_piece_result, &p);
    wait_until_pieces_begun(&p, 1);
    background_worker_free(worker); /* The call would block if the child process
                                       were not killed. */
    background_worker_free(NULL);
    work_pieces_clear(&p);
}

/* ---- signals while a pool waits ------------------------------------------ */

/* The pointer is global because the callback of a pool has no other access to
 * it. */
static BackgroundWorker *waited_for;

static void fail_if_worked_on(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)point;
    (void)out;
}

static void fail_if_done(gpointer self, guint point, const GString *text,
                         const char *reason)
{
    (void)self;
    (void)point;
    (void)text;
    (void)reason;
}

static gboolean take_first_piece(gpointer self, guint *n_points)
{
    (void)n_points;
    assert_false(background_worker_receive_result(
        waited_for, record_result_of_piece, self));
    return FALSE;
}

/* Runs a pool in a child process; its caller waits for a piece that never
 * ends. */
static void run_pool_until_blocked(WorkPieces *p)
{
    const ProcessPool pool = { .n_points = 1,
                               .n_jobs = 2,
                               .work = fail_if_worked_on,
                               .point_ended = fail_if_done,
                               .find_more_points = take_first_piece,
                               .self = p };
    int number;

    waited_for = background_worker_start(1, write_piece_result, p);
    wait_until_pieces_begun(p, 1);
    number = pool_run(&pool);
    background_worker_free(waited_for);
    _exit(number);
}

static gboolean process_ends_within(pid_t pid, gint64 us, int *ret_status)
{
    gint64 end_us = g_get_monotonic_time() + us;

    while (waitpid(pid, ret_status, WNOHANG) == 0) {
        g_usleep(1000);
        if (g_get_monotonic_time() > end_us)
            kill(pid, SIGKILL);
    }
    return g_get_monotonic_time() <= end_us;
}

/* The deadline is generous, because a busy machine may be ten times slower. */
static void a_signal_ends_the_wait_of_a_pool_for_a_worker(void **state)
{
    int status = 0;
    pid_t pid;
    WorkPieces p;

    (void)state;
    work_pieces_init(&p, 0);
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        run_pool_until_blocked(&p);
    wait_until_pieces_begun(&p, 1);
    g_usleep(100000); /* The pause gives the process time to start waiting. */
    kill(pid, SIGTERM);
    assert_true(process_ends_within(pid, 10 * G_USEC_PER_SEC, &status));
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == SIGTERM ||
                WEXITSTATUS(status) == INTERRUPT_STATUS + SIGTERM);
    work_pieces_clear(&p);
}

/* ---- what-ifs in a background worker ------------------------------------- */

/* Implements RunAhead without a child: runs the pieces immediately, up to
 * number .n, and loses the result of number .lost. */
typedef struct {
    RunMany many;
    guint n, lost;
} BackgroundTwin;

static BackgroundTwin twin;

static gpointer background_twin_begin(const RunMany *many)
{
    twin.many = *many;
    return &twin;
}

static guint background_twin_stop(gpointer ahead)
{
    const BackgroundTwin *d = ahead;

    return d->n;
}

static void background_twin_take(const BackgroundTwin *d, RunAheadFn take,
                                 gpointer self)
{
    for (guint i = 0; i < d->n && i != d->lost; i++) {
        g_autoptr(GString) text = g_string_new(NULL);

        d->many.work(d->many.self, i, text);
        take(self, i, text);
    }
    take(self, 0, NULL);
}

static guint n_pieces; /* The number of pieces that the RunManyFn was given. */

static gboolean count_requested_runs(const RunMany *many, GError **error)
{
    RunMany counted = *many;
    guint n = many->n;

    while (many->find_more_pieces && many->find_more_pieces(many->self, &n) &&
           n > many->n)
        ;
    counted.n = n;
    n_pieces = n;
    counted.find_more_pieces = NULL;
    return run_many_in_process(&counted, error);
}

static gboolean background_twin_run_many(gpointer ahead, RunAheadFn take,
                                         const RunMany *many, GError **error)
{
    background_twin_take(ahead, take, many->self);
    return count_requested_runs(many, error);
}

static void background_twin_free(gpointer ahead)
{
    (void)ahead;
}

static const RunAhead twin_ahead = { background_twin_begin,
                                     background_twin_stop,
                                     background_twin_run_many,
                                     background_twin_free };

static void add_override_set(GArray *all, const char *set)
{
    WhatIf what_if = { .name = g_strdup(set), .sets = g_new0(char *, 2) };

    what_if.sets[0] = g_strdup(set);
    g_array_append_val(all, what_if);
}

/* Starts the last @n runs ahead, of which number @lost has no result.  With
 * @proved, the result of number 2 is already known by then.  Returns how many
 * runs were left for the RunManyFn. */
static guint run_what_ifs_in_background(guint n, guint lost, gboolean proved,
                                        SimTime *ret_ps)
{
    g_autofree char *path =
        g_build_filename(g_getenv("SRCDIR"), "configs/runs/isca21.yaml", NULL);
    char *none[] = { NULL };
    const WhatIfSource from = { .path = path,
                                .sets = none,
                                .run_many = count_requested_runs,
                                .ahead = &twin_ahead };
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(WhatIf));
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(WhatIfs) what_ifs = what_ifs_new(&from, all);
    GError *error = NULL;

    g_array_set_clear_func(all, what_if_clear);
    add_override_set(all, "endpoint.memory_bandwidth=64 GB/s");
    add_override_set(all, "endpoint.fsms=8");
    add_override_set(all, "training.iterations=1");
    for (guint i = all->len; i > 0; i--) {
        guint number = i - 1;

        g_array_append_val(numbers, number);
    }
    twin = (BackgroundTwin){ .n = n, .lost = lost };
    what_ifs_start_in_background(what_ifs, numbers);
    if (proved) {
        g_array_index(all, WhatIf, 2).method = WHAT_IF_PROVED;
        g_array_index(all, WhatIf, 2).iteration_ps = 1;
    }
    assert_true(what_ifs_run_requested(what_ifs, NULL, &error));
    assert_no_error(error);
    for (guint i = 0; i < all->len; i++) {
        assert_null(g_array_index(all, WhatIf, i).reason);
        ret_ps[i] = g_array_index(all, WhatIf, i).iteration_ps;
    }
    return n_pieces;
}

static void the_process_of_a_what_if_run_does_not_matter(void **state)
{
    SimTime here_ps[3], ps[3];

    (void)state;
    assert_int_equal(run_what_ifs_in_background(0, 9, FALSE, here_ps), 3);
    assert_int_equal(run_what_ifs_in_background(2, 9, FALSE, ps), 1);
    assert_memory_equal(ps, here_ps, sizeof ps);
    assert_int_equal(run_what_ifs_in_background(3, 9, FALSE, ps), 0);
    assert_memory_equal(ps, here_ps, sizeof ps);
}

static void lost_what_if_runs_are_repeated(void **state)
{
    SimTime here_ps[3], ps[3];

    (void)state;
    (void)run_what_ifs_in_background(0, 9, FALSE, here_ps);
    assert_int_equal(run_what_ifs_in_background(3, 1, FALSE, ps), 2);
    assert_memory_equal(ps, here_ps, sizeof ps);
}

static void a_proved_what_if_keeps_its_result(void **state)
{
    SimTime ps[3];

    (void)state;
    assert_int_equal(run_what_ifs_in_background(2, 9, TRUE, ps), 1);
    assert_int_equal(ps[2], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_stopped_background_worker_finishes_only_started_pieces),
        cmocka_unit_test(a_background_worker_does_all_pieces_in_order),
        cmocka_unit_test(results_of_a_dead_background_worker_are_kept),
        cmocka_unit_test(a_busy_background_worker_is_killed),
        cmocka_unit_test(a_signal_ends_the_wait_of_a_pool_for_a_worker),
        cmocka_unit_test(the_process_of_a_what_if_run_does_not_matter),
        cmocka_unit_test(lost_what_if_runs_are_repeated),
        cmocka_unit_test(a_proved_what_if_keeps_its_result),
    };

    return cmocka_run_group_tests_name("ahead", tests, NULL, NULL);
}
