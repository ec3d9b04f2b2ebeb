/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.stress;

import io.proxyrt.bootstrap.UniqueId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Rank 1 in a process of its own: for each line with an id, a seed, a time and options it says what came. */
final class TortureRank {
    private TortureRank() {
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            List<String> words = List.of(line.split(" "));
            try (Torture torture = Torture.join(UniqueId.parse(words.get(0)), 1, words.subList(3, words.size()))) {
                System.out.println(torture.run(Long.parseLong(words.get(1)), Duration.parse(words.get(2))));
            }
        }
    }
}
