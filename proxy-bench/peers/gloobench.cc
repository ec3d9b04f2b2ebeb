/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Gloo's all-reduce of floats, sums, over TCP on the loopback device, sizes as with mpibench.
 *
 *   gloobench RANKS SECONDS MIN MAX FACTOR FOLDER     the ranks meet in an empty folder
 *
 * Ranks are processes that it starts, pinned to the allowed CPUs in turn. A time is that of rank 0 over a batch of
 * calls behind a barrier; the mean of the batches is printed as "R<TAB>SIZE<TAB>metric<TAB>us", out of place.
 */
#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr size_t kMinBatches = 5;
constexpr unsigned kPatienceSeconds = 100;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

long callsOf(size_t size) {
  return size >= 4 << 20 ? 2 : size >= 1 << 16 ? 10 : 100;
}

void pin(int n) {
  cpu_set_t allowed, one;
  sched_getaffinity(0, sizeof allowed, &allowed);
  n %= CPU_COUNT(&allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (CPU_ISSET(cpu, &allowed) && n-- == 0) {
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      sched_setaffinity(0, sizeof one, &one);
      return;
    }
  }
}

class Rank {
 public:
  Rank(int rank, int ranks, const std::string& folder)
      : context_(std::make_shared<gloo::rendezvous::Context>(rank, ranks)) {
    gloo::transport::tcp::attr attributes;
    attributes.iface = "lo";
    attributes.ai_family = AF_INET;
    std::shared_ptr<gloo::transport::Device> device = gloo::transport::tcp::CreateDevice(attributes);
    gloo::rendezvous::FileStore store(folder);
    context_->connectFullMesh(store, device);
  }

  void measure(size_t size, double seconds) {
    size_t count = size / sizeof(float);
    std::vector<float> in(count, 1.0f), out(count);
    double sum = 0;
    size_t batches = 0;
    double start = now();
    batch(in, out, callsOf(size));
    for (int goes = 1; goes;) {
      sum += batch(in, out, callsOf(size));
      goes = ++batches < kMinBatches || now() - start < seconds;
      share(&goes);
    }
    if (std::count(out.begin(), out.end(), static_cast<float>(context_->size)) != static_cast<long>(count)) {
      fprintf(stderr, "wrong sums of %zu floats\n", count);
      _Exit(1);
    }
    if (context_->rank == 0) {
      printf("R\t%zu\tout_us\t%.6g\n", size, sum / batches * 1e6);
      fflush(stdout);
    }
  }

  void barrier() {
    gloo::BarrierOptions options(context_);
    options.setTag(tag_++);
    gloo::barrier(options);
  }

 private:
  double batch(std::vector<float>& in, std::vector<float>& out, long calls) {
    void (*sum)(void*, const void*, const void*, size_t) = &gloo::sum<float>;
    gloo::AllreduceOptions options(context_);
    options.setInput(in.data(), in.size());
    options.setOutput(out.data(), out.size());
    options.setReduceFunction(sum);
    barrier();
    double start = now();
    for (long i = 0; i < calls; i++) {
      options.setTag(tag_++);
      gloo::allreduce(options);
    }
    return (now() - start) / calls;
  }

  void share(int* goes) {
    gloo::BroadcastOptions options(context_);
    options.setOutput(goes, 1);
    options.setRoot(0);
    options.setTag(tag_++);
    gloo::broadcast(options);
  }

  std::shared_ptr<gloo::rendezvous::Context> context_;
  uint32_t tag_ = 0;
};

void run(int rank, char** argv) {
  size_t min = strtoull(argv[3], nullptr, 10), max = strtoull(argv[4], nullptr, 10);
  size_t factor = strtoull(argv[5], nullptr, 10);
  pin(rank);
  alarm(kPatienceSeconds);
  Rank self(rank, atoi(argv[1]), argv[6]);
  for (size_t size = min; size; size = size == max ? 0 : std::min(size * factor, max)) {
    self.measure(size, atof(argv[2]));
  }
  self.barrier();
  fflush(stdout);
  _Exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    fprintf(stderr, "usage: gloobench RANKS SECONDS MIN MAX FACTOR FOLDER\n");
    return 2;
  }
  int ranks = atoi(argv[1]), failures = 0;
  pid_t parent = getpid();
  for (int rank = 0; rank < ranks; rank++) {
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() == parent) run(rank, argv);
      _Exit(1);
    }
  }
  for (int status; wait(&status) > 0;) failures += status != 0;
  return failures > 0;
}
