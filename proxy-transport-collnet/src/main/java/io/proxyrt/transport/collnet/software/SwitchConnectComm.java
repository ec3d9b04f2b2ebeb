/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.transport.collnet.CollNetOptions;
import io.proxyrt.transport.collnet.software.SwitchDial.Stage;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Connects with a switch: looks its name up, dials its addresses one after the other, and all of them again as long as
 * none listens yet, shows that it belongs there, and waits for the other participants.
 */
final class SwitchConnectComm implements CollNetConnectComm {
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final SwitchSettings settings;
    private final SwitchTarget target;
    private final SwitchWaiter waiter;
    private final Runnable whenOver;
    private final Future<List<InetAddress>> lookup;
    private final long startNs = System.nanoTime();
    /** To be tried one after the other; null before the name was looked up. */
    private List<InetAddress> addresses;
    private SwitchDial dial;
    private int attempts;
    private long nextAttemptNs = startNs;
    private String lastFailure = "";
    private boolean isOver;

    /** Towards a target; the action is run once, when the attempt has failed or its comm is closed. */
    SwitchConnectComm(SwitchSettings settings, SwitchTarget target, SwitchWaiter waiter, Runnable whenOver) {
        this(settings, target, waiter, whenOver, SwitchLookup.of(target.address().host()));
    }

    SwitchConnectComm(SwitchSettings settings, SwitchTarget target, SwitchWaiter waiter, Runnable whenOver,
            Future<List<InetAddress>> lookup) {
        this.settings = settings;
        this.target = target;
        this.waiter = waiter;
        this.whenOver = whenOver;
        this.lookup = lookup;
    }

    @Override
    public CollNetComm connect() {
        try {
            return advance() ? comm() : null;
        } catch (ConnectException | NoRouteToHostException e) {
            retryLater(e);
            return null;
        } catch (IOException e) {
            if (mayPass(e)) {
                passOver();
                return null;
            }
            throw failed(isDialled() ? ProxyResult.REMOTE_ERROR : ProxyResult.SYSTEM_ERROR, e.getMessage()
                    + DescriptorLimit.advice(e, hint()), e);
        } catch (ProxyException e) {
            throw failed(e.result(), e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        dropDial();
        lookup.cancel(false);
        if (!isOver) {
            isOver = true;
            whenOver.run();
        }
    }

    private boolean advance() throws IOException {
        if (dial == null && isDue()) {
            InetAddress address = addresses().get(attempts++ % addresses.size());
            target.credential().requireFor(address, "it cannot be used at");
            dial = new SwitchDial(new InetSocketAddress(address, target.address().port()),
                    target.handshake(patience()));
        }
        if (dial != null && dial.advance()) {
            return true;
        }
        if (System.nanoTime() - startNs > settings.connectTimeoutNs()) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, standstill() + " within "
                    + settings.connectTimeoutNs() / 1_000_000 + " ms, see " + CoreOptions.CONNECT_TIMEOUT);
        }
        return false;
    }

    private Duration patience() {
        return Duration.ofNanos(Math.max(0, settings.connectTimeoutNs() - (System.nanoTime() - startNs)));
    }

    private boolean isDue() {
        return lookup.isDone() && System.nanoTime() - nextAttemptNs >= 0;
    }

    private List<InetAddress> addresses() {
        if (addresses != null) {
            return addresses;
        }
        if (lookup.state() == Future.State.SUCCESS) {
            addresses = new ArrayList<>(lookup.resultNow());
            return addresses;
        }
        throw new ProxyException(ProxyResult.REMOTE_ERROR, "no name service knows " + target.address().host() + ": "
                + lookup.exceptionNow().getMessage() + "; see " + CollNetOptions.SWITCH);
    }

    private CollNetComm comm() throws IOException {
        SwitchSocket socket = dial.take(settings.platform());
        dial = null;
        try {
            CollNetComm comm = new SwitchComm(target.network(), target.nRanks(), target.rank(), socket, waiter,
                    whenOver);
            isOver = true;
            return comm;
        } catch (Throwable t) {
            socket.close();
            throw t;
        }
    }

    /** Whether this host has no way to an address, such as one of another family, and the switch has others. */
    private boolean mayPass(IOException e) {
        return !isDialled() && addresses.size() > 1 && DescriptorLimit.advice(e, "").isEmpty();
    }

    private void passOver() {
        dropDial();
        addresses.remove(--attempts % addresses.size());
    }

    /** Participant 0 listens before the others know of it: if it does not, it is gone. */
    private void retryLater(IOException e) {
        dropDial();
        lastFailure = e.getMessage();
        if (target.isEmbedded()) {
            throw failed(ProxyResult.REMOTE_ERROR, lastFailure + hint(), e);
        }
        if (attempts % addresses.size() == 0) {
            nextAttemptNs = System.nanoTime() + RETRY_NS;
        }
    }

    private boolean isDialled() {
        return dial != null && dial.stage() != Stage.CONNECTING;
    }

    private String standstill() {
        if (dial == null || dial.stage() == Stage.CONNECTING) {
            return lookup.isDone() ? lastFailure.isEmpty() ? "it did not answer" : "it did not listen (" + lastFailure
                    + ")" : "the name was not looked up";
        }
        return dial.stage() == Stage.HANDSHAKE ? "it did not let participant " + target.rank() + " in"
                : "it let participant " + target.rank() + " in, but did not say that all " + target.nRanks()
                        + " are there";
    }

    private String hint() {
        if (target.isEmbedded()) {
            return "; participant 0, which has it in its process, may be gone";
        }
        return isDialled() ? "; a switch does so to a peer that has another secret, see " + CoreOptions.SECRET_FILE
                : "; see " + CollNetOptions.SWITCH;
    }

    private ProxyException failed(ProxyResult result, String detail, Exception cause) {
        close();
        return new ProxyException(result, target.network() + ": " + detail, cause);
    }

    private void dropDial() {
        if (dial != null) {
            dial.close();
            dial = null;
        }
    }
}
