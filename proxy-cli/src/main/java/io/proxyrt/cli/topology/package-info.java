/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** {@code info topology}: what a host is made of, for people, as a graph of Graphviz, and as a picture. */
package io.proxyrt.cli.topology;
