/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What of MSCCL's XML is taken, and what is refused, with its line. */
class AlgorithmFilesTest {
    /** A folder with files of RCCL's, such as its {@code tools/msccl-algorithms}: they are no part of this project. */
    private static final String EXAMPLES = "msccl.examples";
    /** An all-reduce of two ranks; lines 3 to 9 are rank 0's, of which 5 to 7 are steps, 10 to 16 rank 1's. */
    private static final String RING = AlgorithmText.ring(2, 1);

    private static final int CHANGES = 3000;

    @TempDir
    Path directory;

    @Test
    void shouldReadWhatAFileSays() {
        AlgorithmFile file = AlgorithmFiles.of("ring.xml", RING);
        assertEquals(CollFunction.ALL_REDUCE, file.function());
        assertEquals(2, file.nRanks());
        assertEquals(List.of(new ProgramBlock("line 4", 0, 1, 1, 0, List.of(
                new ProgramStep("line 5", StepKind.SEND, Room.INPUT, 0, null, -1, 1, -1, -1),
                new ProgramStep("line 6", StepKind.RECV_REDUCE_COPY_SEND, Room.INPUT, 1, Room.OUTPUT, 1, 1, -1, -1),
                new ProgramStep("line 7", StepKind.RECV, null, -1, Room.OUTPUT, 0, 1, -1, -1)))),
                file.programs().getFirst().blocks());
    }

    @Test
    void shouldTakeCallsThatFillItsChunks() {
        AlgorithmFile file = AlgorithmFiles.of("ring.xml", RING.replace("minBytes=\"0\" maxBytes=\"0\"",
                "minBytes=\"16\" maxBytes=\"64\""));
        assertTrue(file.takes(CollFunction.ALL_REDUCE, 16, 8));
        assertTrue(file.takes(CollFunction.ALL_REDUCE, 64, 4));
        assertFalse(file.takes(CollFunction.ALL_REDUCE, 20, 4), "5 elements are no two chunks");
        assertFalse(file.takes(CollFunction.ALL_REDUCE, 8, 4), "too small");
        assertFalse(file.takes(CollFunction.ALL_REDUCE, 72, 4), "too large");
        assertFalse(file.takes(CollFunction.REDUCE, 16, 4), "another collective");
        AlgorithmFile gather = AlgorithmFiles.of("gather.xml", AlgorithmText.allGather(4));
        assertTrue(gather.takes(CollFunction.ALL_GATHER, 8, 4), "two chunks of each rank");
        assertEquals(4, gather.chunkBytes(8));
        assertFalse(gather.takes(CollFunction.ALL_GATHER, 4, 4), "one element is no two chunks");
    }

