/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.plugin.PluginLibrary;
import io.proxyrt.natives.CFunction;

/** Whose functions are called, and what to throw when they fail. */
final class PlugIn {
    private final String file;
    private final String table;
    private volatile String name;
    private final PluginLogger logger;

    /**
     * A plug-in.
     *
     * @param file      of the library
     * @param table     that is used, such as {@code ncclNet_v8}
     * @param name      that it calls itself; may be blank
     * @param subsystem whose logger has what it logs
     */
    PlugIn(String file, String table, String name, Subsystem subsystem) {
        this.file = file;
        this.table = table;
        this.name = name.isBlank() ? file : name;
        this.logger = new PluginLogger(this.name, subsystem);
    }

    String file() {
        return file;
    }

    String name() {
        return name;
    }

    /** What it calls itself once it is initialized; nothing changes if that is blank. */
    void name(String told) {
        name = told.isBlank() ? name : told;
    }

    PluginLogger logger() {
        return logger;
    }

    /** Throws if a code is an error. */
    void check(CFunction function, int code) {
        ProxyResult result = PluginLibrary.result(code);
        if (result.isError()) {
            String warning = logger.lastWarning();
            throw new ProxyException(result, describe(function) + " returned " + code + ", " + result
                    + (warning.isEmpty() ? "; it has logged no warning" : "; its last warning was: " + warning));
        }
    }

    String describe(CFunction function) {
        return function.name() + " of " + name + " (" + file + ", " + table + ")";
    }

    ProxyException lacks(CFunction function) {
        return new ProxyException(ProxyResult.INVALID_USAGE, describe(function) + " is not there");
    }
}
