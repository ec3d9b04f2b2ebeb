/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.runtime.ProxyState;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another user of the host who has got hold of the secret calls a service by TCP. */
class OtherUserTest {
    private static final PeerId CALLER = new PeerId(1, 4711);
    @TempDir
    private Path folder;

    @BeforeAll
    static void requireAnotherUser() {
        assumeTrue(OtherUser.whyNot().isEmpty(), OtherUser::whyNot);
    }

    @Test
    void shouldBeRefusedWithItsNumberThoughItKnowsTheSecret() throws IOException {
        try (ProxyState service = start(""); OtherUser other = new OtherUser(address(service))) {
            ByteBuffer answer = call(service, other.address());
            assertEquals(ProxyResult.INVALID_USAGE.code(), answer.getInt(12));
            String text = new String(answer.array(), StandardCharsets.UTF_8);
            assertTrue(text.contains("rank 1 by its own"), text);
            try (RawCaller own = new RawCaller(service)) {
                own.shakeHands(RawCaller.hello(CALLER), Ranks.SECRET);
            }
        }
    }

    @Test
    void shouldBeLetInIfItIsListed() throws IOException {
        try (ProxyState service = start("7, " + OtherUser.UID); OtherUser other = new OtherUser(address(service))) {
            assertEquals(ProxyResult.SUCCESS.code(), call(service, other.address()).getInt(12));
        }
    }

    /** The answer to a good proof. */
    private static ByteBuffer call(ProxyState service, InetSocketAddress way) throws IOException {
        try (RawCaller caller = new RawCaller(way, address(service))) {
            byte[] hello = RawCaller.hello(CALLER);
            caller.send(hello);
            caller.send(caller.proof(hello, caller.read(RawCaller.ANSWER_BYTES), Ranks.SECRET));
            return ByteBuffer.wrap(caller.read(RawCaller.ANSWER_BYTES));
        }
    }

    private ProxyState start(String uids) {
        return Ranks.start(0, folder, ScriptedTransport.stuck(), Map.of("uds.allow.uids", uids));
    }

    private static InetSocketAddress address(ProxyState service) {
        return (InetSocketAddress) service.serviceAddress();
    }
}
