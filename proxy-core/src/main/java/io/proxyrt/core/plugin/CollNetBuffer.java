/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

/** Memory of a collective. Its owner uses it again and again, so that a call allocates nothing. */
public final class CollNetBuffer {
    private long address;
    private long mhandle;

    /** Of nothing. */
    public CollNetBuffer() {
    }

    /**
     * Says which memory it is.
     *
     * @param newAddress where it begins
     * @param newMhandle as {@link CollNetLibrary#regMr} gave it
     * @return this
     */
    public CollNetBuffer set(long newAddress, long newMhandle) {
        address = newAddress;
        mhandle = newMhandle;
        return this;
    }

    /**
     * Where it begins.
     *
     * @return a C pointer
     */
    public long address() {
        return address;
    }

    /**
     * What it is registered by.
     *
     * @return the plug-in's
     */
    public long mhandle() {
        return mhandle;
    }
}
