# Measured and simulated bandwidth of chains on a DGX-1V by size; called with
# gnuplot -c chains.gp chains.csv blink.svg
set encoding utf8
set datafile separator ','
set terminal svg size 720,300 font 'sans-serif,12' noenhanced background 'white'
set output ARG2
set multiplot layout 1,2
set logscale x 2
set xtics ('1 MiB' 2**20, '16 MiB' 2**24, '256 MiB' 2**28)
set ytics nomirror
set border 3
set grid lc rgb '#dddddd'
set yrange [0:75]
set ylabel 'GB/s of payload'
set key outside bottom center horizontal maxrows 2 samplen 1.5
logs = 'user01_nccl_baseline user03_nccl_baseline user01_3group user03_3group'
labels = '"0-1" "0-3" "0-1, 0-2-1, 0-3-1" "0-3, 0-1-3"'
colours = '#0072b2 #56b4e9 #d55e00 #e69f00'
rate(log, us) = strcol(1) eq log ? column(6) / us / 1e3 : NaN
do for [kind in 'broadcast allreduce'] {
    set title kind eq 'broadcast' ? 'broadcast' : 'all-reduce'
    plot for [i = 1:4] ARG1 every ::1 \
             using 6:(rate(kind . '_' . word(logs, i), column(8))) \
             with lines lw 2 lc rgb word(colours, i) title word(labels, i), \
         for [i = 1:4] ARG1 every ::1 \
             using 6:(rate(kind . '_' . word(logs, i), column(7))) \
             with points pt 7 ps 0.4 lc rgb word(colours, i) notitle
}
