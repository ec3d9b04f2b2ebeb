/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* Kernels by the host's C++ compiler. What is compiled is kept beside the library, by what it is made of. */
#include "gpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct program {
    char *source;
    char *name;
    char *log;
    char *code;
    size_t code_bytes;
};

/* Where this library lies, and with it the prelude and what it compiled. */
static void home(char *path) {
    Dl_info info;
    char link[PATH_MAX];
    path[0] = '\0';
    if (dladdr((const void *) home, &info) != 0 && realpath(info.dli_fname, link) != NULL) {
        *strrchr(link, '/') = '\0';
        strcpy(path, link);
    }
}

static uint64_t hash(uint64_t seed, const char *text) {
    for (const char *at = text; *at != '\0'; at++) {
        seed = (seed ^ (unsigned char) *at) * 0x100000001b3;
    }
    return (seed ^ 0xff) * 0x100000001b3;
}

__attribute__((format(printf, 1, 2))) static char *text_of(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? strdup("") : text;
}

/* NULL if there is no such file; with a zero behind it. */
static char *content(const char *path, size_t *bytes) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        return NULL;
    }
    char *text = malloc((size_t) status.st_size + 1);
    ssize_t length = read(fd, text, (size_t) status.st_size);
    close(fd);
    *bytes = length < 0 ? 0 : (size_t) length;
    text[*bytes] = '\0';
    return text;
}

static bool write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t bytes = strlen(text);
    bool is_written = fd >= 0 && write(fd, text, bytes) == (ssize_t) bytes;
    close(fd);
    return is_written;
}

/* Its output goes to a file. */
static bool run_compiler(char *const *arguments, const char *output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t pid;
    int status = -1;
    int error = posix_spawnp(&pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (error == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return error == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool compile(const char *folder, const char *source, const char *library, const char *log, const char *target) {
    char *quoted = text_of("-DKERNEL_ARCHITECTURE=\"%s\"", target);
    char *prelude = text_of("%s/kernel_prelude.h", folder);
    char *arguments[] = {"c++", "-x", "c++", "-std=c++17", "-O2", "-w", "-shared", "-fPIC", "-fvisibility=hidden",
                         "-fno-exceptions", "-fno-rtti", "-ffp-contract=off", COMPILER_DEFINES, quoted, "-include",
                         prelude, (char *) source, "-o", (char *) library, NULL};
    bool is_compiled = run_compiler(arguments, log);
    free(quoted);
    free(prelude);
    return is_compiled;
}

static char *path_of_code(const struct program *program, const char *folder, const char *target) {
    char *prelude_path = text_of("%s/kernel_prelude.h", folder);
    size_t bytes = 0;
    char *prelude = content(prelude_path, &bytes);
    uint64_t key = hash(hash(hash(0xcbf29ce484222325, program->source), target), prelude == NULL ? "" : prelude);
    free(prelude_path);
    free(prelude);
    return text_of("%s/kernel-%016lx-%zu.so", folder, key, strlen(program->source));
}

/* In files of this process, of which the library is renamed when it is whole. */
static void compile_to(struct program *program, const char *folder, const char *target, const char *path) {
    char *base = text_of("%s/kernel-%d-%p", folder, getpid(), (void *) program);
    char *source = text_of("%s.cu", base);
    char *library = text_of("%s.so", base);
    char *log = text_of("%s.log", base);
    size_t bytes = 0;
    char *named = text_of("#line 1 \"%s\"\n%s\n", program->name, program->source);
    if (write_file(source, named) && compile(folder, source, library, log, target)) {
        rename(library, path);
    }
    free(program->log);
    program->log = content(log, &bytes);
    unlink(source);
    unlink(library);
    unlink(log);
    free(named);
    free(base);
    free(source);
    free(library);
    free(log);
}

struct program *program_create(const char *source, const char *name) {
    struct program *program = calloc(1, sizeof *program);
    program->source = strdup(source);
    program->name = strdup(name == NULL ? "default_program" : name);
    program->log = strdup("");
    return program;
}

void program_destroy(struct program *program) {
    free(program->source);
    free(program->name);
    free(program->log);
    free(program->code);
    free(program);
}

bool program_compile(struct program *program, const char *target) {
    char folder[PATH_MAX];
    home(folder);
    char *path = path_of_code(program, folder, target);
    program->code = content(path, &program->code_bytes);
    if (program->code == NULL) {
        compile_to(program, folder, target, path);
        program->code = content(path, &program->code_bytes);
    }
    free(path);
    return program->code != NULL;
}

const char *program_log(const struct program *program) {
    return program->log == NULL ? "" : program->log;
}

const void *program_code(const struct program *program, size_t *bytes) {
    *bytes = program->code_bytes;
    return program->code;
}
