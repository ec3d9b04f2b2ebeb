/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.plugin.NetLibraries;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/**
 * A shared library, loaded for as long as the process lives. {@link java.lang.foreign.SymbolLookup} does not say why it
 * cannot load one, and leaves functions that it lacks to be missed at their first call, which ends the process.
 *
 * @param file   as it was asked for
 * @param handle of {@code dlopen}: the same for the same library
 */
record SharedLibrary(String file, long handle) {
    private static final int RTLD_NOW = 2;
    private static final int MAX_REASON_BYTES = 1024;
    private static final MethodHandle DLOPEN =
            link("dlopen", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle DLSYM = link("dlsym", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle DLERROR = link("dlerror", FunctionDescriptor.of(JAVA_LONG));

    @SuppressWarnings("restricted")
    private static MethodHandle link(String function, FunctionDescriptor shape) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(function), shape);
    }

    static SharedLibrary load(String file) {
        try (Arena arena = Arena.ofConfined()) {
            long name = file.equals(NetLibraries.STATIC_PLUGIN) ? 0 : arena.allocateFrom(file).address();
            long handle = (long) DLOPEN.invokeExact(name, RTLD_NOW);
            if (handle == 0) {
                // The reason begins with the file, or with another one that it needs.
                throw new ProxyException(ProxyResult.SYSTEM_ERROR,
                        "cannot load " + CText.at((long) DLERROR.invokeExact(), MAX_REASON_BYTES));
            }
            return new SharedLibrary(file, handle);
        } catch (ProxyException e) {
            throw e;
        } catch (Throwable t) {
            throw new AssertionError("cannot call dlopen this way", t);
        }
    }

    /** The address of what a symbol names; 0 if there is no such. */
    long find(String symbol) {
        try (Arena arena = Arena.ofConfined()) {
            return (long) DLSYM.invokeExact(handle, arena.allocateFrom(symbol).address());
        } catch (Throwable t) {
            throw new AssertionError("cannot call dlsym this way", t);
        }
    }
}
