/*
 * html_escape.h - text as HTML
 *
 * The output is also well-formed XML.
 */
#ifndef SIM_VIEW_REPORT_HTML_ESCAPE_H
#define SIM_VIEW_REPORT_HTML_ESCAPE_H

#include <glib.h>

/* Appends @text escaped for use between tags and in quotes: valid UTF-8 without
 * control characters. */
void html_append_text(GString *out, const char *text);

/* Same as html_append_text() for a key or the name of a column, which may be
 * broken after dots and underscores. */
void html_append_key(GString *out, const char *key);

/* Appends @format.  Each %s is replaced by a text through html_append_text();
 * there are no other conversions. */
void html_append_format(GString *out, const char *format, ...);

#endif
