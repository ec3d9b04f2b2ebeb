/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The wire side of the service thread: request and response frames over TCP, on Netty, without a thread of its own. */
module io.proxyrt.rpc {
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires transitive io.proxyrt.core;
    requires org.slf4j;

    exports io.proxyrt.rpc;

    provides io.proxyrt.core.config.OptionsProvider with io.proxyrt.rpc.RpcOptions;
    provides io.proxyrt.core.service.ServiceEndpointProvider with io.proxyrt.rpc.RpcServiceEndpointProvider;
}
