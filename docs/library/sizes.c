/*
 * sizes.c - what ACE's SRAM is worth, asked of libacesim
 *
 *   cc sizes.c $(pkg-config --cflags --libs acesim) -o sizes
 *   ./sizes configs/runs/isca21.yaml
 */
#include <acesim.h>
#include <stdio.h>
#include <stdlib.h>

static void print_error_and_exit(char *error)
{
    fprintf(stderr, "%s\n", error);
    acesim_free(error);
    exit(1);
}

/* Microseconds of an iteration of @run with so much SRAM. */
static double iteration_us(AcesimRun *run, const char *sram)
{
    AcesimResult *result;
    char *error;
    double us;

    if (!acesim_set(run, "endpoint.sram", sram, &error))
        print_error_and_exit(error);
    result = acesim_simulate(run, &error);
    if (!result || !acesim_number(result, "iteration_time_us", &us, &error))
        print_error_and_exit(error);
    acesim_result_free(result);
    return us;
}

int main(int argc, char **argv)
{
    static const char *const sizes[] = { "512 KiB", "1 MiB", "4 MiB" };
    AcesimRun *run;
    char *error, *least;

    if (argc != 2)
        return 2;
    run = acesim_load(argv[1], &error);
    if (!run)
        print_error_and_exit(error);
    for (int i = 0; i < 3; i++)
        printf("%s: %.3f us\n", sizes[i], iteration_us(run, sizes[i]));
    least = acesim_solve(run, "endpoint.sram", "64 KiB", "4 MiB",
                         "iteration_time_us <= 110 % of ideal", &error);
    if (!least)
        print_error_and_exit(error);
    printf("enough: %s\n", least);
    acesim_free(least);
    acesim_run_free(run);
    return 0;
}
