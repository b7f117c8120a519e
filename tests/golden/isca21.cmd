sweep configs/papers/ace/isca21.yaml -j 2 -o @DIR@
