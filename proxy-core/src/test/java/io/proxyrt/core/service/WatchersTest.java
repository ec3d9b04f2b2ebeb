/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.ServiceFixture.Call;
import io.proxyrt.core.service.message.Farewell;
import io.proxyrt.core.service.message.MessageType;
import io.proxyrt.core.service.message.PingRequest;
import io.proxyrt.core.service.message.PingResponse;
import io.proxyrt.core.service.message.WatchRequest;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchersTest {
    private static final long FOR_EVER_NS = Duration.ofHours(1).toNanos();

    @TempDir
    private Path directory;
    private ServiceFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServiceFixture(directory, Map.of());
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void shouldAnswerNoWatchUntilItLeaves() {
        Call one = watch();
        assertEquals(0, fixture.pass(Duration.ofMinutes(1)));
        assertNull(one.result);
        fixture.service.leave(new Farewell(false, Farewell.UNKNOWN, "it closed its runtime"));
        assertEquals(1, fixture.pass(Duration.ZERO));
        assertEquals(new Farewell(false, Farewell.UNKNOWN, "it closed its runtime"), farewell(one));
        assertEquals(0, fixture.pass(Duration.ZERO));
    }

    @Test
    void shouldSleepWhileItIsWatched() {
        watch();
        assertEquals(FOR_EVER_NS, fixture.service.parkNs(FOR_EVER_NS));
    }

    @Test
    void shouldTellWhoComesLaterAtOnce() {
        fixture.service.leave(new Farewell(true, 4, "rank 4 died"));
        fixture.service.leave(new Farewell(false, Farewell.UNKNOWN, "it closed its runtime"));
        assertEquals(new Farewell(true, 4, "rank 4 died"), farewell(watch()));
    }

    @Test
    void shouldSayFarewellAheadOfItsEnd() {
        Call one = watch();
        fixture.service.leave(new Farewell(false, Farewell.UNKNOWN, "done"));
        fixture.service.abandon();
        assertEquals("done", farewell(one).reason());
    }

    @Test
    void shouldHaveOneCallOfAPeer() {
        Call before = watch();
        Call now = watch();
        assertEquals(ProxyResult.INVALID_USAGE, before.result);
        assertNull(now.result);
    }

    @Test
    void shouldCutAReasonThatIsTooLong() {
        Call one = watch();
        fixture.service.leave(Farewell.of(new ProxyException(ProxyResult.SYSTEM_ERROR, "x".repeat(5000))));
        fixture.pass(Duration.ZERO);
        assertEquals(Farewell.MAX_REASON_BYTES, farewell(one).reason().length());
    }

    @Test
    void shouldSayWhoAnswersAPing() {
        Call ping = fixture.call(ServiceFixture.A, 0, new PingRequest());
        PingResponse presence = new PingRequest().response(ping.response);
        assertEquals(ProcessIdentity.current().pid(), presence.pid());
        assertFalse(presence.isDriven());
    }

    @Test
    void shouldRefuseBodies() {
        for (MessageType type : new MessageType[]{MessageType.PING, MessageType.WATCH}) {
            Call call = fixture.call(ServiceFixture.A, type, 0, ByteBuffer.allocate(1));
            assertEquals(ProxyResult.INVALID_ARGUMENT, call.result, type.toString());
        }
    }

    private Call watch() {
        return fixture.call(ServiceFixture.A, 0, new WatchRequest());
    }

    private static Farewell farewell(Call call) {
        assertEquals(ProxyResult.SUCCESS, call.result);
        return new WatchRequest().response(call.response);
    }
}
