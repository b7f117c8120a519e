sweep configs/sweeps/isca21.yaml -j 2 -o @DIR@
