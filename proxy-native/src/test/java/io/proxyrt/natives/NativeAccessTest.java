/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.platform.Platform;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Embedders who do not enable native access shall neither fail nor find a warning in their output. */
class NativeAccessTest {
    private static final String REASON =
            "native access is not enabled; start Java with --enable-native-access=ALL-UNNAMED";

    /** Prints what it finds. */
    static final class Child {
        private Child() {
        }

        public static void main(String[] args) {
            Platform platform = Platform.find();
            System.out.println(platform.name() + ": " + platform.whyNot());
        }
    }

    @Test
    void shouldWorkWithAccess() {
        Platform platform = Platform.find();

        assertEquals("", platform.whyNot());
        assertEquals("linux", platform.name());
        assertTrue(platform.processCpus().cardinality() > 0);
    }

    @Test
    void shouldGiveTheReasonWhereAccessIsDenied() throws Exception {
        assertEquals(List.of("linux: " + REASON), child("--illegal-native-access=deny"));
    }

    @Test
    void shouldNotMakeTheJvmWarn() throws Exception {
        assertEquals(List.of("linux: " + REASON), child("--illegal-native-access=warn"));
    }

    @Test
    void shouldWorkOnTheClassPathWithAccess() throws Exception {
        assertEquals(List.of("linux: "), child(ChildJvm.NATIVE_ACCESS));
    }

    @Test
    void shouldSayWhichModuleNeedsAccess() {
        Module denied = Platform.class.getModule();

        assertEquals("native access is not enabled; start Java with --enable-native-access=io.proxyrt.core",
                LinuxPlatform.whyNot("Linux", "aarch64", denied));
    }

    @Test
    void shouldSayWhatItKnows() {
        Module module = NativeAccessTest.class.getModule();

        assertEquals("proxy-native knows Linux on amd64 and aarch64, and this is Mac OS X on aarch64",
                LinuxPlatform.whyNot("Mac OS X", "aarch64", module));
        assertEquals("proxy-native knows Linux on amd64 and aarch64, and this is Linux on riscv64",
                LinuxPlatform.whyNot("Linux", "riscv64", module));
    }

    private static List<String> child(String flag) throws Exception {
        try (ChildJvm child = new ChildJvm(List.of(), List.of(flag), Child.class)) {
            return child.rest();
        }
    }
}
