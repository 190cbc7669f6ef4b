# What stands in front of the runtime in the executable (scripts/starter.ts puts it there, docs/adr/0027 says why): asks a daemon that listens for a
# plain `holt start`, prints the id and ends. Everything else is the runtime's, to which it jumps as if nothing had been.
#
#   holt start [--name NAME] [--no-pty] [--] WORD...      in either order, each once; nothing is configured, and every path is plain
#
# Order: what can be decided by looking is decided first (arguments, environment, configuration). Then it connects, so that the daemon wakes up meanwhile,
# and makes the request. Until all of that has been sent nothing has happened: a line without its end is carried out by nobody. From then on the
# runtime is not entered but executed, as `holt __started SOCKET:ID WORD...`, and goes on with that connection and that id, which nobody else has; whatever
# is neither a plain yes nor printed is left to it, unread.
#
# Behind the code is a table: u64 real entry, u64 the first millisecond of ids, and u32 offsets from the table of texts that end with a NUL:
#   16 request   20 how an answer begins   24 what is in it   28 terminal   32 pipes   36 below a state directory   40 below XDG_STATE_HOME   44 below HOME
#   48 below XDG_CONFIG_HOME   52 below HOME   56 lines of /proc/self/status   60 files   64 links   68 a limit that is not the caller's   72 __started
# Lists end with an empty text. In the request these bytes stand for what is not always the same:
#   1 directory   2 umask   3 id   4 name   5 arguments   6 environment   7 terminal   8 circumstances
#
# Registers: rbp the stack as it was, r12 the words of the command, r15 zeroed scratch, r14 memory: the request, later the answer; from STATUS on a file;
# from TEXT on the circumstances. Scratch:
#   0 name   8 no terminal?   16 HOLT_STATE_DIR   24 XDG_STATE_HOME   32 HOME   40 XDG_CONFIG_HOME   48 envp   56 socket   64 /proc/self   72 umask
#   80 pollfd   88 time   104 random   112 id and newline   128 circumstances   160 sigaction (SIG_IGN)   192 sigaction (of SIGPIPE, as it was)   224 SOCKET:ID
#   256 sockaddr   512 path of the configuration   1792 struct stat   1952 sigaction (of SIGXFSZ, as it was)
        .set    SCRATCH, 2048
        .set    MEMORY, 0x100000
        .set    REQUEST_END, 0x3c000    # what is not bounded by itself ends before it, and the rest has room behind it
        .set    ANSWER, 0x3ffff
        .set    STATUS, 0x40000
        .set    TEXT, 0x48000
        .set    FILE, 0x8000            # as much of a file as the runtime's way looks at
        .set    PATIENCE, 250
# Of a variable: the list of them ends, it may be anything, only empty, or not be there.
        .set    END, 0
        .set    ANY, 1
        .set    EMPTY, 2
        .set    NONE, 3
.intel_syntax noprefix
.globl _start
_start: mov     rbp, rsp
        push    rdx                     # what the loader has for the real entry
        sub     rsp, SCRATCH+8
        mov     r15, rsp
        mov     rdi, r15
        mov     ecx, SCRATCH/8
        xor     eax, eax
        rep     stosq
        xor     r14d, r14d
        dec     dword ptr [r15+56]

        mov     rax, [rbp]              # the arguments
        cmp     rax, 3
        jb      runtime
        lea     rax, [rbp+rax*8+16]
        mov     [r15+48], rax
        mov     rdi, [rbp+16]
        lea     rsi, [rip+start]
        call    same
        jne     runtime
        lea     r12, [rbp+24]
option: mov     rbx, [r12]
        test    rbx, rbx
        jz      runtime
        cmp     byte ptr [rbx], '-'
        jne     variables
        add     r12, 8
        mov     rdi, rbx
        lea     rsi, [rip+no_pty]
        call    same
        jne     1f
        cmp     qword ptr [r15+8], 0
        jne     runtime
        inc     qword ptr [r15+8]
        jmp     option
