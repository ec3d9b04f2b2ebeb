#!/usr/bin/env bash
#
# Copyright 2026 The proxyrt authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs a collective of two ranks over this host's RDMA devices, with each protocol, 8 bytes to 8 MiB, and checks all data.
# Figures say nothing of an adapter: few iterations, and no time for the JIT compilers.
#
#   rdma-perf.sh COLLECTIVE [ARGUMENT...]   as of proxyrt perf, which has to be built
#
#   JAVA_HOME  a JDK 25
#   JAVA_OPTS  options for the JVMs, instead of those for a machine that is emulated
#
set -euo pipefail

root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd)
modules=$root/proxy-cli/target/modules
collective=${1:?is to be a collective, such as all_reduce}
shift
# Of the ranks, too. Emulated CPUs may run a method as it is replaced, and half of an instruction: replace few.
export PROXYRT_JAVA_OPTS=${JAVA_OPTS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}
[ -d "$modules" ] || {
    printf '%s\n' "rdma-perf: there is no $modules; ./proxyrt --version builds it" >&2
    exit 1
}
for protocol in LL LL128 SIMPLE; do
    printf '\n=== %s %s\n' "$collective" "$protocol"
    # shellcheck disable=SC2086
    "${JAVA_HOME:?is to be the folder of a JDK 25}/bin/java" $PROXYRT_JAVA_OPTS \
        --sun-misc-unsafe-memory-access=deny --illegal-native-access=deny --enable-native-access=io.proxyrt.natives \
        -p "$modules" -m io.proxyrt.cli/io.proxyrt.cli.ProxyRt perf "$collective" --ranks 2 --net ib \
        --set coll.protocol=$protocol -b 8 -e 8M -f 1024 -n 2 -w 1 --jit-warmup 0 --timeout 120 "$@"
done
