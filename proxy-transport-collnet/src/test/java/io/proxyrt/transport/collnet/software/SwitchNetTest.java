/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SwitchNetTest {
    @Test
    void shouldBeInstalledBehindAllOthers() {
        CollNetPluginProvider provider = ServiceLoader.load(CollNetPluginProvider.class).stream()
                .map(ServiceLoader.Provider::get).filter(each -> each.name().equals("Switch")).findFirst()
                .orElseThrow();
        assertEquals(0, provider.priority());
        try (CollNetPlugin net = provider.create(PlayedSwitch.config(), 3)) {
            assertInstanceOf(SwitchNet.class, net);
        }
    }

    @Test
    void shouldHaveTheEmbeddedSwitchAsItsDeviceWhenNoneIsNamed() {
        try (SwitchNet net = PlayedSwitch.net(Platform.find())) {
            assertEquals(1, net.devices());
            assertEquals("embedded", net.properties(0).name());
            assertEquals("Switch: embedded switch, for ranks of one host", net.describe());
            assertEquals(1, net.explain().size());
            assertTrue(net.explain().getFirst().contains("proxyrt.collnet.switch is empty"), net.explain().toString());
        }
    }

    @Test
    void shouldHaveADeviceForEachSwitch() {
        try (SwitchNet net = PlayedSwitch.net(Platform.find(), "collnet.switch", "a:1, [::1]:2,10.0.0.1:65535")) {
            assertEquals(3, net.devices());
            assertEquals(List.of("a:1", "[::1]:2", "10.0.0.1:65535"), Stream.of(0, 1, 2)
                    .map(dev -> net.properties(dev).name()).toList());
            assertEquals(List.of(0L, 1L, 2L), Stream.of(0, 1, 2).map(dev -> net.properties(dev).guid()).toList());
            assertEquals("Switch: switch a:1, switch [::1]:2, switch 10.0.0.1:65535", net.describe());
            assertEquals(4, net.explain().size());
            assertTrue(net.properties(0).maxCollBytes() <= 1 << 30);
            assertTrue(net.explain().getLast().startsWith("secret: none, so only switches at loopback addresses"));
        }
        try (SwitchNet net = PlayedSwitch.net(Platform.find(), "collnet.switch", "a:1", "secret", "quiet")) {
            assertEquals("secret: as proxyrt.secret says", net.explain().getLast());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a:", ":1", "a:0", "a:65536", "a:-1", "a:1:2", "::1:2", "[::1]", "a b:1", "a:1,b",
        "[]:1", "a:123456", "0.0.0.0:1", "[::]:1", "[::0.0.0.0]:1"})
    void shouldRefuseAddressesThatAreNone(String text) {
        ProxyException failure = assertThrows(ProxyException.class,
                () -> PlayedSwitch.net(Platform.find(), "collnet.switch", text));
        assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
        assertTrue(failure.getMessage().startsWith("proxyrt.collnet.switch: '"), failure.getMessage());
    }

    @Test
    void shouldReduceAllTypesByAllButAverage() {
        try (SwitchNet net = PlayedSwitch.net(Platform.find())) {
            for (DataType type : DataType.values()) {
                for (RedOp op : RedOp.values()) {
                    assertEquals(op != RedOp.AVG, net.reduceSupport(type, op));
                }
            }
        }
    }

    @Test
    void shouldOpenNoSocketBeforeItIsUsed() throws IOException {
        // The JDK keeps one from the first that it closes.
        ServerSocketChannel.open().close();
        long before = sockets();
        try (SwitchNet net = PlayedSwitch.net(Platform.find());
                SwitchNet other = PlayedSwitch.net(Platform.find(), "collnet.switch", "a:1");
                CollNetListenComm withoutSocket = other.listen(0)) {
            assertEquals(before, sockets());
            try (CollNetListenComm withSocket = net.listen(0)) {
                assertEquals(before + 1, sockets(), withSocket.handle().toString());
            }
            assertEquals(before, sockets());
            assertTrue(withoutSocket.handle().remaining() <= CollNetPlugin.HANDLE_BYTES);
        }
    }

    @Test
    void shouldGiveHandlesThatTellNoSecretInATextAndDifferInTheirKeys() {
        try (SwitchNet net = PlayedSwitch.net(Platform.find()); CollNetListenComm one = net.listen(0);
                CollNetListenComm two = net.listen(0)) {
            SwitchHandle handle = SwitchHandle.decode(one.handle());
            assertEquals(one.handle(), handle.encode());
            assertEquals(one.handle(), one.handle());
            assertTrue(!ByteBuffer.wrap(handle.key()).equals(ByteBuffer.wrap(SwitchHandle.decode(two.handle()).key())));
            assertEquals(handle.host() + ", port " + handle.port(), handle.toString());
            assertTrue(one.handle().isReadOnly());
        }
    }

    private static long sockets() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(SwitchNetTest::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException e) {
            return false;
        }
    }
}
