#!/usr/bin/env bash
#
# Copyright 2026 The proxyrt authors
# SPDX-License-Identifier: Apache-2.0
#
# Packs what it takes to check and measure proxyrt on a machine with GPUs that has neither a JDK nor Maven nor a network:
# a Java runtime, the modules, the tests, and gpu-check.sh, which runs them there. Run it in a source tree, with a JDK 25
# in JAVA_HOME.
#
#   gpu-pack.sh [FOLDER [FILE...]]
#
#   FOLDER   gets gpu-kit.tar.gz; default target/gpu-kit, which git ignores
#   FILE     goes along, into files/: nccl_bench.cu is compiled and run beside proxyrt
#
#   On the other machine: tar xzf gpu-kit.tar.gz && gpu-kit/gpu-check.sh check
#
set -euo pipefail

root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd)
folder=${1:-$root/target/gpu-kit}
[ $# -eq 0 ] || shift
# Outside the folder, so that the folder may travel as it is.
staging=$root/target/gpu-kit-staging
kit=$staging/gpu-kit
jdk=${JAVA_HOME:?is to be the folder of a JDK 25}
# Below 64 MiB, to which uploads may be limited, so that a kit that grows is noticed before it cannot be brought there.
most_mib=56
# What the runtime, its tests, JUnit and an SSL engine take of the JDK.
jdk_modules=java.base,java.compiler,java.instrument,java.logging,java.management,java.naming,java.xml,jdk.attach
jdk_modules+=,jdk.jfr,jdk.management,jdk.net,jdk.unsupported,jdk.zipfs
junit=org.junit.platform:junit-platform-console-standalone

build() {
    JAVA_HOME=$jdk mvn -B -q -f "$root/pom.xml" -Dquick -DskipTests -pl "$(modules)" -am package
}

# Those with a build of their own that is worth carrying.
modules() {
    local list=proxy-cli,proxy-bench,proxy-testkit,proxy-collectives
    for module in proxy-transport-p2p proxy-transport-net proxy-transport-shm; do
        [ ! -d "$root/$module" ] || list+=,$module
    done
    printf '%s\n' "$list"
}

# Made anew only for another JDK, as it takes longer than all the rest.
pack_java() {
    local version=$kit/java/release
    if ! cmp -s <(grep '^JAVA_RUNTIME_VERSION' "$jdk/release") <(grep '^JAVA_RUNTIME_VERSION' "$version" 2>/dev/null)
    then
        rm -rf "$kit/java"
        "$jdk/bin/jlink" --add-modules "$jdk_modules" --strip-debug --no-header-files --no-man-pages \
            --compress zip-9 --output "$kit/java"
        rm -rf "$kit/java/legal"
        grep '^JAVA_RUNTIME_VERSION' "$jdk/release" >>"$version"
    fi
}

# modules/ is the command's module path; lib/ what benchmarks and tests have besides; tests/ the tests.
pack_classes() {
    rm -rf "$kit/modules" "$kit/lib" "$kit/tests"
    mkdir -p "$kit/lib" "$kit/tests"
    cp -r "$root/proxy-cli/target/modules" "$kit/modules"
    for jar in "$root"/proxy-bench/target/lib/*.jar; do
        [ -e "$kit/modules/${jar##*/}" ] || cp "$jar" "$kit/lib/"
    done
    for classes in "$root"/proxy-*/target/quick/test-classes; do
        local module=${classes#"$root"/}
        "$jdk/bin/jar" --create --file "$kit/tests/${module%%/*}.jar" -C "$classes" .
    done
    local version
    version=$(sed -n 's:.*<junit.version>5\.\(.*\)</junit.version>.*:1.\1:p' "$root/pom.xml")
    mvn -B -q org.apache.maven.plugins:maven-dependency-plugin:copy -Dartifact="$junit:$version" \
        -DoutputDirectory="$kit/lib" -Dmdep.stripVersion=true
}

pack_files() {
    rm -rf "$kit/files"
    mkdir -p "$kit/files"
    for file in "$@"; do
        cp "$file" "$kit/files/"
    done
    mkdir -p "$kit/proxy-bench/peers"
    cp "$root"/proxy-bench/peers/{c2c.c,nccl_perf.cu} "$kit/proxy-bench/peers/"
    install -m 755 "$root/proxy-bench/src/main/scripts/gpu-check.sh" "$kit/"
    git -C "$root" describe --always --dirty --abbrev=12 >"$kit/version"
}

build
mkdir -p "$kit" "$folder"
pack_java
pack_classes
pack_files "$@"
tar -C "$staging" -cf - gpu-kit | gzip -9 >"$folder/gpu-kit.tar.gz"
mib=$(($(stat -c %s "$folder/gpu-kit.tar.gz") >> 20))
printf '%s: %d MiB, proxyrt %s\n' "$folder/gpu-kit.tar.gz" "$mib" "$(cat "$kit/version")"
[ "$mib" -le "$most_mib" ] || { printf 'that is more than %d MiB\n' "$most_mib" >&2; exit 1; }