1:      mov     rdi, rbx
        lea     rsi, [rip+named]
        call    begins
        jne     2f
        cmp     qword ptr [r15], 0
        jne     runtime
        cmp     byte ptr [rdi], '='
        je      1f
        cmp     byte ptr [rdi], 0
        jne     runtime
        mov     rdi, [r12]
        add     r12, 8
        test    rdi, rdi
        jz      runtime
        dec     rdi
1:      inc     rdi
        mov     [r15], rdi
        xor     ecx, ecx                # letters and digits; from the second on also . _ -
1:      movzx   eax, byte ptr [rdi+rcx]
        lea     edx, [rax-'0']
        cmp     edx, 10
        jb      3f
        mov     edx, eax
        or      edx, 0x20
        sub     edx, 'a'
        cmp     edx, 26
        jb      3f
        test    ecx, ecx
        jz      runtime
        test    eax, eax
        jz      option
        cmp     al, '.'
        je      3f
        cmp     al, '_'
        je      3f
        cmp     al, '-'
        jne     runtime
3:      inc     ecx
        cmp     ecx, 64
        jbe     1b
        jmp     runtime
2:      mov     rdi, rbx
        lea     rsi, [rip+dashes]
        call    same
        jne     runtime
        cmp     qword ptr [r12], 0
        je      runtime

variables:                              # the environment
        mov     rbx, [r15+48]
1:      mov     rdx, [rbx]
        test    rdx, rdx
        jz      state
        add     rbx, 8
        lea     rsi, [rip+known]
2:      movzx   r8d, byte ptr [rsi]
        cmp     r8d, END
        je      1b
        inc     rsi
        mov     rdi, rdx
        call    begins
        je      3f
4:      inc     rsi                     # the next one that is known
        cmp     byte ptr [rsi-1], 0
        jne     4b
        jmp     2b
3:      cmp     r8d, ANY
        je      1b
        cmp     r8d, NONE
        je      runtime
        cmp     r8d, EMPTY
        je      3f
        cmp     qword ptr [r15+r8], 0   # given twice: whose counts?
        jne     runtime
        mov     [r15+r8], rdi
        jmp     1b
3:      cmp     byte ptr [rdi], 0
        je      1b
        jmp     runtime

state:  mov     word ptr [r15+256], 1   # AF_UNIX, and the path of the daemon's socket
        lea     rdi, [r15+258]
        lea     r9, [rdi+104]
        mov     rsi, [r15+16]
        test    rsi, rsi
        jz      1f
        cmp     byte ptr [rsi], 0
        je      1f
        call    plain
        jmp     2f
1:      mov     rsi, [r15+24]
        mov     eax, 40
        call    absolute
        je      1f
        mov     rsi, [r15+32]
        test    rsi, rsi
        jz      runtime
        mov     eax, 44
1:      call    below
2:      mov     eax, 36
        call    text
        call    append
        lea     rax, [r15+258+104]
        cmp     rdi, rax
        jae     runtime
        mov     r13, rdi

        lea     rdi, [r15+512]          # is anything configured?
        lea     r9, [rdi+1024]
        mov     rsi, [r15+40]
        mov     eax, 48
        call    absolute
        je      1f
        mov     rsi, [r15+32]
        test    rsi, rsi
        jz      2f                      # nobody has a home
        mov     eax, 52
1:      call    below
        mov     edi, -100               # newfstatat(AT_FDCWD, path, &stat, AT_SYMLINK_NOFOLLOW)
        lea     rsi, [r15+512]
        lea     rdx, [r15+1792]
        mov     r10d, 0x100
        mov     eax, 262
        syscall
        cmp     rax, -2                 # ENOENT
        jne     runtime

