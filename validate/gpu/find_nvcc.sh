#!/bin/sh
# find_nvcc.sh - prints the path of the CUDA compiler
#
# Prints a reason instead, and returns 1, if no compiler works.

for nvcc in nvcc /usr/local/cuda/bin/nvcc; do
    if "$nvcc" --dryrun -x cu /dev/null >/dev/null 2>&1; then
        echo "$nvcc"
        exit 0
    fi
done
echo 'there is no nvcc (of CUDA) in PATH or /usr/local/cuda/bin'
exit 1
