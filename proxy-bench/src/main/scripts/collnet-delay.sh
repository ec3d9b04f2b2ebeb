#!/usr/bin/env bash
#
# Copyright 2026 The proxyrt authors
# SPDX-License-Identifier: Apache-2.0
#
# Measures all-reduce by ring, by recursive doubling and by CollNet between 2, 4 and 8 hosts whose network takes its
# time. The hosts are network namespaces of this machine, and so is the one with CollNet's switch; slowwire.c joins
# them, and holds each packet for 100 us, or for 1 ms. A kernel with TUN devices will do. Takes root, and changes
# nothing of the machine, as all of it happens in namespaces of its own.
#
#   collnet-delay.sh [FOLDER]
#
#   FOLDER      gets collnet-delay.csv and collnet-delay.txt, of which "proxyrt bench collnet-delay FOLDER" makes a page
#               with tables and plots; default target/collnet-delay
#   HOSTS       how many; default "2 4 8", 8 at most
#   PER_HOST    ranks of each; default 1
#   DELAYS      of one way, in microseconds; default "100 1000"
#   WAYS        default "ring doubling collnet"
#   ROUNDS      in each of which all of them take turns; default 3
#   PERF_FLAGS  of "proxyrt perf all_reduce", besides the least and the largest size
#   JAVA_OPTS   options of the JVMs of ranks and switch
#
#   All ranks and the switch share this machine's CPUs, so nothing else should run. "proxyrt aot" before it saves time.
#
set -euo pipefail

root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd)
folder=${1:-$root/target/collnet-delay}
hosts=${HOSTS:-2 4 8}
per_host=${PER_HOST:-1}
delays=${DELAYS:-100 1000}
ways=${WAYS:-ring doubling collnet}
rounds=${ROUNDS:-3}
perf_flags=${PERF_FLAGS:--f 2 -n 20 -w 2 --jit-warmup 3000 --timeout 120}
java_opts=${JAVA_OPTS:--Xmx128m -XX:TieredStopAtLevel=1}
# The last host has the switch.
switch=9
switch_port=29499
port=29500

die() {
    printf 'collnet-delay: %s\n' "$*" >&2
    exit 1
}

say() {
    printf '%s\n' "$*" | tee -a "$folder/collnet-delay.txt"
}

# on HOST COMMAND...
on() {
    ip netns exec "h$1" "${@:2}"
}

make_hosts() {
    mkdir -p /run/netns
    mount -t tmpfs none /run/netns
    local host
    for host in $(seq "$switch"); do
        ip netns add "h$host"
        ip -n "h$host" link set lo up
    done
}

# await WHAT PID LOG COMMAND...: until the command succeeds; a minute at most, and no longer than the process runs.
await() {
    local deadline=$((SECONDS + 60))
    until "${@:4}"; do
        if ! kill -0 "$2" 2>/dev/null || [ "$SECONDS" -ge "$deadline" ]; then
            tail -n 20 "$3" >&2
            die "there is no $1"
        fi
        sleep 0.1
    done
}

# wire MICROSECONDS: joins the hosts, and asks how far apart they are.
wire() {
    local names host
    mapfile -t names < <(seq -f 'h%g' "$switch")
    : >"$work/wire"
    chrt -f 50 "$work/slowwire" wire "$1" "${names[@]}" >"$work/wire" &
    wire=$!
    await wire "$wire" "$work/wire" grep -q ready "$work/wire"
    for host in $(seq "$switch"); do
        ip -n "h$host" link set wire mtu 65520 txqueuelen 10000 up
        ip -n "h$host" addr add "10.1.0.$host/24" dev wire
    done
    local near far
    near=$(on 1 "$work/slowwire" ping 10.1.0.2)
    far=$(on 8 "$work/slowwire" ping "10.1.0.$switch")
    say "round $round, $1 us: an ICMP echo took $near us between hosts 1 and 2, $far us between host 8 and the switch's"
    [ "$near" -ge $((2 * $1)) ] || die 'the wire does not hold packets for so long'
}

unwire() {
    local host dropped=0
    for host in $(seq "$switch"); do
        dropped=$((dropped + $(on "$host" cat /sys/class/net/wire/statistics/tx_dropped)))
    done
    kill "$wire"
    wait "$wire"
    say "round $round, $1 us: $(tail -n 1 "$work/wire"); $dropped dropped before it"
}

is_listening() {
    local sockets
    sockets=$(on "$switch" cat /proc/net/tcp /proc/net/tcp6)
    grep -qi "$(printf ':%04X [0-9A-F]*:0000 0A' "$switch_port")" <<<"$sockets"
}

start_switch() {
    ip netns exec "h$switch" "$root/proxyrt" collnet-switch --listen "10.1.0.$switch:$switch_port" \
        >"$work/switch" 2>&1 &
    aggregation=$!
    await switch "$aggregation" "$work/switch" is_listening
}

stop_switch() {
    kill "$aggregation"
    wait "$aggregation" || true
}