2:      mov     edi, -100               # openat(AT_FDCWD, "/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC)
        lea     rsi, [rip+proc]
        mov     edx, 0x290000
        mov     eax, 257
        syscall
        mov     [r15+64], eax
        cmp     eax, 2                  # one that stands where stdout should be is none of ours to write to, nor is the next
        jle     unsaid
        mov     edi, 1                  # socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)
        mov     esi, 0x80801
        xor     edx, edx
        mov     eax, 41
        syscall
        mov     [r15+56], eax
        mov     edi, eax                # connect
        lea     rsi, [r15+256]
        lea     rdx, [r13+1]
        sub     rdx, rsi
        mov     eax, 42
        syscall
        test    eax, eax
        jnz     unsaid
        xor     edi, edi                # mmap(0, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        mov     esi, MEMORY
        mov     edx, 3
        mov     r10d, 0x22
        mov     r8, -1
        xor     r9d, r9d
        mov     eax, 9
        syscall
        cmp     rax, -4096
        ja      unsaid
        mov     r14, rax
        call    id
        call    circumstances
        mov     edi, 63                 # umask, as it was and stays
        mov     eax, 95
        syscall
        mov     [r15+72], rax
        mov     edi, eax
        mov     eax, 95
        syscall

        mov     eax, 16                 # the request
        call    text
        mov     rdi, r14
fill:   movzx   eax, byte ptr [rsi]
        inc     rsi
        cmp     al, 8
        jbe     1f
        stosb
        jmp     fill
1:      test    eax, eax
        jz      send
        push    rsi
        lea     rcx, [rip+places]
        movsxd  rax, dword ptr [rcx+rax*4-4]
        add     rax, rcx
        call    rax
        pop     rsi
        jmp     fill

send:   mov     rbx, rdi
        sub     rbx, r14
        mov     edi, [r15+56]           # sendto(socket, request, MSG_NOSIGNAL)
        mov     rsi, r14
        mov     rdx, rbx
        mov     r10d, 0x4000
        xor     r8d, r8d
        xor     r9d, r9d
        mov     eax, 44
        syscall
        cmp     rax, rbx
        jne     unsaid

        mov     eax, [r15+56]           # it has been asked
        mov     [r15+80], eax
        mov     byte ptr [r15+84], 1    # POLLIN
1:      lea     rdi, [r15+80]
        mov     esi, 1
        mov     edx, PATIENCE
        mov     eax, 7
        syscall
        cmp     rax, -4                 # EINTR
        je      1b
        cmp     rax, 1
        jne     handover
        mov     r10d, 0x42              # MSG_PEEK | MSG_DONTWAIT
        mov     edx, ANSWER
        call    receive
        test    rax, rax
        jle     handover
        mov     rbx, rax
        mov     byte ptr [r14+rbx], 0
        cmp     byte ptr [r14+rbx-1], 10
        jne     handover
        mov     eax, 20
        call    text
        mov     rdi, r14
        call    begins
        jne     handover                # a yes, by a holder of this version, about this id?
        mov     eax, 24
        call    text
        call    within
        jne     handover
        mov     rdi, r14
        lea     rsi, [r15+112]
        call    within
        jne     handover
        mov     byte ptr [r15+124], 10
        inc     byte ptr [r15+160]      # nobody who reads, and a file that is as long as it may be (SIGPIPE, SIGXFSZ): said by the write, not by a signal
        lea     rsi, [r15+160]
        lea     rdx, [r15+192]
        mov     edi, 13
        call    sigaction
        lea     rdx, [r15+1952]
        mov     edi, 25
        call    sigaction
        mov     edi, 1                  # write(1, id and newline, 13)
        lea     rsi, [r15+112]
        mov     edx, 13
        mov     eax, 1
        syscall
        cmp     rax, 13
        jne     1f
        xor     r10d, r10d              # all of it is taken: for the daemon, nobody left in the middle of it
        mov     edx, ebx
        call    receive
        xor     edi, edi
        jmp     leave
1:      lea     rsi, [r15+192]
        xor     edx, edx
        mov     edi, 13
        call    sigaction
        lea     rsi, [r15+1952]
        mov     edi, 25
        call    sigaction

