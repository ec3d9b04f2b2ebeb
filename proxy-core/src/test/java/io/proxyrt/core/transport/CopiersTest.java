/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CopyChoice;
import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Copier;
import io.proxyrt.core.platform.NativeCopy;
import io.proxyrt.core.platform.Platform;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CopiersTest {
    private static final Platform NONE = platform(null);
    private static final Platform WITH_LIBRARY = platform(new FakeLibrary());

    @Test
    void shouldLeaveAllToTheJvmWhereThereIsNothingElseOrItIsAskedFor() {
        assertSame(Copier.JVM, copier(NONE, CopyChoice.AUTO));
        assertSame(Copier.JVM, copier(NONE, CopyChoice.JVM));
        assertSame(Copier.JVM, copier(WITH_LIBRARY, CopyChoice.JVM));
    }

    @Test
    void shouldGiveEachEndOfAConnectionOneOfItsOwn() {
        Copiers copiers = copiers(WITH_LIBRARY, CopyChoice.AUTO);
        assertNotSame(copiers.of(Direction.SEND, "rank 1"), copiers.of(Direction.SEND, "rank 1"));
    }

    @Test
    void shouldSayThatThereIsNoLibrary() {
        ProxyException refusal = assertThrows(ProxyException.class, () -> copiers(NONE, CopyChoice.NATIVE));
        assertEquals(ProxyResult.INVALID_USAGE, refusal.result());
        assertTrue(refusal.getMessage().endsWith("there is none"), refusal::getMessage);
    }

    private static Copier copier(Platform platform, CopyChoice choice) {
        return copiers(platform, choice).of(Direction.SEND, "rank 1");
    }

    private static Copiers copiers(Platform platform, CopyChoice choice) {
        return new Copiers(platform, ProxyConfig.builder().properties(Map.of()).environment(Map.of())
                .set(CoreOptions.COPY, choice).build(), 0);
    }

    /** That knows copies only, or not even those. */
    private static Platform platform(NativeCopy library) {
        return (Platform) Proxy.newProxyInstance(Platform.class.getClassLoader(), new Class<?>[] {Platform.class},
                (_, method, _) -> method.getName().equals("copy") ? Optional.ofNullable(library) : "there is none");
    }
}