# flags WAY: of all ranks. Doubling goes as far as a slot does.
flags() {
    case $1 in
        collnet) printf '%s\n' --set coll.algo=collnet --set coll.collnet.enable=1 \
            --set "collnet.switch=10.1.0.$switch:$switch_port" -e 4M ;;
        doubling) printf '%s\n' --set coll.algo=doubling -e 128K ;;
        *) printf '%s\n' --set "coll.algo=$1" -e 4M ;;
    esac
}

# rank NUMBER OF FLAG...: keeps to a CPU in turn, as those do that perf starts itself.
rank() {
    local number=$1 host=$(($1 / per_host + 1)) of=$2
    shift 2
    # shellcheck disable=SC2086  # the flags are words
    PROXYRT_RANK=$number PROXYRT_NRANKS=$of PROXYRT_COMM_ID=10.1.0.1:$port NCCL_SOCKET_IFNAME='=wire' \
        NCCL_HOSTID="host $host" on "$host" taskset -c $((number % $(nproc))) \
        "$root/proxyrt" perf all_reduce --set threading=invoker -b 8 "$@" $perf_flags
}

# sent FIRST LAST: bytes that these hosts have sent.
sent() {
    local host bytes=0
    for host in $(seq "$1" "$2"); do
        bytes=$((bytes + $(on "$host" cat /sys/class/net/wire/statistics/tx_bytes)))
    done
    printf '%s\n' "$bytes"
}

sent_by_switch() {
    sent "$switch" "$switch"
}

# measure DELAY HOSTS WAY: a line for each size, of data that were all right.
measure() {
    local delay=$1 of=$2 way=$3 words number pids=() status=0 before between
    mapfile -t words < <(flags "$way")
    before=$(sent_by_switch)
    between=$(sent 1 "$of")
    port=$((port + 1))
    for number in $(seq 0 $((of * per_host - 1))); do
        rank "$number" "$((of * per_host))" "${words[@]}" >"$work/rank$number" 2>&1 &
        pids+=($!)
    done
    for number in "${pids[@]}"; do wait "$number" || status=$?; done
    # Columns of nccl-tests: size, count, type, op, root, then time, algbw, busbw and #wrong out of place and in place.
    awk -v label="$round,$of hosts $delay us" -v way="$way" '/^ *[0-9]+ +[0-9]+ +[a-z]/ && $(NF-4) + $NF == 0 {
        printf "%s,\"%s\",%s,us,%s\n", label, $1, way, $(NF-7) }' "$work/rank0" >"$work/rows"
    if [ "$status" -ne 0 ] || [ ! -s "$work/rows" ]; then
        tail -n 20 "$work"/rank* >&2
        die "$way between $of hosts failed"
    fi
    if [ "$way" = collnet ] && [ $(($(sent_by_switch) - before)) -lt $((4 << 20)) ]; then
        die 'the data went another way than by the switch'
    fi
    cat "$work/rows" >>"$folder/collnet-delay.csv"
    say "round $round, $delay us, $of hosts, $way: $((($(sent 1 "$of") - between) >> 20)) MiB sent by all hosts"
    awk -F '[",]' -v what="$of hosts, $delay us, $way:" \
        '{ what = what "  " $4 ": " $8 } END { print what }' "$work/rows"
}

describe() {
    say "processor: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs"
    say "system: $(uname -sr)"
    say "options of ranks and switch: $java_opts"
    say "flags of perf all_reduce: $perf_flags"
}

if [ "${COLLNET_DELAY_APART:-}" != 1 ]; then
    [ "$(id -u)" -eq 0 ] || die 'takes root, for network namespaces and their devices'
    "$root/proxyrt" --version >/dev/null
    COLLNET_DELAY_APART=1 exec unshare --net --mount --pid --fork --kill-child --mount-proc \
        "${BASH_SOURCE[0]}" "$@"
fi

mkdir -p "$folder"
work=$(mktemp -d)
# Whatever still runs ends with this process, the first of its namespace.
trap 'rm -rf "$work"' EXIT
cc -O3 -march=native -o "$work/slowwire" "$root/proxy-bench/peers/slowwire.c"
(umask 077 && head -c 32 /dev/urandom | base64 >"$work/secret")
export PROXYRT_JAVA_OPTS=$java_opts PROXYRT_SECRET_FILE=$work/secret
: >"$folder/collnet-delay.txt"
printf 'round,experiment,scenario,contender,metric,value\n' >"$folder/collnet-delay.csv"
make_hosts
describe
for round in $(seq "$rounds"); do
    for delay in $delays; do
        wire "$delay"
        [[ " $ways " != *' collnet '* ]] || start_switch
        for of in $hosts; do
            for way in $ways; do
                measure "$delay" "$of" "$way"
            done
        done
        [[ " $ways " != *' collnet '* ]] || stop_switch
        say "round $round, $delay us: load average $(cut -d ' ' -f 1 /proc/loadavg)"
        unwire "$delay"
    done
done
