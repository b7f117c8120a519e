/* Tests of sim/sweep/shard: claims of blocks, and the folder lock on a file
 * system without locks */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/sweep/journal.h"
#include "sim/sweep/shard/claim_paths.h"
#include "sim/sweep/shard/folder_lock.h"
#include "sim/sweep/shard/point_blocks.h"
#include "tests/sim/shard/lock_holder_fixture.h"

/* The points of the sweep, which workers claim in blocks of three. */
#define N_POINTS  5000
#define N_WORKERS 4
#define STALE_US  (60 * G_USEC_PER_SEC)

typedef struct {
    char *folder, *claims; /* The struct owns this memory. */
} Place;

static int setup(void **state)
{
    Place *place = g_new0(Place, 1);

    place->folder = g_dir_make_tmp("acesim-shard-XXXXXX", NULL);
    place->claims = g_build_filename(place->folder, "claims/x-y", NULL);
    *state = place;
    return g_mkdir_with_parents(place->claims, 0777);
}

static int teardown(void **state)
{
    Place *place = *state;

    claim_paths_remove_all(place->folder);
    assert_int_equal(g_rmdir(place->folder), 0);
    g_free(place->folder);
    g_free(place->claims);
    g_free(place);
    return 0;
}

static ClaimClock claim_clock_of_worker(const Place *place)
{
    ClaimClock clock = { 0 };

    assert_int_equal(touch_claim_file(place->claims, &clock, NULL), CLAIM_OURS);
    return clock;
}

/* ---- claims of blocks ---------------------------------------------------- */

/* Claims blocks until none is left, and writes the number of each point to
 * @fd. */
static void run_claiming_worker(const Place *place, guint index, int fd)
{
    const ClaimClock clock = claim_clock_of_worker(place);
    g_autoptr(PointBlocks) blocks =
        point_blocks_new(place->claims, N_POINTS,
                         (ShardPart){ index, N_WORKERS }, STALE_US, &clock);
    PointBlock block;

    while (point_blocks_claim_next(blocks, &block, NULL) == BLOCKS_CLAIMED)
        for (guint i = 0; i < block.n_points; i++) {
            guint point = block.first + i;

            if (write(fd, &point, sizeof point) != sizeof point)
                _exit(1);
            point_blocks_mark_point_done(blocks, point);
        }
}

static void test_each_point_is_claimed_by_one_worker(void **state)
{
    const Place *place = *state;
    g_autofree guint *n_times = g_new0(guint, N_POINTS);
    int fds[2];
    guint point;

    assert_int_equal(pipe(fds), 0);
    for (guint i = 0; i < N_WORKERS; i++) {
        if (fork() != 0)
            continue;
        run_claiming_worker(place, i, fds[1]);
        _exit(0);
    }
    close(fds[1]);
    while (read(fds[0], &point, sizeof point) == sizeof point)
        n_times[point]++;
    close(fds[0]);
    for (guint i = 0; i < N_WORKERS; i++)
        assert_true(wait(NULL) > 0);
    for (guint i = 0; i < N_POINTS; i++)
        assert_int_equal(n_times[i], 1);
}

static void test_a_released_block_is_taken_over_once(void **state)
{
    const Place *place = *state;
    const ClaimClock clock = claim_clock_of_worker(place);
    const ShardPart all = { 0, 1 };
    g_autoptr(PointBlocks) a =
        point_blocks_new(place->claims, 2, all, STALE_US, &clock);
    g_autoptr(PointBlocks) b =
        point_blocks_new(place->claims, 2, all, STALE_US, &clock);
    g_autoptr(PointBlocks) c =
        point_blocks_new(place->claims, 2, all, STALE_US, &clock);
    PointBlock block;

    assert_int_equal(point_blocks_claim_next(a, &block, NULL), BLOCKS_CLAIMED);
    assert_int_equal(block.first, 0);
    assert_int_equal(point_blocks_claim_next(b, &block, NULL), BLOCKS_CLAIMED);
    assert_int_equal(block.first, 1);
    assert_int_equal(point_blocks_claim_next(c, &block, NULL), BLOCKS_NONE);
    assert_int_equal(point_blocks_count_states(c)->n_open, 2);
    assert_int_equal(point_blocks_count_states(c)->n_unsure, 2);
    point_blocks_release_claims(a);
    assert_int_equal(point_blocks_claim_next(c, &block, NULL), BLOCKS_CLAIMED);
    assert_int_equal(block.first, 0);
    assert_true(block.is_taken_over);
    assert_int_equal(point_blocks_claim_next(b, &block, NULL), BLOCKS_NONE);
    point_blocks_touch_claims(c);
    assert_int_equal(point_blocks_claim_next(b, &block, NULL), BLOCKS_NONE);
    point_blocks_mark_point_done(c, 0);
    point_blocks_mark_point_done(b, 1);
    assert_int_equal(point_blocks_claim_next(a, &block, NULL), BLOCKS_NONE);
    assert_int_equal(point_blocks_count_states(a)->n_open, 0);
}

static gboolean take_block_until_killed(gconstpointer self)
{
    const Place *place = self;
    g_autofree char *who = liveness_own_process_name();
    g_autofree char *path = claim_paths_journal_of(place->folder, who);
    const ClaimClock clock = claim_clock_of_worker(place);
    Journal *journal = journal_lock(path, NULL);
    PointBlocks *blocks = point_blocks_new(
        place->claims, 2, (ShardPart){ 0, 1 }, STALE_US, &clock);
    PointBlock block;

    point_blocks_set_owner(blocks, place->folder, who);
    return journal &&
           point_blocks_claim_next(blocks, &block, NULL) == BLOCKS_CLAIMED;
}

