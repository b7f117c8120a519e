/* papers_page.c - writes the page of all papers */
#include "validate/papers/papers_page.h"

#include <string.h>

#include "validate/papers/paper_constants.h"
#include "validate/papers/paper_grids.h"
#include "validate/papers/paper_study.h"

static int compare_by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the files of claims below @configs, in the order of their folders.
 * Returns NULL and sets @error if there is none. */
static GPtrArray *find_claim_files(const char *configs, const char *only,
                                   GError **error)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) dir = g_dir_open(configs, 0, error);
    const char *name;

    if (!dir)
        return NULL;
    while ((name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *path =
            g_build_filename(configs, name, "claims.yaml", NULL);

        if (g_file_test(path, G_FILE_TEST_EXISTS) &&
            (!only || g_str_equal(only, name)))
            g_ptr_array_add(paths, g_steal_pointer(&path));
    }
    g_ptr_array_sort(paths, compare_by_name);
    if (paths->len > 0)
        return g_steal_pointer(&paths);
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RUN,
                "%s: there is no paper%s%s", configs, only ? " " : "",
                only ? only : "");
    return NULL;
}

static gboolean add_paper_to_page(const Simulator *simulator, const char *path,
                                  GString *page, GString *constants,
                                  GError **error)
{
    g_autoptr(PaperClaims) claims = paper_claims_load(path, error);
    g_autoptr(StudyTables) tables =
        claims ? paper_study_run(simulator, claims, error) : NULL;
    g_autoptr(GArray) figures =
        tables ? paper_study_figures(tables, claims, error) : NULL;
    g_autoptr(GString) data = g_string_new(NULL);
    g_autofree char *name = NULL;

    if (!figures)
        return FALSE;
    if (!paper_constants_add(constants, simulator, claims, error))
        return FALSE;
    paper_page_add(page, claims, figures);
    if (!paper_grids_add(page, simulator, claims, tables, error))
        return FALSE;
    paper_plot_add(data, claims, figures);
    name = g_strdup_printf("%s.dat", claims->name);
    return simulator_write_file(simulator, name, data->str, error);
}

char *papers_page(const Simulator *simulator, const char *configs,
                  const char *only, GError **error)
{
    g_autoptr(GPtrArray) paths = find_claim_files(configs, only, error);
    g_autoptr(GString) page = g_string_new(NULL);
    g_autoptr(GString) constants = g_string_new(PAPER_CONSTANTS_HEAD);

    if (!paths)
        return NULL;
    paper_page_begin(page);
    for (guint i = 0; i < paths->len; i++)
        if (!add_paper_to_page(simulator, g_ptr_array_index(paths, i), page,
                               constants, error))
            return NULL;
    if (!simulator_write_file(simulator, "constants.csv", constants->str,
                              error))
        return NULL;
    return g_strdup(page->str);
}
