# The leader of a terminal's session (src/process/leader.ts says what it is for), as a program of a few hundred bytes.
#
#   leader PATH ARGV0 ARG...      with the terminal on 0, 1 and 2, reports on 243, orders on 244, and, where stderr is redirected,
#                                 its pipe on 245: numbers that hardly anybody hands to a command
#
# It reports records of 152 bytes: u32 kind, u32 value, struct rusage.
#   1 the command runs (value: its pid)    2 it could not be executed (errno)    3 it stopped or ended (wait status)
# After a stop it waits for one byte on 244 and then continues the command. An end of file there ends it.
#
# A table follows the code (src/platform/leader-program.ts): u32 part, u32 group, u64 signals (a bit each), u64 count, and so often u64 resource, u64 soft,
# u64 hard. These signals are ignored and these limits set where the command is about to be executed, so that they are its own. Part 0 is all of the above.
# Part 1 has no terminal and starts nothing: it does that and becomes the command; 243 is then a pipe that execve closes, or on which it reports record 2. A group is a descriptor, the
# cgroup.procs of the control group that the command is to be in; 0 where there is none.
#
# Part 2 is an understudy (src/process/understudy.ts): it knows no command yet, and has pipes on 0, 1 and 2. It waits on 244 for a message, which it puts
# where the message's own pointers say that it lies:
#   u64 length   u64 part (0 or 1)   u64 umask   directory   terminal (part 0)   arguments   environment   u64 limits   limits   paths
# From there on it is that part: a leader on that terminal, or the command on its pipes. An end of file ends it: nobody is left to tell it anything.
# The paths are where the command may lie, as a PATH has it, and end with a zero: the first that can be executed is (execvp(3)).
#
# Registers: r12 argv, r13 envp, r14 the command's pid, r15 zeroed scratch:
#   0 sigaction (SIG_IGN)   32 sigaction (SIG_DFL)   64 command's group   68 own group   72 errno   76 byte   80 record
#   240 number of limits   248 limits   256 part   264 paths, or 0: the one path is known   272 struct stat
        .set    MESSAGE, 0x20000000
        .set    MOST, 0x10000
.intel_syntax noprefix
.globl _start
_start:
        mov     rbx, [rsp]
        lea     r12, [rsp+8]
        lea     r13, [r12+rbx*8+8]
        sub     rsp, 512
        mov     r15, rsp
        mov     rdi, r15
        mov     ecx, 64
        xor     eax, eax
        rep     stosq
        mov     byte ptr [r15], 1
        mov     eax, [rip+table+16]
        mov     [r15+240], rax
        lea     rax, [rip+table+24]
        mov     [r15+248], rax
        mov     eax, [rip+table]
        mov     [r15+256], eax
        cmp     eax, 1
        je      alone
        mov     edi, 15                 # prctl(PR_SET_NAME, "holt-leader")
        lea     rsi, [rip+name]
        mov     eax, 157
        syscall
        cmp     dword ptr [r15+256], 0
        jne     waiting
leader: mov     edi, 1                  # prctl(PR_SET_PDEATHSIG, SIGKILL): if the holder is killed, so are we, and that is
        mov     esi, 9                  # how the kernel hangs up on the command
        mov     eax, 157
        syscall
        mov     eax, 39                 # getpid(): we lead our session, so this is our group as well
        syscall
        mov     [r15+68], eax
        mov     rsi, r15                # taking the terminal from the background must not stop us
        call    sigttou
        mov     eax, 58                 # vfork(): returns here once the command was executed, or could not be
        syscall
        test    eax, eax
        jz      command
        mov     r14d, eax
        jns     1f
        neg     eax                     # there is no room for another process
        mov     [r15+72], eax
1:
        mov     rsi, r15                # neither a key nor a hang-up keeps us from reporting what became of the command
        mov     edi, 3                  # SIGQUIT, SIGINT, SIGHUP
1:      call    sigaction
        dec     edi
        jnz     1b
        mov     dword ptr [r15+80], 1
        mov     [r15+84], r14d
        mov     ecx, [r15+72]
        test    ecx, ecx
        jz      1f
        mov     dword ptr [r15+80], 2
        mov     [r15+84], ecx
        call    report
        jmp     leave
1:      call    report

