# Published against simulated kernels of one NPU; called with
# gnuplot -c kernels.gp NPU.dat NPU PREFIX
# PREFIX-0.svg: all times; PREFIX-1.svg and on: rates of one family each
set encoding utf8
stats ARG1 using 1 nooutput name 'ALL'
n = int(ALL_blocks)
set terminal svg size 352,260+20*n font 'sans-serif,12' noenhanced background 'white'
array colour[7] = ['#0072b2', '#e69f00', '#009e73', '#d55e00', '#56b4e9', \
                   '#cc79a7', '#999999']
colour_of(i) = colour[i % 7 + 1]
family(i) = system(sprintf("awk -v n=%d '/^\"/ && n-- == 0 " . \
    "{ split($0, p, \"\\\"\"); print p[%d] }' %s", i, 2, ARG1))
label(i, k) = system(sprintf("awk -v n=%d '/^\"/ && n-- == 0 " . \
    "{ split($0, p, \"\\\"\"); print p[%d] }' %s", i, 2 * k, ARG1))
set grid lc rgb '#dddddd'
set border 3
set tics nomirror
part(value, is_held, wanted) = is_held == wanted ? value : NaN

set output ARG3 . '-0.svg'
set title ARG2 . ': time of each kernel'
set logscale xy
set format xy '%.0s %cs'
set xlabel 'measured'
set ylabel 'simulated'
set key outside bottom center horizontal
set xtics 100
set ytics 100
plot x lc rgb '#888888' notitle, \
     x * 1.2 lc rgb '#888888' dt 2 title '20 % off', \
     x / 1.2 lc rgb '#888888' dt 2 notitle, \
     for [i = 0:n - 1] ARG1 index i \
         using (part($4 * 1e-6, $6, 0)):($5 * 1e-6) notitle \
         with points pt 6 ps 0.3 lc rgb colour_of(i), \
     for [i = 0:n - 1] ARG1 index i \
         using (part($4 * 1e-6, $6, 1)):($5 * 1e-6) title family(i) \
         with points pt 7 ps 0.4 lc rgb colour_of(i)

set terminal svg size 352,300 font 'sans-serif,12' noenhanced background 'white'
unset logscale
set logscale x
set format y '%g'
set format x '%.0s %c'
set yrange [0:*]
set xtics auto
set ytics auto
do for [i = 0:n - 1] {
    stats ARG1 index i using 1 nooutput name 'X'
    if (X_min == X_max) { continue } # no curve, and not on the page
    set output sprintf('%s-%d.svg', ARG3, i + 1)
    set title ARG2 . ': ' . family(i)
    set xlabel label(i, 2)
    set ylabel label(i, 3)
    smooth_it = label(i, 2) eq 'bytes in flight on an SM'
    if (smooth_it) {
        plot ARG1 index i using 1:3 with lines lw 2 lc rgb colour_of(i) \
                 title 'simulated', \
             '' index i using (part($1, $6, 0)):2 with points pt 6 ps 0.5 \
                 lc rgb '#333333' title 'fitted to', \
             '' index i using (part($1, $6, 1)):2 with points pt 7 ps 0.5 \
                 lc rgb '#333333' title 'held out'
    } else {
        plot ARG1 index i using 1:3 with points pt 2 ps 0.5 \
                 lc rgb colour_of(i) title 'simulated', \
             '' index i using (part($1, $6, 0)):2 with points pt 6 ps 0.4 \
                 lc rgb '#333333' title 'fitted to', \
             '' index i using (part($1, $6, 1)):2 with points pt 7 ps 0.4 \
                 lc rgb '#333333' title 'held out'
    }
}
