/* Tests of sim/host/memory_limits.h: a process that runs out of memory reports
 * it */
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/host/memory_limits.h"
#include "sim/host/output.h"
#include "tests/test.h"

G_GNUC_NORETURN
static void run_with_little_memory(const char *path, int fd)
{
    g_autofree char *temporary = NULL;

    dup2(fd, STDERR_FILENO);
    /* The default action replaces the signal handlers of cmocka and of
     * sanitizers. */
    signal(SIGSEGV, SIG_DFL);
    memory_report_exhaustion();
    if (output_open_temporary(path, &temporary) < 0)
        _exit(2);
    g_free(g_malloc(G_MAXSIZE / 4));
    _exit(3);
}

static void test_out_of_memory_is_one_line_and_leaves_no_file(void **state)
{
    g_autofree char *folder = g_dir_make_tmp("acesim-memory-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "out", NULL);
    char text[256] = "";
    int fds[2], status;
    ssize_t n;
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(fds), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        run_with_little_memory(path, fds[1]);
    close(fds[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    n = read(fds[0], text, sizeof text - 1);
    close(fds[0]);
    assert_true(n > 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), MEMORY_REPORTED_STATUS);
    assert_true(g_str_has_suffix(text, "out of memory\n"));
    /* The removal succeeds only if the folder is empty. */
    assert_int_equal(g_rmdir(folder), 0);
}

/* The test provokes a failed allocation, so AddressSanitizer must return
 * NULL. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:detect_leaks=0";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_out_of_memory_is_one_line_and_leaves_no_file),
    };

    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
