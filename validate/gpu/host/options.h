/*
 * options.h - the command line of acesim-measure
 *
 * Errors   one line for the user in Options.error
 * Owner    strings are borrowed from
 * argv */
#ifndef VALIDATE_GPU_HOST_OPTIONS_H
#define VALIDATE_GPU_HOST_OPTIONS_H

#include "validate/gpu/host/measured_case.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MIN_REPETITIONS 20
#define MAX_REPETITIONS 1000

typedef struct {
    bool is_quick, wants_check, wants_list, wants_help;
    bool families[N_FAMILIES]; /* The kernel families to measure. */
    bool some_families;        /* TRUE if --family was given. */
    uint32_t repetitions;
    uint32_t n_passes;
    uint64_t seed;
    const char *output; /* The output folder, or a file that ends in .csv. */
    char error[160];    /* The error message; "" if there is no error. */
} Options;

/* Parses the command line into @ret.  Returns false and sets Options.error if
 * an option is invalid. */
bool options_parse(int argc, char **argv, Options *ret);

extern const char options_help[];

#ifdef __cplusplus
}
#endif

#endif
