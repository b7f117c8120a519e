/*
 * output_temporary.c - the list of files and folders that a signal must not
 * leave behind; see output.h
 */
#include <string.h>
#include <unistd.h>

#include "sim/host/output.h"

/* Enough for the largest group of files, a timeline, and gnuplot's files.
 * Files beyond this are left behind; the next process that writes there removes
 * them. */
#define MAX_NAMES 64

/* Global, because a signal handler has no other way to reach it.  A name is
 * complete before it is stored here, and is freed after it has been removed.
 * Owned. */
static char *volatile names[MAX_NAMES];

/* The temporary folders in the order of their creation (owned texts).  Folders
 * beyond MAX_FOLDERS are left behind. */
#define MAX_FOLDERS 64

static char *volatile folders[MAX_FOLDERS];
static volatile pid_t maker; /* the process that created .folders; its children
                                do not remove them */

void output_register_folder(const char *path)
{
    if (maker != getpid())
        for (guint i = 0; i < MAX_FOLDERS; i++)
            folders[i] = NULL; /* entries of the parent, which still has them */
    maker = getpid();
    for (guint i = 0; i < MAX_FOLDERS; i++) {
        if (folders[i])
            continue;
        folders[i] = g_strdup(path);
        return;
    }
}

void output_register_temporary(const char *path)
{
    for (guint i = 0; i < MAX_NAMES; i++) {
        if (names[i])
            continue;
        names[i] = g_strdup(path);
        return;
    }
}

void output_unregister_temporary(const char *path)
{
    for (guint i = 0; i < MAX_NAMES; i++) {
        char *name = names[i];

        if (!name || strcmp(name, path) != 0)
            continue;
        names[i] = NULL;
        g_free(name);
        return;
    }
}

/* Removes files first, so that their folders are empty. */
void output_discard_temporaries(void)
{
    for (guint i = 0; i < MAX_NAMES; i++)
        if (names[i])
            unlink(names[i]);
    for (guint i = 0; i < MAX_NAMES; i++)
        if (names[i])
            rmdir(names[i]);
    for (guint i = MAX_FOLDERS; i-- > 0;)
        if (folders[i] && maker == getpid())
            rmdir(folders[i]);
}
