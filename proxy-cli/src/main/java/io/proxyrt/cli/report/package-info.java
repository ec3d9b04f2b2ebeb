/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** A page that shows a job: what ranks did and do, on a timeline, in tables and plots. */
package io.proxyrt.cli.report;
