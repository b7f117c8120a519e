/* founder.c - see founder.h */
#include "sim/sweep/shard/founder.h"

#include <unistd.h>

#include "sim/host/output.h"
#include "sim/sweep/shard/life.h"
#include "sim/sweep/shard/places.h"

char *founder_path(const char *folder)
{
    return g_build_filename(folder, PLACES_CLAIMS, PLACES_FOUNDER, NULL);
}

gboolean founder_knows(const char *folder, const char *word)
{
    g_autofree char *path = g_build_filename(folder, PLACES_CLAIMS, word, NULL);

    return g_file_test(path, G_FILE_TEST_IS_DIR);
}

/* The folder under its temporary name; all owned. */
typedef struct {
    char *path, *file, *word;
} Aside;

static void aside_clear(Aside *aside)
{
    g_free(aside->path);
    g_free(aside->file);
    g_free(aside->word);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Aside, aside_clear)

/* Fills the folder before it gets its final name, so that no process sees it
 * incomplete. */
static ClaimResult make(const Aside *aside, const char *claims,
                        const GString *info, GError **error)
{
    if (claim_make(aside->path, error) == CLAIM_FAILED ||
        claim_make(aside->word, error) == CLAIM_FAILED ||
        !output_replace(aside->file, info, error))
        return CLAIM_FAILED;
    return claim_rename(aside->path, claims, error);
}

gboolean founder_claim(const char *folder, const char *word,
                       const GString *info, GError **error)
{
    g_autofree char *who = life_our_name();
    g_autofree char *claims = g_build_filename(folder, PLACES_CLAIMS, NULL);
    char *path = g_strdup_printf("%s.%s", claims, who);
    g_auto(Aside) aside = {
        .path = path,
        .file = g_build_filename(path, PLACES_FOUNDER, NULL),
        .word = g_build_filename(path, word, NULL),
    };
    ClaimResult result = make(&aside, claims, info, error);

    if (result != CLAIM_OURS) {
        unlink(aside.file);
        rmdir(aside.word);
        rmdir(aside.path);
    }
    return result != CLAIM_FAILED;
}
