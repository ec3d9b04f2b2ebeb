/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class UsageTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "perf | say what to measure: all_reduce, reduce, all_gather, all_gatherv, reduce_scatter, ",
        "perf all_to_all | 'all_to_all' is no collective: must be one of all_reduce",
        "perf all_reduce extra | 'extra'",
        "perf all_reduce --bogus | '--bogus'",
        "perf all_reduce --ranks 0 | --ranks is 0: must be within 1 to 256",
        "perf all_reduce --ranks -3 | --ranks is -3: must be within 1 to 256",
        "perf all_reduce --ranks 257 | --ranks is 257: must be within 1 to 256",
        "perf all_reduce --ranks two | 'two' is not an int",
        "perf all_reduce --nodes 0 | --nodes is 0: must be a divisor of the 4 ranks",
        "perf all_reduce --nodes 3 | --nodes is 3: must be a divisor of the 4 ranks",
        "perf all_reduce --ranks 6 --nodes 12 | --nodes is 12: must be a divisor of the 6 ranks",
        "perf all_reduce -b 0 | -b is 0: must be within 1",
        "perf all_reduce -b -8 | '-8' is not a size",
        "perf all_reduce -b 8X | '8X' is not a size",
        "perf all_reduce -e 9999G | -e is 10736344498176: must be within 1 to",
        "perf all_reduce -b 1M -e 1K | -b is 1048576 and -e is 1024",
        "perf all_reduce -f 1 | -f is 1: must be within 2",
        "perf all_reduce -f 2 -i 8 | -f and -i exclude each other",
        "perf all_reduce -i 0 | -i is 0: must be within 1",
        "perf all_reduce -i 1 -e 1G | -i is 1: that makes more than 100000 sizes",
        "perf all_reduce -n 0 | -n is 0: must be within 1",
        "perf all_reduce -n 100000 -m 100000 | -n times -m is 10000000000",
        "perf all_reduce -w -1 | -w is -1: must be within 0",
        "perf all_reduce -c -1 | -c is -1: must be within 0",
        "perf all_reduce -m 0 | -m is 0: must be within 1",
        "perf all_reduce -a 4 | -a is 4: must be within 0 to 3",
        "perf all_reduce -g 2 | -g is 2: must be 1, for a rank has one device; --ranks says how many ranks",
        "perf all_reduce --ngpus 2 | -g is 2: must be 1",
        "perf all_reduce -t 4 | -t is 4: must be 1, for a rank is a process, or a thread with --in-process; --ranks",
        "perf all_reduce -C 1 | -C is 1: must be 0, for times are from launch to end; for the time on CPUs, run",
        "perf all_reduce -G -1 | -G is -1: must be within 0",
        "perf all_reduce -n 100000 -G 100000 | -n times -m is 10000000000",
        "perf all_reduce -p 2 | -p is 2: must be 0 or 1, for ranks are always initialized in parallel",
        "perf all_reduce -z 1 | -z is 1: must be 0, for the operations of a measurement are launched",
        "perf all_reduce -N 0 | -N is 0: must be 1, for the table is gone through once; proxyrt soak goes on",
        "perf all_reduce -R 2 | -R is 2: must be 0",
        "perf all_reduce -Z csv | -Z is csv: proxyrt does not take it, for --json FILE and --csv FILE write",
        "perf all_reduce -G | '--cudagraph'",
        "perf all_reduce -t 1 -g 1 -N 1 -p 1 -z 0 -y 0 -G 0 -C 0 -b 0 | -b is 0: must be within",
        "perf all_reduce -S 0 -R 0 -x 0 -D 0 -M 0 --cache_flush=0 -b 0 | -b is 0: must be within",
        "perf all_reduce --csv /nowhere/x.csv | --csv is '/nowhere/x.csv': must be a file",
        "perf all_reduce --json - --csv - | --json and --csv are both '-': must differ",
        "perf all_reduce --rnaks 2 | '--rnaks'; did you mean --ranks?",
        "perf all_reduce --trans=NET | '--trans=NET'; did you mean --transport?",
        "perf all_reduse | 'all_reduse' is no collective: must be one of all_reduce, reduce, all_gather, all_gatherv, ",
        "perf all_reduse | sendrecv; did you mean all_reduce?",
        "perf all_reduce -d bflot16 | f8e5m2 or all; did you mean bfloat16?",
        "perf all_reduce -o summ | or all; did you mean sum?",
        "perf all_reduce --algo colnet | ; did you mean collnet?",
        "perf all_reduce --threading dedicate | or invoker; did you mean dedicated?",
        "perf all_reduce --transport sm | P2P, SHM; did you mean SHM?",
        "perf all_reduce --device cdua | --device is 'cdua': this build knows host, ",
        "perf all_reduce --device cdua | ; did you mean cuda?",
        "pref all_reduce | 'pref' is no command of proxyrt: must be one of perf, soak, tune, stat, why, dump, ",
        "pref all_reduce | completion, help; did you mean perf?",
        "info pears | 'pears' is no command of proxyrt info: must be one of net, peers, devices, ib, collnet,",
        "info pears | ; did you mean peers?",
        "help sota | 'sota' is no command of proxyrt: must be",
        "help info peer | 'peer' is no command of proxyrt info: must be",
        "trace 1 | Missing required option: '--output=FILE'",
        "trace -o /nowhere/x.json | -o is '/nowhere/x.json': must be a file",
        "report 1 | Missing required option: '--output=FILE'",
        "report -o /nowhere/x.html | -o is '/nowhere/x.html': must be a file",
        "report -o x.html --for 2h | --for is 7200s: must be at most 3600s",
        "report -o x.html --perf /nowhere/rows | cannot take rows of /nowhere/rows: ",
        "why 1 2 | '2'", "health --still -1 | --still is -1",
        "why --json /nowhere/x.json | --json is '/nowhere/x.json': must be a file",
        "stat --json /nowhere/x.json | --json is '/nowhere/x.json': must be a file",
        "soak --json /nowhere/x.json | --json is '/nowhere/x.json': must be a file",
        "perf all_reduce -d float8 | -d is 'float8': must be one of int8, uint8, int32",
        "perf all_reduce -o xor | -o is 'xor': must be one of sum, prod, max, min, avg, mulsum or all",
        "perf broadcast -r 4 | -r is '4': must be a rank, 0 to 3, or all",
        "perf broadcast -r -1 | -r is '-1': must be a rank, 0 to 3, or all",
        "perf sendrecv --ranks 1 | sendrecv takes at least 2 ranks",
        "perf all_reduce --jit-warmup -1 | --jit-warmup is -1",
        "perf all_reduce --timeout 0 | --timeout is 0: must be at least 1 second",
        "perf all_reduce --transport pigeon | there is no transport 'pigeon': this build has COLLNET, NET, P2P, SHM",
        "perf all_reduce --net ib --transport shm | --net is 'ib': must be a network's name, of transport NET, and ",
        "perf all_reduce --threading green | --threading is 'green': must be auto, dedicated",
        "perf all_reduce --algo nvls | (from --algo) is 'nvls': nothing is left for broadcast; not here: nvls",
        "perf all_reduce --algo bush | (from --algo) is 'bush': 'bush' is none of [auto, ring, tree, ",
        "perf all_reduce --channels 65 | proxyrt.coll.channels is '65': must be in 0..64",
        "perf all_reduce --set x | --set is 'x': must be key=value",
        "perf all_reduce --set =x | --set is '=x': must be key=value",
        "perf all_reduce --set secret=hush | --set secret would show the secret to all users of this host",
        "soak --set proxyrt.secret=hush | for --set secret.file=FILE or PROXYRT_SECRET_FILE, or set PROXYRT_SECRET",
        "info net --set secret=hush | --set secret would show the secret",
        "perf all_reduce --set nonsense=1 | unknown option proxyrt.nonsense",
        "perf all_reduce --set buffer.bytes=1 | proxyrt.buffer.bytes is '1'",
        "perf all_reduce --rendezvous host:1 | --rendezvous is for ranks that a launcher starts",
        "perf all_reduce --json /nowhere/x.json | --json is '/nowhere/x.json': must be a file",
        "perf all_reduce --device abacus | --device is 'abacus': this build knows host",
        "perf all_reduce --device host --gpus 2 | --gpus is 2: that takes --device with a kind of GPU",
        "perf all_reduce --gpus 2 | --gpus is 2: that takes --device with a kind of GPU",
        "soak --duration 10 | '10' is not a time: a whole number with ms, s, m, h or d",
        "soak --duration 99999d | '99999d' is too long a time: at most 36500d",
        "soak --rounds 0 | --rounds is 0: must be within 1 to",
        "soak --from -1 | --from is -1: must be within 0 to",
        "soak --max-bytes 0 | --max-bytes is 0: must be within 1 to",
        "soak --ranks 0 | --ranks is 0: must be within 1 to 256",
        "tune --ranks 2,1 | --ranks is 1: must be within 2 to 256",
        "tune --ranks 2,two | 'two' is not an int",
        "tune --ranks 4,257 | --ranks is 257: must be within 2 to 256",
        "tune --transport SHM,P2P | --transport is 'P2P': must be SHM or NET",
        "tune --seconds 0 | --seconds is 0: must be within 1 to 86400",
        "tune -o /nowhere/x.profile | -o is '/nowhere/x.profile': must be a file",
        "tune -o - | -o is '-': must be a file",
        "tune --set x -o x.profile --ranks 2 --transport SHM | --set is 'x': must be key=value",
        "stat --interval 5 | --interval is 5: must be at least 10",
        "stat --count -1 | --count is -1",
        "info net --set x | --set is 'x': must be key=value",
        "info net --set net.socket.family=IPX | is 'IPX': must be one of [any, af_inet, af_inet6]",
        "info peers --ranks 0 | --ranks is 0: must be within 1 to 256",
        "info peers --transport pigeon | there is no transport 'pigeon': this build has COLLNET, NET, P2P, SHM",
        "info peers --json /nowhere/x.json | --json is '/nowhere/x.json': must be a file",
        "info devices --set x | --set is 'x': must be key=value",
        "info devices --json /nowhere/x.json | --json is '/nowhere/x.json': must be a file",
        "info tuning --cpu amd | --cpu is for GPUs: say which by --arch, or leave it out",
        "info tuning --ranks 1 | --ranks is 1: must be within 2 to 256",
        "info tuning --transport P2P | --transport is 'P2P': must be SHM or NET",
        "info tuning --seconds 3 | --seconds is for --measure",
        "info tuning --measure -b 2 | -b is 2: what is measured are floats, so it must be a multiple of 4",
        "info tuning --measure --seconds 0 | --seconds is 0: must be within 1 to 86400",
        "info tuning --arch sm90 --measure | --measure and --seconds are for kernels of the host",
        "info tuning --arch sm9 | no cost model of 'sm9'; there are those of sm70, sm80, sm90, sm100, gfx906",
        "info tuning --arch sm90 --collective all_reduse | all_reduce; did you mean all_reduce?",
        "info tuning --arch sm90 --collective sendrecv | --collective is 'sendrecv': must be one of broadcast, reduce",
        "info tuning --arch sm90 --ranks 8 --nodes 3 | --nodes is 3: must be a divisor of the 8 ranks",
        "info tuning --arch sm90 --ranks 0 | --nodes is 1: must be a divisor of the 0 ranks",
        "info tuning --arch sm90 -b 8 -e 4 | -b is 8, -e is 4 and -f is 4: sizes must be within 1",
        "info tuning --arch sm90 --algo ring;tree | --algo is 'ring;tree': 'tree' needs a function before it",
        "info tuning --arch sm90 --proto LL256 | --proto is 'LL256': 'll256' is none of [auto, ll, ll128, simple]",
        "info tuning --arch sm90 --cpu arm | --cpu is 'arm': must be one of intel, amd, mixed, other",
        "info tuning --arch sm90 --channels 65 | channels of a graph: 65; must be 1 to 64",
        "info tuning --arch sm90 --bw-intra=-1 | bandwidth within a node of a graph: -1.0; must be 0 or more",
        "info tuning --arch sm90 --set x | --set is 'x': must be key=value",
        "info tuning --arch sm90 --json /nowhere/x.json | --json is '/nowhere/x.json': must be a file",
        "info collnet --set x | --set is 'x': must be key=value",
        "info collnet --json /nowhere/x.json | --json is '/nowhere/x.json': must be a file",
        "info init --ranks 1 | nRanks must be within 2 to a million",
        "info init --latency=-1 | a network of -1000 and 10000 ns",
        "info init --fault late | --fault is 'late': must be one of absent, killed, stopped",
        "info init --fault killed --rank 2000 | the faulty rank must be one",
        "info topology --set x | --set is 'x': must be key=value",
        "info topology --nodes 0 | --nodes is 0: must be within 1 to 1024",
        "info topology --ranks 65 | --ranks is 65: must be within 0 to 64",
        "info topology --dot /nowhere/x.dot | --dot is '/nowhere/x.dot': must be a file",
        "info topology --svg /nowhere/x.svg | --svg is '/nowhere/x.svg': must be a file",
        "collnet-switch --listen here | --listen is 'here': must be host:port, such as 127.0.0.1:4791",
        "collnet-switch --parent 127.0.0.1:70000 | --parent is '127.0.0.1:70000': must be host:port",
        "collnet-switch --threads 0 | threads must be within 1 to 64, not 0",
        "collnet-switch --job-bytes 1 | jobBytes must be at least",
        "collnet-switch --set x | --set is 'x': must be key=value",
        "dance | 'dance'",
        "'' | say what to do: perf, soak, tune, stat, why, dump, blackbox, trace, report, health, info or "})
    void shouldSayInOneLineWhatIsWrong(String arguments, String message) {
        String[] words = arguments.isEmpty() ? new String[0] : arguments.split(" ");
        assertEquals(ProxyRt.USAGE, run(words), err::toString);
        assertEquals(1, err.toString().lines().count(), err::toString);
        assertTrue(err.toString().contains(message), err::toString);
        assertTrue(err.toString().contains("--help"), err::toString);
        assertFalse(err.toString().contains("hush"), err::toString);
        assertEquals("", out.toString());
    }

    @ParameterizedTest
    @CsvSource({"--help, perf all_reduce", "perf --help, mpirun -np 4 proxyrt perf",
        "soak --help, proxyrt soak --seed 42", "tune --help, proxyrt tune --ranks 6",
        "stat --help, proxyrt stat -w", "why --help, proxyrt why 4711",
        "health --help, proxyrt health 4711 --still 60",
        "report --help, proxyrt report 4711 --for 10s -o job.html",
        "trace --help, proxyrt trace 4711 -o trace.json",
        "collnet-switch --help, proxyrt collnet-switch --listen",
        "info --help, proxyrt info net", "info net --help, proxyrt info net --set",
        "info devices --help, CUDA_VISIBLE_DEVICES=1 proxyrt info devices",
        "info collnet --help, proxyrt info collnet --set collnet.switch=",
        "info topology --help, NCCL_TOPO_DUMP_FILE=machine.xml proxyrt info topology",
        "info tuning --help, proxyrt info tuning --arch gfx942",
        "info options --help, proxyrt info options", "info peers --help, NCCL_SHM_DISABLE=1 proxyrt info peers",
        "help, proxyrt stat -w", "help perf, mpirun -np 4 proxyrt perf", "help info, proxyrt info net",
        "help info net, proxyrt info net --set", "info help net, proxyrt info net --set",
        "completion --help, source <(proxyrt completion)", "help help, proxyrt help perf",
        "--version, proxyrt ", "perf --version, proxyrt "})
    void shouldHelpWithExamples(String arguments, String text) {
        assertEquals(0, run(arguments.split(" ")));
        assertTrue(out.toString().contains(text), out::toString);
        assertTrue(out.toString().lines().allMatch(line -> line.length() <= 100), out::toString);
        assertEquals("", err.toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 60, 80, 100, 300})
    void shouldLayOutHelpForTheTerminal(int columns) {
        int width = Math.clamp(columns, 55, 100);
        for (CommandLine command : all(ProxyRt.commandLine(() -> columns))) {
            String text = command.getUsageMessage();
            List<String> paragraphs = Stream.of(command.getCommandSpec().usageMessage().description(),
                    command.getCommandSpec().usageMessage().footer()).flatMap(Stream::of).toList();
            for (String paragraph : paragraphs) {
                boolean isExample = paragraph.startsWith("  ");
                assertTrue(!isExample || paragraph.length() <= 80, paragraph);
                assertTrue(text.replaceAll(isExample ? "" : "\\s+", isExample ? "" : " ").contains(paragraph), text);
            }
            assertTrue(text.lines().allMatch(line -> line.length() <= width || paragraphs.contains(line)), text);
        }
    }

    @Test
    void shouldNameAllThatPerfCanMeasure() {
        assertEquals(0, run("perf", "--help"), err::toString);
        Set<String> words = new HashSet<>(List.of(out.toString().split("[^a-z0-9_]+")));
        for (Iterable<String> names : List.of(new Names.Collectives(), new Names.Reductions(), new Names.Types())) {
            names.forEach(name -> assertTrue(words.contains(name), () -> name + " is missing in " + out));
        }
    }

    /** A list of commands shows the first line alone. */
    @Test
    void shouldBeginEachDescriptionWithASentenceThatFitsALine() {
        for (CommandLine command : all(ProxyRt.commandLine(() -> 80))) {
            String first = command.getCommandSpec().usageMessage().description()[0];
            assertTrue(first.length() < 80 && first.endsWith("."), first);
        }
    }

    @Test
    void shouldPrintWhatAShellCompletesWith() {
        assertEquals(0, run("completion"), err::toString);
        String text = out.toString();
        for (String part : new String[] {"complete -F _complete_proxyrt", "_picocli_proxyrt_info_peers()",
            "\"reduce_scatter\"", "collnetdirect", "--csv"}) {
            assertTrue(text.contains(part), part + " is missing in " + text);
        }
        assertFalse(text.contains("--stream_null"), text);
    }

    private static List<CommandLine> all(CommandLine command) {
        return Stream.concat(Stream.of(command), command.getSubcommands().values().stream()
                .flatMap(sub -> all(sub).stream())).toList();
    }

    @Test
    void shouldWriteNothingButADocumentToTheStandardOutput() {
        for (String command : List.of("info ib --json -", "info devices --json -", "info collnet --json -")) {
            out.getBuffer().setLength(0);
            run(command.split(" "));
            assertTrue(out.toString().startsWith("{") && out.toString().endsWith("}\n"), out::toString);
            assertEquals("", err.toString());
        }
    }

    @Test
    void shouldWriteNoDocumentInPlaceOfALink() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Files.createFile(folder.resolve("file")));
        assertEquals(ProxyRt.USAGE, run("stat", "--directory", folder.toString(), "--json", link.toString()));
        assertTrue(err.toString().contains("--json is '" + link + "': must be a file, no link or device"),
                err::toString);
        assertTrue(Files.isSymbolicLink(link));
    }

    @Test
    void shouldTellWhatThereIs() {
        assertEquals(0, run("info"), err::toString);
        String text = out.toString();
        for (String part : new String[] {"proxyrt  ", "java  ", "SHM  ", "NET  ", "Socket  ", "  IB ", "host  ",
            "proxyrt.buffer.bytes ", "NCCL_BUFFSIZE", "1M ", "default", "proxyrt.coll.timeout ", "30s "}) {
            assertTrue(text.contains(part), part + " is missing in " + text);
        }
        assertTrue(text.lines().anyMatch(line -> line.matches("  COLLNET .*Switch.*")), text);
        assertEquals("", err.toString());
    }

    @Test
    void shouldPrintTheReferenceOfOptions() {
        assertEquals(0, run("info", "options"), err::toString);
        assertTrue(out.toString().lines().anyMatch(line -> line.startsWith("| `buffer.bytes` | NCCL_BUFFSIZE | 1M | ")),
                out::toString);
        assertEquals("", err.toString());
    }

    @Test
    void shouldExplainTheNetworkOfARuntime() {
        assertEquals(0, run("info", "net", "--set", "net.socket.ifname==lo"), err::toString);
        String text = out.toString();
        for (String line : new String[] {"Network Socket +used, .*NCCL_NET", "  device 0 +lo, \\d+ Mb/s, .*",
            "  lo +127\\.0\\.0\\.1, proxyrt\\.net\\.socket\\.ifname is =lo.*", "  peers dial +127\\.0\\.0\\.1 .*",
            "  ports +.*", "  sockets of lo +.*", "  engine +.*", "  proxyrt\\.net\\.socket\\.ifname +=lo .*"}) {
            assertTrue(text.lines().anyMatch(found -> found.matches(line)), line + " is missing in " + text);
        }
        assertTrue(text.lines().noneMatch(line -> line.startsWith("  proxyrt.buffer.bytes")), text);
    }

    @Test
    void shouldSayWhyNetCannotBeUsed() {
        assertEquals(1, run("info", "net", "--set", "net=carrier-pigeon"), err::toString);
        assertTrue(out.toString().contains("Network Socket         not used, proxyrt.net is carrier-pigeon"),
                out::toString);
        assertTrue(out.toString().contains("NET cannot be used"), out::toString);
        assertEquals(1, run("info", "net", "--set", "net.socket.ifname=nowhere"), err::toString);
        assertTrue(out.toString().contains("not used, it has no device here"), out::toString);
        assertTrue(out.toString().contains("name it in proxyrt.net.socket.ifname or NCCL_SOCKET_IFNAME"),
                out::toString);
    }

    @Test
    void shouldSayWhyCollNetCannotBeUsed() {
        assertEquals(1, run("info", "collnet", "--set", "collnet=carrier-pigeon"), err::toString);
        assertTrue(out.toString().contains("No network with a device is called carrier-pigeon, as proxyrt.collnet asks "
                + "for: COLLNET cannot be used"), out::toString);
        assertTrue(out.toString().contains("  proxyrt.collnet.switch "), out::toString);
    }

    @Test
    void shouldFindNoRuntimeWhereThereIsNone() {
        assertEquals(0, run("stat", "--directory", folder.toString()), err::toString);
        assertEquals("no running runtime found under " + folder + "\n", out.toString());
    }

    private int run(String... arguments) {
        CommandLine command = ProxyRt.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(arguments);
    }
}
