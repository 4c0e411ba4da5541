/*
 * A socket belongs to the network namespace that it was made in. So a child
 * that shares this process's memory and descriptors enters the cell's
 * namespace, makes the socket there, and ends; this process never leaves its
 * own (as an ordinary user it could not come back).
 */
#include "listen_internal.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"

enum { BACKLOG = 64, LOOPBACK_INDEX = 1, STACK = 64 << 10 };

struct job {
    int network; /* the namespace */
    const struct sockaddr *at;
    socklen_t at_len;
    int result; /* the descriptor or -errno */
};

struct route_request {
    struct nlmsghdr head;
    struct rtmsg body;
    unsigned char attributes[RTA_SPACE(sizeof(struct in6_addr)) + RTA_SPACE(sizeof(int))];
};

static void add_attribute(struct route_request *request, unsigned short type, const void *data, size_t len)
{
    struct rtattr *attribute = (void *)((char *)request + NLMSG_ALIGN(request->head.nlmsg_len));

    attribute->rta_type = type;
    attribute->rta_len = (unsigned short)RTA_LENGTH(len);
    memcpy(RTA_DATA(attribute), data, len);
    request->head.nlmsg_len = (uint32_t)(NLMSG_ALIGN(request->head.nlmsg_len) + RTA_ALIGN(attribute->rta_len));
}

static bool is_own(const struct sockaddr *at)
{
    if (at->sa_family == AF_INET) {
        return ntohl(((const struct sockaddr_in *)at)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    }
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)at)->sin6_addr);
}

/*
 * Makes just this address the cell's own, by a route. (Giving it to the loopback device would do as well, but of an
 * IPv6 address the kernel makes the route some time later.)
 */
static int own_address(const struct sockaddr *at)
{
    bool is_v4 = at->sa_family == AF_INET;
    const void *address = is_v4 ? (const void *)&((const struct sockaddr_in *)at)->sin_addr
                                : (const void *)&((const struct sockaddr_in6 *)at)->sin6_addr;
    size_t len = is_v4 ? sizeof(struct in_addr) : sizeof(struct in6_addr);
    const int device = LOOPBACK_INDEX;
    struct route_request request = {
        .head = {.nlmsg_len = NLMSG_LENGTH(sizeof request.body),
                 .nlmsg_type = RTM_NEWROUTE,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL},
        .body = {.rtm_family = (unsigned char)at->sa_family,
                 .rtm_dst_len = (unsigned char)(len * 8),
                 .rtm_table = RT_TABLE_LOCAL,
                 .rtm_protocol = RTPROT_STATIC,
                 .rtm_scope = RT_SCOPE_HOST,
                 .rtm_type = RTN_LOCAL},
    };
    struct {
        struct nlmsghdr head;
        struct nlmsgerr body;
        char rest[512];
    } reply;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    int result;

    if (fd < 0) {
        return -errno;
    }
    add_attribute(&request, RTA_DST, address, len);
    add_attribute(&request, RTA_OIF, &device, sizeof device);
    if (send(fd, &request, request.head.nlmsg_len, 0) < 0 || recv(fd, &reply, sizeof reply, 0) < 0) {
        result = -errno;
    } else {
        result = reply.head.nlmsg_type == NLMSG_ERROR ? reply.body.error : -EPROTO;
    }
    close(fd);
    return result == -EEXIST ? 0 : result;
}

static int listen_here(const struct job *job)
{
    const int on = 1;
    int result = is_own(job->at) ? 0 : own_address(job->at);
    int fd = result < 0 ? -1 : socket(job->at->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (result < 0) {
        return result;
    }
    if (fd < 0) {
        return -errno;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);    /* after connections that have just ended */
    (void)setsockopt(fd, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof on); /* no device has the address, only a route */
    if (bind(fd, job->at, job->at_len) || listen(fd, BACKLOG)) {
        result = -errno;
        close(fd);
        return result;
    }
    return fd;
}

static int enter_and_listen(void *context)
{
    struct job *job = context;

    job->result = setns(job->network, CLONE_NEWNET) ? -errno : listen_here(job);
    return 0;
}

int cell_listen(int inside, const struct sockaddr *at, socklen_t at_len)
{
    static char stack[STACK] __attribute__((aligned(16))); /* one child at a time: this process waits for it */
    struct job job = {ioctl(inside, SIOCGSKNS), at, at_len, -ECHILD};
    pid_t child = job.network < 0
                      ? -1
                      : clone(enter_and_listen, stack + sizeof stack, CLONE_VM | CLONE_FILES | CLONE_VFORK, &job);

    if (child < 0) {
        job.result = -errno;
    } else {
        (void)waitpid(child, NULL, __WALL);
    }
    close_descriptor(&job.network);
    return job.result;
}