handover:
        lea     rdi, [r15+224]          # SOCKET:ID
        mov     eax, [r15+56]
        call    decimal
        mov     al, ':'
        stosb
        lea     rsi, [r15+112]
        mov     ecx, 12
        rep     movsb
        mov     edi, [r15+56]           # fcntl(socket, F_SETFD, 0)
        mov     esi, 2
        xor     edx, edx
        mov     eax, 72
        syscall
        mov     rdi, r14
        mov     rax, [rbp+8]
        stosq
        mov     eax, 72
        call    text
        mov     rax, rsi
        stosq
        lea     rax, [r15+224]
        stosq
        lea     rsi, [rbp+24]           # what stood behind `start`, and the null behind that
        mov     rcx, [rbp]
        dec     rcx
        rep     movsq
        lea     rdi, [rip+self]
        mov     rsi, r14
        mov     rdx, [r15+48]
        mov     eax, 59                 # execve
        syscall
        mov     edi, 2
        lea     rsi, [rip+unable]
        mov     edx, OFFSET unable_end-unable
        mov     eax, 1
        syscall
        mov     byte ptr [r15+124], 10
        mov     edi, 2
        lea     rsi, [r15+112]
        mov     edx, 13
        mov     eax, 1
        syscall
        mov     edi, 125
leave:  mov     eax, 231                # exit_group
        syscall

# Nothing has been asked: what was opened is closed, and the runtime finds all as it was.
unsaid: mov     rdi, r14
        test    rdi, rdi
        jz      1f
        mov     esi, MEMORY             # munmap
        mov     eax, 11
        syscall
1:      mov     edi, [r15+56]
        test    edi, edi
        js      1f
        mov     eax, 3                  # close
        syscall
1:      mov     edi, [r15+64]
        test    edi, edi
        js      runtime
        mov     eax, 3
        syscall
runtime:
        mov     rsp, rbp
        mov     rdx, [rbp-8]
        xor     ebp, ebp
        jmp     qword ptr [rip+table]

# Whether the texts at rdi and rsi are the same (ZF), and whether the one at rdi begins with the other: then rdi is behind that.
same:   call    begins
        jne     1f
        cmp     byte ptr [rdi], 0
1:      ret
begins: push    rdi
1:      mov     al, [rsi]
        test    al, al
        jz      1f
        cmp     al, [rdi]
        jne     2f
        inc     rsi
        inc     rdi
        jmp     1b
1:      pop     rax
        xor     eax, eax
        ret
2:      pop     rdi
        ret

# Whether the text at rsi is anywhere in the one at rdi (ZF).
within: mov     r8, rsi
1:      mov     rsi, r8
        mov     al, [rsi]
2:      cmp     byte ptr [rdi], 0
        je      3f
        cmp     [rdi], al
        je      2f
        inc     rdi
        jmp     2b
2:      call    begins
        je      1f
        inc     rdi
        jmp     1b
3:      test    rsp, rsp
1:      ret

# rsi: the text that the table has at eax.
text:   lea     rsi, [rip+table]
        mov     eax, [rsi+rax]
        add     rsi, rax
        ret
append: mov     al, [rsi]
        test    al, al
        jz      1f
        inc     rsi
        stosb
        jmp     append
1:      ret

# Whether the variable at rsi is an absolute path (ZF): any other counts as none.
absolute:
        test    rsi, rsi
        jz      1f
        cmp     byte ptr [rsi], '/'
        ret
1:      inc     esi
        ret
# The path at rsi, and what the table has at eax.
below:  push    rax
        call    plain
        pop     rax
        call    text
        jmp     append
# The path at rsi, to rdi, if it is one that the runtime would leave as it is: absolute, printable ASCII, without empty parts, . and .., and ending before r9.
plain:  mov     al, [rsi]
        cmp     al, '/'
        jne     2f
1:      stosb
        inc     rsi
        mov     r8, rdi
3:      mov     al, [rsi]
        cmp     rdi, r9
        jae     2f
        cmp     al, '/'
        je      3f
        test    al, al
        jz      3f
        call    printable
        jne     2f
        stosb
        inc     rsi
        jmp     3b
