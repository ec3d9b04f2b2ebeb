/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import java.lang.reflect.Proxy;

/** Handlers of another part of a program. */
final class SignalHandlers {
    private SignalHandlers() {
    }

    /** Gives the one before. */
    static Object set(String name, Runnable action) throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.SignalHandler");
        return restore(name, Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (proxy, method, arguments) -> {
                    action.run();
                    return null;
                }));
    }

    static Object restore(String name, Object handler) throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Signal");
        return type.getMethod("handle", type, Class.forName("sun.misc.SignalHandler"))
                .invoke(null, type.getConstructor(String.class).newInstance(name), handler);
    }
}
