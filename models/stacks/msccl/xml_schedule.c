/* xml_schedule.c - error messages and counts of an MSCCL schedule */
#include "models/stacks/msccl/xml_schedule.h"

#include "sim/config/config_error.h"

const char *const msccl_protocols[] = { "LL", "LL128", "Simple", NULL };
const char *const msccl_buffers[] = { "i", "o", "s", NULL };

void msccl_schedule_free(MscclSchedule *msccl)
{
    g_array_free(msccl->gpus, TRUE);
    g_array_free(msccl->tbs, TRUE);
    g_array_free(msccl->steps, TRUE);
    g_free(msccl->name);
    g_free(msccl->file);
    g_free(msccl);
}

void msccl_set_error(const MscclSchedule *msccl, const MscclStep *step,
                     GError **error, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT, "%s:%u:%u: %s",
                msccl->file, step->line, step->column, text);
}

uint32_t msccl_max_thread_blocks_per_gpu(const MscclSchedule *msccl)
{
    uint32_t most = 0;

    for (uint32_t g = 0; g < msccl->n_gpus; g++)
        most = MAX(most, msccl_get_gpu(msccl, g)->n_tbs);
    return most;
}

uint32_t msccl_max_chunks_sent_by_gpu(const MscclSchedule *msccl)
{
    uint32_t most = 0;

    for (uint32_t g = 0; g < msccl->n_gpus; g++) {
        const MscclGpu *gpu = msccl_get_gpu(msccl, g);
        uint32_t n = 0;

        for (uint32_t t = 0; t < gpu->n_tbs; t++) {
            const MscclThreadBlock *tb =
                msccl_get_thread_block(msccl, gpu->first_tb + t);

            for (uint32_t s = 0; s < tb->n_steps; s++) {
                const MscclStep *step =
                    msccl_get_step(msccl, tb->first_step + s);

                n += step->type->sends ? step->n_chunks : 0;
            }
        }
        most = MAX(most, n);
    }
    return most;
}
