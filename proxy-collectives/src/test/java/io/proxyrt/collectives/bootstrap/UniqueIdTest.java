/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UniqueIdTest {
    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1:29500:0123456789abcdef", "[0:0:0:0:0:0:0:1]:1:ffffffffffffffff",
        "node-0.example.org:65535:0000000000000000", "localhost:29500:8000000000000000"})
    void shouldReadWhatItWrote(String text) {
        final UniqueId id = UniqueId.parse(text);

        assertEquals(text, id.toString());
        assertEquals(id, UniqueId.parse(id.toString()));
    }

    @Test
    void shouldReadAShortenedIpv6Address() {
        assertEquals(UniqueId.parse("[0:0:0:0:0:0:0:1]:7:0123456789ABCDEF"),
                UniqueId.parse("[::1]:7:0123456789abcdef"));
    }

    @Test
    void shouldKeepANameForTheLookUpAtEveryTry() {
        assertTrue(UniqueId.parse("no-such-host.invalid:7:0123456789abcdef").address().isUnresolved());
    }

    @Test
    void shouldRoundTripAResolvedAddressThatHasAName() throws Exception {
        final UniqueId id = UniqueId.random(new InetSocketAddress(
                InetAddress.getByAddress("some-name", new byte[] {127, 0, 0, 1}), 29500));

        assertEquals(id, UniqueId.parse(id.toString()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", "::", "a:b", "host:1", "host:0:0123456789abcdef", "host:65536:0123456789abcdef",
        "host:-1:0123456789abcdef", "host:+1:0123456789abcdef", "host:x:0123456789abcdef", "host:1:123", "host:1:",
        "host:1:0123456789abcdeg", "host:1:0123456789abcdef0", ":1:0123456789abcdef", "::1:1:0123456789abcdef",
        "[host]:1:0123456789abcdef", "[10.0.0.1]:1:0123456789abcdef", "[::1:1:0123456789abcdef",
        "::1]:1:0123456789abcdef", "1.2.3.999:1:0123456789abcdef", "ho st:1:0123456789abcdef",
        "-host:1:0123456789abcdef", "[::g]:1:0123456789abcdef", "host/x:1:0123456789abcdef", "[]:1:0123456789abcdef"})
    void shouldRefuseOtherText(String text) {
        Jobs.assertFails(ProxyResult.INVALID_ARGUMENT, () -> UniqueId.parse(text), "unique id '" + text + "'",
                "expected host:port:magic");
    }

    @Test
    void shouldNotEchoControlCharacters() {
        final ProxyException e = Jobs.assertFails(ProxyResult.INVALID_ARGUMENT,
                () -> UniqueId.parse("a\nWARN b\u001b"));

        assertTrue(e.getMessage().chars().noneMatch(Character::isISOControl), e.getMessage());
    }

    @Test
    void shouldDeriveTheSameMagicFromTheSameName() {
        final InetSocketAddress inside = new InetSocketAddress(29500);
        final InetSocketAddress outside = InetSocketAddress.createUnresolved("master", 29500);

        assertEquals(UniqueId.of(inside, "job 7").magic(), UniqueId.of(outside, "job 7").magic());
        assertNotEquals(UniqueId.of(inside, "job 7").magic(), UniqueId.of(inside, "job 8").magic());
    }

    @Test
    void shouldKeepTheDerivationForeverForOtherVersionsAndLanguages() {
        assertEquals(0x5433fcdf86d40bd2L, UniqueId.of(Jobs.loopback(), "train").magic());
    }

    @Test
    void shouldMakeEveryRandomIdAnother() {
        assertNotEquals(UniqueId.random(Jobs.loopback()), UniqueId.random(Jobs.loopback()));
    }
}
