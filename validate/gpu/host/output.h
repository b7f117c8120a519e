/*
 * output.h - the two files of a run: the table as it grows, then the record
 *
 * Rows go to NAME.csv.tmp and are flushed one by one; output_close() gives
 * the files their names.  A run that is killed leaves the .tmp file behind,
 * and what stood under the name before stays.
 *
 * Errors   one line in Output.error
 * Owner    output_close() or output_drop() closes the files
 */
#ifndef VALIDATE_GPU_HOST_OUTPUT_H
#define VALIDATE_GPU_HOST_OUTPUT_H

#include <stdio.h>

#include "validate/gpu/host/case.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OUTPUT_PATH_SIZE 4096

typedef struct {
    char csv_path[OUTPUT_PATH_SIZE], json_path[OUTPUT_PATH_SIZE];
    char csv_tmp[OUTPUT_PATH_SIZE], json_tmp[OUTPUT_PATH_SIZE];
    char error[OUTPUT_PATH_SIZE + 80];
    FILE *csv, *json;
} Output;

/* "NVIDIA A100-SXM4-80GB" becomes a100-sxm4-80gb. */
void output_slug(const char *device_name, char *ret, size_t size);

/* Where the files go when @target is what -o says: a file when it ends in
 * .csv, else a folder.  False when the name is too long. */
bool output_place(Output *output, const char *target, const char *device_name,
                  bool is_whole);

/* Makes the last folder of the path where it is missing, opens the temporary
 * files and writes the table's header. */
bool output_open(Output *output);

/* Until this has returned true, what was written may be lost with the
 * machine; later it is not. */
bool output_sync(Output *output);

/* Gives both files, complete by now, their names. */
bool output_close(Output *output);

/* Removes the temporary files. */
void output_drop(Output *output);

#ifdef __cplusplus
}
#endif

#endif
