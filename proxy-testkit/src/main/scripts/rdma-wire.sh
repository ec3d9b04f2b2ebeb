#!/usr/bin/env bash
#
# Copyright 2026 The proxyrt authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs collectives of two ranks over two soft-RoCE devices, each at an end of a veth wire that is sound, loses packets,
# delays them, is down for 3 s, and breaks. It changes routes and devices of the machine it runs on, as root: for a virtual
# machine that is thrown away, which --throw-away says it is.
#
#   rdma-wire.sh --throw-away   proxyrt perf has to be built
#
#   JAVA_HOME  a JDK 25
#   JAVA_OPTS  options for the JVMs, instead of those for a machine that is emulated
#
set -euo pipefail

root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd)
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT
port=45000
# Emulated CPUs may run a method as it is replaced, and half of an instruction: replace few.
options=${JAVA_OPTS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}

die() {
    printf 'rdma-wire: %s\n' "$*" >&2
    exit 1
}

# Addresses of one machine would be reached through lo: each is to be reached through the other end of the wire.
wire() {
    modprobe -aq veth sch_netem rdma_rxe || true
    ip link add vA type veth peer name vB
    ip link set vA mtu 4200 up
    ip link set vB mtu 4200 up
    ip addr add 10.1.0.1/32 dev vA
    ip addr add 10.1.0.2/32 dev vB
    local switch
    for switch in /proc/sys/net/ipv4/conf/{all,vA,vB}/rp_filter; do echo 0 >"$switch"; done
    for switch in /proc/sys/net/ipv4/conf/{all,vA,vB}/accept_local; do echo 1 >"$switch"; done
    ip rule add pref 1 from 10.1.0.1 to 10.1.0.2 iif lo lookup 101
    ip rule add pref 2 from 10.1.0.2 to 10.1.0.1 iif lo lookup 102
    routes
    ip rule add pref 10 lookup local
    ip rule del pref 0
    rdma link add rxeA type rxe netdev vA
    rdma link add rxeB type rxe netdev vB
    local device major minor
    for device in /sys/class/infiniband_verbs/uverbs*; do
        IFS=: read -r major minor <"$device/dev"
        [ -e "/dev/infiniband/${device##*/}" ] || mknod -m 666 "/dev/infiniband/${device##*/}" c "$major" "$minor"
    done
}

routes() {
    ip route replace 10.1.0.2 dev vA src 10.1.0.1 table 101
    ip route replace 10.1.0.1 dev vB src 10.1.0.2 table 102
}

# rank NUMBER HCA ARGUMENT...
rank() {
    local number=$1 hca=$2
    shift 2
    # shellcheck disable=SC2086
    PROXYRT_JAVA_OPTS=$options PROXYRT_RANK=$number PROXYRT_NRANKS=2 PROXYRT_COMM_ID=127.0.0.1:$port NCCL_SOCKET_IFNAME='=lo' NCCL_IB_HCA="=$hca" \
        "$JAVA_HOME/bin/java" $options --enable-native-access=io.proxyrt.natives \
        -p "$root/proxy-cli/target/modules" -m io.proxyrt.cli/io.proxyrt.cli.ProxyRt perf all_reduce --net ib \
        -w 1 --jit-warmup 0 "$@"
}

# Two ranks; the statuses of both are in "statuses", what they say in $output/0 and $output/1.
ranks() {
    local pids=() each
    statuses=()
    port=$((port + 1))
    rank 0 rxeA "$@" >"$output/0" 2>&1 &
    pids+=($!)
    rank 1 rxeB "$@" >"$output/1" 2>&1 &
    pids+=($!)
    for each in "${pids[@]}"; do
        local status=0
        wait "$each" || status=$?
        statuses+=("$status")
    done
    cat "$output/0"
}

packets() {
    cat /sys/class/net/vA/statistics/tx_packets
}

sound() {
    local before
    before=$(packets)
    printf '\n=== wire: %s\n' "$1"
    ranks -b 1K -e 1M -f 1024 -n 2 --timeout 120
    [ "${statuses[*]}" = '0 0' ] || { cat "$output/1"; die "ranks ended with status ${statuses[*]} over a wire that is $1"; }
    printf '%s packets went from rank 0\n' $(($(packets) - before))
    [ $(($(packets) - before)) -gt 1000 ] || die 'the data went another way'
}

[ "${1:-}" = --throw-away ] || die 'changes routes of this machine; say --throw-away where that does no harm'
: "${JAVA_HOME:?is to be the folder of a JDK 25}"
wire
sound 'sound'
tc qdisc add dev vA root netem loss 2%
sound 'losing one packet in fifty'
tc qdisc replace dev vA root netem delay 2ms
sound 'slow by 2 ms'
tc qdisc del dev vA root

# whileRunning COMMAND...: once the ranks exchange data; when that was is in $output/then
whileRunning() {
    rm -f "$output"/*
    (
        until grep -q busbw "$output/0" 2>/dev/null; do sleep 0.2; done
        sleep 5
        date +%s >"$output/then"
        "$@"
    ) &
    meanwhile=$!
}

downAndUp() {
    ip link set vA down
    sleep 3
    ip link set vA up
    routes
    sleep 5
    packets >"$output/packets"
}

printf '\n=== wire: down for 3 s\n'
whileRunning downAndUp
ranks --set net.ib.failover=1 -b 256K -e 256K -n 300 --timeout 120
wait "$meanwhile"
[ "${statuses[*]}" = '0 0' ] || { cat "$output/1"; die "ranks ended with status ${statuses[*]} over a wire that came back"; }
grep -h 'go over the control connection' "$output/0" "$output/1" || die 'no rank says that it went on over TCP'
printf '%s packets went from rank 0 once the wire had been back for 5 s\n' $(($(packets) - $(cat "$output/packets")))
[ $(($(packets) - $(cat "$output/packets"))) -gt 1000 ] || die 'the data did not go back to the wire'

printf '\n=== wire: breaks\n'
whileRunning tc qdisc add dev vA root netem loss 100%
NCCL_IB_TIMEOUT=14 NCCL_IB_RETRY_CNT=4 ranks -b 1K -e 1M -f 1024 -n 1000000 --timeout 120
took=$(($(date +%s) - $(cat "$output/then")))
cat "$output/1"
[ "${statuses[0]}" -ne 0 ] && [ "${statuses[1]}" -ne 0 ] || die "ranks ended with status ${statuses[*]} though the wire broke"
grep -qhE 'RETRY_EXC_ERR|closed by the peer' "$output/0" "$output/1" || die 'no rank says that the connection was lost'
printf 'both ranks ended %s s after the wire broke\n' "$took"
[ "$took" -lt 60 ] || die 'that is as long as if nothing had noticed'
