# Published and simulated bandwidth of one system by size; called with
# gnuplot -c collectives.gp SYSTEM.dat SYSTEM.svg
# Narrow enough for a telephone; pages put several side by side.
set encoding utf8
title_of(path) = system(sprintf("sed -n '1s/^# //p' %s", path))
set terminal svg size 352,260 font 'sans-serif,12' noenhanced background 'white'
set output ARG2
set title title_of(ARG1)
stats ARG1 using 1 nooutput name 'X'
set logscale x 2
set xtics ('8 B' 8, '1 KiB' 2**10, '32 KiB' 2**15, '1 MiB' 2**20, \
    '32 MiB' 2**25, '1 GiB' 2**30)
if (X_min > 2**28) {
    set xtics ('512 MiB' 2**29, '1 GiB' 2**30, '2 GiB' 2.0**31, \
        '4 GiB' 2.0**32, '8 GiB' 2.0**33)
    set yrange [0:*]
} else {
    set logscale y
    unset mytics
}
set format y '%g'
set tics scale 0.5, 0
set ytics nomirror
set xtics nomirror
set border 3
set grid lc rgb '#dddddd'
set ylabel 'busbw, GB/s'
set key outside bottom center horizontal maxrows 1 samplen 2 width -3
set rmargin 3
plot ARG1 using 1:3 with lines lw 2 lc rgb '#0072b2' title 'simulated', \
     '' using 1:($4 > 0 ? $4 : NaN) with lines lw 1.5 dt 2 \
         lc rgb '#e69f00' title 'with its own', \
     '' using 1:2 with points pt 7 ps 0.4 lc rgb '#333333' title 'published'
