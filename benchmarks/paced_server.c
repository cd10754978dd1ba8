/* Serves server-sent events at an even pace or as fast as the sockets take them: the other end of client_cost.py.
 *
 *   paced_server            prints its port on the loopback; ends when its standard input does
 *
 * A request's path says what it gets:  /stream/COUNT/PERIOD_US/LAYOUT/LIMIT_MS
 *   COUNT      events (0: until LIMIT_MS)
 *   PERIOD_US  between two events of a stream (0: no pace)
 *   LAYOUT     spread: each stream has a phase of its own; step: all streams send at the same instants, as an
 *              engine with continuous batching does
 *   LIMIT_MS   end after so long (0: no limit)
 * Every event is one chunk of the transfer coding, holds a chat chunk and, as "t_ns", the monotonic clock when it
 * was rendered (for a paced event: just before its send call). One thread, epoll, one timer. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FD = 4096, IN_CAP = 65536, OUT_CAP = 32768, EVENT_CAP = 512, BURST = 64 };

typedef struct {
    int streaming, endless, ended;
    int64_t left, period_ns, next_ns, limit_ns;
    size_t in_len, out_len, out_sent;
    char in[IN_CAP], out[OUT_CAP];
} Conn;

static Conn *conns[MAX_FD];
static int epoll_fd, timer_fd, highest_fd;
static unsigned started;

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void die(const char *what) {
    perror(what);
    exit(1);
}

static void watch(int fd, uint32_t events, int op) {
    struct epoll_event e = {.events = events, .data.fd = fd};
    if (epoll_ctl(epoll_fd, op, fd, &e) < 0) die("epoll_ctl");
}

static void drop(int fd) {
    free(conns[fd]);
    conns[fd] = NULL;
    close(fd);
}

static void put(Conn *c, const char *data, size_t n) {
    memcpy(c->out + c->out_len, data, n);
    c->out_len += n;
}

static void put_event(Conn *c) {
    char body[EVENT_CAP], frame[EVENT_CAP + 32];
    int n = snprintf(body, sizeof body,
                     "data: {\"id\":\"chatcmpl-0f3c9a7d51e24b68\",\"object\":\"chat.completion.chunk\","
                     "\"created\":1700000000,\"model\":\"paced\",\"choices\":[{\"index\":0,\"delta\":{\"content\":"
                     "\" token\"},\"logprobs\":null,\"finish_reason\":null}],\"t_ns\":%lld}\n\n",
                     (long long)now_ns());
    n = snprintf(frame, sizeof frame, "%x\r\n%s\r\n", n, body);
    put(c, frame, (size_t)n);
}

static void put_end(Conn *c) {
    static const char end[] = "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n";
    put(c, end, sizeof end - 1);
    c->ended = 1;
}

/* Returns 0 when the connection is gone. */
static int flush(int fd) {
    Conn *c = conns[fd];
    while (c->out_sent < c->out_len) {
        ssize_t n = send(fd, c->out + c->out_sent, c->out_len - c->out_sent, MSG_NOSIGNAL);
        if (n < 0) {
            if (errno == EAGAIN) {
                watch(fd, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
                return 1;
            }
            drop(fd);
            return 0;
        }
        c->out_sent += (size_t)n;
    }
    c->out_len = c->out_sent = 0;
    if (c->ended) {
        c->streaming = c->ended = 0;
        watch(fd, EPOLLIN, EPOLL_CTL_MOD);
    }
    return 1;
}

static int is_last(Conn *c, int64_t now) {
    return (!c->endless && c->left <= 0) || (c->limit_ns && now >= c->limit_ns);
}

/* An unpaced stream: fill and send until the socket is full. */
static void burst(int fd) {
    Conn *c = conns[fd];
    while (conns[fd] == c && c->streaming && !c->period_ns) {
        if (c->out_sent < c->out_len) {
            if (!flush(fd) || c->out_len) return;
            continue;
        }
        for (int i = 0; i < BURST && !c->ended; i++) {
            if (is_last(c, now_ns())) {
                put_end(c);
            } else {
                put_event(c);
                c->left--;
            }
        }
        if (!flush(fd) || c->out_len) return;
        if (c->streaming) { /* let the others send too */
            watch(fd, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
            return;
        }
    }
}

static void paced(int fd, int64_t now) {
    Conn *c = conns[fd];
    if (is_last(c, now)) {
        put_end(c);
        flush(fd);
        return;
    }
    if (c->out_len + EVENT_CAP + 64 < OUT_CAP) { /* a client that is that far behind loses its pace */
        put_event(c);
        c->left--;
    }
    while (c->next_ns <= now) c->next_ns += c->period_ns;
    flush(fd);
}

static void begin(int fd) {
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n";
    Conn *c = conns[fd];
    long long count = 0, period_us = 0, limit_ms = 0;
    char layout[16] = "";
    if (sscanf(c->in, "POST /stream/%lld/%lld/%15[a-z]/%lld", &count, &period_us, layout, &limit_ms) != 4) {
        drop(fd);
        return;
    }
    int64_t now = now_ns();
    c->in_len = 0;
    c->streaming = 1;
    c->ended = 0;
    c->endless = count == 0;
    c->left = count;
    c->limit_ns = limit_ms ? now + limit_ms * 1000000 : 0;
    c->period_ns = period_us * 1000;
    put(c, head, sizeof head - 1);
    if (!c->period_ns) {
        burst(fd);
        return;
    }
    if (strcmp(layout, "step") == 0)
        c->next_ns = (now / c->period_ns + 2) * c->period_ns;
    else { /* multiples of the golden ratio spread any number of phases evenly */
        double turns = ++started * 0.6180339887;
        c->next_ns = now + c->period_ns + (int64_t)((double)c->period_ns * (turns - (unsigned)turns));
    }
    flush(fd);
}

static void readable(int fd) {
    Conn *c = conns[fd];
    ssize_t n = recv(fd, c->in + c->in_len, IN_CAP - 1 - c->in_len, 0);
    if (n <= 0) {
        if (n < 0 && errno == EAGAIN) return;
        drop(fd);
        return;
    }
    c->in_len += (size_t)n;
    c->in[c->in_len] = 0;
    char *end = strstr(c->in, "\r\n\r\n");
    if (!end || c->streaming) return;
    char *length = strcasestr(c->in, "\r\ncontent-length:");
    size_t body = length && length < end ? (size_t)atoll(length + 17) : 0;
    if (c->in_len >= (size_t)(end - c->in) + 4 + body) begin(fd);
}

static void arm_timer(void) {
    int64_t first = INT64_MAX;
    for (int fd = 0; fd <= highest_fd; fd++)
        if (conns[fd] && conns[fd]->streaming && conns[fd]->period_ns && !conns[fd]->ended &&
            conns[fd]->next_ns < first)
            first = conns[fd]->next_ns;
    struct itimerspec t = {0};
    if (first != INT64_MAX) {
        t.it_value.tv_sec = first / 1000000000;
        t.it_value.tv_nsec = first % 1000000000;
    }
    timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &t, NULL);
}

static void accept_all(int listener) {
    int fd, one = 1;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        if (fd >= MAX_FD || !(conns[fd] = calloc(1, sizeof(Conn)))) {
            close(fd);
            continue;
        }
        if (fd > highest_fd) highest_fd = fd;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        watch(fd, EPOLLIN, EPOLL_CTL_ADD);
    }
}

