/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.Poller;
import io.proxyrt.core.platform.UnixSockets;
import io.proxyrt.core.service.UdsEndpoint;
import io.proxyrt.core.service.UdsEndpointProvider;
import io.proxyrt.core.service.UdsHandler;
import java.util.Objects;

/** Listens on a Unix socket. */
@SuppressWarnings("exports") // Only the runtime calls it.
public final class UdsSocketEndpointProvider implements UdsEndpointProvider {
    /** For {@link java.util.ServiceLoader}. */
    public UdsSocketEndpointProvider() {
    }

    /**
     * Opens the listening socket. The endpoint starts no thread. Any thread may drive it, a different one each time, as
     * long as it is one at a time.
     *
     * @param config   effective settings
     * @param self     this runtime, for the socket's name and for the sessions that it opens
     * @param secret   of the job; peers that do not know it are refused
     * @param platform owns descriptors; one that works
     * @param handler  gets the requests
     * @return listening, driven by the caller from now on
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot listen, with the reason and what to do
     */
    @Override
    public UdsEndpoint open(ProxyConfig config, PeerId self, JobSecret secret, Platform platform, UdsHandler handler) {
        Objects.requireNonNull(handler);
        UdsSettings settings = UdsSettings.of(config, platform.userId());
        Sockets sockets = Sockets.of(config.get(UdsOptions.SOCKETS), platform);
        String address = SocketAddresses.create(config, self.rank());
        Poller poller = null;
        UnixSockets.Listener listener = null;
        try {
            poller = platform.poller();
            listener = sockets.unix().listen(address, config.get(UdsOptions.BACKLOG));
            poller.watch(listener.number(), true, false);
            UdsContext context = new UdsContext(self, secret, settings, platform, sockets, address);
            return new UdsService(context, handler, listener, poller);
        } catch (Error e) {
            giveUp(listener, poller, address);
            throw e;
        } catch (RuntimeException e) {
            giveUp(listener, poller, address);
            throw e instanceof ProxyException failure ? new ProxyException(failure.result(), "the UDS thread of rank "
                    + self.rank() + " cannot listen: " + failure.getMessage(), failure)
                    : new ProxyException(ProxyResult.INTERNAL_ERROR, "the UDS thread of rank " + self.rank()
                    + " cannot listen", e);
        }
    }

    private static void giveUp(UnixSockets.Listener listener, Poller poller, String address) {
        if (listener != null) {
            listener.close();
        }
        if (poller != null) {
            poller.close();
        }
        SocketAddresses.delete(address);
    }
}
