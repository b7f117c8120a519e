/*
 * html.h - text into HTML
 *
 * What is written is well-formed XML too.
 */
#ifndef SIM_VIEW_REPORT_HTML_H
#define SIM_VIEW_REPORT_HTML_H

#include <glib.h>

/* Appends @text as it may stand between tags and in quotes: escaped, valid
 * UTF-8, without control characters. */
void html_text(GString *out, const char *text);

/* The same of a key or a column's name, which may break behind its dots and
 * underscores. */
void html_key(GString *out, const char *key);

/* Appends @format, in which each %s is a text that goes through html_text();
 * nothing else is replaced. */
void html_add(GString *out, const char *format, ...);

#endif
