/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceGraph;
import io.proxyrt.core.device.DeviceStream;
import java.time.Duration;
import java.util.function.Consumer;

/** Captures operations, and launches them again and again. */
final class GraphLauncher implements AutoCloseable {
    /** Kernels give up before that. */
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    private final Communicator comm;
    private final DeviceStream stream;

    GraphLauncher(Communicator comm) {
        Device device = comm.proxy().device();
        if (!device.capabilities().contains(DeviceCapability.GRAPHS)) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "-G: " + device.name() + " has no graphs; it takes a"
                    + " GPU (--device cuda), and a driver that has them");
        }
        this.comm = comm;
        this.stream = device.stream("proxyrt-perf-graph");
    }

    /** A graph of all that is done to the stream; nothing is done now. */
    DeviceGraph capture(Consumer<DeviceStream> operations) {
        stream.beginCapture();
        try {
            operations.accept(stream);
        } catch (RuntimeException | Error e) {
            abandon(e);
            throw e;
        }
        return stream.endCapture();
    }

    private void abandon(Throwable cause) {
        try {
            stream.endCapture().close();
        } catch (ProxyException e) {
            cause.addSuppressed(e);
        }
    }

    /** Launches a graph so often, and waits once. */
    void launch(DeviceGraph graph, int times) {
        for (int i = 0; i < times; i++) {
            int taken = graph.launch(stream);
            while (taken == 0) {
                Thread.onSpinWait();
                taken = graph.launch(stream);
            }
            if (taken < 0) {
                throw new ProxyException(ProxyResult.of(-taken), stream.failure());
            }
        }
        stream.synchronize(TIMEOUT);
        comm.synchronize();
    }

    @Override
    public void close() {
        stream.close();
    }
}
