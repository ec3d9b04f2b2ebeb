/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** {@code info tuning}: what a cost model chooses, and what it says of it. */
package io.proxyrt.cli.tuning;
