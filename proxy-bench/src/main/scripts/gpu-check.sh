#!/usr/bin/env bash
#
# Copyright 2026 The proxyrt authors
# SPDX-License-Identifier: Apache-2.0
#
# Checks and measures proxyrt on a machine with GPUs, from the kit that gpu-pack.sh made. Every step runs by itself and
# for a limited time; one that fails does not keep the others from running.
#
#   gpu-check.sh check [STEP...]   what there is, the conformance suites, every transport with all data checked
#   gpu-check.sh bench [STEP...]   the figures of proxyrt, and of NCCL under the same boot
#
#   STEP    only these, such as "devices perf": a prefix will do
#   OUT     folder of the results; default gpu-out here: summary.txt, log.txt, devices.json, perf.csv, nccl.csv, …
#   DEVICE  cuda or hip; default cuda; host tries the kit out
#   GPUS    how many of them; default all that the driver shows
#   ROUNDS  of the figures that bench makes; default 3
#   BUDGET  seconds for all steps together; default 480 for check, 560 for bench
#
# Ranks that share the only GPU are threads of one process, for kernels of two processes take turns there, a time slice
# each. Where there is MPS, check has it run them side by side as well, from a daemon of its own that ends with it.
#
set -uo pipefail

kit=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mode=${1:-}
case $mode in
    check) budget=${BUDGET:-480} ;;
    bench) budget=${BUDGET:-560} ;;
    *) sed -n '6,20s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
shift
wanted=("$@")
out=${OUT:-$PWD/gpu-out}
device=${DEVICE:-cuda}
mkdir -p "$out"
summary=$out/summary.txt
log=$out/log.txt
work=$(mktemp -d)
# Where the daemon of MPS listens; empty while there is none.
mps=
running=
trap 'stop_mps; rm -rf "$work"' EXIT
trap 'kill $running 2>/dev/null; exit 130' INT
trap 'kill $running 2>/dev/null; exit 143' TERM
failed=0
export NCCL_NVLS_ENABLE=0
# For the other processes of the suites.
export TESTKIT_DEVICE=${DEVICE:-cuda}

# Folders of the vendor's libraries that Python packages brought, then the usual ones.
library_folders() {
    local packages
    packages=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2>/dev/null)
    for folder in "$packages"/nvidia/cu1*/lib "$packages"/nvidia/*/lib /usr/local/nvidia/lib64 \
            /usr/local/cuda/lib64 /opt/rocm/lib; do
        [ ! -d "$folder" ] || printf '%s\n' "$folder"
    done | awk '!seen[$0]++' | paste -sd:
}

libraries=$(library_folders)
# Read by proxyrt's options cuda.library.path and hip.library.path.
export PROXYRT_CUDA_LIBRARY_PATH=${PROXYRT_CUDA_LIBRARY_PATH-$libraries}
export PROXYRT_HIP_LIBRARY_PATH=${PROXYRT_HIP_LIBRARY_PATH-$libraries}

# Of AMD's the kernel's driver tells, without a tool: nodes that compute, but for CPUs.
count_gpus() {
    if [ "$device" = hip ]; then
        grep -lsE '^simd_count [1-9]' /sys/class/kfd/kfd/topology/nodes/*/properties | wc -l
    else
        nvidia-smi -L 2>/dev/null | grep -c '^GPU'
    fi
}

gpus=${GPUS:-$(count_gpus)}
[ "$gpus" -gt 0 ] || gpus=1
if [ "$device" = host ]; then
    ranks=(--ranks 2)
elif [ "$gpus" -gt 1 ]; then
    ranks=(--ranks "$gpus" --gpus "$gpus")
else
    ranks=(--ranks 2 --gpus 1 --in-process)
fi

java_flags=(-XX:+UseSerialGC -Xms64m -Xmx2g -XX:-UsePerfData)
export PROXYRT_JAVA_OPTS=-Xmx2g

# What runs the command; empty if nothing does.
under=()

# Of what every collective is timed with: least and most bytes, factor, calls.
every_size='1024 268435456 8 20'
every_collective='all_reduce all_gather reduce_scatter broadcast reduce alltoall sendrecv'

