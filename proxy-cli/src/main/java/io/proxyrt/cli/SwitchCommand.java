/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.launch.ShutdownHook;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.collnet.aggregation.AggregationSwitch;
import io.proxyrt.transport.collnet.aggregation.SwitchConfig;
import io.proxyrt.transport.collnet.aggregation.SwitchLimits;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code proxyrt collnet-switch}: a switch in software for the COLLNET transport. */
@Command(name = "collnet-switch", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Runs a switch in software, which reduces for the ranks that connect to it.",
            "It gathers, too. The COLLNET transport uses it where proxyrt.collnet.switch names it. Serves any number "
            + "of jobs with its secret (PROXYRT_SECRET_FILE, PROXYRT_SECRET); without one, those of this user on this "
            + "host. Says where it listens, and runs until it is interrupted.", ""},
        footer = {"", "Examples:",
            "  proxyrt collnet-switch",
            "  PROXYRT_SECRET_FILE=job.secret \\",
            "      proxyrt collnet-switch --listen 0.0.0.0:4791 --threads 4",
            "  proxyrt collnet-switch --listen 127.0.0.1:4792 --parent 127.0.0.1:4791",
            "", "Exit status: 0 if it was interrupted, 1 on an error, 2 wrong usage."})
final class SwitchCommand implements Callable<Integer> {
    private static final int MAX_PORT = 65_535;

    @Spec
    private CommandSpec spec;

    @Option(names = "--listen", paramLabel = "HOST:PORT", defaultValue = "127.0.0.1:0",
            description = "Where; port 0 is any free one. Default: ${DEFAULT-VALUE}.")
    private String listen;

    @Option(names = "--parent", paramLabel = "HOST:PORT", description = "The switch above this one, if there is one.")
    private String parent;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "1",
            description = "Threads, which share out the jobs. Default: ${DEFAULT-VALUE}.")
    private int threads;

    @Option(names = "--job-bytes", paramLabel = "SIZE", defaultValue = "4M", converter = ByteSize.class,
            description = "Most memory of a job; K, M and G are powers of 1024. Default: ${DEFAULT-VALUE}.")
    private long jobBytes;

    @Mixin
    private SettingOptions settings;

    /** For picocli. */
    SwitchCommand() {
    }

    @Override
    public Integer call() throws InterruptedException {
        final SwitchConfig config = config();
        final CountDownLatch isInterrupted = new CountDownLatch(1);
        final CountDownLatch isClosed = new CountDownLatch(1);
        boolean isInterruption;
        try (ShutdownHook _ = new ShutdownHook(() -> {
            isInterrupted.countDown();
            await(isClosed);
        })) {
            isInterruption = serve(config, isInterrupted);
        } finally {
            isClosed.countDown();
        }
        return isInterruption ? 0 : 1;
    }

    /** Returns false if it ended by itself. */
    private boolean serve(SwitchConfig config, CountDownLatch isInterrupted) throws InterruptedException {
        try (AggregationSwitch running = AggregationSwitch.start(config)) {
            final PrintWriter out = spec.commandLine().getOut();
            out.println(running.name() + " is ready");
            out.flush();
            boolean isAsked = false;
            while (running.isRunning() && !isAsked) {
                isAsked = isInterrupted.await(1, TimeUnit.SECONDS);
            }
            return isAsked;
        }
    }

    /** The process ends with its hooks. */
    private static void await(CountDownLatch isClosed) {
        try {
            isClosed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private SwitchConfig config() {
        final ProxyConfig asked = Misuse.checked(spec, () -> settings.builder().build());
        final SwitchLimits limits = Misuse.checked(spec,
                () -> SwitchLimits.defaults().withThreads(threads).withJobBytes(jobBytes).withTimeouts(
                        SwitchLimits.defaults().handshakeTimeout(), asked.get(CoreOptions.CONNECT_TIMEOUT)));
        final SwitchConfig config = SwitchConfig.of(address("--listen", listen), asked).withLimits(limits).shown();
        return parent == null ? config : config.withParent(address("--parent", parent));
    }

    private InetSocketAddress address(String flag, String text) {
        final int colon = text.lastIndexOf(':');
        final String port = text.substring(colon + 1);
        if (colon < 1 || !port.matches("\\d{1,5}") || Integer.parseInt(port) > MAX_PORT) {
            throw new ParameterException(spec.commandLine(), flag + " is '" + text
                    + "': must be host:port, such as 127.0.0.1:4791");
        }
        return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(port));
    }
}
