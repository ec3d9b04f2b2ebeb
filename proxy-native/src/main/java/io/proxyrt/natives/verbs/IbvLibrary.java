/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

import io.proxyrt.natives.CFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.ArrayList;
import java.util.List;

/** libibverbs, loaded for as long as the process lives. */
final class IbvLibrary {
    /** The address space: what libibverbs returns are addresses of structures. */
    @SuppressWarnings("restricted")
    static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    final CFunction getDeviceList;
    final CFunction freeDeviceList;
    final CFunction openDevice;
    final CFunction closeDevice;
    final CFunction queryDevice;
    final CFunction queryPort;
    final CFunction queryGid;
    final CFunction allocPd;
    final CFunction deallocPd;
    final CFunction regMr;
    final CFunction regMrIova2;
    final CFunction regDmaBufMr;
    final CFunction deregMr;
    final CFunction createCq;
    final CFunction destroyCq;
    final CFunction createQp;
    final CFunction modifyQp;
    final CFunction destroyQp;
    final CFunction getAsyncEvent;
    final CFunction ackAsyncEvent;
    private final SymbolLookup lookup;
    private final List<String> missing = new ArrayList<>();

    private IbvLibrary(SymbolLookup lookup) {
        this.lookup = lookup;
        getDeviceList = need("ibv_get_device_list");
        freeDeviceList = need("ibv_free_device_list");
        openDevice = need("ibv_open_device");
        closeDevice = need("ibv_close_device");
        queryDevice = need("ibv_query_device");
        queryPort = need("ibv_query_port");
        queryGid = need("ibv_query_gid");
        allocPd = need("ibv_alloc_pd");
        deallocPd = need("ibv_dealloc_pd");
        regMr = need("ibv_reg_mr");
        regMrIova2 = find("ibv_reg_mr_iova2");
        regDmaBufMr = find("ibv_reg_dmabuf_mr");
        deregMr = need("ibv_dereg_mr");
        createCq = need("ibv_create_cq");
        destroyCq = need("ibv_destroy_cq");
        createQp = need("ibv_create_qp");
        modifyQp = need("ibv_modify_qp");
        destroyQp = need("ibv_destroy_qp");
        getAsyncEvent = need("ibv_get_async_event");
        ackAsyncEvent = need("ibv_ack_async_event");
    }

    /**
     * Loads it.
     *
     * @throws IllegalArgumentException if the system has no such library
     */
    @SuppressWarnings("restricted")
    static IbvLibrary load(String soname) {
        return new IbvLibrary(SymbolLookup.libraryLookup(soname, Arena.global()));
    }

    /** A function without which nothing works. */
    private CFunction need(String name) {
        CFunction function = find(name);
        if (!function.exists()) {
            missing.add(name);
        }
        return function;
    }

    /** A function that not every version has. */
    private CFunction find(String name) {
        return new CFunction(name, lookup.find(name).orElse(MemorySegment.NULL));
    }

    /** The functions that it should have and does not. */
    List<String> missing() {
        return missing;
    }
}
