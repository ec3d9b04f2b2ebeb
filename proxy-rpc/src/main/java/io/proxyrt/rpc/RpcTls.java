/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import java.io.File;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLKeyException;

/**
 * TLS 1.3 with certificates on both sides, or none. It keeps what is said secret and whole; who is of the job is still
 * for the handshake to tell, so a certificate may be of any host that the trusted authority has signed for. The proofs
 * of the handshake are bound to the TLS connection, so that no holder of a certificate can sit in between.
 */
final class RpcTls {
    /** Bytes of what binds a proof to a connection. */
    static final int BINDING_BYTES = 32;

    private static final String BINDING_LABEL = "EXPORTER-Channel-Binding";
    private static final List<Option<String>> FILES =
            List.of(RpcOptions.TLS_CERTIFICATE, RpcOptions.TLS_KEY, RpcOptions.TLS_TRUST);

    private final SslContext service;
    private final SslContext caller;

    private RpcTls(SslContext service, SslContext caller) {
        this.service = service;
        this.caller = caller;
    }

    /** Reads the files. */
    static RpcTls of(ProxyConfig config) {
        List<Option<String>> missing = FILES.stream().filter(file -> config.get(file).isBlank()).toList();
        if (missing.size() == FILES.size()) {
            return new RpcTls(null, null);
        }
        if (!missing.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "TLS needs all of " + FILES + " or none; not set: "
                    + missing);
        }
        for (Option<String> option : FILES) {
            if (!new File(config.get(option)).canRead()) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                        option + " is '" + config.get(option) + "': no such file, or it may not be read");
            }
        }
        File certificate = new File(config.get(RpcOptions.TLS_CERTIFICATE));
        File key = new File(config.get(RpcOptions.TLS_KEY));
        File trust = new File(config.get(RpcOptions.TLS_TRUST));
        try {
            RpcTls tls = new RpcTls(common(SslContextBuilder.forServer(certificate, key), trust)
                    .clientAuth(ClientAuth.REQUIRE).build(),
                    common(SslContextBuilder.forClient().keyManager(certificate, key), trust)
                            .endpointIdentificationAlgorithm(null).build());
            if (KeyMatch.isRefuted(certificate, key)) {
                throw new IllegalArgumentException("the key is not that of the certificate");
            }
            return tls;
        } catch (SSLException | IllegalArgumentException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "cannot use " + Stream.of(certificate, key, trust)
                    .map(File::toString).toList() + " of " + FILES + ": " + reason(e), e);
        }
    }

    private static SslContextBuilder common(SslContextBuilder builder, File trust) {
        return builder.trustManager(trust).sslProvider(SslProvider.JDK).protocols("TLSv1.3");
    }

    /** What an exception says, with the innermost cause. */
    static String reason(Throwable thrown) {
        Throwable innermost = thrown;
        while (innermost.getCause() != null && innermost.getCause() != innermost) {
            innermost = innermost.getCause();
        }
        String outer = String.valueOf(thrown.getMessage());
        String inner = String.valueOf(innermost.getMessage());
        return outer.contains(inner) ? outer : outer + " (" + inner + ")";
    }

    boolean isOn() {
        return service != null;
    }

    /** Puts itself in front of a connection that came. */
    void guard(Channel accepted, RpcService of) {
        if (isOn()) {
            accepted.pipeline().addLast(new PlainCallerRefusal(of), handler(service, accepted));
        }
    }

    /** Puts itself in front of a connection that is to be made. */
    void secure(Channel connecting) {
        if (isOn()) {
            connecting.pipeline().addLast(handler(caller, connecting));
        }
    }

    /** Whether a connection can carry a message: TLS is off or has been agreed on. */
    static boolean isReady(ChannelPipeline pipeline) {
        SslHandler handler = pipeline.get(SslHandler.class);
        return handler == null || handler.handshakeFuture().isSuccess();
    }

    /**
     * What only the two ends of a TLS connection share, by RFC 9266: a proxy that ends TLS in between has another one
     * with each of them. Zeros without TLS. Only once {@link #isReady}.
     */
    static byte[] binding(ChannelPipeline pipeline) {
        SslHandler handler = pipeline.get(SslHandler.class);
        if (handler == null) {
            return new byte[BINDING_BYTES];
        }
        try {
            return ((ExtendedSSLSession) handler.engine().getSession())
                    .exportKeyingMaterialData(BINDING_LABEL, new byte[0], BINDING_BYTES);
        } catch (SSLKeyException e) {
            throw new IllegalStateException("no proof can be bound to this TLS connection", e);
        }
    }

    /** The session's own deadline ends a handshake that takes too long. */
    private static SslHandler handler(SslContext context, Channel channel) {
        SslHandler handler = context.newHandler(channel.alloc());
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }

    @Override
    public String toString() {
        return isOn() ? "TLS" : "no TLS";
    }
}
