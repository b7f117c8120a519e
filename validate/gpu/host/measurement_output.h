/*
 * measurement_output.h - the two files of a run: the CSV table, and the JSON
 * record
 *
 * Rows go to NAME.csv.tmp and are flushed one by one.  output_close() renames
 * the files to their final names.  A run that is killed leaves the .tmp file
 * behind, and an older file of the final name stays unchanged.
 *
 * Errors   one line in Output.error
 * Owner    output_close() or output_discard() closes the files
 */
#ifndef VALIDATE_GPU_HOST_MEASUREMENT_OUTPUT_H
#define VALIDATE_GPU_HOST_MEASUREMENT_OUTPUT_H

#include <stdio.h>

#include "validate/gpu/host/measured_case.h"

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

/* Writes the start of the file name for a device: the name of its NPU in
 * validate/data/gpus.csv if that is known ("NVIDIA H100 80GB HBM3" becomes
 * h100-sxm), and otherwise the model in lower case ("NVIDIA H100 NVL" becomes
 * h100-nvl). */
void output_device_slug(const char *device_name, char *ret, size_t size);

/* Derives the paths of the files from @target, the value of -o.  @target is a
 * file if it ends in .csv, and a folder otherwise.  Returns false if the name
 * is too long. */
bool output_choose_paths(Output *output, const char *target,
                         const char *device_name, bool is_whole);

/* Creates the last folder of the path if it is missing, opens the temporary
 * files and writes the header of the table. */
bool output_open(Output *output);

/* Writes the table to the disk.  After it has returned true, a crash of the
 * machine no longer loses the rows written so far. */
bool output_sync(Output *output);

/* Closes both files, which must be complete, and gives them their final
 * names. */
bool output_close(Output *output);

/* Closes and removes the temporary files. */
void output_discard(Output *output);

#ifdef __cplusplus
}
#endif

#endif
