# What a relay thread runs (src/platform/relay-thread.ts says what it is for). Its argument points at memory that it shares with the loop:
# src/platform/relay-page.ts says where what lies.
#
# Whoever has it in hand reads and writes the terminals, the socket's input and the file. state: 0 nobody (then the thread may take it), 1 the
# thread, 2 the loop. What the thread does with one key it notes down as one entry of the journal. What is not as simple as that it leaves
# to the loop, with everything it has read.
#
# Registers: rbx the page, r12 the entry, r13d how much was printed, r15d how much was typed.
.intel_syntax noprefix
.globl _start
_start:
        mov     rbx, rdi
        mov     eax, 186                # gettid(), for whoever is to wake us where they are
        syscall
        mov     [rbx+108], eax
        mov     eax, 204                # sched_getaffinity(0, 128, anywhere)
        xor     edi, edi
        mov     esi, 128
        lea     rdx, [rbx+1408]
        syscall
        jmp     park

next:   xor     edx, edx                # for ever; but for a moment only, if the loop has not been told of what was done
        cmp     dword ptr [rbx+104], 0
        je      1f
        lea     rdx, [rbx+112]
1:      call    pollit
        test    eax, eax
        jnz     1f
        call    wake
        jmp     next
1:      cmp     word ptr [rbx+38], 0
        je      1f
        xor     eax, eax                # read(kick, scratch, 8)
        mov     edi, [rbx+32]
        lea     rsi, [rbx+8]
        mov     edx, 8
        syscall
1:      xor     eax, eax                # nobody has it in hand: we have
        mov     ecx, 1
        lock cmpxchg [rbx+24], ecx
        jne     park
        mov     dword ptr [rbx+84], 1   # the command printed something that no key caused, or is gone
        cmp     word ptr [rbx+54], 0
        jne     leave
        cmp     word ptr [rbx+46], 0
        je      release
        mov     eax, 45                 # recvfrom(socket, frame, 1040, MSG_DONTWAIT, 0, 0)
        mov     edi, [rbx+40]
        lea     rsi, [rbx+256]
        mov     edx, 1040
        mov     r10d, 0x40
        xor     r8d, r8d
        xor     r9d, r9d
        syscall
        cmp     eax, -11
        je      release
        mov     [rbx+88], eax
        mov     dword ptr [rbx+84], 2   # something was received that is not one short key with the terminal for its echo
        lea     ecx, [rax-10]
        cmp     ecx, 15
        ja      leave
        lea     ecx, [rax-4]
        cmp     [rbx+256], ecx
        jne     leave
        mov     cl, [rbx+100]
        cmp     [rbx+260], cl
        jne     leave
        mov     ecx, [rbx+76]
        cmp     [rbx+261], ecx
        jne     leave

        lea     r15d, [rax-9]           # an entry: the key, and nothing else yet
        mov     eax, [rbx+92]
        lea     r12, [rbx+rax+12288]
        movups  xmm0, [rbx+265]
        movups  [r12+12], xmm0
        xor     r13d, r13d
        mov     [r12], r15d
        mov     [r12+4], r13
        mov     eax, 1                  # write(command, key, n)
        mov     edi, [rbx+48]
        lea     rsi, [rbx+265]
        mov     edx, r15d
        syscall
        xor     ecx, ecx
        test    eax, eax
        cmovns  ecx, eax
        mov     [r12+2], cx
        cmp     ecx, r15d
        jne     told

        call    anywhere
        lea     rdx, [rbx+112]          # its echo, if it comes in a moment
        call    pollit
        test    eax, eax
        jle     noted
        cmp     word ptr [rbx+54], 0
        je      noted
        xor     eax, eax                # read(command, printed, 2040)
        mov     edi, [rbx+48]
        lea     rsi, [r12+28]
        mov     edx, 2040
        syscall
        test    eax, eax
        jle     noted
        mov     r13d, eax
        mov     [r12+4], ax
        xor     edx, edx                # nothing in it but what every viewer is sent as it is
        xor     ecx, ecx
2:      movzx   edi, byte ptr [r12+rcx+28]
        shl     edx, 8
        or      edx, edi
        movzx   edx, byte ptr [rbx+rdx+4096]
        inc     ecx
        cmp     ecx, r13d
        jb      2b
        test    edx, edx
        jnz     told
        cmp     r13d, [rbx+72]
        ja      told
        mov     eax, 18                 # pwrite64(file, printed, n, at): on disk before anyone sees it
        mov     edi, [rbx+60]
        lea     rsi, [r12+28]
        mov     edx, r13d
        mov     r10, [rbx+64]
        syscall
        cmp     eax, r13d
        jne     told
        add     [rbx+64], r13
        sub     [rbx+72], r13d
        or      word ptr [r12+8], 1
        mov     eax, 1                  # write(terminal, printed, n)
        mov     edi, [rbx+56]
        lea     rsi, [r12+28]
        mov     edx, r13d
        syscall
        xor     ecx, ecx
        test    eax, eax
        cmovns  ecx, eax
        mov     [r12+6], cx
        cmp     ecx, r13d
        jne     told

noted:  call    note
        cmp     dword ptr [rbx+28], 0   # somebody waits for us
        jne     full
        cmp     dword ptr [rbx+92], 6104
        ja      full
        mov     dword ptr [rbx+104], 1  # the loop is told when nobody waits for this processor any more: it has more to do than to show a key
release:
        mov     dword ptr [rbx+24], 0
        jmp     next

told:   call    note
full:   mov     dword ptr [rbx+84], 3   # the journal is to be looked at before anything else happens
leave:  call    anywhere
        mov     eax, 228                # clock_gettime(CLOCK_MONOTONIC, when)
        mov     edi, 1
        lea     rsi, [rbx+128]
        syscall
        mov     dword ptr [rbx+24], 2
        call    wake
park:   xor     eax, eax                # read(ack, scratch, 8)
        mov     edi, [rbx+20]
        lea     rsi, [rbx+8]
        mov     edx, 8
        syscall
        jmp     next

note:   lea     eax, [r13+31]           # the entry is one of the journal's
        and     eax, -4
        add     [rbx+92], eax
        ret

pollit: mov     qword ptr [rbx+112], 0  # ppoll(kick, socket and command, 3, for ever or a moment, 0, 8)
        mov     eax, [rbx+96]
        mov     [rbx+120], rax
        mov     eax, 271
        lea     rdi, [rbx+32]
        mov     esi, 3
        xor     r10d, r10d
        mov     r8d, 8
        syscall
        ret

anywhere:
        mov     eax, 203                # sched_setaffinity(0, 128, anywhere): we are awake, and may go where there is room
        xor     edi, edi
        mov     esi, 128
        lea     rdx, [rbx+1408]
        syscall
        ret

wake:   mov     dword ptr [rbx+104], 0
        mov     eax, 1                  # write(wake, scratch, 8)
        mov     edi, [rbx+16]
        mov     rsi, rbx
        mov     edx, 8
        syscall
        ret
