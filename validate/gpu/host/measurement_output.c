/* measurement_output.c - writes the CSV table and the JSON record of a run */
#include "validate/gpu/host/measurement_output.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "validate/gpu/host/measurement_table.h"

/* ---- output file names --------------------------------------------------- */

/* Returns @name without the manufacturer, which the model name implies. */
static const char *device_name_without_manufacturer(const char *name)
{
    static const char *const makers[] = { "NVIDIA ", "Tesla " };

    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
        if (strncmp(name, makers[i], strlen(makers[i])) == 0)
            name += strlen(makers[i]);
    return name;
}

/* Writes the name of the model in lower case.  Keeps letters and digits.  A run
 * of other characters becomes one hyphen. */
static void copy_model_name_in_lower_case(const char *device_name, char *ret,
                                          size_t size)
{
    size_t n = 0;

    for (const char *p = device_name_without_manufacturer(device_name);
         *p && n + 2 < size; p++) {
        unsigned char c = (unsigned char)*p;

        if (isalnum(c))
            ret[n++] = (char)tolower(c);
        else if (n > 0 && ret[n - 1] != '-')
            ret[n++] = '-';
    }
    if (n > 0 && ret[n - 1] == '-')
        n--;
    ret[n] = '\0';
    if (n == 0)
        (void)snprintf(ret, size, "gpu");
}

/* The models whose NPU in validate/data/gpus.csv (column npu) has another name.
 * The fit finds a measured file by the name of its NPU. */
static const struct {
    const char *model, *npu;
} npus[] = {
    { "h100-80gb-hbm3", "h100-sxm" }, { "a100-sxm4-80gb", "a100-80gb" },
    { "a100-sxm-80gb", "a100-80gb" }, { "a100-sxm4-40gb", "a100-40gb" },
    { "a100-sxm-40gb", "a100-40gb" },
};

void output_device_slug(const char *device_name, char *ret, size_t size)
{
    copy_model_name_in_lower_case(device_name, ret, size);
    for (size_t i = 0; i < sizeof npus / sizeof npus[0]; i++)
        if (strcmp(ret, npus[i].model) == 0)
            (void)snprintf(ret, size, "%s", npus[i].npu);
}

static bool text_has_suffix(const char *text, const char *end)
{
    size_t n = strlen(text), n_end = strlen(end);

    return n > n_end && strcmp(text + n - n_end, end) == 0;
}

static bool join_file_path(char *ret, const char *a, const char *b,
                           const char *c)
{
    return snprintf(ret, OUTPUT_PATH_SIZE, "%s%s%s", a, b, c) <
           OUTPUT_PATH_SIZE;
}

bool output_choose_paths(Output *output, const char *target,
                         const char *device_name, bool is_whole)
{
    char slug[64], stem[OUTPUT_PATH_SIZE];
    bool fits;

    memset(output, 0, sizeof *output);
    output_device_slug(device_name, slug, sizeof slug);
    if (text_has_suffix(target, ".csv")) {
        fits = join_file_path(stem, target, "", "");
        stem[strlen(stem) - strlen(".csv")] = '\0';
    } else {
        char folder[OUTPUT_PATH_SIZE];

        fits = join_file_path(folder, target,
                              text_has_suffix(target, "/") ? "" : "/", slug) &&
               join_file_path(stem, folder, is_whole ? "-measured" : "-partial",
                              "");
    }
    fits = fits && join_file_path(output->csv_path, stem, ".csv", "") &&
           join_file_path(output->json_path, stem, ".json", "") &&
           join_file_path(output->csv_tmp, stem, ".csv", ".tmp") &&
           join_file_path(output->json_tmp, stem, ".json", ".tmp");
    if (!fits)
        (void)snprintf(output->error, sizeof output->error,
                       "-o: the name is too long");
    return fits;
}

/* ---- opening and renaming of output files -------------------------------- */

static bool fail_with_errno(Output *output, const char *path)
{
    (void)snprintf(output->error, sizeof output->error,
                   "%s: cannot be written: %s", path, strerror(errno));
    return false;
}

/* Creates the last folder of @path.  A failure is not reported here: opening
 * the file then fails and reports the reason. */
static void make_parent_folder(const char *path)
{
    char folder[OUTPUT_PATH_SIZE];
    const char *slash = strrchr(path, '/');

    if (!slash || slash == path)
        return;
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    (void)mkdir(folder, 0777);
}

bool output_open(Output *output)
{
    make_parent_folder(output->csv_path);
    output->csv = fopen(output->csv_tmp, "w");
    if (!output->csv)
        return fail_with_errno(output, output->csv_tmp);
    output->json = fopen(output->json_tmp, "w");
    if (!output->json) {
        fail_with_errno(output, output->json_tmp);
        output_discard(output);
        return false;
    }
    if (table_write_header(output->csv))
        return true;
    fail_with_errno(output, output->csv_tmp);
    output_discard(output);
    return false;
}

bool output_sync(Output *output)
{
    return (fflush(output->csv) == 0 && fsync(fileno(output->csv)) == 0) ||
           fail_with_errno(output, output->csv_tmp);
}

/* Closes *@file and renames it from @tmp to @path.  A full disk may be reported
 * only by fclose(), so its result counts. */
static bool finish_output_file(Output *output, FILE **file, const char *tmp,
                               const char *path)
{
    FILE *closing = *file;
    bool written = !ferror(closing);

    *file = NULL;
    written = fclose(closing) == 0 && written;
    if (!written)
        return fail_with_errno(output, tmp);
    return rename(tmp, path) == 0 || fail_with_errno(output, path);
}

bool output_close(Output *output)
{
    bool ok = finish_output_file(output, &output->csv, output->csv_tmp,
                                 output->csv_path);

    return finish_output_file(output, &output->json, output->json_tmp,
                              output->json_path) &&
           ok;
}

static void remove_unfinished_output_file(FILE **file, const char *tmp)
{
    if (!*file)
        return;
    (void)fclose(*file);
    (void)unlink(tmp);
    *file = NULL;
}

void output_discard(Output *output)
{
    remove_unfinished_output_file(&output->csv, output->csv_tmp);
    remove_unfinished_output_file(&output->json, output->json_tmp);
}
