/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.core.plugin.NetLibraries;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.TunerLibrary;
import io.proxyrt.natives.LinuxPlatform;
import java.util.HashMap;
import java.util.Map;

/** Opens shared libraries on Linux. */
public final class SharedNetLibraries implements NetLibraries {
    /** By handle. */
    private static final Map<Long, NetLibrary> NETS = new HashMap<>();
    /** By handle. */
    private static final Map<Long, CollNetLibrary> COLL_NETS = new HashMap<>();

    /** By handle. */
    private static final Map<Long, TunerLibrary> TUNERS = new HashMap<>();

    /** For {@link java.util.ServiceLoader}. */
    public SharedNetLibraries() {
    }

    @Override
    public String whyNot() {
        return new LinuxPlatform().whyNot();
    }

    @Override
    public NetLibrary open(String file) {
        SharedLibrary library = SharedLibrary.load(file);
        synchronized (NETS) {
            return NETS.computeIfAbsent(library.handle(),
                    any -> new NetBinding(file, TableReader.newest(library, NetTable.PREFIX)));
        }
    }

    @Override
    public CollNetLibrary openCollNet(String file) {
        SharedLibrary library = SharedLibrary.load(file);
        synchronized (COLL_NETS) {
            return COLL_NETS.computeIfAbsent(library.handle(),
                    any -> new CollNetBinding(file, TableReader.newest(library, CollNetTable.PREFIX)));
        }
    }

    @Override
    public TunerLibrary openTuner(String file) {
        SharedLibrary library = SharedLibrary.load(file);
        synchronized (TUNERS) {
            return TUNERS.computeIfAbsent(library.handle(), any -> new TunerBinding(file,
                    TableReader.newest(library, TunerBinding.PREFIX, TunerBinding.NEWEST, TunerBinding.OLDEST)));
        }
    }
}