proxyrt() {
    ${under[@]+"${under[@]}"} "$kit/java/bin/java" "${java_flags[@]}" --enable-native-access=io.proxyrt.natives,org.newsclub.net.unix \
        --add-modules=org.newsclub.net.unix,com.kohlschutter.junixsocket.nativecommon \
        -p "$kit/modules" -m io.proxyrt.cli/io.proxyrt.cli.ProxyRt "$@"
}

proxyrt_bench() {
    "$kit/java/bin/java" "${java_flags[@]}" --enable-native-access=ALL-UNNAMED -Dbench.root="$kit" \
        -cp "$kit/lib/*:$kit/modules/*" io.proxyrt.bench.BenchCommand "$@"
}

# Suites that are tagged as wanting a device of this machine.
suites() {
    "$kit/java/bin/java" "${java_flags[@]}" -ea --enable-native-access=ALL-UNNAMED \
        -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dtestkit.device="$device" \
        -cp "$kit/lib/*:$kit/modules/*:$kit/tests/*" org.junit.platform.console.ConsoleLauncher execute \
        --scan-classpath "$kit/tests/$1.jar" --include-classname '.*' --include-tag installed-gpu \
        --disable-banner --details=testfeed --disable-ansi-colors --fail-if-no-tests \
        --config junit.jupiter.execution.timeout.default=60s \
        --config junit.jupiter.execution.timeout.thread.mode.default=SEPARATE_THREAD
}

