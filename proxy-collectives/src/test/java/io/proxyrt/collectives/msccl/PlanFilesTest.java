/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What of MSCCL++'s plans is taken, and what is refused, with its place. */
class PlanFilesTest {
    /** A folder with plans of MSCCL++'s, such as its {@code test/executor-tests}: they are no part of this project. */
    private static final String EXAMPLES = "mscclpp.examples";
    /** An all-gather of two ranks: lines 4 to 7 are ops of rank 0. */
    private static final String RING = PlanText.ring(2);
    private static final AlgorithmFiles.Limits LIMITS = new AlgorithmFiles.Limits(1 << 17, 1024);
    private static final int CHANGES = 3000;
    private static final Pattern VALUE = Pattern.compile("(?<=[\\[ ])(-?\\d+|\"[a-z_0-9]+\")(?=[,\\]}])");

    @TempDir
    Path directory;

    static Stream<String> plans() {
        return Stream.<IntFunction<String>>of(PlanText::ring, PlanText::allGather, n -> PlanText.allReduce(n, true),
                n -> PlanText.allReduce(n, false), PlanText::allReduceByGroups, PlanText::reduceScatter,
                PlanText::allToAll, PlanText::packets).flatMap(of -> Stream.of(2, 3, 4, 8).map(of::apply));
    }

    @ParameterizedTest
    @MethodSource("plans")
    void shouldComeToItsEndAsItIsAndWithFewerSignals(String text) {
        Plan plan = PlanReader.read("a.json", text);
        Rehearsal.run(PlanTranslation.translate("a.json", "", plan, false));
        Rehearsal.run(PlanTranslation.translate("a.json", "", plan, true));
    }

    @Test
    void shouldReadWhatAPlanSays() {
        AlgorithmFile file = AlgorithmFiles.of("ring.json", RING);
        assertEquals(CollFunction.ALL_GATHER, file.function());
        assertEquals(2, file.nRanks());
        assertTrue(file.isFor(true));
        assertFalse(file.isFor(false));
        assertEquals(1, file.nChannels());
        String put = "line 4, gpus[0].threadblocks[0].ops[0]";
        String wait = "line 6, gpus[0].threadblocks[0].ops[2]";
        assertEquals(List.of(
                new ProgramBlock(put, 0, 1, -1, 0, List.of(
                        new ProgramStep(put, StepKind.SEND, Room.OUTPUT, 0, null, -1, 1, -1, -1))),
                new ProgramBlock(wait, 1, -1, 1, 0, List.of(
                        new ProgramStep(wait, StepKind.RECV, null, -1, Room.OUTPUT, 1, 1, -1, -1)))),
                file.programs().getFirst().blocks(), "the data are the signal");
    }

    /** The example that the page on collectives names. */
    @Test
    void shouldReadTheExample() throws IOException {
        try (InputStream example = PlanFilesTest.class.getResourceAsStream("pairs.json")) {
            AlgorithmFile file = AlgorithmFiles.of("pairs.json", new String(example.readAllBytes(),
                    StandardCharsets.UTF_8));
            assertTrue(file.takes(CollFunction.ALL_REDUCE, 4096, 4));
            assertFalse(file.takes(CollFunction.ALL_REDUCE, 2048, 4));
            assertEquals(5, file.programs().getFirst().blocks().stream().mapToInt(block -> block.steps().size()).sum(),
                    "two puts, what comes of the other rank's, and the sum between; no signals");
        }
    }

