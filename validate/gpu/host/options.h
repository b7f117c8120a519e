/*
 * options.h - the command line of acesim-measure
 *
 * Errors   one line for the user in Options.error
 * Owner    strings are borrowed from argv
 */
#ifndef VALIDATE_GPU_HOST_OPTIONS_H
#define VALIDATE_GPU_HOST_OPTIONS_H

#include "validate/gpu/host/measured_case.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MIN_REPETITIONS 20
#define MAX_REPETITIONS 1000
#define MIN_BUDGET_S    20
#define MAX_BUDGET_S    3600
#define MAX_KEYS        64

typedef struct {
    bool is_quick, wants_check, wants_list, wants_help;
    bool families[N_FAMILIES]; /* The kernel families to measure. */
    bool some_families;        /* TRUE if --family was given. */
    uint32_t repetitions;
    uint32_t n_passes;
    uint32_t budget_s; /* The maximum time of the run; 0 if none is given. */
    uint64_t keys[MAX_KEYS]; /* The keys of the only cases to measure. */
    size_t n_keys;           /* 0 if --keys is not given. */
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