watch:  mov     edi, r14d               # wait4(pid, &value, WUNTRACED, &rusage)
        lea     rsi, [r15+84]
        mov     edx, 2
        lea     r10, [r15+88]
        mov     eax, 61
        syscall
        cmp     rax, -4                 # EINTR
        je      watch
        test    rax, rax
        js      leave
        mov     dword ptr [r15+80], 3
        mov     eax, [r15+84]
        cmp     al, 0x7f
        jne     ended
        shr     eax, 8                  # stopped for using the terminal (SIGTTIN, SIGTTOU) just before it was given to it?
        sub     al, 21
        cmp     al, 1
        ja      stopped
        lea     rdx, [r15+76]
        mov     esi, 0x540f             # TIOCGPGRP
        call    terminal
        cmp     [r15+76], r14d
        je      resume
stopped:                                # it keeps the terminal: keys that come before it is continued are for it
        call    report
        mov     edi, 244
        lea     rsi, [r15+76]
        mov     edx, 1
        xor     eax, eax                # read(244, &byte, 1)
        syscall
        cmp     rax, 1
        jne     leave
        mov     [r15+64], r14d
        lea     rdx, [r15+64]
        call    foreground
resume: mov     edi, r14d               # kill(-pid, SIGCONT)
        neg     edi
        mov     esi, 18
        mov     eax, 62
        syscall
        jmp     watch

ended:  lea     rdx, [r15+68]           # our exit hangs up on the group in front: let that be ourselves
        call    foreground
        mov     edi, 2                  # close(2), 1, 0: who is told of the end need not wait for ours to see that of the terminal
1:      mov     eax, 3
        syscall
        dec     edi
        jns     1b
        mov     edi, 245                # nor the pipe that its stderr is
        mov     eax, 3
        syscall
        call    report
        push    1000000                 # nanosleep({0, 1000000}, 0): our exit would keep whoever is told from the processor
        push    0
        mov     rdi, rsp
        xor     esi, esi
        mov     eax, 35
        syscall
leave:  xor     edi, edi
        mov     eax, 60
        syscall

waiting:
        mov     edi, MESSAGE            # mmap(MESSAGE, MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0)
        mov     esi, MOST
        mov     edx, 3
        mov     r10d, 0x32
        mov     r8, -1
        xor     r9d, r9d
        mov     eax, 9
        syscall
        mov     rbx, rax
        cmp     rax, MESSAGE
        jne     leave
1:      mov     edi, 244                # read(244, what is there already, what still fits)
        mov     rsi, rbx
        mov     edx, MESSAGE+MOST
        sub     edx, ebx
        xor     eax, eax
        syscall
        cmp     rax, -4                 # EINTR
        je      1b
        test    rax, rax
        jle     leave
        add     rbx, rax
        mov     eax, ebx
        sub     eax, MESSAGE
        cmp     eax, 8
        jb      1b
        cmp     eax, dword ptr [MESSAGE]
        jb      1b
        mov     eax, [MESSAGE+8]
        mov     [r15+256], eax
        mov     r12, [MESSAGE+40]
        mov     r13, [MESSAGE+48]
        mov     rax, [MESSAGE+56]
        mov     [r15+240], rax
        mov     rax, [MESSAGE+64]
        mov     [r15+248], rax
        mov     rax, [MESSAGE+72]
        mov     [r15+264], rax
        mov     edi, [MESSAGE+16]       # umask
        mov     eax, 95
        syscall
        mov     edi, [MESSAGE+24]       # chdir
        mov     eax, 80
        syscall
        test    eax, eax
        jnz     refuse
        cmp     dword ptr [r15+256], 0
        jne     given
        mov     edi, [MESSAGE+32]       # open(terminal, O_RDWR): we lead a session that has none, so it becomes ours
        mov     esi, 2
        mov     eax, 2
        syscall
        test    eax, eax
        js      refuse
        mov     ebx, eax
        mov     esi, 2                  # dup2(terminal, 2), 1, 0
1:      mov     edi, ebx
        mov     eax, 33
        syscall
        dec     esi
        jns     1b
        mov     edi, ebx
        mov     eax, 3                  # close
        syscall
        jmp     leader
refuse: mov     dword ptr [r15+256], 1  # nobody else will tell
        jmp     failed

given:  mov     edi, 244                # close: there are no further orders
        mov     eax, 3
        syscall
alone:  mov     edi, 243                # fcntl(243, F_SETFD, FD_CLOEXEC)
        mov     esi, 2
        mov     edx, 1
        mov     eax, 72
        syscall
        jmp     limit

