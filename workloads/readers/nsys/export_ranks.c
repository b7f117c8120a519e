/*
 * export_ranks.c - the ranks of an export and their machine
 *
 * An export does not say which rank of the job a process is.  If a file with
 * one device is named "NAME.RANK.sqlite", as by -o NAME.%q{RANK}, it is that
 * rank.  All other ranks are numbered by device and process, in the order of
 * the files.  Recording.n_numbered counts them.
 */
#include <string.h>

#include "workloads/readers/nsys/nsys_state_impl.h"

/* ---- devices with kernels ---------------------------------------------- */

enum { DEVICE, PROCESS, START };

#define OWNERS                                                                 \
    {                                                                          \
        { "deviceId", TRUE }, { "globalPid", TRUE },                           \
        {                                                                      \
            "start", TRUE                                                      \
        }                                                                      \
    }

static const NsysTable owners[] = {
    { .name = "CUPTI_ACTIVITY_KIND_KERNEL", .columns = OWNERS },
    { .name = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", .columns = OWNERS },
};

/* Returns the index of the rank in .ranks, which is sorted by device and
 * process, or the index where it has to be inserted. */
static guint find_rank_position(const Nsys *nsys, int64_t process,
                                int64_t device, gboolean *is_there)
{
    guint low = 0, high = nsys->ranks->len;

    *is_there = FALSE;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        const NsysRank *at = nsys_rank(nsys, middle);

        if (at->device == device && at->process == process) {
            *is_there = TRUE;
            return middle;
        }
        if (at->device < device ||
            (at->device == device && at->process < process))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_rank_of_row(Nsys *nsys)
{
    NsysRank rank = { .process = nsys_row_value(nsys->tables, PROCESS),
                      .device = nsys_row_value(nsys->tables, DEVICE) };
    gboolean is_there;
    guint place =
        find_rank_position(nsys, rank.process, rank.device, &is_there);

    if (is_there)
        return;
    if (nsys->ranks->len == 0)
        nsys->origin_ns = nsys_row_value(nsys->tables, START);
    if (nsys->ranks->len == NSYS_MAX_RANKS)
        nsys_set_row_error(nsys->tables, "more than %d processes and devices",
                           NSYS_MAX_RANKS);
    else
        g_array_insert_val(nsys->ranks, place, rank);
}

gboolean nsys_find_ranks(Nsys *nsys)
{
    gboolean has_table = FALSE;

    for (guint i = 0; i < G_N_ELEMENTS(owners); i++) {
        has_table |= nsys_begin_table(nsys->tables, &owners[i]);
        while (nsys_next_row(nsys->tables))
            add_rank_of_row(nsys);
    }
    if (nsys_has_error(nsys->tables))
        return FALSE;
    for (guint i = 0; i < nsys->ranks->len; i++) {
        NsysRank *rank = nsys_rank(nsys, i);

        rank->correlations = g_array_new(FALSE, FALSE, sizeof(int64_t));
        rank->streams = g_hash_table_new(NULL, NULL);
    }
    return has_table && nsys->ranks->len > 0;
}

void nsys_clear_rank(gpointer data)
{
    NsysRank *rank = data;

    g_clear_pointer(&rank->correlations, g_array_unref);
    g_clear_pointer(&rank->streams, g_hash_table_unref);
}

uint32_t nsys_rank_of(const Nsys *nsys, int64_t process, int64_t device)
{
    gboolean is_there;
    guint place = find_rank_position(nsys, process, device, &is_there);

    if (is_there)
        return place;
    for (guint i = 0; i < nsys->ranks->len; i++)
        if (nsys_rank(nsys, i)->process == process)
            return i;
    return RECORD_NONE;
}

/* ---- the machine ------------------------------------------------------- */

/* Sets the properties of each device, if the file has them. */
static void set_device_properties(Nsys *nsys)
{
    static const NsysTable gpus = {
        .name = "TARGET_INFO_GPU",
        .columns = { { "id", TRUE }, { "name", FALSE }, { "smCount", FALSE } },
    };

    nsys_begin_table(nsys->tables, &gpus);
    while (nsys_next_row(nsys->tables)) {
        int64_t id = nsys_row_value(nsys->tables, 0);
        const char *name = nsys_row_text(nsys->tables, 1);
        int64_t n_sms = nsys_row_value(nsys->tables, 2);

        for (guint i = 0; i < nsys->ranks->len; i++) {
            RecordRank *rank = nsys_rank(nsys, i)->rank;

            if (nsys_rank(nsys, i)->device != id)
                continue;
            if (name)
                rank->device = reader_store_text(nsys->recording, name,
                                                 strnlen(name, 256));
            if (n_sms > 0 && n_sms < UINT32_MAX)
                rank->n_sms = (uint32_t)n_sms;
        }
    }
}

/* Returns the value of @name in a table of names and values, or NULL. The
 * caller owns it. */
static char *find_named_value(Nsys *nsys, const NsysTable *table,
                              const char *name)
{
    char *found = NULL;

    nsys_begin_table(nsys->tables, table);
    while (nsys_next_row(nsys->tables)) {
        const char *key = nsys_row_text(nsys->tables, 0);
        const char *value = nsys_row_text(nsys->tables, 1);

        if (found || !value || g_strcmp0(key, name) != 0)
            continue;
        found = g_strndup(value, 256);
    }
    return found;
}

static int64_t read_first_number(Nsys *nsys, const NsysTable *table)
{
    int64_t found = NSYS_NONE;

    nsys_begin_table(nsys->tables, table);
    while (nsys_next_row(nsys->tables))
        if (found == NSYS_NONE)
            found = nsys_row_value(nsys->tables, 0);
    return found;
}

/* Returns the host's clock minus the clock of the tables, in ns; 0 if it is not
 * known. */
static int64_t host_clock_offset_ns(Nsys *nsys)
{
    static const NsysTable of_host = {
        .name = "TARGET_INFO_SESSION_START_TIME",
        .columns = { { "utcEpochNs", FALSE } },
    };
    static const NsysTable of_tables = {
        .name = "ANALYSIS_DETAILS",
        .columns = { { "startTime", FALSE } },
    };
    int64_t host_ns = read_first_number(nsys, &of_host);
    int64_t start_ns = read_first_number(nsys, &of_tables), ret_ns;

    if (host_ns == NSYS_NONE || start_ns == NSYS_NONE ||
        __builtin_sub_overflow(host_ns, start_ns, &ret_ns))
        return 0;
    return ret_ns;
}

/* ---- numbers ----------------------------------------------------------- */

static void set_rank_numbers(Nsys *nsys)
{
    Recording *recording = nsys->recording;
    uint32_t first = recording->ranks->len - nsys->ranks->len;
    uint32_t rank_in_name = RECORD_NO_RANK;

    if (nsys->ranks->len == 1)
        rank_in_name =
            reader_rank_of_file_name(nsys_rank(nsys, 0)->rank->file, ".sqlite");
    for (guint i = 0; i < nsys->ranks->len; i++)
        nsys_rank(nsys, i)->rank->rank =
            rank_in_name == RECORD_NO_RANK ? first + i : rank_in_name;
    if (rank_in_name == RECORD_NO_RANK)
        recording->n_numbered += nsys->ranks->len;
}

void nsys_set_ranks(Nsys *nsys)
{
    static const NsysTable environment = {
        .name = "TARGET_INFO_SYSTEM_ENV",
        .columns = { { "name", TRUE }, { "value", TRUE } },
    };
    static const NsysTable export = {
        .name = "META_DATA_EXPORT",
        .columns = { { "name", TRUE }, { "value", FALSE } },
    };
    g_autofree char *host = find_named_value(nsys, &environment, "Hostname");
    g_autofree char *version =
        find_named_value(nsys, &export, "EXPORT_SCHEMA_VERSION");
    int64_t clock_ns = host_clock_offset_ns(nsys), base_ns;

    if (__builtin_add_overflow(clock_ns, nsys->origin_ns, &base_ns))
        base_ns = nsys->origin_ns;
    for (guint i = 0; i < nsys->ranks->len; i++) {
        RecordRank *rank = nsys_rank(nsys, i)->rank;

        rank->base_ns = base_ns;
        if (host)
            rank->host = reader_store_text(nsys->recording, host, strlen(host));
    }
    if (version)
        nsys->recording->version =
            reader_store_text(nsys->recording, version, strlen(version));
    set_device_properties(nsys);
    set_rank_numbers(nsys);
}
