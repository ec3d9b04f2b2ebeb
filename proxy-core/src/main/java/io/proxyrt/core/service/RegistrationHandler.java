/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyRegistration;
import io.proxyrt.core.service.message.DeregisterRequest;
import io.proxyrt.core.service.message.RegisterRequest;
import io.proxyrt.core.service.message.RegisterRequest.Source;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** Register and Deregister: memory of the caller's, by its name in this process or by a descriptor that it sent. */
final class RegistrationHandler {
    private final ServiceContext context;
    private final Connections connections;
    /** Registrations that the transport has begun: their memory is imported once. */
    private final Map<ServiceCall, ProxyRegistration> begun = new HashMap<>();
    private long lastHandle;

    RegistrationHandler(ServiceContext context, Connections connections) {
        this.context = context;
        this.connections = connections;
    }

    ProxyResult register(ServiceCall call, ByteBuffer response) {
        ProxyConnection connection = call.connection();
        ProxyRegistration registration = begun.containsKey(call) ? begun.get(call) : begin(call);
        boolean isPending = false;
        boolean isRegistered = false;
        try {
            isPending = connection.transport().proxyRegister(connection, registration) == ProxyResult.IN_PROGRESS;
            isRegistered = !isPending;
        } finally {
            if (!isPending) {
                begun.remove(call);
            }
            if (!isPending && !isRegistered) {
                registration.release();
            }
        }
        if (isPending) {
            begun.put(call, registration);
            return ProxyResult.IN_PROGRESS;
        }
        connection.add(registration);
        response.putLong(registration.handle());
        return ProxyResult.SUCCESS;
    }

    /** Waits for the ops that use the memory; from now on no other may. */
    ProxyResult deregister(ServiceCall call, ByteBuffer response) {
        DeregisterRequest request = DeregisterRequest.decode(call.request());
        ProxyRegistration registration = call.connection().registration(request.handle());
        if (registration == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "DEREGISTER: " + call.connection()
                    + " has no registration " + request.handle());
        }
        if (!registration.retire()) {
            if (call.connection().failure() != null) {
                throw new ProxyException(ProxyResult.INVALID_USAGE, "DEREGISTER: the network may still use the memory,"
                        + " for an op of " + call.connection() + " failed; close the connection, which ends its"
                        + " registrations", call.connection().failure());
            }
            return ProxyResult.IN_PROGRESS;
        }
        connections.deregister(call.connection(), registration);
        return ProxyResult.SUCCESS;
    }

    /** The call will not be driven again: undoes what it began. */
    void abandon(ServiceCall call) {
        ProxyRegistration registration = begun.remove(call);
        if (registration != null) {
            connections.deregister(call.connection(), registration);
        }
    }

    private ProxyRegistration begin(ServiceCall call) {
        RegisterRequest request = RegisterRequest.decode(call.request());
        boolean isImported = request.source() == Source.FD;
        DeviceMemory memory = isImported ? imported(call, request) : own(call, request);
        try {
            requireWithin(call, request, memory.bytes());
        } catch (Throwable t) {
            if (isImported) {
                memory.close();
            }
            throw t;
        }
        return new ProxyRegistration(++lastHandle, memory, isImported, request.offset(), request.bytes());
    }

    private static void requireWithin(ServiceCall call, RegisterRequest request, long size) {
        if (request.offset() < 0 || request.bytes() <= 0 || request.offset() > size - request.bytes()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "REGISTER with " + call.connection() + " of "
                    + request.bytes() + " bytes at " + request.offset() + " of memory of at most " + size);
        }
    }

    /** Nothing is mapped for a range that no memory has. */
    private DeviceMemory imported(ServiceCall call, RegisterRequest request) {
        try (OwnedFd fd = context.memory().take(call.peer(), request.id())) {
            requireWithin(call, request, Long.MAX_VALUE);
            return context.memory().device().importFd(fd, request.offset() + request.bytes());
        }
    }

    /** Ids of memory mean something in this process only; another could only guess them. */
    private DeviceMemory own(ServiceCall call, RegisterRequest request) {
        if (!call.peer().equals(context.self())) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "REGISTER by id of memory from another process; "
                    + "send a file descriptor of the memory by QueryFd first");
        }
        return context.memory().device().memory(request.id());
    }
}
