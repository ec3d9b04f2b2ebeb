/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.spi;

import io.proxyrt.core.ProxyException;

/** Makes tuners. Found by {@link java.util.ServiceLoader}; loading one does nothing else. */
public interface TunerProvider {
    /**
     * What users call it.
     *
     * @return a name that no other tuner has
     */
    String name();

    /**
     * Makes a tuner for a communicator.
     *
     * @param request what there is to know
     * @return the caller's own, to be closed
     * @throws ProxyException if it cannot be made, with the reason
     */
    Tuner open(TunerRequest request);
}