    /** Each line of the table changes a word of a line of a good plan. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
             1 | "allgather"         | "broadcast"       | line 1, collective: is "broadcast", and kernels of the host
             1 | "collective"        | "colletive"       | line 1: has no collective, which a plan of MSCCL++ has there
             1 | "Simple"            | "LL128"           | line 1, protocol: is "LL128"; Simple or LL is wanted
             1 | true                | 1                 | line 1, inplace: is 1; true or false is wanted
             2 | "id": 0             | "id": 1           | line 2, gpus[0].id: is 1; its place in the list, 0, is wanted
             2 | "input_chunks": 1   | "input_chunks": 2 | line 2, gpus[0].input_chunks: is 2; a number in 0..1 is
             2 | "output_chunks": 2  | "output_chunks": 3| equally many of each of the 2 ranks
             2 | "output_chunks": 2  | "output_chunks": 0| line 4, gpus[0].threadblocks[0].ops[0].src_buff[0].size: is 1
             2 | "scratch_chunks": 0 | "scratch_chunks": -1 | gpus[0].scratch_chunks: is -1; a number in 0..262144
             3 | "id": 0             | "id": 1           | line 3, gpus[0].threadblocks[0].id: is 1; a number in 0..0
             4 | "put"               | "move"            | line 4, gpus[0].threadblocks[0].ops[0].name: is "move"; an op
             4 | "put"               | "get"             | is get, for which a rank has to reach others' memory
             4 | "port"              | "memory"          | is put over a channel of type memory; kernels of the host go
             4 | "port"              | "switch"          | is put over a channel of type switch; kernels of the host go
             4 | "type": "o"         | "type": "x"       | ops[0].src_buff[0].type: is "x"; i, o or s is wanted
             4 | "type": "o"         | "type": "s"       | no more than the 0 chunks of s of rank 0 is wanted
             4 | "index": 0          | "index": 2        | ops[0].src_buff[0].index: is 2; a number in 0..1 is wanted
             4 | "index": 0          | "index": 0.5      | ops[0].src_buff[0].index: is 0.5; a number in 0..1 is wanted
             4 | "index": 0          | "index": null     | ops[0].src_buff[0].index: is null; a number in 0..1 is wanted
             4 | "size": 1           | "size": 0         | ops[0].src_buff[0].size: is 0; a number in 1..512 is wanted
             4 | "size": 1           | "size": 2         | ops[0]: has buffers of different sizes
             4 | "buffer_id": 0      | "buffer_id": 1    | ops[0].dst_buff[0].buffer_id: is 1; a number in 0..0 is
             4 | "dst_buff"          | "dst"             | ops[0]: has 0 dst_buff and 1 channel_ids; one for each is
             4 | "src_buff"          | "src"             | ops[0]: has 0 src_buff and 1 dst_buff, which is not what put
             4 | "channel_ids": [0]  | "channel_ids": [1]| ops[0].channel_ids[0]: is 1; a number in 0..0 is wanted
             4 | "channel_ids": [0]  | "channel_ids": [] | ops[0]: has 1 dst_buff and 0 channel_ids; one for each is
             4 | "channel_ids": [0]  | "channel_ids": 0  | ops[0].channel_ids: is 0; a list is wanted
             4 | "put"               | "pws"             | rank 1 does not wait for this signal, number 2 of the channel
             5 | "signal"            | "barrier", "barrier_id": 0, "num_threadblocks": 2 | barrier 0 is for 2 thread
             5 | "signal"            | "sem_acquire", "semaphore_ids": [0] | semaphore_ids[0]: is 0; a number in 0..-1
             4 | "put"               | "copy"            | ops[0].dst_buff[0]: has no type, which a plan of MSCCL++ has
             5 | "signal"            | "nop"             | ops[0]: no signal comes behind this put, so rank 1 cannot
             6 | "wait"              | "nop"             | rank 0 does not wait for this signal, number 1 of the channel
             5 | "signal"            | "wait"            | ops[0]: no signal comes behind this put
             7 | "channel_ids": [0]  | "channel_ids": [1]| threadblocks[0].channels[0].channel_ids[0]: is 1; a number
             7 | "remote_buffer_ids": [0] | "remote_buffer_ids": [] | names one of its thread block's remote buffers
             8 | "connected_to": [1] | "connected_to": [0] | channels[0].connected_to[0]: is 0; another rank than its
             8 | "connected_to": [1] | "connected_to": [2] | channels[0].connected_to[0]: is 2; a number in 0..1 is
             8 | "rank": 1           | "rank": 0         | is a buffer of rank 0; the channel goes to rank 1
             8 | "channels"          | "channels": [], "channels" | line 8, gpus[0].channels: is there twice
            15 | "port"              | "none"            | names one of its rank's by port, and there are none
            16 | 18446744073709551615| 0                 | a number from min_message_size, 0, on, and from 1 is wanted
            16 | "min_message_size": 0 | "min_message_size": -1 | a number of bytes, 0 or more, is wanted
            """)
    void shouldRefuseWithThePlace(int line, String old, String changed, String why) {
        List<String> lines = RING.lines().toList();
        String before = lines.get(line - 1);
        String after = before.replaceFirst(Pattern.quote(old), java.util.regex.Matcher.quoteReplacement(changed));
        assertNotEquals(before, after, () -> before + " has no " + old);
        assertRefused(why, Stream.concat(Stream.concat(lines.stream().limit(line - 1), Stream.of(after)),
                lines.stream().skip(line)).reduce("", (a, b) -> a + b + "\n"));
    }

    private static void assertRefused(String why, String text) {
        ProxyException refusal = assertThrows(ProxyException.class, () -> AlgorithmFiles.of("a.json", text));
        assertTrue(refusal.result() == ProxyResult.INVALID_ARGUMENT || refusal.result() == ProxyResult.INVALID_USAGE,
                refusal::toString);
        assertTrue(refusal.getMessage().startsWith("a.json, ") && refusal.getMessage().contains(why),
                refusal::getMessage);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {                   | line 1: this is no JSON of a plan: Unexpected end-of-input
            {"gpus": [1, 2}     | line 1: this is no JSON of a plan: Unexpected close marker
            {"gpus": 00}        | line 1: this is no JSON of a plan: Invalid numeric value
            {} {}               | line 1: something comes behind the plan
            {"collective": 1}   | line 1, collective: is 1; a text is wanted
            {"a": "\\u0007"}    | line 1: a text has a control character
            {"collective": "allreduce", "gpus": []} | line 1, gpus: has 0 elements; 2 are wanted at least
            """)
    void shouldRefuseWhatIsNoPlan(String text, String why) {
        assertRefused(why, text);
    }

    @Test
    void shouldRefuseMoreThanAPlanHas() {
        assertRefused("Document nesting depth (17) exceeds the maximum allowed", "{\"a\":" + "[".repeat(100_000));
        assertRefused("value length", "{\"a\": \"" + "a".repeat(300) + "\"}");
        assertRefused("there are more than 524288 values", "{\"a\": [" + "1,".repeat(600_000) + "1]}");
        assertRefused("value length", "{\"a\": " + "1".repeat(100_000) + "}");
    }

    /** The second put overwrites what another block may still read, unless it waits for that one's signal. */
    @Test
    void shouldKeepSignalsThatAreNeeded() {
        assertRefused("one of them to write it, and neither waits for the other", PlanText.reusedScratch(false));
        AlgorithmFile file = AlgorithmFiles.of("a.json", PlanText.reusedScratch(true));
        assertTrue(file.programs().get(1).blocks().stream().flatMap(block -> block.steps().stream())
                .anyMatch(step -> step.kind() == StepKind.SIGNAL), file::toString);
        assertTrue(AlgorithmFiles.of("a.json", PlanText.allReduce(3, true)).programs().stream()
                .flatMap(program -> program.blocks().stream()).flatMap(block -> block.steps().stream())
                .noneMatch(step -> step.kind() == StepKind.SIGNAL), "those say only that a rank is there");
    }

