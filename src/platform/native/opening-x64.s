# The beginning of a session that was prepared (src/holder/opening.ts), from the message to the cue, in the thread that calls it: of a holder that has waited for a while
# none of this is in the caches, and as JavaScript it takes longer than all that the kernel does for it.
#
#   int opening(page)     page (src/holder/opening.ts lays it out):
#     0 u32 mode   4 channel   8 meta.json   12 orders   16 terminal   20 understudy's pid   24 u32 room   28 what read(2) said
#     32 u64 path of sessions/   40 u64 path of the berth   48 SIGINT's action   80 SIGTERM's   112 when it was told (CLOCK_BOOTTIME)
#     4096 the message (src/protocol/prepared-start.ts): "=", 8 u32 meta   12 u32 cue   16 u32 rest   20 struct winsize, zeroes on pipes   32 id, ends with a zero   168 ...
#
# Mode 0 notes down what the two signals do now. Mode 1 waits for a message, has them do that again, and begins the session if the message is one that is whole and prepared:
# it writes the record, names the directory, and tells the understudy. The answer says how far that went:
#   0 nothing was begun   1 the session has its name   2 its command was told, too
        .set    MESSAGE, 4096
        .set    HEAD, 168
.intel_syntax noprefix
.globl _start
_start:
        push    rbx
        push    r12
        push    r13
        mov     rbx, rdi
        cmp     dword ptr [rbx], 0
        jne     wait
        mov     edi, 2                  # rt_sigaction(SIGINT, 0, &action, 8)
        xor     esi, esi
        lea     rdx, [rbx+48]
        call    sigaction
        mov     edi, 15                 # SIGTERM
        lea     rdx, [rbx+80]
        call    sigaction
        jmp     nothing

wait:   mov     edi, [rbx+4]            # read(channel, message, room)
        lea     rsi, [rbx+MESSAGE]
        mov     edx, [rbx+24]
        xor     eax, eax
        syscall
        cmp     rax, -4                 # EINTR
        je      wait
        mov     [rbx+28], eax
        xor     edx, edx                # from here on a signal is the session's
        mov     edi, 2
        lea     rsi, [rbx+48]
        call    sigaction
        mov     edi, 15
        lea     rsi, [rbx+80]
        call    sigaction
        mov     eax, [rbx+28]
        cmp     eax, HEAD
        jl      nothing
        cmp     byte ptr [rbx+MESSAGE], 0x3d
        jne     nothing
        mov     ecx, [rbx+MESSAGE+8]    # the high halves are zero, so that no sum of these is
        mov     edx, [rbx+MESSAGE+12]
        mov     r8d, [rbx+MESSAGE+16]
        add     rcx, rdx
        add     rcx, r8
        add     rcx, HEAD
        cmp     rcx, rax
        ja      nothing

        mov     edi, [rbx+8]            # pwrite64(meta.json, record, length, 0)
        lea     rsi, [rbx+MESSAGE+HEAD]
        mov     edx, [rbx+MESSAGE+8]
        xor     r10d, r10d
        mov     eax, 18
        syscall
        mov     edx, [rbx+MESSAGE+8]
        cmp     rax, rdx
        jne     nothing
        mov     edi, -100               # openat(AT_FDCWD, sessions/, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        mov     rsi, [rbx+32]
        mov     edx, 0xb0000
        xor     r10d, r10d
        mov     eax, 257
        syscall
        test    eax, eax
        js      nothing
        mov     r12d, eax
        mov     edi, eax                # renameat(sessions, berth, sessions, id)
        mov     rsi, [rbx+40]
        mov     edx, eax
        lea     r10, [rbx+MESSAGE+32]
        mov     eax, 264
        syscall
        mov     r13d, eax
        mov     edi, r12d               # close(sessions)
        mov     eax, 3
        syscall
        test    r13d, r13d
        jnz     nothing

        mov     r13d, 1
        cmp     word ptr [rbx+MESSAGE+22], 0
        je      1f
        mov     edi, [rbx+16]           # ioctl(terminal, TIOCSWINSZ, &size)
        mov     esi, 0x5414
        lea     rdx, [rbx+MESSAGE+20]
        mov     eax, 16
        syscall
        test    eax, eax
        jnz     out
1:      mov     edi, 7                  # clock_gettime(CLOCK_BOOTTIME, &told)
        lea     rsi, [rbx+112]
        mov     eax, 228
        syscall
        mov     edi, [rbx+12]           # write(orders, cue, length): all of it or nothing, as the pipe is empty and does not block
        mov     eax, [rbx+MESSAGE+8]
        lea     rsi, [rbx+rax+MESSAGE+HEAD]
        mov     edx, [rbx+MESSAGE+12]
        mov     eax, 1
        syscall
        mov     edx, [rbx+MESSAGE+12]
        cmp     rax, rdx
        jne     out
        mov     r13d, 2
        mov     edi, [rbx+20]           # kill(understudy, SIGCONT): somebody may have stopped it while it waited
        mov     esi, 18
        mov     eax, 62
        syscall
out:    mov     eax, r13d
leave:  pop     r13
        pop     r12
        pop     rbx
        ret
nothing:
        xor     eax, eax
        jmp     leave

sigaction:
        mov     r10d, 8                 # rt_sigaction(edi, rsi, rdx, 8)
        mov     eax, 13
        syscall
        ret
