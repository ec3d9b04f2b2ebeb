/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Where a runtime keeps its files: a folder of its own below one that belongs to its user alone, and how other
 * processes find it.
 */
package io.proxyrt.core.directory;
