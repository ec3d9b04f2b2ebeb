/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What modules provide. For the class loader of this module it is looked for once, as a look opens each jar under one
 * lock, and a job may have a thousand ranks in a process. Each runtime gets objects of its own.
 */
final class Services {
    private static final Map<Class<?>, List<? extends ServiceLoader.Provider<?>>> OWN = new ConcurrentHashMap<>();

    private Services() {
    }

    /** In the order of {@link ServiceLoader}, which is asked anew for any other context class loader. */
    static <S> List<S> all(Class<S> type) {
        boolean isOwn = Thread.currentThread().getContextClassLoader() == Services.class.getClassLoader();
        var found = isOwn ? OWN.computeIfAbsent(type, Services::find) : find(type);
        return found.stream().map(ServiceLoader.Provider::get).map(type::cast).toList();
    }

    private static List<? extends ServiceLoader.Provider<?>> find(Class<?> type) {
        return ServiceLoader.load(type).stream().toList();
    }
}
