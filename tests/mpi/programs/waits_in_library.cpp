// waits_in_library HOW: rank 0 is late at every barrier because it waits in a call of the C library, 30 ms in each of
// ten steps, in the function output(), for what HOW says:
//
//   sleep     the time
//   write     a pipe, by its descriptor, that another process reads late
//   stdio     the same by a C stream, of a named pipe checkpoint.7.dat
//   stream    the same by a std::ofstream
//   lock      a mutex that another thread holds
//   join      another thread, which ends late
//   condition another thread, by a condition variable, with a time limit
//   future    the result of another thread
//   select    no descriptor: the time
//   queue     a message of another process, in a POSIX queue
//   child     a child process, which ends late
//   record    a lock of a file that a child process holds
//   plugin    as "write", in a library that the program opens only after MPI_Init
//   nothing   it computes instead, and often calls C library functions that never wait
//
// Each rank says at the end: "rank, seconds in output()".
//
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <mqueue.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kSteps = 10;
constexpr std::chrono::milliseconds kLate{30};
constexpr std::size_t kBytes = 3 * 65536 / 2;  // more than a pipe holds

double processor_time() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

[[gnu::noinline]] void kernel(double seconds) {
  for (const double end = processor_time() + seconds; processor_time() < end;) {
  }
}

// Reads the output of a step 30 ms after its first byte has arrived.
[[noreturn]] void read_late(int descriptor) {
  std::vector<char> bytes(kBytes);
  for (;;) {
    if (read(descriptor, bytes.data(), 1) <= 0) _exit(0);
    std::this_thread::sleep_for(kLate);
    for (std::size_t left = kBytes - 1; left > 0;) {
      const ssize_t got = read(descriptor, bytes.data(), left);
      if (got <= 0) _exit(0);
      left -= static_cast<std::size_t>(got);
    }
  }
}

struct Output {
  std::string how;
  int pipe_end = -1;
  mqd_t queue = -1;
  std::FILE* file = nullptr;
  std::ofstream stream;
  pid_t reader = 0;
  std::string directory;
  std::vector<char> bytes = std::vector<char>(kBytes, 'x');
  decltype(&write) write_to = &write;
  std::mutex lock;

  explicit Output(const char* what) : how(what) {
    if (how == "plugin") {
      void* const library = dlopen(WRITING_PLUGIN, RTLD_NOW);
      if (library == nullptr) std::abort();
      write_to = reinterpret_cast<decltype(&write)>(dlsym(library, "write_by_plugin"));
    }
    if (how == "write" || how == "plugin") {
      int ends[2];
      if (pipe(ends) != 0) std::abort();
      if ((reader = fork()) == 0) {
        close(ends[1]);
        read_late(ends[0]);
      }
      close(ends[0]);
      pipe_end = ends[1];
    } else if (how == "stdio" || how == "stream") {
      char place[] = "/tmp/waits_in_library.XXXXXX";
      directory = mkdtemp(place);
      const std::string name = directory + "/checkpoint.7.dat";
      if (mkfifo(name.c_str(), 0600) != 0) std::abort();
      if ((reader = fork()) == 0) {
        std::FILE* const end = std::fopen(name.c_str(), "r");
        read_late(fileno(end));
      }
      if (how == "stdio") file = std::fopen(name.c_str(), "w");
      if (how == "stream") stream.open(name);
    } else if (how == "queue") {
      const std::string name = "/waits_in_library." + std::to_string(getpid());
      queue = mq_open(name.c_str(), O_CREAT | O_RDWR, 0600, nullptr);
      if (queue < 0) std::abort();
      mq_unlink(name.c_str());
    }
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    if (file != nullptr) std::fclose(file);
    if (reader > 0) {
      kill(reader, SIGKILL);
      waitpid(reader, nullptr, 0);
    }
    if (!directory.empty() &&
        (unlink((directory + "/checkpoint.7.dat").c_str()), rmdir(directory.c_str())) != 0)
      std::perror("rmdir");
  }
};

