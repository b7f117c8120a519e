# Published and simulated bandwidth of one system by size; called with
# gnuplot -c collectives.gp SYSTEM.dat SYSTEM.svg
# Narrow enough for a telephone; pages put several side by side.
set encoding utf8
title_of(path) = system(sprintf("sed -n '1s/^# //p' %s", path))
set terminal svg size 352,260 font 'sans-serif,12' noenhanced background 'white'
set output ARG2
set title title_of(ARG1)
set logscale x 2
set xtics ('8 B' 8, '1 KiB' 2**10, '32 KiB' 2**15, '1 MiB' 2**20, \
    '32 MiB' 2**25, '1 GiB' 2**30, '16 GiB' 2.0**34)
set logscale y
set format y '%g'
set ytics nomirror
set xtics nomirror
set border 3
set grid lc rgb '#dddddd'
set ylabel 'busbw, GB/s'
set key outside bottom center horizontal
set rmargin 3
plot ARG1 using 1:3 with lines lw 2 lc rgb '#0072b2' title 'simulated', \
     '' using 1:($4 > 0 ? $4 : NaN) with lines lw 1.5 dt 2 \
         lc rgb '#e69f00' title 'with its own', \
     '' using 1:2 with points pt 7 ps 0.4 lc rgb '#333333' title 'published'
