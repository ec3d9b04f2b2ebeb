/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.platform.Platform;
import java.util.BitSet;
import java.util.Map;

/** Keeps two ends on the first two CPUs of the process, as the peers in C do; or leaves them alone. */
final class Pinning {
    private Pinning() {
    }

    /** What puts a service's thread on the second CPU. */
    static Map<String, String> ofService(RigArguments arguments) {
        BitSet cpu = cpu(arguments, 1);
        return cpu.isEmpty() ? Map.of() : Map.of("proxyrt.cpuset", Integer.toString(cpu.nextSetBit(0)));
    }

    /** Puts the calling thread, of end 0 or 1, on its CPU, and with it those that it starts from now on. */
    static void pin(RigArguments arguments, int end) {
        BitSet cpu = cpu(arguments, end);
        if (!cpu.isEmpty()) {
            Platform.find().bindThread(cpu);
        }
    }

    /** Empty if there is no second one. */
    private static BitSet cpu(RigArguments arguments, int end) {
        BitSet cpu = new BitSet();
        if (arguments.isTrue("pinned")) {
            BitSet all = Platform.find().processCpus();
            int first = all.nextSetBit(0);
            int second = all.nextSetBit(first + 1);
            if (second >= 0) {
                cpu.set(end == 0 ? first : second);
            }
        }
        return cpu;
    }
}
