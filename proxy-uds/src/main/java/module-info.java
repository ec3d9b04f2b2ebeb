/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The wire side of the UDS thread: descriptors over Unix sockets, without a thread of its own. The Unix sockets
 * are proxy-native's, or junixsocket's if it is there. A module path has it only with
 * {@code --add-modules=org.newsclub.net.unix,com.kohlschutter.junixsocket.nativecommon}. It loads a library:
 * {@code --enable-native-access=org.newsclub.net.unix}.
 */
module io.proxyrt.uds {
    requires static com.kohlschutter.junixsocket.nativecommon;
    requires transitive io.proxyrt.core;
    requires static org.newsclub.net.unix;
    requires org.slf4j;

    exports io.proxyrt.uds;

    provides io.proxyrt.core.config.OptionsProvider with io.proxyrt.uds.UdsOptions;
    provides io.proxyrt.core.service.UdsEndpointProvider with io.proxyrt.uds.UdsSocketEndpointProvider;
}