int main(void) {
    struct rlimit files = {MAX_FD, MAX_FD};
    setrlimit(RLIMIT_NOFILE, &files);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 1024) < 0)
        die("listen");
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    epoll_fd = epoll_create1(0);
    timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    if (epoll_fd < 0 || timer_fd < 0) die("epoll");
    watch(listener, EPOLLIN, EPOLL_CTL_ADD);
    watch(timer_fd, EPOLLIN, EPOLL_CTL_ADD);
    watch(STDIN_FILENO, EPOLLIN, EPOLL_CTL_ADD);
    struct epoll_event events[256];
    for (;;) {
        arm_timer();
        int n = epoll_wait(epoll_fd, events, 256, -1);
        if (n < 0 && errno != EINTR) die("epoll_wait");
        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd;
            if (fd == STDIN_FILENO) {
                char byte;
                if (read(STDIN_FILENO, &byte, 1) <= 0) return 0;
            } else if (fd == listener) {
                accept_all(listener);
            } else if (fd == timer_fd) {
                uint64_t fired;
                if (read(timer_fd, &fired, sizeof fired) < 0) continue;
                int64_t now = now_ns();
                for (int k = 0; k <= highest_fd; k++)
                    if (conns[k] && conns[k]->streaming && conns[k]->period_ns && !conns[k]->ended &&
                        conns[k]->next_ns <= now)
                        paced(k, now);
            } else if (conns[fd]) {
                if (events[i].events & EPOLLOUT) {
                    watch(fd, EPOLLIN, EPOLL_CTL_MOD);
                    if (flush(fd) && conns[fd]->streaming && !conns[fd]->period_ns) burst(fd);
                }
                if (conns[fd] && events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) readable(fd);
            }
        }
    }
}