is_wanted() {
    [ ${#wanted[@]} -eq 0 ] && return
    local prefix
    for prefix in "${wanted[@]}"; do
        [[ $1 == "$prefix"* ]] && return
    done
    return 1
}

# step NAME SECONDS COMMAND...: in a session of its own, so that all of it can be ended.
step() {
    local name=$1 limit=$2 status=ok started=$SECONDS left
    shift 2
    is_wanted "$name" || return 0
    left=$((budget - SECONDS))
    if [ "$left" -lt 5 ]; then
        printf '%-9s %-28s no time left\n' skipped "$name" | tee -a "$summary"
        failed=$((failed + 1))
        return
    fi
    printf '\n===== %s: %s\n' "$name" "$*" >>"$log"
    export -f proxyrt proxyrt_bench suites perf nccl nccl_library nccl_perf own_perf every_table sanitize machine
    timeout -k 3 "$((limit < left ? limit : left))" bash -c "$(declare -p kit java_flags device out work gpus ranks libraries mps under every_size every_collective)
        $(printf '%q ' "$@")" >"$work/output" 2>&1 &
    # In the background, so that who ends this script need not wait for the step.
    running=$!
    wait "$running"
    local code=$?
    running=
    [ "$code" -eq 0 ] || { status=FAILED; failed=$((failed + 1)); }
    [ "$code" -ne 124 ] && [ "$code" -ne 137 ] || status=TIMEOUT
    cat "$work/output" >>"$log"
    printf '%-9s %-28s %3d s%s\n' "$status" "$name" "$((SECONDS - started))" \
        "$([ "$status" = ok ] || printf ', status %d: %s' "$code" "$(grep -v '^ *$' "$work/output" | tail -n 1 | cut -c1-300)")" \
        | tee -a "$summary"
}

# left_out NAME REASON: a step that this machine has nothing for; it counts as no failure.
left_out() {
    is_wanted "$1" || return 0
    printf '%-9s %-28s %s\n' 'left out' "$1" "$2" | tee -a "$summary"
}

has_one_gpu() {
    [ "$device" != host ] && [ "$gpus" -eq 1 ]
}

# Starts the daemon of MPS, and sees that a process gets at its GPU by it; else why_no_mps says why not.
start_mps() {
    local control=nvidia-cuda-mps-control
    command -v "$control" >/dev/null || { why_no_mps="there is no $control"; return 1; }
    mps=$work/mps
    export CUDA_MPS_PIPE_DIRECTORY=$mps CUDA_MPS_LOG_DIRECTORY=$out/mps
    mkdir -p "$CUDA_MPS_PIPE_DIRECTORY" "$CUDA_MPS_LOG_DIRECTORY"
    if ! timeout -k 3 20 "$control" -d >"$work/output" 2>&1; then
        why_no_mps="$control -d fails: $(tail -n 1 "$work/output")"
    elif ! timeout -k 3 60 bash -c "$(declare -f proxyrt; declare -p kit java_flags)
            proxyrt info devices" >"$work/output" 2>&1 || ! grep -q concurrent_processes "$work/output"; then
        why_no_mps='the daemon is there, and a process does not get at its GPU by it'
    else
        return 0
    fi
    printf '\n===== mps\n' | cat - "$work/output" >>"$log"
    stop_mps
    return 1
}

# Ends the daemon and its servers, whoever still uses them.
stop_mps() {
    [ -n "$mps" ] || return 0
    echo 'quit -t 5' | timeout -k 3 15 nvidia-cuda-mps-control >/dev/null 2>&1
    local daemon
    daemon=$(cat "$mps/nvidia-cuda-mps-control.pid" 2>/dev/null)
    ! grep -qs nvidia-cuda-mps "/proc/${daemon:-none}/cmdline" || kill "$daemon"
    mps=
    unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
}

machine() {
    uname -a
    lscpu | grep -E '^(Model name|CPU\(s\)|NUMA|Socket)'
    nvidia-smi || return
    nvidia-smi topo -m
    python3 -m pip list 2>/dev/null | grep -i -E 'nvidia|nccl'
    printf 'libraries: %s\n' "$libraries"
    cat "$kit/version"
}

# perf TRANSPORT COLLECTIVE FLAG...: its table goes to the log, its rows to perf.csv.
perf() {
    local transport=$1 collective=$2 status
    shift 2
    # As NCCL's figures are made, which are to stand beside.
    [ "$transport" != NET ] || set -- "$@" --set net.socket.ifname=lo
    proxyrt perf "$collective" "${ranks[@]}" --device "$device" --transport "$transport" "$@" 2>&1 \
        | tee "$work/perf"
    status=${PIPESTATUS[0]}
    [ -z "$mps" ] || set -- mps "$@"
    # Columns of nccl-tests: size, count, type, op, root, then time, algbw, busbw and #wrong out of place and in place.
    awk -v label="$transport,$collective,${*//,/;}" '/^ *[0-9]+ +[0-9]+ +[a-z]/ {
        print label "," $1 "," $(NF-7) "," $(NF-6) "," $(NF-5) "," $(NF-4) "," $(NF-3) "," $(NF-2) "," $(NF-1) "," $NF
        }' "$work/perf" >>"$out/perf.csv"
    return "$status"
}

# sanitize TOOL TRANSPORT COLLECTIVE: the kernels under one of the vendor's tools. It has launches of a process wait for
# each other, and kernels of the ranks do that too: so each rank is a process, on a GPU of its own.
sanitize() {
    local sanitizer
    sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer | tail -n 1) || return
    under=("$sanitizer" --tool "$1" --target-processes all --kernel-name kernel_substring=proxyrt)
    proxyrt perf "$3" --ranks 2 --gpus 2 --device "$device" --transport "$2" -b 8 -e 256K -f 32 -n 2 -w 1 \
        --jit-warmup 0 --timeout 50 --set coll.gpu.timeout=50s 2>&1 | tee "$work/sanitize"
    [ "${PIPESTATUS[0]}" -eq 0 ] && grep -qE 'ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards' "$work/sanitize" \
        && ! grep -qE 'SUMMARY: [1-9]' "$work/sanitize"
}

nccl_library() {
    tr : '\n' <<<"$libraries" | sed 's:$:/libnccl.so.2:' | while read -r file; do
        [ ! -e "$file" ] || printf '%s\n' "$file"
    done | grep -m 1 . || printf 'libnccl.so.2\n'
}

# nccl_perf LABEL RANKS VARIABLE...: NCCL's time of every collective.
nccl_perf() {
    local label=$1 count=$2
    shift 2
    if [ ! -x "$work/nccl_perf" ]; then
        nvcc -O2 -arch=native -cudart static -o "$work/nccl_perf" "$kit/proxy-bench/peers/nccl_perf.cu" -ldl || return
    fi
    # shellcheck disable=SC2086  # words
    env "$@" "$work/nccl_perf" "$(nccl_library)" "$label" "$count" $every_size $every_collective \
        | tee -a "$out/every.csv"
    return "${PIPESTATUS[0]}"
}

