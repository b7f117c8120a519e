/* machine_requirements.c - checks the driver and finds cuBLAS for
 * acesim-measure */
#include "validate/gpu/host/machine_requirements.h"

#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- minimum driver of a CUDA version ------------------------------------ */

/* Minimum driver of each CUDA version for Linux, from the release notes of the
 * CUDA toolkits. */
static const struct {
    int cuda, driver;
} drivers[] = { { 11, 450 }, { 12, 525 }, { 13, 580 } };

int minimum_driver_of_cuda(int major)
{
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++)
        if (drivers[i].cuda == major)
            return drivers[i].driver;
    return 0;
}

/* All minor versions of one CUDA version run with all drivers of that version,
 * so only the major versions are compared. */
void write_driver_advice(int runtime, int driver, char ret[NEEDS_TEXT_SIZE])
{
    int major = runtime / 1000, least = minimum_driver_of_cuda(major);
    char known[64] = "no driver answers", needed[32] = "a newer driver";
    char other[64] = "";

    ret[0] = '\0';
    if (driver / 1000 >= major)
        return;
    if (driver > 0) {
        (void)snprintf(known, sizeof known, "the driver knows CUDA %d.%d",
                       driver / 1000, driver % 1000 / 10);
        (void)snprintf(other, sizeof other,
                       ", or build with the nvcc of CUDA %d", driver / 1000);
    }
    if (least > 0)
        (void)snprintf(needed, sizeof needed, "driver R%d or newer", least);
    (void)snprintf(ret, NEEDS_TEXT_SIZE,
                   "%s, and this program is of CUDA %d.%d: install %s%s", known,
                   major, runtime % 1000 / 10, needed, other);
}

/* ---- search for the cuBLAS library --------------------------------------- */

bool gpu_needs_cublas_library(int compute_major)
{
    return compute_major >= 9;
}

const char *measurement_caveat_of_kernel(Kernel kernel, int compute_major,
                                         bool has_cublas)
{
    return kernel == KERNEL_GEMM_OWN &&
                   gpu_needs_cublas_library(compute_major) && !has_cublas
               ? "no-cublas"
               : "";
}

static void append_library_folder(NeedsPlaces *places, const char *path)
{
    if (places->n < NEEDS_PLACES)
        (void)snprintf(places->paths[places->n++], NEEDS_PLACE_SIZE, "%s",
                       path);
}

/* Adds all paths that match @home followed by @pattern.  A NULL @home has
 * none. */
static void add_folders_matching_pattern(NeedsPlaces *places, const char *home,
                                         const char *pattern)
{
    char whole[NEEDS_PLACE_SIZE];
    glob_t found;

    if (!home || snprintf(whole, sizeof whole, "%s%s", home, pattern) >=
                     (int)sizeof whole)
        return;
    if (glob(whole, GLOB_BRACE, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            append_library_folder(places, found.gl_pathv[i]);
    globfree(&found);
}

#define LIBRARY "libcublas.so.{13,12}"

void find_folders_with_cublas(const char *cuda_home, const char *python_home,
                              NeedsPlaces *ret)
{
    static const char packages[] =
        "/lib/python3*/{site,dist}-packages/nvidia/*/lib/" LIBRARY;

    ret->n = 0;
    append_library_folder(ret, "libcublas.so.13");
    append_library_folder(ret, "libcublas.so.12");
    append_library_folder(ret, "libcublas.so");
    add_folders_matching_pattern(ret, cuda_home, "/lib64/" LIBRARY);
    add_folders_matching_pattern(ret, "/usr/local",
                                 "/cuda{,-*}/lib64/" LIBRARY);
    add_folders_matching_pattern(ret, python_home, packages);
    add_folders_matching_pattern(ret, "/usr", packages);
    add_folders_matching_pattern(ret, "/usr/local", packages);
}

extern char **environ; /* POSIX declares it in no header. */

/* Starts python3 from PATH, which writes its folder to @to and no errors to
 * the user.  Returns its process, or -1. */
static pid_t start_python_process(int to)
{
    static char name[] = "python3", option[] = "-c";
    static char program[] = "import sys; print(sys.prefix)";
    char *arguments[] = { name, option, program, NULL };
    posix_spawn_file_actions_t actions;
    pid_t process = -1;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    if (posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO) != 0 ||
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                         O_WRONLY, 0) != 0 ||
        posix_spawnp(&process, name, &actions, NULL, arguments, environ) != 0)
        process = -1;
    (void)posix_spawn_file_actions_destroy(&actions);
    return process;
}

bool find_python_home(char ret[NEEDS_PLACE_SIZE])
{
    int ends[2], status = -1;
    FILE *answer;
    pid_t python;

    ret[0] = '\0';
    if (pipe(ends) != 0)
        return false;
    python = start_python_process(ends[1]);
    (void)close(ends[1]);
    answer = fdopen(ends[0], "r");
    if (!answer)
        (void)close(ends[0]);
    else if (!fgets(ret, NEEDS_PLACE_SIZE, answer))
        ret[0] = '\0';
    if (answer)
        (void)fclose(answer);
    if (python < 0 || waitpid(python, &status, 0) != python || status != 0)
        return false;
    ret[strcspn(ret, "\n")] = '\0';
    return ret[0] == '/';
}
