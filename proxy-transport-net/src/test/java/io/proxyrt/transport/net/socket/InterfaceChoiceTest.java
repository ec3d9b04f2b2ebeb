/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.platform.HostInterface;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.transport.net.SocketOptions.Family;
import io.proxyrt.transport.net.socket.InterfaceChoice.Device;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InterfaceChoiceTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            lo docker0 virbr0 eth0 eth1 ib0 ib1   |            | ib0 ib1
            lo docker0 virbr0 eth0 eth1           |            | eth0 eth1
            lo docker0 virbr0                     |            | docker0
            lo virbr0                             |            | lo
            virbr0                                |            | virbr0
            lo eth0 eth1 ib0                      | eth        | eth0 eth1
            lo eth0 eth1 ib0                      | =eth1      | eth1
            lo eth0 eth10 eth1                    | =eth1      | eth1
            lo eth0 eth1 ib0                      | ib,lo      | lo ib0
            lo eth0 eth1 ib0                      | ^ib,lo     | eth0 eth1
            lo eth0 eth1 ib0                      | ^=eth1,lo  | eth0 ib0
            lo eth0                               | eth0:4711  | eth0
            """)
    void shouldFollowTheRulesOfNccl(String present, String names, String chosen) {
        List<HostInterface> candidates =
                Arrays.stream(present.split(" ")).map(InterfaceChoiceTest::up).toList();
        InterfaceChoice choice = InterfaceChoice.of(candidates, names == null ? "" : names, Family.ANY);

        assertEquals(chosen, String.join(" ", choice.chosen().stream().map(Device::name).toList()));
        assertEquals(candidates.size(), choice.findings().size());
    }

    @Test
    void shouldNeverUseAnInterfaceThatIsDownOrHasNoAddress() throws UnknownHostException {
        List<HostInterface> candidates = List.of(new HostInterface("ib0", false, addresses("10.0.0.1")),
                new HostInterface("eth0", true, List.of()),
                new HostInterface("eth1", true, addresses("fe80::1")), up("lo"));

        assertEquals(List.of("lo"), names(InterfaceChoice.of(candidates, "", Family.ANY)));
        assertEquals(List.of(), names(InterfaceChoice.of(candidates, "ib,eth", Family.ANY)));
        List<String> findings = InterfaceChoice.of(candidates, "", Family.ANY).findings();
        assertTrue(findings.get(0).contains("down"), findings.get(0));
        assertTrue(findings.get(1).contains("no address"), findings.get(1));
        assertTrue(findings.get(2).contains("no usable address: fe80:0:0:0:0:0:0:1 is link-local"), findings.get(2));
    }

    @Test
    void shouldRespectTheFamily() throws UnknownHostException {
        List<HostInterface> candidates = List.of(
                new HostInterface("eth0", true, addresses("fd00::2", "192.0.2.2")),
                new HostInterface("eth1", true, addresses("fd00::3")));

        assertEquals(addresses("192.0.2.2", "fd00::3"), chosen(candidates, Family.ANY));
        assertEquals(addresses("192.0.2.2"), chosen(candidates, Family.AF_INET));
        assertEquals(addresses("fd00::2", "fd00::3"), chosen(candidates, Family.AF_INET6));
    }

    @Test
    void shouldSayWhyAnInterfaceIsUsedOrNot() {
        List<String> findings = InterfaceChoice.of(List.of(up("eth0"), up("lo")), "", Family.ANY).findings();
        assertTrue(findings.get(0).startsWith("eth0: 192.0.2.1"), findings.get(0));
        assertTrue(findings.get(1).contains("eth0 was preferred"), findings.get(1));

        String named = InterfaceChoice.of(List.of(up("eth0")), "wlan", Family.ANY).findings().getFirst();
        assertTrue(named.contains("proxyrt.net.socket.ifname is wlan"), named);
    }

    @Test
    void shouldSayWhichOfSeveralAddressesPeersAreToldAndWhy() throws UnknownHostException {
        List<HostInterface> candidates = List.of(new HostInterface("eth0", true,
                addresses("fe80::1", "fd00::2", "192.0.2.2", "192.0.2.3")));

        assertEquals("eth0: 192.0.2.2, an ordinary interface; not fe80:0:0:0:0:0:0:1, which is link-local; "
                + "not fd00:0:0:0:0:0:0:2, as IPv4 comes first; not 192.0.2.3, which is not the first",
                InterfaceChoice.of(candidates, "", Family.ANY).findings().getFirst());
        assertEquals("eth0: fd00:0:0:0:0:0:0:2, an ordinary interface; not fe80:0:0:0:0:0:0:1, which is link-local; "
                + "not 192.0.2.2, which is IPv4; not 192.0.2.3, which is IPv4",
                InterfaceChoice.of(candidates, "", Family.AF_INET6).findings().getFirst());
    }

    @Test
    void shouldSayWhatWouldChangeTheChoice() throws UnknownHostException {
        List<HostInterface> candidates = List.of(up("eth0"), up("lo"),
                new HostInterface("tun0", true, addresses("192.0.2.9")));

        assertEquals("lo: not used, eth0 was preferred: an ordinary interface; to use it, name it in "
                + "proxyrt.net.socket.ifname or NCCL_SOCKET_IFNAME",
                InterfaceChoice.of(candidates, "", Family.ANY).findings().get(1));
        String family = InterfaceChoice.of(candidates, "", Family.AF_INET6).findings().get(2);
        assertEquals("tun0: not used, it has no usable address: 192.0.2.9 is IPv4; to use it, change the family, which "
                + "is AF_INET6 by proxyrt.net.socket.family or NCCL_SOCKET_FAMILY", family);
    }

    @Test
    void shouldUseSixteenAtMost() {
        List<HostInterface> candidates = IntStream.range(0, 20).mapToObj(i -> up("eth" + i)).toList();
        InterfaceChoice choice = InterfaceChoice.of(candidates, "", Family.ANY);

        assertEquals(16, choice.chosen().size());
        assertTrue(choice.findings().get(19).contains("16"), choice.findings().get(19));
    }

    private static List<InetAddress> chosen(List<HostInterface> candidates, Family family) {
        return InterfaceChoice.of(candidates, "", family).chosen().stream().map(Device::address).toList();
    }

    private static List<String> names(InterfaceChoice choice) {
        return choice.chosen().stream().map(Device::name).toList();
    }

    private static HostInterface up(String name) {
        try {
            return new HostInterface(name, true, addresses("192.0.2.1"));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static List<InetAddress> addresses(String... texts) throws UnknownHostException {
        InetAddress[] addresses = new InetAddress[texts.length];
        for (int i = 0; i < texts.length; i++) {
            addresses[i] = InetAddress.getByName(texts[i]);
        }
        return List.of(addresses);
    }
}
