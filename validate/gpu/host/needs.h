/*
 * needs.h - what acesim-measure needs of a machine, and what it says without
 *
 * A driver that knows the CUDA that the program was built with; and cuBLAS
 * where our own products do not show what the matrix units can do.
 *
 * Units    CUDA versions as cudart writes them: 13.0 is 13000
 * Owner    texts are copied, and cut where they do not fit
 */
#ifndef VALIDATE_GPU_HOST_NEEDS_H
#define VALIDATE_GPU_HOST_NEEDS_H

#include "validate/gpu/host/case.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NEEDS_TEXT_SIZE 256

/* The first driver that runs programs of CUDA @major.x, as in "R580"; 0 when
 * it is not known. */
int needs_driver(int major);

/* Why programs of CUDA @runtime do not run with a driver that knows CUDA
 * @driver (0: there is none), and what helps; "" when they do. */
void needs_driver_advice(int runtime, int driver, char ret[NEEDS_TEXT_SIZE]);

/* From compute capability 9.0 on the matrix units give all they have only to
 * instructions that our WMMA products do not use. */
bool needs_cublas(int compute_major);

/* What a row of @kernel is marked with, or "": "no-cublas" is a product of
 * ours where cuBLAS is needed and missing, which shows no peak. */
const char *needs_caveat(Kernel kernel, int compute_major, bool has_cublas);

#define NEEDS_PLACES     48
#define NEEDS_PLACE_SIZE 512

typedef struct {
    char paths[NEEDS_PLACES][NEEDS_PLACE_SIZE];
    size_t n;
} NeedsPlaces;

/* Where libcublas may be, in the order of looking: where the loader looks, in
 * @cuda_home, in toolkits' usual folders, in Python's packages of @python_home
 * (a virtual environment) and of the system.  NULL: there is no such folder.
 * But for the loader's, only what is there. */
void needs_cublas_places(const char *cuda_home, const char *python_home,
                         NeedsPlaces *ret);

#ifdef __cplusplus
}
#endif

#endif