# own_perf COLLECTIVE RANKS: proxyrt's, over P2P, in the same form.
own_perf() {
    local least most factor calls status
    read -r least most factor calls <<<"$every_size"
    proxyrt perf "$1" --ranks "$2" --gpus "$2" --device "$device" --transport P2P -b "$least" -e "$most" -f "$factor" \
        -n "$calls" --jit-warmup 1500 --timeout 20 2>&1 | tee "$work/own"
    status=${PIPESTATUS[0]}
    awk -v label="proxyrt,$2,$1" '/^ *[0-9]+ +[0-9]+ +[a-z]/ { print label "," $1 "," $(NF-7) }' "$work/own" \
        >>"$out/every.csv"
    return "$status"
}

# What every.csv says, as a table: proxyrt's time beside NCCL's.
every_table() {
    awk -F, '
        /^#/ { next }
        $1 == "proxyrt" { own[++n] = $2 SUBSEP $3 SUBSEP $4; us[$2, $3, $4] = $5 }
        $1 != "proxyrt" { nccl[$1, $2, $3, $4] = $5 }
        function beside(label, key) {
            return nccl[label SUBSEP key] == "" ? " | –" \
                : sprintf(" | %.1f (%.2f)", nccl[label SUBSEP key], us[key] / nccl[label SUBSEP key])
        }
        END {
            print "| GPUs | collective | bytes | proxyrt, µs | NCCL without NVLS (ratio) | as NCCL chooses (ratio) |"
            print "|---|---|---|---|---|---|"
            for (i = 1; i <= n; i++) {
                split(own[i], part, SUBSEP)
                print "| " part[1] " | " part[2] " | " part[3] " | " us[own[i]] beside("nccl", own[i]) \
                    beside("nccl-nvls", own[i]) " |"
            }
        }' "$out/every.csv" | tee "$out/every.md"
}

# nccl LABEL VARIABLE...: one label of NCCL's table.
nccl() {
    local label=$1
    shift
    if [ ! -x "$work/nccl_bench" ]; then
        nvcc -O2 -arch=native -cudart static -o "$work/nccl_bench" "$kit/files/nccl_bench.cu" -ldl || return
    fi
    # 16 times 256 MiB a batch, as bench gpu has them.
    env "$@" NCCL_NVLS_ENABLE=0 "$work/nccl_bench" "$(nccl_library)" "$label" 16 >"$work/nccl" 2>&1
    local status=$?
    cat "$work/nccl"
    grep "^$label," "$work/nccl" >>"$out/nccl.csv"
    ! grep -q WRONG "$work/nccl" && return "$status"
}

check() {
    step machine 20 machine
    step devices 60 proxyrt info devices --json "$out/devices.json"
    has_one_gpu || step suites-testkit 100 suites proxy-testkit
    step suites-collectives 100 suites proxy-collectives
    check_perf perf 64M
    if has_one_gpu; then
        left_out perf-P2P-ce 'within one GPU no copy engine copies: that takes two'
        check_processes
    else
        step perf-P2P-ce 45 perf P2P sendrecv -b 8 -e 64M -f 8 -n 5 -w 1 --jit-warmup 300 --timeout 10 \
            --set p2p.use.memcpy=1
        [ "$device" != cuda ] || check_kernels
    fi
}

# Of two ranks: memory, shared memory, barriers.
check_kernels() {
    local tool transport
    for transport in SHM P2P; do
        for tool in memcheck racecheck synccheck; do
            step "kernels-$transport-$tool" 70 sanitize "$tool" "$transport" all_reduce
            step "kernels-$transport-$tool-send" 70 sanitize "$tool" "$transport" sendrecv
        done
    done
}

# check_perf NAME MOST: every transport, with all data checked.
check_perf() {
    local transport collective
    for transport in SHM NET P2P; do
        for collective in sendrecv all_reduce; do
            step "$1-$transport-$collective" 45 perf "$transport" "$collective" -b 8 -e "$2" -f 8 -n 5 -w 1 \
                --jit-warmup 300 --timeout 10
        done
        step "$1-$transport-graph" 45 perf "$transport" all_reduce -b 8 -e 1M -f 8 -n 5 -w 1 -G 5 --jit-warmup 300 \
            --timeout 10
        step "$1-$transport-tree" 45 perf "$transport" all_reduce -b 8 -e "$2" -f 8 -n 5 -w 1 --jit-warmup 300 \
            --timeout 10 --set coll.algo=tree
    done
}

