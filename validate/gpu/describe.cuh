/*
 * describe.cuh - where a run takes place, for its record
 */
#ifndef VALIDATE_GPU_DESCRIBE_CUH
#define VALIDATE_GPU_DESCRIBE_CUH

#include "validate/gpu/clocks.cuh"
#include "validate/gpu/lab.cuh"
#include "validate/gpu/options.h"
#include "validate/gpu/record.h"

/* The words of the command line, without the folders of this machine. */
std::string command_line(int argc, char **argv);

void describe_device(const Lab &lab, const Nvml &nvml, Record *record);
void describe_run(const Options &options, const std::string &command,
                  Record *record);

#endif
