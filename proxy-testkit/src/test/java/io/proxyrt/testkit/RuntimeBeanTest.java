/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.runtime.ProxyRuntimeMXBean;
import io.proxyrt.core.runtime.ProxyState;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A runtime as a tool sees it that knows JMX alone. */
class RuntimeBeanTest {
    private static final String JOB = "job: 1, \"a\"";

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final List<ProxyState> opened = new ArrayList<>();

    @TempDir
    Path directory;

    @AfterEach
    void shouldBeGoneOnceAllAreClosed() throws Exception {
        opened.forEach(ProxyState::close);
        assertEquals(Set.of(), names());
    }

    private ProxyState start(Map<String, String> options) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, directory.resolve("base").toString());
        options.forEach(config::set);
        ProxyState proxy = ProxyState.builder().rank(3, 4).job(Ranks.SECRET, JOB).config(config.build()).start();
        opened.add(proxy);
        return proxy;
    }

    private Set<ObjectName> names() throws MalformedObjectNameException {
        return server.queryNames(new ObjectName("io.proxyrt:type=Runtime,*"), null);
    }

    @Test
    void shouldShowWhatOthersSeeInTheFiles() throws Exception {
        ProxyState proxy = start(Map.of("jmx", "1"));
        ObjectName name = new ObjectName("io.proxyrt:type=Runtime,rank=3,job=" + ObjectName.quote(JOB));
        ProxyRuntimeMXBean bean = JMX.newMXBeanProxy(server, name, ProxyRuntimeMXBean.class);
        assertEquals(List.of(3, 4), List.of(bean.getRank(), bean.getRanks()));
        assertEquals(JOB, bean.getJob());
        assertEquals(Arrays.stream(Counter.values()).map(Counter::label).collect(Collectors.toSet()),
                bean.getCounters().keySet());
        assertEquals("", bean.getFailure());
        assertEquals(List.of("HEALTHY", ""), List.of(bean.getHealth().getState(), bean.getHealth().getReason()));
        assertEquals(List.of("no op yet"), bean.dump());
        proxy.abort(new ProxyException(ProxyResult.REMOTE_ERROR, "for a test"));
        assertEquals("REMOTE_ERROR: for a test", bean.getFailure());
        CompositeData health = (CompositeData) server.getAttribute(name, "Health");
        assertEquals("FAILED", health.get("state"));
        assertEquals("for a test", health.get("reason"));
        assertEquals(ProxyResult.REMOTE_ERROR.code(), bean.getCounters().get(Counter.ASYNC_RESULT.label()));
    }

    @Test
    void shouldTellRuntimesOfOneNameFromEachOther() throws Exception {
        ProxyState first = start(Map.of("jmx", "1"));
        start(Map.of("jmx", "1"));
        assertEquals(2, names().size());
        first.close();
        assertEquals(List.of("2"), names().stream().map(name -> name.getKeyProperty("instance")).toList());
    }

    @Test
    void shouldShowNothingUnlessAsked() throws Exception {
        start(Map.of());
        assertEquals(Set.of(), names());
    }

    /** Its threads are refused what was asked for when all else is there. */
    @Test
    void shouldLeaveNothingOfOneThatDoesNotComeUp() throws Exception {
        assertThrows(ProxyException.class, () -> start(Map.of("jmx", "1", "cpuset", "1000")));
        assertEquals(Set.of(), names());
    }
}
