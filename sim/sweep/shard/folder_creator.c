/*
 * folder_creator.c - records which workers were the first to use a results
 * folder; see folder_creator.h
 */
#include "sim/sweep/shard/folder_creator.h"

#include <unistd.h>

#include "sim/host/output.h"
#include "sim/sweep/shard/claim_paths.h"
#include "sim/sweep/shard/worker_liveness.h"

char *folder_creator_info_path(const char *folder)
{
    return g_build_filename(folder, CLAIM_PATHS_CLAIMS, CLAIM_PATHS_CREATOR,
                            NULL);
}

gboolean folder_creator_has_word(const char *folder, const char *word)
{
    g_autofree char *path =
        g_build_filename(folder, CLAIM_PATHS_CLAIMS, word, NULL);

    return g_file_test(path, G_FILE_TEST_IS_DIR);
}

/* The folder under its temporary name; all owned. */
typedef struct {
    char *path, *file, *word;
} TemporaryFolder;

static void clear_temporary_folder(TemporaryFolder *temporary)
{
    g_free(temporary->path);
    g_free(temporary->file);
    g_free(temporary->word);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TemporaryFolder, clear_temporary_folder)

/* Fills the folder before it gets its final name, so that no process sees it
 * incomplete. */
static ClaimResult create_claims_folder(const TemporaryFolder *temporary,
                                        const char *claims, const GString *info,
                                        GError **error)
{
    if (create_claim_file(temporary->path, error) == CLAIM_FAILED ||
        create_claim_file(temporary->word, error) == CLAIM_FAILED ||
        !output_replace_file(temporary->file, info, error))
        return CLAIM_FAILED;
    return rename_claim_file(temporary->path, claims, error);
}

gboolean folder_creator_claim_folder(const char *folder, const char *word,
                                     const GString *info, GError **error)
{
    g_autofree char *process = liveness_own_process_name();
    g_autofree char *claims =
        g_build_filename(folder, CLAIM_PATHS_CLAIMS, NULL);
    char *path = g_strdup_printf("%s.%s", claims, process);
    g_auto(TemporaryFolder) temporary = {
        .path = path,
        .file = g_build_filename(path, CLAIM_PATHS_CREATOR, NULL),
        .word = g_build_filename(path, word, NULL),
    };
    ClaimResult result = create_claims_folder(&temporary, claims, info, error);

    if (result != CLAIM_OURS) {
        unlink(temporary.file);
        rmdir(temporary.word);
        rmdir(temporary.path);
    }
    return result != CLAIM_FAILED;
}