3:      mov     rcx, rdi
        sub     rcx, r8
        jz      2f
        cmp     rcx, 2
        ja      3f
        cmp     byte ptr [rdi-1], '.'
        jne     3f
        cmp     byte ptr [r8], '.'
        je      2f
3:      test    al, al
        jnz     1b
        ret
2:      jmp     runtime                 # which takes back the stack as well
printable:
        cmp     al, ' '
        jb      1f
        cmp     al, 0x7e
        ja      1f
        cmp     al, al
1:      ret

# Eight digits of milliseconds, four at random, as session-id.ts has them.
id:     xor     edi, edi                # clock_gettime(CLOCK_REALTIME)
        lea     rsi, [r15+88]
        mov     eax, 228
        syscall
        lea     rdi, [r15+104]          # getrandom(4 bytes, GRND_NONBLOCK)
        mov     esi, 4
        mov     edx, 1
        mov     eax, 318
        syscall
        cmp     rax, 4
        jne     unsaid
        mov     ecx, 1000000
        xor     edx, edx
        mov     rax, [r15+96]
        div     rcx
        imul    rcx, [r15+88], 1000
        add     rax, rcx
        xor     ecx, ecx
        sub     rax, [rip+table+8]
        cmovb   rax, rcx
        mov     ecx, 7
        mov     r8d, 36
1:      xor     edx, edx
        div     r8
        call    digit
        mov     [r15+rcx+112], dl
        dec     ecx
        jns     1b
        mov     ecx, 3
1:      movzx   eax, byte ptr [r15+rcx+104]
        xor     edx, edx
        div     r8d
        call    digit
        mov     [r15+rcx+120], dl
        dec     ecx
        jns     1b
        ret
digit:  add     dl, '0'
        cmp     dl, '9'
        jbe     1f
        add     dl, 'a'-'9'-1
1:      ret

# What platform/circumstances.ts hashes, hashed as there.
circumstances:
        lea     rsi, [rip+status]       # the lines of /proc/self/status that count
        lea     rdi, [r14+STATUS]
        call    file
        mov     byte ptr [rdi], 0
        lea     rdi, [r14+TEXT]
        lea     rbx, [r14+STATUS]
line:   cmp     byte ptr [rbx], 0
        je      files
        mov     eax, 56
        call    text
1:      cmp     byte ptr [rsi], 0
        je      3f
        push    rdi
        mov     rdi, rbx
        call    begins
        pop     rdi
        je      1f
2:      inc     rsi
        cmp     byte ptr [rsi-1], 0
        jne     2b
        jmp     1b
1:      mov     al, [rbx]               # with its newline
        test    al, al
        jz      files
        stosb
        inc     rbx
        cmp     al, 10
        jne     1b
        jmp     line
3:      mov     al, [rbx]               # another one
        test    al, al
        jz      files
        inc     rbx
        cmp     al, 10
        jne     3b
        jmp     line
files:  mov     eax, 60
        call    text
1:      cmp     byte ptr [rsi], 0
        je      links
        mov     rbx, rdi
        push    rsi
        call    file
        call    raised
        mov     al, 10
        stosb
        pop     rsi
        call    next
        jmp     1b
links:  mov     eax, 64
        call    text
1:      cmp     byte ptr [rsi], 0
        je      hash
        push    rsi
        push    rdi
        mov     rdx, rdi                # readlinkat(/proc/self, name, rdi, FILE)
        mov     edi, [r15+64]
        mov     r10d, FILE
        mov     eax, 267
        syscall
        pop     rdi
        test    rax, rax
        jle     2f
        add     rdi, rax
2:      mov     al, 10
        stosb
        pop     rsi
        call    next
        jmp     1b
