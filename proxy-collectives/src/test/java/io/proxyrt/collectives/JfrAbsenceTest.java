/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.testkit.ChildJvm;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A JVM that was linked without Flight Recorder and JMX, with proxyrt on its class path. */
class JfrAbsenceTest {
    @TempDir
    Path directory;

    /** Two ranks of a process. */
    static final class Ranks {
        private Ranks() {
        }

        public static void main(String[] args) throws Exception {
            System.out.println("jdk.jfr " + isThere("jdk.jfr") + " java.management " + isThere("java.management"));
            InProcessRanks.run(2, InProcessRanks.config(Path.of(args[0]), ThreadingMode.DEDICATED, "NET").build(),
                    comm -> {
                        MemorySegment data = comm.allocate(4).segment();
                        data.set(ValueLayout.JAVA_FLOAT, 0, comm.rank() + 1);
                        comm.allReduce(data, data, 1, DataType.FLOAT32, RedOp.SUM);
                        comm.synchronize();
                        if (comm.rank() == 0) {
                            System.out.println(data.get(ValueLayout.JAVA_FLOAT, 0));
                        }
                    });
            System.out.println(InProcessRanks.failures(1, InProcessRanks.config(Path.of(args[0]),
                    ThreadingMode.DEDICATED).set(CoreOptions.JMX, true).build(), comm -> { }).getFirst().getMessage());
            System.exit(0);
        }

        private static boolean isThere(String module) {
            return ModuleLayer.boot().findModule(module).isPresent();
        }
    }

    @Test
    void shouldDoWithoutThem() throws Exception {
        try (ChildJvm child = new ChildJvm(List.of("env",
                "JDK_JAVA_OPTIONS=--limit-modules=java.base,java.logging,jdk.net,jdk.unsupported"), Ranks.class,
                directory.toString())) {
            child.expect("jdk.jfr false java.management false");
            child.expect("3.0");
            String refusal = child.line();
            assertTrue(refusal.endsWith("rank 0: proxyrt.jmx needs the module java.management, which this JVM has not: "
                    + "start it with --add-modules java.management"), refusal);
            assertNull(child.line());
        }
    }
}
