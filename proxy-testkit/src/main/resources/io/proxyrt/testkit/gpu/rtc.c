/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* The compilers' entry points, NVRTC's or hipRTC's: the same but for their prefix, some names, and what they accept. */
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum result { COMPILED = 0, INVALID_INPUT = 3, INVALID_PROGRAM = 4, INVALID_OPTION = 5, NOT_COMPILED = 6 };

#ifdef CUDA
#define RTC(name) nvrtc##name
static const int version[] = {13, 0};
static const char *const known[] = {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_100", "sm_103"};
#else
#define RTC(name) hiprtc##name
#if HIP == 5
static const int version[] = {9, 0};
static const char *const known[] = {"gfx803", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030"};
#else
static const int version[] = {9, 0};
static const char *const known[] = {"gfx906", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"};
#endif
#endif

static const char *const result_names[] = {"SUCCESS", "ERROR_OUT_OF_MEMORY", "ERROR_PROGRAM_CREATION_FAILURE",
    "ERROR_INVALID_INPUT", "ERROR_INVALID_PROGRAM", "ERROR_INVALID_OPTION", "ERROR_COMPILATION"};

static int asked_for(const char *call) {
    char name[64];
    snprintf(name, sizeof name, "%s%s",
#ifdef CUDA
             "nvrtc",
#else
             "hiprtc",
#endif
             call);
    return injected(name);
}

EXPORTED const char *RTC(GetErrorString)(int result) {
    bool is_known = result >= 0 && (size_t) result < sizeof result_names / sizeof result_names[0];
    return is_known ? result_names[result] : "ERROR_INTERNAL_ERROR";
}

EXPORTED int RTC(Version)(int *major, int *minor) {
    *major = version[0];
    *minor = version[1];
    return asked_for("Version");
}

EXPORTED int RTC(CreateProgram)(struct program **program, const char *source, const char *name, int header_count,
                                const char *const *headers, const char *const *header_names) {
    (void) headers;
    (void) header_names;
    if (source == NULL || header_count != 0) {
        return INVALID_INPUT;
    }
    *program = program_create(source, name);
    return asked_for("CreateProgram");
}

EXPORTED int RTC(DestroyProgram)(struct program **program) {
    if (*program == NULL) {
        return INVALID_PROGRAM;
    }
    program_destroy(*program);
    *program = NULL;
    return COMPILED;
}

/* The value of --gpu-architecture, -arch or --offload-arch; NULL if it is none of these. */
static const char *target_of(const char *option) {
    static const char *const names[] = {"--gpu-architecture=", "-arch=", "--offload-arch="};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(option, names[i], strlen(names[i])) == 0) {
            return option + strlen(names[i]);
        }
    }
    return NULL;
}

static bool is_known(const char *target) {
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i], target) == 0) {
            return true;
        }
    }
    return false;
}

/* ROCm 5.2.3 ends the process for an architecture that it does not know. */
static int refuse(void) {
#if defined(HIP) && HIP == 5
    abort();
#endif
    return INVALID_OPTION;
}

EXPORTED int RTC(CompileProgram)(struct program *program, int count, const char *const *options) {
    const char *target = architecture;
    for (int i = 0; i < count; i++) {
        const char *value = target_of(options[i]);
        if (value == NULL && strncmp(options[i], "-", 1) != 0) {
            return INVALID_OPTION;
        }
        target = value != NULL ? value : target;
    }
    if (!is_known(target)) {
        return refuse();
    }
    int asked = asked_for("CompileProgram");
    return asked != COMPILED ? asked : program_compile(program, target) ? COMPILED : NOT_COMPILED;
}

EXPORTED int RTC(GetProgramLogSize)(struct program *program, size_t *bytes) {
    *bytes = strlen(program_log(program)) + 1;
    return COMPILED;
}

EXPORTED int RTC(GetProgramLog)(struct program *program, char *log) {
    strcpy(log, program_log(program));
    return COMPILED;
}

static int code_size(const struct program *program, size_t *bytes) {
    return program_code(program, bytes) == NULL ? INVALID_PROGRAM : COMPILED;
}

static int copy_code(const struct program *program, char *code) {
    size_t bytes;
    const void *compiled = program_code(program, &bytes);
    if (compiled == NULL) {
        return INVALID_PROGRAM;
    }
    memcpy(code, compiled, bytes);
    return COMPILED;
}

#ifdef CUDA
EXPORTED int nvrtcGetNumSupportedArchs(int *count) {
    *count = sizeof known / sizeof known[0];
    return COMPILED;
}

EXPORTED int nvrtcGetSupportedArchs(int *architectures) {
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        architectures[i] = (int) strtol(known[i] + strlen("sm_"), NULL, 10);
    }
    return COMPILED;
}

EXPORTED int nvrtcGetCUBINSize(struct program *program, size_t *bytes) {
    return code_size(program, bytes);
}

EXPORTED int nvrtcGetCUBIN(struct program *program, char *code) {
    return copy_code(program, code);
}
#else
EXPORTED int hiprtcGetCodeSize(struct program *program, size_t *bytes) {
    return code_size(program, bytes);
}

EXPORTED int hiprtcGetCode(struct program *program, char *code) {
    return copy_code(program, code);
}

/* ---- libamd_comgr: what the compiler knows ---- */

EXPORTED int amd_comgr_get_isa_count(size_t *count) {
    *count = sizeof known / sizeof known[0];
    return COMPILED;
}

EXPORTED int amd_comgr_get_isa_name(size_t index, const char **name) {
    static char names[sizeof known / sizeof known[0]][64];
    if (index >= sizeof known / sizeof known[0]) {
        return INVALID_INPUT;
    }
    snprintf(names[index], sizeof names[index], "amdgcn-amd-amdhsa--%s", known[index]);
    *name = names[index];
    return COMPILED;
}
#endif
