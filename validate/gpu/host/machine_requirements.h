/*
 * machine_requirements.h - what acesim-measure requires of a machine, and its
 * advice if that is missing
 *
 * The program requires a driver that supports the CUDA version that the program
 * was built with.  It also requires cuBLAS on GPUs on which its own matrix
 * products do not reach the peak of the matrix units.
 *
 * Units    CUDA versions as cudart encodes them: 13.0 is 13000
 * Owner    texts are copied, and truncated if they do not fit
 */
#ifndef VALIDATE_GPU_HOST_MACHINE_REQUIREMENTS_H
#define VALIDATE_GPU_HOST_MACHINE_REQUIREMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "validate/gpu/host/measured_case.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NEEDS_TEXT_SIZE 256

/* Returns the first driver branch that runs programs of CUDA @major.x, such as
 * 580 for "R580".  Returns 0 if it is not known. */
int minimum_driver_of_cuda(int major);

/* Writes why programs of CUDA @runtime do not run with a driver that supports
 * CUDA @driver, and what to do.  Writes "" if they run.  @driver is 0 if there
 * is no driver. */
void write_driver_advice(int runtime, int driver, char ret[NEEDS_TEXT_SIZE]);

/* Returns whether only cuBLAS can reach the peak of the matrix units.  That is
 * so from compute capability 9.0 on: the peak needs instructions that the WMMA
 * products of this program do not use. */
bool gpu_needs_cublas_library(int compute_major);

/* Returns the text of the column `caveat` for a row of @kernel.  "no-cublas"
 * marks a product of this program on a GPU that needs cuBLAS but lacks it: the
 * row does not show the peak.  Returns "" otherwise. */
const char *measurement_caveat_of_kernel(Kernel kernel, int compute_major,
                                         bool has_cublas);

#define NEEDS_PLACES     48
#define NEEDS_PLACE_SIZE 512

typedef struct {
    char paths[NEEDS_PLACES][NEEDS_PLACE_SIZE];
    size_t n;
} NeedsPlaces;

/* Lists the places to search for libcublas, in this order: the search path of
 * the loader, @cuda_home, the usual folders of toolkits, the Python packages of
 * @python_home (see find_python_home()), and those of the system.  A folder
 * that is NULL is skipped.  Entries other than those for the loader are
 * existing files. */
void find_folders_with_cublas(const char *cuda_home, const char *python_home,
                              NeedsPlaces *ret);

/* Writes the folder of the Python that runs as python3 (its sys.prefix: that of
 * a virtual environment, or of the installation) to @ret.  Returns false if
 * none runs.  Python is asked, because python3 may be a script that chooses an
 * installation, whose place does not show the folder. */
bool find_python_home(char ret[NEEDS_PLACE_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
