/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* Plays libnvidia-ml for GPUs at 0000:N1:00.0, N from 1 on. It is as strict as the library, and keeps a list of calls. */
#include "standin.h"
#include <pthread.h>
#include <stdlib.h>

#ifndef CAPABILITY
#define CAPABILITY 90
#endif
#ifndef GPUS
#define GPUS 8
#endif
/* Of each GPU. */
#ifndef LINKS
#define LINKS 18
#endif
/* 1: links go to four switches; 0: to the other GPUs, as many to each. */
#ifndef SWITCHED
#define SWITCHED 1
#endif
/* A link of the first GPU that is down. */
#ifndef DOWN
#define DOWN -1
#endif
/* The first link that carries no data of peers. */
#ifndef PEER_LINKS
#define PEER_LINKS LINKS
#endif
#ifndef C2C_LINKS
#define C2C_LINKS 0
#endif

typedef enum { SUCCESS, UNINITIALIZED, INVALID_ARGUMENT, NOT_SUPPORTED, NOT_FOUND = 6, GPU_IS_LOST = 15 } nvmlReturn_t;

typedef struct gpu {
    int number;
} *nvmlDevice_t;

typedef struct {
    char busIdLegacy[16];
    unsigned int domain;
    unsigned int bus;
    unsigned int device;
    unsigned int pciDeviceId;
    unsigned int pciSubSystemId;
    char busId[32];
} nvmlPciInfo_t;

typedef struct {
    char busId[16];
    unsigned int domain;
    unsigned int bus;
    unsigned int device;
    unsigned int pciDeviceId;
    unsigned int pciSubSystemId;
    unsigned int reserved[4];
} nvmlPciInfo_v1_t;

typedef struct {
    unsigned int fieldId;
    unsigned int scopeId;
    long long timestamp;
    long long latencyUsec;
    unsigned int valueType;
    nvmlReturn_t nvmlReturn;
    union {
        double dVal;
        unsigned int uiVal;
        unsigned long ulVal;
        unsigned long long ullVal;
        signed long long sllVal;
    } value;
} nvmlFieldValue_t;

static struct gpu gpus[GPUS];
static int users;
static int failing_gpu = -1;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

/* For the test: the second GPU leaves the bus. */
void standin_lose(void) {
    failing_gpu = 1;
}

/* For the test: calls do not return until released. */
void standin_block(void) {
    pthread_mutex_lock(&gate);
}

void standin_release(void) {
    pthread_mutex_unlock(&gate);
}

static nvmlReturn_t of_gpu(nvmlDevice_t device, const char *name) {
    nvmlReturn_t status = called(name);
    if (users == 0) {
        return UNINITIALIZED;
    }
    if (device < gpus || device >= gpus + GPUS) {
        abort();
    }
    return device->number == failing_gpu ? GPU_IS_LOST : status;
}

static nvmlReturn_t of_link(nvmlDevice_t device, unsigned int link, const char *name) {
    nvmlReturn_t status = of_gpu(device, name);
    return status != SUCCESS ? status : link >= LINKS ? INVALID_ARGUMENT : SUCCESS;
}

nvmlReturn_t nvmlInit_v2(void) {
    nvmlReturn_t status = called("init");
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    users += status == SUCCESS;
    for (int i = 0; i < GPUS; i++) {
        gpus[i].number = i;
    }
    return status;
}

#ifndef NO_SHUTDOWN
nvmlReturn_t nvmlShutdown(void) {
    nvmlReturn_t status = called("shutdown");
    if (users == 0) {
        return UNINITIALIZED;
    }
    users--;
    return status;
}
#endif

const char *nvmlErrorString(nvmlReturn_t status) {
    return status == NOT_FOUND ? "Not Found" : status == GPU_IS_LOST ? "GPU is lost"
            : status == 9 ? "Driver Not Loaded" : "Unknown Error";
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *busId, nvmlDevice_t *device) {
    nvmlReturn_t status = called("handle");
    if (users == 0) {
        return UNINITIALIZED;
    }
    for (int i = 0; status == SUCCESS && i < GPUS; i++) {
        char own[16];
        snprintf(own, sizeof own, "0000:%x1:00.0", i + 1);
        if (strcmp(own, busId) == 0) {
            *device = gpus + i;
            return SUCCESS;
        }
    }
    return status == SUCCESS ? NOT_FOUND : status;
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
    nvmlReturn_t status = of_gpu(device, "capability");
    if (status == SUCCESS) {
        *major = CAPABILITY / 10;
        *minor = CAPABILITY % 10;
    }
    return status;
}

#ifndef NO_LINKS
nvmlReturn_t nvmlDeviceGetNvLinkCapability(nvmlDevice_t device, unsigned int link, int capability, unsigned int *can) {
    nvmlReturn_t status = of_link(device, link, "link");
    if (status == SUCCESS) {
        *can = capability == 0 && link < PEER_LINKS;
    }
    return status;
}

static int is_up(nvmlDevice_t device, int link) {
    return device->number != 0 || link != DOWN;
}

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned int link, int *isActive) {
    nvmlReturn_t status = of_link(device, link, "state");
    if (status == SUCCESS) {
        *isActive = is_up(device, link);
    }
    return status;
}

/* As long as there are GPUs, from the first that is another. */
static int peer(nvmlDevice_t device, int link) {
    int other = link / (LINKS / (GPUS - 1));
    return other < device->number ? other : other + 1;
}

static void remote(nvmlDevice_t device, int link, char *legacy) {
#ifdef INVISIBLE
    (void) device;
    (void) link;
    strcpy(legacy, "FFFFFFF:FFFF:FF");
#else
    if (SWITCHED) {
        snprintf(legacy, 16, "0000:0%d:00.0", link / 5 + 3);
    } else {
        snprintf(legacy, 16, "0000:%X1:00.0", peer(device, link) + 1);
    }
#endif
}

#ifdef OLD
nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo(nvmlDevice_t device, unsigned int link, nvmlPciInfo_v1_t *info) {
    nvmlReturn_t status = of_link(device, link, "remote");
    if (status == SUCCESS) {
        memset(info, 0, sizeof *info);
        remote(device, link, info->busId);
    }
    return status;
}
#else
nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t *info) {
    nvmlReturn_t status = of_link(device, link, "remote_v2");
    if (status == SUCCESS) {
        memset(info, 0, sizeof *info);
        remote(device, link, info->busIdLegacy);
        snprintf(info->busId, sizeof info->busId, "0000%.16s", info->busIdLegacy);
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned int link, unsigned int *type) {
    nvmlReturn_t status = of_link(device, link, "type");
    if (status == SUCCESS) {
        *type = SWITCHED ? 2 : 0;
    }
    return status;
}

static nvmlReturn_t field(nvmlDevice_t device, nvmlFieldValue_t *value) {
    switch (value->fieldId) {
        case 165:
            value->value.uiVal = is_up(device, value->scopeId);
            return value->scopeId < LINKS ? SUCCESS : INVALID_ARGUMENT;
        case 170:
            value->value.uiVal = C2C_LINKS;
            return C2C_LINKS == 0 ? NOT_SUPPORTED : SUCCESS;
        case 171: /* The last one is down. */
            value->value.uiVal = value->scopeId < C2C_LINKS - 1;
            return SUCCESS;
        case 172:
            value->value.uiVal = 44712;
            return SUCCESS;
        default:
            return INVALID_ARGUMENT;
    }
}

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values) {
    nvmlReturn_t status = of_gpu(device, "field");
    for (int i = 0; status == SUCCESS && i < count; i++) {
        values[i].nvmlReturn = field(device, values + i);
    }
    return status;
}
#endif
#endif