    /** Numbers and words of good plans change at random: what comes of it is taken, or refused as such. */
    @Test
    void shouldTakeOrRefuseWhateverChanges() {
        List<String> plans = List.of(PlanText.ring(3), PlanText.allReduce(3, false), PlanText.allReduceByGroups(2),
                PlanText.packets(3), PlanText.reduceScatter(3), PlanText.reusedScratch(true));
        Random random = new Random(26);
        int refused = 0;
        for (int i = 0; i < CHANGES; i++) {
            try {
                AlgorithmFiles.of("a.json", changed(plans.get(i % plans.size()), random));
            } catch (ProxyException e) {
                assertTrue(e.result() == ProxyResult.INVALID_ARGUMENT || e.result() == ProxyResult.INVALID_USAGE,
                        e::toString);
                refused++;
            }
        }
        assertTrue(refused > CHANGES / 2 && refused < CHANGES, "refused: " + refused);
    }

    /** One or two values, each by one that is somewhere else, or that is nowhere. */
    private static String changed(String plan, Random random) {
        String text = plan;
        for (int i = random.nextInt(2); i >= 0; i--) {
            List<MatchResult> values = new ArrayList<>(VALUE.matcher(text).results().toList());
            MatchResult value = values.get(random.nextInt(values.size()));
            String by = random.nextInt(4) > 0 ? values.get(random.nextInt(values.size())).group()
                    : String.valueOf(random.nextInt(12) - 2);
            text = text.substring(0, value.start()) + by + text.substring(value.end());
        }
        return text;
    }

