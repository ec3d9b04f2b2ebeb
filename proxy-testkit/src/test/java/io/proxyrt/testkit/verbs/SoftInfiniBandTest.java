/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import io.proxyrt.core.verbs.Verbs;

class SoftInfiniBandTest extends VerbsConformance {
    @Override
    protected Verbs open() {
        SoftFabric fabric = new SoftFabric();
        fabric.addInfiniBand("soft0", 7);
        return fabric.host();
    }
}
