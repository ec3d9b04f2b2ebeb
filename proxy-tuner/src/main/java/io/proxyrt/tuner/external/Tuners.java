/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.plugin.NetLibraries;
import io.proxyrt.core.plugin.PluginEntry;
import io.proxyrt.core.plugin.TunerLibrary;
import io.proxyrt.tuner.spi.Tuner;
import io.proxyrt.tuner.spi.TunerProvider;
import io.proxyrt.tuner.spi.TunerRequest;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import org.slf4j.Logger;

/** Finds the tuner that a configuration asks for: of Java, or a plug-in of NCCL. */
public final class Tuners {
    private static final Logger LOG = Subsystem.TUNING.logger();
    private static final String NONE = "none";
    private static final List<String> PREFIXES = List.of("libnccl-tuner", "librccl-tuner");

    private Tuners() {
    }

    /**
     * Opens the tuner for a communicator. Blocks while a library is loaded and initialized, at most for the time limit
     * of connects.
     *
     * @param config  effective settings, of which {@link TunerOptions#PLUGIN} says which
     * @param request what the tuner is told
     * @return the caller's own, to be closed; empty if there is none, or none is wanted
     * @throws ProxyException of the tuner that was asked for, if it cannot be had, with the reason
     */
    public static Optional<Tuner> open(ProxyConfig config, TunerRequest request) {
        String name = config.get(TunerOptions.PLUGIN);
        if (name.equalsIgnoreCase(NONE)) {
            return Optional.empty();
        }
        Optional<TunerProvider> provider = ServiceLoader.load(TunerProvider.class).stream()
                .map(ServiceLoader.Provider::get).filter(one -> name.isEmpty() || one.name().equals(name)).findFirst();
        Optional<Tuner> tuner = provider.isPresent() ? Optional.of(provider.get().open(request))
                : openLibrary(config, name, request);
        tuner.ifPresent(one -> LOG.info("{} tunes {} ranks on {} nodes", one.name(), request.ranks(),
                request.nodes()));
        return tuner;
    }

    /** One that was not asked for is no loss. */
    private static Optional<Tuner> openLibrary(ProxyConfig config, String name, TunerRequest request) {
        PluginEntry<TunerLibrary> entry = new PluginEntry<>(NetLibraries.find(), NetLibraries::openTuner,
                TunerOptions.PLUGIN, name, PREFIXES);
        try {
            return Optional.of(entry.<Tuner>open(config, library -> ExternalTuner.open(library, request,
                    ExternalTuner.PATIENCE, LOG::warn), Tuner::close));
        } catch (ProxyException e) {
            if (name.isEmpty() && !entry.isThere()) {
                return Optional.empty();
            }
            throw new ProxyException(e.result() == ProxyResult.SYSTEM_ERROR ? ProxyResult.INVALID_USAGE : e.result(),
                    "no tuner: " + e.getMessage(), e);
        }
    }
}
