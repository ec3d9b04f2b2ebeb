/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.JobSecret;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UniqueIdTest {
    private static final String KEY = "0123456789abcdef0123456789abcdef";

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1:29500:", "[0:0:0:0:0:0:0:1]:1:", "node-0.example.org:65535:",
        "localhost:29500:job-"})
    void shouldReadWhatItWrote(String place) {
        final UniqueId id = UniqueId.parse(place + KEY);

        assertEquals(place + KEY, id.toString());
        assertEquals(id, UniqueId.parse(id.toString()));
        assertEquals(!place.endsWith("job-"), id.isRandom());
    }

    @Test
    void shouldReadAShortenedIpv6Address() {
        assertEquals(UniqueId.parse("[0:0:0:0:0:0:0:1]:7:" + KEY.toUpperCase(Locale.ROOT)),
                UniqueId.parse("[::1]:7:" + KEY));
    }

    @Test
    void shouldKeepANameForTheLookUpAtEveryTry() {
        assertTrue(UniqueId.parse("no-such-host.invalid:7:" + KEY).address().isUnresolved());
    }

    @Test
    void shouldRoundTripAResolvedAddressThatHasAName() throws Exception {
        final UniqueId id = UniqueId.random(new InetSocketAddress(
                InetAddress.getByAddress("some-name", new byte[] {127, 0, 0, 1}), 29500));

        assertEquals(id, UniqueId.parse(id.toString()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", "::", "a:b", "host:1", "host:0:K", "host:65536:K", "host:-1:K", "host:+1:K",
        "host:x:K", "host:1:123", "host:1:", "host:1:Kg", "host:1:K0", "host:1:job_K", ":1:K", "::1:1:K", "[host]:1:K",
        "[10.0.0.1]:1:K", "[::1:1:K", "::1]:1:K", "1.2.3.999:1:K", "ho st:1:K", "-host:1:K", "[::g]:1:K", "host/x:1:K",
        "[]:1:K", "1:K", "K"})
    void shouldRefuseOtherTextAndNotSayTheKey(String text) {
        final ProxyException e = Jobs.assertFails(ProxyResult.INVALID_ARGUMENT,
                () -> UniqueId.parse(text.replace("K", KEY)), "unique id '" + text.replaceAll("K0?", "(key)") + "'",
                "expected host:port:key");

        assertEquals(2, e.getMessage().split(KEY, -1).length - 1, "the examples have it, and nothing else");
    }

    /** As ids were once. */
    @Test
    void shouldRefuseAKeyOf64Bits() {
        Jobs.assertFails(ProxyResult.INVALID_ARGUMENT, () -> UniqueId.parse("host:1:0123456789abcdef"),
                "ends with 16 characters, which are not the 32 hexadecimal digits of a key");
    }

    @Test
    void shouldHaveALabelThatDoesNotTellTheKey() {
        final UniqueId id = UniqueId.parse("host:1:" + KEY);

        assertTrue(id.label().matches("host:1 #[0-9a-f]{8}"), id.label());
        assertEquals(id.label(), UniqueId.parse("host:1:" + KEY).label());
        assertNotEquals(id.label(), UniqueId.parse("host:1:" + KEY.replace('0', '1')).label());
        assertFalse(KEY.contains(id.label().substring(id.label().length() - 8)));
    }

    @Test
    void shouldNotEchoControlCharacters() {
        final ProxyException e = Jobs.assertFails(ProxyResult.INVALID_ARGUMENT,
                () -> UniqueId.parse("a\nWARN b\u001b"));

        assertTrue(e.getMessage().chars().noneMatch(Character::isISOControl), e.getMessage());
    }

    @Test
    void shouldDeriveTheSameKeyFromTheSameName() {
        final InetSocketAddress inside = new InetSocketAddress(29500);
        final InetSocketAddress outside = InetSocketAddress.createUnresolved("master", 29500);

        assertEquals(UniqueId.of(inside, "job 7"), UniqueId.of(outside, "job 7").at(inside));
        assertNotEquals(UniqueId.of(inside, "job 7"), UniqueId.of(inside, "job 8"));
    }

    @Test
    void shouldKeepTheDerivationForeverForOtherVersionsAndLanguages() {
        final String text = UniqueId.of(Jobs.loopback(), "train").toString();

        assertTrue(text.endsWith(":job-5433fcdf86d40bd229ef577f15bf760f"), text);
    }

    @Test
    void shouldDeriveANextJobFromSecretAndNonce() {
        final JobSecret secret = JobSecret.of(new byte[16]);
        final UniqueId next = UniqueId.after(secret, new byte[16], Jobs.loopback());

        assertEquals(next, UniqueId.after(JobSecret.of(new byte[16]), new byte[16], Jobs.loopback()));
        assertTrue(next.isRandom());
        assertNotEquals(next, UniqueId.after(JobSecret.of(HexFormat.of().parseHex(KEY)), new byte[16],
                Jobs.loopback()));
        assertNotEquals(next, UniqueId.after(secret, HexFormat.of().parseHex(KEY), Jobs.loopback()));
    }

    @Test
    void shouldMakeEveryRandomIdAnother() {
        assertNotEquals(UniqueId.random(Jobs.loopback()), UniqueId.random(Jobs.loopback()));
    }
}