    /** Each line of the table changes one attribute, or more, of a line of a good file. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
             2 | ngpus=2         | ngpus=1         | line 2, has a <algo> with ngpus="1"; a number in 2..
             2 | ngpus=2         | ngpus=3         | line 2: ngpus is 3, and there is no <gpu> with id 2
             2 | coll=allreduce  | coll=broadcast  | one of [allgather, allreduce, alltoall, reducescatter] is wanted
             2 | coll=allreduce  | coll=allgather  | line 3, has a <gpu> with i_chunks="2"; a number in 0..1 is wanted
             2 | proto=Simple    | proto=LL256     | line 2, has a <algo> with proto="LL256"; Simple, LL or LL128
             2 | nchannels=1     | nchannels=65    | a number in 1..64 is wanted
             2 | nchunksperloop=2| nchunksperloop=0| line 2, has a <algo> with nchunksperloop="0"
             2 | inplace=1 outofplace=1 | inplace=0 outofplace=0 | 1, here or for outofplace, is wanted
             2 | minBytes=0 maxBytes=0  | minBytes=9 maxBytes=8  | 0, or a number from minBytes, 9, on is wanted
             2 | minBytes=0      | minBytes=x      | line 2, has a <algo> with minBytes="x"
            10 | id=1            | id=0            | line 10, has a <gpu> with id="0"; a number that no other <gpu> has
            10 | id=1            | id=2            | line 10, has a <gpu> with id="2"; a number in 0..1 is wanted
             3 | i_chunks=2      | i_chunks=1      | line 6, has a <step> with srcoff="1"; a number in 0..0 is wanted
             3 | o_chunks=2      | o_chunks=0      | line 6, has a <step> with cnt="1"; no more than the 0 chunks of o
             3 | s_chunks=0      | s_chunks=-1     | line 3, has a <gpu> with s_chunks="-1"
             3 | s_chunks=0      | x=0             | line 3, has a <gpu> without s_chunks
             4 | id=0            | id=1            | line 4, has a <tb> with id="1"; a number in 0..0 is wanted
             4 | send=1          | send=0          | line 4, has a <tb> with send="0"; another rank than its own, or -1
             4 | send=1          | send=2          | line 4, has a <tb> with send="2"; a number in -1..1 is wanted
             4 | send=1          | send=-1         | a step without send, which its <tb> has as -1, is wanted
             4 | recv=1          | recv=-1         | line 6, has a <step> with type="rrcs"; a step without recv
             4 | chan=0          | chan=1          | line 4, has a <tb> with chan="1"; a number in 0..0 is wanted
             4 | chan=0          | chan=-1         | line 4, has a <tb> with chan="-1"; a number in 0..0 is wanted
             5 | s=0             | s=1             | the number of steps before it in its <tb>, 0, is wanted
             5 | type=s          | type=x          | one of [s, r, rcs, rrs, rrc, rrcs, cpy, re, nop] is wanted
             5 | srcbuf=i        | srcbuf=x        | line 5, has a <step> with srcbuf="x"; i, o or s is wanted
             5 | srcbuf=i        | srcbuf=s        | line 5, has a <step> with cnt="1"; no more than the 0 chunks of s
             5 | srcoff=0        | srcoff=2        | line 5, has a <step> with srcoff="2"; a number in 0..1 is wanted
             5 | srcoff=0        | srcoff=-1       | line 5, has a <step> with srcoff="-1"
             7 | dstoff=0        | dstoff=2        | line 7, has a <step> with dstoff="2"; a number in 0..1 is wanted
             5 | cnt=1           | cnt=0           | line 5, has a <step> with cnt="0"; a number in 1..512 is wanted
             5 | cnt=1           | cnt=3           | line 5, has a <step> with cnt="3"; no more than the 2 chunks of i
             5 | depid=-1        | depid=1         | line 5: a step waits for block 1 of rank 0, which has 1
             5 | depid=-1        | depid=0         | line 5: a step waits for step -1 of block 0 of rank 0, which has 3
             5 | depid=-1 deps=-1 | depid=0 deps=3 | line 5: a step waits for step 3 of block 0 of rank 0, which has 3
             5 | hasdep=1        | hasdep=2        | line 5, has a <step> with hasdep="2"; a number in 0..1 is wanted
             5 | depid=-1 deps=-1 | depid=0 deps=2 | block 0 of rank 0 (line 5) for step 2 of its block 0
             5 | cnt=1           | cnt=2           | sends 2 chunks from rank 0 to rank 1 on channel 0, and the other
             6 | type=rrcs       | type=rrc        | line 14: a step receives 1 chunks from rank 0 to rank 1 on
             5 | type=s          | type=rcs        | the other rank sends no more
             5 | srcbuf=i        | srcbuf=o        | line 5: a step reads chunk 0 of o, to which nothing was written
             5 | srcoff=0        | srcoff=1        | which are not to be reduced
             6 | dstbuf=o        | dstbuf=i        | line 6: a step writes to the input, which calls out of place keep
             7 | dstoff=0        | dstoff=1        | line 3: rank 0 has chunk 0 of rank {0} in the end as chunk 0
            """)
    void shouldRefuseWithTheLine(int line, String old, String changed, String why) {
        List<String> lines = RING.lines().toList();
        String before = lines.get(line - 1);
        String after = before.replace(quoted(old), quoted(changed));
        assertFalse(before.equals(after), () -> before + " has no " + old);
        assertRefused(why, Stream.concat(Stream.concat(lines.stream().limit(line - 1), Stream.of(after)),
                lines.stream().skip(line)).reduce("", (a, b) -> a + b + "\n"));
    }

    /** {@code k="v"}, as often as {@code k=v} is there. */
    private static String quoted(String attributes) {
        return attributes.replaceAll("=(\\S+)", "=\"$1\"");
    }