hash:   push    rdi
        xor     edi, edi                # getpriority(PRIO_PROCESS, 0): 20 less the number that people know
        xor     esi, esi
        mov     eax, 140
        syscall
        pop     rdi
        stosb
        mov     qword ptr [rdi], 0
        lea     rsi, [r14+TEXT]         # MurmurHash64A
        sub     rdi, rsi
        movabs  r9, 0xc6a4a7935bd1e995
        mov     rax, rdi
        imul    rax, r9
1:      cmp     rdi, 8
        jb      1f
        mov     rdx, [rsi]
        imul    rdx, r9
        mov     r8, rdx
        shr     r8, 47
        xor     rdx, r8
        imul    rdx, r9
        xor     rax, rdx
        imul    rax, r9
        add     rsi, 8
        sub     rdi, 8
        jmp     1b
1:      test    rdi, rdi
        jz      1f
        xor     rax, [rsi]
        imul    rax, r9
1:      mov     r8, rax
        shr     r8, 47
        xor     rax, r8
        imul    rax, r9
        mov     r8, rax
        shr     r8, 47
        xor     rax, r8
        xor     ecx, ecx
1:      rol     rax, 4
        mov     edx, eax
        and     edx, 15
        call    digit
        mov     [r15+rcx+128], dl
        inc     ecx
        cmp     ecx, 16
        jb      1b
        ret
next:   inc     rsi
        cmp     byte ptr [rsi-1], 0
        jne     next
        ret
# The file of /proc/self that rsi names, to rdi; nothing where there is none.
file:   push    rdi
        mov     edi, [r15+64]           # openat(/proc/self, name, O_RDONLY | O_CLOEXEC)
        mov     edx, 0x80000
        mov     eax, 257
        syscall
        pop     rsi
        mov     rdi, rsi
        test    eax, eax
        js      1f
        push    rax
        mov     edi, eax
        mov     edx, FILE
        xor     eax, eax                # read
        syscall
        xor     edx, edx
        test    rax, rax
        cmovns  rdx, rax
        add     rsi, rdx
        pop     rdi
        push    rsi
        mov     eax, 3                  # close
        syscall
        pop     rdi
1:      ret
# From rbx to rdi: the soft limit that the runtime raises for itself is written over with spaces.
raised: mov     byte ptr [rdi], 0
        push    rdi
        mov     rdi, rbx
1:      cmp     byte ptr [rdi], 0
        je      3f
        mov     eax, 68
        call    text
        call    begins
        je      2f
        inc     rdi
        jmp     1b
1:      inc     rdi
2:      cmp     byte ptr [rdi], ' '
        je      1b
1:      cmp     byte ptr [rdi], ' '
        jbe     3f
        mov     byte ptr [rdi], ' '
        inc     rdi
        jmp     1b
3:      pop     rdi
        ret

# What the places of the request are filled with, at rdi.
places: .long   directory-places, mask-places, own_id-places, name-places, arguments-places, environment-places, terminal-places, hashed-places
directory:
        push    rdi
        mov     esi, 4096               # getcwd(rdi, 4096)
        mov     eax, 79
        syscall
        pop     rdi
        test    rax, rax
        jle     unsaid
        cmp     byte ptr [rdi], '/'     # it may also be unreachable
        jne     unsaid
1:      mov     al, [rdi]
        test    al, al
        jz      1f
        call    printable
        jne     unsaid
        cmp     al, '"'
        je      unsaid
        cmp     al, 92                  # \
        je      unsaid
        inc     rdi
        jmp     1b
1:      ret
mask:   mov     eax, [r15+72]
decimal:
        xor     ecx, ecx
        mov     r8d, 10
1:      xor     edx, edx
        div     r8d
        push    rdx
        inc     ecx
        test    eax, eax
        jnz     1b
1:      pop     rax
        add     al, '0'
        stosb
        dec     ecx
        jnz     1b
        ret
own_id: lea     rsi, [r15+112]
        mov     ecx, 12
        rep     movsb
        ret
hashed: lea     rsi, [r15+128]
        mov     ecx, 16
        rep     movsb
        ret
