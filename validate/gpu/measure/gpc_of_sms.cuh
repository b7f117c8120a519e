/* gpc_of_sms.cuh - finds out which SMs belong to one GPC */
#ifndef VALIDATE_GPU_LAB_GPC_OF_SMS_CUH
#define VALIDATE_GPU_LAB_GPC_OF_SMS_CUH

#include "validate/gpu/host/sm_set.h"
#include "validate/gpu/measure/gpu_context.cuh"

/* Returns sets of SMs that belong to one GPC each.  A GPC may appear as several
 * sets.  Returns none if the GPU or the CUDA version has no clusters.  Uses the
 * buffers of @gpu. */
SmGroups find_gpc_of_sms(GpuContext &gpu);

#endif