    @Test
    void shouldLeaveOutPlansOfAFolderThatAreNotForHere() throws IOException {
        Path named = Files.writeString(directory.resolve("named"), RING);
        Path folder = Files.createDirectory(directory.resolve("plans"));
        Files.writeString(folder.resolve("b.json"), PlanText.allReduce(2, true));
        Files.writeString(folder.resolve("a.json"), RING.replace("\"put\"", "\"gstore\""));
        Files.writeString(folder.resolve("a.xml"), "no plan");
        AlgorithmFiles files = AlgorithmFiles.read(new AlgorithmFiles.Places(named.toString(), "", folder.toString()),
                2, LIMITS);
        assertEquals(List.of("named", "b.json"), files.files().stream()
                .map(file -> Path.of(file.file()).getFileName().toString()).toList());
        assertEquals(ProxyResult.INVALID_USAGE, assertThrows(ProxyException.class, () -> AlgorithmFiles.read(
                new AlgorithmFiles.Places(folder.resolve("a.json").toString(), "", ""), 2, LIMITS)).result());
        Files.writeString(folder.resolve("c.json"), RING.replace("\"put\"", "\"put it\""));
        assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class, () -> AlgorithmFiles.read(
                new AlgorithmFiles.Places("", "", folder.toString()), 2, LIMITS)).result());
    }

    @Test
    void shouldSayBeforeTheFirstCallThatThereIsNoRoom() throws IOException {
        String file = Files.writeString(directory.resolve("a.json"), PlanText.allGather(4)).toString();
        ProxyException refusal = assertThrows(ProxyException.class, () -> AlgorithmFiles.read(
                new AlgorithmFiles.Places(file, "", ""), 4, new AlgorithmFiles.Limits(1 << 17, 4)));
        assertTrue(refusal.getMessage().contains("would have 6 ops at a rank, and 4 can be posted at once; raise "
                + "proxyrt.ops.lane.capacity"), refusal::getMessage);
        AlgorithmFile read = AlgorithmFiles.read(new AlgorithmFiles.Places(file, "", ""), 4,
                new AlgorithmFiles.Limits(4096, 1024)).files().getFirst();
        assertTrue(read.takes(CollFunction.ALL_GATHER, 1L << 40, 4), "as many pieces as an op counts steps");
        assertFalse(read.takes(CollFunction.ALL_GATHER, 1L << 44, 4));
    }

    /** By {@code -Dmscclpp.examples=FOLDER}, on the test's JVM: each is taken, or left out for what it needs. */
    @Test
    void shouldReadExamplesOfOthers() {
        String folder = System.getProperty(EXAMPLES, "");
        assumeTrue(!folder.isEmpty(), EXAMPLES + " names no folder with plans of MSCCL++'s");
        AlgorithmFiles files = AlgorithmFiles.read(new AlgorithmFiles.Places("", "", folder), Integer.MAX_VALUE,
                LIMITS);
        assertFalse(files.files().isEmpty(), folder);
    }
}
