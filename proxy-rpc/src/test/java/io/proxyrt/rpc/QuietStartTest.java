/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.JobSecret;
import io.proxyrt.core.spi.MessageType;
import io.proxyrt.core.spi.PeerId;
import io.proxyrt.core.spi.ServiceEndpoint;
import io.proxyrt.core.spi.ServiceEndpointProvider;
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
    /** One call, on the class path, in a JVM that denies Unsafe and native access; the arguments are options. */
    static final class Child {
        private Child() {
        }

        public static void main(String[] args) {
            ServiceEndpoint endpoint = ServiceLoader.load(ServiceEndpointProvider.class).findFirst().orElseThrow()
                    .open(Rig.config(args), new PeerId(0, 1), JobSecret.random(), new FakeHandler());
            CompletableFuture<ByteBuffer> answer = endpoint.connect(endpoint.address())
                    .thenCompose(client -> client.call(MessageType.SETUP, 0, Rig.bytes("x")));
            while (!answer.isDone()) {
                endpoint.doWork();
            }
            endpoint.onClose();
            answer.join();
        }
    }

    @Test
    void shouldPrintNothing() throws Exception {
        assertEquals("", output());
    }

    /** What a child prints that runs with these options, and then ends well. */
    static String output(String... keysAndValues) throws Exception {
        String path = String.join(File.pathSeparator, Stream.of("jdk.module.path", "java.class.path")
                .map(key -> System.getProperty(key, "")).filter(value -> !value.isEmpty()).toList());
        String classes = Path.of(QuietStartTest.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                .resolveSibling("test-classes").toString();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea", "--sun-misc-unsafe-memory-access=deny", "--illegal-native-access=deny",
                "-Dslf4j.internal.verbosity=ERROR", "-cp", path + File.pathSeparator + classes,
                Child.class.getName()));
        command.addAll(List.of(keysAndValues));
        Process child = new ProcessBuilder(command).redirectErrorStream(true).start();

        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(0, child.waitFor(), output);
        return output;
    }
}
