/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.List;
import java.util.ServiceLoader;

/**
 * The verbs of this host. Found by {@link ServiceLoader}; loading a provider, its {@link #name()} and its
 * {@link #whyNot()} open no device. Any thread.
 */
public interface Verbs {
    /**
     * The verbs to use here.
     *
     * @return the first that work; else some that do not, whose {@link #whyNot()} has the reason
     */
    static Verbs find() {
        Verbs refused = new NoVerbs("no module provides " + Verbs.class.getName()
                + "; add proxy-native to the module path or the class path");
        for (Verbs verbs : ServiceLoader.load(Verbs.class)) {
            if (verbs.whyNot().isEmpty()) {
                return verbs;
            }
            refused = verbs;
        }
        return refused;
    }

    /**
     * Which library it is.
     *
     * @return such as {@code libibverbs.so.1}
     */
    String name();

    /**
     * Whether devices can be asked for.
     *
     * @return empty if they can; else one line: why not, and what to do
     */
    String whyNot();

    /**
     * The devices of this host.
     *
     * @return their names, such as {@code mlx5_0}; empty if there are none
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the kernel has no verbs, or does not say
     */
    List<String> devices();

    /**
     * Opens a device.
     *
     * @param device one of {@link #devices()}
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there is no such device,
     *                        {@link ProxyResult#SYSTEM_ERROR} if it cannot be opened, such as for want of permission
     */
    VerbsContext open(String device);
}
