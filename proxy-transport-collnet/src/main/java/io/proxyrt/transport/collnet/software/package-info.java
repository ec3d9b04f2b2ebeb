/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The network {@code Switch}: participants send their data to a switch in software, which combines them. A switch is a
 * process of its own, which {@code proxyrt collnet-switch} runs, or a thread of participant 0, for participants of one
 * host. The service thread sets connections up; the thread that uses a comm makes all system calls of its connection.
 *
 * <pre>
 *  SwitchNet ── listen ──► SwitchListenComm      handle: host, group's key, port of the embedded switch
 *      │
 *      └─────── connect ─► SwitchConnectComm     look up, dial, shake hands, wait for the others
 *                                │
 *                                ▼
 *                           SwitchComm           requests ─► CallWriter ──► socket ──► ResultReader ─► requests
 * </pre>
 */
package io.proxyrt.transport.collnet.software;
