/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.host.HostDevice;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.random.RandomGenerator;

/** A device whose streams carry a copy out when the test says so, and now and then take nothing. One thread. */
final class SlowDevice implements Device {
    final List<Stream> streams = new ArrayList<>();
    /** Fails all copies from now on, if it is not null. */
    ProxyResult failure;
    int copies;
    int events;
    /** Whether who asks for an event makes it come nearer. */
    boolean worksWhenAsked;
    private final HostDevice host;
    private final RandomGenerator random;

    SlowDevice(int number, RandomGenerator random) {
        this.host = new HostDevice(number);
        this.random = random;
    }

    /** Carries out the next command of each stream, or not. */
    void work() {
        streams.forEach(Stream::work);
    }

    @Override
    public String name() {
        return host.name();
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        return host.allocate(bytes);
    }

    @Override
    public DeviceMemory memory(long id) {
        return host.memory(id);
    }

    @Override
    public DeviceMemory allocateShareable(long bytes) {
        return host.allocateShareable(bytes);
    }

    @Override
    public OwnedFd exportFd(DeviceMemory memory) {
        return host.exportFd(memory);
    }

    @Override
    public DeviceMemory importFd(OwnedFd fd) {
        return host.importFd(fd);
    }

    @Override
    public Set<DeviceCapability> capabilities() {
        return host.capabilities();
    }

    @Override
    public DeviceStream stream(String name) {
        Stream stream = new Stream();
        streams.add(stream);
        return stream;
    }

    @Override
    public DeviceEvent event() {
        events++;
        return new Event();
    }

    @Override
    public void close() {
        host.close();
    }

    final class Event implements DeviceEvent {
        private boolean isPending;
        private boolean isClosed;

        @Override
        public int query() {
            if (worksWhenAsked) {
                work();
            }
            return failure != null ? -failure.code() : isPending ? 0 : 1;
        }

        @Override
        public void close() {
            events -= isClosed ? 0 : 1;
            isClosed = true;
        }
    }

    final class Stream implements DeviceStream {
        private final Queue<Runnable> commands = new ArrayDeque<>();

        private void work() {
            if (!commands.isEmpty() && random.nextInt(3) == 0) {
                commands.remove().run();
            }
        }

        private boolean isFull() {
            return commands.size() > 20 || random.nextInt(5) == 0;
        }

        @Override
        public int copy(DeviceMemory to, long toOffset, DeviceMemory from, long fromOffset, long bytes) {
            if (failure != null || isFull()) {
                return failure != null ? -failure.code() : 0;
            }
            copies++;
            commands.add(() -> MemorySegment.copy(from.segment(), fromOffset, to.segment(), toOffset, bytes));
            return 1;
        }

        @Override
        public int record(DeviceEvent event) {
            if (isFull()) {
                return 0;
            }
            Event own = (Event) event;
            own.isPending = true;
            commands.add(() -> own.isPending = false);
            return 1;
        }

        @Override
        public int await(DeviceEvent event) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int write(DeviceMemory to, long offset, long value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int query() {
            return commands.isEmpty() ? 1 : 0;
        }

        @Override
        public void synchronize(Duration timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String failure() {
            return failure == null ? "" : "the copier is on fire";
        }

        @Override
        public void close() {
            streams.remove(this);
        }
    }
}