    private static void assertRefused(String why, String text) {
        ProxyException refusal = assertThrows(ProxyException.class, () -> AlgorithmFiles.of("a.xml", text));
        assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
        assertTrue(refusal.getMessage().startsWith("a.xml") && refusal.getMessage().contains(why),
                refusal::getMessage);
    }

    @Test
    void shouldRefuseWhatIsNoAlgorithm() {
        assertRefused("is no whole XML document", RING.substring(0, RING.length() / 2));
        assertRefused("begins with <system>; <algo> is wanted", "<system/>");
        assertRefused("a document type or entities", "<!DOCTYPE algo [<!ENTITY a 'b'>]>\n" + RING);
    }

    /** Numbers and words of good files change at random: what comes of it is taken, or refused as such. */
    @Test
    void shouldTakeOrRefuseWhateverChanges() {
        List<String> files = List.of(AlgorithmText.ring(3, 2), AlgorithmText.allPairs(3), AlgorithmText.doubling(4),
                AlgorithmText.hierarchical(4), AlgorithmText.allToAllInTwoSteps(4), AlgorithmText.reduceScatter(3));
        Random random = new Random(26);
        int refused = 0;
        for (int i = 0; i < CHANGES; i++) {
            String text = changed(files.get(i % files.size()), random);
            try {
                AlgorithmFiles.of("a.xml", text);
            } catch (ProxyException e) {
                assertEquals(ProxyResult.INVALID_ARGUMENT, e.result(), e::getMessage);
                refused++;
            }
        }
        assertTrue(refused > CHANGES / 2 && refused < CHANGES, "refused: " + refused);
    }

    /** One or two values, each by one that another attribute has, or that none has. */
    private static String changed(String text, Random random) {
        List<String> parts = new ArrayList<>(List.of(text.split("\"")));
        for (int i = random.nextInt(2); i >= 0; i--) {
            int value = 2 * random.nextInt(parts.size() / 2) + 1;
            int other = 2 * random.nextInt(parts.size() / 2) + 1;
            parts.set(value, random.nextInt(4) > 0 ? parts.get(other) : String.valueOf(random.nextInt(12) - 2));
        }
        return String.join("\"", parts);
    }

    @Test
    void shouldRefuseTwoBlocksWithOneConnection() {
        String twice = RING.replaceFirst("    </tb>\n", """
                </tb>
                <tb id="1" send="1" recv="-1" chan="0">
                <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="0" deps="0" hasdep="0"/>
                </tb>
                """);
        assertRefused("line 9: blocks 0 and 1 of rank 0 have the same connection of channel 0", twice);
    }

    /** The second ring's block takes what the first one's makes, and does not wait for it. */
    @Test
    void shouldRefuseBlocksThatUseAChunkInNoOrder() {
        String ordered = AlgorithmText.hierarchical(4);
        assertEquals(4, AlgorithmFiles.of("a.xml", ordered).nRanks());
        assertRefused("neither waits for the other; a depid is missing",
                ordered.replace("depid=\"0\" deps=\"1\"", "depid=\"-1\" deps=\"-1\""));
        assertRefused("neither waits for the other; a depid is missing", AlgorithmText.allPairs(3)
                .replaceFirst("type=\"nop\" (.*) depid=\"0\" deps=\"1\"", "type=\"nop\" $1 depid=\"-1\" deps=\"-1\""));
    }

