/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import io.proxyrt.core.service.message.SetupRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * A rank in another process. It calls the service of the rank that started it, and does what that one tells it on its
 * standard input; it answers each line with one.
 */
final class ChildRank {
    private static final long EXPORTED_BYTES = 1 << 16;

    private final ProxyState proxy;
    private final ServiceClient client;
    private DeviceMemory shared;

    private ChildRank(ProxyState proxy, ServiceClient client) {
        this.proxy = proxy;
        this.client = client;
    }

    /** Arguments: rank, port of the service to call, folder for its files, which the test that kills it deletes. */
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[2]);
        try (ProxyState proxy = Ranks.start(Integer.parseInt(args[0]), directory, ScriptedTransport.stuck(), Map.of());
                ServiceClient client = proxy.client(Ranks.service(args[1]))) {
            ChildRank child = new ChildRank(proxy, client);
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
            System.out.println("ready");
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                System.out.println(child.answer(line.split(" ")));
            }
        }
    }

    private String answer(String[] words) {
        try {
            return switch (words[0]) {
                case "connect" -> Long.toString(Ranks.connect(client, 3));
                case "setup" -> {
                    client.callAsync(Ranks.init(client, 3), new SetupRequest(Ranks.NOTHING));
                    yield "sent";
                }
                case "where" -> Ranks.port(proxy) + " " + proxy.memory().address();
                case "export" -> Long.toHexString(proxy.memory().export(
                        proxy.device().allocateShareable(EXPORTED_BYTES), Set.of(0)));
                case "post" -> {
                    Ranks.post(client, Long.parseLong(words[1]), 2);
                    yield "posted";
                }
                case "open" -> {
                    shared = proxy.memory().open(words[1], Long.parseUnsignedLong(words[2], 16), Ranks.TIMEOUT);
                    yield "opened " + shared.segment().byteSize();
                }
                case "read" -> text(shared.segment());
                case "write" -> {
                    shared.segment().setString(0, words[1]);
                    yield "written";
                }
                default -> "what is " + words[0] + "?";
            };
        } catch (ProxyException e) {
            return e.result() + " " + e.getMessage();
        }
    }

    static String text(MemorySegment memory) {
        return memory.get(ValueLayout.JAVA_BYTE, 0) == 0 ? "(nothing)" : memory.getString(0);
    }
}
