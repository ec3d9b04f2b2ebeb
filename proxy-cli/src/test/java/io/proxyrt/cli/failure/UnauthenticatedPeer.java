/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.runtime.ProxyState;
import java.time.Duration;
import java.util.Map;

/** A process of another job, which has a secret of its own, and asks a rank's UDS thread for memory. */
final class UnauthenticatedPeer {
    private static final long HANDLE = 1;

    private UnauthenticatedPeer() {
    }

    /** Arguments: address of the UDS thread, folder for its runtime. */
    public static void main(String[] args) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.DIRECTORY, args[1])
                .set(CoreOptions.THREADING, ThreadingMode.INVOKER).build();
        try (ProxyState proxy = ProxyState.builder().rank(1, 2).config(config).start()) {
            proxy.memory().getFd(args[0], Duration.ofSeconds(20), HANDLE);
            System.out.println("got it");
        } catch (ProxyException e) {
            System.out.println("refused " + e.result() + " " + e.getMessage());
        }
    }
}
