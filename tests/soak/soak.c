/*
 * soak.c - runs random systems and checks invariants that hold for all of them
 *
 *     acesim-soak FIRST [N]     seeds FIRST .. FIRST + N - 1
 *     acesim-soak -v SEED       one seed, with its run file and all runs
 *     acesim-soak -d FIRST [N]  default settings, comparisons of
 *                               improvements only; variants of -d:
 *                               -g: with given sizes, see soak_case.h
 *                               -k: with the sizes chosen without improvement
 *                               -l: with splits by `latency`
 *
 * For each system: the run ends (conservation is asserted inside).  Folded, in
 * full with data carried along, and repeated runs have the same result.
 * Kernels, links and bytes respect the bounds of soak_bounds.h.  A change that
 * can only help does not make it slower by more than the anomaly bound of
 * soak_improvements.h.
 *
 * Cases run in a child process.  If a case crashes or hangs, its seed is
 * reported and the next seed is
 * run. */
#include "tests/soak/soak_check.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* The limit of processor time. A case takes 40 ms, or ten times as much with
 * sanitizers. */
#define MAX_SECONDS 120

/* ---- child processes of the soak test ------------------------------------ */

/* Runs seeds in a child process until @end, or until a seed ends the child. */
static void run_soak_child(Soak *soak, uint64_t end)
{
    const struct itimerval limit = { .it_value.tv_sec = MAX_SECONDS };
    int status = 0;
    pid_t pid;

    (void)fflush(stdout);
    pid = fork();
    if (pid < 0) {
        perror("acesim-soak");
        exit(1);
    }
    if (pid == 0) {
        for (; soak->seed < end; soak->seed++) {
            (void)setitimer(ITIMER_VIRTUAL, &limit, NULL);
            soak_check_case(soak);
        }
        exit(0);
    }
    if (waitpid(pid, &status, 0) != pid) {
        perror("acesim-soak");
        exit(1);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    if (WIFSIGNALED(status))
        soak_report_failure(soak,
                            WTERMSIG(status) == SIGVTALRM
                                ? "hangs: signal %d"
                                : "crashes: signal %d",
                            WTERMSIG(status));
    else
        soak_report_failure(soak, "crashes: exit status %d",
                            WEXITSTATUS(status));
    soak->seed++;
}

/* Prints the comparisons.  Returns FALSE if too many runs of a kind are
 * slower. */
static gboolean report_unhelpful_improvements(const Soak *soak)
{
    gboolean ok = TRUE;

    (void)printf("%-28s %8s %8s %8s %8s %10s %8s\n", "what can only help",
                 "runs", "slower", "by 1 %", "by 2 %", "worst ppm", "seed");
    for (gsize i = 0; i < SOAK_N_IMPROVEMENTS; i++) {
        const Tally *t = &soak->tallies[i];

        (void)printf("%-28s %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT
                     " %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT
                     " %10.0f %8" G_GUINT64_FORMAT "\n",
                     soak_improvements[i].name, t->n_runs, t->n_slower,
                     t->n_many, t->n_much, t->worst_ppm, t->worst_seed);
        /* The constant allows a few slow runs even if there are few runs. */
        if (1000 * t->n_many > SOAK_NOTABLE_MAX_PER_MILLE * t->n_runs + 5000) {
            (void)printf("too many runs are slower by more than %d ppm\n",
                         SOAK_NOTABLE_PPM);
            ok = FALSE;
        }
    }
    return ok;
}

static gboolean report_soak_progress(const Soak *soak, uint64_t n_seeds)
{
    gboolean ok = report_unhelpful_improvements(soak);

    (void)printf(U " seeds: " U " cases, " U " refused; " U
                   " folded and in full, " U " by several threads, " U
                   " with a closed form, " U " comparisons of chains; " U
                   " runs, " U " failures\n",
                 n_seeds, soak->n_cases, soak->n_refused, soak->n_folded,
                 soak->n_divided, soak->n_exact, soak->n_chains, soak->n_runs,
                 soak->n_failed);
    return ok && soak->n_failed == 0 && 100 * soak->n_refused <= n_seeds;
}

int main(int argc, char **argv)
{
    Soak options = { .program = argv[0] };
    uint64_t first, n;
    Soak *soak;
    int option;

    while ((option = getopt(argc, argv, "vdgkl")) != -1) {
        options.verbose |= option == 'v';
        options.defaults |= option != 'v';
        if (option == 'g')
            options.variant = SOAK_SIZES_GIVEN;
        if (option == 'k')
            options.variant = SOAK_SIZES_KEPT;
        if (option == 'l')
            options.variant = SOAK_SPLIT_BY_LATENCY;
    }
    if (optind == argc) {
        (void)fprintf(
            stderr, "usage: acesim-soak [-v] [-d | -g | -k | -l] FIRST [N]\n");
        return 2;
    }
    first = g_ascii_strtoull(argv[optind], NULL, 10);
    n = argv[optind + 1] ? g_ascii_strtoull(argv[optind + 1], NULL, 10) : 1;
    soak = mmap(NULL, sizeof *soak, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (soak == MAP_FAILED) {
        perror("acesim-soak");
        return 1;
    }
    *soak = options;
    soak->seed = first;
    while (soak->seed < first + n)
        run_soak_child(soak, first + n);
    return report_soak_progress(soak, n) ? 0 : 1;
}