    /** Nine steps go out before any comes in: eight slots do not hold them. */
    @Test
    void shouldRefuseWhatOnlyMoreSlotsWouldLetEnd() {
        assertEquals(1, AlgorithmFiles.of("a.xml", AlgorithmText.swap(8)).nChannels());
        assertRefused("block 0 of rank 0 (line 13) for rank 1, which has 8 steps yet to receive",
                AlgorithmText.swap(9));
    }

    /** The more sends a rank has under way at once, the fewer slots each of them can have. */
    @ParameterizedTest
    @CsvSource({"1, 4", "2, 4", "3, 2", "4, 2", "5, 1", "8, 1"})
    void shouldLetAStepTakeSeveralSlotsWhereAllStillEnd(int sends, int pieces) {
        AlgorithmFile file = AlgorithmFiles.of("a.xml", AlgorithmText.swap(sends));
        assertEquals(pieces, file.pieces(1 << 20, 1 << 17, 1 << 16));
        assertEquals(1, file.pieces(1 << 16, 1 << 17, 1 << 16), "too small a chunk to cut it");
        assertEquals(Math.min(2, pieces), file.pieces(1 << 17, 1 << 17, 1 << 16));
    }

    @Test
    void shouldReadAListAndAFolderInTheirOrder() throws IOException {
        Path one = Files.writeString(directory.resolve("z.xml"), RING);
        Path folder = Files.createDirectory(directory.resolve("folder"));
        Files.writeString(folder.resolve("b.xml"), AlgorithmText.allGather(2));
        Files.writeString(folder.resolve("a.xml"), AlgorithmText.ring(3, 2));
        Files.writeString(folder.resolve("readme.txt"), "no XML");
        AlgorithmFiles files = read(one + ":" + folder.resolve("b.xml"), folder.toString(), 8);
        assertEquals(List.of("z.xml", "b.xml", "a.xml", "b.xml"), files.files().stream()
                .map(file -> Path.of(file.file()).getFileName().toString()).toList());
        assertEquals(List.of(3), files.of(3).files().stream().map(AlgorithmFile::nRanks).toList());
        assertEquals(AlgorithmFiles.NONE, read(" ", "", 8));
        assertEquals("none", AlgorithmFiles.NONE.digest());
        assertThrows(ProxyException.class, () -> read(directory.resolve("none.xml").toString(), "", 8));
        assertThrows(ProxyException.class, () -> read("", directory.resolve("none").toString(), 8));
    }

    private static AlgorithmFiles read(String list, String folder, int nRanks) {
        return AlgorithmFiles.read(new AlgorithmFiles.Places(list, folder, ""), nRanks,
                new AlgorithmFiles.Limits(1 << 17, 1024));
    }

    /** One that does not end. */
    @Test
    void shouldRehearseWhatTheRanksOfAJobMayUse() throws IOException {
        String file = Files.writeString(directory.resolve("stuck.xml"), AlgorithmText.swap(9)).toString();
        assertEquals(2, read(file, "", 1).files().getFirst().nRanks());
        for (int nRanks = 2; nRanks < 4; nRanks++) {
            int ofJob = nRanks;
            assertThrows(ProxyException.class, () -> read(file, "", ofJob));
        }
    }

    /** By {@code -Dmsccl.examples=FOLDER}, on the test's JVM. */
    @Test
    void shouldReadExamplesOfOthers() {
        String folder = System.getProperty(EXAMPLES, "");
        assumeTrue(!folder.isEmpty(), EXAMPLES + " names no folder with files of RCCL's");
        AlgorithmFiles files = read("", folder, Integer.MAX_VALUE);
        assertFalse(files.files().isEmpty(), folder);
    }
}
