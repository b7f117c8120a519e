sweep tests/golden/roles.yaml -j 2 -o @DIR@
