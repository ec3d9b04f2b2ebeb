#!/usr/bin/env bash
#
# Copyright 2026 The proxyrt authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs tests that need RDMA: on this host if it has a device, else in a virtual machine with soft-RoCE, for which the
# project has no image of its own.
#
#   rdma-check.sh [CLASS...]   test classes of proxy-testkit; default: the conformance suites of verbs and of the IB network,
#                              collectives by rdma-perf.sh, and in a machine of RXE_VM rdma-wire.sh
#
#   RXE_VM     a program that runs its arguments in a machine with RDMA, as root, with this folder in it at the same path
#   JAVA_OPTS  options for the JVM, instead of those for a machine that is emulated
#
set -euo pipefail

root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd)
lib=$root/proxy-testkit/target/rdma
junit=org.junit.platform:junit-platform-console-standalone
classes=("$@")
[ $# -gt 0 ] || classes=(io.proxyrt.testkit.verbs.RxeVerbsTest io.proxyrt.testkit.net.RxeIbTest)

maven() {
    mvn -B -q -f "$root/pom.xml" -Dquick -pl proxy-testkit -am "$@"
}

# Jars, as a virtual machine reads many small files of its host slowly.
pack() {
    rm -rf "$lib"
    mkdir -p "$lib"
    maven test-compile org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies \
        -DoutputDirectory="$lib/others" -DexcludeGroupIds=io.proxyrt,org.junit.jupiter,org.junit.platform
    local version
    version=$(sed -n 's:.*<junit.version>5\.\(.*\)</junit.version>.*:1.\1:p' "$root/pom.xml")
    mvn -B -q org.apache.maven.plugins:maven-dependency-plugin:copy -Dartifact="$junit:$version" \
        -DoutputDirectory="$lib/others"
    "$jdk/bin/jar" --create --no-compress --file "$lib/tests.jar" -C "$root/proxy-testkit/target/quick/test-classes" .
    for built in "$root"/proxy-*/target/quick/classes; do
        local module=${built#"$root"/}
        "$jdk/bin/jar" --create --no-compress --file "$lib/${module%%/*}.jar" -C "$built" .
    done
}

runner=()
options=(-Dtest.rdma.required=true)
if ! compgen -G '/dev/infiniband/uverbs*' >/dev/null; then
    if [ -z "${RXE_VM:-}" ]; then
        printf '%s\n' "rdma-check: this host has no RDMA device (no /dev/infiniband/uverbs*), and RXE_VM names no program that" \
            "runs a command where there is one. Nothing was checked." >&2
        exit 3
    fi
    runner=("$RXE_VM")
    # Its links are there for the tests alone.
    options+=(-Dtest.rdma.links=true)
fi
cd "$root"
# As the launcher finds it, which builds what rdma-perf.sh runs.
jdk=$(PROXYRT_JAVA_OPTS=-XshowSettings:properties ./proxyrt --version 2>&1 | sed -n 's/^ *java\.home = //p')
pack
# shellcheck disable=SC2086
"${runner[@]}" "$jdk/bin/java" ${JAVA_OPTS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC} -ea \
    --sun-misc-unsafe-memory-access=deny --illegal-native-access=deny --enable-native-access=ALL-UNNAMED \
    "${options[@]}" \
    -cp "$lib/*:$lib/others/*" org.junit.platform.console.ConsoleLauncher execute --disable-banner \
    --disable-ansi-colors --details=testfeed --fail-if-no-tests "${classes[@]/#/--select-class=}"
[ $# -eq 0 ] || exit 0
for collective in all_reduce sendrecv all_gather; do
    "${runner[@]}" env JAVA_HOME="$jdk" JAVA_OPTS="${JAVA_OPTS:-}" proxy-testkit/src/main/scripts/rdma-perf.sh "$collective"
done
[ ${#runner[@]} -eq 0 ] || "${runner[@]}" env JAVA_HOME="$jdk" JAVA_OPTS="${JAVA_OPTS:-}" \
    proxy-testkit/src/main/scripts/rdma-wire.sh --throw-away
