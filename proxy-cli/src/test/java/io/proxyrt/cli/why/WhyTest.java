/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.why;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.cli.CommandRun;
import io.proxyrt.cli.trace.RankFiles;
import io.proxyrt.cli.view.ParsedJson;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code proxyrt why}, of files that the test makes: what goes where. */
class WhyTest {
    private static final int RANKS = 4;

    private final List<RankFiles> ranks = new ArrayList<>();
    @TempDir
    private Path base;
    private String runtimes;

    @BeforeEach
    void start() {
        runtimes = base.resolve("runtimes").toString();
        for (int i = 0; i < RANKS; i++) {
            ranks.add(new RankFiles(ProxyConfig.builder().environment(Map.of()).set(CoreOptions.DIRECTORY, runtimes)
                    .build(), i));
        }
    }

    @AfterEach
    void close() {
        ranks.forEach(RankFiles::close);
    }

    @Test
    void shouldWriteItsDocumentBesideItsLinesOrAlone() throws IOException {
        Path file = base.resolve("why.json");
        CommandRun both = CommandRun.of("why", "--directory", runtimes, "--json", file.toString());
        assertEquals(0, both.status(), both::err);
        Map<String, Object> job = job(Files.readString(file));
        assertEquals("none", job.get("reason"));
        assertEquals("job a job: " + job.get("sentence") + "\n", both.out());
        CommandRun alone = CommandRun.of("why", "--directory", runtimes, "--json", "-");
        assertEquals(0, alone.status(), alone::err);
        assertEquals(job, job(alone.out()));
        CommandRun lines = CommandRun.of("why", "--directory", runtimes);
        assertEquals(both, lines);
    }

    private static Map<String, Object> job(String document) throws IOException {
        List<Map<String, Object>> jobs = ParsedJson.objects(ParsedJson.object(document).get("jobs"));
        assertEquals(1, jobs.size(), document);
        return jobs.getFirst();
    }
}
