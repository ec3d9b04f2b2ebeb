/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import io.proxyrt.core.verbs.Verbs;

class SoftVerbsTest extends VerbsConformance {
    @Override
    protected Verbs open() {
        SoftFabric fabric = new SoftFabric();
        fabric.addRoce("soft0", "10.0.0.1");
        return fabric.host();
    }
}
