#!/bin/sh
# tell_loader.sh LIBRARY - tell the loader of a library that was installed
#
# As far as we may, which is as root.  Where the loader does not look, that is
# said: it is no mistake, a PREFIX may be anywhere.
PATH=$PATH:/usr/sbin:/sbin
ldconfig 2>/dev/null
for known in $(ldconfig -p 2>/dev/null | sed -n "s|.* => \(.*/${1##*/}\)\$|\1|p"); do
    [ "$known" -ef "$1" ] && exit
done
echo "programs find ${1##*/} with LD_LIBRARY_PATH=${1%/*}"
