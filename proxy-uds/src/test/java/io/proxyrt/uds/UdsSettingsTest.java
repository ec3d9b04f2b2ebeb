/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.UserFilter;
import io.proxyrt.core.service.UdsClient;
import org.junit.jupiter.api.Test;

class UdsSettingsTest {
    @Test
    void shouldAdmitOneselfAndWhoIsListedButNotRoot() {
        assertTrue(settings("uds.allow.uids", "").users().admits(1000));
        assertFalse(settings("uds.allow.uids", "").users().admits(7));
        UserFilter users = settings("uds.allow.uids", " 7, 4294967294 ,").users();
        assertTrue(users.admits(1000) && users.admits(7) && users.admits(-2));
        assertFalse(users.admits(0), "root is a user like any other");
    }

    @Test
    void shouldRefuseWhatIsNoUser() {
        for (String wrong : new String[] {"root", "-1", "1;2", "4294967296"}) {
            ProxyException failure = Rig.failure(() -> settings("uds.allow.uids", wrong));
            assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
            assertEquals("proxyrt.uds.allow.uids: '" + wrong + "' is no user's number; list numbers, such as 1001,1002",
                    failure.getMessage());
        }
    }

    @Test
    void shouldRefuseTimesThatCannotBe() {
        for (String option : new String[] {"uds.hello.timeout", "uds.answer.timeout"}) {
            assertEquals("proxyrt." + option + " is PT0S: must be in 1ms..60m",
                    Rig.failure(() -> settings(option, "0ms")).getMessage());
            assertEquals("proxyrt." + option + " is PT1H1M: must be in 1ms..60m",
                    Rig.failure(() -> settings(option, "61m")).getMessage());
        }
        assertEquals("proxyrt.uds.spin is PT2S: must be in 0..1s",
                Rig.failure(() -> settings("uds.spin", "2s")).getMessage());
    }

    @Test
    void shouldFindAnAnswerWhileItSpinsAndAfterwards() throws Exception {
        FakeHandler handler = new FakeHandler();
        handler.export(1);
        UdsService caller = Rig.endpoint(SocketsKind.NATIVE, 0, Rig.SECRET, handler, "uds.spin", "5ms");
        UdsService service = Rig.endpoint(SocketsKind.NATIVE, 1, Rig.SECRET, handler);
        Driven driven = new Driven(service);
        try (UdsClient client = caller.connect(service.address(), Rig.PATIENCE, null)) {
            for (int i = 0; i < 20; i++) {
                client.getFd(Rig.PATIENCE, null, 1).getFirst().close();
            }
        }
        driven.close();
        UdsService slow = Rig.endpoint(SocketsKind.NATIVE, 2, Rig.SECRET, handler);
        long start = System.nanoTime();
        UdsClient late = caller.connect(slow.address(), Rig.PATIENCE, () -> {
            if (System.nanoTime() - start > 20_000_000) {
                slow.doWork();
            }
        });
        assertTrue(System.nanoTime() - start > 20_000_000, "it was slow");
        late.close();
        slow.onClose();
        caller.onClose();
        handler.close();
    }

    private static UdsSettings settings(String key, String value) {
        return UdsSettings.of(Rig.config(SocketsKind.NATIVE, key, value), 1000);
    }
}
