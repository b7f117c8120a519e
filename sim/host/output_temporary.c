/* output_temporary.c - what a signal must not leave behind */
#include <string.h>
#include <unistd.h>

#include "sim/host/output.h"

/* Members of the largest group, a timeline, and gnuplot's files.  What is more
 * is left behind, and removed by the next who writes there. */
#define MAX_NAMES 64

/* A signal handler can reach nothing else.  A name is complete before it
 * stands here, and is freed after it has gone.  Owned. */
static char *volatile names[MAX_NAMES];

/* More are left behind.  In the order in which they were made; owned. */
#define MAX_FOLDERS 64

static char *volatile folders[MAX_FOLDERS];
static volatile pid_t maker; /* children do not remove them */

void output_note_folder(const char *path)
{
    if (maker != getpid())
        for (guint i = 0; i < MAX_FOLDERS; i++)
            folders[i] = NULL; /* those of the parent, which has them still */
    maker = getpid();
    for (guint i = 0; i < MAX_FOLDERS; i++) {
        if (folders[i])
            continue;
        folders[i] = g_strdup(path);
        return;
    }
}

void output_note_temporary(const char *path)
{
    for (guint i = 0; i < MAX_NAMES; i++) {
        if (names[i])
            continue;
        names[i] = g_strdup(path);
        return;
    }
}

void output_forget_temporary(const char *path)
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

/* Files first, so that their folders are empty. */
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
