/*
 * describe.cuh - where a run takes place, for its record
 */
#ifndef VALIDATE_GPU_LAB_DESCRIBE_CUH
#define VALIDATE_GPU_LAB_DESCRIBE_CUH

#include "validate/gpu/host/options.h"
#include "validate/gpu/host/record.h"
#include "validate/gpu/lab/clocks.cuh"
#include "validate/gpu/lab/lab.cuh"

/* The words of the command line, without the folders of this machine. */
std::string command_line(int argc, char **argv);

void describe_device(const Lab &lab, const Nvml &nvml, Record *record);
void describe_run(const Options &options, const std::string &command,
                  Record *record);

#endif
