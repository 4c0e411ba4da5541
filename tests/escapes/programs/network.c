/* Ways out over the network: there is nothing to reach. PORT, ABSTRACT and OUTSIDE/socket are really listened at. */
#include "attack.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

static char byte[] = "x";

static struct sockaddr_in v4(const char *address, unsigned port)
{
    struct sockaddr_in result = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

    inet_aton(address, &result.sin_addr);
    return result;
}

static int tcp(void)
{
    return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int connect_v4(const char *address, unsigned port)
{
    struct sockaddr_in to = v4(address, port);
    int fd = tcp(), result = connect(fd, (struct sockaddr *)&to, sizeof to), error = errno;

    close(fd);
    errno = error;
    return result;
}

static int connect_v6(const char *address, unsigned port)
{
    struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

    inet_pton(AF_INET6, address, &to.sin6_addr);
    int result = connect(fd, (struct sockaddr *)&to, sizeof to), error = errno;
    close(fd);
    errno = error;
    return result;
}

static unsigned host_port(void)
{
    return (unsigned)atoi(given("PORT"));
}

/* A server of the cell's own, so that the means are shown to work. */
static int own_server(struct sockaddr_in *ret_address)
{
    socklen_t len = sizeof *ret_address;
    int fd = tcp();

    *ret_address = v4("127.0.0.1", 0);
    if (bind(fd, (struct sockaddr *)ret_address, sizeof *ret_address) || listen(fd, 8) ||
        getsockname(fd, (struct sockaddr *)ret_address, &len)) {
        return -1;
    }
    return fd;
}

static void control_own_server(void)
{
    struct sockaddr_in address;

    control("listen", own_server(&address));
    control("own-server", connect_v4("127.0.0.1", ntohs(address.sin_port)));
}

static void connects(void)
{
    try("documentation", connect_v4("192.0.2.1", 80));
    try("other-port", connect_v4("192.0.2.1", 443));
    try("public", connect_v4("8.8.8.8", 53));
    try("private", connect_v4("10.0.0.1", 80));
    try("v6", connect_v6("2001:db8::1", 80));
    try("mapped", connect_v6("::ffff:192.0.2.1", 80));
    try("broadcast", connect_v4("255.255.255.255", 80));
    try("multicast", connect_v4("224.0.0.1", 80));
    control_own_server();
}

/* The host's own services, its neighbours, a cloud's metadata. */
static void host_services(void)
{
    try("loopback", connect_v4("127.0.0.1", host_port()));
    try("loopback-2", connect_v4("127.0.0.2", host_port()));
    try("any", connect_v4("0.0.0.0", host_port()));
    try("v6-loopback", connect_v6("::1", host_port()));
    try("v6-mapped", connect_v6("::ffff:127.0.0.1", host_port()));
    try("metadata", connect_v4("169.254.169.254", 80));
    try("v6-link-local", connect_v6("fe80::1", 80));
    try("gateway", connect_v4("172.17.0.1", 2375));
    control_own_server();
}

static void datagrams(void)
{
    struct sockaddr_in to = v4("192.0.2.1", 53), dns = v4("8.8.8.8", 53);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct iovec data = {byte, 1};
    struct mmsghdr message = {.msg_hdr = {&to, sizeof to, &data, 1, NULL, 0, 0}};

    control("socket", fd);
    try("sendto", sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof to));
    try("dns", sendto(fd, "x", 1, 0, (struct sockaddr *)&dns, sizeof dns));
    try("sendmsg", sendmsg(fd, &message.msg_hdr, 0));
    try("sendmmsg", sendmmsg(fd, &message, 1, 0));
    try("connected", connect(fd, (struct sockaddr *)&to, sizeof to) ? -1 : send(fd, "x", 1, 0));
    struct sockaddr_in own;
    socklen_t len = sizeof own;
    int mine = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    own = v4("127.0.0.1", 0);
    control("bind", bind(mine, (struct sockaddr *)&own, sizeof own));
    getsockname(mine, (struct sockaddr *)&own, &len);
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    control("own", sendto(fd, "x", 1, 0, (struct sockaddr *)&own, sizeof own));
}