[[gnu::noinline]] void output(Output& to) {
  if (to.how == "sleep") {
    constexpr timespec time{0, 1'000'000 * kLate.count()};
    nanosleep(&time, nullptr);
  } else if (to.how == "write" || to.how == "plugin") {
    if (to.write_to(to.pipe_end, to.bytes.data(), kBytes) != static_cast<ssize_t>(kBytes)) std::abort();
  } else if (to.how == "stdio") {
    if (std::fwrite(to.bytes.data(), 1, kBytes, to.file) != kBytes) std::abort();
    std::fflush(to.file);
  } else if (to.how == "stream") {
    to.stream.write(to.bytes.data(), kBytes).flush();
  } else if (to.how == "lock") {
    std::unique_lock held(to.lock, std::defer_lock);
    int begun[2];
    if (pipe(begun) != 0) std::abort();
    std::thread other([&] {
      const std::scoped_lock inside(to.lock);
      if (write(begun[1], "x", 1) != 1) std::abort();
      std::this_thread::sleep_for(kLate);
    });
    char sign = 0;
    if (read(begun[0], &sign, 1) != 1) std::abort();
    held.lock();
    other.join();
    close(begun[0]);
    close(begun[1]);
  } else if (to.how == "join") {
    std::thread([] { std::this_thread::sleep_for(kLate); }).join();
  } else if (to.how == "condition") {
    bool done = false;
    std::condition_variable ready;
    std::thread other([&] {
      std::this_thread::sleep_for(kLate);
      const std::scoped_lock inside(to.lock);
      done = true;
      ready.notify_one();
    });
    std::unique_lock held(to.lock);
    ready.wait_for(held, std::chrono::seconds(10), [&] { return done; });
    held.unlock();
    other.join();
  } else if (to.how == "future") {
    std::promise<void> promise;
    std::thread other([&] {
      std::this_thread::sleep_for(kLate);
      promise.set_value();
    });
    promise.get_future().wait();
    other.join();
  } else if (to.how == "select") {
    timeval time{0, 1000 * kLate.count()};
    select(0, nullptr, nullptr, nullptr, &time);
  } else if (to.how == "queue") {
    const pid_t child = fork();
    if (child == 0) {
      std::this_thread::sleep_for(kLate);
      _exit(mq_send(to.queue, "late", 4, 0) != 0 ? 1 : 0);
    }
    char message[8192];
    if (mq_receive(to.queue, message, sizeof message, nullptr) < 0) std::abort();
    waitpid(child, nullptr, 0);
  } else if (to.how == "child") {
    const pid_t child = fork();
    if (child == 0) {
      std::this_thread::sleep_for(kLate);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  } else if (to.how == "record") {
    const std::string name = "/tmp/waits_in_library." + std::to_string(getpid()) + ".lock";
    const int file = open(name.c_str(), O_CREAT | O_RDWR, 0600);
    int begun[2];
    if (file < 0 || pipe(begun) != 0) std::abort();
    struct flock whole {};
    whole.l_type = F_WRLCK;
    const pid_t child = fork();
    if (child == 0) {
      const bool begins = fcntl(file, F_SETLKW, &whole) == 0 && write(begun[1], "x", 1) == 1;
      std::this_thread::sleep_for(kLate);
      _exit(begins ? 0 : 1);
    }
    char sign = 0;
    if (read(begun[0], &sign, 1) != 1 || fcntl(file, F_SETLKW, &whole) != 0) std::abort();
    for (const int each : {file, begun[0], begun[1]}) close(each);
    waitpid(child, nullptr, 0);
    unlink(name.c_str());
  } else if (to.how == "nothing") {
    std::FILE* const null = std::fopen("/dev/null", "w");
    const double end = processor_time() + 0.03;
    while (processor_time() < end) std::fprintf(null, "%f\n", end);
    std::fclose(null);
  }
}

double in_output = 0;  // seconds

[[gnu::noinline]] void step(Output* to) {
  kernel(0.01);
  const auto begin = std::chrono::steady_clock::now();
  if (to != nullptr) output(*to);
  in_output += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    Output* const to = rank == 0 ? new Output(argc > 1 ? argv[1] : "sleep") : nullptr;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < kSteps; ++i) step(to);
    delete to;
  }
  std::printf("%d %.9f\n", rank, in_output);
  MPI_Finalize();
  return 0;
}
