/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The network every host has: TCP, with one socket for each comm or several.
 *
 * <p>A system call costs more than anything else here, so the data path is built around having few. A message is a
 * header of 24 bytes and its payload. The sender copies small messages behind their headers into a staging buffer, as
 * many as fit, and hands them over with one write, inside {@code isend} if nothing is queued before them; then
 * {@code test} has nothing to do. Of a large message only the beginning is staged, and the rest is written right from
 * the registered memory. The receiver reads into a staging buffer when it expects a header, which brings in several
 * small messages or the beginning of a large one, whose rest is read right into the registered memory. It reads only
 * if a receive is posted; what has no receive stays in the socket, and TCP holds the sender back.
 *
 * <p>A connection may have data sockets besides, for networks that limit what one flow carries. Then the control socket
 * carries all headers and the small messages, and large ones are cut into chunks over the data sockets. Both ends
 * reckon from the size alone which socket carries which bytes, so data sockets carry nothing else. The thread that
 * tests requests drives all sockets in turn, or helper threads of the comm drive the data sockets: they share with it
 * the number of messages that they may look at, and the number that they are through with, and no lock.
 *
 * <p>A comm is made of parts, none of which knows it: its requests and their failure
 * ({@link io.proxyrt.transport.net.socket.SocketRequests}), the control socket's messages
 * ({@link io.proxyrt.transport.net.socket.SocketFrameWriter} or
 * {@link io.proxyrt.transport.net.socket.SocketFrameReader}), the data sockets and their helper threads
 * ({@link io.proxyrt.transport.net.socket.SocketStreams}), and what brings a broken socket back
 * ({@link io.proxyrt.transport.net.socket.SocketRepair}). The comm says in which order a call uses them.
 *
 * <p>Set-up: the listen handle carries the listener's address, the number of sockets, and a random token. A connector's
 * first bytes on each socket are a hello that proves that it has the token, and which place the socket has; the
 * acceptor refuses a connection without it.
 *
 * <p>A connection can be made to survive its sockets. Then a message is complete for its sender when the receiver has
 * acknowledged it, so that its memory is there as long as it may be needed, and each socket has a cursor: which message
 * or stripe it carries, and how much of that is through. When one breaks, the sender dials again, takes over the
 * receiver's cursor, and goes on there; the other sockets need not know. A keeper thread of the network accepts
 * such sockets, and looks after connections that are not in use at the moment. On connections that are not resumed none
 * of this exists but a null.
 */
package io.proxyrt.transport.net.socket;

