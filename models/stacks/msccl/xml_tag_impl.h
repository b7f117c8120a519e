/*
 * xml_tag_impl.h - private to this folder: an XML tag with its position and
 * attributes
 *
 * Errors   CONFIG_ERROR at the attribute, or at the tag if the attribute is
 *          missing
 * Owner    all pointers are borrowed from the text and valid during the
 *          callback
 */
#ifndef MODELS_STACKS_MSCCL_XML_TAG_IMPL_H
#define MODELS_STACKS_MSCCL_XML_TAG_IMPL_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    const char *file;
    const char *name; /* name of the element */
    const char *const *names, *const *values;
    const char *text; /* the text from the '<' of the tag on */
    gsize n_bytes;    /* length of .text, up to the next '<' */
    guint line, column;
} MscclTag;

/* Callbacks at the start and the end of each XML element. */
typedef struct {
    gboolean (*begins)(gpointer self, const MscclTag *tag, GError **error);
    gboolean (*ends)(gpointer self, GError **error);
} MscclTagOps;

/* Parses @text and calls @ops with @self for each element. */
G_GNUC_WARN_UNUSED_RESULT
gboolean msccl_parse_xml_tags(const char *file, const char *text, gsize n_bytes,
                              const MscclTagOps *ops, gpointer self,
                              GError **error);

/* Sets @error at the position of @attribute, or of the tag if it is NULL. */
void xml_tag_set_error(const MscclTag *tag, const char *attribute,
                       GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

G_GNUC_WARN_UNUSED_RESULT
const char *xml_tag_read_text(const MscclTag *tag, const char *attribute,
                              GError **error);
/* Sets *@ret to the index of the value of @attribute in the list @words. */
G_GNUC_WARN_UNUSED_RESULT
gboolean xml_tag_read_keyword(const MscclTag *tag, const char *attribute,
                              const char *const *words, int *ret,
                              GError **error);
G_GNUC_WARN_UNUSED_RESULT
gboolean xml_tag_read_number(const MscclTag *tag, const char *attribute,
                             int64_t min, int64_t max, int64_t *ret,
                             GError **error);
/* Same as xml_tag_read_number(), but sets *@ret to @fallback if the attribute
 * is absent. */
G_GNUC_WARN_UNUSED_RESULT
gboolean xml_tag_read_optional_number(const MscclTag *tag,
                                      const char *attribute, int64_t min,
                                      int64_t max, int64_t fallback,
                                      int64_t *ret, GError **error);

#endif
