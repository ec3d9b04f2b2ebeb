/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * A network over TCP as plug-ins of NCCL have it, whatever their version: one connection a comm, messages behind one
 * another, each with a header. No call blocks. A comm is used by one thread at a time, but for memory, which another one
 * may register and deregister meanwhile; and it moves within test alone.
 *
 * -DMAX_RECVS=8 groups receives: then the receiver tells the sender of each group that it has posted, and the sender
 * takes a message only if the oldest group waits for its tag, as NCCL's InfiniBand network does. -DIN_ORDER has no
 * request tested but the oldest. -DNO_MHANDLES leaves mhandles as they are, as NCCL's socket network does.
 */
#ifndef PROXYRT_TCP_H
#define PROXYRT_TCP_H

#include "net_abi.h"

#include <stdbool.h>

#ifndef MAX_RECVS
#define MAX_RECVS 1
#endif

enum { MAX_REQUESTS = 8 };

#define WARN(...) log_to(LOG_WARN, LOG_NET, __FILE__, __LINE__, __VA_ARGS__)
#define INFO(...) log_to(LOG_INFO, LOG_NET, __func__, __LINE__, __VA_ARGS__)

struct listener;
struct comm;
struct request;
struct region;

/* Set before anything else. */
extern logger *log_to;

int tcp_listen(void *handle, struct listener **created);
/* Keeps what is under way in the handle, so the same bytes have to come again; NULL as long as it is not there. */
int tcp_connect(void *handle, struct comm **connected);
int tcp_accept(struct listener *listener, struct comm **accepted);
int tcp_register(struct comm *comm, void *data, size_t bytes, struct region **created);
int tcp_deregister(struct comm *comm, struct region *region);
/* A request of NULL: there is no room for it now. */
int tcp_send(struct comm *comm, void *data, size_t bytes, int tag, struct region *region, struct request **posted);
int tcp_receive(struct comm *comm, int n, void **data, const message_size *bytes, const int *tags,
                struct region **regions, struct request **posted);
/* NULL if there is nothing to flush. */
int tcp_flush(struct comm *comm, int n, void **data, const int *bytes, struct region **regions,
              struct request **posted);
/* Sizes are of each message of the request; may be NULL. */
int tcp_test(struct request *request, int *done, int *sizes);
int tcp_close(struct comm *comm);
int tcp_close_listener(struct listener *listener);

#endif
