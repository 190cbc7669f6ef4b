# What a key thread runs (src/platform/key-thread.ts says what it is for). Its argument points at a page that it shares with the loop:
# src/platform/key-page.ts says where what lies.
#
# It polls the terminal, and what is typed there it sends as a frame, unless there is something in it that is to be told. That, and whatever it cannot
# read or send, it leaves to the loop, and parks.
.intel_syntax noprefix
.globl _start
_start:
        mov     rbx, rdi
        jmp     park

next:   mov     eax, 7                  # poll(kick and terminal, 2, -1)
        lea     rdi, [rbx+32]
        mov     esi, 2
        mov     rdx, -1
        syscall
        xor     eax, eax
        mov     [rbx+28], eax
        cmp     word ptr [rbx+38], ax   # kicked
        jne     park
        mov     edi, [rbx+40]           # read(terminal, bytes, 1024)
        lea     rsi, [rbx+521]
        mov     edx, 1024
        syscall
        mov     [rbx+28], eax
        test    eax, eax
        jle     park
        xor     edx, edx
1:      movzx   edi, byte ptr [rbx+rdx+521]
        cmp     byte ptr [rbx+rdi+64], 0
        jne     park                    # one that is to be told
        inc     edx
        cmp     edx, eax
        jb      1b
        mov     ecx, [rbx+48]           # how much was shown
        mov     [rbx+517], ecx
        lea     ecx, [rax+5]            # the frame's length
        mov     [rbx+512], ecx
        lea     r12d, [rax+9]
        cmp     dword ptr [rbx+56], 0
        je      send
        mov     eax, 309                # getcpu(here, 0, 0)
        lea     rdi, [rbx+60]
        xor     esi, esi
        xor     edx, edx
        syscall
        mov     r13d, [rbx+60]
        cmp     r13d, 1023
        ja      send
        bts     [rbx+320], r13d
        mov     eax, 203                # sched_setaffinity(who takes it, 128, here): we are about to sleep, and another processor would have to be woken
        mov     edi, [rbx+56]
        mov     esi, 128
        lea     rdx, [rbx+320]
        syscall
        btr     [rbx+320], r13d
send:   mov     eax, 44                 # sendto(socket, frame, 9 + n, not blocking, no signal)
        mov     edi, [rbx+24]
        lea     rsi, [rbx+512]
        mov     edx, r12d
        mov     r10d, 0x4040
        xor     r8d, r8d
        syscall
        test    eax, eax
        jle     park
        inc     dword ptr [rbx+52]      # one more sent
        jmp     next

park:   mov     eax, 1                  # write(wake, scratch, 8)
        mov     edi, [rbx+16]
        mov     rsi, rbx
        mov     edx, 8
        syscall
        xor     eax, eax                # read(ack, scratch, 8)
        mov     edi, [rbx+20]
        lea     rsi, [rbx+8]
        mov     edx, 8
        syscall
        jmp     next