static void test_blocks_of_a_dead_local_process_are_free(void **state)
{
    const Place *place = *state;
    const ClaimClock clock = claim_clock_of_worker(place);
    g_autoptr(PointBlocks) b = point_blocks_new(
        place->claims, 2, (ShardPart){ 0, 1 }, STALE_US, &clock);
    PointBlock block;
    int fd;
    pid_t pid = lock_holder_new(take_block_until_killed, place, &fd);

    point_blocks_set_owner(b, place->folder, "here.1.00000000");
    assert_int_equal(point_blocks_claim_next(b, &block, NULL), BLOCKS_CLAIMED);
    assert_int_equal(block.first, 1);
    assert_int_equal(point_blocks_claim_next(b, &block, NULL), BLOCKS_NONE);
    assert_int_equal(point_blocks_count_states(b)->n_unsure, 1);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(fd);
    assert_int_equal(point_blocks_claim_next(b, &block, NULL), BLOCKS_CLAIMED);
    assert_int_equal(block.first, 0);
    assert_true(block.is_taken_over);
}

/* The other worker may be alive, because it was touched recently. */
static void test_a_process_of_another_machine_may_be_alive(void **state)
{
    const Place *place = *state;
    const ClaimClock clock = claim_clock_of_worker(place);
    g_autoptr(PointBlocks) a = point_blocks_new(
        place->claims, 1, (ShardPart){ 0, 1 }, STALE_US, &clock);
    g_autoptr(PointBlocks) b = point_blocks_new(
        place->claims, 1, (ShardPart){ 0, 1 }, STALE_US, &clock);
    PointBlock block;

    point_blocks_set_owner(a, place->folder, "far-away.7.00000000");
    point_blocks_set_owner(b, place->folder, "here.1.00000000");
    assert_int_equal(point_blocks_claim_next(a, &block, NULL), BLOCKS_CLAIMED);
    assert_int_equal(point_blocks_claim_next(b, &block, NULL), BLOCKS_NONE);
    assert_int_equal(point_blocks_count_states(b)->n_unsure, 1);
}

/* ---- a file system without locks ----------------------------------------- */

/* From now on, F_SETLK and F_GETLK fail with ENOLCK, as on NFS without its lock
 * service.  Returns FALSE if this cannot be done here. */
static gboolean disable_file_locks(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                 offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_SETLK, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_GETLK, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { G_N_ELEMENTS(code), code };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Returns 0 if this process gets the lock, 1 if another has it, 2 if locks
 * cannot be disabled, 3 if the journal could be locked. */
static int try_to_claim_folder(const Place *place, gint64 stale_us)
{
    g_autofree char *path =
        g_build_filename(place->folder, "runs.journal", NULL);
    FolderLocking locking = { .folder = place->folder,
                              .journal = path,
                              .stale_us = stale_us };
    g_autoptr(GError) error = NULL;
    g_autoptr(Journal) journal = NULL;
    FolderLock *lock;

    if (!disable_file_locks())
        return 2;
    journal = journal_lock(path, &error);
    if (!journal || journal_is_locked(journal))
        return 3;
    lock = folder_lock_new(&locking, &error);
    return lock ? 0 : g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_AGAIN);
}

static int exit_status_of_claim(const Place *place, gint64 stale_us)
{
    int status = 0;

    fflush(NULL);
    if (fork() == 0)
        _exit(try_to_claim_folder(place, stale_us));
    assert_true(wait(&status) > 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Starts a process that touches the lock at @path, the first time before this
 * returns. */
static pid_t start_touching_process(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    g_autofree char *inner = g_build_filename(path, g_dir_read_name(dir), NULL);
    pid_t pid = fork();

    while (pid == 0) {
        (void)!touch_claim_file(inner, NULL, NULL);
        g_usleep(100000);
    }
    return pid;
}

static void end_child_process(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_a_folder_is_locked_without_file_locks(void **state)
{
    const Place *place = *state;
    g_autofree char *path =
        g_build_filename(place->folder, "runs.journal", NULL);
    g_autofree char *lock_path =
        g_build_filename(place->folder, "runs.lock", NULL);
    const FolderLocking locking = { .folder = place->folder,
                                    .journal = path,
                                    .has_journal = TRUE,
                                    .stale_us = STALE_US };
    g_autoptr(FolderLock) lock = folder_lock_new(&locking, NULL);
    g_autoptr(FolderLock) again = NULL;
    pid_t toucher = start_touching_process(lock_path);
    int status = exit_status_of_claim(place, STALE_US);

    end_child_process(toucher);
    if (status == 2)
        print_message("# no seccomp here\n");
    else
        assert_int_equal(status, 1);
    /* The process no longer touches the lock. */
    if (status == 1)
        assert_int_equal(exit_status_of_claim(place, G_USEC_PER_SEC), 0);
    /* The process that had the lock ran on this machine and has ended. */
    again = folder_lock_new(&locking, NULL);
    assert_non_null(again);
    g_unlink(path);
}

#define TEST(Name) cmocka_unit_test_setup_teardown(Name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_each_point_is_claimed_by_one_worker),
        TEST(test_a_released_block_is_taken_over_once),
        TEST(test_blocks_of_a_dead_local_process_are_free),
        TEST(test_a_process_of_another_machine_may_be_alive),
        TEST(test_a_folder_is_locked_without_file_locks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
