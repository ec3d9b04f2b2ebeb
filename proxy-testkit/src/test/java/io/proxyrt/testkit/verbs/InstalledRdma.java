/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.verbs.Verbs;

/** Whether this host has RDMA, for tests that need it; rdma-check.sh, which says it has, wants them to fail if not. */
public final class InstalledRdma {
    private static final String REQUIRED = "test.rdma.required";
    private static final String LINKS = "test.rdma.links";

    private InstalledRdma() {
    }

    /** For conditions of tests. */
    public static boolean isThere() {
        Verbs verbs = Verbs.find();
        try {
            return Boolean.getBoolean(REQUIRED) || verbs.whyNot().isEmpty() && !verbs.devices().isEmpty();
        } catch (ProxyException e) {
            return false;
        }
    }

    /** Whether links may be taken down: the machine is there for these tests alone. */
    static boolean hasLinksOfItsOwn() {
        return Boolean.getBoolean(LINKS);
    }
}
