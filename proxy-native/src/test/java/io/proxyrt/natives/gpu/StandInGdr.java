/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import java.nio.file.Path;
import java.util.List;

/** A GDRCopy that maps memory of the host. */
final class StandInGdr extends StandInLibrary {
    /** In a folder that is the test's, by options of the compiler. */
    StandInGdr(Path folder, String... options) {
        super(folder, "gdrapi.c", "libgdrapi.so.2", options);
    }

    GdrCopy found() {
        return GdrCopy.find(List.of(folder()));
    }

    /** The device that was mapped last leaves the bus. */
    void lose() {
        run("standin_lose");
    }
}
