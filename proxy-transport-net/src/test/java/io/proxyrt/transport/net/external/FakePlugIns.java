/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.core.plugin.NetLibraries;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.TunerLibrary;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A system that has one library, which does what a test tells it. */
public final class FakePlugIns implements NetLibraries {
    final FakeNetLibrary library = new FakeNetLibrary();
    Runnable onOpen = () -> { };
    private final String file;
    private final ProxyResult failure;
    private final List<String> asked = new CopyOnWriteArrayList<>();

    private FakePlugIns(String file, ProxyResult failure) {
        this.file = file;
        this.failure = failure;
    }

    /**
     * A library that works.
     *
     * @param file that it is in
     * @return the system
     */
    public static FakePlugIns of(String file) {
        return new FakePlugIns(file, ProxyResult.SYSTEM_ERROR);
    }

    /**
     * Files that are all there, and are no plug-ins.
     *
     * @return the system
     */
    public static FakePlugIns strange() {
        return new FakePlugIns("", ProxyResult.INVALID_USAGE);
    }

    /**
     * Has init fail.
     *
     * @return this
     */
    public FakePlugIns failing() {
        library.codes.put("init", 2);
        return this;
    }

    /**
     * Takes the device away.
     *
     * @return this
     */
    public FakePlugIns withoutDevice() {
        library.devices.clear();
        return this;
    }

    /**
     * Changes the name when it is initialized.
     *
     * @param name that it has then
     * @return this
     */
    public FakePlugIns renamed(String name) {
        library.onInit = () -> library.name = name;
        return this;
    }

    /**
     * Of an entry of the list of plug-ins.
     *
     * @param entry of the list
     * @return what looks for it here
     */
    public NetPluginProvider provider(String entry) {
        return new ExternalNetProvider(this, CoreOptions.NET_PLUGIN, entry);
    }

    /**
     * What was looked for.
     *
     * @return files
     */
    public List<String> asked() {
        return asked;
    }

    /**
     * What was called.
     *
     * @return calls, with their arguments
     */
    public List<String> calls() {
        return library.calls;
    }

    @Override
    public String whyNot() {
        return "";
    }

    @Override
    public NetLibrary open(String name) {
        asked.add(name);
        onOpen.run();
        if (!name.equals(file)) {
            throw new ProxyException(failure, "cannot load " + name);
        }
        return library;
    }

    @Override
    public TunerLibrary openTuner(String opened) {
        throw new AssertionError("this test has no tuner");
    }

    @Override
    public CollNetLibrary openCollNet(String name) {
        throw new AssertionError("this test has no collectives");
    }
}
