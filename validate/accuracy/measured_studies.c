/* measured_studies.c - the results of all studies that have measured rows */
#include "validate/accuracy/measured_studies.h"

static void clear_overlap_file(gpointer data)
{
    OverlapFile *file = data;

    g_free(file->npu);
    g_clear_pointer(&file->pairs, g_array_unref);
    g_clear_pointer(&file->left_out, g_array_unref);
}

void measured_studies_init(MeasuredStudies *studies)
{
    *studies = (MeasuredStudies){
        .overlaps = g_array_new(FALSE, TRUE, sizeof(OverlapFile)),
        .systems =
            g_ptr_array_new_with_free_func((GDestroyNotify)system_study_free),
    };
    g_array_set_clear_func(studies->overlaps, clear_overlap_file);
}

void measured_studies_clear(MeasuredStudies *studies)
{
    g_clear_pointer(&studies->gpus, csv_table_free);
    g_clear_pointer(&studies->npu_files, g_array_unref);
    g_clear_pointer(&studies->kernels, kernel_study_free);
    g_clear_pointer(&studies->images, image_study_free);
    g_clear_pointer(&studies->images_left_out, image_study_free);
    g_clear_pointer(&studies->contention, g_array_unref);
    g_clear_pointer(&studies->overlaps, g_array_unref);
    g_clear_pointer(&studies->chains, g_array_unref);
    g_clear_pointer(&studies->collectives, published_collectives_free);
    g_clear_pointer(&studies->systems, g_ptr_array_unref);
    g_clear_pointer(&studies->steps, step_study_free);
}
