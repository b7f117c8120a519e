/* describe_device.cuh - fills the record with the device, the software and the
 * command */
#ifndef VALIDATE_GPU_LAB_DESCRIBE_CUH
#define VALIDATE_GPU_LAB_DESCRIBE_CUH

#include "validate/gpu/host/measurement_record.h"
#include "validate/gpu/host/options.h"
#include "validate/gpu/measure/gpu_context.cuh"
#include "validate/gpu/measure/nvml_clocks.cuh"

/* Returns the command line without the folders of this machine. */
std::string command_line(int argc, char **argv);

/* Fill the fields of the record about the device, and about the run. */
void describe_device(const GpuContext &gpu, const Nvml &nvml, Record *record);
void describe_run(const Options &options, const std::string &command,
                  Record *record);

#endif
