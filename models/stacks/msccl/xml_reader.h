/*
 * xml_reader.h - reads schedules from MSCCL's XML files
 *
 * Two formats are read.  In <step s srcbuf srcoff dstbuf dstoff cnt depid deps>
 * all attributes are required.  In the newer <op step buf off>, one place is
 * both source and destination, and the other attributes may be absent.
 *
 * Unknown attributes are ignored, among them `hasdep`.  The place in the
 * receiver's buffers in a send is also ignored, because the receive states it.
 *
 * Errors   CONFIG_ERROR, "FILE:LINE:COLUMN: what is wrong"
 * Owner    the caller owns the MscclSchedule
 */
#ifndef MODELS_STACKS_MSCCL_XML_READER_H
#define MODELS_STACKS_MSCCL_XML_READER_H

#include "models/stacks/msccl/xml_schedule.h"

#define MSCCL_MAX_FILE_BYTES (16 * 1024 * 1024)

/* Reads the schedule in @text, which has @n_bytes.  Messages call the file
 * @name.  Returns NULL and sets @error if the text is wrong. */
G_GNUC_WARN_UNUSED_RESULT
MscclSchedule *msccl_read_xml_schedule(const char *name, const char *text,
                                       gsize n_bytes, GError **error);

#endif
