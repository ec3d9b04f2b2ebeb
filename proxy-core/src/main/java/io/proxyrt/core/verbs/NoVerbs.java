/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.List;

/** The verbs of a host that has none. */
record NoVerbs(String whyNot) implements Verbs {
    @Override
    public String name() {
        return "none";
    }

    @Override
    public List<String> devices() {
        throw new ProxyException(ProxyResult.SYSTEM_ERROR, whyNot);
    }

    @Override
    public VerbsContext open(String device) {
        throw new ProxyException(ProxyResult.SYSTEM_ERROR, whyNot);
    }
}
