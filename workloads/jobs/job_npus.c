/* job_npus.c - assigns NPUs to jobs, by stride or by list */
#include "workloads/jobs/job_npus.h"

#include "workloads/machine_facts.h"

#define MAX_IDS UINT64_C(16777216) /* largest number of NPUs of a topology */

static const ConfigField id_item = {
    .key = "id",
    .help = "of an NPU",
    .type = CONFIG_COUNT,
    .max = MAX_IDS - 1,
};

#define OFFSET(member) .offset = offsetof(JobRanks, member)

const ConfigField job_ranks_fields[] = {
    { .key = "size",
      .help = "NPUs with id / stride mod size = at; auto: not by stride",
      .type = CONFIG_COUNT,
      OFFSET(size),
      .min = 1,
      .max = MAX_IDS,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "not by stride" },
    { .key = "at",
      .help = "id / stride mod size",
      .type = CONFIG_COUNT,
      OFFSET(remainder),
      .max = MAX_IDS - 1,
      .fallback = "0",
      .source = "the first" },
    { .key = "stride",
      .help = "NPUs that follow each other and are of one job",
      .type = CONFIG_COUNT,
      OFFSET(stride),
      .min = 1,
      .max = MAX_IDS,
      .fallback = "1",
      .source = "each by itself" },
    { .key = "list",
      .help = "these NPUs; the least id is rank 0",
      .type = CONFIG_LIST,
      OFFSET(list),
      .max = MAX_IDS,
      .item = &id_item,
      .item_size = sizeof(uint64_t),
      .fallback = "[]",
      .source = "not listed" },
    CONFIG_END,
};

#undef OFFSET

static gboolean set_job_npus_error(const ConfigNode *where, GError **error,
                                   char *text)
{
    config_set_error(error, where, CONFIG_ERROR_CONFLICT, "%s", text);
    g_free(text);
    return FALSE;
}

/* Returns a number of NPUs that is a multiple of every size x stride, as far as
 * possible. */
uint32_t job_ranks_min_npus(const ConfigList *jobs)
{
    const Job *all = jobs->items;
    uint64_t most = SITE_N_NPUS_ASSUMED, multiple = 1;

    for (guint i = 0; i < jobs->n; i++) {
        const JobRanks *ranks = &all[i].ranks;
        const uint64_t *ids = ranks->list.items;
        uint64_t n = ranks->size * ranks->stride;

        for (guint k = 0; k < ranks->list.n; k++)
            most = MAX(most, ids[k] + 1);
        if (n > 0 && n <= MAX_IDS / multiple && multiple % n != 0)
            multiple *= n;
    }
    /* Twice the multiple gives each job at least two NPUs. */
    multiple *= multiple > 1 ? 2 : 1;
    most = (most + multiple - 1) / multiple * multiple;
    return (uint32_t)MIN(most, MAX_IDS);
}

void job_map_init(JobMap *map, uint32_t n_npus)
{
    *map = (JobMap){ .n_npus = n_npus, .owners = g_new0(const Job *, n_npus) };
}

void job_map_clear(JobMap *map)
{
    g_clear_pointer(&map->owners, g_free);
}

/* Returns FALSE if the stride of the job does not divide the platform. */
static gboolean check_job_npus(const JobMap *map, const Job *job,
                               GError **error)
{
    const JobRanks *ranks = &job->ranks;

    if (ranks->size == CONFIG_AUTO)
        return TRUE;
    if (ranks->list.n > 0)
        return set_job_npus_error(
            job->node, error,
            g_strdup("ranks: one of 'size' and 'list', not both"));
    if (ranks->remainder >= ranks->size)
        return set_job_npus_error(
            job->node, error,
            g_strdup("ranks: 'at' must be less than 'size', because "
                     "it is counted from 0"));
    if (ranks->size * ranks->stride > map->n_npus ||
        map->n_npus % (ranks->size * ranks->stride) != 0)
        return set_job_npus_error(
            job->node, error,
            g_strdup_printf("ranks: %u NPUs at a stride of %u do not "
                            "divide the platform's %u",
                            (guint)ranks->size, (guint)ranks->stride,
                            map->n_npus));
    return TRUE;
}

static gboolean assign_npu_to_job(JobMap *map, const Job *job, uint64_t npu,
                                  GError **error)
{
    if (npu >= map->n_npus)
        return set_job_npus_error(
            job->node, error,
            g_strdup_printf("ranks: there is no NPU %u on a platform "
                            "of %u",
                            (guint)npu, map->n_npus));
    if (map->owners[npu] == job)
        return set_job_npus_error(
            job->node, error,
            g_strdup_printf("ranks: NPU %u is listed twice", (guint)npu));
    if (map->owners[npu])
        return set_job_npus_error(
            job->node, error,
            g_strdup_printf("ranks: NPU %u is of job '%s' already", (guint)npu,
                            map->owners[npu]->name));
    map->owners[npu] = job;
    return TRUE;
}

gboolean job_map_assign(JobMap *map, const Job *job, GError **error)
{
    const JobRanks *ranks = &job->ranks;
    const uint64_t *ids = ranks->list.items;

    if (!check_job_npus(map, job, error))
        return FALSE;
    for (guint i = 0; i < ranks->list.n; i++)
        if (!assign_npu_to_job(map, job, ids[i], error))
            return FALSE;
    for (uint32_t npu = 0; npu < map->n_npus && ranks->list.n == 0; npu++)
        if ((ranks->size == CONFIG_AUTO ||
             npu / ranks->stride % ranks->size == ranks->remainder) &&
            !assign_npu_to_job(map, job, npu, error))
            return FALSE;
    return TRUE;
}

void job_map_remove_job(JobMap *map, const Job *job)
{
    for (uint32_t npu = 0; npu < map->n_npus; npu++)
        if (map->owners[npu] == job)
            map->owners[npu] = NULL;
}

uint32_t *job_map_npu_ids(const JobMap *map, const Job *job, uint32_t *ret_n)
{
    GArray *ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t npu = 0; npu < map->n_npus; npu++)
        if (map->owners[npu] == job)
            g_array_append_val(ids, npu);
    *ret_n = ids->len;
    return (uint32_t *)(gpointer)g_array_free(ids, FALSE);
}
