/*
 * installed.h - where `make install` puts what the program does not need
 *
 * Nothing there is ever opened: files are read where the user says.
 *
 * Owner    static
 */
#ifndef SIM_CONFIG_INSTALLED_H
#define SIM_CONFIG_INSTALLED_H

#include <glib.h>

/* PREFIX/share/acesim of the build, which has configs/ and schema/. */
const char *installed_folder(void);

/* If *@error says that there is no file at the relative @path and @folder has
 * one of that name, says so, too. */
void installed_hint(const char *folder, const char *path, GError **error);

#endif
