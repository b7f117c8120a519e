# Simulated over published figure of each claim of one paper; called with
# gnuplot -c papers.gp PAPER.dat PAPER.svg
# Columns, separated by tabs: claim, published least and most, simulated figure,
# its least and its most over inputs that are not published.
set encoding utf8
set datafile separator "\t"
stats ARG1 using 4 nooutput
n = STATS_records
set terminal svg size 900, 100 + 22 * n font 'sans-serif,12' noenhanced background 'white'
set output ARG2
set logscale x 2
set xlabel 'simulated / published, logarithmic'
set yrange [n - 0.5:-0.5]
set grid x lc rgb '#dddddd'
set border 1
set tics nomirror scale 0.5
set lmargin 60
set tmargin 3
set xtics (0.1, 0.25, 0.5, 0.7, 1, 1.4, 2, 4)
unset key
clip(s) = strlen(s) > 62 ? s[1:60].'…' : s
# "0 to 5" is divided by 5, and what begins at 0 begins at a tenth.
middle(a, b) = a > 0 ? sqrt(a * b) : b
shown(x) = x > 0.1 ? x : 0.1
set arrow from 1, graph 0 to 1, graph 1 nohead lc rgb '#888888' dt 2
plot ARG1 using ($4 / middle($2, $3)):0:(shown($2 / middle($2, $3))):($3 / middle($2, $3)):yticlabels(clip(strcol(1))) \
         with xerrorbars pt -1 ps 0 lw 9 lc rgb '#dddddd', \
     ARG1 using ($4 / middle($2, $3)):0:(shown($5 / middle($2, $3))):($6 / middle($2, $3)) \
         with xerrorbars pt -1 ps 0 lw 2 lc rgb '#56b4e9', \
     ARG1 using ($4 / middle($2, $3)):0 with points pt 7 ps 0.7 lc rgb '#0072b2'
