/* output_file_group.c - groups of files that change together; see output.h */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/host/interrupt.h"
#include "sim/host/output.h"

typedef struct {
    char *path, *temporary; /* owned */
} GroupMember;

struct OutputGroup {
    GPtrArray *members; /* owned, of owned Member */
};

static void free_group_member(gpointer data)
{
    GroupMember *member = data;

    output_unregister_temporary(member->temporary);
    g_free(member->path);
    g_free(member->temporary);
    g_free(member);
}

OutputGroup *output_group_new(void)
{
    OutputGroup *group = g_new0(OutputGroup, 1);

    group->members = g_ptr_array_new_with_free_func(free_group_member);
    return group;
}

int output_group_begin_file(OutputGroup *group, const char *path,
                            GError **error)
{
    GroupMember *member = g_new0(GroupMember, 1);
    int fd = output_open_temporary(path, &member->temporary);
    int code = fd < 0 ? errno : 0;

    if (fd < 0) {
        free_group_member(member);
        (void)!output_set_write_error(path, code, error);
        return -1;
    }
    member->path = g_strdup(path);
    g_ptr_array_add(group->members, member);
    return fd;
}

gboolean output_group_end_file(const char *path, int fd, int code,
                               GError **error)
{
    if (code == 0 && fsync(fd) != 0)
        code = errno;
    if (close(fd) != 0 && code == 0)
        code = errno;
    return code == 0 || output_set_write_error(path, code, error);
}

gboolean output_group_add_file(OutputGroup *group, const char *path,
                               const GString *text, GError **error)
{
    int fd = output_group_begin_file(group, path, error);

    return fd >= 0 &&
           output_group_end_file(
               path, fd, output_write_bytes(fd, text->str, text->len), error);
}

static gboolean rename_group_members(OutputGroup *group, GError **error)
{
    while (group->members->len > 0) {
        const GroupMember *first = g_ptr_array_index(group->members, 0);

        if (rename(first->temporary, first->path) != 0)
            return output_set_write_error(first->path, errno, error);
        output_sync_folder_of(first->path);
        g_ptr_array_remove_index(group->members, 0);
    }
    return TRUE;
}

/* Signals are blocked, because a signal between two renames would leave half of
 * the group. */
gboolean output_group_commit(OutputGroup *group, GError **error)
{
    sigset_t old;
    gboolean ok;

    interrupt_block_signals(&old);
    ok = rename_group_members(group, error);
    sigprocmask(SIG_SETMASK, &old, NULL);
    return ok;
}

void output_group_free(OutputGroup *group)
{
    if (!group)
        return;
    for (guint i = 0; i < group->members->len; i++) {
        const GroupMember *member = g_ptr_array_index(group->members, i);

        unlink(member->temporary);
    }
    g_ptr_array_unref(group->members);
    g_free(group);
}
