/*
 * tag_impl.h - for this folder only: a tag with its place, and what its
 * attributes say
 *
 * Errors   CONFIG_ERROR at the attribute, or at the tag that lacks it
 * Owner    all is borrowed from the text, and gone with the tag
 */
#ifndef MODELS_STACKS_MSCCL_TAG_IMPL_H
#define MODELS_STACKS_MSCCL_TAG_IMPL_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    const char *file;
    const char *name; /* of the element */
    const char *const *names, *const *values;
    const char *text; /* from its '<', ... */
    gsize n_bytes;    /* ... to the next one */
    guint line, column;
} MscclTag;

/* Elements of a text, as they begin and end. */
typedef struct {
    gboolean (*begins)(gpointer self, const MscclTag *tag, GError **error);
    gboolean (*ends)(gpointer self, GError **error);
} MscclTagOps;

G_GNUC_WARN_UNUSED_RESULT
gboolean msccl_tags(const char *file, const char *text, gsize n_bytes,
                    const MscclTagOps *ops, gpointer self, GError **error);

/* At the attribute; NULL: at the tag. */
void tag_fail(const MscclTag *tag, const char *attribute, GError **error,
              const char *format, ...) G_GNUC_PRINTF(4, 5);

G_GNUC_WARN_UNUSED_RESULT
const char *tag_text(const MscclTag *tag, const char *attribute,
                     GError **error);
/* One of @words. */
G_GNUC_WARN_UNUSED_RESULT
gboolean tag_word(const MscclTag *tag, const char *attribute,
                  const char *const *words, int *ret, GError **error);
G_GNUC_WARN_UNUSED_RESULT
gboolean tag_number(const MscclTag *tag, const char *attribute, int64_t min,
                    int64_t max, int64_t *ret, GError **error);
/* @fallback where it is absent. */
G_GNUC_WARN_UNUSED_RESULT
gboolean tag_number_or(const MscclTag *tag, const char *attribute, int64_t min,
                       int64_t max, int64_t fallback, int64_t *ret,
                       GError **error);

#endif
