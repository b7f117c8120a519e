/*
 * options.h - the command line of acesim-measure
 *
 * Errors   one line in Options.error, as the user shall read it
 * Owner    strings are borrowed from argv
 */
#ifndef VALIDATE_GPU_HOST_OPTIONS_H
#define VALIDATE_GPU_HOST_OPTIONS_H

#include "validate/gpu/host/case.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MIN_REPETITIONS 20
#define MAX_REPETITIONS 1000

typedef struct {
    bool is_quick, wants_check, wants_list, wants_help;
    bool families[N_FAMILIES]; /* which to measure */
    bool some_families;        /* --family chose */
    uint32_t repetitions;
    uint32_t n_passes;
    uint64_t seed;
    const char *output; /* folder, or a file that ends in .csv */
    char error[160];    /* "" when all is well */
} Options;

/* False, with an error, when @argv is no command line of ours. */
bool options_parse(int argc, char **argv, Options *ret);

extern const char options_help[];

#ifdef __cplusplus
}
#endif

#endif
