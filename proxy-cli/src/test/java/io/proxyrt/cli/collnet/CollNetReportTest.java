/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.collnet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.view.Json;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.collnet.CollNetOptions;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import io.proxyrt.transport.collnet.spi.CollNetProperties;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CollNetReportTest {
    private final List<String> closed = new ArrayList<>();
    private final CollNetPluginProvider tree = provider("Tree", 2);
    private final CollNetPluginProvider star = provider("Star", 1);
    private final CollNetPluginProvider empty = provider("Empty", 0);
    private final CollNetPluginProvider broken = new Provider("Broken", 1, closed) {
        @Override
        public CollNetPlugin create(ProxyConfig config, int rank) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the fabric is unplugged");
        }
    };

    @Test
    void shouldSayWhyEachNetworkIsUsedOrNot() {
        assertEquals("""
                Network Broken         not used, the fabric is unplugged
                Network Empty          not used, it has no device here
                  links                none, they are down
                Network Tree           used, as the first that has a device; another by proxyrt.collnet
                  device 0             tree0, 200 Mb/s, at most 7 comms, calls of up to 4096 bytes, /sys/tree
                  device 1             tree1, 200 Mb/s, at most 7 comms, calls of up to 4096 bytes, /sys/tree
                  reduces                sum  prod   max   min
                    int8                 yes    no    no    no
                """, printed("", broken, empty, tree).lines().limit(8).map(line -> line + '\n')
                .reduce("", String::concat));
        assertEquals(List.of("Empty", "Tree"), closed);
    }

    @Test
    void shouldHaveALineOfReductionsForEachType() {
        String text = printed("", tree);
        assertEquals(DataType.values().length,
                text.lines().filter(line -> line.matches("    \\S+ +(yes|no) .*")).count(), text);
        assertTrue(text.contains("    float                yes    no    no   yes\n"), text);
    }

    @Test
    void shouldUseTheNetworkThatIsAskedFor() {
        String text = printed("star", tree, star);
        assertTrue(text.contains("Network Tree           not used, proxyrt.collnet is star"), text);
        assertTrue(text.contains("Network Star           used, "), text);
        assertTrue(printed("", tree, star).contains("Network Star           not used, Tree comes first"));
    }

    @Test
    void shouldSayThatThereIsNone() {
        assertTrue(printed("", empty).endsWith("No network has a device here: COLLNET cannot be used\n"));
        assertTrue(printed("pigeon", tree).endsWith("No network with a device is called pigeon, as proxyrt.collnet "
                + "asks for: COLLNET cannot be used\n"));
        assertFalse(CollNetView.of(List.of(empty), config("")).isUsable());
    }

    @Test
    void shouldTellProgramsTheSame() {
        String text = Json.text(CollNetView.of(List.of(empty, star), config(""))).replaceAll("\\s+", "");
        for (String part : new String[] {"{\"wanted\":\"\",\"used\":\"Star\",\"networks\":[{\"name\":\"Empty\","
                + "\"whyNot\":\"ithasnodevicehere\",\"devices\":[],\"reductions\":{}",
            "{\"name\":\"Star\",\"whyNot\":\"\",\"devices\":[{\"number\":0,\"name\":\"star0\","
                    + "\"pciPath\":\"/sys/star\",\"guid\":9,\"speedMbps\":200,\"maxComms\":7,"
                    + "\"maxCollBytes\":4096}],\"reductions\":{\"int8\":[\"sum\"]", "\"float\":[\"sum\",\"min\"]"}) {
            assertTrue(text.contains(part), part + " is missing in " + text);
        }
    }

    private String printed(String wanted, CollNetPluginProvider... providers) {
        StringWriter text = new StringWriter();
        new CollNetReport(new PrintWriter(text, true)).print(CollNetView.of(List.of(providers), config(wanted)));
        return text.toString();
    }

    private static ProxyConfig config(String wanted) {
        return ProxyConfig.builder().environment(Map.of()).set(CollNetOptions.NETWORK, wanted).build();
    }

    private CollNetPluginProvider provider(String name, int devices) {
        return new Provider(name, devices, closed);
    }

    private static class Provider implements CollNetPluginProvider {
        private final String name;
        private final int devices;
        private final List<String> closed;

        Provider(String name, int devices, List<String> closed) {
            this.name = name;
            this.devices = devices;
            this.closed = closed;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public int priority() {
            return 0;
        }

        @Override
        public CollNetPlugin create(ProxyConfig config, int rank) {
            return new Network(name, devices, closed);
        }
    }

    /** Adds up everything, and knows the least of floats. */
    private record Network(String name, int devices, List<String> closed) implements CollNetPlugin {
        @Override
        public CollNetProperties properties(int dev) {
            String label = name.toLowerCase(Locale.ROOT);
            return new CollNetProperties(label + dev, "/sys/" + label, 9, 200, 7, 4096);
        }

        @Override
        public boolean reduceSupport(DataType type, RedOp op) {
            return op == RedOp.SUM || op == RedOp.MIN && type == DataType.FLOAT32;
        }

        @Override
        public String describe() {
            return name;
        }

        @Override
        public List<String> explain() {
            return List.of(devices == 0 ? "links: none, they are down" : "links: all up");
        }

        @Override
        public CollNetListenComm listen(int dev) {
            throw new AssertionError("nothing is connected");
        }

        @Override
        public CollNetConnectComm connect(int dev, List<ByteBuffer> handles, int rank, CollNetListenComm listen) {
            throw new AssertionError("nothing is connected");
        }

        @Override
        public void close() {
            closed.add(name);
        }
    }
}
