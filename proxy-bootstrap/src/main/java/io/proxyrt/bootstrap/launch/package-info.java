/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * For ranks that a launcher starts, such as torchrun, mpirun or srun: {@link
 * io.proxyrt.bootstrap.launch.RankEnvironment} says which rank of how many a process is, and {@link
 * io.proxyrt.bootstrap.launch.Rendezvous} where they meet, so that a program needs neither flags nor files for it.
 */
package io.proxyrt.bootstrap.launch;
