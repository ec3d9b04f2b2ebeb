/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.WrongMethodTypeException;

/** Links functions of the C library. */
final class CLibrary {
    private CLibrary() {
    }

    /** Whether there is such a function; needs no native access. */
    static boolean has(String function) {
        return Linker.nativeLinker().defaultLookup().find(function).isPresent();
    }

    /** A handle, to be kept in a static final field, for one shape of calls. */
    @SuppressWarnings("restricted")
    static MethodHandle link(String function, FunctionDescriptor shape, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(function), shape, options);
    }

    /**
     * What to throw if a call did not get as far as the C library.
     *
     * @throws RuntimeException the same, if it is the fault of an argument, such as memory that is no longer there
     */
    static AssertionError failure(String function, Throwable thrown) {
        if (thrown instanceof RuntimeException e && !(e instanceof WrongMethodTypeException)) {
            throw e;
        }
        return new AssertionError("cannot call " + function + " this way", thrown);
    }
}
