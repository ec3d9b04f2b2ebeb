/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.ServiceLoader;

/**
 * Opens the shared libraries in which plug-ins of networks, and tuners, come. Found by {@link ServiceLoader}; loading
 * it and its {@link #whyNot()} call nothing native. Any platform thread.
 */
public interface NetLibraries {
    /** Stands for the program itself, with which a plug-in was linked. */
    String STATIC_PLUGIN = "STATIC_PLUGIN";

    /**
     * What opens libraries here.
     *
     * @return the first that works; else one that opens nothing, whose {@link #whyNot()} has the reason
     */
    static NetLibraries find() {
        NetLibraries refused = new NoNetLibraries("no module provides " + NetLibraries.class.getName()
                + "; add proxy-native to the module path or the class path");
        for (NetLibraries libraries : ServiceLoader.load(NetLibraries.class)) {
            String reason = libraries.whyNot();
            if (reason.isEmpty()) {
                return libraries;
            }
            refused = new NoNetLibraries(reason);
        }
        return refused;
    }

    /**
     * Whether libraries can be opened here.
     *
     * @return empty if they can; else one line: why not, and what to do
     */
    String whyNot();

    /**
     * Loads a library, which stays loaded as long as the process lives, and finds the newest {@code ncclNetPlugin_vN}
     * that it exports, of versions 6 to 12.
     *
     * @param file a path; a name without a slash, to be searched where the system searches; or {@link #STATIC_PLUGIN}
     * @return the same for the same library
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be loaded, with the reason of the system;
     *                        {@link ProxyResult#INVALID_USAGE} if it has no such table, or one that cannot be
     *                        initialized
     */
    NetLibrary open(String file);

    /**
     * The same for collectives: the newest {@code ncclCollNetPlugin_vN}, which a library with a network may have too.
     *
     * @param file as for {@link #open}
     * @return the same for the same library
     * @throws ProxyException as {@link #open}
     */
    CollNetLibrary openCollNet(String file);

    /**
     * The same for tuners: the newest {@code ncclTunerPlugin_vN} of versions 2 to 6, which a library with a network may
     * have too.
     *
     * @param file as for {@link #open}
     * @return the same for the same library
     * @throws ProxyException as {@link #open}
     */
    TunerLibrary openTuner(String file);
}
