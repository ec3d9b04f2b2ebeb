/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * One class per group of C functions, which are linked when its first method is called, and {@link
 * io.proxyrt.natives.LinuxPlatform} over them, which knows whether that can work before anything is linked.
 */
package io.proxyrt.natives;

