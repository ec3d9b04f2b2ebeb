/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.Direction;
import java.lang.reflect.Proxy;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The service thread leaves resources in a connection and moves it on to CONNECTED; a thread that sees that state sees
 * them, with all that is in them. On x86, which keeps stores in order, and loads too, only a compiler could break this;
 * with a plain field for the state it was broken once in 110,000 looks.
 */
@JCStressTest
@State
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not connected yet")
@Outcome(id = "1, 42", expect = Expect.ACCEPTABLE, desc = "connected, with its resources")
@Outcome(expect = Expect.FORBIDDEN, desc = "connected, without all of its resources")
public class ConnectionStress {
    private static final ProxyTransport TRANSPORT = (ProxyTransport) Proxy.newProxyInstance(
            ProxyTransport.class.getClassLoader(), new Class<?>[] {ProxyTransport.class},
            (proxy, method, args) -> null);

    private final ProxyConnection connection = new ProxyConnection(1, TRANSPORT, Direction.SEND, 1);

    public ConnectionStress() {
        connection.state(ConnectionState.SETUP_DONE);
    }

    @Actor
    public void service() {
        connection.resources(new int[] {42});
        connection.state(ConnectionState.CONNECTED);
    }

    @Actor
    public void progress(II_Result result) {
        if (connection.state() == ConnectionState.CONNECTED) {
            result.r1 = 1;
            result.r2 = connection.resources() instanceof int[] resources ? resources[0] : -1;
        }
    }
}
