/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Words that users write. */
package io.proxyrt.core.text;