static void families(void)
{
    static const struct {
        const char *name;
        int family, type, protocol;
    } kinds[] = {
        {"raw", AF_INET, SOCK_RAW, 1},        {"raw-v6", AF_INET6, SOCK_RAW, 58},   {"ping", AF_INET, SOCK_DGRAM, 1},
        {"packet", AF_PACKET, SOCK_RAW, 768}, {"netlink", AF_NETLINK, SOCK_RAW, 4}, {"alg", AF_ALG, SOCK_SEQPACKET, 0},
        {"vsock", AF_VSOCK, SOCK_STREAM, 0},  {"bluetooth", AF_BLUETOOTH, SOCK_RAW, 1}, {"can", AF_CAN, SOCK_RAW, 1},
        {"xdp", AF_XDP, SOCK_RAW, 0},         {"key", AF_KEY, SOCK_RAW, 2},         {"smc", AF_SMC, SOCK_STREAM, 0},
        {"mptcp", AF_INET, SOCK_STREAM, 262}, {"sctp", AF_INET, SOCK_STREAM, 132},  {"tipc", AF_TIPC, SOCK_SEQPACKET, 0},
        {"rds", AF_RDS, SOCK_SEQPACKET, 0},   {"qipcrtr", AF_QIPCRTR, SOCK_DGRAM, 0}, {"nfc", AF_NFC, SOCK_SEQPACKET, 0},
        {"udplite", AF_INET, SOCK_DGRAM, 136}, {"dccp", AF_INET, 6, 33},            {"sctp-seq", AF_INET, SOCK_SEQPACKET, 132},
        {"unspec", AF_UNSPEC, SOCK_STREAM, 0}, {"kcm", AF_KCM, SOCK_DGRAM, 0},      {"rxrpc", AF_RXRPC, SOCK_DGRAM, 0},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        try(kinds[i].name, socket(kinds[i].family, kinds[i].type, kinds[i].protocol));
    }
    control("tcp", tcp());
}

/* Data in the first packet: connecting without connect(). */
static void fast_open(void)
{
    struct sockaddr_in to;
    int on = 1, server = own_server(&to), fd = tcp();
    struct iovec data = {byte, 1};
    struct mmsghdr message = {.msg_hdr = {&to, sizeof to, &data, 1, NULL, 0, 0}};

    try("sendto", sendto(fd, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&to, sizeof to));
    try("sendmsg", sendmsg(fd, &message.msg_hdr, MSG_FASTOPEN));
    try("sendmmsg", sendmmsg(fd, &message, 1, MSG_FASTOPEN));
    try("high-bits", syscall(SYS_sendto, fd, "x", 1UL, 0x100000000UL | MSG_FASTOPEN, &to, sizeof to));
    try("option", setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof on));
    try("server-option", setsockopt(server, IPPROTO_TCP, TCP_FASTOPEN, &on, sizeof on));
    control("own-server", connect_v4("127.0.0.1", ntohs(to.sin_port)));
}

