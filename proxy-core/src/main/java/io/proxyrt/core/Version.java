/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import java.lang.module.ModuleDescriptor;

/** The version of this runtime: NCCL's {@code ncclGetVersion}. */
public final class Version {
    private Version() {
    }

    /**
     * As built.
     *
     * @return such as {@code 0.1.0}
     */
    public static String text() {
        ModuleDescriptor module = Version.class.getModule().getDescriptor();
        if (module != null && module.rawVersion().isPresent()) {
            return module.rawVersion().get();
        }
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "of unknown version" : version;
    }
}
