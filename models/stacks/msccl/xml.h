/*
 * xml.h - schedules of MSCCL, read from its files
 *
 * Both forms are read: <step s srcbuf srcoff dstbuf dstoff cnt depid deps>, all
 * of which must be said, and the newer <op step buf off>, whose one place is
 * what it reads and what it writes, and whose other attributes may be absent.
 *
 * Not read: attributes that say nothing to us, `hasdep` among them, and the
 * place of what is sent in its receiver's buffers, which the receiver says,
 * too.
 *
 * Errors   CONFIG_ERROR, "FILE:LINE:COLUMN: what is wrong"
 * Owner    the caller owns the Msccl
 */
#ifndef MODELS_STACKS_MSCCL_XML_H
#define MODELS_STACKS_MSCCL_XML_H

#include "models/stacks/msccl/form.h"

#define MSCCL_MAX_FILE_BYTES (16 * 1024 * 1024)

/* Of @text, of @n_bytes, in the file that messages call @name. */
G_GNUC_WARN_UNUSED_RESULT
Msccl *msccl_read(const char *name, const char *text, gsize n_bytes,
                  GError **error);

#endif