static void reuse(void)
{
    struct sockaddr_in to = v4("192.0.2.1", 80), host = v4("127.0.0.1", host_port());
    struct sockaddr none = {.sa_family = AF_UNSPEC};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    try("first", connect(fd, (struct sockaddr *)&to, sizeof to));
    connect(fd, &none, sizeof none);
    try("again", connect(fd, (struct sockaddr *)&to, sizeof to));
    try("sendto", sendto(fd, "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&to, sizeof to));
    struct sockaddr_in own;
    control("listen", own_server(&own));
    fd = tcp();
    control("own-server", connect(fd, (struct sockaddr *)&own, sizeof own));
    connect(fd, &none, sizeof none); /* a connected one is let go, and aimed at the host's */
    try("after-unspec", connect(fd, (struct sockaddr *)&host, sizeof host));
}

/* Meanwhile the runner keeps connecting to this port of the host. */
static void listening(void)
{
    struct sockaddr_in any = v4("0.0.0.0", (unsigned)atoi(given("PORT")) ^ 1);
    int fd = tcp();

    control("bind", bind(fd, (struct sockaddr *)&any, sizeof any));
    control("listen", listen(fd, 8));
    struct pollfd event = {.fd = fd, .events = POLLIN};
    try_word("accept", poll(&event, 1, 300) == 1 ? "through" : "nobody");
}

/* AF_UNIX by a socket, and by one of a pair, which could be aimed elsewhere. */
static int connect_unix(const char *path, bool abstract)
{
    static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int result = -1, error = EACCES, pair[2];

    snprintf(address.sun_path + abstract, sizeof address.sun_path - abstract, "%s", path);
    socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + abstract + strlen(path));
    for (int i = 0; i < 6 && result < 0; i++) {
        int fd = socket(AF_UNIX, types[i / 2] | SOCK_CLOEXEC, 0);
        if (i % 2) {
            close(fd);
            fd = socketpair(AF_UNIX, types[i / 2] | SOCK_CLOEXEC, 0, pair) ? -1 : pair[0];
        }
        if (fd >= 0) {
            result = connect(fd, (struct sockaddr *)&address, len);
            error = errno;
            close(fd);
        }
    }
    errno = error;
    return result;
}

static void local_sockets(void)
{
    int pair[2];
    char path[108];

    try("socket", socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    try("datagrams", socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair));
    try("abstract", connect_unix(given("ABSTRACT"), true));
    snprintf(path, sizeof path, "%s/socket", given("OUTSIDE"));
    try("path", connect_unix(path, false));
    try("docker", connect_unix("/run/docker.sock", false));
    try("docker-var", connect_unix("/var/run/docker.sock", false));
    try("bus", connect_unix("/run/dbus/system_bus_socket", false));
    try("user-bus", connect_unix("/run/user/0/bus", false));
    try("systemd", connect_unix("/run/systemd/private", false));
    try("x11", connect_unix("/tmp/.X11-unix/X0", true));
    try("data", connect_unix("data/socket", false));
    try("data-packets", connect_unix("data/packets", false));
    try("data-datagrams", connect_unix("data/datagrams", false));
    control("pair", socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
    control("write", write(pair[0], "x", 1));
    control("read", read(pair[1], path, 1));
}

/* No inherited descriptor is a socket that could bring another; a pair of one's own can. */
static void passing(void)
{
    int pair[2], type, got = -1;
    socklen_t len = sizeof type;
    const char *found = "none";
    char room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec data = {byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};

    for (int fd = 0; fd < 1024; fd++) {
        found = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 ? "through" : found;
    }
    try_word("inherited", found);
    control("pair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(head), &pair[0], sizeof(int));
    control("send", sendmsg(pair[0], &message, 0));
    control("receive", recvmsg(pair[1], &message, 0));
    memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof got);
    control("descriptor", fcntl(got, F_GETFD));
}

/* An int argument with its high bits set is the same call. */
static void high_bits(void)
{
    const unsigned long high = 0x100000000UL;

    try("raw", syscall(SYS_socket, high | AF_INET, SOCK_RAW, 1));
    try("netlink", syscall(SYS_socket, high | AF_NETLINK, SOCK_RAW, 0));
    try("type", syscall(SYS_socket, AF_INET, high | SOCK_RAW, 1));
    try("protocol", syscall(SYS_socket, AF_INET, SOCK_STREAM, high | 262));
    try("ioctl", syscall(SYS_ioctl, 0, high | 0x5412, "x"));
    try("fcntl", syscall(SYS_fcntl, 1, high | 1026, 0)); /* F_NOTIFY */
    try("option", syscall(SYS_setsockopt, tcp(), high | IPPROTO_TCP, TCP_FASTOPEN_CONNECT, "\1\0\0", 4));
    try("clone", syscall(SYS_clone, high | 0x10000000, 0, 0, 0, 0)); /* CLONE_NEWUSER */
    try("prctl", syscall(SYS_prctl, high | 4, 0, 0, 0, 0));          /* PR_SET_DUMPABLE */
    try("sealed", syscall(SYS_execveat, 1, "", NULL, NULL, high | AT_EMPTY_PATH));
    try("unix", syscall(SYS_socket, high | AF_UNIX, SOCK_STREAM, 0));
    control("tcp", syscall(SYS_socket, high | AF_INET, SOCK_STREAM, 0)); /* as without them */
}

/* Which interfaces, neighbours and connections the host has. */
static void fingerprint(void)
{
    char line[512], name[32];
    const char *others = "only-lo";
    FILE *list = fopen("/proc/self/net/dev", "re");

    while (list && fgets(line, sizeof line, list)) {
        if (sscanf(line, " %31[^:]:", name) == 1 && strchr(line, ':') && strcmp(name, "lo") != 0) {
            others = "through";
        }
    }
    try_word("interfaces", list ? others : "absent");
    try("sys", open("/sys/class/net", O_RDONLY | O_DIRECTORY));
    try("arp", read_file("/proc/net/arp"));
    try("route", read_file("/proc/net/route"));
    try("ifconf", syscall(SYS_ioctl, tcp(), 0x8912, line));
    try("hwaddr", syscall(SYS_ioctl, tcp(), 0x8927, line));
    control_own_server();
}

static void flood(void)
{
    for (int i = 0; i < 10000; i++) {
        char address[32];
        snprintf(address, sizeof address, "10.%d.%d.1", i / 250, i % 250);
        if (connect_v4(address, 80) == 0) {
            try("connect", 0);
            return;
        }
    }
    try("last", connect_v4("10.0.0.1", 80));
    control_own_server();
}

ATTACKS({"connects", connects}, {"host-services", host_services}, {"datagrams", datagrams}, {"families", families},
        {"fast-open", fast_open}, {"reuse", reuse}, {"listening", listening}, {"local-sockets", local_sockets},
        {"passing", passing}, {"high-bits", high_bits}, {"fingerprint", fingerprint}, {"flood", flood})
