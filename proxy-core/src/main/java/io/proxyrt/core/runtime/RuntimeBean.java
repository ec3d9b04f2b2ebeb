/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.counters.AsyncResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.counters.RuntimeHealth;
import io.proxyrt.core.diagnosis.HealthLook;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/** Shows a runtime to JMX until it is closed. Loaded only where {@link CoreOptions#JMX} asks for it. */
final class RuntimeBean implements ProxyRuntimeMXBean, AutoCloseable {
    private final int nRanks;
    private final Counters counters;
    private final AsyncResult asyncResult;
    private final Path folder;
    private final MBeanServer server;
    private final ObjectName name;

    /**
     * Registers it.
     *
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the server of this JVM refuses it
     */
    static RuntimeBean register(int nRanks, Counters counters, AsyncResult asyncResult, Path folder) {
        try {
            return new RuntimeBean(nRanks, counters, asyncResult, folder);
        } catch (JMException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "rank " + counters.rank()
                    + " cannot be shown to JMX, as " + CoreOptions.JMX + " asks: " + e, e);
        }
    }

    private RuntimeBean(int nRanks, Counters counters, AsyncResult asyncResult, Path folder) throws JMException {
        this.nRanks = nRanks;
        this.counters = counters;
        this.asyncResult = asyncResult;
        this.folder = folder;
        this.server = ManagementFactory.getPlatformMBeanServer();
        this.name = enter();
    }

    /** Runtimes of one rank and job in a process, as of a test, are numbered. */
    private ObjectName enter() throws JMException {
        String first = "io.proxyrt:type=Runtime,rank=" + getRank() + ",job=" + ObjectName.quote(getJob());
        for (int instance = 1; ; instance++) {
            ObjectName free = new ObjectName(instance == 1 ? first : first + ",instance=" + instance);
            try {
                return server.registerMBean(new StandardMBean(this, ProxyRuntimeMXBean.class, true), free)
                        .getObjectName();
            } catch (InstanceAlreadyExistsException _) {
                // The next number is free, or one of those behind it.
                continue;
            }
        }
    }

    /** Idempotent. */
    @Override
    public void close() {
        try {
            server.unregisterMBean(name);
        } catch (InstanceNotFoundException _) {
            // It was closed, or a tool has done it.
            return;
        } catch (JMException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, name + " stays in JMX: " + e, e);
        }
    }

    @Override
    public int getRank() {
        return counters.rank();
    }

    @Override
    public int getRanks() {
        return nRanks;
    }

    @Override
    public String getJob() {
        return counters.job();
    }

    @Override
    public Map<String, Long> getCounters() {
        Map<String, Long> values = new LinkedHashMap<>();
        for (Counter counter : Counter.values()) {
            values.put(counter.label(), counters.get(counter));
        }
        return values;
    }

    @Override
    public Health getHealth() {
        RuntimeHealth health = HealthLook.at(getRank(), folder, Duration.ZERO);
        return new Seen(health.state().name(), health.why());
    }

    private record Seen(String getState, String getReason) implements Health {
    }

    @Override
    public String getFailure() {
        ProxyException failure = asyncResult.failure();
        return failure == null ? "" : failure.result() + ": " + failure.getMessage();
    }

    @Override
    public List<String> dump() {
        try {
            return ProxyAssembly.dump(counters);
        } catch (IllegalStateException _) {
            return List.of("the runtime is closed");
        }
    }
}