name:   mov     rbx, [r15]
        lea     rsi, [rip+null]
        test    rbx, rbx
        jz      append
        mov     al, '"'
        stosb
        mov     rsi, rbx
        call    append
        mov     al, '"'
        stosb
        ret
terminal:
        mov     eax, 28
        cmp     dword ptr [r15+8], 0
        je      1f
        mov     eax, 32
1:      call    text
        jmp     append
arguments:
        mov     rbx, r12
        jmp     list
environment:
        mov     rbx, [r15+48]
# The texts that rbx points to, up to a null, in base64; of both lists neither is empty.
list:   lea     r10, [rip+alphabet]
        lea     r9, [r14+REQUEST_END]
1:      mov     rsi, [rbx]
        test    rsi, rsi
        jz      3f
        add     rbx, 8
        mov     rdx, -1
2:      inc     rdx
        cmp     byte ptr [rsi+rdx], 0
        jne     2b
        lea     rax, [rdi+rdx*2+8]
        cmp     rax, r9
        ja      unsaid
        mov     al, '"'
        stosb
2:      sub     rdx, 3
        jb      2f
        movzx   eax, byte ptr [rsi]
        shl     eax, 16
        movzx   ecx, byte ptr [rsi+1]
        shl     ecx, 8
        or      eax, ecx
        movzx   ecx, byte ptr [rsi+2]
        or      eax, ecx
        call    four
        add     rsi, 3
        jmp     2b
2:      add     edx, 3
        jz      2f
        movzx   eax, byte ptr [rsi]     # one is left, or two: a NUL is behind the last
        shl     eax, 16
        movzx   ecx, byte ptr [rsi+1]
        shl     ecx, 8
        or      eax, ecx
        call    four
        mov     byte ptr [rdi-1], '='
        cmp     edx, 1
        jne     2f
        mov     byte ptr [rdi-2], '='
2:      mov     ax, 0x2c22              # ",
        stosw
        jmp     1b
3:      dec     rdi
        ret
four:   mov     r8d, 4
        shl     eax, 8
1:      rol     eax, 6
        mov     ecx, eax
        and     ecx, 63
        mov     cl, [r10+rcx]
        mov     [rdi], cl
        inc     rdi
        dec     r8d
        jnz     1b
        ret

receive:
        mov     edi, [r15+56]           # recvfrom(socket, memory, edx, r10d)
        mov     rsi, r14
        xor     r8d, r8d
        xor     r9d, r9d
        mov     eax, 45
        syscall
        ret
sigaction:
        mov     r10d, 8                 # rt_sigaction(edi, rsi, rdx, 8)
        mov     eax, 13
        syscall
        ret

alphabet:
        .ascii  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
start:  .asciz  "start"
no_pty: .asciz  "--no-pty"
named:  .asciz  "--name"
dashes: .asciz  "--"
null:   .asciz  "null"
proc:   .asciz  "/proc/self"
self:   .asciz  "/proc/self/exe"
status: .asciz  "status"
unable: .ascii  "holt: cannot run itself again (/proc/self/exe); what became of it is told by: holt show "
unable_end:
# Variables that matter: where in the scratch they are noted, or what they may be. The first that fits counts.
known:  .byte   16
        .asciz  "HOLT_STATE_DIR="
        .byte   ANY
        .asciz  "HOLT_SESSION_ID="
        .byte   EMPTY
        .asciz  "HOLT_NO_DAEMON="
        .byte   NONE
        .asciz  "HOLT_"
        .byte   NONE
        .asciz  "BUN_BE_BUN="
        .byte   NONE
        .asciz  "BUN_OPTIONS="
        .byte   NONE                    # what is loaded so may want to see our calls, and sees the runtime's
        .asciz  "LD_PRELOAD="
        .byte   24
        .asciz  "XDG_STATE_HOME="
        .byte   32
        .asciz  "HOME="
        .byte   40
        .asciz  "XDG_CONFIG_HOME="
        .byte   END
        .balign 8
table:  .quad   0, 0