command:
        xor     edi, edi                # setpgid(0, 0)
        xor     esi, esi
        mov     eax, 109
        syscall
        mov     eax, 39                 # getpid()
        syscall
        mov     [r15+64], eax
        lea     rdx, [r15+64]
        call    foreground
        lea     rsi, [r15+32]
        call    sigttou
        mov     edi, 245                # dup2(245, 2): fails, and is no matter, where stderr is the terminal
        mov     esi, 2
        mov     eax, 33
        syscall
        mov     edi, 245
        mov     eax, 3                  # close
        syscall
        mov     edi, 244
        mov     eax, 3
        syscall
        mov     edi, 243
        mov     eax, 3
        syscall
limit:  mov     edi, [rip+table+4]      # write(group, "0", 1): who writes is put there
        test    edi, edi
        jz      3f
        lea     rsi, [rip+myself]
        mov     edx, 1
        mov     eax, 1
        syscall
        test    eax, eax
        js      failed
        mov     edi, [rip+table+4]
        mov     eax, 3                  # close
        syscall
3:      mov     rbx, [rip+table+8]      # what the caller ignores, the command ignores
        xor     edi, edi
1:      inc     edi
        shr     rbx, 1
        jnc     2f
        mov     rsi, r15
        call    sigaction
2:      test    rbx, rbx
        jnz     1b
        mov     rbp, [r15+240]
        mov     rbx, [r15+248]
1:      dec     ebp
        js      1f
        xor     edi, edi                # prlimit64(0, resource, {soft, hard}, 0)
        mov     esi, [rbx]
        lea     rdx, [rbx+8]
        xor     r10d, r10d
        mov     eax, 302
        syscall
        test    eax, eax
        jnz     failed
        add     rbx, 24
        jmp     1b
1:      mov     rbx, [r15+264]
        mov     ebp, -2                 # ENOENT, unless there is one that may not be executed
next:   test    rbx, rbx
        jz      1f
        mov     rcx, [rbx]
        add     rbx, 8
        mov     eax, ebp
        test    rcx, rcx
        jz      failed
        mov     [r12+8], rcx
        mov     rdi, rcx                # access(path, X_OK): most directories of a PATH have no such file, and execve takes longer to say so
        mov     esi, 1
        mov     eax, 21
        syscall
        test    eax, eax
        jz      1f
        cmp     eax, -2                 # ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: not here
        je      next
        cmp     eax, -20
        je      next
        cmp     eax, -40
        je      next
        cmp     eax, -36
        je      next
        cmp     eax, -13                # EACCES: not to be executed
        jne     failed
denied: mov     ebp, -13
        jmp     next
1:      mov     rdi, [r12+8]            # execve(path, argv, envp)
        lea     rsi, [r12+16]
        mov     rdx, r13
        mov     eax, 59
        syscall
        cmp     eax, -13                # a directory is passed over, too
        jne     1f
        test    rbx, rbx
        jz      1f
        mov     rdi, [r12+8]            # stat(path)
        lea     rsi, [r15+272]
        mov     eax, 4
        syscall
        mov     ecx, [r15+272+24]       # its mode
        and     ecx, 0xf000
        cmp     ecx, 0x4000
        je      denied
        mov     eax, -13
1:      cmp     eax, -8                 # ENOEXEC: a script without #! is for the shell
        jne     failed
        mov     rcx, [r12+8]
        mov     [r12+16], rcx
        lea     rdi, [rip+shell]
        mov     [r12+8], rdi
        lea     rsi, [r12+8]
        mov     rdx, r13
        mov     eax, 59
        syscall
failed: neg     eax
        mov     [r15+72], eax           # vfork: our memory is the leader's
        cmp     dword ptr [r15+256], 0
        je      1f
        mov     dword ptr [r15+80], 2
        mov     [r15+84], eax
        call    report
1:      mov     edi, 127
        mov     eax, 60
        syscall

sigttou:
        mov     edi, 22
sigaction:
        xor     edx, edx                # rt_sigaction(edi, rsi, 0, 8)
        mov     r10d, 8
        mov     eax, 13
        syscall
        ret
foreground:
        mov     esi, 0x5410             # TIOCSPGRP
terminal:
        xor     edi, edi
        mov     eax, 16                 # ioctl(0, esi, rdx)
        syscall
        ret
report: mov     edi, 243                # write(243, record, 152)
        lea     rsi, [r15+80]
        mov     edx, 152
        mov     eax, 1
        syscall
        ret

name:   .asciz  "holt-leader"
shell:  .asciz  "/bin/sh"
myself: .asciz  "0"
        .balign 8
table:  .quad   0, 0, 0