# Two processes on the only GPU. AMD's run their kernels side by side as it is.
check_processes() {
    local ranks=(--ranks 2 --gpus 1) name is_any=
    for name in suites-testkit processes-{SHM,NET,P2P}-{sendrecv,all_reduce,graph}; do
        ! is_wanted "$name" || is_any=yes
    done
    if [ -n "$is_any" ] && [ "$device" = cuda ] && ! start_mps; then
        left_out processes "no MPS, without which an operation of two processes takes milliseconds: $why_no_mps"
        step suites-testkit 100 suites proxy-testkit
        return
    fi
    step suites-testkit 100 suites proxy-testkit
    check_perf processes 4M
    stop_mps
}

bench() {
    step machine 20 machine
    step devices 60 proxyrt info devices --json "$out/devices.json"
    local beside=()
    if [ -e "$kit/files/nccl_bench.cu" ] && [ "$gpus" -gt 1 ]; then
        local socket='NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 NCCL_NET=Socket NCCL_SOCKET_IFNAME=lo NCCL_IB_DISABLE=1'
        step nccl-p2p 40 nccl p2p
        step nccl-shm 40 nccl shm NCCL_P2P_DISABLE=1
        # shellcheck disable=SC2086  # the settings are words
        step nccl-net 90 nccl net $socket
        # shellcheck disable=SC2086
        step nccl-net4x4 60 nccl net4x4 $socket NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=4
        step nccl-p2p_ce 40 nccl p2p_ce NCCL_P2P_USE_CUDA_MEMCPY=1
    fi
    [ ! -s "$out/nccl.csv" ] || beside=(--nccl "$out/nccl.csv")
    step bench-gpu 240 proxyrt_bench gpu --rounds "${ROUNDS:-3}" --out "$work" --device "$device" "${beside[@]}"
    cp "$work"/gpu.md "$work"/gpu.csv "$out" 2>/dev/null
    # In one file, since few come back from some machines.
    (cd "$work" && tar -czf "$out/gpu-plots.tgz" gpu-*.svg) 2>/dev/null
    local transport collective
    for transport in SHM NET P2P; do
        for collective in sendrecv all_reduce; do
            step "perf-$transport-$collective" 60 perf "$transport" "$collective" -b 1K -e 256M -f 4 -n 20 -w 3 \
                --jit-warmup 1500 --timeout 20
        done
        step "perf-$transport-tree" 60 perf "$transport" all_reduce -b 1K -e 256M -f 4 -n 20 -w 3 \
            --jit-warmup 1500 --timeout 20 --set coll.algo=tree
    done
    [ "$device" != cuda ] || [ "$gpus" -eq 1 ] || bench_every
}

# Every collective of 2, 4 and 8 GPUs, beside NCCL; its fastest way of its own, and without the switch's reductions.
bench_every() {
    local count collective
    for count in 2 4 8; do
        [ "$count" -le "$gpus" ] || continue
        if command -v nvcc >/dev/null; then
            step "every-$count-nccl" 60 nccl_perf nccl "$count" NCCL_NVLS_ENABLE=0
            step "every-$count-nccl-nvls" 60 nccl_perf nccl-nvls "$count" NCCL_NVLS_ENABLE=2
        else
            left_out "every-$count-nccl" 'there is no nvcc to compile what times NCCL'
        fi
        for collective in $every_collective; do
            step "every-$count-$collective" 40 own_perf "$collective" "$count"
        done
    done
    step every-table 10 every_table
}

printf 'proxyrt %s, %s, %s GPUs, %s s for all\n' "$(cat "$kit/version")" "$mode" "$gpus" "$budget" | tee -a "$summary"
"$mode"
printf '%d steps failed, %d s\n' "$failed" "$SECONDS" | tee -a "$summary"
[ "$failed" -eq 0 ]
