/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.ServiceEndpoint;
import io.proxyrt.core.service.ServiceEndpointProvider;
import io.proxyrt.core.service.message.MessageType;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Embedders shall not find foreign lines in their output: the JVM's warnings least of all. */
class QuietStartTest {
    /** A few calls, on the class path, in a JVM that denies native access; the arguments are options. */
    static final class Child {
        private static final int CALLS = 20;

        private Child() {
        }

        public static void main(String[] args) {
            ServiceEndpoint endpoint = ServiceLoader.load(ServiceEndpointProvider.class).findFirst().orElseThrow()
                    .open(Rig.config(args), new PeerId(0, 1), JobSecret.random(), new FakeHandler());
            CompletableFuture<ProxyClient> client = endpoint.connect(endpoint.address());
            await(endpoint, client);
            for (int i = 0; i < CALLS; i++) {
                CompletableFuture<ByteBuffer> answer = client.join().call(MessageType.SETUP, 0, Rig.bytes("x"));
                await(endpoint, answer);
                answer.join();
            }
            endpoint.onClose();
        }

        private static void await(ServiceEndpoint endpoint, CompletableFuture<?> future) {
            while (!future.isDone()) {
                endpoint.park(5_000_000);
                endpoint.doWork();
            }
        }
    }

    @Test
    void shouldPrintNothing() throws Exception {
        assertEquals("", output());
    }

    /** Netty then changes the selector that the loop waits in. */
    @Test
    void shouldServeWhereUnsafeIsAllowed() throws Exception {
        assertEquals("", outputWith("--sun-misc-unsafe-memory-access=allow"));
    }

    /** What a child prints that runs with these options, and then ends well. */
    static String output(String... keysAndValues) throws Exception {
        return outputWith("--sun-misc-unsafe-memory-access=deny", keysAndValues);
    }

    private static String outputWith(String unsafe, String... keysAndValues) throws Exception {
        String path = String.join(File.pathSeparator, Stream.of("jdk.module.path", "java.class.path")
                .map(key -> System.getProperty(key, "")).filter(value -> !value.isEmpty()).toList());
        String classes = Path.of(QuietStartTest.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                .resolveSibling("test-classes").toString();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea", unsafe, "--illegal-native-access=deny",
                "-Dslf4j.internal.verbosity=ERROR", "-cp", path + File.pathSeparator + classes,
                Child.class.getName()));
        command.addAll(List.of(keysAndValues));
        Process child = new ProcessBuilder(command).redirectErrorStream(true).start();

        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(0, child.waitFor(), output);
        return output;
    }
}
